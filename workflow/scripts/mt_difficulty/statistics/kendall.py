"""Kendall's τ-b."""

import numpy as np

from .base import ScoreStatistic, signs


class Kendall(ScoreStatistic):
    """Kendall's rank correlation τ-b, −1 to 1 (Kendall 1945): pairs of systems that both order
    alike less those that they order otherwise, corrected for ties."""

    symbol = "τ"
    description = "Kendall's τ-b with human scores"

    def compute(self, scores: np.ndarray, gold: np.ndarray) -> np.ndarray:
        x, y = signs(scores), signs(gold)
        both = (x * y).sum((-2, -1), dtype=np.int64)
        ordered = np.count_nonzero(x, axis=(-2, -1)) * np.count_nonzero(y, axis=(-2, -1))
        return both / np.sqrt(ordered)
