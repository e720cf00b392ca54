"""Difficulty: chrF disagreement between the systems' hypotheses of a segment."""

import numpy as np

from ..data.evalset import EvaluationSet
from ..errors import version
from .base import Estimator


class Disagreement(Estimator):
    """1 − the mean chrF between the hypotheses of the systems at hand, 0 to 1; each pair counts in
    both directions, as chrF is not symmetric. 0 where there is one system."""

    information = "outputs"
    depends_on_systems = True

    def __init__(self) -> None:
        self.signature = f"disagreement|chrF:fastchrf {version('fastchrf')}"

    def estimate(self, evalset: EvaluationSet, source: None = None) -> np.ndarray:
        from fastchrf import pairwise_chrf

        evalset.require_texts()
        segments = list(zip(*evalset.hypotheses, strict=True))
        distinct = [list(dict.fromkeys(texts)) for texts in segments]
        of_segments = []
        for texts, known, chrf in zip(
            segments, distinct, pairwise_chrf(distinct, distinct), strict=True
        ):
            places = list(map(known.index, texts))
            of_segments.append(np.array(chrf, dtype=float)[np.ix_(places, places)] / 100)
        return np.stack(of_segments, axis=-1)

    def difficulty(self, values: np.ndarray, systems: np.ndarray) -> np.ndarray:
        order, size = np.sort(systems), len(systems)
        pairwise = values[order][:, order][~np.eye(size, dtype=bool)]
        difficulty = 1 - pairwise.mean(axis=0) if size > 1 else np.zeros(values.shape[-1])
        return np.broadcast_to(difficulty, (size, values.shape[-1]))
