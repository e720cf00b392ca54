"""How sure a correlation is: intervals, tests of one weighting against another, and statistics of
pairs of systems."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..metrics.base import Metric
from ..statistics import STATISTICS, of_scores
from ..weighting.base import WeightedMetric
from . import resampling
from .counted import PLAIN, baseline
from .soft_accuracy import MINIMUM_SEGMENTS
from .subsets import subset_means

SYSTEM_SCORES_ONLY = (
    "only system scores are stored, or the set has one segment: no segments to resample"
)
NO_SEGMENT_GOLD = "the set has no human scores of segments"
FEW = "{} segments have a human score of every system; soft pairwise accuracy needs {}"
# Permutations for p-values between systems, whose work grows with the pairs of systems: as many as
# the published program of soft pairwise accuracy takes.
PERMUTATIONS = 1000
# Two-sided tests count a difference as large as the observed one up to rounding.
TOLERANCE = 1e-12


class Estimate(NamedTuple):
    """Statistics of one metric, weighting and subset: an entry for each statistic of
    `Resamples`.

    Attributes
    ----------
    value : ndarray, (statistics,)
    segments, systems, both : tuple of two ndarrays, (statistics,)
        Low and high of 95 % bootstrap intervals over segments, over systems, and over both.
    difference : ndarray, (statistics,)
        To the standard weighting; NaN for that one itself.
    permutation_p : ndarray, (statistics,)
        Of the difference, PERM-BOTH, two-sided; NaN where a metric has system scores alone.
    williams_p : float
        Of Pearson's r against that of the standard weighting, two-sided; of one subset only.
    """

    value: np.ndarray
    segments: tuple
    systems: tuple
    both: tuple
    difference: np.ndarray
    permutation_p: np.ndarray
    williams_p: float


def bootstrap(
    weighteds: dict[Any, WeightedMetric], resamples: int, seed: int
) -> dict[Any, np.ndarray]:
    """Scores on the same resampled segments, by metric and weighting; higher is better.

    Parameters
    ----------
    weighteds : dict of (metric, weighting) to WeightedMetric
        Of the same systems; those with system scores alone are left out.
    resamples : int
    seed : int

    Returns
    -------
    dict to ndarray, (resamples, systems)
    """
    kept = {key: one for key, one in weighteds.items() if one.statistics.shape[1] > 1}
    if not kept:
        return {}
    segments = next(iter(kept.values())).statistics.shape[1]
    rng = np.random.default_rng([seed, 0])
    weights = resampling.bootstrap_weights(segments, resamples, rng)
    return {key: resampling.resampled_scores(one, weights) for key, one in kept.items()}


class Resamples:
    """Metrics under weightings on resampled segments, systems, and with hypotheses exchanged.

    Human scores, h, w and token difficulties are held as they are; a resample of the systems
    stands for others that might have been submitted.

    Parameters
    ----------
    weighteds : dict of (metric, weighting) to WeightedMetric
        Of the same systems; those with system scores alone have no resampled segments.
    observed : dict of (metric, weighting) to ndarray, (systems,)
        Their scores, higher is better.
    gold : ndarray, (systems,)
    resamples : int
    seed : int
    statistics : sequence of str
        Of the registry.

    Attributes
    ----------
    statistics : list of str
        Those that read system scores.
    bootstrapped : dict to ndarray, (resamples, systems)
        Scores on the same resampled segments; higher is better.
    """

    def __init__(
        self,
        weighteds: dict[tuple[str, str], WeightedMetric],
        observed: dict[tuple[str, str], np.ndarray],
        gold: np.ndarray,
        resamples: int,
        seed: int,
        statistics: Sequence[str],
    ) -> None:
        self.observed, self.gold, self.statistics = observed, gold, of_scores(statistics)
        systems = (resamples, len(gold))
        self.drawn = np.random.default_rng([seed, 1]).integers(len(gold), size=systems)
        self.bootstrapped, self.exchanged = bootstrap(weighteds, resamples, seed), {}
        kept = {key: weighteds[key] for key in self.bootstrapped}
        if kept:
            self.exchanged = exchange(kept, resamples, np.random.default_rng([seed, 2]))

    def estimates(
        self, subsets: np.ndarray, keys: Iterable[tuple[str, str]]
    ) -> dict[tuple[str, str], Estimate]:
        """Estimates of some metrics and weightings.

        Parameters
        ----------
        subsets : ndarray of int, (subsets, size)
            Over which statistics are means; one of all systems for these themselves.
        keys : iterable of (metric, weighting)

        Returns
        -------
        dict of (metric, weighting) to Estimate
        """
        return {key: self._estimate(key, subsets) for key in keys}

    def means(self, scores: np.ndarray, subsets: np.ndarray) -> np.ndarray:
        """Statistics of scores, (resamples, systems), as means over subsets, (subsets, size):
        (resamples, statistics)."""
        return subset_means(self.statistics, scores, self.gold, subsets)

    def _estimate(self, key: tuple[str, str], subsets: np.ndarray) -> Estimate:
        def interval(scores: np.ndarray, gold: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            return resampling.interval(subset_means(self.statistics, scores, gold, subsets))

        observed, people = self.observed[key], self.gold[self.drawn]
        over: dict[str, Any] = {"systems": interval(observed[self.drawn], people)}
        over["segments"] = over["both"] = _none(2, len(self.statistics))
        if key in self.bootstrapped:
            scores = self.bootstrapped[key]
            over["segments"] = interval(scores, self.gold)
            over["both"] = interval(np.take_along_axis(scores, self.drawn, axis=1), people)
        value = self.means(observed[None], subsets)[0]
        return Estimate(value, **over, **self._against_standard(key, value, subsets))

    def _against_standard(
        self, key: tuple[str, str], value: np.ndarray, subsets: np.ndarray
    ) -> dict[str, Any]:
        standard = baseline(key[0], self.observed)
        found: dict[str, Any] = {
            "difference": _none(len(self.statistics)),
            "permutation_p": _none(len(self.statistics)),
            "williams_p": np.nan,
        }
        if key[1] in PLAIN or standard not in self.observed:
            return found
        plain = self.observed[standard]
        found["difference"] = value - self.means(plain[None], subsets)[0]
        if key in self.exchanged:
            sides = [self.means(side, subsets) for side in self.exchanged[key]]
            found["permutation_p"] = permutation_p(found["difference"], sides[0] - sides[1])
        if len(subsets) == 1:
            found["williams_p"] = williams(self.observed[key], plain, self.gold).p
        return found


def _none(*shape: int) -> np.ndarray:
    return np.full(shape, np.nan)


def exchange(
    weighteds: dict[tuple[str, str], WeightedMetric], resamples: int, rng: np.random.Generator
) -> dict[tuple[str, str], tuple[np.ndarray, np.ndarray]]:
    """PERM-BOTH (Deutsch et al. 2021): scores of every weighting and of its standard, with a random
    half of the hypotheses changing sides.

    Scores are standardised by mean and deviation of the metric's segment scores. A side's score is
    the mean of what its own weighting gives for one half of a system's segments and the other's
    gives for the other half, by their numbers; for means over segments this is the published test.

    Parameters
    ----------
    weighteds : dict of (metric, weighting) to WeightedMetric
        Of the same systems and segments.

    Returns
    -------
    dict of (metric, weighting) to two ndarrays, (resamples, systems)
        Of weightings with a standard.
    """
    halves, (first, second, share) = (
        {},
        resampling.random_halves(list(weighteds.values()), resamples, rng),
    )
    for i, (key, one) in enumerate(weighteds.items()):
        mean, deviation = one.segment_scale
        halves[key] = [(half[i] - mean) / deviation for half in (first, second)]
    pairs = {key: baseline(key[0], weighteds) for key in weighteds if key[1] not in PLAIN}
    return {
        key: (
            (1 - share) * halves[key][1] + share * halves[standard][0],
            (1 - share) * halves[standard][1] + share * halves[key][0],
        )
        for key, standard in pairs.items()
        if standard in halves
    }


def permutation_p(difference: np.ndarray, permuted: np.ndarray) -> np.ndarray:
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


def p_value_statistics(
    statistics: Sequence[str],
    weighteds: dict[tuple[str, str], WeightedMetric],
    segment_gold: np.ndarray,
    resamples: int,
    seed: int,
) -> dict[tuple[str, str], tuple[np.ndarray, str]]:
    """Statistics that read p-values between systems, of paired permutation tests on the segments
    that have a human score for every system.

    Parameters
    ----------
    statistics : sequence of str
        Of the registry; those that read scores are left out.
    weighteds : dict of (metric, weighting) to WeightedMetric
        Of the same systems.
    segment_gold : ndarray, (systems, segments)
        Human scores of segments, NaN where there are none; without any, of size 0.
    resamples : int
        At most PERMUTATIONS are made.
    seed : int

    Returns
    -------
    dict of (metric, weighting) to (ndarray, str)
        An entry for each of the statistics; all NaN with the reason why there are none, or "".
    """
    read = [STATISTICS[name]() for name in statistics if STATISTICS[name].reads == "p_values"]
    if not read:
        return {}
    rated = np.isfinite(segment_gold).all(axis=0)
    if rated.sum() < MINIMUM_SEGMENTS:
        reason = FEW.format(rated.sum(), MINIMUM_SEGMENTS) if segment_gold.size else NO_SEGMENT_GOLD
        return dict.fromkeys(weighteds, (_none(len(read)), reason))
    people = WeightedMetric.standard(Metric, segment_gold[:, rated, None])
    gold_p, found = p_values(people, resamples, seed), {}
    for key, one in weighteds.items():
        if one.statistics.shape[1] != rated.size:
            found[key] = _none(len(read)), SYSTEM_SCORES_ONLY
            continue
        p = p_values(one.select(segments=rated), resamples, seed)
        found[key] = np.array([statistic(p, gold_p) for statistic in read]), ""
    return found


def p_values(weighted: WeightedMetric, resamples: int, seed: int) -> np.ndarray:
    """p-values between systems, (systems, systems), of the same permutations for every metric and
    for people; see `resampling.paired_permutation`."""
    rng, segments = np.random.default_rng([seed, 3]), weighted.statistics.shape[1]
    swapped = resampling.random_bits((min(resamples, PERMUTATIONS), segments), rng)
    return resampling.paired_permutation(weighted, swapped)
