"""How sure every correlation is, and which systems a metric tells apart."""

from contextlib import suppress

import numpy as np
import pandas as pd

from job import run
from mt_difficulty import evalset, resampling, significance, storage, token_weighting
from mt_difficulty.correlation import best_systems, random_subsets
from mt_difficulty.errors import Missing
from mt_difficulty.metrics import METRICS
from mt_difficulty.metrics.base import Metric
from mt_difficulty.resampling import Weighted

COLUMNS = [
    *("metric", "weighting", "subset", "size", "statistic", "value"),
    *(f"{over}_{end}" for over in ("segments", "systems", "both") for end in ("low", "high")),
    *("difference", "permutation_p", "williams_p", "reason"),
]
COMPARISONS = ["metric", "weighting", "system", "other", "difference", "wins", "p"]
INTERVALS = ["system", "metric", "weighting", "score", "low", "high"]
NO_SEGMENT_GOLD = "the archive has no human scores of segments that all systems have"


class Scores:
    """What a set's metrics give under every weighting, for any of its systems."""

    def __init__(self, snakemake):
        self.settings = token_weighting.Settings(**snakemake.params.DA)
        self.difficult = self.w = None
        with suppress(Missing):
            found = storage.read_json(snakemake.input.difficulty)
            if found["h"] is not None and found["w"] is not None:
                entropy = storage.read_arrays(snakemake.input.entropy)["entropy"]
                self.difficult, self.w = entropy >= found["h"], found["w"]
        self.plain, self.matches = {}, {}
        for (name, settings), file in zip(
            snakemake.params.metrics.items(), snakemake.input.statistics, strict=True
        ):
            with suppress(Missing):  # the set's missing.csv has the reason
                self._add(name, METRICS[settings["type"]], storage.read_arrays(file)["statistics"])
        for name, file in zip(snakemake.params.neural, snakemake.input.matches, strict=True):
            with suppress(Missing):
                arrays = storage.read_arrays(file)
                self.matches[name] = token_weighting.rescaled_matches(arrays)[0]

    def _add(self, name, metric, statistics):
        one = Weighted(metric.aggregate, statistics, higher_is_better=metric.higher_is_better)
        self.plain[name, "standard"] = one
        if self.difficult is not None and statistics.shape[1] == self.difficult.shape[1]:
            self.plain[name, "EE"] = one._replace(difficult=self.difficult, w=self.w)

    def of(self, systems):
        """All weightings for some systems; token difficulty is that of these."""
        found = {key: one.select(systems) for key, one in self.plain.items()}
        for name, matches in self.matches.items():
            found |= self._of_tokens(name, token_weighting.select(matches, systems), systems)
        return found

    def _of_tokens(self, name, matches, systems):
        found = {}
        for weighting, others in (("DA", False), ("DA-LOO", True)):
            difficulty = token_weighting.token_difficulty(matches.reference_similarity, others)
            scores = token_weighting.segment_scores(matches, difficulty, self.settings)
            found[name, weighting] = Weighted(self.settings.aggregate, scores)
        if self.difficult is not None:
            difficult = self.difficult[systems]
            found[name, "EE-DA"] = found[name, "DA"]._replace(difficult=difficult, w=self.w)
        return found


def human_p(segment_gold, systems, resamples, seed):
    """People's p-values between systems, and the segments that they are from.

    Raises
    ------
    Missing
        No segment has a human score for every system.
    """
    if not segment_gold:
        raise Missing(NO_SEGMENT_GOLD)
    scores = np.array(segment_gold, dtype=float)[systems]
    rated = np.isfinite(scores).all(axis=0)
    if not rated.any():
        raise Missing(NO_SEGMENT_GOLD)
    people = Weighted(Metric.aggregate, scores[:, rated, None])
    return permutation(people, resamples, seed), rated


def permutation(weighted, resamples, seed):
    return resampling.paired_permutation(weighted, resamples, np.random.default_rng([seed, 3]))


def soft_accuracies(scores, segment_gold, systems, resamples, seed):
    """Soft pairwise accuracy by metric and weighting: a value, or the reason why there is none."""
    try:
        gold_p, rated = human_p(segment_gold, systems, resamples, seed)
    except Missing as reason:
        return dict.fromkeys(scores, (np.nan, str(reason)))
    found = {}
    for key, one in scores.items():
        if one.statistics.shape[1] != rated.size:
            found[key] = np.nan, significance.SYSTEM_SCORES_ONLY
            continue
        p = permutation(one.select(segments=rated), resamples, seed)
        found[key] = significance.soft_pairwise_accuracy(p, gold_p), ""
    return found


def estimate_rows(estimates, scores, means):
    """Rows of estimates; where a value is a mean over more subsets than were resampled, its
    interval is moved to it."""
    for (metric, weighting, (subset, size)), found in estimates.items():
        whole = scores[metric, weighting].statistics.shape[1] > 1
        reason = "" if whole else significance.SYSTEM_SCORES_ONLY
        for i, statistic in enumerate(significance.STATISTICS):
            value, difference = found.value[i], found.difference[i]
            if subset == "random" and statistic in means:
                value = means.loc[(metric, weighting, subset, size), statistic]
                if weighting != "standard":
                    difference = value - means.loc[(metric, "standard", subset, size), statistic]
            ends = np.array([found.segments, found.systems, found.both])[:, :, i].ravel()
            t_test = found.williams_p if statistic == "pearson" else np.nan
            yield [
                *(metric, weighting, subset, size, statistic, value),
                *(ends + value - found.value[i]),
                *(difference, found.permutation_p[i], t_test, reason),
            ]


def soft_rows(found, subset, size):
    nothing = [np.nan] * 6
    for (metric, weighting), (value, reason) in found.items():
        difference = np.nan
        if weighting != "standard" and (metric, "standard") in found:
            difference = value - found[metric, "standard"][0]
        yield [
            *(metric, weighting, subset, size, "soft_accuracy", value, *nothing),
            *(difference, np.nan, np.nan, reason),
        ]


def random_groups(systems, params):
    """Random subsets by (random, size)."""
    rng = np.random.default_rng([params.seed, 4])
    draws = params.significance["draws"]
    sizes = [size for size in params.sizes if size <= systems]
    return {("random", size): random_subsets(systems, size, draws, rng) for size in sizes}


def significance_rows(snakemake, found, scores_of):
    """Rows for all systems, random subsets (of weightings whose difficulty is that of the whole
    set), and the best systems."""
    params, gold = snakemake.params, np.array(found.gold)
    resamples, seed = params.significance["resamples"], params.seed
    means = storage.read_table(snakemake.input.correlations)
    means = means.set_index(["metric", "weighting", "subset", "size"]).sort_index()

    def rows(scores, systems, subsets):
        estimates = significance.estimate(
            scores, gold[systems], subsets, resamples, seed, snakemake.threads
        )
        return estimate_rows(estimates, scores, means)

    tops = [size for size in params.significance["top"] if size < len(gold)]
    groups = {("all", len(gold)): np.arange(len(gold))}
    groups |= {("top", size): best_systems(gold, size) for size in tops}
    for (subset, size), systems in groups.items():
        scores = scores_of(systems)
        yield from rows(scores, systems, {(subset, size): np.arange(size)[None]})
        soft = soft_accuracies(scores, found.segment_gold, systems, resamples, seed)
        yield from soft_rows(soft, subset, size)
        if subset == "all":
            fixed = {key: one for key, one in scores.items() if key[1] in ("standard", "EE")}
            yield from rows(fixed, systems, random_groups(size, params))


def comparison_rows(bootstrapped, systems, better):
    """Every pair of systems once, the one that scores higher first; and each one's interval."""
    pairs, intervals = [], []
    for (metric, weighting), scores in bootstrapped.items():
        one, sign = better[metric, weighting]
        ordered = np.argsort(-one, kind="stable")
        wins, p = resampling.paired_bootstrap(scores)
        pairs += [
            (
                metric,
                weighting,
                systems[a],
                systems[b],
                sign * (one[a] - one[b]),
                wins[a, b],
                p[a, b],
            )
            for place, a in enumerate(ordered)
            for b in ordered[place + 1 :]
        ]
        ends = np.sort(sign * np.array(resampling.interval(scores)), axis=0)
        intervals += [
            (system, metric, weighting, sign * score, low, high)
            for system, score, low, high in zip(systems, one, *ends, strict=True)
        ]
    return pairs, intervals


def compare(snakemake, found, scores):
    resamples, seed = snakemake.params.significance["resamples"], snakemake.params.seed
    better = {
        key: (resampling.observed_scores(one), 1 if one.higher_is_better else -1)
        for key, one in scores.items()
    }
    bootstrapped = significance.bootstrap(scores, resamples, seed)
    return comparison_rows(bootstrapped, found.systems, better)


def main(snakemake):
    rows, pairs, intervals = [], [], []
    with suppress(Missing):  # no rows, as in the scores
        found = evalset.load(snakemake.input.evalset)
        scores = Scores(snakemake)
        rows = list(significance_rows(snakemake, found, scores.of))
        pairs, intervals = compare(snakemake, found, scores.of(np.arange(len(found.systems))))
    for path, columns, content in (
        (snakemake.output.significance, COLUMNS, rows),
        (snakemake.output.comparisons, COMPARISONS, pairs),
        (snakemake.output.intervals, INTERVALS, intervals),
    ):
        storage.write_table(path, pd.DataFrame(content, columns=columns))


if "snakemake" in globals():
    run(main, snakemake)
