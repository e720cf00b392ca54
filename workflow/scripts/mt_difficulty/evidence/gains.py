"""Intervals and tests of correlations with human scores, of a weighting's gain over the standard
weighting, and between the systems of a set."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

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
    TOLERANCE,
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

Sides = tuple[np.ndarray, np.ndarray]
# What is resampled for intervals; `joint`: segments, for metric and human scores together.
OVER = ("segments", "systems", "both", "joint")
# Level of two-sided tests; normal quantile of 80 % power for detectable differences.
LEVEL, POWER_80 = 0.05, 0.8416212335729143
KEY = ["metric", "weighting"]
# Columns of tables before the difficulty is added (`with_difficulty`).
COLUMNS = TABLES["significance.csv"].names(without=["difficulty"])
COMPARISONS = TABLES["system_comparisons.csv"].names(without=["difficulty"])
INTERVALS = TABLES["system_intervals.csv"].names(without=["difficulty"])
# Columns of significance.csv that describe the subset of systems, not the estimates.
OF_SUBSETS = ("subset", "size", "effective_mean", "effective_min", "left_out")
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
    weighteds: Mapping[Any, WeightedMetric], resamples: int, seed: int
) -> dict[Any, np.ndarray]:
    """Score systems on bootstrap resamples of segments, shared by metrics and weightings:
    (resamples, systems), higher is better. Metrics with system scores only are left out."""
    sizes = {key: weighted.statistics.shape[1] for key, weighted in weighteds.items()}
    rng, segments = np.random.default_rng([seed, 0]), max(sizes.values(), default=1)
    weights = resampling.bootstrap_weights(segments, resamples, rng)
    of_segments = {key: weighteds[key] for key in sizes if sizes[key] > 1}
    scores = resampling.resampled_scores([*of_segments.values()], weights) if of_segments else []
    return dict(zip(of_segments, scores, strict=True))


class Resamples:
    """Scores of metrics under weightings on resampled segments and systems, and with hypotheses
    exchanged between weightings. h, w and token difficulties are not estimated again; human scores
    are resampled for `joint` intervals only. By metric and weighting: `weighteds`, metrics of the
    same systems; `observed`, their scores, (systems,), higher is better; `bootstrapped`, the result
    of `bootstrap`. `segment_gold`, (systems, segments), are human scores, NaN where absent."""

    def __init__(
        self,
        weighteds: Mapping[Key, WeightedMetric],
        observed: Mapping[Key, np.ndarray],
        gold: np.ndarray,
        resamples: int,
        seed: int,
        statistics: Sequence[str],
        segment_gold: np.ndarray | None = None,
        bootstrapped: dict[Key, np.ndarray] | None = None,
    ) -> None:
        self.observed, self.gold, self.statistics = observed, gold, of_scores(statistics)
        rng = np.random.default_rng([seed, 1])
        self._systems = rng.integers(len(gold), size=(resamples, len(gold)))
        self.bootstrapped = bootstrapped or bootstrap(weighteds, resamples, seed)
        self._exchanged: dict[str, dict[Key, Sides]] = {}
        self._gold: np.ndarray | None = None
        if self.bootstrapped:
            of_segments = {key: weighteds[key] for key in self.bootstrapped}
            self._exchanged = exchange(of_segments, resamples, np.random.default_rng([seed, 2]))
            if segment_gold is not None and segment_gold.size:
                # Segments are drawn together: the same seed draws as many from as many.
                for key, scores in self.bootstrapped.items():
                    drawn = len(scores), weighteds[key].statistics.shape[1]
                    if drawn != (expected := (resamples, segment_gold.shape[1])):
                        raise ValueError(
                            f"{key}: {drawn[0]} resamples of {drawn[1]} segments; expected "
                            f"{expected[0]} of {expected[1]}, as of the human scores"
                        )
                # Mean human scores of rated segments; NaN if a system has none in a resample.
                rated = np.isfinite(segment_gold)[..., None].astype(float)
                scores = np.nan_to_num(segment_gold)[..., None]
                human = WeightedMetric(Metric.aggregate, scores, rated)
                with np.errstate(invalid="ignore", divide="ignore"):
                    (self._gold,) = bootstrap({"human": human}, resamples, seed).values()

    def estimates(
        self,
        subsets: np.ndarray,
        keys: Iterable[Key],
        values: Mapping[Key, np.ndarray],
        tested: bool = True,
    ) -> pd.DataFrame:
        """Estimate intervals and tests of statistics, a row for every key and statistic (columns
        ESTIMATES). `values`, (statistics,) by key, are means over `subsets` of systems, (subsets,
        size), as all that is estimated here; NaN with a reason where undefined. 95 % intervals over
        segments are percentiles; intervals over systems, or over both, come from the statistic's
        variance (`over_systems`) and need a single subset.
        `difference` is to the standard weighting. Its tests are two-sided: `permutation_p` and
        `contribution_p` (`exchange`), and `williams_p`, for Pearson's r on a single subset.
        Intervals and tests take most of the time and are left out without `tested`."""
        plain, frames = {key: baseline(key[0], self.observed) for key in keys}, []
        drawn, ends = {}, {}
        for key in {*plain, *plain.values()} & self.observed.keys():
            drawn[key] = of_key = self._resampled(key, subsets) if tested else {}
            arguments = self.statistics, values[key], len(self.gold)
            ends[key] = {over: np.array(interval(of_over)) for over, of_over in of_key.items()}
            if "systems" in of_key:
                ends[key]["systems"] = over_systems(*arguments)
            if "both" in of_key:
                ends[key]["both"] = over_systems(*arguments, of_key["segments"])
        for key, standard in plain.items():
            row: Content = {"statistic": self.statistics, "value": values[key]}
            for over, (low, high) in ends[key].items():
                row[f"{over}_low"], row[f"{over}_high"] = low, high
            frames.append(row | {"metric": key[0], "weighting": key[1]})
            if key[1] in PLAIN or standard not in values:
                continue
            row = frames[-1]
            row["difference"] = difference = values[key] - values[standard]
            for over in ends[key].keys() & ends[standard].keys():
                change: Any = interval(drawn[key][over] - drawn[standard][over])
                if over in ("systems", "both"):
                    change = resampling.difference(
                        *(values[key], ends[key][over], values[standard], ends[standard][over]),
                        resampling.correlation_of(drawn[key][over], drawn[standard][over]),
                    )
                row[f"difference_{over}_low"], row[f"difference_{over}_high"] = change
            for test, sides in self._exchanged.items() if tested else ():
                if key in sides:
                    permuted = np.subtract(*(self.means(side, subsets) for side in sides[key]))
                    row[test] = permutation_p(difference, permuted)
                    if test == "permutation_p":
                        change = drawn[key]["segments"] - drawn[standard]["segments"]
                        row["detectable"] = detectable(permuted, change)
            if tested and len(subsets) == 1:
                p = williams(self.observed[key], self.observed[standard], self.gold)[1]
                row["williams_p"] = np.where(np.array(self.statistics) == "pearson", p, np.nan)
        if not frames:
            return pd.DataFrame(columns=ESTIMATES)
        table = pd.concat(map(pd.DataFrame, frames), ignore_index=True).reindex(columns=ESTIMATES)
        absent = table.isna()
        if not tested:
            return table.assign(reason=np.where(absent.value, UNDEFINED, NOT_PRINTED))
        few = table.statistic.map(few_systems)
        reason = (
            pd.Series("", table.index)
            .mask(absent.both_low, UNDEFINED)
            .mask(absent.systems_low, MEANS if len(subsets) > 1 else few)
            .mask(absent.value | absent.segments_low, UNDEFINED)
        )
        with_untested = (reason + "; ").str.removeprefix("; ") + UNTESTED
        reason = reason.mask(absent.permutation_p & ~absent.difference, with_untested)
        alone = [key not in self.bootstrapped for key in _keys(table)]
        return table.assign(reason=reason.mask(np.array(alone, bool), SYSTEM_SCORES_ONLY))

    def means(
        self, scores: np.ndarray, subsets: np.ndarray, gold: np.ndarray | None = None
    ) -> np.ndarray:
        """Return means of the statistics over subsets of systems, as `subset_means`, by default
        with the observed human scores."""
        gold = self.gold if gold is None else gold
        return subset_means(self.statistics, scores, gold, subsets)

    def _resampled(self, key: Key, subsets: np.ndarray) -> dict[str, np.ndarray]:
        """Compute statistics on resamples, (resamples, statistics), by resampled unit (OVER); units
        that are impossible or not needed are absent."""
        drawn, resampled = self._systems, {}
        least = min(MINIMUM_SYSTEMS.get(name, np.inf) for name in self.statistics)
        of_systems = len(subsets) == 1 and len(self.gold) >= least
        if of_systems:
            resampled["systems"] = self.means(self.observed[key][drawn], subsets, self.gold[drawn])
        if key in self.bootstrapped:
            scores = self.bootstrapped[key]
            resampled["segments"] = self.means(scores, subsets)
            if of_systems:
                both = np.take_along_axis(scores, drawn, axis=1)
                resampled["both"] = self.means(both, subsets, self.gold[drawn])
            if self._gold is not None:
                resampled["joint"] = self.means(scores, subsets, self._gold)
        return resampled


def exchange(
    weighteds: Mapping[Key, WeightedMetric], resamples: int, rng: np.random.Generator
) -> dict[str, dict[Key, Sides]]:
    """Exchange hypotheses between each weighting and the standard one (PERM-BOTH,
    `resampling.exchanged`), for metrics of the same systems and segments. Returns the scores of
    both, (resamples, systems) each, by test and by metric and weighting. `permutation_p` scores
    each half with its own normalised weights: for means with equal weights, not for EE, this is the
    published test. `contribution_p`, for means only, is that of `contribution`."""
    metrics, contributed = list(weighteds.values()), {}
    places = {key: place for place, key in enumerate(weighteds)}
    for key, weighted in weighteds.items():
        if key[1] not in PLAIN and (of_segments := contribution(weighted)):
            contributed[key] = len(metrics)
            metrics.append(of_segments)
    halves = resampling.random_halves(metrics, resamples, rng)
    return {
        test: {
            key: resampling.exchanged(halves, place, places[standard])
            for key, place in of_test.items()
            if key[1] not in PLAIN and (standard := baseline(key[0], weighteds)) in places
        }
        for test, of_test in (("permutation_p", places), ("contribution_p", contributed))
    }


def contribution(weighted: WeightedMetric) -> WeightedMetric | None:
    """Return each segment's contribution to a weighted mean, as a metric under the standard
    weighting: n · Σ_g share_g · weight_ig / Σ_i weight_ig · score_i; its mean over the n segments
    is the score. None if the score is not a mean of one statistic, or is undefined for a system."""
    if weighted.statistics.shape[2] > 1 or not np.isfinite(weighted.effective_segments()).all():
        return None
    if weighted.weights is None:
        return weighted.unweighted()
    share, segments = weighted.segment_shares(), weighted.statistics.shape[1]
    statistics = segments * share[..., None] * weighted.statistics
    return weighted.unweighted()._replace(statistics=statistics)


def permutation_p(difference: np.ndarray, permuted: np.ndarray) -> np.ndarray:
    """Compute two-sided p with +1, (statistics,): the share of permuted differences, (resamples,
    statistics), that reach |difference|, among those defined. NaN where the difference is NaN or
    less than the share DEFINED of permutations is defined."""
    defined = np.isfinite(permuted).sum(axis=0)
    # Differences equal to the observed one up to rounding count; NaN does not.
    reached = np.abs(permuted) >= np.abs(difference) - TOLERANCE
    enough = (defined >= DEFINED * len(permuted)) & ~np.isnan(difference)
    return np.where(enough, (1 + reached.sum(axis=0)) / (1 + defined), np.nan)


def detectable(permuted: np.ndarray, resampled: np.ndarray) -> np.ndarray:
    """The smallest |difference|, (statistics,), that a two-sided permutation test at 5 % finds with
    80 % power: c + z₀.₈ · s; c is the 95 % quantile of |permuted differences|, s the deviation of
    resampled ones, (resamples, statistics) each. NaN if more than 5 % of either are undefined."""
    defined = [values[np.isfinite(values).all(axis=1)] for values in (permuted, resampled)]
    if len(defined[0]) < DEFINED * len(permuted) or len(defined[1]) < DEFINED * len(resampled):
        return np.full(permuted.shape[1], np.nan)
    critical = np.quantile(np.abs(defined[0]), 1 - LEVEL, axis=0, method="higher")
    return critical + POWER_80 * defined[1].std(axis=0, ddof=1)


class WholeSet:
    """A set's metrics, with the bootstrap samples that all of its tables share. `weighteds`, of all
    systems, `bootstrapped` (by `bootstrap`), `soft` (by `soft_of`) and `missing`, the reason for no
    scores, are by metric and weighting. Human scores are `gold`, (systems,), and `segment_gold`,
    (systems, counted segments), NaN where absent, of size 0 without any. `of_counted` are metrics
    with scores of two or more counted segments; `rated`, indices of segments rated for all systems.
    `correlations` is the set's `correlations.csv`, None for a set without human scores."""

    def __init__(
        self,
        scores: ScoredSet,
        evalset: EvaluationSet,
        correlations: pd.DataFrame | None,
        missing: Mapping[Key, str],
        statistics: Sequence[str],
        resamples: int,
        seed: int,
    ) -> None:
        self.scores, self.evalset, self.missing = scores, evalset, missing
        self.correlations = correlations
        self.statistics, self.draws = list(statistics), (resamples, seed)
        self.weighteds = scores.of(np.arange(len(scores.systems)))
        self.of_counted = {
            key: weighted
            for key, weighted in self.weighteds.items()
            if weighted.statistics.shape[1] == len(scores.counted) > 1
        }
        self.bootstrapped = bootstrap(self.weighteds, *self.draws)
        if evalset and evalset.gold:
            self.gold = np.array(evalset.gold)
            human = np.array(evalset.segment_gold or [[]] * len(self.gold), dtype=float)
            self.segment_gold = human[:, scores.counted] if human.size else human
            self.rated = np.flatnonzero(np.isfinite(self.segment_gold).all(axis=0))
            self.soft = self.soft_of(self.weighteds, self.segment_gold)

    def observed(self, subset: str, size: int) -> dict[Key, np.ndarray]:
        """Return the statistics of system scores in `correlations.csv`, (statistics,), by metric
        and weighting, for a subset of systems, such as ("top", 4)."""
        assert self.correlations is not None
        return observed_values(self.correlations, of_scores(self.statistics), subset, size)

    def soft_of(
        self, weighteds: Mapping[Key, WeightedMetric], segment_gold: np.ndarray
    ) -> dict[Key, tuple[np.ndarray, str]]:
        """Compute the statistics of p-values between systems, such as SPA: (statistics,) by metric
        and weighting, each with the reason if all are NaN, else "". Only segments with human
        scores, `segment_gold` (systems, segments), for every system are used."""
        kinds = [STATISTICS[name] for name in self.statistics]
        read = [kind() for kind in kinds if kind.reads == "p_values"]
        if not read:
            return {}
        nothing, rated = np.full(len(read), np.nan), np.isfinite(segment_gold).all(axis=0)
        if rated.sum() < MINIMUM_SEGMENTS:
            few = FEW.format(rated.sum(), MINIMUM_SEGMENTS)
            reason = few if segment_gold.size else self.evalset.no_segment_gold
            return dict.fromkeys(weighteds, (nothing, reason))
        human = WeightedMetric.standard(Metric, segment_gold[:, rated, None])
        gold_p, values = resampling.p_values(human, *self.draws), {}
        for key, weighted in weighteds.items():
            values[key] = nothing, self.scores.no_segments.get(key[0], SYSTEM_SCORES_ONLY)
            if weighted.statistics.shape[1] == rated.size:
                p = resampling.p_values(weighted.select(segments=rated), *self.draws)
                values[key] = np.array([statistic(p, gold_p) for statistic in read]), ""
        return values


def system_tables(
    whole: WholeSet, system_scores: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Make `system_comparisons.csv` (columns COMPARISONS), with every ordered pair of systems, and
    `system_intervals.csv` (columns INTERVALS), with the score of each system, which are those of
    `system_scores.csv`."""
    score_of = {key: rows.set_index("system").score for key, rows in system_scores.groupby(KEY)}
    comparisons, scored = [pd.DataFrame(columns=COMPARISONS)], [pd.DataFrame(columns=INTERVALS)]
    names = np.array(whole.scores.systems, dtype=object)
    a, b = np.nonzero(~np.eye(len(names), dtype=bool))
    for key, resampled in whole.bootstrapped.items():
        weighted, head = whole.weighteds[key], dict(zip(KEY, key, strict=True))
        scores = score_of[key][names].to_numpy()
        wins, p = resampling.paired_bootstrap(resampled)
        pairs = {"system": names[a], "other": names[b], "difference": scores[a] - scores[b]}
        comparisons.append(pd.DataFrame(head | pairs | {"wins": wins[a, b], "p": p[a, b]}))
        low, high = resampling.score_interval(weighted, resampled)
        of_systems = {"system": names, **head, "score": scores, "low": low, "high": high}
        scored.append(pd.DataFrame(of_systems))
    return pd.concat(comparisons), pd.concat(scored)


def significance(
    whole: WholeSet, tops: Sequence[int], sizes: Sequence[int], draws: int, printed: Collection[int]
) -> pd.DataFrame:
    """Make `significance.csv` (columns COLUMNS) of a set with human scores: all systems, the best
    ones (sizes in `tops`), those without outliers, and `draws` random subsets of each of `sizes`.
    Random subsets omit weightings whose difficulty depends on the systems, and have intervals and
    tests only for sizes in `printed`; their values are means over these subsets, which are fewer
    than those of `correlations.csv`. All other values are those of `correlations.csv`."""
    scores, gold, (resamples, seed) = whole.scores, whole.gold, whole.draws
    parts = [("all", np.arange(len(gold)), "")]
    parts += [("top", best_systems(gold, size), "") for size in tops if size < len(gold)]
    parts += without_outliers(scores.systems, gold, whole.evalset.outliers)
    tables = [pd.DataFrame(columns=COLUMNS)]
    for subset, systems, left_out in parts:
        everything, segment_gold = subset == "all", whole.segment_gold[systems]
        weighteds = whole.weighteds if everything else scores.of(systems)
        observed = {key: of_key[0] for key, of_key in scores.quality(systems[None]).items()}
        of_subset = whole.observed(subset, len(systems))
        drawn = gold[systems], resamples, seed, whole.statistics, segment_gold
        bootstrapped = whole.bootstrapped if everything else None
        resampled = Resamples(weighteds, observed, *drawn, bootstrapped)
        estimates = resampled.estimates(np.arange(len(systems))[None], observed, of_subset)
        of_part = [(subset, len(systems), estimates)]
        if everything:
            rng = np.random.default_rng([seed, 4])
            fixed = [key for key in observed if key[1] in scores.fixed]
            for size in [size for size in sizes if size <= len(gold)]:
                chosen = random_subsets(len(gold), size, draws, rng)
                means = {key: resampled.means(observed[key][None], chosen)[0] for key in fixed}
                estimates = resampled.estimates(chosen, fixed, means, size in printed)
                of_part.append(("random", size, estimates))
        for _, _, table in of_part:
            reasons = zip(_keys(table), table.reason, strict=True)
            table["reason"] = [whole.missing.get(key, reason) for key, reason in reasons]

        # Statistics that read p-values between systems have no intervals and tests.
        soft = whole.soft if everything else whole.soft_of(weighteds, segment_gold)
        names, rows = [n for n in whole.statistics if STATISTICS[n].reads == "p_values"], []
        for key, (values, reason) in soft.items():
            plain = soft.get(baseline(key[0], soft)) if key[1] not in PLAIN else None
            for i, name in enumerate(names):
                difference = values[i] - plain[0][i] if plain else np.nan
                why = whole.missing.get(key, UNDEFINED) * bool(np.isnan(values[i]))
                rows.append((*key, name, values[i], difference, reason or why))
        columns = [*KEY, "statistic", "value", "difference", "reason"]
        of_soft = pd.DataFrame(rows, columns=columns).reindex(columns=ESTIMATES)
        of_part.insert(1, (subset, len(systems), of_soft))
        effective = {key: effective_segments(weighted) for key, weighted in weighteds.items()}
        for name, size, table in of_part:
            of_rows = [effective[key] for key in _keys(table)]
            table["effective_mean"] = [segments.mean() for segments in of_rows]
            table["effective_min"] = [segments.min() for segments in of_rows]
            tables.append(table.assign(subset=name, size=size, left_out=left_out))
    filled = [table for table in tables if len(table)]
    return pd.concat(filled or tables, ignore_index=True)[COLUMNS]


def _keys(table: pd.DataFrame) -> list[Key]:
    return list(zip(table.metric, table.weighting, strict=True))
