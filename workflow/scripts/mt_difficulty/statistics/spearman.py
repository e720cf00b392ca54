"""Spearman's rank correlation ρ of system scores with human scores."""

import numpy as np

from .base import ScoreStatistic, signs


class Spearman(ScoreStatistic):
    """Spearman's ρ, −1 to 1: Pearson's r of ranks; equal values have their average rank."""

    symbol = "ρ"
    description = "Spearman's rank correlation with human scores"

    def compute(self, scores: np.ndarray, gold: np.ndarray) -> np.ndarray:
        x, y = _ranks(scores), _ranks(gold)
        return (x * y).sum(-1) / np.sqrt((x * x).sum(-1) * (y * y).sum(-1))


def _ranks(values: np.ndarray) -> np.ndarray:
    """Return 2 · (rank − mean rank), (..., systems); equal values have their average rank."""
    return signs(values).sum(-1, dtype=np.int64)
