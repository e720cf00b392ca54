"""Token dissimilarity of hypotheses to each other, where there is no reference."""

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
        self.metric = metric

    def estimate(self, evalset: EvaluationSet, source: np.ndarray) -> np.ndarray:
        """Dissimilarity of each system's hypotheses, the first axis, to those of each other one,
        (systems, systems, segments); 0 on the diagonal."""
        return 1 - source

    @property
    def signature(self) -> str:
        return f"consensus-dissimilarity|metric:{self.metric}"
