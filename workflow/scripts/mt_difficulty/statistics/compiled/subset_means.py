"""Compiled means of r, τ-b, ρ and pairwise accuracy over subsets of systems, for many resamples."""

import math

import numpy as np

from ...compiled import njit

# What `mean_correlations` gives, in order.
STATISTICS = ("pearson", "kendall", "spearman", "accuracy")


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
    resamples, size = len(scores), subsets.shape[1]
    found, sums = np.empty((resamples, 4)), np.empty((3, 3))
    x, y = np.empty(size), np.empty(size)
    for row in range(resamples):
        total, count = np.zeros(4), 0
        for s in range(len(subsets)):
            for place in range(size):
                x[place], y[place] = scores[row, subsets[s, place]], gold[row, subsets[s, place]]
            alike = _sum_products(x, y, sums)
            # Of order, the sums of squares are 0 where one side is constant.
            if sums[1, 1] > 0 and sums[1, 2] > 0 and not np.isnan(sums[0, 0]):
                total[:3] += sums[:, 0] / np.sqrt(sums[:, 1] * sums[:, 2])
                total[3] += alike / sums[1, 2]
                count += 1
        found[row] = total / count  # NaN without any
    return found


@njit(cache=True, nogil=True, error_model="numpy")
def _sum_products(x: np.ndarray, y: np.ndarray, sums: np.ndarray) -> int:
    """Σxy, Σxx, Σyy, by statistic: of centred scores, of the signs
    of pairwise differences, and of the sums of these signs (twice the centred ranks). Gives the
    number of ordered pairs that gold orders, and scores alike."""
    size, alike = x.size, 0
    mean_x = mean_y = 0.0
    for a in range(size):
        mean_x += x[a] / size
        mean_y += y[a] / size
    top_x = top_y = 0.0
    for a in range(size):
        top_x, top_y = max(top_x, abs(x[a] - mean_x)), max(top_y, abs(y[a] - mean_y))
    # Powers of two, so that squares are neither infinite nor 0.
    scale_x, scale_y = math.frexp(top_x)[1], math.frexp(top_y)[1]
    sums[:] = 0
    for a in range(size):
        of_x = of_y = both = xx = yy = 0
        for b in range(size):
            i = int(x[a] > x[b]) - int(x[a] < x[b])
            j = int(y[a] > y[b]) - int(y[a] < y[b])
            of_x += i
            of_y += j
            both += i * j
            xx += i * i
            yy += j * j
            alike += i * j == 1
        _add(sums[0], math.ldexp(x[a] - mean_x, -scale_x), math.ldexp(y[a] - mean_y, -scale_y))
        sums[1, 0] += both
        sums[1, 1] += xx
        sums[1, 2] += yy
        _add(sums[2], of_x, of_y)
    return alike


@njit(cache=True, nogil=True, error_model="numpy")
def _add(sums: np.ndarray, x: float, y: float) -> None:
    sums[0] += x * y
    sums[1] += x * x
    sums[2] += y * y
