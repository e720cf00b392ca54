"""Compiled means of Pearson's r and Kendall's τ-b over groups of scores.

The functions take the metric's and people's scores, (scores,), all finite, and where groups start,
(groups + 1,). They give the mean over the groups that define the statistic, those of at least two
scores in which neither side is constant; NaN without any.
"""

import math

import numpy as np

from ...compiled import njit


@njit(cache=True, nogil=True, error_model="numpy")
def mean_pearson(scores: np.ndarray, gold: np.ndarray, starts: np.ndarray) -> float:
    """Mean of Pearson's r over groups."""
    total, count = 0.0, 0
    for group in range(len(starts) - 1):
        part = slice(starts[group], starts[group + 1])
        if starts[group + 1] - starts[group] > 1:
            r = _pearson(scores[part], gold[part])
            if not np.isnan(r):
                total += r
                count += 1
    return total / count  # NaN without any


@njit(cache=True, nogil=True, error_model="numpy")
def mean_kendall(scores: np.ndarray, gold: np.ndarray, starts: np.ndarray) -> float:
    """Mean of Kendall's τ-b over groups."""
    total, count = 0.0, 0
    for group in range(len(starts) - 1):
        part = slice(starts[group], starts[group + 1])
        if starts[group + 1] - starts[group] > 1:
            tau = _kendall(scores[part], gold[part])
            if not np.isnan(tau):
                total += tau
                count += 1
    return total / count


@njit(cache=True, nogil=True, error_model="numpy")
def _pearson(x: np.ndarray, y: np.ndarray) -> float:
    if x.min() == x.max() or y.min() == y.max():
        return np.nan
    x, y = _centred(x), _centred(y)
    xy = xx = yy = 0.0
    for i in range(x.size):
        xy += x[i] * y[i]
        xx += x[i] * x[i]
        yy += y[i] * y[i]
    return min(max(xy / math.sqrt(xx * yy), -1.0), 1.0)


@njit(cache=True, nogil=True, error_model="numpy")
def _centred(values: np.ndarray) -> np.ndarray:
    """Centred, and divided by a power of two so that squares are neither infinite nor 0."""
    centred = values - values.mean()
    exponent = math.frexp(np.abs(centred).max())[1]
    for i in range(centred.size):
        centred[i] = math.ldexp(centred[i], -exponent)
    return centred


@njit(cache=True, nogil=True, error_model="numpy")
def _kendall(x: np.ndarray, y: np.ndarray) -> float:
    """τ-b in O(n log n) (Knight 1966): in the order of x, then y, discordant pairs are those that
    sorting by y exchanges."""
    order = np.argsort(y)
    order = order[np.argsort(x[order], kind="mergesort")]
    x, y = x[order], y[order]
    pairs = x.size * (x.size - 1) // 2
    tied_x, tied_both = _ties(x, x), _ties(x, y)
    exchanges = _sort(y)
    tied_y = _ties(y, y)
    if tied_x == pairs or tied_y == pairs:
        return np.nan
    difference = pairs - tied_x - tied_y + tied_both - 2 * exchanges
    tau = difference / math.sqrt(pairs - tied_x) / math.sqrt(pairs - tied_y)
    return min(max(tau, -1.0), 1.0)


@njit(cache=True, nogil=True, error_model="numpy")
def _ties(x: np.ndarray, y: np.ndarray) -> int:
    """Pairs in which both are equal, of sorted pairs."""
    pairs, first = 0, 0
    for i in range(1, x.size + 1):
        if i == x.size or x[i] != x[first] or y[i] != y[first]:
            pairs += (i - first) * (i - first - 1) // 2
            first = i
    return pairs


@njit(cache=True, nogil=True, error_model="numpy")
def _sort(values: np.ndarray) -> int:
    """Sorts in place by merging; gives the number of pairs that stood in falling order."""
    size, width, falling = values.size, 1, 0
    source, target = values, np.empty_like(values)
    while width < size:
        for low in range(0, size, 2 * width):
            middle, high = min(low + width, size), min(low + 2 * width, size)
            falling += _merge(source, target, low, middle, high)
        source, target = target, source
        width *= 2
    values[:] = source
    return falling


@njit(cache=True, nogil=True, error_model="numpy")
def _merge(source: np.ndarray, target: np.ndarray, low: int, middle: int, high: int) -> int:
    """Merges two sorted neighbours; gives the pairs whose left one is greater."""
    left, right, falling = low, middle, 0
    for place in range(low, high):
        if right == high or (left < middle and source[left] <= source[right]):
            target[place] = source[left]
            left += 1
        else:
            target[place] = source[right]
            right += 1
            falling += middle - left
    return falling
