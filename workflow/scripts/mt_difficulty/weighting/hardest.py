"""The hardest share of every system's hypotheses alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from .base import WeightedMetric, Weighting


class Hardest(Weighting):
    """The score of the hardest hypotheses of every system.

    A difficulty of segments gives the same segments to all systems; of difficulties that are equal
    to the last digit the earlier segment counts.

    Parameters
    ----------
    share : float
        Of the hypotheses, above 0, at most 1; at least one counts.
    """

    def __init__(self, share: float = 0.1) -> None:
        if not 0 < share <= 1:
            raise ValueError(f"share {share}: expected a number above 0, at most 1")
        self.share = share

    def fit(self, difficulty: np.ndarray, systems: list[str], name: str) -> dict[str, Any]:
        count = self._count(difficulty.shape[1])
        return {"share": self.share, "effective_segments": count, "notices": []}

    def apply(
        self, standard: WeightedMetric, difficulty: np.ndarray, parameters: dict[str, Any]
    ) -> WeightedMetric:
        order = np.argsort(-difficulty, axis=1, kind="stable")[
            :, : self._count(difficulty.shape[1])
        ]
        weights = np.zeros(difficulty.shape)
        np.put_along_axis(weights, order, 1.0, axis=1)
        return standard._replace(weights=weights[..., None], shares=np.ones(1))

    def _count(self, segments: int) -> int:
        # Rounding must not take 10 of 100 for 11.
        return max(1, int(np.ceil(round(self.share * segments, 9))))

    def summary(self, parameters: dict[str, Any]) -> str:
        return f"{parameters['effective_segments']} hypotheses of every system"

    def signature(self, parameters: dict[str, Any]) -> str:
        return f"|hardest|share:{self.share:g}"
