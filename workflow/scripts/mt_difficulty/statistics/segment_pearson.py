"""Pearson's r of segment scores."""

import numpy as np

from .base import Groups, SegmentStatistic


class SegmentPearson(SegmentStatistic):
    """Pearson's correlation coefficient r of segment scores, −1 to 1; of all of them, or the mean
    over segments or systems. Groups in which a side is constant have none."""

    symbol = "r"
    description = "Pearson's correlation of segment scores with human scores"
    groupings = ("none", "item", "system")

    def compute(self, scores: np.ndarray, groups: Groups) -> float:
        from .compiled.group_means import mean_pearson

        return mean_pearson(scores, groups.gold, groups.starts)
