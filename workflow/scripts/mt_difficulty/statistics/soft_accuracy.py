"""Soft pairwise accuracy (SPA) of p-values between systems (Thompson et al. 2024)."""

import numpy as np
from numpy.typing import ArrayLike

from .base import Statistic


class SoftAccuracy(Statistic):
    """Soft pairwise accuracy (Thompson et al. 2024), 0 to 1: 1 − the mean absolute difference
    between metric and human p-values over all pairs of systems. NaN where a p-value is NaN.

    Examples
    --------
    p-values of two systems, small where the row's system is better than the column's. The metric
    says that the second system is better (p = 0.1); people are less sure (p = 0.4).

    >>> metric = [[1.0, 0.9], [0.1, 1.0]]
    >>> human = [[1.0, 0.6], [0.4, 1.0]]
    >>> round(float(SoftAccuracy()(metric, human)), 3)
    0.7
    """

    symbol = "SPA"
    description = "soft pairwise accuracy: agreement of p-values between systems"
    limits = (0, 1)
    reads = "p_values"

    def __call__(self, scores: ArrayLike, gold: ArrayLike) -> np.ndarray:
        difference = np.abs(np.asarray(scores, float) - np.asarray(gold, float))
        first, second = np.triu_indices(difference.shape[-1], 1)
        return (1 - difference[..., first, second].mean(axis=-1))[()]
