"""Base classes of meta-evaluation statistics, which compare metric with human scores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike


class Statistic(ABC):
    """A statistic of agreement between a metric and human scores; higher is better.

    It has no settings; its type in the config is the name of its module.

    Attributes
    ----------
    symbol : str
        Such as r, for table heads.
    description : str
        Its meaning in a few words.
    level : str
        "system" or "segment".
    reads : str
        The input: system "scores"; "p_values" between systems, computed from metric and human
        scores of segments; or "segment_scores".
    limits : tuple of float
        The lowest and the highest possible value.
    """

    symbol: ClassVar[str]
    description: ClassVar[str]
    level: ClassVar[str] = "system"
    reads: ClassVar[str] = "scores"
    limits: ClassVar[tuple[float, float]]

    @abstractmethod
    def __call__(self, scores: ArrayLike, gold: ArrayLike) -> np.ndarray:
        """Compute the statistic, (...), of metric and human scores, (..., systems), or of p-values,
        (..., systems, systems); both are broadcast. Higher scores are better; a p-value is
        one-sided, for the row's system being no better than the column's. NaN if undefined."""


class ScoreStatistic(Statistic):
    """A statistic of system scores; NaN if metric or human scores are constant or not finite."""

    def __call__(self, scores: ArrayLike, gold: ArrayLike) -> np.ndarray:
        scores = np.asarray(scores, float)
        gold = np.asarray(gold, float)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            values = self.compute(scores, gold)
        return np.where(defined(scores, gold) & np.isfinite(values), values, np.nan)[()]

    @abstractmethod
    def compute(self, scores: np.ndarray, gold: np.ndarray) -> np.ndarray:
        """Compute the statistic, (..., systems) to (...); the caller makes undefined values NaN."""


class Groups(NamedTuple):
    """Human scores of segments in groups; scores are compared within groups.

    Attributes
    ----------
    gold : ndarray
        The scores, (rated,), group after group.
    cells : ndarray
        Their indices in the flattened (systems, segments) array, (rated,).
    starts : ndarray
        Start of each group and end of the last, (groups + 1,).
    """

    gold: np.ndarray
    cells: np.ndarray
    starts: np.ndarray


def grouped(gold: np.ndarray, grouping: str) -> Groups:
    """Group the finite human scores, (systems, segments): all in one group (`none`), by segment
    (`item`) or by system (`system`)."""
    cells = np.arange(gold.size).reshape(gold.shape)
    if grouping == "item":
        cells = cells.T
        gold = gold.T
    rated = np.isfinite(gold)
    sizes = [rated.sum()] if grouping == "none" else rated.sum(axis=1)
    return Groups(gold[rated], cells[rated], np.concatenate([[0], np.cumsum(sizes)]))


class SegmentStatistic(Statistic):
    """Base class of statistics of segment scores, computed where human scores exist.

    Attributes
    ----------
    groupings : tuple of {"none", "item", "system"}
        Groupings of the WMT metrics task that the statistic has; the first is the default. `none`
        uses all scores at once; `item` averages the statistic over segments, `system` over systems.
        Groups in which it is undefined are left out.
    """

    level = "segment"
    reads = "segment_scores"
    groupings: ClassVar[tuple[str, ...]]

    def __call__(
        self, scores: ArrayLike, gold: ArrayLike, grouping: str | None = None
    ) -> np.ndarray:
        """Compute the statistic of every metric.

        Parameters
        ----------
        scores : array_like
            Segment scores of metrics, (..., systems, segments); higher is better.
        gold : array_like
            Human scores, (systems, segments), NaN where absent.
        grouping : str, optional
            One of `groupings`, by default the first.

        Returns
        -------
        ndarray
            (...): NaN where a metric score that has a human score is not finite, and where no group
            defines the statistic.

        Raises
        ------
        ValueError
            For other groupings, and for human scores of other systems and segments.
        """
        grouping = grouping or self.groupings[0]
        if grouping not in self.groupings:
            raise ValueError(f"grouping {grouping}: expected one of {', '.join(self.groupings)}")
        if np.shape(scores)[-2:] != np.shape(gold):
            raise ValueError(
                f"metric scores {np.shape(scores)}: expected scores of the systems and segments "
                f"that have human scores, {np.shape(gold)}"
            )
        groups = grouped(np.asarray(gold, float), grouping)
        rows = np.asarray(scores, float).reshape(-1, np.size(gold))[:, groups.cells]
        values = [self.compute(row, groups) if np.isfinite(row).all() else np.nan for row in rows]
        return np.array(values).reshape(np.shape(scores)[:-2])[()]

    @abstractmethod
    def compute(self, scores: np.ndarray, groups: Groups) -> float:
        """Return the statistic of metric scores of rated hypotheses, (rated,); NaN if undefined."""


class SegmentCorrelation(SegmentStatistic):
    """A correlation of segment scores: of all, or averaged over segments or systems.

    Attributes
    ----------
    correlation : type of ScoreStatistic
        The correlation of two lists of scores.
    """

    groupings = ("none", "item", "system")
    limits = (-1, 1)
    correlation: ClassVar[type[ScoreStatistic]]

    def compute(self, scores: np.ndarray, groups: Groups) -> float:
        values = self.of_groups(scores, groups)
        known = values[~np.isnan(values)]
        return float(known.mean()) if known.size else np.nan

    def of_groups(self, scores: np.ndarray, groups: Groups) -> np.ndarray:
        """Return the correlation in each group, (groups,); NaN where it is undefined."""
        starts = groups.starts[:-1]
        sizes = np.diff(groups.starts)
        values = np.full(len(sizes), np.nan)
        # All groups of a size are computed at once.
        for size in np.unique(sizes[sizes > 1]):
            index = starts[sizes == size, None] + np.arange(size)
            values[sizes == size] = self.correlation()(scores[index], groups.gold[index])
        return values


def defined(scores: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """Return where metric and human scores are finite and neither is constant, (..., systems) to
    (...) of bool. Their sums must be finite, too."""
    with np.errstate(over="ignore", invalid="ignore"):
        finite = np.isfinite(scores.sum(-1)) & np.isfinite(gold.sum(-1))
    return finite & ~constant(scores) & ~constant(gold)


def constant(values: np.ndarray) -> np.ndarray:
    """Return whether all systems have the same score, (..., systems) to (...) of bool."""
    return (values == values[..., :1]).all(-1)


def signs(values: np.ndarray) -> np.ndarray:
    """Return the signs of all pairwise differences, (..., systems) to (..., systems, systems) of
    int8: 1 where the row's system scores higher than the column's."""
    row, column = values[..., :, None], values[..., None, :]
    return (row > column).view(np.int8) - (row < column).view(np.int8)
