"""Pairwise accuracy of system scores (Kocmi et al. 2021)."""

import numpy as np

from .base import ScoreStatistic, signs


class Accuracy(ScoreStatistic):
    """Pairwise accuracy (Kocmi et al. 2021), 0 to 1: of the pairs of systems with different human
    scores, the share that the metric orders like the human scores. A pair with equal metric scores
    counts as wrong; NaN if all metric scores are equal, like a correlation."""

    symbol = "PA"
    description = "pairwise accuracy: the share of pairs of systems ordered as by human scores"
    limits = (0, 1)

    def compute(self, scores: np.ndarray, gold: np.ndarray) -> np.ndarray:
        metric_order = signs(scores)
        human_order = signs(gold)
        alike = np.count_nonzero(metric_order * human_order > 0, axis=(-2, -1))
        return alike / np.count_nonzero(human_order, axis=(-2, -1))
