"""Statistic acc23: pairwise accuracy of segment scores, with ties (Deutsch et al. 2023)."""

import numpy as np

from .acc_eq import agreeing, weighted_pairs
from .base import Groups, SegmentStatistic


class Acc23(SegmentStatistic):
    """Pairwise accuracy with ties (Deutsch et al. 2023, acc_eq without calibration), 0 to 1: the
    share of a segment's pairs of systems that metric and humans order or tie alike, averaged over
    segments."""

    symbol = "acc23"
    description = (
        "pairwise accuracy of segment scores: pairs ordered or tied as by human scores, "
        "where scores tie only if they are equal (Deutsch et al. 2023)"
    )
    limits = (0, 1)
    groupings = ("item",)

    def compute(self, scores: np.ndarray, groups: Groups) -> float:
        pairs, weights, divisor = weighted_pairs(tuple(groups.starts))
        if not divisor:
            return np.nan
        return float(agreeing(scores, groups.gold, pairs) @ weights) / divisor
