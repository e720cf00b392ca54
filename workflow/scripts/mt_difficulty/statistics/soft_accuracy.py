"""Soft pairwise accuracy (SPA) of p-values between systems (Thompson et al. 2024)."""

import numpy as np
from numpy.typing import ArrayLike

from .base import Statistic


class SoftAccuracy(Statistic):
    """Soft pairwise accuracy (Thompson et al. 2024), 0 to 1: 1 − the mean absolute difference
    between metric and human p-values over all pairs of systems. NaN where a p-value is NaN."""

    symbol = "SPA"
    description = "soft pairwise accuracy: agreement of p-values between systems"
    reads = "p_values"

    def __call__(self, scores: ArrayLike, gold: ArrayLike) -> np.ndarray:
        difference = np.abs(np.asarray(scores, float) - np.asarray(gold, float))
        first, second = np.triu_indices(difference.shape[-1], 1)
        return (1 - difference[..., first, second].mean(axis=-1))[()]
