"""Base classes of difficulty estimators."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from ..data.evalset import EvaluationSet

# Data from which a difficulty is estimated; from source to gold, each includes those before it.
INFORMATION = ("nothing", "source", "outputs", "reference", "gold", "unstated")

OTHERS = "difficulty:others"  # in signatures of leave-one-out difficulties


class Estimator(ABC):
    """A difficulty estimator. `estimate` computes values of all systems of a set, `difficulty` the
    difficulty for some systems from these values. The constructor takes the config's settings.

    Attributes
    ----------
    signature : str
        Settings and versions that produced the difficulty; set by `estimate`.
    threads : int
        Number of threads that `estimate` may use. Values do not depend on it.
    unit : {"segment", "hypothesis", "token"}
        What has a difficulty: a segment for all systems, each hypothesis, or each reference token.
    reads : str, optional
        What `estimate` reads beside the evaluation set: `statistics` of a metric, another
        `difficulty`, token `matches`, a `consensus` of hypotheses, a `file`, the `campaign` of the
        archive, or a `model`.
    depends_on_systems : bool
        Whether the difficulty changes with the subset of systems.
    uses_gold : bool
        Whether human scores are used; hypotheses without human scores may have no difficulty (NaN).
    information : str
        Data used, one of INFORMATION; a metric or difficulty that is read passes on its own.
    has_balance : bool
        Whether Eq. 11 of Liu et al. (2022) applies; it was fitted to this difficulty.
    details : dict of str to ndarray
        Further results of `estimate` that are stored.
    """

    signature: str
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
        """Return values for `difficulty`: (systems, segments), (segments,) or (systems, reference
        tokens). Raises `Missing` where the set lacks data that the estimator needs.

        `source` is what `reads` names: segment scores or difficulties (systems, segments),
        `Matches`, similarities of hypotheses (systems, systems, segments), or a path.
        """

    def files(self, folder: Path, pair: str) -> list[Path]:
        """Return the files that `estimate` reads in a campaign or model folder, by default none."""
        return []

    def difficulty(self, values: np.ndarray, systems: np.ndarray) -> np.ndarray:
        """Return the difficulty of n systems, (n, segments), from the values of all systems.
        `systems` are indices, (n,). Higher is harder. With unit `segment`, all rows are equal."""
        if values.ndim == 1:
            return np.broadcast_to(values, (len(systems), len(values)))
        return values[systems]


class OverSystems(Estimator):
    """An estimator whose difficulty is a statistic over the given systems, by default the mean.

    Parameters
    ----------
    leave_one_out : bool
        Whether a system's difficulty is computed from the other given systems only.
    """

    depends_on_systems = True

    def __init__(self, *, leave_one_out: bool = False) -> None:
        self.leave_one_out = leave_one_out
        self.whose = OTHERS if leave_one_out else "difficulty:all"  # in signatures

    def over(self, values: np.ndarray) -> np.ndarray:
        """Average `values`, (systems, segments), over systems; NaN only where all are NaN."""
        with np.errstate(invalid="ignore"):
            return np.nansum(values, axis=0) / (~np.isnan(values)).sum(axis=0)

    def difficulty(self, values: np.ndarray, systems: np.ndarray) -> np.ndarray:
        # Equal means must not differ by rounding: sums are in one order, and never differences.
        in_order = np.sort(systems)
        if self.leave_one_out:
            rows = [self.over(values[in_order[in_order != system]]) for system in systems]
            return np.stack(rows)
        shape = (len(systems), values.shape[1])
        return np.broadcast_to(self.over(values[in_order]), shape)


class AgainstOthers(Estimator):
    """An estimator that compares a hypothesis with the hypothesis of every other given system. The
    difficulty is the mean of the pairwise values, or 0 if there is only one system."""

    unit = "hypothesis"
    information = "outputs"
    depends_on_systems = True

    def difficulty(self, values: np.ndarray, systems: np.ndarray) -> np.ndarray:
        """Average each system's `values` with the other `systems`, (systems, segments)."""
        in_order = np.sort(systems)  # sums in one order, whatever the subset's
        if len(systems) < 2:
            return np.zeros((len(systems), values.shape[-1]))
        rows = []
        for system in systems:
            others = in_order[in_order != system]
            rows.append(values[system, others].mean(axis=0))
        return np.stack(rows)


def among_hardest(difficulty: np.ndarray, count: int) -> np.ndarray:
    """Weigh the hardest of some segments.

    Parameters
    ----------
    difficulty : ndarray
        (..., segments), higher is harder.
    count : int
        How many of the segments are meant, at least 1.

    Returns
    -------
    ndarray
        (..., segments), with the sum `count`: 1 for the hardest segments and 0 for the others.
        Segments that are as difficult as the last of the hardest share the rest of `count`
        equally, so that the order of segments does not count.
    """
    last = np.sort(difficulty, axis=-1)[..., -count, None]
    is_harder = difficulty > last
    is_equal = difficulty == last
    rest = count - is_harder.sum(axis=-1, keepdims=True)
    return is_harder + is_equal * (rest / is_equal.sum(axis=-1, keepdims=True))


def among_hardest_of_resamples(
    difficulty: np.ndarray, counts: np.ndarray, number: np.ndarray
) -> np.ndarray:
    """Weigh the hardest segments of resamples, as `among_hardest` does.

    Parameters
    ----------
    difficulty : ndarray
        (segments,), higher is harder.
    counts : ndarray
        (resamples, segments), how often a segment is drawn.
    number : ndarray
        (resamples,), how many of the drawn segments are meant.

    Returns
    -------
    ndarray
        (resamples, segments), how many of the draws of a segment are among the hardest.
    """
    order = np.argsort(-difficulty, kind="stable")
    drawn = counts[:, order].astype(float)
    # Equally difficult segments are one group; groups are taken one after the other.
    is_new_group = np.diff(difficulty[order], prepend=np.nan) != 0
    group = np.cumsum(is_new_group) - 1
    group_sizes = np.add.reduceat(drawn, np.flatnonzero(is_new_group), axis=1)
    before = np.cumsum(group_sizes, axis=1) - group_sizes
    taken = np.clip(number[:, None] - before, 0, group_sizes)
    weights = drawn * taken[:, group]
    np.divide(weights, group_sizes[:, group], out=weights, where=weights > 0)
    unsorted_weights = np.empty_like(weights)
    unsorted_weights[:, order] = weights
    return unsorted_weights


def scaled(values: np.ndarray) -> tuple[np.ndarray, int]:
    """Divide values by 2^exponent, so that none exceeds 1 in size and their squares do not
    overflow. Return the scaled values and the exponent; NaN stays NaN."""
    exponent = int(np.frexp(np.nanmax(np.abs(values), initial=0.0))[1])
    return np.ldexp(values, -exponent), exponent


def deviation(values: np.ndarray) -> float:
    """Return the population standard deviation of values that are not NaN, safe from overflow."""
    multiples, exponent = scaled(values)
    return float(np.ldexp(np.nanstd(multiples), exponent))
