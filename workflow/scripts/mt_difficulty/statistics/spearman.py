"""Spearman's rank correlation ρ of system scores with human scores."""

import numpy as np

from .base import ScoreStatistic


class Spearman(ScoreStatistic):
    """Spearman's ρ, −1 to 1: Pearson's r of ranks; equal values have their average rank."""

    symbol = "ρ"
    description = "Spearman's rank correlation with human scores"
    limits = (-1, 1)

    def compute(self, scores: np.ndarray, gold: np.ndarray) -> np.ndarray:
        x = _centred_ranks(scores)
        y = _centred_ranks(gold)
        return (x * y).sum(-1) / np.sqrt((x * x).sum(-1) * (y * y).sum(-1))


def _centred_ranks(values: np.ndarray) -> np.ndarray:
    """Return 2 · (rank − mean rank) along the last axis as whole numbers in floats. Their squares
    have exact sums below 2^53, up to some 300,000 values; beyond, sums are rounded."""
    import pandas as pd

    rows = values.reshape(-1, values.shape[-1])
    ranks = pd.DataFrame(rows).rank(axis=1).to_numpy()
    return (2 * ranks - (values.shape[-1] + 1)).reshape(values.shape)
