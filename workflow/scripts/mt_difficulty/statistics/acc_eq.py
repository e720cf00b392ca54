"""Statistic acc*_eq: pairwise accuracy of segment scores with tie calibration."""

from functools import lru_cache
from math import lcm

import numpy as np

from .base import Groups, SegmentStatistic


class AccEq(SegmentStatistic):
    """Pairwise accuracy with tie calibration (Deutsch et al. 2023, acc*_eq), 0 to 1: as `acc23`,
    but metric scores that differ by at most ε are ties, with the ε that maximises the accuracy, of
    0 and all differences between two metric scores of a segment.

    Examples
    --------
    Scores of three systems on two segments. With ε = 10 the metric ties the first two systems on
    both segments, as people do on the first alone.

    >>> metric = [[90, 20], [80, 10], [50, 70]]
    >>> human = [[1, 0], [1, 1], [0, 2]]
    >>> round(float(AccEq()(metric, human)), 3)
    0.833
    """

    symbol = "acc*eq"
    description = "pairwise accuracy of segment scores with tie calibration"
    limits = (0, 1)
    groupings = ("item",)

    def compute(self, scores: np.ndarray, groups: Groups) -> float:
        return calibrate(scores, groups)[0]


@lru_cache(maxsize=1)
def weighted_pairs(starts: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray, float]:
    """Return all pairs of scores within groups as indices, (2, pairs), group after group; the
    weight of each pair, (pairs,); and a divisor, such that Σ weight · agreement / divisor is the
    mean over groups of the share of agreeing pairs (divisor 0 without pairs). `starts`, (groups +
    1,), as in `Groups`. Weights are integers, with exact sums, unless these could exceed 2^53."""
    sizes = np.diff(starts)
    within = {size: np.stack(np.triu_indices(size, 1)) for size in np.unique(sizes)}
    group_pairs = [start + within[size] for start, size in zip(starts, sizes, strict=False)]
    numbers = sizes[sizes > 1] * (sizes[sizes > 1] - 1) // 2
    multiple = lcm(*map(int, np.unique(numbers)))
    if multiple * len(numbers) >= 2.0**53:  # integers below are exact as floats
        multiple = 1
    weights = np.repeat(multiple / numbers, numbers)
    pairs = np.concatenate([np.empty((2, 0), int), *group_pairs], axis=1)
    return pairs, weights, float(multiple * len(numbers))


def agreeing(
    scores: np.ndarray, gold: np.ndarray, pairs: np.ndarray, epsilon: float = 0.0
) -> np.ndarray:
    """Return whether metric and human scores order or tie each pair alike.

    Parameters
    ----------
    scores, gold : ndarray
        Metric and human scores, (rated,); higher is better.
    pairs : ndarray
        Indices of scores, (2, pairs), as of `weighted_pairs`.
    epsilon : float
        Metric scores that differ by at most this are tied.

    Returns
    -------
    ndarray
        (pairs,) of bool.
    """
    first, second = pairs
    difference = scores[first] - scores[second]
    order = np.where(np.abs(difference) <= epsilon, 0, np.sign(difference))
    return order == np.sign(gold[first] - gold[second])


def calibrate(scores: np.ndarray, groups: Groups) -> tuple[float, float]:
    """Return the best accuracy over all tie thresholds ε, and the smallest ε that attains it. Both
    are NaN without pairs, or where a score is not finite."""
    pairs, weights, divisor = weighted_pairs(tuple(groups.starts))
    if not divisor or not np.isfinite(scores).all():
        return np.nan, np.nan
    first, second = pairs
    differences = scores[first] - scores[second]
    human_order = np.sign(groups.gold[first] - groups.gold[second])
    is_human_tie = human_order == 0
    agrees_at_0 = np.sign(differences) == human_order
    differences = np.abs(differences)
    # A tie of metric scores changes agreement only for human ties and for pairs ordered alike.
    changed = (differences > 0) & (is_human_tie | agrees_at_0)
    changes = np.where(is_human_tie, weights, -weights)[changed]
    differences = np.append(0.0, differences[changed])
    order = np.argsort(differences)
    sums = np.cumsum(np.append(agrees_at_0 @ weights, changes)[order])
    differences = differences[order]
    last = np.append(differences[1:] != differences[:-1], True)  # equal ones count at once
    best = np.argmax(sums[last])
    return float(sums[last][best]) / divisor, float(differences[last][best])
