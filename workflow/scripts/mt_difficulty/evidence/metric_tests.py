"""Permutation tests between all pairs of metrics, or of metrics under weightings: PERM-BOTH
(Deutsch et al. 2021) of system scores, with the same random halves for all pairs; and clusters of
significance. Those of segment scores are in `segment_tests`.

A key is a metric or a metric under a weighting. p-values are one-sided, with +1: p[i, j] is small
where key i agrees better with people than key j; it tests that j is at least as good as i.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from .resampling import DEFINED

# Statistics, in the order of results.
SYSTEM = ("pearson", "kendall", "spearman", "accuracy", "soft_accuracy")
# Resamples that are held at a time: few enough for a processor's cache.
BLOCK = 128
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


class Soft(NamedTuple):
    """What SPA needs beside system scores.

    Attributes
    ----------
    gold_p : ndarray, (systems, systems)
        p-values of human scores, that the row's system is not better than the column's.
    influence : ndarray, (keys, systems, segments)
        What a segment adds to a system's score, to first order, in units of the scores: of a mean,
        (score − mean) / segments.
    """

    gold_p: np.ndarray
    influence: np.ndarray


def system_tests(
    observed: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    share: np.ndarray,
    gold: np.ndarray,
    soft: Soft | None,
    threads: int = 1,
) -> Tests:
    """Tests of r, τ-b, ρ, pairwise accuracy and SPA of system scores (`SYSTEM`).

    A side's score is the mean of its own score of one half of a system's segments and the other
    key's score of the other half, by their numbers, as `exchange.exchange`. For SPA p-values
    between systems are those of `soft_accuracy.normal_p`; the variance of the difference of two
    systems' exchanged scores is the mean over the four ways in which the two systems can be scored
    by the two keys.

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
    soft : Soft, optional
        Of standardised scores, on the same segments; SPA is NaN without it.
    threads : int
    """
    from .compiled.metric_tests import count_system, system_statistics

    gold = np.asarray(gold, float)
    gold_p, variance, segments = _soft_inputs(soft, *observed.shape)
    columns = [
        system_statistics(scores[:, None], gold, gold_p, variance[key, key], segments)
        for key, scores in enumerate(observed)
    ]
    values = np.ascontiguousarray(np.concatenate(columns, axis=1))

    def count(rows: slice) -> tuple[np.ndarray, np.ndarray]:
        part = share[rows]
        own = _resamples_last((1 - part) * second[:, rows])
        other = _resamples_last(part * first[:, rows])
        return count_system(own, other, gold, gold_p, variance, segments, values)

    counts, undefined = total(count, blocks(len(share), BLOCK), threads)
    defined = len(share) - undefined
    p = p_values(counts, defined, values)
    return Tests(values, np.where(defined < DEFINED * len(share), np.nan, p))


def _soft_inputs(soft: Soft | None, keys: int, systems: int) -> tuple[np.ndarray, np.ndarray, int]:
    """p-values of human scores and variances, by pair of systems, and the number of segments."""
    pairs = np.triu_indices(systems, 1)
    if soft is None:
        return np.full(pairs[0].size, np.nan), np.zeros((keys, keys, pairs[0].size)), 1
    variance = mixed_variance(soft.influence)
    return np.ascontiguousarray(soft.gold_p[pairs]), variance, soft.influence.shape[2]


def mixed_variance(influence: np.ndarray) -> np.ndarray:
    """Variance of the difference of two systems' scores, mean over the four ways in which the two
    systems can be scored by two keys.

    Parameters
    ----------
    influence : ndarray, (keys, systems, segments)

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


def ranking(values: np.ndarray, names: Sequence[str]) -> np.ndarray:
    """The order of falling value, ties by name, NaN last: indices, (keys,)."""
    return np.array(
        sorted(range(len(names)), key=lambda i: (-np.nan_to_num(values[i], nan=-np.inf), names[i])),
        dtype=int,
    )


def clusters(p: np.ndarray, order: np.ndarray, level: float = 0.05) -> np.ndarray:
    """Ranks of clusters of significance, as in the WMT metrics task.

    From the best key on, a key begins a new cluster if a key of the current one is significantly
    better than it.

    Parameters
    ----------
    p : ndarray, (keys, keys)
        One-sided, that the column's key is at least as good as the row's; NaN is not significant.
    order : ndarray of int, (keys,)
        As from `ranking`.
    level : float
        p-values up to here are significant.

    Returns
    -------
    ndarray of int, (keys,)
        From 1, for each key.
    """
    ranks, first = np.ones(len(order), int), 0
    for place, key in enumerate(order):
        if (p[order[first:place], key] <= level).any():
            first = place
            ranks[order[place:]] += 1
    return ranks


def _resamples_last(scores: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(scores.transpose(0, 2, 1))


def blocks(resamples: int, size: int) -> list[slice]:
    """Resamples in blocks of some size; the last one may be smaller."""
    return [slice(start, min(start + size, resamples)) for start in range(0, resamples, size)]


def total(count: Callable[[Any], Any], parts: Sequence[Any], threads: int) -> np.ndarray:
    """The sum of what a function gives of parts, on some threads."""
    with ThreadPoolExecutor(threads) as pool:
        return np.sum(list(pool.map(count, parts)), axis=0)


def p_values(counts: np.ndarray, resamples: int | np.ndarray, values: np.ndarray) -> np.ndarray:
    """p with +1, from how often differences are reached in how many resamples; NaN where a value
    is."""
    p = (1 + counts) / (1 + resamples)
    keys = np.arange(counts.shape[-1])
    p[..., keys, keys] = 1.0
    undefined = np.isnan(values[..., :, None] + values[..., None, :])
    return np.where(undefined, np.nan, p)
