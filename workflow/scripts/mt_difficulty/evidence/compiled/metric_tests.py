"""Compiled PERM-BOTH tests between all pairs of metrics (or metrics under weightings), keys."""

import math

import numpy as np

from ...compiled import njit
from .normal import REACH, STEPS, TABLE

TOLERANCE = 1e-12


@njit(cache=True, nogil=True, error_model="numpy")
def system_statistics(
    scores: np.ndarray, gold: np.ndarray, gold_p: np.ndarray, variance: np.ndarray, segments: int
) -> np.ndarray:
    """Pearson's r, τ-b, ρ, pairwise accuracy and SPA of many scores, (5, resamples).

    Parameters
    ----------
    scores : ndarray, (systems, resamples)
    gold : ndarray, (systems,)
    gold_p, variance : ndarray, (pairs,)
        p-values of human scores and variances of differences of scores, for SPA.
    segments : int
    """
    systems, resamples = scores.shape
    ranks, gold_ranks = np.zeros((systems, resamples)), np.zeros(systems)
    both, ordered, alike = np.zeros(resamples), np.zeros(resamples), np.zeros(resamples)
    gaps, places = np.zeros(resamples), np.empty(resamples)
    gold_ordered, pair = 0, 0
    for a in range(systems):
        for b in range(a + 1, systems):
            y = 1.0 * (gold[a] > gold[b]) - 1.0 * (gold[a] < gold[b])
            gold_ranks[a] += y
            gold_ranks[b] -= y
            gold_ordered += y != 0
            _compare(scores[a], scores[b], y, ranks[a], ranks[b], both, ordered, alike)
            _add_gaps(scores[a], scores[b], variance[pair], segments, gold_p[pair], places, gaps)
            pair += 1
    found = np.empty((5, resamples))
    _pearson(scores, gold, found[0])
    for r in range(resamples):
        found[1, r] = both[r] / math.sqrt(ordered[r] * gold_ordered)
        found[2, r] = _cosine(ranks[:, r], gold_ranks)
        found[3, r] = alike[r] / gold_ordered
        found[4, r] = 1 - gaps[r] / pair
        if np.isnan(scores[:, r].sum()):
            found[:, r] = np.nan
        elif ordered[r] == 0 or gold_ordered == 0:
            found[:4, r] = np.nan
    return found


@njit(cache=True, nogil=True, error_model="numpy")
def _compare(
    x: np.ndarray,
    other: np.ndarray,
    y: float,
    ranks: np.ndarray,
    other_ranks: np.ndarray,
    both: np.ndarray,
    ordered: np.ndarray,
    alike: np.ndarray,
) -> None:
    """Adds a pair of systems, whose gold has the sign y, to the sums of every resample."""
    for r in range(x.size):
        sign = 1.0 * (x[r] > other[r]) - 1.0 * (x[r] < other[r])
        ranks[r] += sign
        other_ranks[r] -= sign
        both[r] += sign * y
        ordered[r] += sign * sign
        alike[r] += 1.0 * (sign * y > 0)


@njit(cache=True, nogil=True, error_model="numpy")
def _add_gaps(
    x: np.ndarray,
    other: np.ndarray,
    variance: float,
    segments: int,
    gold_p: float,
    places: np.ndarray,
    gaps: np.ndarray,
) -> None:
    """Adds |p − gold_p| of a pair of systems; p as `normal.permutation_p`, of scores that are not
    NaN."""
    top, share = TABLE.size - 1.001, 1.0 / segments
    for r in range(x.size):
        difference = x[r] - other[r]
        z = difference / math.sqrt(variance + difference * difference * share)
        place = (REACH - z) * STEPS
        place = place if place > 0.0 else 0.0  # NaN too
        places[r] = place if place < top else top
    for r in range(x.size):
        step = int(places[r])
        p = TABLE[step] + (places[r] - step) * (TABLE[step + 1] - TABLE[step])
        if variance == 0 and x[r] == other[r]:
            p = 1.0
        gaps[r] += abs(p - gold_p)


@njit(cache=True, nogil=True, error_model="numpy")
def _pearson(scores: np.ndarray, gold: np.ndarray, found: np.ndarray) -> None:
    systems, centred = len(gold), gold - gold.mean()
    spread = (centred * centred).sum()
    for r in range(found.size):
        mean = scores[:, r].mean()
        xy = xx = 0.0
        for s in range(systems):
            x = scores[s, r] - mean
            xy += x * centred[s]
            xx += x * x
        found[r] = xy / math.sqrt(xx * spread)


@njit(cache=True, nogil=True, error_model="numpy")
def _cosine(x: np.ndarray, y: np.ndarray) -> float:
    xy = xx = yy = 0.0
    for i in range(x.size):
        xy += x[i] * y[i]
        xx += x[i] * x[i]
        yy += y[i] * y[i]
    return xy / math.sqrt(xx * yy)


@njit(cache=True, nogil=True, error_model="numpy")
def count_system(
    own: np.ndarray,
    other: np.ndarray,
    gold: np.ndarray,
    gold_p: np.ndarray,
    variance: np.ndarray,
    segments: int,
    values: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """How often the difference of two keys' statistics is reached with hypotheses exchanged, and
    how often it is undefined.

    Parameters
    ----------
    own, other : ndarray, (keys, systems, resamples)
        What a key adds to its own score, and to the score of the key that it is compared with.
    gold : ndarray, (systems,)
    gold_p : ndarray, (pairs,)
    variance : ndarray, (keys, keys, pairs)
    segments : int
    values : ndarray, (5, keys)
        Statistics of the scores as they are.

    Returns
    -------
    reached, undefined : ndarray of int, (5, keys, keys)
        The difference is that of the row's key to the column's.
    """
    keys = len(own)
    counts = np.zeros((5, keys, keys), np.int64)
    undefined = np.zeros((5, keys, keys), np.int64)
    for i in range(keys):
        for j in range(i + 1, keys):
            spread = variance[i, j]
            one = system_statistics(own[i] + other[j], gold, gold_p, spread, segments)
            two = system_statistics(own[j] + other[i], gold, gold_p, spread, segments)
            for k in range(5):
                least = values[k, i] - values[k, j]
                for r in range(one.shape[1]):
                    difference = one[k, r] - two[k, r]
                    counts[k, i, j] += difference >= least - TOLERANCE
                    counts[k, j, i] += difference <= least + TOLERANCE
                    undefined[k, i, j] += np.isnan(difference)
                undefined[k, j, i] = undefined[k, i, j]
    return counts, undefined
