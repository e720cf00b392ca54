"""Kendall's rank correlation τ-b of system scores with human scores."""

import numpy as np

from .base import ScoreStatistic, signs


class Kendall(ScoreStatistic):
    """Kendall's rank correlation τ-b, −1 to 1 (Kendall 1945): concordant minus discordant pairs of
    systems, corrected for ties.

    Examples
    --------
    Of six pairs of systems, the metric ranks four as people do and one the other way round; people
    do not rank the sixth.

    >>> metric = [30.1, 28.4, 33.0, 25.0]
    >>> human = [80.0, 75.0, 75.0, 70.0]
    >>> round(float(Kendall()(metric, human)), 3)
    0.548
    """

    symbol = "τ"
    description = "Kendall's τ-b with human scores"
    limits = (-1, 1)

    def compute(self, scores: np.ndarray, gold: np.ndarray) -> np.ndarray:
        if scores.shape[-1] > 200:  # sorting is quicker than all pairs
            from ..compiled.samples import kendall_tau

            x, y = np.broadcast_arrays(scores, gold)
            rows = zip(x.reshape(-1, x.shape[-1]), y.reshape(-1, y.shape[-1]), strict=True)
            drawn_once = np.ones((1, x.shape[-1]), np.uint8)
            return np.reshape([kendall_tau(*row, drawn_once) for row in rows], x.shape[:-1])
        x = signs(scores)
        y = signs(gold)
        both = (x * y).sum((-2, -1), dtype=np.int64)
        ordered = np.count_nonzero(x, axis=(-2, -1)) * np.count_nonzero(y, axis=(-2, -1))
        return both / np.sqrt(ordered)
