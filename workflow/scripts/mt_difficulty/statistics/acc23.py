"""Pairwise accuracy of segment scores, with ties."""

import numpy as np

from .base import Groups, SegmentStatistic


class Acc23(SegmentStatistic):
    """Pairwise accuracy with ties (Deutsch et al. 2023, acc_eq without calibration), 0 to 1: the
    share of a segment's pairs of systems that the metric orders or ties as people do, mean over
    the segments with a pair."""

    symbol = "acc23"
    description = "pairwise accuracy of segment scores: pairs ordered or tied as by people"
    groupings = ("item",)

    def compute(self, scores: np.ndarray, groups: Groups) -> float:
        from .compiled.comparisons import agreements, pair_weights

        weights, total = pair_weights(np.diff(groups.starts))
        agree = agreements(scores, groups.gold, groups.starts, 0.0)
        return (agree @ weights) / total if total else np.nan
