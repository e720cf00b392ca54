"""How sure a correlation and the gain of a weighting are: intervals on resampled segments and
systems, and permutation tests of a weighting against the standard one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..metrics.base import Metric
from ..statistics import of_scores
from ..weighting.base import WeightedMetric, combine
from . import intervals, resampling
from .counted import PLAIN, baseline
from .intervals import MINIMUM_SYSTEMS, Interval, over_systems, williams
from .subsets import subset_means

Key = tuple[str, str]
Sides = tuple[np.ndarray, np.ndarray]
# What intervals are over; `joint` resamples the segments of metric and human scores alike.
OVER = ("segments", "systems", "both", "joint")
# Two-sided tests count a difference as large as the observed one up to rounding.
TOLERANCE = 1e-12
# Level of the tests, two-sided, and the normal quantile of the power at which differences are
# called detectable: 80 %.
LEVEL = 0.05
POWER_80 = 0.8416212335729143


class Estimate(NamedTuple):
    """Statistics, (statistics,) each, of one metric, weighting and subset, and by OVER their 95 %
    intervals: percentiles of resampled segments; over systems, and over systems and segments, by
    the statistic's own variance (`intervals.over_systems`).

    `difference` is to the standard weighting, NaN for that one itself. Its tests are two-sided:
    `permutation_p` of PERM-BOTH with re-scored halves, NaN where a metric has system scores alone
    or more than 5 % of the permutations leave a score undefined, with the |difference| that this
    test finds with 80 % power, `detectable`; `contribution_p` of PERM-BOTH with contributions of
    segments, NaN where a metric is no mean; and `williams_p` of Pearson's r, of one subset only."""

    value: np.ndarray
    intervals: dict[str, Interval]
    difference: np.ndarray
    differences: dict[str, Interval]
    permutation_p: np.ndarray
    detectable: np.ndarray
    contribution_p: np.ndarray
    williams_p: float


class Values(NamedTuple):
    """A metric's statistics: observed, (statistics,), and by OVER resampled, (resamples,
    statistics), with their intervals; what cannot or need not be resampled is absent."""

    observed: np.ndarray
    resampled: dict[str, np.ndarray]
    intervals: dict[str, Interval]


def bootstrap(
    weighteds: dict[Any, WeightedMetric], resamples: int, seed: int
) -> dict[Any, np.ndarray]:
    """Scores on the same resampled segments, (resamples, systems), by metric and weighting; higher
    is better. Those with system scores alone are left out."""
    kept = {key: one for key, one in weighteds.items() if one.statistics.shape[1] > 1}
    if not kept:
        return {}
    weights = _weights(next(iter(kept.values())).statistics.shape[1], resamples, seed)
    return {key: resampling.resampled_scores(one, weights) for key, one in kept.items()}


def _weights(segments: int, resamples: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng([seed, 0])
    return resampling.bootstrap_weights(segments, resamples, rng)


def resampled_gold(segment_gold: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    """Human scores, (resamples, systems), on the segments that `bootstrap` draws: means of those
    that are rated, of (systems, segments), NaN where a segment is not; NaN where no rated segment
    of a system is drawn."""
    scores = np.nan_to_num(segment_gold)[..., None]
    rated = np.isfinite(segment_gold)[..., None].astype(float)
    people = WeightedMetric.standard(Metric, scores)._replace(weights=rated)
    weights = _weights(segment_gold.shape[1], resamples, seed)
    with np.errstate(invalid="ignore", divide="ignore"):
        return resampling.resampled_scores(people, weights)


class Resamples:
    """Metrics under weightings on resampled segments, systems, and with hypotheses exchanged.

    h, w and token difficulties are held as they are, and human scores too where intervals are not
    `joint`; a resample of the systems stands for others that might have been submitted.

    Parameters
    ----------
    weighteds : dict of (metric, weighting) to WeightedMetric
        Of the same systems; those with system scores alone have no resampled segments.
    observed : dict of (metric, weighting) to ndarray, (systems,)
        Their scores, higher is better.
    gold : ndarray, (systems,)
    resamples, seed : int
    statistics : sequence of str
        Of the registry; `statistics` keeps those that read system scores.
    segment_gold : ndarray, (systems, segments), optional
        Human scores of the metrics' segments, NaN where there are none.

    Attributes
    ----------
    bootstrapped : dict to ndarray, (resamples, systems)
        Scores on the same resampled segments; higher is better.
    """

    def __init__(
        self,
        weighteds: dict[Key, WeightedMetric],
        observed: dict[Key, np.ndarray],
        gold: np.ndarray,
        resamples: int,
        seed: int,
        statistics: Sequence[str],
        segment_gold: np.ndarray | None = None,
    ) -> None:
        self.observed, self.gold, self.statistics = observed, gold, of_scores(statistics)
        systems = (resamples, len(gold))
        self._drawn = np.random.default_rng([seed, 1]).integers(len(gold), size=systems)
        self.bootstrapped = bootstrap(weighteds, resamples, seed)
        self._halves: dict[Key, Sides] = {}
        self._contributions: dict[Key, Sides] = {}
        self._gold: np.ndarray | None = None
        if kept := {key: weighteds[key] for key in self.bootstrapped}:
            rng = np.random.default_rng([seed, 2])
            self._halves, self._contributions = exchange(kept, resamples, rng)
            if segment_gold is not None and segment_gold.size:
                self._gold = resampled_gold(segment_gold, resamples, seed)

    def estimates(self, subsets: np.ndarray, keys: Iterable[Key]) -> dict[Key, Estimate]:
        """Estimates of metrics under weightings over subsets of systems, of int, (subsets, size),
        as means; one subset of all systems for these themselves. Means over several subsets have no
        intervals over systems, since their variance is not known."""
        nothing = np.full(len(self.statistics), np.nan)
        none = dict.fromkeys(OVER, Interval(nothing, nothing))
        known: dict[Key, Values] = {}

        def values(key: Key) -> Values:
            if key not in known:
                known[key] = self._values(key, subsets)
            return known[key]

        found = {}
        for key in keys:
            own, standard = values(key), baseline(key[0], self.observed)
            if key[1] in PLAIN or standard not in self.observed:
                tests = (nothing, none, nothing, nothing, nothing, np.nan)
                found[key] = Estimate(own.observed, none | own.intervals, *tests)
                continue
            plain = values(standard)
            difference, resampled = own.observed - plain.observed, {}
            differences = dict(none)
            for over in own.resampled.keys() & plain.resampled.keys():
                one, other = own.resampled[over], plain.resampled[over]
                resampled[over] = one - other
                differences[over] = Interval(*resampling.interval(one - other))
                if over in ("systems", "both"):
                    differences[over] = intervals.difference(
                        *(own.observed, own.intervals[over]),
                        *(plain.observed, plain.intervals[over]),
                        intervals.correlation_of(one, other),
                    )
            p = least = of_contributions = nothing
            if key in self._halves:
                permuted = self._permuted(self._halves[key], subsets)
                p = permutation_p(difference, permuted)
                least = detectable(permuted, resampled["segments"])
            if key in self._contributions:
                permuted = self._permuted(self._contributions[key], subsets)
                of_contributions = permutation_p(difference, permuted)
            t_test = np.nan
            if len(subsets) == 1:
                t_test = williams(self.observed[key], self.observed[standard], self.gold)[1]
            tests = (difference, differences, p, least, of_contributions, t_test)
            found[key] = Estimate(own.observed, none | own.intervals, *tests)
        return found

    def means(
        self, scores: np.ndarray, subsets: np.ndarray, gold: np.ndarray | None = None
    ) -> np.ndarray:
        """Statistics of scores, (resamples, systems), as means over subsets, (subsets, size):
        (resamples, statistics)."""
        people = self.gold if gold is None else gold
        return subset_means(self.statistics, scores, people, subsets)

    def _values(self, key: Key, subsets: np.ndarray) -> Values:
        observed, people = self.observed[key], self.gold[self._drawn]
        value = self.means(observed[None], subsets)[0]
        resampled, ends = {}, {}
        least = min(MINIMUM_SYSTEMS.get(name, np.inf) for name in self.statistics)
        of_systems = len(subsets) == 1 and len(self.gold) >= least
        if of_systems:
            resampled["systems"] = self.means(observed[self._drawn], subsets, people)
            ends["systems"] = over_systems(self.statistics, value, len(self.gold))
        if key in self.bootstrapped:
            scores = self.bootstrapped[key]
            resampled["segments"] = self.means(scores, subsets)
            if of_systems:
                drawn = np.take_along_axis(scores, self._drawn, axis=1)
                resampled["both"] = self.means(drawn, subsets, people)
                ends["both"] = over_systems(
                    self.statistics, value, len(self.gold), resampled["segments"]
                )
            if self._gold is not None:
                resampled["joint"] = self.means(scores, subsets, self._gold)
        for over in {"segments", "joint"} & resampled.keys():
            ends[over] = Interval(*resampling.interval(resampled[over]))
        return Values(value, resampled, ends)

    def _permuted(self, sides: Sides, subsets: np.ndarray) -> np.ndarray:
        one, other = (self.means(side, subsets) for side in sides)
        return one - other


def exchange(
    weighteds: Mapping[Key, WeightedMetric], resamples: int, rng: np.random.Generator
) -> tuple[dict[Key, Sides], dict[Key, Sides]]:
    """PERM-BOTH (Deutsch et al. 2021): a random half of the hypotheses changes sides between a
    weighting and its standard.

    Parameters
    ----------
    weighteds : dict of (metric, weighting) to WeightedMetric
        Of the same systems and segments.

    Returns
    -------
    halves : dict of (metric, weighting) to two ndarrays, (resamples, systems)
        Scores of a weighting and of its standard: the mean of what a side's own weighting gives for
        one half of a system's hypotheses and the other's gives for the other half, by their
        numbers. Each half is scored and its weights are normalised on its own; scores are
        standardised by mean and deviation of the metric's own segment scores. For means over
        segments with equal weights this is the published test; for EE it is not.
    contributions : dict of (metric, weighting) to two ndarrays
        Of metrics that are means alone: the published test of the matrix of `contribution` against
        that of segment scores, each standardised by its own mean and deviation.
    """
    weighed = [key for key in weighteds if key[1] not in PLAIN]
    contributed = {key: contribution(weighteds[key]) for key in weighed if is_mean(weighteds[key])}
    metrics = [*weighteds.values(), *contributed.values()]
    first, second, share = resampling.random_halves(metrics, resamples, rng)
    scaled = []
    for one, *both in zip(metrics, first, second, strict=True):
        mean, deviation = one.segment_scale
        scaled.append([(half - mean) / deviation for half in both])
    of_halves = dict(zip(weighteds, scaled, strict=False))
    of_contributions = dict(zip(contributed, scaled[len(weighteds) :], strict=True))

    def sides(scores: dict[Key, list[np.ndarray]]) -> dict[Key, Sides]:
        found = {}
        for key in [key for key in weighed if key in scores]:
            if other := of_halves.get(baseline(key[0], weighteds)):
                own = scores[key]
                found[key] = (
                    (1 - share) * own[1] + share * other[0],
                    (1 - share) * other[1] + share * own[0],
                )
        return found

    return sides(of_halves), sides(of_contributions)


def is_mean(one: WeightedMetric) -> bool:
    """Whether a score is a weighted mean of one statistic, and every system has one."""
    return (
        one.statistics.shape[2] == 1  # only means have one statistic
        and bool(np.isfinite(one.effective_segments()).all())
    )


def contribution(one: WeightedMetric) -> WeightedMetric:
    """What every segment adds to a weighted mean, as a metric under the standard weighting:
    n · Σ_g share_g · weight_ig / Σ_i weight_ig · score_i, of which the mean over the n segments is
    the score."""
    weights = np.ones((*one.statistics.shape[:2], 1)) if one.weights is None else one.weights
    segments = weights.shape[1]
    with np.errstate(invalid="ignore", divide="ignore"):
        share = combine(weights / weights.sum(axis=1, keepdims=True), one.shares)
    return one.unweighted()._replace(statistics=segments * share[..., None] * one.statistics)


def permutation_p(difference: np.ndarray, permuted: np.ndarray) -> np.ndarray:
    """Two-sided p with +1, (statistics,): how often permuted differences, (resamples, statistics),
    reach |difference|, of those that are defined; NaN where the difference is, or where fewer than
    DEFINED of the permutations are defined."""
    defined = np.isfinite(permuted).sum(axis=0)
    reached = np.abs(permuted) >= np.abs(difference) - TOLERANCE  # false for NaN
    p = (1 + reached.sum(axis=0)) / (1 + defined)
    enough = defined >= resampling.DEFINED * len(permuted)
    return np.where(enough & ~np.isnan(difference), p, np.nan)


def detectable(permuted: np.ndarray, resampled: np.ndarray) -> np.ndarray:
    """The smallest |difference|, (statistics,), that a permutation test finds with 80 % power at 5
    %, two-sided, from permuted differences and those on resampled segments, (resamples,
    statistics); NaN where more than 5 % of either are undefined.

    c + z₀.₈ · s: c is the 95 % quantile of the |permuted differences|, beyond which the test
    rejects, and s the standard deviation of the difference on resampled segments. The normal
    distribution is assumed for the latter, and the other tail neglected."""
    kept = []
    for values in (permuted, resampled):
        kept.append(values[np.isfinite(values).all(axis=1)])
        if len(kept[-1]) < resampling.DEFINED * len(values):
            return np.full(permuted.shape[1], np.nan)
    critical = np.quantile(np.abs(kept[0]), 1 - LEVEL, axis=0, method="higher")
    return critical + POWER_80 * kept[1].std(axis=0, ddof=1)
