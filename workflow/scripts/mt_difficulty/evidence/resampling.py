"""Scores on other segments, recomputed from sums of segment statistics: drawn with replacement,
random halves, exchanged between systems, and without each one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..weighting.base import WeightedMetric
from .subsets import Correlations, correlate

# Resamples that are held at a time.
BLOCK = 1000
# Sums that are held at a time where all pairs of systems are: few enough for a processor's cache.
PAIR_BLOCK = 2**17
# Share of resamples that must be defined for an interval.
DEFINED = 0.95


def bootstrap_weights(segments: int, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """How often each segment is drawn, (resamples, segments): as many draws, with replacement."""
    weights = np.empty((resamples, segments), dtype=np.uint8)
    for start in range(0, resamples, BLOCK):
        block = weights[start : start + BLOCK]
        drawn = rng.integers(segments, size=block.shape)
        drawn += np.arange(len(block))[:, None] * segments
        block[:] = np.bincount(drawn.ravel(), minlength=block.size).reshape(block.shape)
    return weights


def resampled_scores(weighted: WeightedMetric, weights: np.ndarray) -> np.ndarray:
    """Scores on weighted segments, (resamples, segments) to (resamples, systems), higher is
    better."""
    columns = weighted.columns
    flat = np.moveaxis(columns, 1, 0).reshape(columns.shape[1], -1)
    shape, found = (len(columns), *columns.shape[2:]), []
    for start in range(0, len(weights), BLOCK):
        sums = weights[start : start + BLOCK].astype(float) @ flat
        found.append(weighted.quality(sums.reshape(len(sums), *shape)))
    return np.concatenate(found)


def interval(values: np.ndarray, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Percentile interval over axis 0: low and high, (...) each; NaN where fewer than DEFINED of
    the values are defined."""
    tail = 100 * (1 - level) / 2
    enough = np.isfinite(values).mean(axis=0) >= DEFINED
    low, high = np.nanpercentile(np.where(enough, values, 0.0), [tail, 100 - tail], axis=0)
    return np.where(enough, low, np.nan), np.where(enough, high, np.nan)


def score_interval(
    weighted: WeightedMetric, bootstrapped: np.ndarray, level: float = 0.95
) -> tuple[np.ndarray, np.ndarray]:
    """Interval of every system's score, low and high, (systems,) each, on the metric's own scale,
    from scores of `resampled_scores`."""
    ends = weighted.sign * np.array(interval(bootstrapped, level))
    return tuple(np.sort(ends, axis=0) + 0.0)  # no -0.0


def paired_bootstrap(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Paired bootstrap between systems (Jurafsky & Martin, 13.6), of scores on the same resamples,
    (resamples, systems), higher is better.

    Returns
    -------
    wins : ndarray, (systems, systems)
        Share of resamples in which the row's system scores higher than the column's, of those in
        which both have a score; as for intervals, NaN where these are fewer than DEFINED of all.
    p : ndarray, (systems, systems)
        One-sided: share in which it does not, with the data at hand counted (+1); NaN as `wins`.
    """
    there = np.isfinite(scores).astype(float)
    both = there.T @ there
    both[both < max(1, DEFINED * len(scores))] = np.nan
    wins = np.stack([(score[:, None] > scores).sum(axis=0) for score in scores.T])
    return wins / both, (1 + both - wins) / (1 + both)


def random_halves(
    weighteds: list[WeightedMetric], resamples: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores of a random half of each system's segments, and of the other half: every hypothesis
    falls to the first half with probability 1/2, the same one for all of `weighteds`, which are of
    the same systems and segments.

    Returns
    -------
    first, second : ndarray, (weighteds, resamples, systems)
        NaN where a weighted group is empty.
    share : ndarray, (resamples, systems)
        Of the segments that are in the first half.
    """
    columns = [weighted.columns for weighted in weighteds]
    systems, segments = columns[0].shape[:2]
    flat = np.concatenate([c.reshape(systems, segments, -1) for c in columns], axis=-1)
    ends = np.cumsum([c[0, 0].size for c in columns])[:-1]
    halves = np.empty((2, len(weighteds), resamples, systems))
    share = np.empty((resamples, systems))
    for start in range(0, resamples, BLOCK):
        rows = slice(start, min(start + BLOCK, resamples))
        for system in range(systems):
            first = random_bits((rows.stop - rows.start, segments), rng)
            share[rows, system] = first.mean(axis=1)
            sums = first @ flat[system]
            for half, of_half in enumerate((sums, flat[system].sum(axis=0) - sums)):
                parts = np.split(of_half, ends, axis=-1)
                for i, (weighted, c, part) in enumerate(
                    zip(weighteds, columns, parts, strict=True)
                ):
                    shaped = part.reshape(-1, *c.shape[2:])
                    halves[half, i, rows, system] = weighted.quality(shaped)
    return halves[0], halves[1], share


def random_bits(shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """0 or 1 with probability 1/2 each, as floats."""
    size = int(np.prod(shape))
    bits = np.unpackbits(np.frombuffer(rng.bytes(-(-size // 8)), np.uint8), count=size)
    return bits.reshape(shape).astype(float)


def paired_permutation(weighted: WeightedMetric, swapped: np.ndarray) -> np.ndarray:
    """Paired permutation test between systems: hypotheses of some segments change sides, where
    `swapped`, (permutations, segments), is 1 and not 0, with probability 1/2.

    Returns
    -------
    ndarray, (systems, systems)
        One-sided p that the row's system is not better than the column's: the share of
        permutations with at least the observed difference, as soft pairwise accuracy defines it
        (Thompson et al. 2024), without +1. 1/2 on the diagonal. NaN where a score is, or where
        fewer than DEFINED of the permutations leave both systems a score.
    """
    columns = weighted.columns
    systems, segments = columns.shape[:2]
    flat = np.moveaxis(columns, 1, 0).reshape(segments, -1)
    total = columns.sum(axis=1)
    one, other = np.triu_indices(systems, 1)
    observed = weighted.observed_quality()
    difference = observed[one] - observed[other]
    at_least = np.zeros(one.size)
    at_most = np.zeros(one.size)
    defined = np.zeros(one.size)
    block = max(1, BLOCK // 10)
    for start in range(0, len(swapped), block):
        rows = swapped[start : start + block].astype(float)
        sums = (rows @ flat).reshape(len(rows), *total.shape)
        step = max(1, PAIR_BLOCK // (len(rows) * total[0].size))
        for first in range(0, one.size, step):
            pairs = slice(first, first + step)
            i, j, least = one[pairs], other[pairs], difference[pairs]
            change = sums[:, j] - sums[:, i]
            permuted = weighted.quality(total[i] + change) - weighted.quality(total[j] - change)
            defined[pairs] += np.isfinite(permuted).sum(axis=0)
            at_least[pairs] += (permuted >= least - 1e-12).sum(axis=0)
            at_most[pairs] += (permuted <= least + 1e-12).sum(axis=0)
    p = np.full((systems, systems), 0.5)
    defined[np.isnan(difference) | (defined < DEFINED * len(swapped))] = np.nan
    p[one, other], p[other, one] = at_least / defined, at_most / defined
    return p


class Influence(NamedTuple):
    """What changes when a segment is left out, for every segment.

    `ranks` (systems,) on all segments, 1 is the best; `changes` (systems, segments) is positive
    where a system falls; `correlations` has arrays of (segments,), what is added to each
    correlation with gold. NaN where a score is.
    """

    ranks: np.ndarray
    changes: np.ndarray
    correlations: Correlations

    def at(self, places: np.ndarray, segments: int) -> Influence:
        """The same for segments at their places among others, which change nothing."""
        changes = np.zeros((len(self.changes), segments))
        changes[:, places] = self.changes
        added = np.zeros((len(self.correlations), segments))
        added[:, places] = self.correlations
        return Influence(self.ranks, changes, Correlations(*added))


def influence(weighted: WeightedMetric, gold: np.ndarray) -> Influence:
    """What leaving each segment out does to the ranking and to its agreement with gold, (systems,).
    The weights of the other segments stay what they are."""
    scores, without = weighted.observed_quality(), weighted.quality_without_each_segment()
    whole, parts = correlate(scores, gold), correlate(without.T, gold)
    added = Correlations(*(part - one for one, part in zip(whole, parts, strict=True)))
    # Sums of hundreds of segments: what differs only in the last digits is the same score.
    digits = 12 - int(np.ceil(np.log10(np.abs(np.nan_to_num(scores)).max() + 1e-12)))
    before, after = _ranks(scores[:, None].round(digits)), _ranks(without.round(digits))
    return Influence(before[:, 0], after - before, added)


def _ranks(scores: np.ndarray) -> np.ndarray:
    """Ranks over the first axis: 1 + how many score higher; NaN beside NaN."""
    higher = sum((other > scores).astype(float) for other in scores)
    return np.where(np.isnan(scores).any(axis=0), np.nan, 1 + higher)
