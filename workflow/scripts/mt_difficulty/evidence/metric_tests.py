"""Permutation tests between all pairs of metrics, or of metrics under weightings, and clusters of
significance. PERM-BOTH (Deutsch et al. 2021) of system scores has the same random halves for all
pairs, tests of segment scores the same random masks.

A key is a metric or a metric under a weighting. p-values are one-sided, with +1: p[i, j] is small
where key i agrees better with people than key j; it tests that j is at least as good as i.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..statistics.base import grouped
from .resampling import DEFINED, random_bits

# Statistics of system scores, in the order of results, and groupings of correlations of segments.
SYSTEM = ("pearson", "kendall", "spearman", "accuracy", "soft_accuracy")
CORRELATIONS = ("none", "system")
# Resamples that are held at a time, few enough for a processor's cache; masks of pairs of scores.
BLOCK, PAIR_BLOCK = 128, 64
TOLERANCE = 1e-12


class Tests(NamedTuple):
    """Statistics of keys, and one-sided p-values of their differences.

    Attributes
    ----------
    value : ndarray, (statistics, keys)
    p : ndarray, (statistics, keys, keys)
        NaN where a value is, or where too few resamples are defined; 1 on the diagonal.
    """

    value: np.ndarray
    p: np.ndarray


def system_tests(
    observed: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    share: np.ndarray,
    gold: np.ndarray,
    gold_p: np.ndarray | None = None,
    influence: np.ndarray | None = None,
) -> Tests:
    """Tests of r, τ-b, ρ, pairwise accuracy and SPA of system scores (`SYSTEM`).

    A side's score is the mean of its own score of one half of a system's segments and the other
    key's score of the other half, by their numbers, as `gains.exchange`. For SPA p-values between
    systems are those of `soft_accuracy.normal_p`; the variance of the difference of two systems'
    exchanged scores is the mean over the four ways in which the two systems can be scored by the
    two keys.

    Parameters
    ----------
    observed : ndarray, (keys, systems)
        Scores, standardised by mean and deviation of segment scores; higher is better.
    first, second : ndarray, (keys, resamples, systems)
        Standardised scores of a random half of each system's segments and of the other half, as
        `resampling.random_halves`; NaN where a half has none. p is that of the resamples that
        leave every system a score; NaN where these are fewer than DEFINED of all.
    share : ndarray, (resamples, systems)
        Of the segments that are in the first half.
    gold : ndarray, (systems,)
        Human scores.
    gold_p : ndarray, (systems, systems), optional
        p-values of human scores, that the row's system is not better than the column's; SPA is NaN
        without them.
    influence : ndarray, (keys, systems, segments), optional
        With `gold_p`: what a segment adds to a system's score, to first order, in units of the
        scores, on the same segments: of a mean, (score − mean) / segments.
    """
    from .kernels import count_system, system_statistics

    gold, keys = np.asarray(gold, float), len(observed)
    pairs = np.triu_indices(observed.shape[1], 1)
    of_pairs, segments = np.full(pairs[0].size, np.nan), 1
    variance = np.zeros((keys, keys, pairs[0].size))
    if gold_p is not None and influence is not None:
        of_pairs, segments = np.ascontiguousarray(gold_p[pairs]), influence.shape[2]
        variance = mixed_variance(influence)
    columns = [
        system_statistics(scores[:, None], gold, of_pairs, variance[key, key], segments)
        for key, scores in enumerate(observed)
    ]
    values = np.ascontiguousarray(np.concatenate(columns, axis=1))
    counts = undefined = np.zeros((5, keys, keys), int)
    for rows in _blocks(len(share), BLOCK):
        part = share[rows]
        own, other = (
            np.ascontiguousarray(scores.transpose(0, 2, 1))
            for scores in ((1 - part) * second[:, rows], part * first[:, rows])
        )
        reached, lost = count_system(own, other, gold, of_pairs, variance, segments, values)
        counts, undefined = counts + reached, undefined + lost
    defined = len(share) - undefined
    p = p_values(counts, defined, values)
    return Tests(values, np.where(defined < DEFINED * len(share), np.nan, p))


def mixed_variance(influence: np.ndarray) -> np.ndarray:
    """Variance of the difference of two systems' scores, mean over the four ways in which the two
    systems can be scored by two keys, from influence (keys, systems, segments).

    Returns
    -------
    ndarray, (keys, keys, pairs)
        Σ_i (u_i − v_i)² of the systems' centred influence values, in the order of
        `np.triu_indices`; 0 where that is rounding.
    """
    centred = influence - influence.mean(axis=2, keepdims=True)
    squares, keys = np.square(centred).sum(axis=2), len(influence)
    pairs = list(zip(*np.triu_indices(influence.shape[1], 1), strict=True))
    found = np.empty((keys, keys, len(pairs)))
    for pair, (a, b) in enumerate(pairs):
        own, products = squares[:, a] + squares[:, b], centred[:, a] @ centred[:, b].T
        size, same = own[:, None] + own, np.diag(products)
        variance = (size - same[:, None] - same - products - products.T) / 2
        found[..., pair] = np.where(variance > TOLERANCE * size, variance, 0.0)
    return found


def correlation_tests(
    scores: np.ndarray, gold: np.ndarray, resamples: int, rng: np.random.Generator
) -> Tests:
    """Tests of Pearson's r of segment scores: of all scores at once, and the mean over systems
    (`CORRELATIONS`). Every metric's scores are standardised by mean and deviation over those with a
    human score; a random half of them changes sides.

    Parameters
    ----------
    scores : ndarray, (keys, systems, segments)
        Higher is better; a key that lacks a score where there is a human score has NaN.
    gold : ndarray, (systems, segments)
        NaN where there is no human score.
    resamples : int
    rng : Generator
    """
    from .kernels import correlations, count_correlations

    groups, keys = grouped(gold, "system"), len(scores)
    rated = scores.reshape(keys, -1)[:, groups.cells]
    mean, deviation = rated.mean(axis=1, keepdims=True), rated.std(axis=1, keepdims=True)
    x = (rated - mean) / np.where(deviation > 0, deviation, 1.0)
    y = groups.gold - groups.gold.mean()
    # Correlations follow from sums over each system's segments: of x, x² and xy, and of 1, y, y².
    parts = [slice(*ends) for ends in pairwise(groups.starts)]
    columns = np.stack([x, x * x, x * y]).transpose(2, 0, 1)
    totals = np.stack([columns[part].sum(axis=0) for part in parts])
    of_gold = np.stack([np.ones_like(y), y, y * y], axis=-1)
    of_gold = np.stack([of_gold[part].sum(axis=0) for part in parts])
    values, counts = np.empty((2, keys)), np.zeros((2, keys, keys), int)
    correlations(np.zeros(of_gold.shape), totals, of_gold, values)
    flat, blocks = columns.reshape(len(y), -1), _blocks(resamples, BLOCK)
    for rows, own in zip(blocks, rng.spawn(len(blocks)), strict=True):
        kept = random_bits((rows.stop - rows.start, len(y)), own)
        sums = np.stack([kept[:, part] @ flat[part] for part in parts], axis=1)
        shaped = sums.reshape(*sums.shape[:2], 3, keys)
        counts += count_correlations(shaped, totals, of_gold, values)
    return Tests(values, p_values(counts, resamples, values))


def comparison_tests(
    scores: np.ndarray,
    gold: np.ndarray,
    epsilon: np.ndarray,
    resamples: int,
    rng: np.random.Generator,
) -> Tests:
    """Tests of pairwise accuracy of segment scores with ties (`statistics.acc23`,
    `statistics.acc_eq`), on pairs of systems of the same segment; arguments as for
    `correlation_tests`.

    Not scores change sides, but whether a metric orders or ties a pair as people do, each metric
    at its own threshold, which is not calibrated again (the pairs test of the WMT metrics task):
    scores that differ by no more than `epsilon`, (keys,), tie."""
    agreed, keys = agreements(scores, gold, epsilon), len(scores)
    if not agreed:  # no segment has two human scores
        return Tests(np.full((1, keys), np.nan), np.full((1, keys, keys), np.nan))
    values = sum(weight * agree.sum(axis=0, dtype=float) for weight, agree in agreed)
    least, counts = values[:, None] - values, np.zeros((keys, keys), int)
    blocks = _blocks(resamples, PAIR_BLOCK)
    for rows, own in zip(blocks, rng.spawn(len(blocks)), strict=True):
        sums = np.zeros((rows.stop - rows.start, keys))
        for weight, agree in agreed:
            # 1 or −1, which exchanges the agreements of two keys. Sums of fewer than 2^24 ones are
            # exact in single precision.
            bits = random_bits((len(sums), len(agree)), own).astype(np.float32)
            sums += weight * ((2 * bits - 1) @ agree).astype(float)
        counts += (sums[:, :, None] - sums[:, None] >= least - TOLERANCE).sum(axis=0)
    return Tests(values[None], p_values(counts[None], resamples, values[None]))


def agreements(
    scores: np.ndarray, gold: np.ndarray, epsilon: np.ndarray
) -> list[tuple[float, np.ndarray]]:
    """By what a pair of systems counts: that weight, and whether keys agree with people, (pairs,
    keys), as 32-bit floats."""
    from ..statistics.compiled.comparisons import agreeing, pair_weights

    groups = grouped(gold, "item")
    sizes = np.diff(groups.starts)
    weights, divisor = pair_weights(sizes)
    of_pair = np.repeat(weights, sizes * (sizes - 1) // 2)
    rated = scores.reshape(len(scores), -1)[:, groups.cells]
    agree = np.stack(
        [agreeing(x, groups.gold, groups.starts, e) for x, e in zip(rated, epsilon, strict=True)],
        axis=1,
    ).astype(np.float32)
    agree[:, ~np.isfinite(rated).all(axis=1)] = np.nan
    return [(weight / divisor, agree[of_pair == weight]) for weight in np.unique(of_pair)]


def _blocks(resamples: int, size: int) -> list[slice]:
    """Resamples in blocks of some size; the last one may be smaller."""
    return [slice(start, min(start + size, resamples)) for start in range(0, resamples, size)]


def p_values(counts: np.ndarray, resamples: int | np.ndarray, values: np.ndarray) -> np.ndarray:
    """p with +1, from how often differences are reached in how many resamples; NaN where a value
    is."""
    p = (1 + counts) / (1 + resamples)
    keys = np.arange(counts.shape[-1])
    p[..., keys, keys] = 1.0
    undefined = np.isnan(values[..., :, None] + values[..., None, :])
    return np.where(undefined, np.nan, p)


def ranking(values: np.ndarray, names: Sequence[str]) -> np.ndarray:
    """The order of falling value, ties by name, NaN last: indices, (keys,)."""
    return np.array(
        sorted(range(len(names)), key=lambda i: (-np.nan_to_num(values[i], nan=-np.inf), names[i])),
        dtype=int,
    )


def clusters(p: np.ndarray, order: np.ndarray, level: float = 0.05) -> np.ndarray:
    """Ranks of clusters of significance, (keys,) from 1, as in the WMT metrics task.

    From the best key on, a key begins a new cluster if a key of the current one is significantly
    better than it: p, (keys, keys), that the column's key is at least as good as the row's, is at
    most `level`; NaN is not significant. `order` is as from `ranking`."""
    ranks, first = np.ones(len(order), int), 0
    for place, key in enumerate(order):
        if (p[order[first:place], key] <= level).any():
            first = place
            ranks[order[place:]] += 1
    return ranks
