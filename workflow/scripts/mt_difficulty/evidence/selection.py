"""Choose segments for human evaluation; compare system rankings on them with those on all."""

from __future__ import annotations

import hashlib
from collections import namedtuple
from collections.abc import Callable, Iterable

import numpy as np

from ..statistics import evaluate
from .resampling import normal_p
from .units import Units

# Random choices of the same budget that a choice is compared with.
DRAWS = 1000
# Level of one-sided tests between systems.
LEVEL = 0.05
# Statistics that differ by less are equal up to rounding.
TOLERANCE = 1e-12


def by_documents(documents: np.ndarray | None, segments: int) -> np.ndarray:
    """Return each segment's document number, or the segment's index if `documents` is None."""
    if documents is None:
        return np.arange(segments)
    return np.unique(documents, return_inverse=True)[1].ravel()


def tie_breakers(texts: Iterable[str]) -> np.ndarray:
    """Return a number from a checksum of each text, (texts,), by which segments of equal value are
    ordered: their order in the file must not decide which are chosen."""
    checksums = (hashlib.blake2b(text.encode(), digest_size=6).digest() for text in texts)
    return np.array([int.from_bytes(checksum) for checksum in checksums], float)


def highest(
    values: np.ndarray,
    costs: np.ndarray,
    budget: float,
    units: np.ndarray | None = None,
    ties: np.ndarray | None = None,
) -> np.ndarray:
    """Choose the segments of highest value within a budget.

    Parameters
    ----------
    values, costs : ndarray
        (segments,); costs are above 0.
    budget : float
        Segments are taken by falling value; those that exceed what is left of it are skipped.
    units : ndarray, optional
        (segments,), the number of the unit, such as a document, of each segment. Segments of one
        unit are chosen together by their mean value.
    ties : ndarray, optional
        (segments,) of `tie_breakers`: of units of equal value the one with the lowest is taken
        first. By default the first one.

    Returns
    -------
    ndarray
        Indices of segments, the unit of the highest value first.
    """
    units = by_documents(None, len(values)) if units is None else units
    sizes = np.bincount(units)
    means = np.bincount(units, values) / sizes
    prices = np.bincount(units, costs)
    first = np.unique(units, return_index=True)[1]
    lowest = np.full(len(sizes), np.inf)
    if ties is not None:
        np.minimum.at(lowest, units, ties)
    order = np.lexsort((first, lowest, -means))
    taken = affordable(prices[order], budget, order)
    rank = np.full(len(sizes), -1)
    rank[taken] = np.arange(len(taken))
    chosen = np.flatnonzero(rank[units] >= 0)
    return chosen[np.argsort(rank[units[chosen]], kind="stable")]


def affordable(prices: np.ndarray, budget: float, order: np.ndarray) -> list[int]:
    """Choose units in the given order, skipping those that exceed the remaining budget.

    Parameters
    ----------
    prices : ndarray
        Prices of the units in this order, (units,).
    budget : float
    order : ndarray
        Numbers of the units, (units,).

    Returns
    -------
    list of int
        Numbers of the chosen units.
    """
    left = budget + 1e-9
    taken = []
    for unit, price in zip(order.tolist(), prices.tolist(), strict=True):
        if price <= left:
            taken.append(unit)
            left -= price
    return taken


def stratified(
    keys: list[np.ndarray], costs: np.ndarray, budget: float, rng: np.random.Generator
) -> np.ndarray:
    """Draw a random sample of segments, spread evenly over strata.

    Parameters
    ----------
    keys : list of ndarray
        Strata, (segments,) each, such as domain and length, the coarsest first.
    costs : ndarray
        (segments,), above 0.
    budget : float
    rng : Generator

    Returns
    -------
    ndarray
        Ascending indices of segments.

    Notes
    -----
    The sample is systematic, from a random start, over segments sorted by `keys`. It has as many
    segments as the budget pays on average, and at least one. Random segments are dropped if it
    costs more, or added while the budget allows.
    """
    segments = len(costs)
    number = min(segments, max(1, int(budget / costs.mean() + 1e-9)))
    ranks = [np.unique(key, return_inverse=True)[1].ravel() for key in keys]
    order = np.lexsort([rng.random(segments), *ranks[::-1]])
    positions = np.floor((np.arange(number) + rng.random()) * segments / number).astype(int)
    sample = rng.permutation(order[positions])
    candidates = np.concatenate([sample, rng.permutation(np.setdiff1d(order, sample))])
    return np.sort(affordable(costs[candidates], budget, candidates))


class Judge:
    """Compares rankings of systems on some segments with the ranking on all.

    Parameters
    ----------
    gold : ndarray
        Human or metric scores of every system and segment, (systems, segments); higher is better.
    """

    def __init__(self, gold: np.ndarray) -> None:
        self.gold = gold
        self.means = gold.mean(axis=1)
        self.p = self._p(slice(None))

    def agreement(self, chosen: list[np.ndarray]) -> dict[str, np.ndarray]:
        """Measure how well choices of segments rank systems, (choices,) each. `tau` is Kendall's
        τ-b between mean human scores on the chosen and on all segments (0 where a choice gives all
        systems one score, NaN where all segments do). `soft_accuracy` compares the p-values between
        systems on the chosen and on all segments (soft pairwise accuracy)."""
        means = np.stack([self.gold[:, segments].mean(axis=1) for segments in chosen])
        taus = evaluate(("kendall",), means, np.broadcast_to(self.means, means.shape))[:, 0]
        soft = [1 - np.abs(self._p(segments) - self.p).mean() for segments in chosen]
        if np.ptp(self.means) != 0:
            taus = np.nan_to_num(taus)
        return {"tau": taus, "soft_accuracy": np.array(soft)}

    def clusters(self, chosen: np.ndarray | slice) -> int:
        """Count clusters of significance, going down the systems' mean scores on the chosen
        segments: a system begins a new cluster if one of the current cluster is better (one-sided
        p ≤ LEVEL, a normal approximation of paired permutation tests)."""
        systems = len(self.gold)
        pair_p = self._p(chosen)
        p = np.ones((systems, systems))
        first, second = np.triu_indices(systems, 1)
        p[first, second] = pair_p
        p[second, first] = 1 - pair_p
        names = [f"{system:06d}" for system in range(systems)]
        from .metric_table import clusters, ranking  # which loads pandas

        order = ranking(self.gold[:, chosen].mean(axis=1), names)
        return int(clusters(p, order, LEVEL).max())

    def resampled(
        self, resamples: int, rng: np.random.Generator, units: Units
    ) -> list[tuple[np.ndarray, Judge]]:
        """Draw bootstrap resamples of the segments by unit.

        Parameters
        ----------
        resamples : int
        rng : Generator
        units : Units
            Of the segments.

        Returns
        -------
        list of tuple
            Indices of the drawn segments, and a `Judge` with their scores, of every resample.
        """
        members = [np.flatnonzero(units.numbers == unit) for unit in range(units.size)]
        drawn = []
        for row in rng.integers(units.size, size=(resamples, units.size)):
            index = np.concatenate([members[unit] for unit in row])
            drawn.append((index, Judge(self.gold[:, index])))
        return drawn

    def _p(self, chosen: np.ndarray | slice) -> np.ndarray:
        """Return one-sided p between systems on the chosen segments, (pairs of systems,)."""
        scores = self.gold[:, chosen]
        influence = (scores - scores.mean(axis=1, keepdims=True)) / max(scores.shape[1], 1)
        return normal_p(scores.mean(axis=1)[None], influence, np.ones((1, scores.shape[1])))[0]


def intervals(
    resampled: list[tuple[np.ndarray, Judge]], choose: Callable[[np.ndarray], np.ndarray]
) -> dict[str, tuple[float, float]]:
    """Compute 95 % percentile intervals of `Judge.agreement` over resamples; `choose` is given the
    segments of a resample and returns the positions of the chosen ones among them."""
    drawn = [judge.agreement([choose(segments)]) for segments, judge in resampled]
    ends = {key: np.percentile([draw[key][0] for draw in drawn], [2.5, 97.5]) for key in drawn[0]}
    return {key: (float(low), float(high)) for key, (low, high) in ends.items()}


def random_as_good(
    resampled: list[tuple[np.ndarray, Judge]],
    choose: Callable[[np.ndarray], np.ndarray],
    choose_at_random: Callable[[np.ndarray], np.ndarray],
) -> dict[str, float]:
    """Test whether a choice ranks systems better than random choices would on new texts.

    Parameters
    ----------
    resampled : list of tuple
        Result of `Judge.resampled`.
    choose, choose_at_random : callable
        Given the segments of a resample, return the positions of the chosen ones among them.

    Returns
    -------
    dict of str to float
        By statistic of `Judge.agreement`, one-sided p with +1: the share of the resamples on which
        a random choice ranks systems at least as well as the choice; NaN where one is undefined.
    """
    differences: dict[str, list[float]] = {}
    for segments, judge in resampled:
        chosen = judge.agreement([choose(segments), choose_at_random(segments)])
        for statistic, (value, random_value) in chosen.items():
            differences.setdefault(statistic, []).append(value - random_value)
    p = {}
    for statistic, values in differences.items():
        reached = np.array(values) <= TOLERANCE
        known = np.isfinite(values).all()
        p[statistic] = (1 + reached.sum()) / (1 + len(values)) if known else np.nan
    return p


# A choice's value, the mean and 95 % range of random choices of the same budget, the share of these
# below the value (ties count half), and the share at least as high (p, with +1).
Compared = namedtuple("Compared", "value random_mean random_low random_high random_quantile p")


def compared(value: float, random: np.ndarray) -> Compared:
    """Return a value, the mean and 95 % range of `random`, the value's quantile and p, or NaN."""
    if np.isnan(value) or np.isnan(random).any():
        return Compared(value, np.nan, np.nan, np.nan, np.nan, np.nan)
    low, high = map(float, np.percentile(random, [2.5, 97.5]))
    above = (random > value + TOLERANCE).sum()
    tied = (np.abs(random - value) <= TOLERANCE).sum()
    return Compared(
        value=value,
        random_mean=float(random.mean()),
        random_low=low,
        random_high=high,
        random_quantile=float(1 - (above + tied / 2) / random.size),
        p=float((1 + above + tied) / (1 + random.size)),
    )
