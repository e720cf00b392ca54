"""Compare systems: bootstrap intervals of their scores, and which are better than which."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..evidence import resampling
from ..weighting.base import WeightedMetric
from .parameters import MOST_RESAMPLES

# An interval of 95 % by percentiles needs a resample beyond each of its ends.
OF_INTERVAL = 40
# Resamples that `score` draws by default for each pair of systems, up to a number from which on
# they are fewer: a corrected p can be below ALPHA with 2 / ALPHA resamples a pair, and more make
# the test powerful. At least 1,000 and at most MOST_RESAMPLES are drawn.
LEAST_RESAMPLES = 1000
RESAMPLES_OF_PAIR, MANY_RESAMPLES, OF_PAIR_OF_MANY = 100, 20_000, 50
LEVEL, ALPHA = 0.95, 0.05


def default_resamples(systems: int) -> int:
    """Return the number of resamples that comparisons of so many systems need, within bounds.

    Holm's correction multiplies the smallest p, 2 / (1 + resamples), by the number of pairs. From
    72 systems on, MOST_RESAMPLES are too few (`needed_resamples`).
    """
    pairs = systems * (systems - 1) // 2
    of_many = max(MANY_RESAMPLES, OF_PAIR_OF_MANY * pairs)
    return min(max(LEAST_RESAMPLES, RESAMPLES_OF_PAIR * pairs), of_many, MOST_RESAMPLES)


def few_resamples(resamples: int) -> list[str]:
    """Return a warning if there are too few resamples for intervals; none without resamples."""
    if not 0 < resamples < OF_INTERVAL:
        return []
    return [
        f"{resamples} resamples are too few for a {LEVEL:.0%} interval, which needs {OF_INTERVAL} "
        "or more: the intervals are too narrow."
    ]


def needed_resamples(pairs: int) -> int:
    """Return the smallest number of resamples with which a corrected p of one of so many pairs can
    be below ALPHA."""
    return int(np.floor(2 * pairs / ALPHA))


class Draws(NamedTuple):
    """Random numbers that the comparisons under all metrics share.

    Attributes
    ----------
    weights : ndarray
        How often each segment is in each bootstrap resample, (resamples, segments).
    swapped : ndarray
        Whether two systems exchange their hypotheses of each segment in each permutation, 0 or 1;
        of the same shape.
    """

    weights: np.ndarray
    swapped: np.ndarray


def draw(segments: int, resamples: int, seed: int) -> Draws:
    """Draw bootstrap resamples and permutations of the segments."""
    rng = np.random.default_rng(seed)
    weights = resampling.bootstrap_weights(segments, resamples, rng)
    return Draws(weights, rng.integers(2, size=weights.shape, dtype=np.uint8))


def describe_score(
    weighted: WeightedMetric, systems: list[str], draws: Draws
) -> tuple[list[dict], list[dict], list[str]]:
    """Describe the scores of systems under a metric and weighting.

    Parameters
    ----------
    weighted : WeightedMetric
    systems : list of str
    draws : Draws
        Without resamples there are no intervals and comparisons.

    Returns
    -------
    tuple of lists
        Rows of scores, rows of comparisons between systems, and notices. `better_than` is None for
        a system that was compared with no other.
    """
    quality, resamples = weighted.observed_quality(), len(draws.weights)
    scores = weighted.sign * quality
    low = high = np.full(len(systems), np.nan)
    better = np.zeros((len(systems), len(systems)), bool)
    untested = np.ones(len(systems), bool)
    comparisons: list[dict] = []
    doubts: list[str] = []
    if resamples:
        (resampled,) = resampling.resampled_scores([weighted], draws.weights)
        low, high = resampling.score_interval(weighted, resampled, LEVEL)
        if empty := np.isnan(resampled).any(axis=1).mean():
            groups = len(weighted.shares) > 1
            lacking = "difficult or no easy segment" if groups else "segment that weighs"
            doubts.append(
                f"in {empty:.1%} of the resamples a system has no {lacking}. They count neither in "
                "its interval nor in comparisons with it; with more than "
                f"{1 - resampling.DEFINED:.0%} of them there is neither."
            )
        wins, bootstrap_p = resampling.paired_bootstrap(resampled)
        # With few difficult hypotheses a bootstrap varies too little; a permutation test is exact.
        permuted = resampling.paired_permutation(weighted, draws.swapped)
        permutation_p = (1 + resamples * permuted) / (1 + resamples)
        one_sided = np.maximum(bootstrap_p, permutation_p)
        p, corrected = two_sided(one_sided)
        better = (corrected < ALPHA) & (one_sided < one_sided.T)
        untested = np.isnan(corrected).all(axis=1)
        comparisons = [
            {
                "system": systems[s],
                "other": systems[o],
                "difference": scores[s] - scores[o],
                "wins": wins[s, o],
                "p": p[s, o],
                "p_holm": corrected[s, o],
            }
            for s, o in np.argwhere(~np.eye(len(systems), dtype=bool))
        ]
    effective = weighted.effective_segments()
    rows = [
        {
            "system": system,
            "score": scores[s],
            "low": low[s],
            "high": high[s],
            "rank": None if np.isnan(quality[s]) else 1 + int((quality > quality[s]).sum()),
            "better_than": None if untested[s] else [systems[o] for o in np.flatnonzero(better[s])],
            "effective_segments": effective[s],
            "higher_is_better": weighted.higher_is_better,
        }
        for s, system in enumerate(systems)
    ]
    return rows, comparisons, doubts


def two_sided(one_sided: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Make p-values of pairs of systems two-sided, and correct them by Holm's method.

    Parameters
    ----------
    one_sided : ndarray
        (systems, systems), p of the row's system being no better than the column's; NaN where a
        pair was not tested.

    Returns
    -------
    tuple of ndarray
        Twice the smaller p of each pair, at most 1, and the same corrected over all pairs. Both are
        symmetric; NaN on the diagonal and where `one_sided` is.
    """
    p = np.minimum(1, 2 * np.minimum(one_sided, one_sided.T))
    np.fill_diagonal(p, np.nan)
    corrected = np.full(p.shape, np.nan)
    pairs = np.triu_indices(len(p), 1)
    corrected[pairs] = resampling.holm(p[pairs])
    corrected.T[pairs] = corrected[pairs]
    return p, corrected
