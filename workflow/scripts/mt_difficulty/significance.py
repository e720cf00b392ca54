"""How sure a correlation is: intervals, tests of one weighting against another, and statistics of
pairs of systems."""

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from . import resampling
from .subset_means import mean_correlations

STATISTICS = ("pearson", "kendall", "spearman", "accuracy")
SYSTEM_SCORES_ONLY = "only system scores are stored: no segments to resample"
# Two-sided tests count a difference as large as the observed one up to rounding.
TOLERANCE = 1e-12


class Estimate(NamedTuple):
    """Statistics of one metric, weighting and subset: an entry for each of STATISTICS.

    Attributes
    ----------
    value : ndarray, (4,)
    segments, systems, both : tuple of two ndarrays, (4,)
        Low and high of 95 % bootstrap intervals over segments, over systems, and over both.
    difference : ndarray, (4,)
        To the standard weighting; NaN for that one itself.
    permutation_p : ndarray, (4,)
        Of the difference, PERM-BOTH, two-sided.
    williams_p : float
        Of Pearson's r against that of the standard weighting, two-sided.
    """

    value: np.ndarray
    segments: tuple
    systems: tuple
    both: tuple
    difference: np.ndarray
    permutation_p: np.ndarray
    williams_p: float


def estimate(weighteds, gold, subsets, resamples, seed, threads=1):
    """Estimates for every metric, weighting and group of subsets.

    Human scores, h, w and token difficulties are held as they are; a resample of the systems
    stands for others that might have been submitted.

    Parameters
    ----------
    weighteds : dict of (metric, weighting) to Weighted
        Of the same systems.
    gold : ndarray, (systems,)
    subsets : dict of key to ndarray of int, (subsets, size)
        Over which statistics are means; one of all systems for these themselves.
    resamples : int
    seed : int
    threads : int
        The results do not depend on it.

    Returns
    -------
    dict of (metric, weighting, key) to Estimate
        Intervals over segments and permutation tests are NaN where a metric has system scores
        alone.
    """
    observed = {key: resampling.observed_scores(one) for key, one in weighteds.items()}
    resampled = bootstrap(weighteds, resamples, seed)
    drawn = np.random.default_rng([seed, 1]).integers(len(gold), size=(resamples, len(gold)))
    permuted = _permute(weighteds, observed, resamples, seed)

    def one(label):
        key, of_subset = label
        index = subsets[of_subset]
        value = mean_correlations(observed[key][None], gold, index)[0]
        found = [_none(2, 4)] * 3
        found[1] = _interval(observed[key][drawn], gold[drawn], index)
        if key in resampled:
            found[0] = _interval(resampled[key], gold, index)
            of_systems = np.take_along_axis(resampled[key], drawn, axis=1)
            found[2] = _interval(of_systems, gold[drawn], index)
        return Estimate(value, *found, *_against_standard(key, value, index))

    def _against_standard(key, value, index):
        standard = (key[0], "standard")
        if key == standard or standard not in observed:
            return _none(4), _none(4), np.nan
        difference = value - mean_correlations(observed[standard][None], gold, index)[0]
        p = _none(4)
        if key in permuted:
            with_it, without = (mean_correlations(side, gold, index) for side in permuted[key])
            p = permutation_p(difference, with_it - without)
        whole = len(index) == 1
        t_test = williams(observed[key], observed[standard], gold).p if whole else np.nan
        return difference, p, t_test

    labels = [(key, of_subset) for of_subset in subsets for key in weighteds]
    with ThreadPoolExecutor(threads) as pool:
        return {
            (*key, of_subset): found
            for (key, of_subset), found in zip(labels, pool.map(one, labels), strict=True)
        }


def _none(*shape):
    return np.full(shape, np.nan)


def _interval(scores, gold, index):
    return resampling.interval(mean_correlations(scores, gold, index))


def _with_segments(weighteds):
    return {key: one for key, one in weighteds.items() if one.statistics.shape[1] > 1}


def bootstrap(weighteds, resamples, seed):
    """Scores on resampled segments, the same segments for all; those with segments only.

    Returns
    -------
    dict of (metric, weighting) to ndarray, (resamples, systems)
        Higher is better.
    """
    kept = _with_segments(weighteds)
    if not kept:
        return {}
    segments = next(iter(kept.values())).statistics.shape[1]
    weights = resampling.bootstrap_weights(segments, resamples, np.random.default_rng([seed, 0]))
    return {key: resampling.resampled_scores(one, weights) for key, one in kept.items()}


def _permute(weighteds, observed, resamples, seed):
    """PERM-BOTH (Deutsch et al. 2021): scores of every weighting and of its standard, with a random
    half of the hypotheses changing sides.

    A side's score is the mean of what its own weighting gives for one half of a system's segments
    and the other's gives for the other half, by their numbers; for means over segments this is the
    published test. System scores are standardised first (the published program standardises
    segment scores, which BLEU, for one, has not).

    Returns
    -------
    dict of (metric, weighting) to two ndarrays, (resamples, systems)
    """
    kept = _with_segments(weighteds)
    if not kept:
        return {}
    keys = list(kept)
    first, second, share = resampling.random_halves(
        list(kept.values()), resamples, np.random.default_rng([seed, 2])
    )
    scale = {key: (observed[key].mean(), observed[key].std()) for key in keys}
    with np.errstate(invalid="ignore", divide="ignore"):
        halves = {
            key: [(half[i] - scale[key][0]) / scale[key][1] for half in (first, second)]
            for i, key in enumerate(keys)
        }
    pairs = {key: (key[0], "standard") for key in keys if key[1] != "standard"}
    return {
        key: (
            (1 - share) * halves[key][1] + share * halves[standard][0],
            (1 - share) * halves[standard][1] + share * halves[key][0],
        )
        for key, standard in pairs.items()
        if standard in halves
    }


def permutation_p(difference, permuted):
    """Two-sided p with +1: how often |difference| is reached.

    Parameters
    ----------
    difference : ndarray, (statistics,)
    permuted : ndarray, (resamples, statistics)
        NaN, where a permutation leaves a score undefined, counts as reaching it.

    Returns
    -------
    ndarray, (statistics,)
        NaN where the difference is.
    """
    below = np.abs(permuted) < np.abs(difference) - TOLERANCE
    p = (1 + len(permuted) - below.sum(axis=0)) / (1 + len(permuted))
    return np.where(np.isnan(difference), np.nan, p)


class Williams(NamedTuple):
    """t with n − 3 degrees of freedom, and its two-sided p."""

    t: float
    p: float


def williams(scores, others, gold):
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
    from scipy.stats import t as student

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
    return Williams(float(t), float(2 * student.sf(abs(t), n - 3)))


def holm(p):
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


def soft_pairwise_accuracy(metric_p, gold_p):
    """Soft pairwise accuracy (Thompson et al. 2024): 1 − the mean |difference| of a metric's and
    people's p-values over all pairs of systems.

    Parameters
    ----------
    metric_p, gold_p : ndarray, (systems, systems)
        As from `resampling.paired_permutation`.

    Returns
    -------
    float
        0 to 1, higher is better; NaN where a p is.
    """
    pairs = np.triu_indices(len(gold_p), 1)
    return float(1 - np.abs(metric_p[pairs] - gold_p[pairs]).mean())
