"""Difficulty drawn at random for each segment, as a control."""

import numpy as np

from ..data.evalset import EvaluationSet
from .base import Estimator


class Random(Estimator):
    """Uniform random numbers between 0 and 1, one per segment: a control for every weighting.

    Parameters
    ----------
    seed : int
    """

    information = "nothing"

    def __init__(self, seed: int = 1) -> None:
        self.seed = seed
        self.signature = f"random:{seed}"

    def estimate(self, evalset: EvaluationSet, source: None = None) -> np.ndarray:
        evalset.require_texts()
        return np.random.default_rng(self.seed).random(len(evalset.reference))
