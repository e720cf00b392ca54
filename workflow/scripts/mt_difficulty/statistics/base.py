"""What every statistic of meta-evaluation provides."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike


class Statistic(ABC):
    """How well a metric agrees with human scores; higher is better agreement.

    A statistic has no settings, and its type is the name of its module.

    Attributes
    ----------
    symbol : str
        For the heads of tables, as in r.
    description : str
        What the symbol stands for, in a few words.
    level : {"system"}
        What is scored.
    reads : {"scores", "p_values"}
        What it compares: system scores, or p-values between systems, which need scores of
        segments by the metric and by people.
    """

    symbol: ClassVar[str]
    description: ClassVar[str]
    level: ClassVar[str] = "system"
    reads: ClassVar[str] = "scores"

    @abstractmethod
    def __call__(self, scores: ArrayLike, gold: ArrayLike) -> np.ndarray:
        """The statistic of every row.

        Parameters
        ----------
        scores, gold : ndarray, (..., systems) or, of p-values, (..., systems, systems)
            Of the metric and of people, broadcast against each other. For scores higher is
            better. A p-value is one-sided, that the row's system is not better than the
            column's.

        Returns
        -------
        ndarray, (...)
            NaN where the statistic is undefined.
        """


class ScoreStatistic(Statistic):
    """A statistic of system scores: NaN where `defined` says so, and computed elsewhere."""

    def __call__(self, scores: ArrayLike, gold: ArrayLike) -> np.ndarray:
        scores, gold = np.asarray(scores, float), np.asarray(gold, float)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            values = self.compute(scores, gold)
        kept = defined(scores, gold) & np.isfinite(values)
        return np.where(kept, values, np.nan)[()]

    @abstractmethod
    def compute(self, scores: np.ndarray, gold: np.ndarray) -> np.ndarray:
        """The statistic where it is defined, (..., systems) to (...); anything elsewhere."""


def defined(scores: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """Where scores can be compared with gold, (..., systems) to (...): all are finite, their sum
    too, and neither side is constant."""
    return _varied(scores) & _varied(gold)


def constant(values: np.ndarray) -> np.ndarray:
    """Where all systems have the same value, (..., systems) to (...)."""
    return values.max(-1) == values.min(-1)


def signs(values: np.ndarray) -> np.ndarray:
    """Signs of all pairwise differences, (..., systems) to (..., systems, systems) of int8: 1 where
    the row's system has more than the column's."""
    one, other = values[..., :, None], values[..., None, :]
    return (one > other).view(np.int8) - (one < other).view(np.int8)


def _varied(values: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore", invalid="ignore"):
        return np.isfinite(values.sum(-1)) & ~constant(values)
