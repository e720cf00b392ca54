"""Difficulty from a metric's segment scores (Zouhar et al. 2025; Proietti et al. 2025)."""

import numpy as np

from ..data.evalset import EvaluationSet
from ..errors import check_choice
from .base import OverSystems

STATISTICS = ("mean", "variance", "consistency")


class Crowd(OverSystems):
    """A statistic of a metric's segment scores over the systems at hand.

    Parameters
    ----------
    metric : str
        Name of a metric of the set with segment scores.
    statistic : {"mean", "variance", "consistency"}
        Minus the mean score; the variance over systems; or Pearson's r over systems between the
        segment's scores and the mean scores of all segments. A high r means that the segment
        separates good systems from bad ones; r is 0 where all systems score the same.
    leave_one_out : bool
        Whether a system's difficulty is computed from the other systems only.
    """

    reads = "statistics"

    def __init__(
        self, metric: str, statistic: str = "mean", *, leave_one_out: bool = False
    ) -> None:
        super().__init__(leave_one_out=leave_one_out)
        check_choice("statistic", statistic, STATISTICS)
        self.statistic = statistic
        self.signature = f"crowd:{metric}|statistic:{statistic}|{self.whose}"

    def estimate(self, evalset: EvaluationSet, source: np.ndarray) -> np.ndarray:
        return source

    def over(self, values: np.ndarray) -> np.ndarray:
        if self.statistic == "mean":
            return -values.mean(axis=0)
        if self.statistic == "variance":
            return values.var(axis=0)
        centred = values - values.mean(axis=0)
        overall = values.mean(axis=1)
        overall = overall - overall.mean()
        scale = np.sqrt((centred**2).sum(axis=0) * (overall**2).sum())
        varies = (np.ptp(values, axis=0) > 0) & (scale > 0)
        return np.divide(overall @ centred, scale, out=np.zeros(len(scale)), where=varies)
