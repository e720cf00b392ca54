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
from typing import Any, cast

import numpy as np
import pandas as pd

from ..metrics.base import Metric
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
from .resampling import DEFINED, MINIMUM_SEGMENTS, TOLERANCE, interval, random_bits
from .subsets import without_outliers

HEAD = ["level", "statistic", "grouping"]
INTERVAL = ["low", "high", "difference", "difference_low", "difference_high"]
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
DIGITS = 11  # values that are equal in so many are equal up to rounding
EXPLAINED = f"""\
The metrics of a set in order of decreasing statistic: rank, value, and a matrix. The sign in a
metric's row and the column of a lower metric says whether it agrees significantly better with human
scores (>) or not (=), or that there is no p (?): one-sided permutation test (PERM-BOTH), p <=
{LEVEL}, not adjusted for the number of comparisons. A new rank begins where a metric of the
previous rank is significantly better."""
# Statistics of system scores in the order of results; groupings for segment correlations.
SYSTEM = ("pearson", "kendall", "spearman", "accuracy", "soft_accuracy")
CORRELATIONS = ("none", "system")
ACCURACIES = ("acc23", "acc_eq")  # of segment scores
# Resamples, and masks over pairs of scores, at a time: they fit in the processor's cache.
BLOCK, PAIR_BLOCK = 128, 64

# Values of statistics, (statistics, keys), and one-sided p of their differences, (statistics, keys,
# keys): NaN where a value is NaN or too few resamples are defined; 1 on the diagonal.
Tests = tuple[np.ndarray, np.ndarray]


def agreement_tables(
    whole: WholeSet, progress: Callable = iter, subsets: bool = True
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Make `agreement.csv` and `metric_tests.csv` (columns COLUMNS, TESTS) for human-rated sets;
    without `subsets`, of all systems alone."""
    scores, evalset = whole.scores, whole.evalset
    size = len(scores.counted)
    # Segment scores by key: of unweighted metrics and of weightings of tokens.
    of_segments: dict[Key, np.ndarray] = {}
    for key in scores.keys:
        if key == baseline(key[0], scores.keys):
            quality = scores.segment_quality(key[0])
            if quality.shape[1] == size > 0:
                of_segments[key] = quality
        elif scores.tokens_of(key[1]) and not scores.segment_difficulty(key[1]):
            weighted = whole.weighteds[key]
            of_segments[key] = weighted.quality(weighted.columns)

    # Parts of the set: everything, without outliers, and each domain, with their human scores.
    systems, segments = np.arange(len(whole.gold)), np.arange(size)
    parts = [(ALL, "", systems, segments, whole.gold, "")]
    inliers = without_outliers(evalset.systems, whole.gold, evalset.outliers)
    for name, at, left_out in inliers if subsets else ():
        parts.append((name, "", at, segments, whole.gold[at], left_out))
    domains = np.array(evalset.domains)[scores.counted] if evalset.domains else segments[:0]
    names = dict.fromkeys(domains.tolist())
    for name in names if len(names) > 1 and whole.segment_gold.size else ():
        inside = np.flatnonzero(domains == name)
        mean: Any = np.ma.masked_invalid(whole.segment_gold[:, inside]).mean(axis=1).filled(np.nan)
        of_domain = np.array(evalset.domain_gold.get(name, mean), dtype=float)
        parts.append((ALL, name, systems, inside, of_domain, ""))

    of_row, rows = ["subset", "domain", *HEAD, *KEY], list[tuple]()
    names_of = {
        reads: [name for name in whole.statistics if STATISTICS[name].reads == reads]
        for reads in ("scores", "p_values", "segment_scores")
    }
    for subset, domain, systems, segments, gold, left_out in parts:
        # Statistics of system scores; in a domain only for metrics with segment scores.
        in_whole, weighteds, of_part, n = not rows, {}, [], len(segments)
        segment_gold = whole.segment_gold[systems]
        segment_gold = segment_gold[:, segments] if segment_gold.size else segment_gold
        for key, weighted in whole.weighteds.items():
            if weighted.statistics.shape[1] == size:
                weighteds[key] = weighted.select(systems, segments)
            elif n == size:
                weighteds[key] = weighted.select(systems)
        of_systems = {} if domain else whole.observed(subset, len(systems))
        for key, weighted in weighteds.items():
            values = of_systems.get(key)
            if values is None:  # of a domain
                values = evaluate(names_of["scores"], weighted.observed_quality(), gold)
            for name, value in zip(names_of["scores"], values, strict=True):
                why = whole.missing.get(key, UNDEFINED)
                of_part.append(("system", name, "", *key, value, why, np.nan, n))
        soft = whole.soft if in_whole else whole.soft_of(weighteds, segment_gold)
        rated = np.isfinite(segment_gold).all(axis=0).sum()
        for key, (values, why) in soft.items():
            for name, value in zip(names_of["p_values"], values, strict=True):
                why = why or whole.missing.get(key, UNDEFINED)
                of_part.append(("system", name, "", *key, value, why, np.nan, rated))

        # Statistics of segment scores; without human ones only a reason, if they were doubtful.
        for name in names_of["segment_scores"]:
            statistic = cast(SegmentStatistic, STATISTICS[name]())
            for grouping in statistic.groupings:
                head = "segment", name, grouping
                if not segment_gold.size:
                    for key in of_segments if in_whole and evalset.segment_gold_doubt else ():
                        of_part.append((*head, *key, np.nan, evalset.no_segment_gold, np.nan, n))
                    continue
                for key, of_key in of_segments.items():
                    quality, epsilon = of_key[systems][:, segments], np.nan
                    if isinstance(statistic, AccEq):
                        groups = grouped(segment_gold, grouping)
                        value, epsilon = calibrate(quality.ravel()[groups.cells], groups)
                    else:
                        value = float(statistic(quality, segment_gold, grouping))
                    of_part.append((*head, *key, value, UNDEFINED, epsilon, n))
                for key in whole.weighteds if in_whole else ():
                    stands_in = key[1] == STANDARD and (key[0], MEAN) in of_segments
                    if key not in of_segments and not stands_in:
                        plain = baseline(key[0], whole.weighteds)
                        weighs = key[1] not in PLAIN and plain in whole.weighteds
                        why = scores.no_segments.get(key[0], NO_SEGMENT_SCORES)
                        why = NOT_OF_SEGMENTS if weighs else why
                        of_part.append((*head, *key, np.nan, why, np.nan, n))
        rows += [(subset, domain, *row, left_out) for row in of_part]
    columns = [*of_row, "value", "reason", "epsilon", "segments", "left_out"]
    table = pd.DataFrame(rows, columns=columns)
    table["reason"] = table.reason.where(table.value.isna(), "")
    of_all = table[(table.subset == ALL) & (table.domain == "")]
    known = {str(name): rows.set_index(KEY) for name, rows in of_all.groupby("statistic")}

    ranks, pairs = [], []
    for head, (keys, numbers, p) in _tests(whole, of_segments, known, progress).items():
        order = ranking(numbers, names_of_twins(keys, whole.weighteds))
        for key, rank, number in zip(keys, clusters(p, order), numbers, strict=True):
            ranks.append((ALL, "", *head, *key, rank if np.isfinite(number) else np.nan))
        for better, lower in combinations(order, 2):
            difference = numbers[better] - numbers[lower]
            pairs.append((*head, *keys[better], *keys[lower], difference, p[better, lower]))
    ends = [(ALL, "", *SPA, *key, *numbers) for key, numbers in _intervals(whole, known).items()]
    for records, added in ((ranks, ["rank"]), (ends, INTERVAL)):
        frame = pd.DataFrame(records, columns=[*of_row, *added])
        table = table.merge(frame, how="left", on=of_row)
    # Thresholds are written exactly: a smaller one would tie fewer scores.
    exact = ["" if np.isnan(epsilon) else repr(float(epsilon)) for epsilon in table.epsilon]
    return table.assign(epsilon=exact)[COLUMNS], pd.DataFrame(pairs, columns=TESTS)


def _intervals(whole: WholeSet, known: Mapping[str, pd.DataFrame]) -> dict[Key, list[Any]]:
    """Return the INTERVAL of SPA by metric and weighting: 95 %, over resampled segments with their
    human scores; weights are not refitted. `known` has the set's rows by statistic."""
    rated, keys, (resamples, seed) = whole.rated, [*whole.of_counted], whole.draws
    if SPA[1] not in whole.statistics or len(rated) < MINIMUM_SEGMENTS or not keys:
        return {}
    weights = resampling.bootstrap_weights(len(rated), resamples, np.random.default_rng([seed, 0]))
    on_rated = [weighted.select(segments=rated) for weighted in whole.of_counted.values()]
    if len(rated) == len(whole.scores.counted):
        quality = [whole.bootstrapped[key] for key in keys]
    else:
        quality = resampling.resampled_scores(on_rated, weights)
    influence = np.array([weighted.influence() for weighted in on_rated])
    gold = whole.segment_gold[:, rated]
    spa_drawn = resampling.bootstrap_soft_accuracy(np.array(quality), influence, gold, weights)
    drawn, intervals = dict(zip(keys, spa_drawn, strict=True)), {}
    spa = known[SPA[1]].value
    for key, plain in [(key, baseline(key[0], keys)) for key in keys]:
        numbers = [*interval(drawn[key]), *[np.nan] * 3]
        if key[1] not in PLAIN and plain in drawn:
            low, high = interval(drawn[key] - drawn[plain])
            difference = spa[key] - spa[plain] if np.isfinite(low) else np.nan
            numbers[2:] = difference, low, high
        intervals[key] = numbers
    return intervals


def is_tested(statistic: str, grouping: str) -> bool:
    """Return whether metrics are tested by a statistic, in a grouping of segments."""
    if statistic == "segment_pearson":
        return grouping in CORRELATIONS
    return statistic in (*SYSTEM, *ACCURACIES)


def _tests(
    whole: WholeSet,
    of_segments: dict[Key, np.ndarray],
    known: Mapping[str, pd.DataFrame],
    progress: Callable,
) -> dict[tuple, tuple[list[Key], np.ndarray, np.ndarray]]:
    """Test the run's statistics between keys, and return keys, values and p by HEAD. `known` has
    the set's rows by statistic; SPA is tested on segments that are rated for every system."""
    tests: dict[tuple, tuple[list[Key], np.ndarray, np.ndarray]] = {}
    of_spa: dict[tuple, tuple[list[Key], np.ndarray, np.ndarray]] = {}
    gold, of_counted = whole.segment_gold, None
    spa_is_tested = SPA[1] in whole.statistics and len(whole.rated) >= MINIMUM_SEGMENTS
    if spa_is_tested and whole.of_counted:
        metrics, keys = list(whole.of_counted.values()), list(whole.of_counted)
        on_rated = [metric.select(segments=whole.rated) for metric in metrics]
        all_are_rated = len(whole.rated) == len(whole.scores.counted)
        # On other segments the system scores are others, and SPA alone is tested here.
        observed = _values_of(known, keys) if all_are_rated else np.full((4, len(keys)), np.nan)
        p = system_tests(
            on_rated, observed, whole.gold, gold[:, whole.rated], whole.draws, progress
        )
        of_spa[SPA] = keys, known[SPA[1]].value[keys].to_numpy(), p[4]
        if all_are_rated:
            of_counted = p
    if not {*SYSTEM[:4]}.isdisjoint(whole.statistics):
        keys = [key for key in whole.weighteds if key[1] != MEAN]
        values = _values_of(known, keys)
        p = score_tests(whole, keys, values, of_counted, progress)
        for i, name in enumerate(SYSTEM[:4]):
            tests["system", name, ""] = keys, values[i], p[i]
    tests |= of_spa
    if gold.size and of_segments:
        keys, scores = list(of_segments), np.array(list(of_segments.values()))
        resamples, seed = whole.draws
        for place, name in enumerate(ACCURACIES):
            if name in whole.statistics:
                # acc23 has no threshold: 0.
                epsilon = known[name].epsilon[keys].fillna(0).to_numpy()
                rng = np.random.default_rng([seed, 6, place])
                value, p = comparison_tests(scores, gold, epsilon, resamples, rng)
                tests["segment", name, "item"] = keys, value[0], p[0]
        if "segment_pearson" in whole.statistics:
            value, p = correlation_tests(scores, gold, resamples, np.random.default_rng([seed, 7]))
            for i, grouping in enumerate(CORRELATIONS):
                tests["segment", "segment_pearson", grouping] = keys, value[i], p[i]
    return {head: test for head, test in tests.items() if head[1] in whole.statistics}


def _values_of(known: Mapping[str, pd.DataFrame], keys: Sequence[Key]) -> np.ndarray:
    """Return the values of the first four SYSTEM statistics, (4, keys), from the set's rows by
    statistic; NaN for statistics that the run has not."""
    values = np.full((4, len(keys)), np.nan)
    for place, name in enumerate(SYSTEM[:4]):
        if name in known:
            values[place] = known[name].value[keys]
    return values


def score_tests(
    whole: WholeSet,
    keys: Sequence[Key],
    values: np.ndarray,
    of_counted: np.ndarray | None = None,
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
    of_counted : ndarray, optional
        p of `whole.of_counted` by PERM-BOTH, if they are known.
    progress : callable
        Wraps the iteration over pairs (tqdm).

    Returns
    -------
    ndarray
        p, (4, keys, keys).
    """
    quality = np.array([whole.weighteds[key].observed_quality() for key in keys])
    by_segments = [place for place, key in enumerate(keys) if key in whole.of_counted]
    others = [place for place in range(len(keys)) if place not in by_segments]
    p = np.full((4, len(keys), len(keys)), np.nan)
    if others:
        p = exchanged_systems(quality, values, whole.gold, others, whole.draws)
    if by_segments:
        tested = [keys[place] for place in by_segments]
        if of_counted is None:
            metrics = [whole.of_counted[key] for key in tested]
            observed = values[:, by_segments]
            of_counted = system_tests(metrics, observed, whole.gold, None, whole.draws, progress)
            places = list(range(len(tested)))
        else:
            all_keys = list(whole.of_counted)
            places = [all_keys.index(key) for key in tested]
        of_pairs = of_counted[:4][:, places][:, :, places]
        p[np.ix_(range(4), by_segments, by_segments)] = of_pairs
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
    deviation = quality.std(axis=1, keepdims=True)
    scores = (quality - quality.mean(axis=1, keepdims=True)) / np.where(deviation > 0, deviation, 1)
    everything = np.arange(systems)[None]
    stay = np.random.default_rng([seed, 8]).random((resamples, systems)) < 0.5
    counts, defined = np.zeros((2, 4, keys, keys), int)
    for i, j in combinations(range(keys), 2):
        if i not in tested and j not in tested:
            continue
        first = mean_correlations(np.where(stay, scores[i], scores[j]), gold, everything)
        second = mean_correlations(np.where(stay, scores[j], scores[i]), gold, everything)
        _count(first - second, values[:, i] - values[:, j], counts, defined, i, j)
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
    counts[:, i, j] = (differences >= observed - TOLERANCE).sum(axis=0)
    counts[:, j, i] = (differences <= observed + TOLERANCE).sum(axis=0)
    defined[:, i, j] = defined[:, j, i] = np.isfinite(differences).sum(axis=0)


def names_of_twins(keys: Sequence[Key], weighteds: Mapping[Key, WeightedMetric]) -> list[str]:
    """Return names by which metrics of equal value are ordered.

    A metric with the same scores as an earlier one has the earlier one's name, so that the two
    stand side by side and in one cluster.
    """
    quality = [weighteds[key].observed_quality() for key in keys]
    names: list[str] = []
    for place, (key, scores) in enumerate(zip(keys, quality, strict=True)):
        same = (first for first in range(place) if _are_equal(quality[first], scores))
        first = next(same, place)
        names.append(" ".join(key) if first == place else names[first])
    return names


def _are_equal(first: np.ndarray, second: np.ndarray) -> bool:
    """Return whether system scores are equal but for rounding (SAME)."""
    return bool(np.abs(first - second).max() <= SAME * np.ptp(first))


def system_tests(
    metrics: Sequence[WeightedMetric],
    observed: np.ndarray,
    gold: np.ndarray,
    segment_gold: np.ndarray | None,
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
    segment_gold : ndarray, optional
        Human scores, (systems, segments); without them SPA is not tested.
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

    (resamples, seed), keys = draws, len(metrics)
    halves = resampling.random_halves(list(metrics), resamples, np.random.default_rng([seed, 5]))
    mean, deviation = np.array([metric.segment_scale for metric in metrics]).T[..., None]
    quality = (np.array([metric.observed_quality() for metric in metrics]) - mean) / deviation
    everything, (a, b) = np.arange(len(gold))[None], np.triu_indices(len(gold), 1)
    if segment_gold is not None:
        human = WeightedMetric.standard(Metric, segment_gold[:, :, None])
        gold_p, segments = resampling.p_values(human, resamples, seed)[a, b], segment_gold.shape[1]
        influence = np.array([metric.influence() for metric in metrics]) / deviation[..., None]
        influence -= influence.mean(axis=2, keepdims=True)
        squares = np.square(influence).sum(axis=2)

    def soft_accuracy(scores: np.ndarray, i: int, j: int) -> np.ndarray:
        if segment_gold is None:
            return np.full(len(scores), np.nan)
        # Mean over four ways of Σ (u_a − v_b)², with u and v the influence values of a key.
        mean, size = influence[i] + influence[j], squares[i] + squares[j]
        variance = (size[a] + size[b] - (mean @ mean.T)[a, b]) / 2
        variance[variance <= TOLERANCE * (size[a] + size[b])] = 0  # rounding
        variance = np.broadcast_to(variance, (len(scores), len(gold_p)))
        p = pairwise_permutation_p(scores, np.zeros_like(scores), variance, segments)
        return 1 - np.abs(p - gold_p).mean(axis=1)

    def statistics(scores: np.ndarray, i: int, j: int) -> np.ndarray:
        correlations = mean_correlations(scores, gold, everything)
        return np.column_stack([correlations, soft_accuracy(scores, i, j)])

    observed_spa = [soft_accuracy(quality[None, i], i, i) for i in range(keys)]
    values = np.vstack([observed, np.reshape(observed_spa, (1, keys))])
    counts, defined = np.zeros((2, 5, keys, keys), int)
    for i, j in progress([*combinations(range(keys), 2)]):
        sides = resampling.exchanged(halves, i, j)
        difference = np.subtract(*(statistics(side, i, j) for side in sides))
        _count(difference, values[:, i] - values[:, j], counts, defined, i, j)
    p = _p_of_counts(counts, defined, values)
    few = (defined < DEFINED * resamples) & ~np.eye(keys, dtype=bool)
    return np.where(few, np.nan, p)


def correlation_tests(
    scores: np.ndarray, gold: np.ndarray, resamples: int, rng: np.random.Generator
) -> Tests:
    """Test Pearson's r between segment scores, (keys, systems, segments), and gold, (systems,
    segments), NaN where absent: over all scores at once and averaged over systems (`CORRELATIONS`).
    Scores are standardised by each metric's mean and standard deviation over rated hypotheses; a
    random half of these is exchanged between two keys. NaN for a key that lacks one."""
    groups, keys = grouped(gold, "system"), len(scores)
    rated = scores.reshape(keys, -1)[:, groups.cells]
    mean, deviation = rated.mean(axis=1, keepdims=True), rated.std(axis=1, keepdims=True)
    x = (rated - mean) / np.where(deviation > 0, deviation, 1.0)
    y = groups.gold - groups.gold.mean()
    # Correlations follow from sums over each system's segments: of x, x² and xy, and of 1, y, y².
    parts = [slice(*ends) for ends in pairwise(groups.starts)]
    columns = np.stack([x, x * x, x * y]).transpose(2, 0, 1)
    totals = np.stack([columns[part].sum(axis=0) for part in parts])
    of_gold = np.stack([np.ones_like(y), y, y * y], axis=-1)
    of_gold = np.stack([of_gold[part].sum(axis=0) for part in parts])
    values, counts = correlations(totals, of_gold), np.zeros((2, keys, keys), int)
    for draws, generator in _blocks(resamples, BLOCK, rng):
        stay, flat = random_bits((draws, len(y)), generator), columns.reshape(len(y), -1)
        stays = np.stack([stay[:, part] @ flat[part] for part in parts], axis=1)
        stays = stays.reshape(*stays.shape[:2], 3, keys)
        left = totals - stays
        for i in range(keys):
            side = correlations(stays[..., i, None] + left, of_gold)
            difference = side - correlations(left[..., i, None] + stays, of_gold)
            least = values[:, None, i, None] - values[:, None]
            # Undefined differences count as reaching it.
            counts[:, i] += (~(difference < least - TOLERANCE)).sum(axis=1)
    return (values, _p_of_counts(counts, resamples, values))


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
        spread, of_gold = xx - x * x / n, yy - y * y / n
        varied = (spread > TOLERANCE * xx) & (of_gold > TOLERANCE * yy) & (n > 1)
        r = np.where(varied, (xy - x * y / n) / np.sqrt(spread * of_gold), np.nan)
        of_groups = r[..., :-1, :]
        mean = np.nansum(of_groups, axis=-2) / np.isfinite(of_groups).sum(axis=-2)
    return np.stack([r[..., -1, :], mean])


def comparison_tests(
    scores: np.ndarray,
    gold: np.ndarray,
    epsilon: np.ndarray,
    resamples: int,
    rng: np.random.Generator,
) -> Tests:
    """Test pairwise accuracy of segment scores with ties (`statistics.acc23`, `statistics.acc_eq`);
    arguments as for `correlation_tests`. As in the WMT metrics task, two keys exchange not scores
    but agreements: whether a metric orders or ties two systems on a segment as human scores do.
    `epsilon`, (keys,), are the metrics' tie thresholds, which are not calibrated again."""
    groups, keys = grouped(gold, "item"), len(scores)
    pairs, of_pair, divisor = weighted_pairs(tuple(groups.starts))
    if not divisor:  # no segment has two human scores
        return (np.full((1, keys), np.nan), np.full((1, keys, keys), np.nan))
    rated = scores.reshape(keys, -1)[:, groups.cells]
    of_keys = [agreeing(x, groups.gold, pairs, e) for x, e in zip(rated, epsilon, strict=True)]
    agree = np.stack(of_keys, axis=1).astype(np.float32)
    agree[:, ~np.isfinite(rated).all(axis=1)] = np.nan
    # Pairs of equal weight are summed together: up to 2^24 ones are exact in single precision.
    parts = {weight: agree[of_pair == weight] for weight in np.unique(of_pair)}
    agreed = [(w / divisor, part, part.sum(axis=0, dtype=float)) for w, part in parts.items()]
    values = sum(weight * total for weight, _, total in agreed)
    least, counts = values[:, None] - values, np.zeros((keys, keys), int)
    for draws, generator in _blocks(resamples, PAIR_BLOCK, rng):
        sums = np.zeros((draws, keys))
        for weight, part, total in agreed:  # on pairs that are not kept, keys exchange agreements
            kept = random_bits((draws, len(part)), generator) @ part
            sums += weight * (2 * kept.astype(float) - total)
        counts += (sums[:, :, None] - sums[:, None] >= least - TOLERANCE).sum(axis=0)
    return (values[None], _p_of_counts(counts[None], resamples, values[None]))


def acc_eq_interval(
    scores: np.ndarray, gold: np.ndarray, epsilon: float, resamples: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Compute the 95 % bootstrap interval of acc_eq over segments with two human scores or more,
    from segment scores and gold, (systems, segments); `epsilon` is not calibrated again."""
    groups = grouped(gold, "item")
    pairs, of_pair, _ = weighted_pairs(tuple(groups.starts))
    agree = agreeing(scores.ravel()[groups.cells], groups.gold, pairs, epsilon)
    segment = np.searchsorted(groups.starts, pairs[0], side="right")
    accuracy = np.bincount(segment, agree * of_pair) / np.maximum(np.bincount(segment, of_pair), 1)
    accuracy = accuracy[np.unique(segment)]
    rng = np.random.default_rng([seed, 0])
    weights = resampling.bootstrap_weights(len(accuracy), resamples, rng)
    return interval(weights.astype(float) @ accuracy / len(accuracy))


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
    return np.where(np.isnan(values[..., :, None] + values[..., None, :]), np.nan, p)


def ranking(values: np.ndarray, names: Sequence[str]) -> np.ndarray:
    """Return indices that sort values from high to low; values that are equal but for rounding are
    sorted by name, NaN is last."""
    rounded = np.nan_to_num(np.round(values, DIGITS), nan=-np.inf)
    return np.lexsort([np.array(names, str), -rounded])


def clusters(p: np.ndarray, order: np.ndarray, level: float = LEVEL) -> np.ndarray:
    """Rank keys in clusters of significance, (keys,) from 1, as the WMT metrics task does: down the
    `order` of `ranking`, a key begins a new cluster if a key of the current one is significantly
    better, p[better, key] ≤ `level`. p is (keys, keys); NaN is not significant."""
    ranks, first = np.ones(len(order), int), 0
    for place, key in enumerate(order):
        if (p[order[first:place], key] <= level).any():
            first = place
            ranks[order[place:]] += 1
    return ranks


def rank_tables(agreement: pd.DataFrame, tests: pd.DataFrame) -> str:
    """Format ranks of metrics and significant differences as the WMT metrics task prints them: one
    text table for every statistic with tests, from `agreement.csv` and `metric_tests.csv`."""

    def names(metric: pd.Series, weighting: pd.Series) -> pd.Series:
        return metric + (", " + weighting).where(weighting != STANDARD, "")

    better, lower = names(tests.metric, tests.weighting), names(tests.other, tests.other_weighting)
    parts, tests = [EXPLAINED], tests.assign(better=better, lower=lower)
    whole = agreement[(agreement.subset == ALL) & (agreement.domain == "")]
    whole = whole[whole["rank"].notna()].assign(name=lambda t: names(t.metric, t.weighting))
    for head, pairs in tests.groupby(HEAD, sort=False):
        rows = whole[(whole[HEAD] == list(head)).all(axis=1)].set_index("name")
        p, order = pairs.set_index(["better", "lower"]).p, [*pairs.better, *pairs.lower]
        order = [name for name in dict.fromkeys(order) if name in rows.index]
        width = max(map(len, order), default=0)
        lines = [" ".join(filter(None, map(str, head)))]
        for place, name in enumerate(order):
            below = [p[name, lower] for lower in order[place + 1 :]]
            signs = [">" if test <= LEVEL else "=" if test > LEVEL else "?" for test in below]
            matrix = " ".join(["."] * (place + 1) + signs)
            rank, value = rows.loc[name, ["rank", "value"]]
            lines.append(f"{name:<{width}} {rank:>3.0f} {value:10.7f}  {matrix}")
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


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
    place = ["set", "domain", *HEAD, "metric"]
    standard = table[table.weighting == STANDARD].set_index(place).index
    alone = (table.weighting == MEAN) & ~table.set_index(place).index.isin(standard)
    table = table.assign(weighting=table.weighting.mask(alone, STANDARD), all=ALL)
    rows = []
    for group_by in ("all", "year", "gold", "pair", "domain"):
        part = table[(table.domain != "") == (group_by == "domain")]
        for (group, *head), of_group in part.groupby([group_by, *HEAD], sort=False):
            years = of_group.groupby("set").year.first()
            weights = 1 / years.map(years.value_counts())
            for key, of_key in of_group.groupby(KEY, sort=False):
                if of_key.set.nunique() == len(years):
                    mean = np.average(of_key.value, weights=of_key.set.map(weights))
                    numbers = len(years), of_key.value.mean(), mean, of_key["rank"].mean()
                    rows.append([group_by, group, *head, *key, *numbers])
    return pd.DataFrame(rows, columns=AVERAGES)


def describe_averages(averages: pd.DataFrame, tuned: Sequence[str]) -> Content:
    """Make the variables of `metrics_task.md.j2`: averages over all sets for the headline
    statistics of the official tables, with marks for weightings tuned on some of the sets."""
    tables, whole = {}, averages[averages.group_by == ALL]
    columns = ["metric", "weighting", "sets", "weighted_mean", "mean", "mean_rank"]
    for statistic, grouping in (("soft_accuracy", ""), ("acc_eq", "item")):
        rows = whole[(whole.statistic == statistic) & (whole.grouping.fillna("") == grouping)]
        if len(rows):
            rows = rows.sort_values("weighted_mean", ascending=False)[columns]
            marks = rows.weighting.isin(tuned).map({True: TUNED, False: ""})
            rows = rows.assign(weighting=rows.weighting + marks)
            rows = rows.rename(columns=lambda name: name.replace("_", " "))
            tables[statistic] = rows.to_markdown(index=False, floatfmt=".3f")
    return {"tables": tables, "tuned": averages.weighting.isin(tuned).any(), "none": whole.empty}
