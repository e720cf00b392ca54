"""Kendall's τ-b of segment scores."""

import numpy as np

from .base import Groups, SegmentStatistic


class SegmentKendall(SegmentStatistic):
    """Kendall's rank correlation τ-b of segment scores, −1 to 1 (Kendall 1945); of all of them, or
    the mean over segments or systems. Groups in which a side is constant have none.

    Discordant pairs are counted in O(n log n) (Knight 1966).
    """

    symbol = "τ"
    description = "Kendall's τ-b of segment scores with human scores"
    groupings = ("none", "item", "system")

    def compute(self, scores: np.ndarray, groups: Groups) -> float:
        from .compiled.group_means import mean_kendall

        return mean_kendall(scores, groups.gold, groups.starts)
