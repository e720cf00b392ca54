"""Compiled PERM-BOTH tests of Pearson's r of segment scores between all pairs of metrics."""

import math

import numpy as np

from ...compiled import njit
from .metric_tests import TOLERANCE

# Sums of squares below this share of what they are a difference of are rounding.
ROUNDING = 1e-12


@njit(cache=True, nogil=True, error_model="numpy")
def correlations(
    fixed: np.ndarray, others: np.ndarray, gold: np.ndarray, found: np.ndarray
) -> None:
    """Pearson's r of scores whose sums are `fixed` + `others`: of all groups' scores together, and
    the mean of r over the groups that define it.

    Parameters
    ----------
    fixed : ndarray, (groups, 3)
        Σx, Σx², Σxy.
    others : ndarray, (groups, 3, keys)
    gold : ndarray, (groups, 3)
        n, Σy, Σy².
    found : ndarray, (2, keys)
        Where they are put.
    """
    keys = others.shape[2]
    total, count, sums = np.zeros(keys), np.zeros(keys), np.zeros((3, keys))
    for g in range(len(gold)):
        n, y, spread = _spread(gold[g, 0], gold[g, 1], gold[g, 2])
        x_g, xx_g, xy_g = others[g]
        for k in range(keys):
            x, xx, xy = fixed[g, 0] + x_g[k], fixed[g, 1] + xx_g[k], fixed[g, 2] + xy_g[k]
            sums[0, k] += x
            sums[1, k] += xx
            sums[2, k] += xy
            own = xx - x * x * n
            is_defined = 1.0 * (own > ROUNDING * xx) * (spread > 0)
            total[k] += is_defined * (xy - x * y) / math.sqrt(own * spread if is_defined else 1.0)
            count[k] += is_defined
    n, y, spread = _spread(gold[:, 0].sum(), gold[:, 1].sum(), gold[:, 2].sum())
    for k in range(keys):
        x, xx, xy = sums[0, k], sums[1, k], sums[2, k]
        own = xx - x * x * n
        varied = own > ROUNDING * xx and spread > 0
        found[0, k] = (xy - x * y) / math.sqrt(own * spread) if varied else np.nan
        found[1, k] = total[k] / count[k]  # NaN without any


@njit(cache=True, nogil=True, error_model="numpy")
def _spread(n: float, y: float, yy: float) -> tuple[float, float, float]:
    """1/n, the mean of y, and Σ(y − mean)²; 0 for that where it is rounding."""
    if n < 2:
        return 1.0, 0.0, 0.0
    spread = yy - y * y / n
    return 1 / n, y / n, spread if spread > ROUNDING * yy else 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def count_correlations(
    sums: np.ndarray, totals: np.ndarray, gold: np.ndarray, values: np.ndarray
) -> np.ndarray:
    """How often the difference of two keys' correlations is reached with scores exchanged.

    Parameters
    ----------
    sums : ndarray, (resamples, groups, 3, keys)
        Σx, Σx², Σxy over the scores that keep their side.
    totals : ndarray, (groups, 3, keys)
        The same over all scores.
    gold : ndarray, (groups, 3)
    values : ndarray, (2, keys)
        As `correlations`, of the scores as they are.

    Returns
    -------
    ndarray of int, (2, keys, keys)
        The difference is that of the row's key to the column's.
    """
    keys = sums.shape[3]
    counts = np.zeros((2, keys, keys), np.int64)
    one, two = np.empty((2, keys)), np.empty((2, keys))
    for r in range(len(sums)):
        kept, left = sums[r], totals - sums[r]
        for i in range(keys):
            correlations(kept[:, :, i], left, gold, one)
            correlations(left[:, :, i], kept, gold, two)
            for k in range(2):
                for j in range(keys):
                    least = values[k, i] - values[k, j]
                    # An undefined difference counts.
                    counts[k, i, j] += not (one[k, j] - two[k, j] < least - TOLERANCE)
    return counts
