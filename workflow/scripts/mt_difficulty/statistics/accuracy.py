"""Pairwise accuracy of system scores (Kocmi et al. 2021)."""

import numpy as np

from .base import ScoreStatistic, signs


class Accuracy(ScoreStatistic):
    """Pairwise accuracy (Kocmi et al. 2021), 0 to 1: of the pairs of systems with different human
    scores, the share that the metric orders like the human scores. A pair with equal metric scores
    counts as wrong; NaN if all metric scores are equal, like a correlation."""

    symbol = "PA"
    description = "pairwise accuracy: the share of pairs of systems ordered as by human scores"

    def compute(self, scores: np.ndarray, gold: np.ndarray) -> np.ndarray:
        x, y = signs(scores), signs(gold)
        alike = np.count_nonzero(x * y > 0, axis=(-2, -1))
        return alike / np.count_nonzero(y, axis=(-2, -1))
