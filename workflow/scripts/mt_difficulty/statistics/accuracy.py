"""Pairwise accuracy."""

import numpy as np

from .base import ScoreStatistic, signs


class Accuracy(ScoreStatistic):
    """Pairwise accuracy (Kocmi et al. 2021), 0 to 1: the share of pairs of systems that the metric
    orders as people do, of the pairs that people order.

    A pair with equal metric scores is not ordered as people do. Metric scores that are all equal
    have no accuracy, as they have no correlation.
    """

    symbol = "PA"
    description = "pairwise accuracy: the share of pairs of systems ordered as people order them"

    def compute(self, scores: np.ndarray, gold: np.ndarray) -> np.ndarray:
        x, y = signs(scores), signs(gold)
        alike = np.count_nonzero(x * y > 0, axis=(-2, -1))
        return alike / np.count_nonzero(y, axis=(-2, -1))
