"""Rows of `significance.csv`, and of the tables that say which systems a metric tells apart."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..data.evalset import EvaluationSet
from ..statistics import STATISTICS
from ..weighting.base import WeightedMetric
from . import resampling
from .counted import PLAIN, SYSTEM_SCORES_ONLY, baseline, effective_segments
from .gains import OVER, Estimate, Key, Resamples
from .intervals import MINIMUM_SYSTEMS
from .set_scores import SetScores
from .soft_accuracy import p_value_statistics
from .subsets import best_systems, random_subsets, without_outliers

COLUMNS = [
    *("metric", "weighting", "subset", "size", "statistic", "value"),
    *(f"{over}_{end}" for over in OVER for end in ("low", "high")),
    "difference",
    *(f"difference_{over}_{end}" for over in OVER for end in ("low", "high")),
    *("permutation_p", "detectable", "contribution_p", "williams_p"),
    *("effective_mean", "effective_min", "left_out", "reason"),
]
COMPARISONS = ["metric", "weighting", "system", "other", "difference", "wins", "p"]
INTERVALS = ["system", "metric", "weighting", "score", "low", "high"]
UNDEFINED = (
    "constant or undefined scores, here or in more than 5 % of the resamples (a system without "
    "difficult or without easy hypotheses, or equal scores)"
)
UNTESTED = (
    "no p, since more than 5 % of the permutations leave a system without difficult or without "
    "easy hypotheses, or all systems with one score"
)
FEW_SYSTEMS = "intervals over systems need {} systems to cover the truth (docs/statistics.md)"
UNKNOWN_COVERAGE = "no interval over systems of this statistic has a known coverage"
MEANS = "no interval over systems of means over subsets has a known coverage"
NOT_PRINTED = (
    "intervals and tests over random subsets are made where a paper of this run prints their "
    "correlations"
)


class Place(NamedTuple):
    """Which systems rows are of, and what is the same for a metric and weighting.

    `left_out` names outliers; `missing` says why there are no scores; `effective` are numbers of
    effective segments, (systems,).
    """

    subset: str
    size: int
    left_out: str
    missing: Mapping[Key, str]
    effective: Mapping[Key, np.ndarray]

    def row(
        self, key: Key, statistic: str, value: float, reason: str, **numbers: float
    ) -> dict[str, Any]:
        """A row of COLUMNS; numbers that are not given are NaN."""
        effective = self.effective.get(key, np.array([np.nan]))
        there = {"metric": key[0], "weighting": key[1], "subset": self.subset, "size": self.size}
        there |= {"effective_mean": effective.mean(), "effective_min": effective.min()}
        there |= {"statistic": statistic, "value": value}
        return there | numbers | {"left_out": self.left_out, "reason": reason}


def estimate_rows(
    estimates: Mapping[Key, Estimate], resampled: Resamples, place: Place
) -> Iterator[dict[str, Any]]:
    """Rows of estimates, with the reason where something is not there."""
    for key, estimate in estimates.items():
        for i, statistic in enumerate(resampled.statistics):
            numbers = {
                f"{prefix}{over}_{end}": getattr(interval, end)[i]
                for prefix, ends in (
                    ("", estimate.intervals),
                    ("difference_", estimate.differences),
                )
                for over, interval in ends.items()
                for end in ("low", "high")
            }
            for name in ("difference", "permutation_p", "detectable", "contribution_p"):
                numbers[name] = getattr(estimate, name)[i]
            numbers["williams_p"] = estimate.williams_p if statistic == "pearson" else np.nan
            value, reason = estimate.value[i], ""
            if np.isnan([value, numbers["segments_low"]]).any():
                reason = UNDEFINED
            elif np.isnan(numbers["systems_low"]) and place.subset == "random":
                reason = MEANS
            elif np.isnan(numbers["systems_low"]):
                least = MINIMUM_SYSTEMS.get(statistic)
                reason = FEW_SYSTEMS.format(least) if least else UNKNOWN_COVERAGE
            elif np.isnan(numbers["both_low"]):
                reason = UNDEFINED
            if not np.isnan(numbers["difference"]) and np.isnan(numbers["permutation_p"]):
                reason = "; ".join(filter(None, [reason, UNTESTED]))
            if key not in resampled.bootstrapped:
                reason = SYSTEM_SCORES_ONLY
            yield place.row(key, statistic, value, place.missing.get(key, reason), **numbers)


def p_value_rows(
    by_key: Mapping[Key, tuple[np.ndarray, str]], statistics: Sequence[str], place: Place
) -> Iterator[dict[str, Any]]:
    """Rows of statistics of p-values between systems, without intervals and tests."""
    names = [name for name in statistics if STATISTICS[name].reads == "p_values"]
    none = np.full(len(names), np.nan), ""
    for key, (values, reason) in by_key.items():
        plain = none if key[1] in PLAIN else by_key.get(baseline(key[0], by_key), none)
        for name, value, difference in zip(names, values, values - plain[0], strict=True):
            why = place.missing.get(key, UNDEFINED) if np.isnan(value) else ""
            yield place.row(key, name, value, reason or why, difference=difference)


def untested_rows(
    resampled: Resamples, keys: Sequence[Key], subsets: np.ndarray, place: Place
) -> Iterator[dict[str, Any]]:
    """Rows of random subsets without intervals and tests, which take most of the time."""
    means = {key: resampled.means(resampled.observed[key][None], subsets)[0] for key in keys}
    nothing = np.full(len(resampled.statistics), np.nan)
    for key, values in means.items():
        plain = nothing if key[1] in PLAIN else means.get(baseline(key[0], means), nothing)
        for i, statistic in enumerate(resampled.statistics):
            why = place.missing.get(key) or (UNDEFINED if np.isnan(values[i]) else NOT_PRINTED)
            yield place.row(key, statistic, values[i], why, difference=values[i] - plain[i])


def system_rows(
    bootstrapped: Mapping[Key, np.ndarray],
    scores: Mapping[Key, WeightedMetric],
    systems: Sequence[str],
) -> tuple[list[tuple], list[tuple]]:
    """Every ordered pair of systems as COMPARISONS, and the score of each as INTERVALS; of scores
    from `gains.bootstrap`, (resamples, systems)."""
    pairs, intervals = [], []
    for key, resampled in bootstrapped.items():
        quality, sign = scores[key].observed_quality(), scores[key].sign
        wins, p = resampling.paired_bootstrap(resampled)
        for a, system in enumerate(systems):
            for b, other in enumerate(systems):
                if a != b:
                    difference = sign * (quality[a] - quality[b])
                    pairs.append((*key, system, other, difference, wins[a, b], p[a, b]))
        low, high = resampling.score_interval(scores[key], resampled)
        for s, system in enumerate(systems):
            intervals.append((system, *key, sign * quality[s], low[s], high[s]))
    return pairs, intervals


def assess(
    scores: SetScores,
    evalset: EvaluationSet,
    missing: Mapping[Key, str],
    statistics: Sequence[str],
    tops: Sequence[int],
    resamples: int,
    sizes: Sequence[int],
    draws: int,
    printed: Collection[int],
    seed: int,
) -> tuple[list[dict[str, Any]], list[tuple], list[tuple]]:
    """Rows of the three tables of a set with human scores.

    Parameters
    ----------
    scores : SetScores
    evalset : EvaluationSet
    missing : dict of (metric, weighting) to str
        Why others have no scores.
    statistics : sequence of str
        Of the registry.
    tops, sizes : sequence of int
        Numbers of best systems, and sizes of random subsets, of each of which there are `draws`.
    printed : collection of int
        The sizes that have intervals and tests, from `resamples` resamples.

    Returns
    -------
    significance : list of dict
        With COLUMNS, of all systems, the best ones, those that are no outliers, and of random
        subsets the weightings whose difficulty is not that of the subset.
    comparisons, intervals : list of tuple
        As `system_rows`, of all systems.
    """
    gold = np.array(evalset.gold)
    people = np.array(evalset.segment_gold or np.empty((len(gold), 0)), dtype=float)
    people = people[:, scores.counted] if people.size else people
    parts = [("all", np.arange(len(gold)), "")]
    parts += [("top", best_systems(gold, size), "") for size in tops if size < len(gold)]
    parts += without_outliers(evalset.systems, gold, evalset.outliers)
    rows: list[dict[str, Any]] = []
    for subset, systems, left_out in parts:
        weighted = scores.of(systems)
        # The scores that correlations.csv is made from.
        observed = {key: one[0] for key, one in scores.quality(systems[None]).items()}
        of_systems = gold[systems], resamples, seed, statistics, people[systems]
        resampled = Resamples(weighted, observed, *of_systems)
        of_p_values = p_value_statistics(
            statistics, weighted, people[systems], resamples, seed, evalset.no_segment_gold
        )
        effective = {key: effective_segments(one) for key, one in weighted.items()}
        place = Place(subset, len(systems), left_out, missing, effective)
        estimates = resampled.estimates(np.arange(len(systems))[None], observed)
        rows += estimate_rows(estimates, resampled, place)
        rows += p_value_rows(of_p_values, statistics, place)
        if subset != "all":
            continue
        compared = system_rows(resampled.bootstrapped, weighted, evalset.systems)
        keys = [key for key in observed if key[1] in scores.fixed]
        rng = np.random.default_rng([seed, 4])
        for size in sizes:
            if size > len(systems):
                continue
            drawn = random_subsets(len(systems), size, draws, rng)
            there = place._replace(subset="random", size=size)
            if size in printed:
                rows += estimate_rows(resampled.estimates(drawn, keys), resampled, there)
            else:
                rows += untested_rows(resampled, keys, drawn, there)
    return rows, *compared
