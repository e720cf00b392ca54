"""Human scores of the other systems: the ceiling of what difficulty can be known from outputs."""

import numpy as np

from ..data.evalset import EvaluationSet
from ..errors import Missing
from .base import MeanOverSystems

NONE = "the set has no human scores of segments"


class Human(MeanOverSystems):
    """Minus the mean human score of the other systems at hand, on the gold's scale.

    With `leave_one_out: false` a system's own human score counts, too.
    """

    unit = "hypothesis"
    uses_gold = True

    def __init__(self, leave_one_out: bool = True) -> None:
        super().__init__(leave_one_out)

    def estimate(self, evalset: EvaluationSet, source: None = None) -> np.ndarray:
        if not evalset.segment_gold:
            raise Missing(NONE)
        values = -np.array(evalset.segment_gold, dtype=float)
        needed = 2 if self.leave_one_out else 1
        if len(few := np.flatnonzero((~np.isnan(values)).sum(axis=0) < needed)):
            raise Missing(
                f"{len(few)} of {values.shape[1]} segments have human scores of fewer than "
                f"{needed} systems (the first is segment {few[0] + 1})"
            )
        return values

    @property
    def signature(self) -> str:
        return f"human|difficulty:{'others' if self.leave_one_out else 'all'}|uses:gold"
