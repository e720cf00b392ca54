"""Choose segments for human evaluation; compare system rankings on them with those on all."""

from __future__ import annotations

import hashlib
from collections import namedtuple
from collections.abc import Callable, Iterable

import numpy as np

from ..statistics import evaluate
from .resampling import normal_p

DRAWS = 1000  # random choices of the same budget that a choice is compared with
LEVEL, TOLERANCE = 0.05, 1e-12


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
    means, prices = np.bincount(units, values) / sizes, np.bincount(units, costs)
    first = np.unique(units, return_index=True)[1]
    lowest = np.full(len(sizes), np.inf)
    if ties is not None:
        np.minimum.at(lowest, units, ties)
    order = np.lexsort((first, lowest, -means))
    taken = affordable(prices[order], budget, order)
    rank = np.full(len(sizes), -1)
    rank[taken] = np.arange(len(taken))
    places = np.flatnonzero(rank[units] >= 0)
    return places[np.argsort(rank[units[places]], kind="stable")]


def affordable(prices: np.ndarray, budget: float, order: np.ndarray) -> list[int]:
    """Return the units that a budget buys in `order`; what exceeds the rest of it is skipped."""
    left, taken = budget + 1e-9, []
    for unit, price in zip(order.tolist(), prices.tolist(), strict=True):
        if price <= left:
            taken.append(unit)
            left -= price
    return taken


def stratified(
    keys: list[np.ndarray], costs: np.ndarray, budget: float, rng: np.random.Generator
) -> np.ndarray:
    """Draw a random sample of segments (ascending indices), spread evenly over strata. It is
    systematic, from a random start, over segments sorted by `keys`, (segments,) each, such as
    domain and length, the coarsest first. The sample has as many segments as the budget pays on
    average, and at least one. Random segments are dropped if it costs more, or added while the
    budget allows."""
    segments = len(costs)
    number = min(segments, max(1, int(budget / costs.mean() + 1e-9)))
    ranks = [np.unique(key, return_inverse=True)[1].ravel() for key in keys]
    order = np.lexsort([rng.random(segments), *ranks[::-1]])
    places = np.floor((np.arange(number) + rng.random()) * segments / number).astype(int)
    sample = rng.permutation(order[places])
    ahead = np.concatenate([sample, rng.permutation(np.setdiff1d(order, sample))])
    return np.sort(affordable(costs[ahead], budget, ahead))


class Judge:
    """Compares rankings of systems on some segments with the ranking on all. `gold`, (systems,
    segments), are human or metric scores of every system and segment; higher is better."""

    def __init__(self, gold: np.ndarray) -> None:
        self.gold, self.means = gold, gold.mean(axis=1)
        self.p = self._p(slice(None))

    def agreement(self, chosen: list[np.ndarray]) -> dict[str, np.ndarray]:
        """Measure how well choices of segments rank systems, (choices,) each. `tau` is Kendall's
        τ-b between mean human scores on the chosen and on all segments (0 where a choice gives all
        systems one score, NaN where all segments do). `soft_accuracy` compares the p-values between
        systems on the chosen and on all segments (soft pairwise accuracy)."""
        means = np.stack([self.gold[:, places].mean(axis=1) for places in chosen])
        taus = evaluate(("kendall",), means, np.broadcast_to(self.means, means.shape))[:, 0]
        soft = [1 - np.abs(self._p(places) - self.p).mean() for places in chosen]
        taus = taus if np.ptp(self.means) == 0 else np.nan_to_num(taus)
        return {"tau": taus, "soft_accuracy": np.array(soft)}

    def clusters(self, chosen: np.ndarray | slice) -> int:
        """Count clusters of significance, going down the systems' mean scores on the chosen
        segments: a system begins a new cluster if one of the current cluster is better (one-sided
        p ≤ LEVEL, a normal approximation of paired permutation tests)."""
        systems, p_of_pairs = len(self.gold), self._p(chosen)
        p, (first, second) = np.ones((systems, systems)), np.triu_indices(systems, 1)
        p[first, second], p[second, first] = p_of_pairs, 1 - p_of_pairs
        names = [f"{place:06d}" for place in range(systems)]
        from .metric_table import clusters, ranking  # which loads pandas

        order = ranking(self.gold[:, chosen].mean(axis=1), names)
        return int(clusters(p, order, LEVEL).max())

    def resampled(self, resamples: int, rng: np.random.Generator) -> list[tuple[np.ndarray, Judge]]:
        """Return bootstrap resamples of the segments: indices, and a `Judge` with their scores."""
        segments = self.gold.shape[1]
        drawn = rng.integers(segments, size=(resamples, segments))
        return [(places, Judge(self.gold[:, places])) for places in drawn]

    def _p(self, chosen: np.ndarray | slice) -> np.ndarray:
        scores = self.gold[:, chosen]
        influence = (scores - scores.mean(axis=1, keepdims=True)) / max(scores.shape[1], 1)
        return normal_p(scores.mean(axis=1)[None], influence, np.ones((1, scores.shape[1])))[0]


def intervals(
    resampled: list[tuple[np.ndarray, Judge]], choose: Callable[[np.ndarray], np.ndarray]
) -> dict[str, tuple[float, float]]:
    """Compute 95 % percentile intervals of `Judge.agreement` over resamples; `choose` is given the
    segments of a resample and returns the positions of the chosen ones among them."""
    drawn = [judge.agreement([choose(places)]) for places, judge in resampled]
    ends = {key: np.percentile([draw[key][0] for draw in drawn], [2.5, 97.5]) for key in drawn[0]}
    return {key: (float(low), float(high)) for key, (low, high) in ends.items()}


# A choice's value, the mean and 95 % range of random choices of the same budget, the share of these
# below the value (ties count half), and the share at least as high (p, with +1).
Compared = namedtuple("Compared", "value random_mean random_low random_high random_quantile p")


def compared(value: float, random: np.ndarray) -> Compared:
    """Return a value, the mean and 95 % range of `random`, the value's quantile and p, or NaN."""
    if np.isnan(value) or np.isnan(random).any():
        return Compared(value, *[np.nan] * 5)
    low, high = map(float, np.percentile(random, [2.5, 97.5]))
    above, tied = (random > value + TOLERANCE).sum(), (np.abs(random - value) <= TOLERANCE).sum()
    below = float(1 - (above + tied / 2) / random.size)
    p = float((1 + above + tied) / (1 + random.size))
    return Compared(value, float(random.mean()), low, high, below, p)
