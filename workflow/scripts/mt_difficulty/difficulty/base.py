"""What every difficulty estimator provides."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

if TYPE_CHECKING:
    from ..data.evalset import EvaluationSet


# What a difficulty can be estimated from; each holds what stands before it, from the source on.
INFORMATION = ("nothing", "source", "outputs", "reference", "gold", "unstated")


class Estimator(ABC):
    """A difficulty estimator as two functions: values of an evaluation set, and from these the
    difficulty for the systems at hand.

    Parameters
    ----------
    settings : keyword arguments
        The estimator's own, as in the config.

    Attributes
    ----------
    threads : int
        That `estimate` may use; values do not depend on it.
    unit : {"segment", "hypothesis", "token"}
        What has a difficulty: a segment for all systems, each hypothesis, or each reference token.
    reads : str, optional
        What `estimate` reads beside the evaluation set: `statistics` of a metric, another
        `difficulty`, token `matches`, a `consensus` of hypotheses, a `file`, the `campaign` of the
        archive, or a `model`.
    depends_on_systems : bool
        Whether difficulty is estimated from the systems at hand, so that a subset of systems has
        another one.
    uses_gold : bool
        Whether difficulty is estimated from human scores. Whatever is made with it says so, and
        hypotheses without human scores may have none (NaN).
    information : str
        What difficulty is estimated from, one of INFORMATION; of an estimator that `reads`
        another difficulty or a metric's statistics, theirs counts.
    has_balance : bool
        Whether Eq. 11 of Liu et al. (2022) gives an easy weight: it was fitted to this difficulty.
    details : dict of str to ndarray
        What else `estimate` found and the results keep.
    """

    threads: int = 1
    unit: str = "segment"
    reads: str | None = None
    depends_on_systems: ClassVar[bool] = False
    uses_gold: bool = False
    information: str = "unstated"
    has_balance: ClassVar[bool] = False
    details: Mapping[str, np.ndarray] = MappingProxyType({})

    @abstractmethod
    def estimate(self, evalset: EvaluationSet, source: Any) -> np.ndarray:
        """Values from which difficulty follows.

        Parameters
        ----------
        evalset : EvaluationSet
        source
            What `reads` names: an array of segment scores or of difficulties (systems, segments),
            `Matches`, similarities of hypotheses (systems, systems, segments), or a path: of a
            model, its folder.

        Returns
        -------
        ndarray, (systems, segments), (segments,) or (systems, reference tokens)

        Raises
        ------
        Missing
            The set lacks what the estimator needs.
        """

    def files(self, folder: Path, pair: str) -> list[Path]:
        """The files that an estimator which reads the `campaign`, or a `model`, reads in its
        folder."""
        return []

    def difficulty(self, values: np.ndarray, systems: np.ndarray) -> np.ndarray:
        """Difficulty for some systems, from the values of all.

        Parameters
        ----------
        values : ndarray
            From `estimate`.
        systems : ndarray of int, (n,)

        Returns
        -------
        ndarray, (n, segments)
            Higher is harder. A difficulty of segments is the same in every row.
        """
        if values.ndim == 1:
            return np.broadcast_to(values, (len(systems), len(values)))
        return values[systems]

    @property
    @abstractmethod
    def signature(self) -> str:
        """The settings and versions that made the difficulty."""


class AgainstOthers(Estimator):
    """An estimator whose difficulty of a hypothesis is the mean over the other systems at hand of a
    value that it has against the hypothesis of each; 0 where there is one system."""

    unit = "hypothesis"
    information = "outputs"
    depends_on_systems = True

    def difficulty(self, values: np.ndarray, systems: np.ndarray) -> np.ndarray:
        """Mean over the others, (n, segments), of values of one system against another, (systems,
        systems, segments)."""
        order = np.sort(systems)  # sums in one order, whatever the subset's
        if len(order) < 2:
            return np.zeros((len(order), values.shape[-1]))
        return np.stack([values[own, order[order != own]].mean(axis=0) for own in systems])


class MeanOverSystems(Estimator):
    """An estimator whose difficulty is a mean over the systems at hand of values of each.

    Parameters
    ----------
    leave_one_out : bool
        For every system the mean over the other ones.
    """

    depends_on_systems = True

    def __init__(self, leave_one_out: bool = False) -> None:
        self.leave_one_out = leave_one_out

    def difficulty(self, values: np.ndarray, systems: np.ndarray) -> np.ndarray:
        """Mean over the systems, or over the others, (n, segments); NaN, a value that is not
        there, does not count. NaN where none is there, infinite where one is."""
        order = np.argsort(systems)
        own = values[systems[order]]  # sums in one order, whatever the subset's
        # Finite values, infinite ones and their numbers: infinity less itself is no number.
        parts = np.where(np.isfinite(own), own, 0.0), np.isposinf(own), ~np.isnan(own)
        sums = [part.sum(axis=0) for part in parts]
        if self.leave_one_out:
            place = np.argsort(order)  # of each system in `own`
            sums = [all_of - part[place] for all_of, part in zip(sums, parts, strict=True)]
        total, infinite, count = sums
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.where(infinite > 0, np.inf, total / count)
        return np.broadcast_to(means, (len(systems), values.shape[1]))


def scaled(values: np.ndarray) -> tuple[np.ndarray, int]:
    """Values as multiples of 2^exponent, at most 1 in size, and this exponent; NaN stays NaN.

    Squares of the multiples do not overflow, and those of the largest do not underflow.
    """
    exponent = int(np.frexp(np.nanmax(np.abs(values), initial=0.0))[1])
    return np.ldexp(values, -exponent), exponent


def deviation(values: np.ndarray) -> float:
    """Population standard deviation of values of any size; NaN are left out."""
    multiples, exponent = scaled(values)
    return float(np.ldexp(np.nanstd(multiples), exponent))
