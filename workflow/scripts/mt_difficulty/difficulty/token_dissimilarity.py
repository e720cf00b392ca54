"""Difficulty of reference tokens as in DA-BERTScore (Zhan et al. 2021, Eq. 2)."""

import numpy as np

from ..data.evalset import EvaluationSet
from ..embedding import Matches
from ..errors import check_choice
from .base import OverSystems


class TokenDissimilarity(OverSystems):
    """1 − the mean over systems of a reference token's best similarity; about 0 to 1.

    Parameters
    ----------
    leave_one_out : bool
        Whether a system's difficulty is computed from the other systems only.
    unit : {"token", "segment"}
        Unit of the difficulty: each reference token, or the segment with the mean over its tokens.
        A segment whose reference has no tokens has difficulty 0.
    metric : str
        Only for unit `segment`: name of the metric whose token matches are used. Unit `token` uses
        the matches of the weighted metric.
    """

    information = "reference"
    reads = "matches"

    def __init__(
        self, *, leave_one_out: bool = False, unit: str = "token", metric: str = ""
    ) -> None:
        super().__init__(leave_one_out=leave_one_out)
        check_choice("unit", unit, ("token", "segment"))
        if (unit == "segment") != bool(metric):
            raise ValueError("unit segment and metric: expected both, or neither")
        self.unit = unit
        self.signature = f"token-dissimilarity|{self.whose}"
        if metric:
            self.signature = f"token-dissimilarity|metric:{metric}|{self.whose}"

    def estimate(self, evalset: EvaluationSet, source: Matches) -> np.ndarray:
        similarity = source.reference_similarity.astype(float)
        if self.unit == "token":
            return similarity
        lengths = source.reference_lengths
        segments = lengths.size
        sums = [np.bincount(source.reference_segment, row, segments) for row in similarity]
        means = np.ones((len(sums), segments))
        return np.divide(sums, lengths, out=means, where=lengths > 0)

    def over(self, values: np.ndarray) -> np.ndarray:
        return 1 - super().over(values)
