"""Token difficulty of DA-BERTScore (Zhan et al. 2021, Eq. 2)."""

import numpy as np

from ..data.evalset import EvaluationSet
from ..embedding.matches import Matches
from .base import MeanOverSystems

UNITS = ("token", "segment")


class TokenDissimilarity(MeanOverSystems):
    """1 − the mean over systems of a reference token's best similarity; about 0 to 1.

    Parameters
    ----------
    leave_one_out : bool
        For every system the mean over the other ones.
    unit : {"token", "segment"}
        What has a difficulty: each reference token, or the segment, the mean over its tokens. A
        segment whose reference has no tokens is as easy as can be, 0.
    metric : str
        For segments: name of a metric of the set whose token matches are read. For tokens they are
        those of the metric that is weighted.
    """

    information = "reference"
    reads = "matches"

    def __init__(self, leave_one_out: bool = False, unit: str = "token", metric: str = "") -> None:
        super().__init__(leave_one_out)
        if unit not in UNITS:
            raise ValueError(f"unit {unit}: expected {' or '.join(UNITS)}")
        if (unit == "segment") != bool(metric):
            raise ValueError("unit segment and metric: expected both, or neither")
        self.unit, self.metric = unit, metric

    def estimate(self, evalset: EvaluationSet, source: Matches) -> np.ndarray:
        """Best similarity of every reference token, (systems, reference tokens), or its mean over
        each segment's tokens, (systems, segments)."""
        similarity = source.reference_similarity.astype(float)
        if self.unit == "token":
            return similarity
        sizes = source.reference_lengths
        sums = [np.bincount(source.reference_segment, row, sizes.size) for row in similarity]
        return np.divide(sums, sizes, out=np.ones((len(sums), sizes.size)), where=sizes > 0)

    def difficulty(self, values: np.ndarray, systems: np.ndarray) -> np.ndarray:
        return 1 - super().difficulty(values, systems)

    @property
    def signature(self) -> str:
        of = f"|metric:{self.metric}" * bool(self.metric)
        return f"token-dissimilarity{of}|difficulty:{'others' if self.leave_one_out else 'all'}"
