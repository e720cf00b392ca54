"""How much the hypotheses of a segment differ from each other."""

from importlib import metadata

import numpy as np

from ..data.evalset import EvaluationSet
from .base import Estimator


class Disagreement(Estimator):
    """1 − the mean chrF between the hypotheses of the systems at hand, 0 to 1; each pair counts in
    both directions, as chrF is not symmetric. 0 where there is one system."""

    information = "outputs"
    depends_on_systems = True

    def estimate(self, evalset: EvaluationSet, source: None = None) -> np.ndarray:
        """chrF of every hypothesis against every other, (systems, systems, segments), 0 to 1."""
        from fastchrf import pairwise_chrf

        evalset.require_texts()
        segments = [list(texts) for texts in zip(*evalset.hypotheses, strict=True)]
        found = np.array(pairwise_chrf(segments, segments), dtype=float) / 100
        return np.moveaxis(found, 0, -1)

    def difficulty(self, values: np.ndarray, systems: np.ndarray) -> np.ndarray:
        order, size = np.sort(systems), len(systems)
        within = values[order][:, order]
        others = ~np.eye(size, dtype=bool)
        found = 1 - within[others].mean(axis=0) if size > 1 else np.zeros(values.shape[-1])
        return np.broadcast_to(found, (size, values.shape[-1]))

    @property
    def signature(self) -> str:
        return f"disagreement|chrF:fastchrf {metadata.version('fastchrf')}"
