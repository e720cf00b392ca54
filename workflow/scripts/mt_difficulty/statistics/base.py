"""What every statistic of meta-evaluation provides."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

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
    level : {"system", "segment"}
        What is scored.
    reads : {"scores", "p_values", "segment_scores"}
        What it compares: system scores; p-values between systems, which need scores of segments
        by the metric and by people; or these scores of segments themselves.
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


class Groups(NamedTuple):
    """Human scores of segments in groups, within which they are compared with metric scores.

    Attributes
    ----------
    gold : ndarray, (rated,)
        Group after group.
    cells : ndarray of int, (rated,)
        Their places in flattened scores, (systems, segments).
    starts : ndarray of int, (groups + 1,)
        Where each group starts, and where the last one ends; a group may be empty.
    """

    gold: np.ndarray
    cells: np.ndarray
    starts: np.ndarray


def grouped(gold: np.ndarray, grouping: str) -> Groups:
    """The human scores that there are, in groups.

    Parameters
    ----------
    gold : ndarray, (systems, segments)
        NaN or infinite where there is none.
    grouping : {"none", "item", "system"}
        All in one group, a group for each segment, or one for each system.
    """
    places = np.arange(gold.size).reshape(gold.shape)
    if grouping == "item":
        places, gold = places.T, gold.T
    rated = np.isfinite(gold)
    sizes = [rated.sum()] if grouping == "none" else rated.sum(axis=1)
    return Groups(gold[rated], places[rated], np.concatenate([[0], np.cumsum(sizes)]))


class SegmentStatistic(Statistic):
    """A statistic of segment scores, in the groupings that the WMT metrics task knows.

    Scores are compared where there is a human score; groups in which the statistic is undefined
    are left out of the mean over groups.

    Attributes
    ----------
    groupings : tuple of {"none", "item", "system"}
        Those that it has: all scores at once, the mean over segments of what their systems'
        scores give, the mean over systems of what their segments' scores give.
    """

    level = "segment"
    reads = "segment_scores"
    groupings: ClassVar[tuple[str, ...]]

    def __call__(
        self, scores: ArrayLike, gold: ArrayLike, grouping: str | None = None
    ) -> np.ndarray:
        """The statistic of every metric.

        Parameters
        ----------
        scores : ndarray, (..., systems, segments)
            Of the metric; higher is better.
        gold : ndarray, (systems, segments)
            Of people; NaN or infinite where there is no human score.
        grouping : str, optional
            One of `groupings`; their first by default.

        Returns
        -------
        ndarray, (...)
            NaN where a metric score that has a human score is not finite, and where no group
            defines the statistic.

        Raises
        ------
        ValueError
            The statistic has no such grouping.
        """
        groups, rows = self.rated(scores, gold, grouping or self.groupings[0])
        values = [self.compute(row, groups) if np.isfinite(row).all() else np.nan for row in rows]
        return np.array(values).reshape(np.shape(scores)[:-2])[()]

    def rated(self, scores: ArrayLike, gold: ArrayLike, grouping: str) -> tuple[Groups, np.ndarray]:
        """Human scores in groups, and the scores of every metric beside them, (metrics, rated)."""
        if grouping not in self.groupings:
            raise ValueError(f"grouping {grouping}: expected one of {', '.join(self.groupings)}")
        gold = np.asarray(gold, float)
        groups = grouped(gold, grouping)
        return groups, np.asarray(scores, float).reshape(-1, gold.size)[:, groups.cells]

    @abstractmethod
    def compute(self, scores: np.ndarray, groups: Groups) -> float:
        """The statistic of one metric, whose scores, (rated,), are finite; NaN if undefined."""


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
