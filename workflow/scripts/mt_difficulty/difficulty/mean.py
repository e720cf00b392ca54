"""Difficulty: mean over systems of a difficulty of hypotheses (Liu et al. 2022, Eq. 8)."""

import numpy as np

from ..data.evalset import EvaluationSet
from .base import OverSystems


class Mean(OverSystems):
    """Mean of a difficulty of hypotheses over the systems at hand, in that difficulty's unit.

    Parameters
    ----------
    difficulty : str
        Name of a difficulty of hypotheses.
    leave_one_out : bool
        Whether a system's difficulty is computed from the other systems only.
    """

    reads = "difficulty"

    def __init__(self, difficulty: str, *, leave_one_out: bool = False) -> None:
        super().__init__(leave_one_out=leave_one_out)
        self.signature = f"mean:{difficulty}|{self.whose}"

    def estimate(self, evalset: EvaluationSet, source: np.ndarray) -> np.ndarray:
        return source
