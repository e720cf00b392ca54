"""Compiled comparisons of pairs of scores within groups, and the calibration of ties.

The functions take the metric's and people's scores, (scores,), all finite, and where groups start,
(groups + 1,).
"""

from math import lcm

import numpy as np

from ...compiled import njit

# Integers up to here are exact as floats.
EXACT = 2.0**53


def pair_weights(sizes: np.ndarray) -> tuple[np.ndarray, float]:
    """What a pair counts in the mean over groups of shares of pairs, and the divisor of the sum.

    Weights are whole numbers, and their sums exact, as long as groups · L < 2^53, with L the least
    common multiple of the groups' numbers of pairs; beyond, they are rounded.

    Parameters
    ----------
    sizes : ndarray of int, (groups,)
        Numbers of scores; groups of fewer than two have no pair and weight 0.

    Returns
    -------
    weights : ndarray, (groups,)
    divisor : float
        0 without any pair.
    """
    pairs = sizes * (sizes - 1) // 2
    compared = np.flatnonzero(pairs)
    multiple = lcm(*map(int, np.unique(pairs[compared])))
    if multiple * len(compared) >= EXACT:
        multiple = 1
    weights = np.zeros(len(sizes))
    weights[compared] = multiple / pairs[compared]
    return weights, float(multiple * len(compared))


def calibrate(scores: np.ndarray, gold: np.ndarray, starts: np.ndarray) -> tuple[float, float]:
    """The best mean share of pairs that the metric orders or ties as people do, and the smallest
    threshold ε that gives it: metric scores tie whose difference is at most ε.

    NaN for both without any pair.
    """
    weights, divisor = pair_weights(np.diff(starts))
    if not divisor:
        return np.nan, np.nan
    without = agreements(scores, gold, starts, 0.0) @ weights
    differences, changes = _changes(scores, gold, starts, weights)
    order = np.argsort(differences)
    best, epsilon = _best(without, differences[order], changes[order])
    return best / divisor, epsilon


@njit(cache=True, nogil=True, error_model="numpy")
def agreements(
    scores: np.ndarray, gold: np.ndarray, starts: np.ndarray, epsilon: float
) -> np.ndarray:
    """How many pairs of each group the metric orders or ties as people do, as floats, (groups,)."""
    found = np.zeros(len(starts) - 1)
    for group in range(len(found)):
        for a in range(starts[group], starts[group + 1]):
            for b in range(a + 1, starts[group + 1]):
                found[group] += _agree(scores[a] - scores[b], gold[a], gold[b], epsilon)
    return found


@njit(cache=True, nogil=True, error_model="numpy")
def agreeing(
    scores: np.ndarray, gold: np.ndarray, starts: np.ndarray, epsilon: float
) -> np.ndarray:
    """Whether the metric orders or ties a pair as people do, of all pairs of all groups in turn:
    ndarray of bool, (pairs,)."""
    sizes = np.diff(starts)
    found, place = np.empty((sizes * (sizes - 1) // 2).sum(), np.bool_), 0
    for group in range(len(starts) - 1):
        for a in range(starts[group], starts[group + 1]):
            for b in range(a + 1, starts[group + 1]):
                found[place] = _agree(scores[a] - scores[b], gold[a], gold[b], epsilon)
                place += 1
    return found


@njit(cache=True, nogil=True, error_model="numpy")
def _agree(difference: float, one: float, other: float, epsilon: float) -> bool:
    if abs(difference) <= epsilon:
        return one == other
    return (difference > 0) == (one > other) and one != other


@njit(cache=True, nogil=True, error_model="numpy")
def _changes(
    scores: np.ndarray, gold: np.ndarray, starts: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Of the pairs whose agreement a tie of metric scores changes: |difference| of metric scores,
    and what the tie adds to the weighted sum of agreements."""
    sizes = np.diff(starts)
    pairs, count = (sizes * (sizes - 1) // 2).sum(), 0
    differences, changes = np.empty(pairs), np.empty(pairs)
    for group in range(len(sizes)):
        for a in range(starts[group], starts[group + 1]):
            for b in range(a + 1, starts[group + 1]):
                difference = scores[a] - scores[b]
                tied = gold[a] == gold[b]
                if difference != 0 and (tied or (difference > 0) == (gold[a] > gold[b])):
                    differences[count] = abs(difference)
                    changes[count] = weights[group] if tied else -weights[group]
                    count += 1
    return differences[:count], changes[:count]


@njit(cache=True, nogil=True, error_model="numpy")
def _best(total: float, differences: np.ndarray, changes: np.ndarray) -> tuple[float, float]:
    """The greatest of running sums, and the first of the sorted differences that gives it; all
    equal differences count at once."""
    best, epsilon = total, 0.0
    for i in range(len(differences)):
        total += changes[i]
        last = i + 1 == len(differences) or differences[i + 1] != differences[i]
        if last and total > best:
            best, epsilon = total, differences[i]
    return best, epsilon
