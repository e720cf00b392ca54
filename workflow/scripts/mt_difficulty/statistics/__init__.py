"""The registry of statistics of meta-evaluation, how scores agree with human scores: a new one is
a file here with one subclass of `Statistic`."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..registry import Registry, class_of
from .base import Statistic

STATISTICS: Registry[type[Statistic]] = Registry(__name__, class_of(Statistic))


def of_scores(names: Iterable[str]) -> list[str]:
    """Those of some statistics that need the systems' scores alone."""
    return [name for name in names if STATISTICS[name].reads == "scores"]


def evaluate(names: Sequence[str], scores: ArrayLike, gold: ArrayLike) -> np.ndarray:
    """Some statistics of scores, over the last axis.

    Parameters
    ----------
    names : sequence of str
        Of statistics that read scores.
    scores, gold : ndarray, (..., systems)
        Broadcast against each other; for both, higher is better.

    Returns
    -------
    ndarray, (..., statistics)
        NaN where scores or gold are constant or undefined.
    """
    return np.stack([STATISTICS[name]()(scores, gold) for name in names], axis=-1)
