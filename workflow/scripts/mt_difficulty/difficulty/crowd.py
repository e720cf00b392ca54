"""What a metric's scores of all systems say of a segment (Zouhar et al. 2025; Proietti et al.
2025)."""

import numpy as np

from ..data.evalset import EvaluationSet
from .base import Estimator

STATISTICS = ("mean", "variance", "consistency")


class Crowd(Estimator):
    """A statistic of a metric's segment scores over the systems at hand.

    Parameters
    ----------
    metric : str
        Name of a metric of the set with segment scores.
    statistic : {"mean", "variance", "consistency"}
        Minus the mean score; the variance over systems; or Pearson's r over systems between the
        segment's scores and the mean scores of all segments, 0 where all systems score the same:
        the higher, the more a segment separates good systems from bad ones.
    leave_one_out : bool
        For every system the statistic over the other ones.
    """

    reads = "statistics"
    depends_on_systems = True

    def __init__(self, metric: str, statistic: str = "mean", leave_one_out: bool = False) -> None:
        if statistic not in STATISTICS:
            raise ValueError(f"statistic {statistic}: expected one of {', '.join(STATISTICS)}")
        self.metric, self.statistic, self.leave_one_out = metric, statistic, leave_one_out

    def estimate(self, evalset: EvaluationSet, source: np.ndarray) -> np.ndarray:
        """Segment scores, (systems, segments), as they are given: higher is better."""
        return source

    def difficulty(self, values: np.ndarray, systems: np.ndarray) -> np.ndarray:
        if not self.leave_one_out:
            found = self._of(values[np.sort(systems)])
            return np.broadcast_to(found, (len(systems), values.shape[1]))
        return np.stack([self._of(values[np.sort(systems[systems != own])]) for own in systems])

    def _of(self, scores: np.ndarray) -> np.ndarray:
        if self.statistic == "mean":
            return -scores.mean(axis=0)
        if self.statistic == "variance":
            return scores.var(axis=0)
        centred = scores - scores.mean(axis=0)
        overall = scores.mean(axis=1)
        overall = overall - overall.mean()
        scale = np.sqrt((centred**2).sum(axis=0) * (overall**2).sum())
        varies = (np.ptp(scores, axis=0) > 0) & (scale > 0)
        return np.divide(overall @ centred, scale, out=np.zeros(len(scale)), where=varies)

    @property
    def signature(self) -> str:
        others = "others" if self.leave_one_out else "all"
        return f"crowd:{self.metric}|statistic:{self.statistic}|difficulty:{others}"
