"""How sure every correlation is, and which systems a metric tells apart."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from job import run
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.data.set_files import read_set
from mt_difficulty.evidence import resampling, significance
from mt_difficulty.evidence.counted import PLAIN, baseline, effective_segments
from mt_difficulty.evidence.intervals import MINIMUM_SYSTEMS
from mt_difficulty.evidence.labels import with_difficulty
from mt_difficulty.evidence.set_scores import SetScores
from mt_difficulty.evidence.subsets import best_systems, random_subsets, without_outliers
from mt_difficulty.statistics import STATISTICS

COLUMNS = [
    *("metric", "weighting", "subset", "size", "statistic", "value"),
    *(f"{over}_{end}" for over in significance.OVER for end in ("low", "high")),
    "difference",
    *(f"difference_{over}_{end}" for over in significance.OVER for end in ("low", "high")),
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
    missing: dict
    effective: dict

    def row(self, key, statistic, value, reason, **numbers):
        """A row of COLUMNS; numbers that are not given are NaN."""
        there = dict.fromkeys(COLUMNS, np.nan)
        effective = self.effective.get(key, np.array([np.nan]))
        there |= {"metric": key[0], "weighting": key[1], "subset": self.subset, "size": self.size}
        there |= {"effective_mean": effective.mean(), "effective_min": effective.min()}
        there |= {"statistic": statistic, "value": value}
        return there | numbers | {"left_out": self.left_out, "reason": reason}


def ends(found, prefix, i):
    """Ends of intervals as columns, of one statistic."""
    return {
        f"{prefix}{over}_{end}": getattr(interval, end)[i]
        for over, interval in found.items()
        for end in ("low", "high")
    }


def reason_of(numbers, value, place, key, statistic, resampled):
    """Why intervals and the permutation test of a row are not there; empty where they are."""
    if reason := place.missing.get(key):
        return reason
    if key not in resampled.bootstrapped:
        return significance.SYSTEM_SCORES_ONLY
    reason = without_interval(numbers, value, place, statistic)
    tested = np.isnan(numbers["difference"]) or np.isfinite(numbers["permutation_p"])
    return reason if tested else "; ".join(filter(None, [reason, UNTESTED]))


def without_interval(numbers, value, place, statistic):
    """Why intervals of a row are not there; empty where all of them are."""
    if np.isnan([value, numbers["segments_low"]]).any():
        return UNDEFINED
    if np.isnan(numbers["systems_low"]):
        if place.subset == "random":
            return MEANS
        least = MINIMUM_SYSTEMS.get(statistic)
        return FEW_SYSTEMS.format(least) if least else UNKNOWN_COVERAGE
    return UNDEFINED * bool(np.isnan(numbers["both_low"]))


def estimate_rows(estimates, resampled, place):
    """Rows of estimates, with the reason where something is not there."""
    for key, found in estimates.items():
        for i, statistic in enumerate(resampled.statistics):
            numbers = ends(found.intervals, "", i) | ends(found.differences, "difference_", i)
            tests = ("difference", "permutation_p", "detectable", "contribution_p")
            numbers |= {name: getattr(found, name)[i] for name in tests}
            numbers["williams_p"] = found.williams_p if statistic == "pearson" else np.nan
            value = found.value[i]
            why = reason_of(numbers, value, place, key, statistic, resampled)
            yield place.row(key, statistic, value, why, **numbers)


def p_value_rows(found, statistics, place):
    """Rows of statistics of p-values between systems, without intervals and tests."""
    names = [name for name in statistics if STATISTICS[name].reads == "p_values"]
    none = np.full(len(names), np.nan)
    for key, (values, reason) in found.items():
        plain = none if key[1] in PLAIN else found.get(baseline(key[0], found), [none])[0]
        for name, value, difference in zip(names, values, values - plain, strict=True):
            why = place.missing.get(key, UNDEFINED) if np.isnan(value) else ""
            yield place.row(key, name, value, reason or why, difference=difference)


def random_groups(systems, params):
    """Random subsets by size."""
    rng = np.random.default_rng([params.seed, 4])
    draws = params.significance["draws"]
    sizes = [size for size in params.sizes if size <= systems]
    return {size: random_subsets(systems, size, draws, rng) for size in sizes}


def untested_rows(resampled, keys, subsets, place):
    """Rows of random subsets without intervals and tests, which take most of this script's time."""
    means = {key: resampled.means(resampled.observed[key][None], subsets)[0] for key in keys}
    nothing = np.full(len(resampled.statistics), np.nan)
    for key, values in means.items():
        plain = nothing if key[1] in PLAIN else means.get(baseline(key[0], means), nothing)
        for i, statistic in enumerate(resampled.statistics):
            why = place.missing.get(key) or (UNDEFINED if np.isnan(values[i]) else NOT_PRINTED)
            yield place.row(key, statistic, values[i], why, difference=values[i] - plain[i])


def significance_rows(resampled, of_p_values, place, groups, fixed, params):
    """Rows of the systems at hand, and of random subsets of them: those of the weightings `fixed`,
    whose difficulty is not that of the subset."""
    whole = np.arange(place.size)[None]
    estimates = resampled.estimates(whole, resampled.observed)
    yield from estimate_rows(estimates, resampled, place)
    yield from p_value_rows(of_p_values, params.statistics, place)
    keys = [key for key in resampled.observed if key[1] in fixed]
    for count, subsets in groups.items():
        there = place._replace(subset="random", size=count)
        if count in params.printed:
            estimates = resampled.estimates(subsets, keys)
            yield from estimate_rows(estimates, resampled, there)
        else:
            yield from untested_rows(resampled, keys, subsets, there)


def comparison_rows(bootstrapped, scores, systems):
    """Every ordered pair of systems, and each one's score with its interval."""
    pairs, intervals = [], []
    for key, resampled in bootstrapped.items():
        one, sign = scores[key].observed_quality(), scores[key].sign
        wins, p = resampling.paired_bootstrap(resampled)
        pairs += [
            (*key, systems[a], systems[b], sign * (one[a] - one[b]), wins[a, b], p[a, b])
            for a in range(len(systems))
            for b in range(len(systems))
            if a != b
        ]
        ends = resampling.score_interval(scores[key], resampled)
        intervals += [
            (system, *key, sign * score, low, high)
            for system, score, low, high in zip(systems, one, *ends, strict=True)
        ]
    return pairs, intervals


def parts(found, gold, tops):
    """All systems, the K best ones, and those that are no outliers, with the names of these."""
    yield "all", np.arange(len(gold)), ""
    for size in tops:
        if size < len(gold):
            yield "top", best_systems(gold, size), ""
    yield from without_outliers(found.systems, gold, found.outliers)


def assess(files, scores, params):
    """Rows of the three tables."""
    found = files.read("evalset.json")
    gold, rows = np.array(found.gold), []
    resamples, seed = params.significance["resamples"], params.seed
    missing = {
        (row.metric, row.weighting): row.reason for row in files.read("missing.csv").itertuples()
    }
    people = np.array(found.segment_gold or np.empty((len(gold), 0)), dtype=float)
    people = people[:, scores.counted] if people.size else people
    for subset, systems, left_out in parts(found, gold, params.significance["top"]):
        weighted = scores.of(systems)
        # The scores that correlations.csv is made from.
        observed = {key: one[0] for key, one in scores.quality(systems[None]).items()}
        of_subset = (gold[systems], resamples, seed, params.statistics, people[systems])
        resampled = significance.Resamples(weighted, observed, *of_subset)
        groups = random_groups(len(systems), params) if subset == "all" else {}
        of_p_values = significance.p_value_statistics(
            params.statistics, weighted, people[systems], resamples, seed, found.no_segment_gold
        )
        effective = {key: effective_segments(one) for key, one in weighted.items()}
        place = Place(subset, len(systems), left_out, missing, effective)
        rows += significance_rows(resampled, of_p_values, place, groups, scores.fixed, params)
        if subset == "all":
            compared = comparison_rows(resampled.bootstrapped, weighted, found.systems)
    return rows, *compared


def compare(scores, params):
    """No rows of correlations, and those of systems and their pairs, which need no human score."""
    weighted = scores.of(np.arange(len(scores.systems)))
    resamples = params.significance["resamples"]
    bootstrapped = significance.bootstrap(weighted, resamples, params.seed)
    return None, *comparison_rows(bootstrapped, weighted, scores.systems)


def main(snakemake):
    params, tables = snakemake.params, ([], [], [])
    files = read_set(params.name, snakemake.input.files)
    scores = SetScores(files, params.settings)
    if found := files.optional("evalset.json"):  # else no rows, as in the scores
        tables = assess(files, scores, params) if found.gold else compare(scores, params)
    columns = (COLUMNS, COMPARISONS, INTERVALS)
    for path, names, rows in zip(snakemake.output, columns, tables, strict=True):
        if rows is None:
            storage.write_missing(path, evalset.NO_GOLD)
        else:
            frame = pd.DataFrame(rows, columns=names)
            storage.write_table(path, with_difficulty(frame, scores.weightings))


if "snakemake" in globals():
    run(main, snakemake)
