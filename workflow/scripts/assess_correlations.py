"""How sure every correlation is, and which systems a metric tells apart."""

import numpy as np
import pandas as pd

from job import run
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.data.set_files import read_set
from mt_difficulty.evidence import resampling, significance
from mt_difficulty.evidence.counted import PLAIN, baseline
from mt_difficulty.evidence.labels import with_difficulty
from mt_difficulty.evidence.set_scores import SetScores
from mt_difficulty.evidence.subsets import best_systems, random_subsets
from mt_difficulty.statistics import STATISTICS

COLUMNS = [
    *("metric", "weighting", "subset", "size", "statistic", "value"),
    *(f"{over}_{end}" for over in ("segments", "systems", "both") for end in ("low", "high")),
    *("difference", "permutation_p", "williams_p", "reason"),
]
COMPARISONS = ["metric", "weighting", "system", "other", "difference", "wins", "p"]
INTERVALS = ["system", "metric", "weighting", "score", "low", "high"]
UNDEFINED = (
    "constant or undefined scores, here or in more than 5 % of the resamples (a system without "
    "difficult or without easy hypotheses, or equal scores)"
)
NOT_PRINTED = (
    "intervals and tests over random subsets are made where a paper of this run prints their "
    "correlations"
)


def estimate_rows(estimates, resampled, subset, size, missing):
    """Rows of estimates, with the reason where something is not there."""
    for (metric, weighting), found in estimates.items():
        reason = missing.get((metric, weighting), "")
        if (metric, weighting) not in resampled.bootstrapped:
            reason = significance.SYSTEM_SCORES_ONLY
        for i, statistic in enumerate(resampled.statistics):
            ends = np.array([found.segments, found.systems, found.both])[:, :, i].ravel()
            why = reason or UNDEFINED * bool(np.isnan([found.value[i], *ends]).any())
            t_test = found.williams_p if statistic == "pearson" else np.nan
            yield [
                *(metric, weighting, subset, size, statistic, found.value[i], *ends),
                *(found.difference[i], found.permutation_p[i], t_test, why),
            ]


def p_value_rows(found, statistics, subset, size, missing):
    """Rows of statistics of p-values between systems, without intervals and tests."""
    names = [name for name in statistics if STATISTICS[name].reads == "p_values"]
    none = np.full(len(names), np.nan)
    for (metric, weighting), (values, reason) in found.items():
        plain = none if weighting in PLAIN else found.get(baseline(metric, found), [none])[0]
        for name, value, difference in zip(names, values, values - plain, strict=True):
            why = missing.get((metric, weighting), UNDEFINED) if np.isnan(value) else ""
            yield [
                *(metric, weighting, subset, size, name, value, *[np.nan] * 6),
                *(difference, np.nan, np.nan, reason or why),
            ]


def random_groups(systems, params):
    """Random subsets by size."""
    rng = np.random.default_rng([params.seed, 4])
    draws = params.significance["draws"]
    sizes = [size for size in params.sizes if size <= systems]
    return {size: random_subsets(systems, size, draws, rng) for size in sizes}


def untested_rows(resampled, keys, subsets, size, missing):
    """Rows of random subsets without intervals and tests, which take most of this script's time."""
    means = {key: resampled.means(resampled.observed[key][None], subsets)[0] for key in keys}
    nothing = np.full(len(resampled.statistics), np.nan)
    for (metric, weighting), values in means.items():
        plain = nothing if weighting in PLAIN else means.get(baseline(metric, means), nothing)
        for i, statistic in enumerate(resampled.statistics):
            why = missing.get((metric, weighting), "")
            why = why or (UNDEFINED if np.isnan(values[i]) else NOT_PRINTED)
            yield [
                *(metric, weighting, "random", size, statistic, values[i], *[np.nan] * 6),
                *(values[i] - plain[i], np.nan, np.nan, why),
            ]


def significance_rows(resampled, of_p_values, subset, size, missing, groups, fixed, params):
    """Rows of the systems at hand, and of random subsets of them: those of the weightings `fixed`,
    whose difficulty is not that of the subset."""
    whole = np.arange(size)[None]
    estimates = resampled.estimates(whole, resampled.observed)
    yield from estimate_rows(estimates, resampled, subset, size, missing)
    yield from p_value_rows(of_p_values, params.statistics, subset, size, missing)
    keys = [key for key in resampled.observed if key[1] in fixed]
    for count, subsets in groups.items():
        if count in params.printed:
            estimates = resampled.estimates(subsets, keys)
            yield from estimate_rows(estimates, resampled, "random", count, missing)
        else:
            yield from untested_rows(resampled, keys, subsets, count, missing)


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


def assess(files, scores, params):
    """Rows of the three tables."""
    found = files.read("evalset.json")
    gold, rows = np.array(found.gold), []
    resamples, seed = params.significance["resamples"], params.seed
    missing = {
        (row.metric, row.weighting): row.reason for row in files.read("missing.csv").itertuples()
    }
    tops = [size for size in params.significance["top"] if size < len(gold)]
    people = np.array(found.segment_gold or np.empty((len(gold), 0)), dtype=float)
    people = people[:, scores.counted] if people.size else people
    for size in [len(gold), *tops]:
        subset, systems = "top", best_systems(gold, size)
        if size == len(gold):
            subset, systems = "all", np.arange(size)
        weighted = scores.of(systems)
        # The scores that correlations.csv is made from.
        observed = {key: one[0] for key, one in scores.quality(systems[None]).items()}
        resampled = significance.Resamples(
            weighted, observed, gold[systems], resamples, seed, params.statistics
        )
        groups = random_groups(size, params) if subset == "all" else {}
        of_p_values = significance.p_value_statistics(
            params.statistics, weighted, people[systems], resamples, seed
        )
        rows += significance_rows(
            resampled, of_p_values, subset, size, missing, groups, scores.fixed, params
        )
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
