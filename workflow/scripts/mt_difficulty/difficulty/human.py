"""Difficulty: minus the mean human score of the other systems' hypotheses of the segment."""

import numpy as np

from ..data.evalset import EvaluationSet
from .base import OverSystems


class Human(OverSystems):
    """Minus the mean human score that the other systems at hand have on the segment, on the gold's
    scale; NaN where none has one."""

    information = "gold"
    unit = "hypothesis"
    uses_gold = True

    def __init__(self) -> None:
        super().__init__(leave_one_out=True)
        self.signature = f"human|{self.whose}|uses:gold"

    def estimate(self, evalset: EvaluationSet, source: None = None) -> np.ndarray:
        evalset.require_segment_gold()
        return -np.array(evalset.segment_gold, dtype=float)
