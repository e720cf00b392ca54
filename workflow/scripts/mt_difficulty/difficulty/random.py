"""Random numbers: what a difficulty that knows nothing gives."""

import numpy as np

from ..data.evalset import EvaluationSet
from .base import Estimator


class Random(Estimator):
    """Uniform random numbers between 0 and 1, one a segment: the null of every weighting.

    Parameters
    ----------
    seed : int
    """

    information = "nothing"

    def __init__(self, seed: int = 1) -> None:
        self.seed = seed

    def estimate(self, evalset: EvaluationSet, source: None = None) -> np.ndarray:
        evalset.require_texts()
        return np.random.default_rng(self.seed).random(len(evalset.reference))

    @property
    def signature(self) -> str:
        return f"random:{self.seed}"
