"""The registry of meta-evaluation statistics, which measure agreement with human scores. Each
module of this folder defines one subclass of `Statistic`."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..registry import Registry
from .base import Statistic

STATISTICS: Registry[type[Statistic]] = Registry(__name__, Statistic)


def of_scores(names: Iterable[str]) -> list[str]:
    """Return the subset of `names` whose statistics are computed from system scores."""
    return [name for name in names if STATISTICS[name].reads == "scores"]


def evaluate(names: Sequence[str], scores: ArrayLike, gold: ArrayLike) -> np.ndarray:
    """Compute statistics of system scores.

    Parameters
    ----------
    names : sequence of str
        Names of statistics of system scores.
    scores, gold : array_like
        Metric and human scores, (..., systems) each, which are broadcast; higher is better.

    Returns
    -------
    ndarray
        (..., statistics); NaN where either side is constant or not finite.
    """
    if not names:
        shape = np.broadcast_shapes(np.shape(scores), np.shape(gold))
        return np.empty((*shape[:-1], 0))
    return np.stack([STATISTICS[name]()(scores, gold) for name in names], axis=-1)
