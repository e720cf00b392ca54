"""Compare systems: bootstrap intervals of their scores, and which are better than which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..evidence import resampling
from ..evidence.gains import effective_documents
from ..evidence.units import Units
from ..weighting.base import WeightedMetric
from .parameters import MOST_RESAMPLES

LEVEL = 0.95  # of intervals
ALPHA = 0.05  # a difference is significant if its corrected p is smaller
# A percentile interval of 95 % needs a resample beyond each of its ends.
INTERVAL_RESAMPLES = 40
# By default `score` draws RESAMPLES_PER_PAIR for each pair of systems. The corrected p can be below
# ALPHA with 2 / ALPHA resamples a pair; more make the test more powerful. If these are more than
# MANY_RESAMPLES, it draws MANY_RESAMPLES, or FEWER_PER_PAIR for each pair if this is more.
LEAST_RESAMPLES = 1000
RESAMPLES_PER_PAIR = 100
MANY_RESAMPLES = 20_000
FEWER_PER_PAIR = 50


def default_resamples(systems: int) -> int:
    """Return the number of resamples that comparisons of so many systems need, within bounds.

    Holm's correction multiplies the smallest p, 2 / (1 + resamples), by the number of pairs. From
    72 systems on, MOST_RESAMPLES are too few (`needed_resamples`).
    """
    pairs = systems * (systems - 1) // 2
    resamples = max(LEAST_RESAMPLES, RESAMPLES_PER_PAIR * pairs)
    if resamples > MANY_RESAMPLES:
        resamples = max(MANY_RESAMPLES, FEWER_PER_PAIR * pairs)
    return min(resamples, MOST_RESAMPLES)


def few_resamples(resamples: int) -> list[str]:
    """Return a warning if there are too few resamples for intervals; none without resamples."""
    if not 0 < resamples < INTERVAL_RESAMPLES:
        return []
    return [
        f"{resamples} resamples are too few for a {LEVEL:.0%} interval, which needs "
        f"{INTERVAL_RESAMPLES} or more: the intervals are too narrow."
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
        How often each unit is in each bootstrap resample, (resamples, units).
    swapped : ndarray
        Whether two systems exchange their hypotheses of each unit in each permutation, 0 or 1; of
        the same shape.
    units : Units
    """

    weights: np.ndarray
    swapped: np.ndarray
    units: Units


def draw(units: Units, resamples: int, seed: int) -> Draws:
    """Draw bootstrap resamples and permutations of documents or segments.

    Parameters
    ----------
    units : Units
        Of the segments.
    resamples : int
        Number of resamples, and of permutations.
    seed : int

    Returns
    -------
    Draws
    """
    rng = np.random.default_rng(seed)
    weights = resampling.bootstrap_weights(units.size, resamples, rng)
    return Draws(weights, rng.integers(2, size=weights.shape, dtype=np.uint8), units)


def describe_score(
    weighted: WeightedMetric, systems: list[str], draws: Draws, documents: Sequence[str] = ()
) -> tuple[list[dict], list[dict], list[str]]:
    """Describe the scores of systems under a metric and weighting.

    Parameters
    ----------
    weighted : WeightedMetric
    systems : list of str
    draws : Draws
        Without resamples there are no intervals and comparisons.
    documents : sequence of str
        The document of each segment; empty if unknown.

    Returns
    -------
    tuple of lists
        Rows of scores, rows of comparisons between systems, and notices. `better_than` is None for
        a system that was compared with no other.
    """
    quality = weighted.observed_quality()
    scores = weighted.sign * quality
    effective = weighted.effective_segments()
    documents_of_systems = effective_documents(weighted, documents)
    undefined = np.full(len(systems), np.nan)
    comparisons = Comparisons(undefined, undefined, [None] * len(systems), [], [])
    if len(draws.weights):
        comparisons = _compare(weighted, scores, systems, draws)
    rows = []
    for s, system in enumerate(systems):
        rank = None if np.isnan(quality[s]) else 1 + int((quality > quality[s]).sum())
        row = {
            "system": system,
            "score": float(scores[s]),
            "low": float(comparisons.low[s]),
            "high": float(comparisons.high[s]),
            "rank": rank,
            "better_than": comparisons.better_than[s],
            "effective_segments": float(effective[s]),
            "effective_documents": float(documents_of_systems[s]),
            "higher_is_better": weighted.higher_is_better,
        }
        rows.append(row)
    return rows, comparisons.rows, comparisons.notices


class Comparisons(NamedTuple):
    """Intervals of systems' scores, and comparisons between the systems.

    Attributes
    ----------
    low, high : ndarray
        (systems,), ends of the intervals.
    better_than : list of (list of str or None)
        For each system the systems that are significantly worse; None if it was not tested.
    rows : list of dict
        A row for each ordered pair of systems.
    notices : list of str
    """

    low: np.ndarray
    high: np.ndarray
    better_than: list[list[str] | None]
    rows: list[dict]
    notices: list[str]


def _compare(
    weighted: WeightedMetric, scores: np.ndarray, systems: list[str], draws: Draws
) -> Comparisons:
    """Compute intervals by bootstrap, and test each pair of systems by bootstrap and permutation;
    the larger of the two p counts."""
    resamples = len(draws.weights)
    (resampled,) = resampling.resampled_scores([weighted], draws.weights, draws.units)
    low, high = resampling.score_interval(weighted, resampled, LEVEL)
    notices = _undefined_resamples(weighted, resampled)
    wins, bootstrap_p = resampling.paired_bootstrap(resampled)
    # With few difficult hypotheses a bootstrap varies too little; a permutation test is exact.
    permuted = resampling.paired_permutation(weighted, draws.swapped, draws.units)
    permutation_p = (1 + resamples * permuted) / (1 + resamples)
    one_sided = np.maximum(bootstrap_p, permutation_p)
    p, corrected = two_sided(one_sided)
    better = (corrected < ALPHA) & (one_sided < one_sided.T)
    untested = np.isnan(corrected).all(axis=1)
    better_than: list[list[str] | None] = []
    for s in range(len(systems)):
        worse = [systems[other] for other in np.flatnonzero(better[s])]
        better_than.append(None if untested[s] else worse)
    rows = [
        {
            "system": systems[s],
            "other": systems[other],
            "difference": float(scores[s] - scores[other]),
            "wins": float(wins[s, other]),
            "p": float(p[s, other]),
            "p_holm": float(corrected[s, other]),
        }
        for s, other in np.argwhere(~np.eye(len(systems), dtype=bool))
    ]
    return Comparisons(low, high, better_than, rows, notices)


def _undefined_resamples(weighted: WeightedMetric, resampled: np.ndarray) -> list[str]:
    """Return a warning if systems have no score on some resamples, (resamples, systems)."""
    share = np.isnan(resampled).any(axis=1).mean()
    if share == 0:
        return []
    has_groups = len(weighted.shares) > 1
    lacking = "difficult or no easy segment" if has_groups else "segment that weighs"
    return [
        f"in {share:.1%} of the resamples a system has no {lacking}. They count neither in "
        "its interval nor in comparisons with it; with more than "
        f"{1 - resampling.DEFINED:.0%} of them there is neither."
    ]


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
