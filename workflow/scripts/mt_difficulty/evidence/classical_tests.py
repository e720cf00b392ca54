"""Williams' test of two correlations, and Holm's correction."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

TOLERANCE = 1e-12


class Williams(NamedTuple):
    """t with n − 3 degrees of freedom, and its two-sided p."""

    t: float
    p: float


def williams(scores: np.ndarray, others: np.ndarray, gold: np.ndarray) -> Williams:
    """Williams' test that two dependent Pearson correlations with gold are equal (Williams 1959;
    Graham & Baldwin 2014).

    Parameters
    ----------
    scores, others, gold : ndarray, (systems,)

    Returns
    -------
    Williams
        t is positive where `scores` correlates better. NaN for fewer than four systems, and where
        a side is constant, undefined, or the two correlate perfectly.
    """
    from scipy.special import stdtr

    n = len(gold)
    sides = np.array([scores, others, gold])
    if n < 4 or not np.isfinite(sides).all() or (np.ptp(sides, axis=1) == 0).any():
        return Williams(np.nan, np.nan)
    r = np.corrcoef(sides)
    one, other, between = r[0, 2], r[1, 2], r[0, 1]
    k = 1 - one**2 - other**2 - between**2 + 2 * one * other * between
    spread = 2 * k * (n - 1) / (n - 3) + ((one + other) / 2) ** 2 * (1 - between) ** 3
    if between > 1 - TOLERANCE or spread <= 0:
        return Williams(np.nan, np.nan)
    t = (one - other) * np.sqrt((n - 1) * (1 + between) / spread)
    return Williams(float(t), float(2 * stdtr(n - 3, -abs(t))))


def holm(p: np.ndarray) -> np.ndarray:
    """Holm's step-down correction of a family of p-values, (tests,) to (tests,).

    NaN, which are no tests, stay NaN and do not count.
    """
    p = np.asarray(p, float)
    order = np.argsort(p, kind="stable")  # NaN last
    tests = np.isfinite(p).sum()
    factors = np.maximum(tests - np.arange(p.size), 0)
    adjusted = np.full(p.size, np.nan)
    adjusted[order] = np.maximum.accumulate(np.minimum(1, p[order] * factors))
    return adjusted
