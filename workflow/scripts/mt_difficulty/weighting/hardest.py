"""Weighting that scores only the most difficult hypotheses of each system."""

from __future__ import annotations

from typing import Any

import numpy as np

from .base import Resamples, WeightedMetric, Weighting


class Hardest(Weighting):
    """The score of the hardest hypotheses of every system.

    A segment difficulty selects the same segments for all systems. Of equally difficult segments,
    the earlier is selected first.

    Parameters
    ----------
    share : float
        Share of hypotheses that are scored, above 0 and at most 1; at least one is scored.
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
        order, weights = np.argsort(-difficulty, axis=1, kind="stable"), np.zeros(difficulty.shape)
        np.put_along_axis(weights, order[:, : self._count(difficulty.shape[1])], 1.0, axis=1)
        return standard._replace(weights=weights[..., None], shares=np.ones(1))

    def resampled_sums(self, resamples: Resamples) -> tuple[np.ndarray, np.ndarray]:
        difficulty, terms, counts, totals, _ = resamples
        sums = np.empty(totals.shape)
        most = np.array([[float(self._count(drawn))] for drawn in counts.sum(axis=1)])
        for system, (of_hypotheses, of_system) in enumerate(zip(difficulty, terms, strict=True)):
            order = np.argsort(-of_hypotheses, kind="stable")
            drawn = counts[:, order]
            easier = np.clip(np.cumsum(drawn, axis=1) - most, 0, drawn)
            sums[:, system] = (drawn - easier) @ of_system[order]
        return sums[:, :, None], np.ones((len(counts), 1))

    def _count(self, segments: int) -> int:
        # Rounding errors must not turn 10 of 100 into 11.
        return max(1, int(np.ceil(round(self.share * segments, 9))))

    def signature(self, parameters: dict[str, Any]) -> str:
        return f"|hardest|share:{self.share:g}"
