"""Pairwise accuracy of segment scores with tie calibration."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .base import Groups, SegmentStatistic


class Calibrated(NamedTuple):
    """The best accuracy, and the smallest threshold that gives it, on the metric's scale."""

    value: np.ndarray
    epsilon: np.ndarray


class AccEq(SegmentStatistic):
    """Pairwise accuracy with tie calibration (Deutsch et al. 2023, acc*_eq), 0 to 1: that of
    `acc23` where metric scores tie whose difference is at most ε, for the best ε of all.

    All thresholds are tried: 0, and every difference of two metric scores of a segment.
    """

    symbol = "acc*eq"
    description = "pairwise accuracy of segment scores with tie calibration"
    groupings = ("item",)

    def compute(self, scores: np.ndarray, groups: Groups) -> float:
        return self._calibrate(scores, groups)[0]

    def calibrated(self, scores: ArrayLike, gold: ArrayLike) -> Calibrated:
        """Values and thresholds ε of every metric.

        Parameters
        ----------
        scores : ndarray, (..., systems, segments)
        gold : ndarray, (systems, segments)
            NaN or infinite where there is no human score.

        Returns
        -------
        Calibrated
            Of (...) each; NaN as in `__call__`.
        """
        groups, rows = self.rated(scores, gold, "item")
        found = [
            self._calibrate(row, groups) if np.isfinite(row).all() else (np.nan, np.nan)
            for row in rows
        ]
        shape = np.shape(scores)[:-2]
        return Calibrated(*(np.array(each).reshape(shape)[()] for each in zip(*found, strict=True)))

    def _calibrate(self, scores: np.ndarray, groups: Groups) -> tuple[float, float]:
        from .compiled.comparisons import calibrate

        return calibrate(scores, groups.gold, groups.starts)
