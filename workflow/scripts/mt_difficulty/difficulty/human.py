"""Human scores of the other systems: the ceiling of what difficulty can be known from outputs."""

import numpy as np

from ..data.evalset import EvaluationSet
from .base import Estimator


class Human(Estimator):
    """Minus the mean human score of the other systems at hand, on the gold's scale; NaN where no
    other system has one.

    With `leave_one_out: false` a system's own human score counts, too.
    """

    information = "gold"
    unit = "hypothesis"
    uses_gold = True
    depends_on_systems = True

    def __init__(self, leave_one_out: bool = True) -> None:
        self.leave_one_out = leave_one_out

    def estimate(self, evalset: EvaluationSet, source: None = None) -> np.ndarray:
        evalset.require_segment_gold()
        return -np.array(evalset.segment_gold, dtype=float)

    def difficulty(self, values: np.ndarray, systems: np.ndarray) -> np.ndarray:
        if not self.leave_one_out:
            return np.broadcast_to(self._mean(values, systems), (len(systems), values.shape[1]))
        # Not the sum of all less a system's own: equal means would differ by rounding.
        return np.stack([self._mean(values, systems[systems != own]) for own in systems])

    @staticmethod
    def _mean(values: np.ndarray, systems: np.ndarray) -> np.ndarray:
        """Mean over the systems that have a value; summed in their order."""
        total, count = np.zeros(values.shape[1]), np.zeros(values.shape[1])
        for own in values[np.sort(systems)]:
            known = ~np.isnan(own)
            total[known] += own[known]
            count += known
        with np.errstate(invalid="ignore"):
            return total / count

    @property
    def signature(self) -> str:
        return f"human|difficulty:{'others' if self.leave_one_out else 'all'}|uses:gold"
