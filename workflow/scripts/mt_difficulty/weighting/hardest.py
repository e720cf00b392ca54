"""Weighting that scores only the most difficult hypotheses of each system."""

from __future__ import annotations

import numpy as np

from ..difficulty.base import among_hardest, among_hardest_of_resamples
from .base import Parameters, Resamples, WeightedMetric, Weighting, effective_number


class Hardest(Weighting):
    """The score of the hardest hypotheses of every system.

    A segment difficulty selects the same segments for all systems. If several hypotheses are as
    difficult as the last one that is scored, they share its weight.

    Parameters
    ----------
    share : float
        Share of hypotheses that are scored, above 0 and at most 1; at least one is scored.
    """

    def __init__(self, share: float = 0.1) -> None:
        if not 0 < share <= 1:
            raise ValueError(f"share {share}: expected a number above 0, at most 1")
        self.share = share

    def fit(self, difficulty: np.ndarray, systems: list[str], name: str) -> Parameters:
        """Count the effective segments.

        Parameters
        ----------
        difficulty : ndarray of shape (systems, segments)
            Difficulties of hypotheses; higher is harder.
        systems : list of str
            Names of the systems.
        name : str
            Name of the difficulty in notices.

        Returns
        -------
        dict
            `share`, `effective_segments` by system, and `notices`.
        """
        weights = among_hardest(difficulty, self._count(difficulty.shape[1]))
        effective = effective_number(weights, systems)
        return {"share": self.share, "effective_segments": effective, "notices": []}

    def apply(
        self, standard: WeightedMetric, difficulty: np.ndarray, parameters: Parameters
    ) -> WeightedMetric:
        """Weigh the hypotheses.

        Parameters
        ----------
        standard : WeightedMetric
            The unweighted metric.
        difficulty : ndarray of shape (systems, segments)
            Difficulties of hypotheses; higher is harder.
        parameters : dict
            From `fit`.

        Returns
        -------
        WeightedMetric
        """
        weights = among_hardest(difficulty, self._count(difficulty.shape[1]))
        return standard._replace(weights=weights[..., None], shares=np.ones(1))

    def resampled_sums(self, resamples: Resamples) -> tuple[np.ndarray, np.ndarray]:
        difficulty, terms, counts, totals, _ = resamples
        sums = np.empty(totals.shape)
        number = np.array([float(self._count(drawn)) for drawn in counts.sum(axis=1)])
        for system, (of_hypotheses, of_system) in enumerate(zip(difficulty, terms, strict=True)):
            weights = among_hardest_of_resamples(of_hypotheses, counts, number)
            sums[:, system] = weights @ of_system
        return sums[:, :, None], np.ones((len(counts), 1))

    def _count(self, segments: int) -> int:
        """Return the number of hypotheses of a system that are scored."""
        # Rounding errors must not turn 10 of 100 into 11.
        return max(1, int(np.ceil(round(self.share * segments, 9))))

    def signature(self, parameters: Parameters) -> str:
        return f"|hardest|share:{self.share:g}"
