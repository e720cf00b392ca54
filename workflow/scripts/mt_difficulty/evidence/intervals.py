"""Intervals and tests by formula: 95 % intervals over systems of statistics of system scores and of
differences of two of them, Williams' test, and Holm's correction.

docs/statistics.md has the intervals' coverage, which bench/coverage.py simulates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .resampling import DEFINED

# The two-sided 95 % point of the normal distribution.
NORMAL = 1.959963984540054
# Systems from which on an interval over systems covers the truth in 90 % of samples or more, at
# correlations of 0.8 and 0.95.
MINIMUM_SYSTEMS = {"pearson": 4, "spearman": 6, "kendall": 12, "accuracy": 12}
TOLERANCE = 1e-12


class Interval(NamedTuple):
    """Low and high ends, an array each."""

    low: np.ndarray
    high: np.ndarray


def over_systems(
    statistics: Sequence[str],
    value: np.ndarray,
    systems: int,
    resampled: np.ndarray | None = None,
) -> Interval:
    """Intervals over systems that might have been submitted instead, on Fisher's scale z = artanh.

    The variance of z is 1 / (n − 3) for r (Fisher 1921), 0.437 / (n − 4) for τ (Fieller, Hartley &
    Pearson 1957) and (1 + ρ² / 2) / (n − 3) for ρ (Bonett & Wright 2000). Pairwise accuracy PA has
    that of τ, as 2 PA − 1 is τ where no scores are equal.

    Parameters
    ----------
    statistics : sequence of str
        Names.
    value : ndarray, (statistics,)
    systems : int
        n.
    resampled : ndarray, (resamples, statistics), optional
        The statistics on resampled segments: the variance of their z is added, for an interval over
        systems and segments.

    Returns
    -------
    Interval
        (statistics,); NaN for fewer systems than MINIMUM_SYSTEMS, for a statistic without
        an entry there, and where the value or more than 5 % of `resampled` are undefined.
    """
    ends = np.full((2, len(statistics)), np.nan)
    for i, name in enumerate(statistics):
        if systems < MINIMUM_SYSTEMS.get(name, np.inf) or not np.isfinite(value[i]):
            continue
        z = _artanh(name, value[i], systems)
        variance = 1 / (systems - 3)
        if name == "spearman":
            variance *= 1 + np.tanh(z) ** 2 / 2
        if name in ("kendall", "accuracy"):
            variance = 0.437 / (systems - 4)
        if resampled is not None:
            drawn = _artanh(name, resampled[:, i], systems)
            there = drawn[np.isfinite(drawn)]
            variance += there.var() if there.size >= DEFINED * drawn.size else np.nan
        half = NORMAL * np.sqrt(variance)
        signed = 2 * value[i] - 1 if name == "accuracy" else value[i]
        # The value of a clipped z is beyond its interval.
        found = np.array([min(np.tanh(z - half), signed), max(np.tanh(z + half), signed)])
        ends[:, i] = (1 + found) / 2 if name == "accuracy" else found
    return Interval(*ends)


def _artanh(name: str, values: Any, systems: int) -> Any:
    """Fisher's z; a perfect order counts as half a step of the statistic from it."""
    if name == "accuracy":
        values = 2 * values - 1
    step = 1 / (systems * (systems - 1) / 2)
    if name == "spearman":
        step = 6 / (systems * (systems**2 - 1))
    largest = 1 - (TOLERANCE if name == "pearson" else step)
    return np.arctanh(np.clip(values, -largest, largest))


def difference(
    value: np.ndarray,
    own: Interval,
    other_value: np.ndarray,
    other: Interval,
    correlation: np.ndarray,
) -> Interval:
    """Interval of the difference of two statistics, `value` − `other_value`, over the same systems
    (MOVER, Zou 2007), from the interval of each and their correlation over samples, as from
    `correlation_of`, (statistics,) each; NaN where one of the two is."""

    def side(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        return np.sqrt(np.maximum(one**2 + other**2 - 2 * correlation * one * other, 0))

    middle = value - other_value
    return Interval(
        middle - side(value - own.low, other.high - other_value),
        middle + side(own.high - value, other_value - other.low),
    )


def correlation_of(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Pearson's r between the resampled values of two statistics, (resamples, statistics) each, by
    statistic; 0 where one of them does not vary."""
    both = np.isfinite(one) & np.isfinite(other)
    count = np.maximum(both.sum(axis=0), 1)
    x, y = (np.where(both, values, 0.0) for values in (one, other))
    x, y = (np.where(both, v - v.sum(axis=0) / count, 0.0) for v in (x, y))
    scale = np.sqrt((x * x).sum(axis=0) * (y * y).sum(axis=0))
    return np.divide((x * y).sum(axis=0), scale, out=np.zeros(len(scale)), where=scale > TOLERANCE)


def williams(scores: np.ndarray, others: np.ndarray, gold: np.ndarray) -> tuple[float, float]:
    """Williams' test that two dependent Pearson correlations with gold, of scores (systems,), are
    equal (Williams 1959; Graham & Baldwin 2014).

    Returns
    -------
    t, p : float
        With n − 3 degrees of freedom, positive where `scores` correlates better, and two-sided.
        NaN for fewer than four systems, and where a side is constant, undefined, or the two
        correlate perfectly.
    """
    from scipy.special import stdtr

    n = len(gold)
    sides = np.array([scores, others, gold])
    if n < 4 or not np.isfinite(sides).all() or (np.ptp(sides, axis=1) == 0).any():
        return np.nan, np.nan
    r = np.corrcoef(sides)
    one, other, between = r[0, 2], r[1, 2], r[0, 1]
    k = 1 - one**2 - other**2 - between**2 + 2 * one * other * between
    spread = 2 * k * (n - 1) / (n - 3) + ((one + other) / 2) ** 2 * (1 - between) ** 3
    if between > 1 - TOLERANCE or spread <= 0:
        return np.nan, np.nan
    t = (one - other) * np.sqrt((n - 1) * (1 + between) / spread)
    return float(t), float(2 * stdtr(n - 3, -abs(t)))


def holm(p: np.ndarray) -> np.ndarray:
    """Holm's step-down correction of a family of p-values, (tests,); NaN, which are no tests, stay
    NaN and do not count. (statsmodels has it, but `pip install .` does not have statsmodels.)"""
    p = np.asarray(p, float)
    order = np.argsort(p, kind="stable")  # NaN last
    tests = np.isfinite(p).sum()
    factors = np.maximum(tests - np.arange(p.size), 0)
    adjusted = np.full(p.size, np.nan)
    adjusted[order] = np.maximum.accumulate(np.minimum(1, p[order] * factors))
    return adjusted
