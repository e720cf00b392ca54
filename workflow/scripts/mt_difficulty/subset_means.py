"""Mean correlations over subsets of systems, for many resamples of the scores."""

import numpy as np
from numba import njit


def mean_correlations(scores: np.ndarray, gold: np.ndarray, subsets: np.ndarray) -> np.ndarray:
    """Mean r, τ-b, ρ and pairwise accuracy over subsets, those where one is undefined left aside.

    Parameters
    ----------
    scores, gold : ndarray, (resamples, systems)
        Higher is better; `gold` may be (systems,).
    subsets : ndarray of int, (subsets, size)

    Returns
    -------
    ndarray, (resamples, 4)
        Pairwise accuracy (Kocmi et al. 2021) is the share of scores that order a pair of systems as
        gold does, 0 to 1, of the pairs that gold orders: a system that is drawn twice is no pair.
        All NaN where every subset has constant or undefined scores or gold.
    """
    gold = np.broadcast_to(gold, scores.shape)
    return _means(np.ascontiguousarray(scores, float), np.ascontiguousarray(gold, float), subsets)


@njit(cache=True, nogil=True, error_model="numpy")
def _means(scores: np.ndarray, gold: np.ndarray, subsets: np.ndarray) -> np.ndarray:
    resamples, systems = scores.shape
    found = np.empty((resamples, 4))
    order, wanted = np.empty((systems, systems)), np.empty((systems, systems))
    ranks, sums = np.empty((2, subsets.shape[1])), np.empty((3, 3))
    for row in range(resamples):
        for i in range(systems):
            for j in range(systems):
                order[i, j] = np.sign(scores[row, i] - scores[row, j])
                wanted[i, j] = np.sign(gold[row, i] - gold[row, j])
        total, count = np.zeros(4), 0
        for s in range(len(subsets)):
            alike = _sum_products(scores[row], gold[row], order, wanted, subsets[s], ranks, sums)
            # Of order, the sums of squares are 0 where one side is constant, and NaN with a NaN.
            if sums[1, 1] > 0 and sums[1, 2] > 0:
                total[:3] += sums[:, 0] / np.sqrt(sums[:, 1] * sums[:, 2])
                total[3] += alike / sums[1, 2]
                count += 1
        found[row] = total / count  # NaN without any
    return found


@njit(cache=True, nogil=True, error_model="numpy")
def _sum_products(
    scores: np.ndarray,
    gold: np.ndarray,
    order: np.ndarray,
    wanted: np.ndarray,
    subset: np.ndarray,
    ranks: np.ndarray,
    sums: np.ndarray,
) -> int:
    """Σxy, Σxx, Σyy, by statistic, as in `correlation.correlate`: of centred scores, of the signs
    of pairwise differences, and of the sums of these signs (twice the centred ranks). Gives the
    number of pairs that gold orders, and scores alike."""
    size, alike = subset.size, 0
    mean_x = mean_y = 0.0
    for i in subset:
        mean_x += scores[i] / size
        mean_y += gold[i] / size
    sums[:] = 0
    ranks[:] = 0
    for a in range(size):
        i = subset[a]
        for b in range(a):
            x, y = order[i, subset[b]], wanted[i, subset[b]]
            alike += x == y and y != 0
            ranks[0, a] += x
            ranks[0, b] -= x
            ranks[1, a] += y
            ranks[1, b] -= y
            sums[1, 0] += x * y
            sums[1, 1] += x * x
            sums[1, 2] += y * y
        x, y = scores[i] - mean_x, gold[i] - mean_y
        sums[0, 0] += x * y
        sums[0, 1] += x * x
        sums[0, 2] += y * y
    for a in range(size):
        sums[2, 0] += ranks[0, a] * ranks[1, a]
        sums[2, 1] += ranks[0, a] * ranks[0, a]
        sums[2, 2] += ranks[1, a] * ranks[1, a]
    return alike
