"""Which segments to give to people for a budget, and what a choice does to the ranking of
systems."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..statistics import evaluate
from .metric_tests import clusters, ranking
from .soft_accuracy import normal_p

# Random choices of the same budget that a choice is compared with.
DRAWS = 1000
LEVEL = 0.05
TOLERANCE = 1e-12


def by_documents(documents: np.ndarray | None, segments: int) -> np.ndarray:
    """The unit that each segment is chosen with: its document's number, or its own place."""
    if documents is None:
        return np.arange(segments)
    return np.unique(documents, return_inverse=True)[1].ravel()


def highest(
    values: np.ndarray, costs: np.ndarray, budget: float, units: np.ndarray | None = None
) -> np.ndarray:
    """The segments of highest value that a budget pays.

    Parameters
    ----------
    values : ndarray, (segments,)
        Of equal ones the earlier segment comes first.
    costs : ndarray, (segments,)
        Above 0, in the budget's unit.
    budget : float
        What is too dear for the rest of it is passed over.
    units : ndarray of int, (segments,), optional
        Segments of one unit, such as a document, are chosen together, by their mean value.

    Returns
    -------
    ndarray of int
        The chosen segments' places, by falling value; of one unit in their order.
    """
    units = by_documents(None, len(values)) if units is None else units
    sizes = np.bincount(units)
    means, prices = np.bincount(units, values) / sizes, np.bincount(units, costs)
    first = np.full(len(sizes), len(units))
    np.minimum.at(first, units, np.arange(len(units)))
    order = np.lexsort((first, -means))
    members = np.argsort(units, kind="stable")
    starts = np.cumsum(sizes) - sizes
    chosen = [
        members[starts[u] : starts[u] + sizes[u]] for u in affordable(prices[order], budget, order)
    ]
    return np.concatenate([*chosen, np.empty(0, dtype=int)]).astype(int)


def affordable(prices: np.ndarray, budget: float, order: np.ndarray) -> list[int]:
    """Units in an order, but for those that the rest of a budget does not pay."""
    left, taken = budget + 1e-9, []
    cheapest_left = np.minimum.accumulate(prices[::-1])[::-1]
    for place, (unit, price) in enumerate(zip(order.tolist(), prices.tolist(), strict=True)):
        if price <= left:
            taken.append(unit)
            left -= price
        elif cheapest_left[place] > left:
            break
    return taken


def stratified(
    keys: list[np.ndarray], costs: np.ndarray, budget: float, rng: np.random.Generator
) -> np.ndarray:
    """Random segments that are spread evenly over strata: a systematic sample, from a random start,
    of the segments sorted by some keys, segments of equal keys in random order.

    Parameters
    ----------
    keys : list of ndarray, (segments,)
        Such as domain, document and length; the first is the coarsest.
    costs : ndarray, (segments,)
    budget : float
        The sample has as many segments as it pays on average. Of a sample that costs more, random
        segments are left out; what is left of the budget pays random others.

    Returns
    -------
    ndarray of int
        Ascending.
    """
    segments = len(costs)
    number = min(segments, int(budget / costs.mean() + 1e-9))
    if not number:
        return np.empty(0, dtype=int)
    ranks = [np.unique(key, return_inverse=True)[1].ravel() for key in keys]
    order = np.lexsort([rng.random(segments), *ranks[::-1]])
    places = np.floor((np.arange(number) + rng.random()) * segments / number).astype(int)
    sample = rng.permutation(order[places])
    rest = rng.permutation(np.setdiff1d(order, sample))
    ahead = np.concatenate([sample, rest])
    return np.sort(affordable(costs[ahead], budget, ahead))


class Ranking(NamedTuple):
    """How well some segments rank systems.

    Attributes
    ----------
    tau : float
        Kendall's τ-b between the systems' mean human scores on these segments and on all.
    soft_accuracy : float
        Soft pairwise accuracy of these p-values between systems with those on all segments.
    clusters : int
        Of significance: a system begins a new one if one of the cluster before is better
        (one-sided p ≤ 0.05, a normal approximation of paired permutation tests).
    """

    tau: float
    soft_accuracy: float
    clusters: int


class Judge:
    """Rankings of systems by some of the segments, beside that by all.

    Parameters
    ----------
    people : ndarray, (systems, segments)
        Human scores, or a metric's, of every system and segment; higher is better.
    """

    def __init__(self, people: np.ndarray) -> None:
        self.people = people
        self.means = people.mean(axis=1)
        self.p = self._p(np.arange(people.shape[1]))

    @property
    def clusters(self) -> int:
        """Clusters of significance on all segments."""
        return self._clusters(np.arange(self.people.shape[1]))

    def taus(self, chosen: list[np.ndarray]) -> np.ndarray:
        """τ-b of several choices, (choices,); 0 where a choice gives all systems one score, NaN
        where all segments do."""
        means = np.stack([self.people[:, own].mean(axis=1) for own in chosen])
        taus = evaluate(("kendall",), means, np.broadcast_to(self.means, means.shape))[:, 0]
        return taus if np.ptp(self.means) == 0 else np.nan_to_num(taus)

    def soft_accuracies(self, chosen: list[np.ndarray]) -> np.ndarray:
        """Soft pairwise accuracy of several choices, (choices,)."""
        return np.array([1 - np.abs(self._p(own) - self.p).mean() for own in chosen])

    def ranking(self, chosen: np.ndarray) -> Ranking:
        """A choice's ranking."""
        tau, soft = self.taus([chosen])[0], self.soft_accuracies([chosen])[0]
        return Ranking(float(tau), float(soft), self._clusters(chosen))

    def shifts(self, chosen: list[np.ndarray]) -> np.ndarray:
        """What each system gains by a choice, (choices, systems): its place among the systems by
        the mean score on the segments, less that on all, in standard deviations over systems.

        Hard segments have lower scores and tell systems further apart; that is no gain.
        """
        means = np.stack([self.people[:, own].mean(axis=1) for own in chosen])
        return _standardised(means) - _standardised(self.means[None])

    def _p(self, chosen: np.ndarray) -> np.ndarray:
        own = self.people[:, chosen]
        influence = (own - own.mean(axis=1, keepdims=True)) / max(own.shape[1], 1)
        return normal_p(own.mean(axis=1)[None], influence, np.ones((1, own.shape[1])))[0]

    def _clusters(self, chosen: np.ndarray) -> int:
        systems = len(self.people)
        p = np.ones((systems, systems))
        one, other = np.triu_indices(systems, 1)
        found = self._p(chosen)
        p[one, other], p[other, one] = found, 1 - found
        means = self.people[:, chosen].mean(axis=1)
        names = [f"{place:06d}" for place in range(systems)]
        return int(clusters(p, ranking(means, names), LEVEL).max())


def _standardised(scores: np.ndarray) -> np.ndarray:
    """Scores, (choices, systems), with mean 0 and deviation 1 over systems; 0 where all are
    equal."""
    centred = scores - scores.mean(axis=1, keepdims=True)
    spread = centred.std(axis=1, keepdims=True)
    return centred / np.where(spread > 0, spread, 1.0)


class Compared(NamedTuple):
    """A value of a choice beside random choices of the same budget.

    Attributes
    ----------
    value : float
    random_mean, random_low, random_high : float
        Mean and 95 % interval of the random choices.
    random_quantile : float
        Share of them below the value; ties count half.
    p : float
        Share of them that are at least as high, the choice at hand counted (+1).
    """

    value: float
    random_mean: float
    random_low: float
    random_high: float
    random_quantile: float
    p: float


def compared(value: float, random: np.ndarray) -> Compared:
    """A choice's value beside those of random choices, (draws,); NaN where one is undefined."""
    if np.isnan(value) or np.isnan(random).any():
        return Compared(value, *[np.nan] * 5)
    low, high = map(float, np.percentile(random, [2.5, 97.5]))
    above, tied = (random > value + TOLERANCE).sum(), (np.abs(random - value) <= TOLERANCE).sum()
    below = 1 - (above + tied / 2) / random.size
    p = (1 + above + tied) / (1 + random.size)
    return Compared(value, float(random.mean()), low, high, float(below), float(p))


def random_choices(
    costs: np.ndarray,
    budget: float,
    units: np.ndarray | None,
    rng: np.random.Generator,
    draws: int = DRAWS,
) -> list[np.ndarray]:
    """Random choices that the budget pays, of whole units."""
    units = by_documents(None, len(costs)) if units is None else units
    kinds = units.max() + 1
    return [highest(rng.random(kinds)[units], costs, budget, units) for _ in range(draws)]


class Resampled:
    """Sets of as many segments, drawn with replacement: the choices that a method makes of them.

    Parameters
    ----------
    people : ndarray, (systems, segments)
    resamples : int
    rng : numpy.random.Generator
    """

    def __init__(self, people: np.ndarray, resamples: int, rng: np.random.Generator) -> None:
        segments = people.shape[1]
        self._drawn = list(rng.integers(segments, size=(resamples, segments)))
        self._judges = [Judge(people[:, own]) for own in self._drawn]

    def intervals(
        self, choose: Callable[[np.ndarray], np.ndarray]
    ) -> tuple[tuple[float, float], tuple[float, float]]:
        """95 % intervals of τ and of soft pairwise accuracy, by percentiles.

        Parameters
        ----------
        choose : callable
            What it is given are the segments of a resample; it returns the chosen ones' places
            among these.
        """
        found = []
        for drawn, judge in zip(self._drawn, self._judges, strict=True):
            own = [choose(drawn)]
            found.append([judge.taus(own)[0], judge.soft_accuracies(own)[0]])
        low, high = np.percentile(found, [2.5, 97.5], axis=0)
        return (float(low[0]), float(high[0])), (float(low[1]), float(high[1]))
