"""How sure a correlation is: intervals, tests of one weighting against another, and statistics of
pairs of systems."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..data.evalset import NO_SEGMENT_GOLD
from ..metrics.base import Metric
from ..statistics import STATISTICS, of_scores
from ..weighting.base import WeightedMetric
from . import intervals, resampling
from .classical_tests import williams
from .counted import PLAIN, SYSTEM_SCORES_ONLY, baseline
from .exchange import Exchanged, detectable, exchange, permutation_p
from .intervals import MINIMUM_SYSTEMS, Interval
from .soft_accuracy import MINIMUM_SEGMENTS
from .subsets import subset_means

FEW = "{} segments have a human score of every system; soft pairwise accuracy needs {}"
# Permutations for p-values between systems, whose work grows with the pairs of systems: as many as
# the published program of soft pairwise accuracy takes.
PERMUTATIONS = 1000
# What intervals are over; `joint` resamples the segments of metric and human scores alike.
OVER = ("segments", "systems", "both", "joint")


class Estimate(NamedTuple):
    """Statistics of one metric, weighting and subset: an entry for each statistic of
    `Resamples`.

    Attributes
    ----------
    value : ndarray, (statistics,)
    intervals : dict of str to Interval
        95 %, by OVER: percentiles of resampled segments; over systems, and over systems and
        segments, by the statistic's own variance (`intervals.over_systems`).
    difference : ndarray, (statistics,)
        To the standard weighting; NaN for that one itself.
    differences : dict of str to Interval
        Of the difference, by OVER.
    permutation_p : ndarray, (statistics,)
        Of the difference, PERM-BOTH with re-scored halves, two-sided; NaN where a metric has
        system scores alone, or more than 5 % of the permutations leave a score undefined.
    detectable : ndarray, (statistics,)
        |difference| that this test finds with 80 % power.
    contribution_p : ndarray, (statistics,)
        Of PERM-BOTH with contributions of segments, two-sided; NaN where a metric is no mean.
    williams_p : float
        Of Pearson's r against that of the standard weighting, two-sided; of one subset only.
    """

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
    statistics); what cannot or need not be resampled is absent."""

    observed: np.ndarray
    resampled: dict[str, np.ndarray]


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
    weights = _weights(next(iter(kept.values())).statistics.shape[1], resamples, seed)
    return {key: resampling.resampled_scores(one, weights) for key, one in kept.items()}


def _weights(segments: int, resamples: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng([seed, 0])
    return resampling.bootstrap_weights(segments, resamples, rng)


def resampled_gold(segment_gold: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    """Human scores on the segments that `bootstrap` draws: means of those that are rated.

    Parameters
    ----------
    segment_gold : ndarray, (systems, segments)
        NaN where a segment has no human score.

    Returns
    -------
    ndarray, (resamples, systems)
        NaN where no rated segment of a system is drawn.
    """
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
    resamples : int
    seed : int
    statistics : sequence of str
        Of the registry.
    segment_gold : ndarray, (systems, segments), optional
        Human scores of the metrics' segments, NaN where there are none.

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
        segment_gold: np.ndarray | None = None,
    ) -> None:
        self.observed, self.gold, self.statistics = observed, gold, of_scores(statistics)
        systems = (resamples, len(gold))
        self._drawn = np.random.default_rng([seed, 1]).integers(len(gold), size=systems)
        self.bootstrapped, self._exchanged = (
            bootstrap(weighteds, resamples, seed),
            Exchanged({}, {}),
        )
        kept = {key: weighteds[key] for key in self.bootstrapped}
        if kept:
            self._exchanged = exchange(kept, resamples, np.random.default_rng([seed, 2]))
        self._gold: np.ndarray | None = None
        if kept and segment_gold is not None and segment_gold.size:
            self._gold = resampled_gold(segment_gold, resamples, seed)

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
            Without intervals over systems of means over several subsets, whose variance is not
            known.
        """
        found = {}
        plain: dict[tuple[str, str], Values] = {}
        for key in keys:
            own, standard = self._values(key, subsets), baseline(key[0], self.observed)
            if key[1] in PLAIN or standard not in self.observed:
                plain[key] = own
                found[key] = self._estimate(key, own, None, subsets)
                continue
            if standard not in plain:
                plain[standard] = self._values(standard, subsets)
            found[key] = self._estimate(key, own, plain[standard], subsets)
        return found

    def means(
        self, scores: np.ndarray, subsets: np.ndarray, gold: np.ndarray | None = None
    ) -> np.ndarray:
        """Statistics of scores, (resamples, systems), as means over subsets, (subsets, size):
        (resamples, statistics)."""
        people = self.gold if gold is None else gold
        return subset_means(self.statistics, scores, people, subsets)

    def _values(self, key: tuple[str, str], subsets: np.ndarray) -> Values:
        observed, found = self.observed[key], {}
        least = min(MINIMUM_SYSTEMS.get(name, np.inf) for name in self.statistics)
        of_systems = len(subsets) == 1 and len(self.gold) >= least
        people = self.gold[self._drawn]
        if of_systems:
            found["systems"] = self.means(observed[self._drawn], subsets, people)
        if key in self.bootstrapped:
            scores = self.bootstrapped[key]
            found["segments"] = self.means(scores, subsets)
            if of_systems:
                drawn = np.take_along_axis(scores, self._drawn, axis=1)
                found["both"] = self.means(drawn, subsets, people)
            if self._gold is not None:
                found["joint"] = self.means(scores, subsets, self._gold)
        return Values(self.means(observed[None], subsets)[0], found)

    def _intervals(self, values: Values) -> dict[str, Interval]:
        none = Interval(*_none(2, len(self.statistics)))
        found, resampled = dict.fromkeys(OVER, none), values.resampled
        for over in {"segments", "joint"} & resampled.keys():
            found[over] = Interval(*resampling.interval(resampled[over]))
        for over in {"systems", "both"} & resampled.keys():
            found[over] = intervals.over_systems(
                self.statistics,
                values.observed,
                len(self.gold),
                resampled["segments"] if over == "both" else None,
            )
        return found

    def _estimate(
        self, key: tuple[str, str], own: Values, plain: Values | None, subsets: np.ndarray
    ) -> Estimate:
        of_own, none = self._intervals(own), _none(len(self.statistics))
        if plain is None:
            differences = dict.fromkeys(OVER, Interval(none, none))
            return Estimate(own.observed, of_own, none, differences, none, none, none, np.nan)
        of_plain, resampled = self._intervals(plain), {}
        differences = dict.fromkeys(OVER, Interval(none, none))
        for over in own.resampled.keys() & plain.resampled.keys():
            one, other = own.resampled[over], plain.resampled[over]
            resampled[over] = one - other
            differences[over] = Interval(*resampling.interval(one - other))
            if over in ("systems", "both"):
                differences[over] = intervals.difference(
                    *(own.observed, of_own[over], plain.observed, of_plain[over]),
                    intervals.correlation_of(one, other),
                )
        difference = own.observed - plain.observed
        tests = self._tests(key, difference, resampled.get("segments"), subsets)
        return Estimate(own.observed, of_own, difference, differences, *tests)

    def _tests(
        self,
        key: tuple[str, str],
        difference: np.ndarray,
        resampled: np.ndarray | None,
        subsets: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        """permutation_p, detectable, contribution_p, williams_p."""
        p = least = of_contributions = _none(len(self.statistics))
        if key in self._exchanged.halves and resampled is not None:
            permuted = self._permuted(self._exchanged.halves[key], subsets)
            p, least = permutation_p(difference, permuted), detectable(permuted, resampled)
        if key in self._exchanged.contributions:
            permuted = self._permuted(self._exchanged.contributions[key], subsets)
            of_contributions = permutation_p(difference, permuted)
        t_test = np.nan
        if len(subsets) == 1:
            plain = self.observed[baseline(key[0], self.observed)]
            t_test = williams(self.observed[key], plain, self.gold).p
        return p, least, of_contributions, t_test

    def _permuted(self, sides: tuple[np.ndarray, np.ndarray], subsets: np.ndarray) -> np.ndarray:
        one, other = (self.means(side, subsets) for side in sides)
        return one - other


def _none(*shape: int) -> np.ndarray:
    return np.full(shape, np.nan)


def p_value_statistics(
    statistics: Sequence[str],
    weighteds: dict[tuple[str, str], WeightedMetric],
    segment_gold: np.ndarray,
    resamples: int,
    seed: int,
    absent: str = NO_SEGMENT_GOLD,
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
    absent : str
        Why there are no human scores of segments, where there are none.

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
        reason = FEW.format(rated.sum(), MINIMUM_SEGMENTS) if segment_gold.size else absent
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
