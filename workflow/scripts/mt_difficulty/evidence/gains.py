"""Intervals and tests of correlations with human scores, of a weighting's gain over the standard
weighting, and between the systems of a set."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..data.evalset import EvaluationSet
from ..metrics.base import Metric
from ..scores import SYSTEM_SCORES_ONLY, Key, ScoredSet, baseline
from ..statistics import STATISTICS, of_scores
from ..storage import Content
from ..tables import TABLES
from ..weighting.base import PLAIN, WeightedMetric, effective_segments
from . import resampling
from .resampling import (
    DEFINED,
    MINIMUM_SEGMENTS,
    MINIMUM_SYSTEMS,
    TABLE_TOLERANCE,
    interval,
    over_systems,
    williams,
)
from .subsets import (
    best_systems,
    observed_values,
    random_subsets,
    subset_means,
    without_outliers,
)
from .units import DOCUMENTS, Units, single_segments, units_of_set, whole_documents

Sides = tuple[np.ndarray, np.ndarray]
# What is resampled for intervals; `joint`: segments, for metric and human scores together.
OVER = ("segments", "systems", "both", "joint")
# Level of two-sided tests.
LEVEL = 0.05
# Normal quantile of 80 % power, for detectable differences.
POWER_80 = 0.8416212335729143
KEY = ["metric", "weighting"]
# Columns of tables before the difficulty is added (`with_difficulty`).
COLUMNS = TABLES["significance.csv"].names(without=["difficulty"])
COMPARISONS = TABLES["system_comparisons.csv"].names(without=["difficulty"])
INTERVALS = TABLES["system_intervals.csv"].names(without=["difficulty"])
# Columns of significance.csv that describe the subset of systems, not the estimates.
OF_SUBSETS = (
    "subset",
    "size",
    "unit",
    "units",
    "effective_mean",
    "effective_min",
    "effective_units",
    "left_out",
)
ESTIMATES = TABLES["significance.csv"].names(without=["difficulty", *OF_SUBSETS])
UNDEFINED = (
    "constant or undefined scores, here or in more than 5 % of the resamples (a system without "
    "difficult or without easy hypotheses, or equal scores)"
)
UNTESTED = (
    "no p, since more than 5 % of the permutations leave a system without difficult or without "
    "easy hypotheses, or all systems with one score"
)
FEW = "{} segments have a human score of every system; soft pairwise accuracy needs {}"
FEW_SYSTEMS = "intervals over systems need {} systems to cover the truth (docs/statistics.md)"
UNKNOWN_COVERAGE = "no interval over systems of this statistic has a known coverage"
NO_ERROR = "the human scores of {} have no error: their ratings are in one document alone"
MEANS = "no interval over systems of means over subsets has a known coverage"
NOT_PRINTED = (
    "intervals and tests over random subsets are made where a paper of this run prints their "
    "correlations"
)


def few_systems(statistic: str) -> str:
    """Return why a statistic of so few systems has no interval over systems."""
    if statistic in MINIMUM_SYSTEMS:
        return FEW_SYSTEMS.format(MINIMUM_SYSTEMS[statistic])
    return UNKNOWN_COVERAGE


def bootstrap(
    weighteds: Mapping[Any, WeightedMetric], resamples: int, seed: int, units: Units
) -> dict[Any, np.ndarray]:
    """Score systems on bootstrap resamples of units, shared by metrics and weightings.

    Parameters
    ----------
    weighteds : mapping of WeightedMetric
        Of the same systems; metrics with system scores only are left out.
    resamples, seed : int
    units : Units
        Of the metrics' segments.

    Returns
    -------
    dict of ndarray
        Scores, (resamples, systems), by the keys of `weighteds`; higher is better.
    """
    with_segments = {
        key: weighted for key, weighted in weighteds.items() if weighted.statistics.shape[1] > 1
    }
    if not with_segments:
        return {}
    rng = np.random.default_rng([seed, 0])
    weights = resampling.bootstrap_weights(units.size, resamples, rng)
    scores = resampling.resampled_scores(list(with_segments.values()), weights, units)
    return dict(zip(with_segments, scores, strict=True))


class Resamples:
    """Scores of metrics under weightings on resampled segments and systems, and with hypotheses
    exchanged between weightings.

    h, w and token difficulties are not estimated again; human scores are resampled for `joint`
    intervals only.

    Parameters
    ----------
    weighteds : mapping of (metric, weighting) to WeightedMetric
        Of the same systems.
    observed : mapping of (metric, weighting) to ndarray
        Scores, (systems,), higher is better.
    gold : ndarray
        Human scores, (systems,), higher is better.
    resamples, seed : int
    statistics : sequence of str
        Names of statistics; those that are not computed from system scores are ignored.
    units : Units
        What is resampled and exchanged, of the metrics' segments.
    segment_gold : ndarray, optional
        Human scores, (systems, segments), NaN where absent, for `joint` intervals.
    bootstrapped : dict of (metric, weighting) to ndarray, optional
        Result of `bootstrap`, if it is known.

    Raises
    ------
    ValueError
        If a metric's resamples are not of as many segments as `segment_gold` has.
    """

    def __init__(
        self,
        weighteds: Mapping[Key, WeightedMetric],
        observed: Mapping[Key, np.ndarray],
        gold: np.ndarray,
        resamples: int,
        seed: int,
        statistics: Sequence[str],
        units: Units,
        segment_gold: np.ndarray | None = None,
        bootstrapped: dict[Key, np.ndarray] | None = None,
    ) -> None:
        self.observed = observed
        self.gold = gold
        self.statistics = of_scores(statistics)
        rng = np.random.default_rng([seed, 1])
        self._systems = rng.integers(len(gold), size=(resamples, len(gold)))
        self.bootstrapped = bootstrapped or bootstrap(weighteds, resamples, seed, units)
        self._exchanged: dict[str, dict[Key, Sides]] = {}
        self._gold: np.ndarray | None = None
        if self.bootstrapped:
            with_segments = {key: weighteds[key] for key in self.bootstrapped}
            rng = np.random.default_rng([seed, 2])
            self._exchanged = exchange(with_segments, resamples, rng, units)
            if segment_gold is not None and segment_gold.size:
                self._gold = self._resampled_gold(weighteds, segment_gold, resamples, seed, units)

    def _resampled_gold(
        self,
        weighteds: Mapping[Key, WeightedMetric],
        segment_gold: np.ndarray,
        resamples: int,
        seed: int,
        units: Units,
    ) -> np.ndarray:
        """Return mean human scores of rated segments on the metrics' resamples, (resamples,
        systems); NaN if a system has none in a resample."""
        # Units are drawn together: the same seed draws as many from as many.
        expected = (resamples, segment_gold.shape[1])
        for key, scores in self.bootstrapped.items():
            drawn = (len(scores), weighteds[key].statistics.shape[1])
            if drawn != expected:
                raise ValueError(
                    f"{key}: {drawn[0]} resamples of {drawn[1]} segments; expected "
                    f"{expected[0]} of {expected[1]}, as of the human scores"
                )
        rated = np.isfinite(segment_gold)[..., None].astype(float)
        ratings = np.nan_to_num(segment_gold)[..., None]
        human = WeightedMetric(Metric.aggregate, ratings, rated)
        with np.errstate(invalid="ignore", divide="ignore"):
            return bootstrap({"human": human}, resamples, seed, units)["human"]

    def estimates(
        self,
        subsets: np.ndarray,
        keys: Iterable[Key],
        values: Mapping[Key, np.ndarray],
        *,
        tested: bool = True,
    ) -> pd.DataFrame:
        """Estimate intervals and tests of statistics.

        Parameters
        ----------
        subsets : ndarray
            Indices of systems, (subsets, size); all that is estimated is a mean over them.
        keys : iterable of (metric, weighting)
        values : mapping of (metric, weighting) to ndarray
            Observed statistics, (statistics,), as means over the subsets.
        tested : bool
            Whether to make intervals and tests, which take most of the time.

        Returns
        -------
        DataFrame
            A row for every key and statistic (columns ESTIMATES); NaN with a reason where
            undefined.

        Notes
        -----
        95 % intervals over segments are percentiles; intervals over systems, or over both, come
        from the statistic's variance (`over_systems`) and need a single subset. `difference` is to
        the standard weighting. Its tests are two-sided: `permutation_p` and `contribution_p`
        (`exchange`), and `williams_p`, for Pearson's r on a single subset.
        """
        plain = {key: baseline(key[0], self.observed) for key in keys}
        if not plain:
            return pd.DataFrame(columns=ESTIMATES)
        drawn: dict[Key, dict[str, np.ndarray]] = {}
        ends: dict[Key, dict[str, np.ndarray]] = {}
        for key in {*plain, *plain.values()} & self.observed.keys():
            drawn[key] = self._resampled(key, subsets) if tested else {}
            ends[key] = self._intervals(values[key], drawn[key])
        frames = []
        for key, standard in plain.items():
            row: Content = {"statistic": self.statistics, "value": values[key]}
            for over, (low, high) in ends[key].items():
                row[f"{over}_low"] = low
                row[f"{over}_high"] = high
            row["metric"], row["weighting"] = key
            if key[1] not in PLAIN and standard in values:
                difference = values[key] - values[standard]
                row["difference"] = difference
                for over in ends[key].keys() & ends[standard].keys():
                    if over in ("systems", "both"):
                        change = resampling.difference(
                            values[key],
                            ends[key][over],
                            values[standard],
                            ends[standard][over],
                            resampling.correlation_of(drawn[key][over], drawn[standard][over]),
                        )
                    else:
                        change = np.array(interval(drawn[key][over] - drawn[standard][over]))
                    row[f"difference_{over}_low"], row[f"difference_{over}_high"] = change
                if tested:
                    row |= self._difference_tests(key, standard, difference, subsets, drawn)
            frames.append(pd.DataFrame(row))
        table = pd.concat(frames, ignore_index=True).reindex(columns=ESTIMATES)
        return table.assign(reason=self._reasons(table, len(subsets), tested=tested))

    def _intervals(
        self, values: np.ndarray, drawn: Mapping[str, np.ndarray]
    ) -> dict[str, np.ndarray]:
        """Return 95 % intervals of a key's statistics, (2, statistics), by resampled unit (OVER),
        from the statistics on resamples of `_resampled`."""
        ends = {over: np.array(interval(samples)) for over, samples in drawn.items()}
        if "systems" in drawn:
            ends["systems"] = over_systems(self.statistics, values, len(self.gold))
        if "both" in drawn:
            segments = drawn["segments"]
            ends["both"] = over_systems(self.statistics, values, len(self.gold), segments)
        return ends

    def _difference_tests(
        self,
        key: Key,
        standard: Key,
        difference: np.ndarray,
        subsets: np.ndarray,
        drawn: Mapping[Key, Mapping[str, np.ndarray]],
    ) -> dict[str, np.ndarray]:
        """Return p of a key's difference to the standard weighting, and the detectable one."""
        tests = {}
        for test, sides in self._exchanged.items():
            if key in sides:
                weighted, plain = sides[key]
                permuted = self.means(weighted, subsets) - self.means(plain, subsets)
                tests[test] = permutation_p(difference, permuted)
                if test == "permutation_p":
                    change = drawn[key]["segments"] - drawn[standard]["segments"]
                    tests["detectable"] = detectable(permuted, change)
        if len(subsets) == 1:
            _, p = williams(self.observed[key], self.observed[standard], self.gold)
            is_pearson = np.array(self.statistics) == "pearson"
            tests["williams_p"] = np.where(is_pearson, p, np.nan)
        return tests

    def _reasons(self, table: pd.DataFrame, subsets: int, *, tested: bool) -> pd.Series:
        """Return why values, intervals or tests are absent in rows of `estimates`; "" if none."""
        absent = table.isna()
        if not tested:
            return pd.Series(np.where(absent.value, UNDEFINED, NOT_PRINTED), table.index)
        no_interval = MEANS if subsets > 1 else table.statistic.map(few_systems)
        reason = (
            pd.Series("", table.index)
            .mask(absent.both_low, UNDEFINED)
            .mask(absent.systems_low, no_interval)
            .mask(absent.value | absent.segments_low, UNDEFINED)
        )
        with_untested = (reason + "; ").str.removeprefix("; ") + UNTESTED
        reason = reason.mask(absent.permutation_p & ~absent.difference, with_untested)
        without_segments = [key not in self.bootstrapped for key in _keys(table)]
        return reason.mask(np.array(without_segments, bool), SYSTEM_SCORES_ONLY)

    def means(
        self, scores: np.ndarray, subsets: np.ndarray, gold: np.ndarray | None = None
    ) -> np.ndarray:
        """Average the statistics over subsets of systems (`subset_means`).

        Parameters
        ----------
        scores : ndarray
            (resamples, systems), higher is better.
        subsets : ndarray
            Indices of systems, (subsets, size).
        gold : ndarray, optional
            Human scores, (resamples, systems) or (systems,); by default the observed ones.

        Returns
        -------
        ndarray
            (resamples, statistics).
        """
        gold = self.gold if gold is None else gold
        return subset_means(self.statistics, scores, gold, subsets)

    def _resampled(self, key: Key, subsets: np.ndarray) -> dict[str, np.ndarray]:
        """Compute statistics on resamples, (resamples, statistics), by resampled unit (OVER); units
        that are impossible or not needed are absent."""
        drawn = self._systems
        resampled = {}
        least = min(MINIMUM_SYSTEMS.get(name, np.inf) for name in self.statistics)
        with_systems = len(subsets) == 1 and len(self.gold) >= least
        if with_systems:
            resampled["systems"] = self.means(self.observed[key][drawn], subsets, self.gold[drawn])
        if key in self.bootstrapped:
            scores = self.bootstrapped[key]
            resampled["segments"] = self.means(scores, subsets)
            if with_systems:
                both = np.take_along_axis(scores, drawn, axis=1)
                resampled["both"] = self.means(both, subsets, self.gold[drawn])
            if self._gold is not None:
                resampled["joint"] = self.means(scores, subsets, self._gold)
        return resampled


def exchange(
    weighteds: Mapping[Key, WeightedMetric],
    resamples: int,
    rng: np.random.Generator,
    units: Units,
) -> dict[str, dict[Key, Sides]]:
    """Exchange hypotheses between each weighting and the standard one (PERM-BOTH).

    Parameters
    ----------
    weighteds : mapping of (metric, weighting) to WeightedMetric
        Of the same systems and segments.
    resamples : int
    rng : Generator
    units : Units
        What is exchanged as a whole.

    Returns
    -------
    dict of dict
        The scores of both sides, (resamples, systems) each, by test and by metric and weighting.

    Notes
    -----
    See `resampling.exchanged`. `permutation_p` scores each half with its own normalised weights:
    for means with equal weights, not for EE, this is the published test. `contribution_p`, for
    means only, is that of `contribution`.
    """
    metrics = list(weighteds.values())
    positions = {key: i for i, key in enumerate(weighteds)}
    contribution_positions = {}
    for key, weighted in weighteds.items():
        if key[1] not in PLAIN:
            contributions = contribution(weighted)
            if contributions is not None:
                contribution_positions[key] = len(metrics)
                metrics.append(contributions)
    halves = resampling.random_halves(metrics, resamples, rng, units)
    tests = {"permutation_p": positions, "contribution_p": contribution_positions}
    exchanged: dict[str, dict[Key, Sides]] = {}
    for test, weighted_positions in tests.items():
        exchanged[test] = {}
        for key, position in weighted_positions.items():
            standard = baseline(key[0], weighteds)
            if key[1] not in PLAIN and standard in positions:
                sides = resampling.exchanged(halves, position, positions[standard])
                exchanged[test][key] = sides
    return exchanged


def contribution(weighted: WeightedMetric) -> WeightedMetric | None:
    """Return each segment's contribution to a weighted mean, as a metric under the standard
    weighting: n · Σ_g share_g · weight_ig / Σ_i weight_ig · score_i; its mean over the n segments
    is the score. None if the score is not a mean of one statistic, or is undefined for a system."""
    if weighted.statistics.shape[2] > 1 or not np.isfinite(weighted.effective_segments()).all():
        return None
    if weighted.weights is None:
        return weighted.unweighted()
    segments = weighted.statistics.shape[1]
    statistics = segments * weighted.segment_shares()[..., None] * weighted.statistics
    return weighted.unweighted()._replace(statistics=statistics)


def permutation_p(difference: np.ndarray, permuted: np.ndarray) -> np.ndarray:
    """Compute two-sided p with +1, (statistics,): the share of permuted differences, (resamples,
    statistics), that reach |difference|, among those defined. NaN where the difference is NaN or
    less than the share DEFINED of permutations is defined."""
    defined = np.isfinite(permuted).sum(axis=0)
    # Differences equal to the observed one up to rounding count; NaN does not.
    reached = np.abs(permuted) >= np.abs(difference) - TABLE_TOLERANCE
    enough = (defined >= DEFINED * len(permuted)) & ~np.isnan(difference)
    return np.where(enough, (1 + reached.sum(axis=0)) / (1 + defined), np.nan)


def detectable(permuted: np.ndarray, resampled: np.ndarray) -> np.ndarray:
    """Return the smallest |difference|, (statistics,), that a two-sided permutation test at 5 %
    finds with 80 % power: c + z₀.₈ · s; c is the 95 % quantile of |permuted differences|, s the
    standard deviation of resampled ones, (resamples, statistics) each. NaN if more than 5 % of
    either are undefined."""
    nulls = permuted[np.isfinite(permuted).all(axis=1)]
    draws = resampled[np.isfinite(resampled).all(axis=1)]
    if len(nulls) < DEFINED * len(permuted) or len(draws) < DEFINED * len(resampled):
        return np.full(permuted.shape[1], np.nan)
    critical = np.quantile(np.abs(nulls), 1 - LEVEL, axis=0, method="higher")
    return critical + POWER_80 * draws.std(axis=0, ddof=1)


def effective_units(weighted: WeightedMetric, units: Units) -> np.ndarray:
    """Return Kish's effective number of units, (systems,); NaN if only system scores exist."""
    if weighted.statistics.shape[1] == 1:
        return np.full(len(weighted.statistics), np.nan)
    return units.effective(weighted.segment_shares())


def effective_documents(weighted: WeightedMetric, documents: Sequence[str]) -> np.ndarray:
    """Return Kish's effective number of documents, (systems,), from the document of each segment;
    NaN if documents are unknown or only system scores exist."""
    if not len(documents):
        return np.full(len(weighted.statistics), np.nan)
    return effective_units(weighted, whole_documents(documents))


class HumanTests(NamedTuple):
    """Tests of the differences between systems' human scores, with which SPA compares metrics.

    Attributes
    ----------
    p : ndarray
        One-sided p, (systems, systems): small where the row's system is better. Empty if there are
        no tests.
    segments : ndarray
        Indices of the counted segments on which metrics are compared with them.
    reason : str
        Why there are no tests; else empty.
    """

    p: np.ndarray
    segments: np.ndarray
    reason: str = ""


class WholeSet:
    """A set's metrics, with the bootstrap samples that all of its tables share.

    Parameters
    ----------
    scores : ScoredSet
    evalset : EvaluationSet
    correlations : DataFrame or None
        The set's `correlations.csv`; None for a set without human scores.
    missing : mapping of (metric, weighting) to str
        Reasons for absent scores.
    statistics : sequence of str
        Names of statistics.
    resamples, seed : int
    unit : {"documents", "segments"}
        What is resampled where documents are known.

    Attributes
    ----------
    draws : tuple of int
        Number of resamples, and seed.
    units : Units
        The units of the counted segments.
    weighteds : dict of (metric, weighting) to WeightedMetric
        Of all systems.
    with_segments : dict of (metric, weighting) to WeightedMetric
        Those with scores of two or more counted segments.
    bootstrapped : dict of (metric, weighting) to ndarray
        Scores on resamples (`bootstrap`).
    gold : ndarray
        Human scores, (systems,), higher is better; absent, like the following, without these.
    segment_gold : ndarray
        Human scores, (systems, counted segments), NaN where absent; of size 0 without any.
    resampled_gold : ndarray
        Those that are resampled for joint intervals; of size 0 where means of resampled ratings
        would not be the human scores, which come from a model of ratings.
    rated : ndarray
        Indices of counted segments that are rated for all systems.
    rated_twice : ndarray
        Indices of counted segments that are rated for two systems or more.
    human_tests : HumanTests
        Of all systems.
    soft : dict of (metric, weighting) to tuple
        Statistics of p-values between systems (`soft_of`).
    """

    def __init__(
        self,
        scores: ScoredSet,
        evalset: EvaluationSet,
        correlations: pd.DataFrame | None,
        missing: Mapping[Key, str],
        statistics: Sequence[str],
        resamples: int,
        seed: int,
        unit: str = DOCUMENTS,
    ) -> None:
        self.scores = scores
        self.evalset = evalset
        self.missing = missing
        self.correlations = correlations
        self.statistics = list(statistics)
        self.draws = (resamples, seed)
        self.unit = unit
        self.units = single_segments(0)
        if evalset is not None:
            self.units = self.units_of(np.arange(len(scores.counted)))
        self.weighteds = scores.of(np.arange(len(scores.systems)))
        self.with_segments = {
            key: weighted
            for key, weighted in self.weighteds.items()
            if weighted.statistics.shape[1] == len(scores.counted) > 1
        }
        self.bootstrapped = bootstrap(self.weighteds, resamples, seed, self.units)
        if evalset and evalset.gold:
            self.gold = np.array(evalset.gold)
            human = np.array(evalset.segment_gold or [[]] * len(self.gold), dtype=float)
            self.segment_gold = human[:, scores.counted] if human.size else human
            # Means of ratings are not resampled for human scores of a model.
            self.resampled_gold = self.segment_gold
            if evalset.gold_covariance and evalset.segment_gold_name:
                self.resampled_gold = np.empty((len(self.gold), 0))
            is_rated = np.isfinite(self.segment_gold)
            self.rated = np.flatnonzero(is_rated.all(axis=0))
            self.rated_twice = np.flatnonzero(is_rated.sum(axis=0) > 1)
            everyone = np.arange(len(self.gold))
            self.human_tests = self.human_tests_of(self.segment_gold, everyone)
            self.soft = self.soft_of(self.weighteds, self.human_tests)

    def units_of(self, segments: np.ndarray) -> Units:
        """Return the units of some of the counted segments (indices)."""
        return units_of_set(self.evalset, self.scores.counted[segments], self.unit)

    def observed(self, subset: str, size: int) -> dict[Key, np.ndarray]:
        """Return the statistics of system scores in `correlations.csv`, (statistics,), by metric
        and weighting, for a subset of systems, such as ("top", 4)."""
        assert self.correlations is not None
        return observed_values(self.correlations, of_scores(self.statistics), subset, size)

    def human_tests_of(
        self, segment_gold: np.ndarray, systems: np.ndarray | None = None
    ) -> HumanTests:
        """Test the differences between systems' human scores.

        Parameters
        ----------
        segment_gold : ndarray
            Human scores, (systems, segments), NaN where absent.
        systems : ndarray of int, optional
            Indices of these systems; None for a part of the segments.

        Returns
        -------
        HumanTests
            By the errors of the human scores where these come from annotations; else by paired
            permutations on the segments that are rated for all systems.
        """
        if systems is not None and self.evalset.gold_covariance:
            p = self.evalset.human_p(systems)
            every_segment = np.arange(len(self.scores.counted))
            unknown = np.isnan(np.diag(np.array(self.evalset.gold_covariance, float)))[systems]
            if unknown.any():
                names = np.array(self.scores.systems)[systems][unknown]
                return HumanTests(p, every_segment, NO_ERROR.format(", ".join(names)))
            return HumanTests(p, every_segment)
        rated = np.flatnonzero(np.isfinite(segment_gold).all(axis=0))
        if len(rated) < MINIMUM_SEGMENTS:
            reason = FEW.format(len(rated), MINIMUM_SEGMENTS)
            if not segment_gold.size:
                reason = self.evalset.no_segment_gold
            return HumanTests(np.empty((0, 0)), rated, reason)
        human = WeightedMetric.standard(Metric, segment_gold[:, rated, None])
        return HumanTests(resampling.p_values(human, *self.draws), rated)

    def soft_of(
        self, weighteds: Mapping[Key, WeightedMetric], human: HumanTests
    ) -> dict[Key, tuple[np.ndarray, str]]:
        """Compute the statistics of p-values between systems, such as SPA.

        Parameters
        ----------
        weighteds : mapping of (metric, weighting) to WeightedMetric
        human : HumanTests
            Of the same systems and segments.

        Returns
        -------
        dict
            (statistics,) by metric and weighting, each with the reason if all are NaN, else "".
        """
        kinds = [STATISTICS[name] for name in self.statistics]
        statistics = [kind() for kind in kinds if kind.reads == "p_values"]
        if not statistics:
            return {}
        undefined = np.full(len(statistics), np.nan)
        if human.reason:
            return dict.fromkeys(weighteds, (undefined, human.reason))
        soft = {}
        for key, weighted in weighteds.items():
            if weighted.statistics.shape[1] > 1:
                p = resampling.p_values(weighted.select(segments=human.segments), *self.draws)
                soft[key] = (np.array([statistic(p, human.p) for statistic in statistics]), "")
            else:
                reason = self.scores.no_segments.get(key[0], SYSTEM_SCORES_ONLY)
                soft[key] = (undefined, reason)
        return soft


def system_tables(
    whole: WholeSet, system_scores: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Make `system_comparisons.csv` (columns COMPARISONS), with every ordered pair of systems, and
    `system_intervals.csv` (columns INTERVALS), with the score of each system, which are those of
    `system_scores.csv`."""
    scores_by_key = {
        key: rows.set_index("system").score for key, rows in system_scores.groupby(KEY)
    }
    comparisons = [pd.DataFrame(columns=COMPARISONS)]
    intervals = [pd.DataFrame(columns=INTERVALS)]
    systems = np.array(whole.scores.systems, dtype=object)
    a, b = np.nonzero(~np.eye(len(systems), dtype=bool))
    for key, resampled in whole.bootstrapped.items():
        metric, weighting = key
        scores = scores_by_key[key][systems].to_numpy()
        wins, p = resampling.paired_bootstrap(resampled)
        pairs = {
            "metric": metric,
            "weighting": weighting,
            "system": systems[a],
            "other": systems[b],
            "difference": scores[a] - scores[b],
            "wins": wins[a, b],
            "p": p[a, b],
            "unit": whole.units.kind,
            "units": whole.units.size,
        }
        comparisons.append(pd.DataFrame(pairs))
        low, high = resampling.score_interval(whole.weighteds[key], resampled)
        rows = {
            "system": systems,
            "metric": metric,
            "weighting": weighting,
            "score": scores,
            "low": low,
            "high": high,
            "unit": whole.units.kind,
            "units": whole.units.size,
        }
        intervals.append(pd.DataFrame(rows))
    return pd.concat(comparisons), pd.concat(intervals)


def significance(
    whole: WholeSet, tops: Sequence[int], sizes: Sequence[int], draws: int, printed: Collection[int]
) -> pd.DataFrame:
    """Make `significance.csv`: intervals and tests over subsets of the systems of a set.

    The subsets are all systems, the best ones, those without outliers, and random ones.

    Parameters
    ----------
    whole : WholeSet
        A set with human scores.
    tops : sequence of int
        Sizes of subsets of the best systems.
    sizes : sequence of int
        Sizes of random subsets.
    draws : int
        Number of random subsets of each size.
    printed : collection of int
        Sizes of random subsets that have intervals and tests.

    Returns
    -------
    DataFrame
        Columns COLUMNS. Random subsets omit weightings whose difficulty depends on the systems;
        their values are means over these subsets, which are fewer than those of
        `correlations.csv`. All other values are those of `correlations.csv`.
    """
    gold = whole.gold
    parts = [("all", np.arange(len(gold)), "")]
    parts += [("top", best_systems(gold, size), "") for size in tops if size < len(gold)]
    parts += without_outliers(whole.evalset.systems, gold, whole.evalset.outliers)
    tables = [pd.DataFrame(columns=COLUMNS)]
    for subset, systems, left_out in parts:
        is_all = subset == "all"
        size = len(systems)
        weighteds = whole.weighteds if is_all else whole.scores.of(systems)
        scored = whole.scores.quality(systems[None])
        observed = {key: scores[0] for key, scores in scored.items()}
        resampled = Resamples(
            weighteds=weighteds,
            observed=observed,
            gold=gold[systems],
            resamples=whole.draws[0],
            seed=whole.draws[1],
            statistics=whole.statistics,
            units=whole.units,
            segment_gold=whole.resampled_gold[systems],
            bootstrapped=whole.bootstrapped if is_all else None,
        )
        values = whole.observed(subset, size)
        estimates = resampled.estimates(np.arange(size)[None], observed, values)
        soft = whole.soft
        if not is_all:
            human = whole.human_tests_of(whole.segment_gold[systems], systems)
            soft = whole.soft_of(weighteds, human)
        estimated = [
            (subset, size, _with_reasons_of_scores(estimates, whole)),
            (subset, size, _soft_estimates(whole, soft)),
        ]
        if is_all:
            estimated += _random_estimates(whole, resampled, sizes, draws, printed)
        effective = _effective_numbers(weighteds, whole.units)
        for name, systems_count, table in estimated:
            table = table.assign(unit=whole.units.kind, units=whole.units.size)
            table = table.join(effective, on=KEY)
            tables.append(table.assign(subset=name, size=systems_count, left_out=left_out))
    filled = [table for table in tables if len(table)]
    return pd.concat(filled or tables, ignore_index=True)[COLUMNS]


def _effective_numbers(weighteds: Mapping[Key, WeightedMetric], units: Units) -> pd.DataFrame:
    """Return effective numbers of segments and units, a row for each metric and weighting."""
    rows = []
    for key, weighted in weighteds.items():
        segments = effective_segments(weighted)
        of_units = effective_units(weighted, units).mean()
        rows.append([*key, segments.mean(), segments.min(), of_units])
    columns = [*KEY, "effective_mean", "effective_min", "effective_units"]
    return pd.DataFrame(rows, columns=columns).set_index(KEY)


def _random_estimates(
    whole: WholeSet,
    resampled: Resamples,
    sizes: Sequence[int],
    draws: int,
    printed: Collection[int],
) -> list[tuple[str, int, pd.DataFrame]]:
    """Return estimates over random subsets: "random", size, and table; arguments as for
    `significance`, `resampled` of all systems."""
    rng = np.random.default_rng([whole.draws[1], 4])
    systems = len(whole.gold)
    fixed = [key for key in resampled.observed if key[1] in whole.scores.fixed]
    estimated = []
    for size in sizes:
        if size <= systems:
            chosen = random_subsets(systems, size, draws, rng)
            means = {}
            for key in fixed:
                means[key] = resampled.means(resampled.observed[key][None], chosen)[0]
            table = resampled.estimates(chosen, fixed, means, tested=size in printed)
            estimated.append(("random", size, _with_reasons_of_scores(table, whole)))
    return estimated


def _with_reasons_of_scores(table: pd.DataFrame, whole: WholeSet) -> pd.DataFrame:
    """Replace reasons of keys that have no scores by the reasons for that."""
    reasons = zip(_keys(table), table.reason, strict=True)
    return table.assign(reason=[whole.missing.get(key, reason) for key, reason in reasons])


def _soft_estimates(whole: WholeSet, soft: Mapping[Key, tuple[np.ndarray, str]]) -> pd.DataFrame:
    """Tabulate statistics that read p-values between systems (columns ESTIMATES), which have no
    intervals and tests; `soft` is as of `WholeSet.soft_of`."""
    names = [name for name in whole.statistics if STATISTICS[name].reads == "p_values"]
    rows = []
    for key, (values, no_values) in soft.items():
        plain = baseline(key[0], soft)
        is_compared = key[1] not in PLAIN and plain in soft
        for i, name in enumerate(names):
            difference = values[i] - soft[plain][0][i] if is_compared else np.nan
            reason = no_values
            if not reason and np.isnan(values[i]):
                reason = whole.missing.get(key, UNDEFINED)
            rows.append((*key, name, values[i], difference, reason))
    columns = [*KEY, "statistic", "value", "difference", "reason"]
    return pd.DataFrame(rows, columns=columns).reindex(columns=ESTIMATES)


def _keys(table: pd.DataFrame) -> list[Key]:
    """Return metric and weighting of every row."""
    return list(zip(table.metric, table.weighting, strict=True))
