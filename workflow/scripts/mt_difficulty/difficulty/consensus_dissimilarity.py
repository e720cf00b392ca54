"""Difficulty: dissimilarity of a hypothesis's tokens to those of other systems' hypotheses."""

import numpy as np

from ..data.evalset import EvaluationSet
from .base import AgainstOthers


class ConsensusDissimilarity(AgainstOthers):
    """1 − the mean best similarity of a hypothesis's tokens with those of each other system's
    hypothesis, about 0 to 1; 0 where there is one system.

    Parameters
    ----------
    metric : str
        Name of a metric of the set whose encoder is used.
    """

    reads = "consensus"

    def __init__(self, metric: str) -> None:
        self.signature = f"consensus-dissimilarity|metric:{metric}"

    def estimate(self, evalset: EvaluationSet, source: np.ndarray) -> np.ndarray:
        return 1 - source
