"""95 % intervals of statistics of system scores, and of differences of two of them.

docs/statistics.md has their coverage, which bench/coverage.py simulates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

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
        if systems >= MINIMUM_SYSTEMS.get(name, np.inf) and np.isfinite(value[i]):
            of_segments = 0.0
            if resampled is not None:
                of_segments = _variance(_artanh(name, resampled[:, i], systems))
            ends[:, i] = _on_fishers_scale(name, value[i], systems, of_segments)
    return Interval(*ends)


def _on_fishers_scale(
    name: str, value: float, systems: int, of_segments: float
) -> tuple[float, float]:
    z = _artanh(name, np.array(value), systems)
    variance = 1 / (systems - 3)
    if name == "spearman":
        variance *= 1 + np.tanh(z) ** 2 / 2
    if name in ("kendall", "accuracy"):
        variance = 0.437 / (systems - 4)
    half = NORMAL * np.sqrt(variance + of_segments)
    low, high = np.tanh(z - half), np.tanh(z + half)
    signed = 2 * value - 1 if name == "accuracy" else value
    low, high = min(low, signed), max(high, signed)  # the value of a clipped z
    return ((1 + low) / 2, (1 + high) / 2) if name == "accuracy" else (low, high)


def _artanh(name: str, values: np.ndarray, systems: int) -> np.ndarray:
    """Fisher's z; a perfect order counts as half a step of the statistic from it."""
    if name == "accuracy":
        values = 2 * values - 1
    step = 1 / (systems * (systems - 1) / 2)
    if name == "spearman":
        step = 6 / (systems * (systems**2 - 1))
    largest = 1 - (TOLERANCE if name == "pearson" else step)
    return np.arctanh(np.clip(values, -largest, largest))


def _variance(values: np.ndarray) -> float:
    defined = values[np.isfinite(values)]
    return float(defined.var()) if defined.size >= DEFINED * values.size else np.nan


def difference(
    value: np.ndarray,
    own: Interval,
    other_value: np.ndarray,
    other: Interval,
    correlation: np.ndarray,
) -> Interval:
    """Interval of the difference of two statistics over the same systems (MOVER, Zou 2007).

    Parameters
    ----------
    value, other_value : ndarray, (statistics,)
        The difference is that of the former to the latter.
    own, other : Interval
        Of each, (statistics,).
    correlation : ndarray, (statistics,)
        Between the two over samples, as from `correlation_of`.

    Returns
    -------
    Interval
        (statistics,); NaN where one of the two is.
    """
    below, above = value - own.low, own.high - value
    of_other = other_value - other.low, other.high - other_value
    difference = value - other_value
    return Interval(
        difference - _side(below, of_other[1], correlation),
        difference + _side(above, of_other[0], correlation),
    )


def _side(one: np.ndarray, other: np.ndarray, correlation: np.ndarray) -> np.ndarray:
    return np.sqrt(np.maximum(one**2 + other**2 - 2 * correlation * one * other, 0))


def correlation_of(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Pearson's r between the resampled values of two statistics, (resamples, statistics) each, by
    statistic; 0 where one of them does not vary."""
    both = np.isfinite(one) & np.isfinite(other)
    count = np.maximum(both.sum(axis=0), 1)
    x, y = (np.where(both, values, 0.0) for values in (one, other))
    x, y = (np.where(both, v - v.sum(axis=0) / count, 0.0) for v in (x, y))
    scale = np.sqrt((x * x).sum(axis=0) * (y * y).sum(axis=0))
    return np.divide((x * y).sum(axis=0), scale, out=np.zeros(len(scale)), where=scale > TOLERANCE)
