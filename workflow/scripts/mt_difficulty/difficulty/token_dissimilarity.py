"""Token difficulty of DA-BERTScore (Zhan et al. 2021, Eq. 2)."""

import numpy as np

from ..data.evalset import EvaluationSet
from ..embedding.matching import Matches
from .base import MeanOverSystems


class TokenDissimilarity(MeanOverSystems):
    """1 − the mean over systems of a reference token's best similarity; about 0 to 1.

    As the difficulty of a segment, the mean over its reference tokens.

    Parameters
    ----------
    leave_one_out : bool
        For every system the mean over the other ones.
    """

    unit = "token"
    reads = "matches"

    def estimate(self, evalset: EvaluationSet, source: Matches) -> np.ndarray:
        """Best similarity of every reference token, (systems, reference tokens)."""
        return source.reference_similarity.astype(float)

    def difficulty(self, values: np.ndarray, systems: np.ndarray) -> np.ndarray:
        return 1 - super().difficulty(values, systems)

    @property
    def signature(self) -> str:
        return f"token-dissimilarity|difficulty:{'others' if self.leave_one_out else 'all'}"
