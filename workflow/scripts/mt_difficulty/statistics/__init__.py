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
    """Compute statistics of system scores, (..., statistics), from metric and human scores, (...,
    systems), which are broadcast. NaN where either side is constant or not finite."""
    if not names:
        return np.empty((*np.broadcast_shapes(np.shape(scores), np.shape(gold))[:-1], 0))
    return np.stack([STATISTICS[name]()(scores, gold) for name in names], axis=-1)
