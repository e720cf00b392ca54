"""Pearson's correlation r of system scores with human scores."""

import numpy as np

from .base import ScoreStatistic


class Pearson(ScoreStatistic):
    """Pearson's correlation coefficient r, −1 to 1; it is sensitive to outliers.

    Examples
    --------
    >>> metric = [30.1, 28.4, 33.0]
    >>> human = [80.0, 75.0, 82.0]
    >>> round(float(Pearson()(metric, human)), 3)
    0.924
    """

    symbol = "r"
    description = "Pearson's correlation with human scores"
    limits = (-1, 1)

    def compute(self, scores: np.ndarray, gold: np.ndarray) -> np.ndarray:
        x = _centred(scores)
        y = _centred(gold)
        r = np.vecdot(x, y) / np.sqrt(np.vecdot(x, x) * np.vecdot(y, y))
        return np.clip(r, -1, 1)


def _centred(values: np.ndarray) -> np.ndarray:
    """Subtract the mean and scale by a power of two, so that squares do not overflow or vanish."""
    centred = values - values.mean(-1, keepdims=True)
    return np.ldexp(centred, -np.frexp(np.abs(centred).max(-1, keepdims=True))[1])
