"""Soft pairwise accuracy."""

import numpy as np
from numpy.typing import ArrayLike

from .base import Statistic


class SoftAccuracy(Statistic):
    """Soft pairwise accuracy (Thompson et al. 2024), 0 to 1: 1 − the mean |difference| of a
    metric's and people's p-values over all pairs of systems. NaN where a p-value is."""

    symbol = "SPA"
    description = "soft pairwise accuracy: agreement of p-values between systems"
    reads = "p_values"

    def __call__(self, scores: ArrayLike, gold: ArrayLike) -> np.ndarray:
        difference = np.abs(np.asarray(scores, float) - np.asarray(gold, float))
        one, other = np.triu_indices(difference.shape[-1], 1)
        return (1 - difference[..., one, other].mean(axis=-1))[()]
