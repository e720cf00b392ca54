"""Spearman's ρ."""

import numpy as np

from .base import ScoreStatistic, signs


class Spearman(ScoreStatistic):
    """Spearman's rank correlation ρ, −1 to 1: Pearson's r of ranks, of equal values the average."""

    symbol = "ρ"
    description = "Spearman's rank correlation with human scores"

    def compute(self, scores: np.ndarray, gold: np.ndarray) -> np.ndarray:
        x, y = _ranks(scores), _ranks(gold)
        return (x * y).sum(-1) / np.sqrt((x * x).sum(-1) * (y * y).sum(-1))


def _ranks(values: np.ndarray) -> np.ndarray:
    """Twice the centred ranks."""
    return signs(values).sum(-1, dtype=np.int64)
