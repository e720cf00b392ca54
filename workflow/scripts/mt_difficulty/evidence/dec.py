"""Difficulty estimation correlation (DEC; Proietti et al. 2025): how well a difficulty orders the
segments of a system as people's scores do, with source length controlled, on resamples."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from .resampling import bootstrap_weights, random_bits

# The hardest share of the segments whose human scores are looked at.
BUDGET = 0.25
# Degree of the curve in the rank of length that partial correlations take out.
DEGREE = 3
# Permutations that reach a difference, below which p is that of a normal tail.
FEW = 10


class Judged(NamedTuple):
    """What difficulties are judged by: human scores, (systems, segments), higher is better, NaN
    where there is none; lengths of the sources, (segments,), and their groups of equal size; and
    the score of a perfect translation, NaN where the scale has none."""

    people: np.ndarray
    lengths: np.ndarray
    deciles: np.ndarray
    perfect: float

    def only(self, segments: np.ndarray) -> Judged:
        """Some segments of it, the places or the mask, in the groups that they were in."""
        return self._replace(
            people=self.people[:, segments],
            lengths=self.lengths[segments],
            deciles=self.deciles[segments],
        )


def judged_cases(difficulty: np.ndarray, people: np.ndarray) -> np.ndarray:
    """Hypotheses that have both a difficulty and a human score, of bool."""
    return ~np.isnan(difficulty) & np.isfinite(people)


def resample_counts(segments: int, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """How often each segment is drawn, (segments, 1 + resamples): once in the first column, then
    in resamples with replacement."""
    counts = np.ones((segments, 1 + resamples), dtype=np.uint8)
    counts[:, 1:] = bootstrap_weights(segments, resamples, rng).T
    return counts


def by_system(compute: Callable[[int], np.ndarray], systems: int, threads: int) -> np.ndarray:
    """What a function gives for every system, stacked, on some threads."""
    with ThreadPoolExecutor(threads) as pool:
        return np.stack(list(pool.map(compute, range(systems))))


def taus(
    difficulty: np.ndarray,
    people: np.ndarray,
    counts: np.ndarray,
    groups: np.ndarray | None = None,
    threads: int = 1,
) -> np.ndarray:
    """Kendall's τ-b between difficulty and the negated human score of a system's segments.

    Parameters
    ----------
    difficulty, people : ndarray, (systems, segments)
        Segments that lack one of them (NaN) are left out for the system.
    counts : ndarray of int, (segments, resamples)
    groups : ndarray of int, (segments,), optional
        Within each of these groups; else over all segments.
    threads : int

    Returns
    -------
    ndarray, (systems, groups, resamples)
        NaN where one of the two has one value.
    """
    groups = np.zeros(people.shape[1], dtype=int) if groups is None else groups
    there, labels = judged_cases(difficulty, people), np.unique(groups)
    most = int(counts.sum(axis=0, dtype=np.int64).max())

    def of_system(system: int) -> np.ndarray:
        cases = [np.flatnonzero(there[system] & (groups == label)) for label in labels]
        return np.stack(
            [tau(difficulty[system, own], -people[system, own], counts[own], most) for own in cases]
        )

    return by_system(of_system, len(people), threads)


def tau(x: np.ndarray, y: np.ndarray, counts: np.ndarray, most: int) -> np.ndarray:
    """Kendall's τ-b of two variables, (cases,) each, on resamples, (cases, resamples) of how often
    a case is drawn, in one resample at most so many in all; (resamples,), NaN where one has one
    value."""
    from .kernels import LANES, resampled_tau

    if not x.size:
        return np.full(counts.shape[1], np.nan)
    # The tree is over the variable of fewer values.
    dense = (np.unique(values, return_inverse=True)[1].ravel() for values in (x, y))
    x, y = sorted(dense, key=np.max)
    order = np.argsort(y, kind="stable")
    starts = np.searchsorted(y[order], np.arange(y.max() + 2))
    kinds = (np.int16, np.int32) if most <= np.iinfo(np.int16).max else (np.int32, np.int64)
    room = np.empty((x.max() + 2, LANES), kinds[0]), np.empty((2, LANES), kinds[1])
    return resampled_tau(x, order, starts, counts, *room)


def correlations(
    difficulty: np.ndarray, people: np.ndarray, counts: np.ndarray, threads: int = 1
) -> np.ndarray:
    """Pearson's r between difficulty and the negated human score of a system's segments; parameters
    and result as of `taus`, with one group. NaN, too, where a difficulty is infinite."""
    there = judged_cases(difficulty, people)

    def of_system(system: int) -> np.ndarray:
        own = there[system]
        return pearson(difficulty[system, own], -people[system, own], counts[own])[None]

    return by_system(of_system, len(people), threads)


def pearson(x: np.ndarray, y: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Pearson's r of two variables, (cases,) each, on resamples, (cases, resamples) of how often a
    case is drawn; (resamples,), NaN where one has one value or an infinite one."""
    if not np.isfinite(x).all() or not x.size:
        return np.full(counts.shape[1], np.nan)
    x, y = x - x.mean(), y - y.mean()
    columns = np.stack([np.ones_like(x), x, y, x * x, y * y, x * y])
    n, sx, sy, xx, yy, xy = columns @ counts
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = xx - sx * sx / n, yy - sy * sy / n
        varied = (spread[0] > 1e-12 * xx) & (spread[1] > 1e-12 * yy)
        return np.where(varied, (xy - sx * sy / n) / np.sqrt(spread[0] * spread[1]), np.nan)


def partial_correlations(
    difficulty: np.ndarray, judged: Judged, counts: np.ndarray, threads: int = 1
) -> np.ndarray:
    """Partial rank correlation of difficulty and the negated human score given source length: r of
    what a polynomial of degree DEGREE in the rank of length leaves of their ranks.

    The curve is fitted once to all of a system's segments. Unlike Kendall's partial τ, it is 0
    where length alone connects the two. NaN where length leaves nothing of one of them. Parameters
    and result as of `correlations`.
    """
    there = judged_cases(difficulty, judged.people)

    def of_system(system: int) -> np.ndarray:
        own = there[system]
        values = [difficulty[system, own], -judged.people[system, own]]
        x, y = (beside_length(each, judged.lengths[own]) for each in values)
        return pearson(x, y, counts[own])[None]

    return by_system(of_system, len(judged.people), threads)


def beside_length(values: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """What a polynomial in the rank of length leaves of values' ranks, (cases,); zeros where it
    leaves rounding."""
    from scipy.stats import rankdata

    if not values.size:
        return values
    rank, by = rankdata(values), rankdata(lengths)
    place = 2 * by / len(by) - 1
    curve = np.linalg.qr(np.vander(place, DEGREE + 1))[0]
    rank = rank - rank.mean()
    left = rank - curve @ (curve.T @ rank)
    return left if np.square(left).sum() > 1e-12 * np.square(rank).sum() else np.zeros(len(left))


def hardest_scores(difficulty: np.ndarray, people: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Mean human score of a system's hardest segments, a share of BUDGET of those judged; of
    equally hard ones the earlier segment first. Parameters and result as of `correlations`."""
    there = judged_cases(difficulty, people)
    orders = [
        row[np.argsort(-values[row], kind="stable")]
        for row, values in zip(map(np.flatnonzero, there), difficulty, strict=True)
    ]
    found = np.empty((len(people), 1, counts.shape[1]))
    # Systems whose segments have one order share what is taken.
    for order in {own.tobytes(): own for own in orders}.values():
        same = np.array([np.array_equal(own, order) for own in orders])
        drawn = counts[order].astype(np.int32)
        number = np.ceil(BUDGET * drawn.sum(axis=0))
        taken = np.clip(number - (np.cumsum(drawn, axis=0) - drawn), 0, drawn)
        with np.errstate(invalid="ignore", divide="ignore"):
            found[same, 0] = people[same][:, order] @ taken / number
    return found


def mean_over_systems(values: np.ndarray, drawn: np.ndarray | None = None) -> np.ndarray:
    """Mean over systems, then over groups, (resamples,); undefined ones are left out, NaN where
    none is defined. Values are (systems, groups, resamples); `drawn`, (resamples, systems), says
    how often each system counts, once by default."""
    times = np.ones((1, len(values))) if drawn is None else drawn.astype(float)
    times, known = np.broadcast_to(times, (values.shape[2], len(values))), np.isfinite(values)
    sums = np.einsum("rs,sgr->gr", times, np.where(known, values, 0.0))
    numbers = np.einsum("rs,sgr->gr", times, known.astype(float))
    with np.errstate(invalid="ignore", divide="ignore"):
        of_groups = sums / numbers
        defined = numbers > 0
        return np.where(defined, of_groups, 0.0).sum(axis=0) / defined.sum(axis=0)


class Exchange(NamedTuple):
    """Values of two difficulties, their difference, and two-sided p of a paired permutation test;
    `cases` are the hypotheses that have both and a human score."""

    value: float
    other: float
    p: float
    cases: int


def exchange_test(
    one: np.ndarray,
    other: np.ndarray,
    people: np.ndarray,
    masks: np.ndarray,
    groups: np.ndarray | None = None,
    threads: int = 1,
) -> Exchange:
    """Paired permutation test of two difficulties' DEC: their ranks among a system's segments are
    exchanged on random segments, alike for all systems.

    Parameters
    ----------
    one, other, people : ndarray, (systems, segments)
        Hypotheses that lack one of them (NaN) are left out.
    masks : ndarray of int, (segments, permutations)
        1 where a segment's ranks are exchanged; from `exchange_masks`.
    groups : ndarray of int, (segments,), optional
        DEC is within these groups; else over all segments.
    threads : int

    Returns
    -------
    Exchange
        p counts the data at hand (+1). Where fewer than FEW permutations reach the difference, it
        is the tail of a normal distribution of their variance, if that is smaller, so that p of
        many pairs can be adjusted. NaN where DEC is undefined.
    """
    from scipy.special import ndtr
    from scipy.stats import rankdata

    there = judged_cases(one, people) & judged_cases(other, people)
    both = np.where(there, people, np.nan)
    ranks = np.full((2, *people.shape), np.nan)
    for side, values in zip(ranks, (one, other), strict=True):
        for system, own in enumerate(there):
            side[system, own] = rankdata(values[system, own])
    # Each segment has two cases, of which a permutation takes one.
    cases = np.concatenate(ranks, axis=1)
    scores = np.concatenate([both, both], axis=1)
    double = None if groups is None else np.concatenate([groups, groups])
    taken = np.concatenate([1 - masks, masks]).astype(np.uint8)
    first = mean_over_systems(taus(cases, scores, taken, double, threads))
    second = mean_over_systems(taus(cases, scores, 1 - taken, double, threads))
    # No segment is exchanged in the first column.
    differences = first - second
    reached = ~(np.abs(differences[1:]) < abs(differences[0]) - 1e-12)
    p = (1 + reached.sum()) / (1 + reached.size)
    spread = np.sqrt(np.mean(np.square(differences[1:])))
    if reached.sum() < FEW and spread > 0:
        p = min(p, 2 * ndtr(-abs(differences[0]) / spread))
    p = float(p) if np.isfinite(differences[0]) else np.nan
    return Exchange(float(first[0]), float(second[0]), p, int(there.sum()))


def exchange_masks(segments: int, permutations: int, rng: np.random.Generator) -> np.ndarray:
    """Which segments' ranks are exchanged, (segments, 1 + permutations) of 0 and 1; none in the
    first column."""
    masks = np.zeros((segments, 1 + permutations), dtype=np.uint8)
    masks[:, 1:] = random_bits((segments, permutations), rng)
    return masks
