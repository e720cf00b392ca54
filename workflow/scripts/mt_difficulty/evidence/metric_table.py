"""Agreement of the metrics of a set with human scores by the statistics of the WMT metrics task,
with intervals, permutation tests between all pairs of metrics, and ranks; means over sets.

A key is a metric or a metric under a weighting. p-values of tests are one-sided, with +1: p[i, j]
is small where key i agrees better with human scores than key j. All pairs of keys have the same
random halves (PERM-BOTH, Deutsch et al. 2021) or masks. A metric whose system score is not computed
from the scores of the counted segments is tested as by the official toolkit, which exchanges the
scores of systems."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd

from ..scores import SAME, Key, baseline
from ..statistics import STATISTICS, evaluate
from ..statistics.acc_eq import AccEq, agreeing, calibrate, weighted_pairs
from ..statistics.base import SegmentStatistic, grouped
from ..storage import Content
from ..tables import TABLES
from ..weighting.base import MEAN, PLAIN, STANDARD, WeightedMetric
from ..weighting.fitted import TUNED
from . import resampling
from .gains import KEY, WholeSet
from .resampling import (
    DEFINED,
    MINIMUM_SEGMENTS,
    TABLE_TOLERANCE,
    TOLERANCE,
    interval,
    random_bits,
)
from .subsets import without_outliers
from .units import Units, single_segments

HEAD = ["level", "statistic", "grouping"]
# Columns that identify a row of agreement.csv.
ROW = ["subset", "domain", *HEAD, *KEY]
INTERVAL = ["low", "high", "difference", "difference_low", "difference_high", "unit", "units"]
# Columns of agreement.csv before the difficulty is added, of metric_tests.csv and metrics_task.csv.
COLUMNS = TABLES["agreement.csv"].names(without=["difficulty"])
TESTS = TABLES["metric_tests.csv"].names()
AVERAGES = TABLES["metrics_task.csv"].names()
ALL = "all"
SPA = ("system", "soft_accuracy", "")
NOT_OF_SEGMENTS = "a weighting of segments has no segment scores of its own: they are the metric's"
NO_SEGMENT_SCORES = "only system scores are stored"
UNDEFINED = "constant or undefined scores"
LEVEL = 0.05
# Values that are equal in this many decimal digits are equal up to rounding.
DIGITS = 11
EXPLAINED = f"""\
The metrics of a set in order of decreasing statistic: rank, value, and a matrix. The sign in a
metric's row and the column of a lower metric says whether it agrees significantly better with human
scores (>) or not (=), or that there is no p (?): one-sided permutation test (PERM-BOTH), p <=
{LEVEL}, not adjusted for the number of comparisons. A new rank begins where a metric of the
previous rank is significantly better."""
# Statistics of system scores in the order of results; groupings for segment correlations.
SYSTEM = ("pearson", "kendall", "spearman", "accuracy", "soft_accuracy")
CORRELATIONS = ("none", "system")
# Pairwise accuracies of segment scores.
ACCURACIES = ("acc23", "acc_eq")
# Resamples, and masks over pairs of scores, at a time: they fit in the processor's cache.
BLOCK = 128
PAIR_BLOCK = 64

# Values of statistics, (statistics, keys), and one-sided p of their differences, (statistics, keys,
# keys): NaN where a value is NaN or too few resamples are defined; 1 on the diagonal.
Tests = tuple[np.ndarray, np.ndarray]


class SetPart(NamedTuple):
    """A part of a set for which statistics are computed: all of it, or some systems or segments.

    Attributes
    ----------
    subset : str
        ALL, or a kind of subset without outliers.
    domain : str
        Domain of the segments; "" for all segments.
    systems : ndarray
        Indices of systems, (part's systems,).
    segments : ndarray
        Indices among the counted segments, (part's segments,).
    gold : ndarray
        Human scores, (part's systems,), higher is better.
    left_out : str
        Names of the outliers that are left out.
    """

    subset: str
    domain: str
    systems: np.ndarray
    segments: np.ndarray
    gold: np.ndarray
    left_out: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether this is the whole set."""
        return self.subset == ALL and not self.domain


class KeyTests(NamedTuple):
    """Tests of one statistic between all pairs of keys.

    Attributes
    ----------
    keys : list of (metric, weighting)
    values : ndarray
        The statistic, (keys,).
    p : ndarray
        One-sided p, (keys, keys): small where the row's key agrees better with human scores.
    """

    keys: list[Key]
    values: np.ndarray
    p: np.ndarray


# Tests by HEAD: level, statistic and grouping.
TestsByStatistic = dict[tuple[str, str, str], KeyTests]


def agreement_tables(
    whole: WholeSet, progress: Callable = iter, *, subsets: bool = True
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Make `agreement.csv` and `metric_tests.csv` for a set with human scores.

    Parameters
    ----------
    whole : WholeSet
    progress : callable
        Wraps the iteration over pairs of keys (tqdm).
    subsets : bool
        Whether statistics are also computed for the systems without outliers.

    Returns
    -------
    tuple of DataFrame
        The statistics with reasons, ranks and intervals (columns COLUMNS), and the tests between
        metrics (columns TESTS).
    """
    segment_scores = _segment_scores(whole)
    rows = []
    for part in _parts(whole, subsets=subsets):
        for row in _agreement_rows(whole, part, segment_scores):
            rows.append((part.subset, part.domain, *row, part.left_out))
    table = pd.DataFrame(rows, columns=[*ROW, "value", "reason", "epsilon", "segments", "left_out"])
    table["reason"] = table.reason.where(table.value.isna(), "")

    of_all = table[(table.subset == ALL) & (table.domain == "")]
    known = {}
    for name, statistic_rows in of_all.groupby("statistic"):
        known[str(name)] = statistic_rows.set_index(KEY)
    tests = _tests(whole, segment_scores, known, progress)
    rank_rows, test_rows = _rank_and_pair_rows(whole, tests)
    interval_rows = []
    for key, ends in _intervals(whole, known).items():
        interval_rows.append((ALL, "", *SPA, *key, *ends))
    ranks = pd.DataFrame(rank_rows, columns=[*ROW, "rank"])
    intervals = pd.DataFrame(interval_rows, columns=[*ROW, *INTERVAL])
    table = table.merge(ranks, how="left", on=ROW)
    table = table.merge(intervals, how="left", on=ROW)
    # Thresholds are written exactly: a smaller one would tie fewer scores.
    exact = ["" if np.isnan(epsilon) else repr(float(epsilon)) for epsilon in table.epsilon]
    table = table.assign(epsilon=exact)[COLUMNS]
    return table, pd.DataFrame(test_rows, columns=TESTS)


def _segment_scores(whole: WholeSet) -> dict[Key, np.ndarray]:
    """Return segment scores, (systems, counted segments), of unweighted metrics and of metrics
    under a weighting of tokens; other metrics have none."""
    scores = whole.scores
    size = len(scores.counted)
    segment_scores: dict[Key, np.ndarray] = {}
    for key in scores.keys:
        metric, weighting = key
        if key == baseline(metric, scores.keys):
            quality = scores.segment_quality(metric)
            if quality.shape[1] == size > 0:
                segment_scores[key] = quality
        elif scores.tokens_of(weighting) and not scores.segment_difficulty(weighting):
            weighted = whole.weighteds[key]
            segment_scores[key] = weighted.quality(weighted.columns)
    return segment_scores


def _parts(whole: WholeSet, *, subsets: bool) -> list[SetPart]:
    """Return the whole set, if `subsets` the systems without outliers, and each of several
    domains."""
    evalset = whole.evalset
    systems = np.arange(len(whole.gold))
    segments = np.arange(len(whole.scores.counted))
    parts = [SetPart(ALL, "", systems, segments, whole.gold)]
    if subsets:
        inliers = without_outliers(evalset.systems, whole.gold, evalset.outliers)
        for name, index, left_out in inliers:
            parts.append(SetPart(name, "", index, segments, whole.gold[index], left_out))
    if not evalset.domains or not whole.segment_gold.size:
        return parts
    domains = np.array(evalset.domains)[whole.scores.counted]
    names = list(dict.fromkeys(domains.tolist()))
    if len(names) < 2:
        return parts
    for name in names:
        inside = np.flatnonzero(domains == name)
        ratings: Any = np.ma.masked_invalid(whole.segment_gold[:, inside])
        mean = ratings.mean(axis=1).filled(np.nan)
        domain_gold = np.array(evalset.domain_gold.get(name, mean), dtype=float)
        parts.append(SetPart(ALL, name, systems, inside, domain_gold))
    return parts


def _agreement_rows(
    whole: WholeSet, part: SetPart, segment_scores: Mapping[Key, np.ndarray]
) -> Iterator[tuple]:
    """Yield a part's statistics: HEAD, KEY, value, reason for a NaN, tie threshold ε, segments."""
    size = len(whole.scores.counted)
    segment_gold = whole.segment_gold[part.systems]
    if segment_gold.size:
        segment_gold = segment_gold[:, part.segments]
    of_systems = whole.weighteds
    systems = part.systems
    if part.subset != ALL:
        # Difficulties that depend on the systems are estimated without the outliers, too.
        of_systems = whole.scores.of(part.systems)
        systems = np.arange(len(part.systems))
    weighteds = {}
    for key, weighted in of_systems.items():
        if weighted.statistics.shape[1] == size:
            weighteds[key] = weighted.select(systems, part.segments)
        elif len(part.segments) == size:
            # A domain has no rows of metrics without segment scores.
            weighteds[key] = weighted.select(systems)
    yield from _score_rows(whole, part, weighteds)
    yield from _p_value_rows(whole, part, weighteds, segment_gold)
    yield from _segment_rows(whole, part, segment_scores, segment_gold)


def _statistics_that_read(whole: WholeSet, reads: str) -> list[str]:
    """Return the run's statistics that read "scores", "p_values" or "segment_scores"."""
    return [name for name in whole.statistics if STATISTICS[name].reads == reads]


def _score_rows(
    whole: WholeSet, part: SetPart, weighteds: Mapping[Key, WeightedMetric]
) -> Iterator[tuple]:
    """Yield a part's statistics of system scores, as `_agreement_rows`."""
    names = _statistics_that_read(whole, "scores")
    observed = {} if part.domain else whole.observed(part.subset, len(part.systems))
    for key, weighted in weighteds.items():
        if part.domain:
            values = evaluate(names, weighted.observed_quality(), part.gold)
        else:
            values = observed[key]
        reason = whole.missing.get(key, UNDEFINED)
        for name, value in zip(names, values, strict=True):
            yield ("system", name, "", *key, value, reason, np.nan, len(part.segments))


def _p_value_rows(
    whole: WholeSet,
    part: SetPart,
    weighteds: Mapping[Key, WeightedMetric],
    segment_gold: np.ndarray,
) -> Iterator[tuple]:
    """Yield a part's statistics of p-values between systems (SPA), as `_agreement_rows`."""
    names = _statistics_that_read(whole, "p_values")
    human, soft = whole.human_tests, whole.soft
    if not part.is_whole:
        # Errors of human scores from annotations are of all segments, not of a domain's.
        human = whole.human_tests_of(segment_gold, None if part.domain else part.systems)
        soft = whole.soft_of(weighteds, human)
    for key, (values, no_values) in soft.items():
        reason = no_values or whole.missing.get(key, UNDEFINED)
        for name, value in zip(names, values, strict=True):
            yield ("system", name, "", *key, value, reason, np.nan, len(human.segments))


def _segment_rows(
    whole: WholeSet,
    part: SetPart,
    segment_scores: Mapping[Key, np.ndarray],
    segment_gold: np.ndarray,
) -> Iterator[tuple]:
    """Yield a part's statistics of segment scores, as `_agreement_rows`. Without human scores of
    segments only the reason is given, for the whole set, if these scores were doubtful."""
    evalset = whole.evalset
    segments = len(part.segments)
    for name in _statistics_that_read(whole, "segment_scores"):
        statistic = cast(SegmentStatistic, STATISTICS[name]())
        for grouping in statistic.groupings:
            head = ("segment", name, grouping)
            if not segment_gold.size:
                if part.is_whole and evalset.segment_gold_doubt:
                    for key in segment_scores:
                        yield (*head, *key, np.nan, evalset.no_segment_gold, np.nan, segments)
                continue
            for key, scores in segment_scores.items():
                quality = scores[part.systems][:, part.segments]
                value, epsilon = _segment_statistic(statistic, quality, segment_gold, grouping)
                yield (*head, *key, value, UNDEFINED, epsilon, segments)
            if part.is_whole:
                for key, reason in _without_segment_scores(whole, segment_scores).items():
                    yield (*head, *key, np.nan, reason, np.nan, segments)


def _segment_statistic(
    statistic: SegmentStatistic, quality: np.ndarray, segment_gold: np.ndarray, grouping: str
) -> tuple[float, float]:
    """Return a statistic of segment scores, and the calibrated tie threshold ε (NaN if none)."""
    if isinstance(statistic, AccEq):
        groups = grouped(segment_gold, grouping)
        return calibrate(quality.ravel()[groups.cells], groups)
    return float(statistic(quality, segment_gold, grouping)), np.nan


def _without_segment_scores(
    whole: WholeSet, segment_scores: Mapping[Key, np.ndarray]
) -> dict[Key, str]:
    """Return the reason for each key without segment scores, unless MEAN has them in its place."""
    reasons = {}
    for key in whole.weighteds:
        metric, weighting = key
        has_mean = weighting == STANDARD and (metric, MEAN) in segment_scores
        if key in segment_scores or has_mean:
            continue
        plain = baseline(metric, whole.weighteds)
        if weighting not in PLAIN and plain in whole.weighteds:
            reasons[key] = NOT_OF_SEGMENTS
        else:
            reasons[key] = whole.scores.no_segments.get(metric, NO_SEGMENT_SCORES)
    return reasons


def _rank_and_pair_rows(
    whole: WholeSet, tests: TestsByStatistic
) -> tuple[list[tuple], list[tuple]]:
    """Return rows of ranks (columns ROW, rank) and of tests between pairs of keys (TESTS)."""
    ranks = []
    pairs = []
    for head, (keys, values, p) in tests.items():
        order = ranking(values, names_of_twins(keys, whole.weighteds))
        for key, cluster, value in zip(keys, clusters(p, order), values, strict=True):
            rank = cluster if np.isfinite(value) else np.nan
            ranks.append((ALL, "", *head, *key, rank))
        for better, lower in combinations(order, 2):
            difference = values[better] - values[lower]
            pairs.append((*head, *keys[better], *keys[lower], difference, p[better, lower]))
    return ranks, pairs


def _intervals(whole: WholeSet, known: Mapping[str, pd.DataFrame]) -> dict[Key, list[Any]]:
    """Return the INTERVAL of SPA by metric and weighting: 95 %, over resampled texts with their
    human scores; weights are not refitted. None for human scores from annotations. `known` has
    the set's rows by statistic."""
    rated = whole.rated
    keys = list(whole.with_segments)
    resamples, seed = whole.draws
    if SPA[1] not in whole.statistics or len(rated) < MINIMUM_SEGMENTS or not keys:
        return {}
    if whole.evalset.gold_covariance:
        return {}  # its errors are not of the segments alone
    units = whole.units_of(rated)
    rng = np.random.default_rng([seed, 0])
    weights = resampling.bootstrap_weights(units.size, resamples, rng)
    on_rated = [weighted.select(segments=rated) for weighted in whole.with_segments.values()]
    if len(rated) == len(whole.scores.counted):
        quality = [whole.bootstrapped[key] for key in keys]
    else:
        quality = resampling.resampled_scores(on_rated, weights, units)
    influence = np.array([weighted.influence() for weighted in on_rated])
    gold = whole.segment_gold[:, rated]
    drawn_spa = resampling.bootstrap_soft_accuracy(
        np.array(quality), influence, gold, weights, units
    )
    drawn = dict(zip(keys, drawn_spa, strict=True))
    spa = known[SPA[1]].value
    intervals: dict[Key, list[Any]] = {}
    for key in keys:
        low, high = map(float, interval(drawn[key]))
        plain = baseline(key[0], keys)
        change: list[Any] = [np.nan, np.nan, np.nan]
        if key[1] not in PLAIN and plain in drawn:
            change_low, change_high = map(float, interval(drawn[key] - drawn[plain]))
            difference = spa[key] - spa[plain] if np.isfinite(change_low) else np.nan
            change = [difference, change_low, change_high]
        intervals[key] = [low, high, *change, units.kind, units.size]
    return intervals


def is_tested(statistic: str, grouping: str) -> bool:
    """Return whether metrics are tested by a statistic, in a grouping of segments."""
    if statistic == "segment_pearson":
        return grouping in CORRELATIONS
    return statistic in (*SYSTEM, *ACCURACIES)


def _tests(
    whole: WholeSet,
    segment_scores: Mapping[Key, np.ndarray],
    known: Mapping[str, pd.DataFrame],
    progress: Callable,
) -> TestsByStatistic:
    """Test the run's statistics between keys. `known` has the set's rows by statistic."""
    spa, perm_both = _spa_tests(whole, known, progress)
    tests = _system_score_tests(whole, known, perm_both, progress)
    tests |= spa
    if whole.segment_gold.size and segment_scores:
        tests |= _segment_score_tests(whole, segment_scores, known)
    return {head: test for head, test in tests.items() if head[1] in whole.statistics}


def _spa_tests(
    whole: WholeSet, known: Mapping[str, pd.DataFrame], progress: Callable
) -> tuple[TestsByStatistic, np.ndarray | None]:
    """Test SPA on the segments of the human tests. If these are all counted segments, return also p
    of all SYSTEM statistics, (5, keys, keys), else None."""
    keys = list(whole.with_segments)
    human = whole.human_tests
    if SPA[1] not in whole.statistics or human.reason or not keys:
        return {}, None
    on_rated = [metric.select(segments=human.segments) for metric in whole.with_segments.values()]
    all_are_rated = len(human.segments) == len(whole.scores.counted)
    # On other segments the system scores are others, and SPA alone is tested here.
    observed = np.full((4, len(keys)), np.nan)
    if all_are_rated:
        observed = _values_of(known, keys)
    p = system_tests(on_rated, observed, whole.gold, human.p, whole.draws, progress)
    values = known[SPA[1]].value[keys].to_numpy()
    return {SPA: KeyTests(keys, values, p[4])}, p if all_are_rated else None


def _system_score_tests(
    whole: WholeSet,
    known: Mapping[str, pd.DataFrame],
    perm_both: np.ndarray | None,
    progress: Callable,
) -> TestsByStatistic:
    """Test the first four SYSTEM statistics; `perm_both` is the second result of `_spa_tests`."""
    if set(SYSTEM[:4]).isdisjoint(whole.statistics):
        return {}
    keys = [key for key in whole.weighteds if key[1] != MEAN]
    values = _values_of(known, keys)
    p = score_tests(whole, keys, values, perm_both, progress)
    tests: TestsByStatistic = {}
    for i, name in enumerate(SYSTEM[:4]):
        tests["system", name, ""] = KeyTests(keys, values[i], p[i])
    return tests


def _segment_score_tests(
    whole: WholeSet,
    segment_scores: Mapping[Key, np.ndarray],
    known: Mapping[str, pd.DataFrame],
) -> TestsByStatistic:
    """Test the run's statistics of segment scores."""
    tests: TestsByStatistic = {}
    keys = list(segment_scores)
    scores = np.array(list(segment_scores.values()))
    resamples, seed = whole.draws
    for i, name in enumerate(ACCURACIES):
        if name in whole.statistics:
            # acc23 has no threshold: 0.
            epsilon = known[name].epsilon[keys].fillna(0).to_numpy()
            rng = np.random.default_rng([seed, 6, i])
            values, p = comparison_tests(scores, whole.segment_gold, epsilon, resamples, rng)
            tests["segment", name, "item"] = KeyTests(keys, values[0], p[0])
    if "segment_pearson" in whole.statistics:
        rng = np.random.default_rng([seed, 7])
        values, p = correlation_tests(scores, whole.segment_gold, resamples, rng)
        for i, grouping in enumerate(CORRELATIONS):
            tests["segment", "segment_pearson", grouping] = KeyTests(keys, values[i], p[i])
    return tests


def _values_of(known: Mapping[str, pd.DataFrame], keys: Sequence[Key]) -> np.ndarray:
    """Return the values of the first four SYSTEM statistics, (4, keys), from the set's rows by
    statistic; NaN for statistics that the run has not."""
    values = np.full((4, len(keys)), np.nan)
    for i, name in enumerate(SYSTEM[:4]):
        if name in known:
            values[i] = known[name].value[keys]
    return values


def score_tests(
    whole: WholeSet,
    keys: Sequence[Key],
    values: np.ndarray,
    perm_both: np.ndarray | None = None,
    progress: Callable = iter,
) -> np.ndarray:
    """Test the first four SYSTEM statistics between all pairs of keys.

    Pairs of which both scores are computed from the counted segments are tested by PERM-BOTH
    (`system_tests`), all others as by the official toolkit (`exchanged_systems`).

    Parameters
    ----------
    whole : WholeSet
    keys : sequence of (metric, weighting)
    values : ndarray
        The statistics, (4, keys).
    perm_both : ndarray, optional
        p of `whole.with_segments` by PERM-BOTH, if they are known.
    progress : callable
        Wraps the iteration over pairs (tqdm).

    Returns
    -------
    ndarray
        p, (4, keys, keys).
    """
    quality = np.array([whole.weighteds[key].observed_quality() for key in keys])
    by_segments = [i for i, key in enumerate(keys) if key in whole.with_segments]
    others = [i for i in range(len(keys)) if i not in by_segments]
    p = np.full((4, len(keys), len(keys)), np.nan)
    if others:
        p = exchanged_systems(quality, values, whole.gold, others, whole.draws)
    if by_segments:
        tested = [keys[i] for i in by_segments]
        if perm_both is None:
            metrics = [whole.with_segments[key] for key in tested]
            observed = values[:, by_segments]
            perm_both = system_tests(metrics, observed, whole.gold, None, whole.draws, progress)
            index = list(range(len(tested)))
        else:
            all_keys = list(whole.with_segments)
            index = [all_keys.index(key) for key in tested]
        p_of_tested = perm_both[:4][:, index][:, :, index]
        p[np.ix_(range(4), by_segments, by_segments)] = p_of_tested
    return p


def exchanged_systems(
    quality: np.ndarray,
    values: np.ndarray,
    gold: np.ndarray,
    tested: Sequence[int],
    draws: tuple[int, int],
) -> np.ndarray:
    """Test statistics of system scores between metrics by exchanging the scores of systems.

    This is the official toolkit's test: two metrics' scores are standardised, and those of random
    systems are exchanged.

    Parameters
    ----------
    quality : ndarray
        (keys, systems), higher is better.
    values : ndarray
        The first four SYSTEM statistics, (4, keys).
    gold : ndarray
        (systems,).
    tested : sequence of int
        Keys; pairs with at least one of them are tested.
    draws : tuple of int
        Number of permutations, and seed.

    Returns
    -------
    ndarray
        p of the first four SYSTEM statistics, (4, keys, keys).
    """
    from ..compiled.samples import mean_correlations

    resamples, seed = draws
    keys, systems = quality.shape
    mean = quality.mean(axis=1, keepdims=True)
    deviation = quality.std(axis=1, keepdims=True)
    divisor = np.where(deviation > 0, deviation, 1)
    scores = (quality - mean) / divisor
    all_systems = np.arange(systems)[None]
    stays = np.random.default_rng([seed, 8]).random((resamples, systems)) < 0.5
    counts = np.zeros((4, keys, keys), int)
    defined = np.zeros((4, keys, keys), int)
    for i, j in combinations(range(keys), 2):
        if i not in tested and j not in tested:
            continue
        first_scores = np.where(stays, scores[i], scores[j])
        second_scores = np.where(stays, scores[j], scores[i])
        first = mean_correlations(first_scores, gold, all_systems)
        second = mean_correlations(second_scores, gold, all_systems)
        observed = values[:, i] - values[:, j]
        _count(first - second, observed, counts, defined, i, j)
    p = _p_of_counts(counts, defined, values)
    few = (defined < DEFINED * resamples) & ~np.eye(keys, dtype=bool)
    return np.where(few, np.nan, p)


def _count(
    differences: np.ndarray,
    observed: np.ndarray,
    counts: np.ndarray,
    defined: np.ndarray,
    i: int,
    j: int,
) -> None:
    """Count the permuted differences between keys i and j, (resamples, statistics), that reach the
    `observed` one in either direction, and those that are defined."""
    counts[:, i, j] = (differences >= observed - TABLE_TOLERANCE).sum(axis=0)
    counts[:, j, i] = (differences <= observed + TABLE_TOLERANCE).sum(axis=0)
    defined[:, i, j] = np.isfinite(differences).sum(axis=0)
    defined[:, j, i] = defined[:, i, j]


def names_of_twins(keys: Sequence[Key], weighteds: Mapping[Key, WeightedMetric]) -> list[str]:
    """Return names by which metrics of equal value are ordered.

    A metric with the same scores as an earlier one has the earlier one's name, so that the two
    stand side by side and in one cluster.
    """
    quality = [weighteds[key].observed_quality() for key in keys]
    names: list[str] = []
    for i, key in enumerate(keys):
        equal = (j for j in range(i) if _are_equal(quality[j], quality[i]))
        first = next(equal, None)
        names.append(" ".join(key) if first is None else names[first])
    return names


def _are_equal(first: np.ndarray, second: np.ndarray) -> bool:
    """Return whether system scores are equal but for rounding (SAME)."""
    return bool(np.abs(first - second).max() <= SAME * np.ptp(first))


def system_tests(
    metrics: Sequence[WeightedMetric],
    observed: np.ndarray,
    gold: np.ndarray,
    gold_p: np.ndarray | None,
    draws: tuple[int, int],
    progress: Callable = iter,
) -> np.ndarray:
    """Test SYSTEM statistics between all pairs of metrics by PERM-BOTH (`resampling.exchanged`).

    Parameters
    ----------
    metrics : sequence of WeightedMetric
        Of the same systems and segments.
    observed : ndarray
        The first four statistics, (4, keys).
    gold : ndarray
        Human scores, (systems,).
    gold_p : ndarray, optional
        One-sided p between systems' human scores, (systems, systems); without it SPA is not tested.
    draws : tuple of int
        Number of resamples, and seed.
    progress : callable
        Wraps the iteration over pairs (tqdm).

    Returns
    -------
    ndarray
        p, (5, keys, keys).

    Notes
    -----
    SPA uses the p-values of `resampling.normal_p`, whose variance, for two systems' exchanged
    scores, is averaged over the four ways in which the two keys can score the two systems.
    """
    from ..compiled.samples import mean_correlations, pairwise_permutation_p

    resamples, seed = draws
    keys = len(metrics)
    halves = resampling.random_halves(list(metrics), resamples, np.random.default_rng([seed, 5]))
    scales = np.array([metric.segment_scale for metric in metrics])
    mean = scales[:, :1]
    deviation = scales[:, 1:]
    observed_quality = np.array([metric.observed_quality() for metric in metrics])
    quality = (observed_quality - mean) / deviation
    all_systems = np.arange(len(gold))[None]
    a, b = np.triu_indices(len(gold), 1)
    if gold_p is not None:
        pair_p = gold_p[a, b]
        segments = metrics[0].statistics.shape[1]
        influence = np.array([metric.influence() for metric in metrics])
        influence = influence / deviation[..., None]
        influence -= influence.mean(axis=2, keepdims=True)
        squares = np.square(influence).sum(axis=2)

    def soft_accuracy(scores: np.ndarray, i: int, j: int) -> np.ndarray:
        """Compute SPA of exchanged scores of two keys.

        Parameters
        ----------
        scores : ndarray of shape (resamples, systems)
            Exchanged scores, higher is better.
        i, j : int
            The keys.

        Returns
        -------
        ndarray of shape (resamples,)
        """
        if gold_p is None:
            return np.full(len(scores), np.nan)
        # Mean over four ways of Σ (u_a − v_b)², with u and v the influence values of a key.
        joint = influence[i] + influence[j]
        products = joint @ joint.T
        size = squares[i] + squares[j]
        size_of_pairs = size[a] + size[b]
        variance = (size_of_pairs - products[a, b]) / 2
        variance[variance <= TOLERANCE * size_of_pairs] = 0  # rounding
        variance = np.broadcast_to(variance, (len(scores), len(pair_p)))
        p = pairwise_permutation_p(scores, np.zeros_like(scores), variance, segments)
        return 1 - np.abs(p - pair_p).mean(axis=1)

    def statistics(scores: np.ndarray, i: int, j: int) -> np.ndarray:
        """Compute the statistics of exchanged scores of two keys.

        Parameters
        ----------
        scores : ndarray of shape (resamples, systems)
            Exchanged scores, higher is better.
        i, j : int
            The keys.

        Returns
        -------
        ndarray of shape (resamples, 5)
            In the order of SYSTEM.
        """
        correlations = mean_correlations(scores, gold, all_systems)
        return np.column_stack([correlations, soft_accuracy(scores, i, j)])

    observed_spa = [soft_accuracy(quality[None, i], i, i) for i in range(keys)]
    values = np.vstack([observed, np.reshape(observed_spa, (1, keys))])
    counts = np.zeros((5, keys, keys), int)
    defined = np.zeros((5, keys, keys), int)
    for i, j in progress(list(combinations(range(keys), 2))):
        first, second = resampling.exchanged(halves, i, j)
        difference = statistics(first, i, j) - statistics(second, i, j)
        _count(difference, values[:, i] - values[:, j], counts, defined, i, j)
    p = _p_of_counts(counts, defined, values)
    few = (defined < DEFINED * resamples) & ~np.eye(keys, dtype=bool)
    return np.where(few, np.nan, p)


def correlation_tests(
    scores: np.ndarray, gold: np.ndarray, resamples: int, rng: np.random.Generator
) -> Tests:
    """Test Pearson's r of segment scores between all pairs of keys.

    Scores are standardised by each metric's mean and standard deviation over rated hypotheses; a
    random half of these is exchanged between two keys.

    Parameters
    ----------
    scores : ndarray
        Segment scores, (keys, systems, segments), higher is better.
    gold : ndarray
        Human scores, (systems, segments), NaN where absent.
    resamples : int
        Number of permutations.
    rng : Generator

    Returns
    -------
    tuple of ndarray
        r over all scores at once and averaged over systems (CORRELATIONS), (2, keys), and one-sided
        p, (2, keys, keys). NaN for a key that lacks a score of a rated hypothesis.
    """
    groups = grouped(gold, "system")
    keys = len(scores)
    rated = scores.reshape(keys, -1)[:, groups.cells]
    mean = rated.mean(axis=1, keepdims=True)
    deviation = rated.std(axis=1, keepdims=True)
    x = (rated - mean) / np.where(deviation > 0, deviation, 1.0)
    y = groups.gold - groups.gold.mean()
    # Correlations follow from sums over each system's segments: of x, x² and xy, and of 1, y, y².
    systems = [slice(start, end) for start, end in pairwise(groups.starts)]
    columns = np.stack([x, x * x, x * y]).transpose(2, 0, 1)
    totals = np.stack([columns[system].sum(axis=0) for system in systems])
    gold_columns = np.stack([np.ones_like(y), y, y * y], axis=-1)
    gold_sums = np.stack([gold_columns[system].sum(axis=0) for system in systems])
    values = correlations(totals, gold_sums)
    counts = np.zeros((2, keys, keys), int)
    flat = columns.reshape(len(y), -1)
    for draws, generator in _blocks(resamples, BLOCK, rng):
        stays = random_bits((draws, len(y)), generator)
        of_systems = [stays[:, system] @ flat[system] for system in systems]
        staying = np.stack(of_systems, axis=1)
        staying = staying.reshape(*staying.shape[:2], 3, keys)
        moving = totals - staying
        for i in range(keys):
            first = correlations(staying[..., i, None] + moving, gold_sums)
            second = correlations(moving[..., i, None] + staying, gold_sums)
            difference = first - second
            least = values[:, None, i, None] - values[:, None]
            is_smaller = difference < least - TOLERANCE
            # Undefined differences count as reaching it.
            counts[:, i] += (~is_smaller).sum(axis=1)
    return values, _p_of_counts(counts, resamples, values)


def correlations(sums: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """Compute Pearson's r by key from sums: Σx, Σx², Σxy of scores, (..., groups, 3, keys), and n,
    Σy, Σy² of gold, (groups, 3). Returns r over all groups together and the mean r over groups
    where it is defined, (2, ..., keys)."""
    # All groups' scores together are one more group, the last.
    sums = np.concatenate([sums, sums.sum(axis=-3, keepdims=True)], axis=-3)
    gold = np.concatenate([gold, gold.sum(axis=0, keepdims=True)])
    x, xx, xy = np.moveaxis(sums, -2, 0)
    n, y, yy = gold.T[..., None]
    with np.errstate(invalid="ignore", divide="ignore"):
        x_spread = xx - x * x / n
        y_spread = yy - y * y / n
        x_varies = x_spread > TOLERANCE * xx
        y_varies = y_spread > TOLERANCE * yy
        is_defined = x_varies & y_varies & (n > 1)
        product = xy - x * y / n
        r = np.where(is_defined, product / np.sqrt(x_spread * y_spread), np.nan)
        r_of_all = r[..., -1, :]
        r_of_groups = r[..., :-1, :]
        mean = np.nansum(r_of_groups, axis=-2) / np.isfinite(r_of_groups).sum(axis=-2)
    return np.stack([r_of_all, mean])


def comparison_tests(
    scores: np.ndarray,
    gold: np.ndarray,
    epsilon: np.ndarray,
    resamples: int,
    rng: np.random.Generator,
) -> Tests:
    """Test pairwise accuracy of segment scores with ties (`statistics.acc23`, `statistics.acc_eq`).

    As in the WMT metrics task, two keys exchange not scores but agreements: whether a metric orders
    or ties two systems on a segment as human scores do.

    Parameters
    ----------
    scores : ndarray
        Segment scores, (keys, systems, segments), higher is better.
    gold : ndarray
        Human scores, (systems, segments), NaN where absent.
    epsilon : ndarray
        The metrics' tie thresholds, (keys,), which are not calibrated again.
    resamples : int
        Number of permutations.
    rng : Generator

    Returns
    -------
    tuple of ndarray
        The accuracy, (1, keys), and one-sided p, (1, keys, keys). NaN if no segment has two human
        scores, and for a key that lacks a score of a rated hypothesis.
    """
    groups = grouped(gold, "item")
    keys = len(scores)
    pairs, pair_weights, divisor = weighted_pairs(tuple(groups.starts))
    if not divisor:  # no segment has two human scores
        return np.full((1, keys), np.nan), np.full((1, keys, keys), np.nan)
    rated = scores.reshape(keys, -1)[:, groups.cells]
    agreements = []
    for key_scores, key_epsilon in zip(rated, epsilon, strict=True):
        agreements.append(agreeing(key_scores, groups.gold, pairs, key_epsilon))
    agree = np.stack(agreements, axis=1).astype(np.float32)
    agree[:, ~np.isfinite(rated).all(axis=1)] = np.nan
    # Pairs of equal weight are summed together: up to 2^24 ones are exact in single precision.
    parts = []
    for weight in np.unique(pair_weights):
        part = agree[pair_weights == weight]
        parts.append((weight / divisor, part, part.sum(axis=0, dtype=float)))
    values = sum(weight * total for weight, _, total in parts)
    least = values[:, None] - values
    counts = np.zeros((keys, keys), int)
    for draws, generator in _blocks(resamples, PAIR_BLOCK, rng):
        sums = np.zeros((draws, keys))
        # Keys exchange their agreements on pairs with the bit 0.
        for weight, part, total in parts:
            staying = random_bits((draws, len(part)), generator) @ part
            sums += weight * (2 * staying.astype(float) - total)
        differences = sums[:, :, None] - sums[:, None]
        counts += (differences >= least - TOLERANCE).sum(axis=0)
    return values[None], _p_of_counts(counts[None], resamples, values[None])


def acc_eq_interval(
    scores: np.ndarray,
    gold: np.ndarray,
    epsilon: float,
    resamples: int,
    seed: int,
    units_of: Callable[[np.ndarray], Units] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Compute the 95 % bootstrap interval of acc_eq over segments with two human scores or more.

    Parameters
    ----------
    scores : ndarray
        Segment scores, (systems, segments), higher is better.
    gold : ndarray
        Human scores, (systems, segments), NaN where absent.
    epsilon : float
        Tie threshold, which is not calibrated again.
    resamples, seed : int
    units_of : callable, optional
        Returns the units of segments, which are indices; by default single segments.

    Returns
    -------
    tuple of ndarray
        Lower and upper end.
    """
    accuracy = segment_accuracies(scores, gold, epsilon)
    used = np.flatnonzero(np.isfinite(accuracy))
    units = units_of(used) if units_of else single_segments(len(used))
    unit_sums = units.sums(np.column_stack([accuracy[used], np.ones(len(used))]))
    rng = np.random.default_rng([seed, 0])
    weights = resampling.bootstrap_weights(units.size, resamples, rng)
    sums, counts = (weights.astype(float) @ unit_sums).T
    return interval(sums / counts)


def segment_accuracies(scores: np.ndarray, gold: np.ndarray, epsilon: float) -> np.ndarray:
    """Compute the pairwise accuracy with ties on each segment.

    Parameters
    ----------
    scores, gold : ndarray
        As of `acc_eq_interval`.
    epsilon : float
        Tie threshold.

    Returns
    -------
    ndarray
        (segments,); NaN where a segment has less than two human scores.
    """
    groups = grouped(gold, "item")
    pairs, pair_weights, _ = weighted_pairs(tuple(groups.starts))
    agree = agreeing(scores.ravel()[groups.cells], groups.gold, pairs, epsilon)
    segment = np.searchsorted(groups.starts, pairs[0], side="right") - 1
    agreement = np.bincount(segment, agree * pair_weights, minlength=gold.shape[1])
    weight = np.bincount(segment, pair_weights, minlength=gold.shape[1])
    with np.errstate(invalid="ignore"):
        return agreement / weight


def _blocks(
    resamples: int, size: int, rng: np.random.Generator
) -> Iterator[tuple[int, np.random.Generator]]:
    """Iterate over blocks of at most `size` resamples: each one's size and random generator."""
    sizes = [min(size, resamples - start) for start in range(0, resamples, size)]
    return zip(sizes, rng.spawn(len(sizes)), strict=True)


def _p_of_counts(counts: np.ndarray, resamples: int | np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return p-values (1 + counts) / (1 + resamples); diagonal 1, NaN where a value is NaN."""
    p = (1 + counts) / (1 + resamples)
    keys = np.arange(counts.shape[-1])
    p[..., keys, keys] = 1.0
    is_nan = np.isnan(values)
    lacks_value = is_nan[..., :, None] | is_nan[..., None, :]
    return np.where(lacks_value, np.nan, p)


def ranking(values: np.ndarray, names: Sequence[str]) -> np.ndarray:
    """Return indices that sort values from high to low; values that are equal but for rounding are
    sorted by name, NaN is last."""
    rounded = np.nan_to_num(np.round(values, DIGITS), nan=-np.inf)
    return np.lexsort([np.array(names, str), -rounded])


def clusters(p: np.ndarray, order: np.ndarray, level: float = LEVEL) -> np.ndarray:
    """Rank keys in clusters of significance, as the WMT metrics task does.

    Down the order, a key begins a new cluster if a key of the current cluster is significantly
    better.

    Parameters
    ----------
    p : ndarray
        One-sided p, (keys, keys), small where the row's key is better; NaN is not significant.
    order : ndarray
        Indices of keys from best to worst, as of `ranking`.
    level : float
        p up to this level is significant.

    Returns
    -------
    ndarray
        Ranks, (keys,), from 1.
    """
    ranks = np.ones(len(order), int)
    first = 0
    for position, key in enumerate(order):
        cluster = order[first:position]
        if (p[cluster, key] <= level).any():
            first = position
            ranks[order[position:]] += 1
    return ranks


def rank_tables(agreement: pd.DataFrame, tests: pd.DataFrame) -> str:
    """Format ranks of metrics and significant differences as the WMT metrics task prints them: one
    text table for every statistic with tests, from `agreement.csv` and `metric_tests.csv`."""
    better = _row_names(tests.metric, tests.weighting)
    lower = _row_names(tests.other, tests.other_weighting)
    tests = tests.assign(better=better, lower=lower)
    of_all = agreement[(agreement.subset == ALL) & (agreement.domain == "")]
    ranked = of_all[of_all["rank"].notna()]
    ranked = ranked.assign(name=_row_names(ranked.metric, ranked.weighting))
    texts = [EXPLAINED]
    for head, pairs in tests.groupby(HEAD, sort=False):
        rows = ranked[(ranked[HEAD] == list(head)).all(axis=1)].set_index("name")
        texts.append("\n".join(_rank_lines(head, pairs, rows)))
    return "\n\n".join(texts) + "\n"


def _row_names(metric: pd.Series, weighting: pd.Series) -> pd.Series:
    """Return names of keys: "metric", or "metric, weighting"."""
    return metric + (", " + weighting).where(weighting != STANDARD, "")


def _rank_lines(head: tuple, pairs: pd.DataFrame, rows: pd.DataFrame) -> list[str]:
    """Format one statistic's table: its name, then rank, value and signs of every key."""
    p = pairs.set_index(["better", "lower"]).p
    names = dict.fromkeys([*pairs.better, *pairs.lower])
    order = [name for name in names if name in rows.index]
    width = max(map(len, order), default=0)
    lines = [" ".join(str(part) for part in head if part)]
    for position, name in enumerate(order):
        signs = [_sign(p[name, lower]) for lower in order[position + 1 :]]
        matrix = " ".join(["."] * (position + 1) + signs)
        rank, value = rows.loc[name, ["rank", "value"]]
        lines.append(f"{name:<{width}} {rank:>3.0f} {value:10.7f}  {matrix}")
    return lines


def _sign(p: float) -> str:
    """Return ">" for a significant difference, "=" for none, and "?" without p."""
    if np.isnan(p):
        return "?"
    return ">" if p <= LEVEL else "="


def averages(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Average statistics over the sets of every group, as the WMT metrics task averages over tasks
    (columns AVERAGES). `tables` are the sets' `agreement.csv` with metrics under shared names, and
    with `set`, `year`, `gold` and `pair`. A metric and weighting needs a value in every set of the
    group that has the statistic. `mean` weighs sets equally; `weighted_mean` weighs years equally,
    and sets within a year. `mean_rank` averages ranks of clusters; NaN for domains."""
    if not tables:
        return pd.DataFrame(columns=AVERAGES)
    table = pd.concat(tables, ignore_index=True)
    table = table[(table.subset == ALL) & table.value.notna()]
    # Where `standard` has no value (SPA and segment statistics of metrics whose system score is not
    # the mean of segment scores), the weighting MEAN takes its place.
    index = ["set", "domain", *HEAD, "metric"]
    standard = table[table.weighting == STANDARD].set_index(index).index
    without_standard = ~table.set_index(index).index.isin(standard)
    in_its_place = (table.weighting == MEAN) & without_standard
    table = table.assign(weighting=table.weighting.mask(in_its_place, STANDARD), all=ALL)
    frames = []
    for group_by in ("all", "year", "gold", "pair", "domain"):
        part = table[(table.domain != "") == (group_by == "domain")]
        frames.append(_averages_within(part, group_by))
    return pd.concat(frames, ignore_index=True)[AVERAGES]


def _averages_within(rows: pd.DataFrame, group_by: str) -> pd.DataFrame:
    """Average every statistic over the sets that are alike in the column `group_by` (columns
    AVERAGES)."""
    group = [group_by, *HEAD]
    sets = rows.drop_duplicates([*group, "set"])
    sets_of_year = sets.groupby([*group, "year"])["set"].transform("size")
    sets = sets.assign(
        weight=1 / sets_of_year,
        sets_of_group=sets.groupby(group)["set"].transform("size"),
    )
    columns = [*group, "set", "weight", "sets_of_group"]
    weighted = rows.merge(sets[columns], on=[*group, "set"])
    weighted["weighted_value"] = weighted.weight * weighted.value
    weighted["group_number"] = weighted.groupby(group, sort=False).ngroup()
    found = weighted.groupby(["group_number", *group, *KEY], sort=False, as_index=False).agg(
        sets=("set", "nunique"),
        sets_of_group=("sets_of_group", "first"),
        mean=("value", "mean"),
        weight=("weight", "sum"),
        weighted_sum=("weighted_value", "sum"),
        mean_rank=("rank", "mean"),
    )
    found = found[found.sets == found.sets_of_group]
    found = found.sort_values("group_number", kind="stable").rename(columns={group_by: "group"})
    return found.assign(group_by=group_by, weighted_mean=found.weighted_sum / found.weight)


def describe_averages(averages: pd.DataFrame, tuned: Sequence[str]) -> Content:
    """Make the variables of `metrics_task.md.j2`: averages over all sets for the headline
    statistics of the official tables, with marks for weightings tuned on some of the sets."""
    tables = {}
    over_all = averages[averages.group_by == ALL]
    columns = ["metric", "weighting", "sets", "weighted_mean", "mean", "mean_rank"]
    for statistic, grouping in (("soft_accuracy", ""), ("acc_eq", "item")):
        is_grouping = over_all.grouping.fillna("") == grouping
        rows = over_all[(over_all.statistic == statistic) & is_grouping]
        if len(rows):
            rows = rows.sort_values("weighted_mean", ascending=False)[columns]
            marks = rows.weighting.isin(tuned).map({True: TUNED, False: ""})
            rows = rows.assign(weighting=rows.weighting + marks)
            rows = rows.rename(columns=lambda name: name.replace("_", " "))
            tables[statistic] = rows.to_markdown(index=False, floatfmt=".3f")
    return {
        "tables": tables,
        "tuned": averages.weighting.isin(tuned).any(),
        "none": over_all.empty,
    }
