"""Mean over systems of another difficulty, such as chunk entropy's (Liu et al. 2022, Eq. 8)."""

import numpy as np

from ..data.evalset import EvaluationSet
from .base import MeanOverSystems


class Mean(MeanOverSystems):
    """Mean of a difficulty of hypotheses over the systems at hand, in that difficulty's unit.

    Parameters
    ----------
    difficulty : str
        Name of a difficulty of hypotheses.
    leave_one_out : bool
        For every system the mean over the other ones.
    """

    reads = "difficulty"

    def __init__(self, difficulty: str, leave_one_out: bool = False) -> None:
        super().__init__(leave_one_out)
        self.of = difficulty

    def estimate(self, evalset: EvaluationSet, source: np.ndarray) -> np.ndarray:
        return source

    @property
    def signature(self) -> str:
        return f"mean:{self.of}|difficulty:{'others' if self.leave_one_out else 'all'}"
