"""A benchmark of difficulty estimators. On one evaluation set: statistics with intervals, tests
between all pairs, and how well their hardest segments rank systems. Over sets: mean DEC with
intervals for these sets and for other sets, pairwise differences, and ranks."""

from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property, partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..data.evalset import EvaluationSet
from ..data.score_files import perfect_score
from ..difficulty.item_response import PARAMETERS, fit_items
from ..errors import Missing
from ..storage import Content
from ..tables import OTHER_SETS, TABLES
from . import dec, selection, synthesis
from .metric_table import clusters, ranking
from .nulls import length_deciles
from .resampling import MINIMUM_SEGMENTS, bootstrap_weights, interval
from .synthesis import ALPHA, CLUSTERS, MARGIN, adjusted

DEC, WITHIN = "dec", "dec_within_length"
# Statistics computed for every difficulty, in the order of results.
STATISTICS = {
    DEC: "Kendall's τ-b between difficulty and negated human score, mean over systems",
    WITHIN: "the same within tenths of the set by source length, mean over tenths",
    "dec_pearson": "Pearson's r in the place of τ-b",
    "dec_partial_length": "partial rank correlation given source length",
    "average_score": f"mean human score of the hardest {dec.BUDGET:.0%} of the segments",
    "perfect": f"share of perfect translations among the hardest {dec.BUDGET:.0%}",
}
# Statistics that are tested between all pairs, given by system, and averaged over sets.
TESTED = (DEC, WITHIN)
BY_SYSTEM = (DEC, "dec_pearson")
POOLED = (DEC, WITHIN, "dec_pearson", "dec_partial_length")
# Columns of tables of a set, and over sets.
COLUMNS = TABLES["<set>/estimators/values.csv"].names()
TEST_COLUMNS = TABLES["<set>/estimators/tests.csv"].names()
SELECTION_COLUMNS = TABLES["<set>/estimators/selection.csv"].names()
LEADERBOARD = TABLES["estimators/leaderboard.csv"].names()
COMPARISONS = TABLES["estimators/comparisons.csv"].names()
SELECTION = TABLES["estimators/selection.csv"].names()
HIGHER, LOWER = "higher", "lower"
EQUIVALENT = f"no difference larger than {MARGIN}"
BETTER, WORSE = "better than random", "worse than random"
OF_TOKENS = "a difficulty of tokens"
CONSTANT = "it has one value for all hypotheses with human scores, or none"
UNDEFINED = {
    "dec_partial_length": "source length leaves nothing of it",
    WITHIN: "it varies in less than half of the tenths of the systems",
}
EQUAL = "human scores of every system are equal, or difficulties are infinite"
# The baseline: characters of the source. The space avoids a clash with names in a config.
BASELINE = "source length"
# Choices of segments: shares, the sampling without difficulty, resamples, stratified samples.
SHARES, STRATIFIED, RESAMPLES, SAMPLES = (0.1, 0.25, 0.5), "stratified sample", 200, 200


class Estimate(NamedTuple):
    """Values of a difficulty of a set, (systems, segments), NaN where a hypothesis has none, and
    the `information` that it uses (`difficulty.base.INFORMATION`)."""

    values: np.ndarray
    information: str


class Bench:
    """Difficulties of a set, source length (BASELINE) first, compared with human scores of
    segments; `absent` has reasons for difficulties without values. Arrays are of the segments with
    a human score: `gold`, (systems, segments), `segments` (numbers in the set, from 1), `lengths`
    of sources, `deciles` of length among the whole set's segments, `domains`. `perfect` is the
    score of a perfect translation. Permutations are half as many as resamples: each has its
    complement. Raises `Missing` without human scores of segments or a source."""

    def __init__(
        self,
        evalset: EvaluationSet,
        estimates: Mapping[str, Estimate],
        absent: Mapping[str, str],
        resamples: int,
        seed: int,
        threads: int = 1,
    ) -> None:
        evalset.require_segment_gold()
        if not evalset.source:
            raise Missing("there is no source text, and no source length")
        gold = np.array(evalset.segment_gold, dtype=float)
        lengths = np.array([len(text) for text in evalset.source], dtype=float)
        rated = np.isfinite(gold).any(axis=0)
        self.gold, self.lengths = gold[:, rated], lengths[rated]
        self.ties = selection.tie_breakers(evalset.source)[rated]
        self.deciles, self.segments = length_deciles(lengths)[rated], np.flatnonzero(rated) + 1
        self.perfect = perfect_score(evalset.segment_gold_name or evalset.gold_name)
        self.domains = np.array(evalset.domains or [""] * len(rated))[rated]
        self.systems, self.threads, self.absent = evalset.systems, threads, dict(absent)
        length = Estimate(np.broadcast_to(lengths, gold.shape), "source")
        self.estimates = {}
        for name, estimate in {BASELINE: length, **estimates}.items():
            values = estimate.values[:, rated]
            judged = values[dec.judged_cases(values, self.gold)]
            if name != BASELINE and (judged == judged[:1]).all():
                self.absent[name] = CONSTANT
            else:
                self.estimates[name] = estimate._replace(values=values)
        rng = np.random.default_rng([seed, 0])
        self.counts = dec.resample_counts(len(self.segments), resamples, rng)
        self.masks = dec.exchange_masks(len(self.segments), -(-resamples // 2), rng)
        self._drawn = bootstrap_weights(len(gold), resamples, rng)
        self._computed: dict[tuple[str, str], np.ndarray] = {}

    def resampled(self, name: str, statistic: str) -> np.ndarray:
        """Compute a statistic of a difficulty on the original segments (first) and on bootstrap
        resamples, (systems, groups, 1 + resamples)."""
        key = name, statistic
        if key not in self._computed:
            self._computed[key] = self._compute(statistic, self.estimates[name].values)
        return self._computed[key]

    def _compute(self, statistic: str, values: np.ndarray) -> np.ndarray:
        gold, counts, threads = self.gold, self.counts, self.threads
        if statistic == DEC:
            return dec.taus(values, gold, counts, threads=threads)
        if statistic == WITHIN:
            taus = dec.taus(values, gold, counts, self.deciles, threads)
            # A mean over few tenths of the set would not represent it.
            varied = np.isfinite(taus[..., 0]).mean()
            return taus if varied >= 0.5 else np.full_like(taus, np.nan)
        if statistic in ("dec_pearson", "dec_partial_length"):
            lengths = self.lengths if statistic == "dec_partial_length" else None
            return dec.correlations(values, gold, counts, threads, lengths)
        return dec.hardest_scores(values, self._averaged[statistic], counts)

    @cached_property
    def _averaged(self) -> dict[str, np.ndarray]:
        """Human scores, and 1 for a perfect translation, else 0; NaN where unknown."""
        perfect = np.where(np.isnan(self.gold + self.perfect), np.nan, self.gold == self.perfect)
        return {"average_score": self.gold, "perfect": perfect}

    def rows(self) -> pd.DataFrame:
        """Return a table, a row per estimator and statistic; DEC (mean τ-b) also per domain."""
        domains, of_domain = np.unique(self.domains, return_inverse=True)
        rows: list[list] = []
        for name, estimate in self.estimates.items():
            judged = dec.judged_cases(estimate.values, self.gold)
            parts: list[tuple] = [("", s, self.resampled(name, s), judged) for s in STATISTICS]
            if len(domains) > 1:
                taus = dec.taus(estimate.values, self.gold, self.counts, of_domain, self.threads)
                parts += [
                    (str(domain), DEC, taus[:, place : place + 1], judged & (of_domain == place))
                    for place, domain in enumerate(domains)
                ]
            for domain, statistic, values, cases in parts:
                numbers, chance = self._summary(values), 0.0
                if statistic in self._averaged:  # the mean over all segments
                    scores = np.where(judged, self._averaged[statistic], np.nan)
                    chance = float(pd.DataFrame(scores).mean(axis=1).mean())
                reason = UNDEFINED.get(statistic, EQUAL) if np.isnan(numbers[0]) else ""
                if reason and statistic == "perfect" and np.isnan(self.perfect):
                    reason = "the scale of the human scores has no perfect score"
                head = name, estimate.information, domain, statistic
                size = cases.any(axis=0).sum(), cases.sum()
                rows.append([*head, *numbers, chance, np.nan, *size, reason])
        empty: list = [np.nan] * (len(COLUMNS) - 5)
        rows += [[name, "", "", DEC, *empty, reason] for name, reason in self.absent.items()]
        frame = pd.DataFrame(rows, columns=COLUMNS)
        return frame.assign(rank=ranks(frame[frame.domain == ""], "value", self.tests))

    def _summary(self, values: np.ndarray) -> list[float]:
        """Return the mean over systems, three 95 % intervals and the standard error."""
        means = dec.mean_over_systems(values)
        if not np.isfinite(means[0]):
            return [np.nan] * 8
        constant = np.broadcast_to(values[..., :1], values[..., 1:].shape)
        of_systems = dec.mean_over_systems(constant, self._drawn)
        both = dec.mean_over_systems(values[..., 1:], self._drawn)
        known = means[1:][np.isfinite(means[1:])]
        error = float(known.std(ddof=1)) if known.size > 1 else np.nan
        ends = [list(map(float, interval(drawn))) for drawn in (means[1:], of_systems, both)]
        return [float(means[0]), *ends[0], error, *ends[1], *ends[2]]

    def system_rows(self) -> pd.DataFrame:
        """Return τ-b and r with negated human scores, a row per estimator, system, statistic."""
        rows = []
        for name, estimate in self.estimates.items():
            cases = dec.judged_cases(estimate.values, self.gold).sum(axis=1)
            for statistic in BY_SYSTEM:
                values = self.resampled(name, statistic)[:, 0]
                lows, highs = interval(values[:, 1:].T)
                parts = zip(self.systems, values[:, 0], lows, highs, cases, strict=True)
                rows += [[name, system, statistic, *numbers] for system, *numbers in parts]
        columns = TABLES["<set>/estimators/by_system.csv"].names()
        return pd.DataFrame(rows, columns=columns)

    @cached_property
    def tests(self) -> pd.DataFrame:
        """Test the difference in DEC of all pairs of difficulties, on hypotheses that have both, by
        paired permutations, with Holm's correction for each statistic (columns TEST_COLUMNS)."""
        rows = []
        for statistic in TESTED:
            groups = self.deciles if statistic == WITHIN else None
            for names in combinations(self.estimates, 2):
                sides = [self.estimates[name].values for name in names]
                settings = self.gold, self.masks, groups, self.threads
                test = dec.exchange_test(sides[0], sides[1], *settings)
                # Both are computed on hypotheses that have both difficulties.
                means = []
                for name, values, beside in zip(names, sides, sides[::-1], strict=True):
                    common, absent = self.resampled(name, statistic), np.isnan(beside)
                    if (absent & dec.judged_cases(values, self.gold)).any():
                        common = self._compute(statistic, np.where(absent, np.nan, values))
                    means.append(dec.mean_over_systems(common))
                difference = means[0] - means[1]
                first, second, p = [np.nan] * 3 if np.isnan(difference[0]) else test[:3]
                low, high = map(float, interval(difference[1:]))
                error = float(np.nanstd(difference[1:], ddof=1)) if np.isfinite(low) else np.nan
                numbers = first, second, first - second, low, high, error, p, np.nan, test[3]
                rows.append([statistic, *names, *numbers])
        return adjusted(pd.DataFrame(rows, columns=TEST_COLUMNS), ["statistic"], "")[TEST_COLUMNS]


def ranks(rows: pd.DataFrame, value: str, tests: pd.DataFrame) -> pd.Series:
    """Rank difficulties by the column `value` into clusters of significance, from 1, within each
    statistic of TESTED and kind of information; NaN for others. `tests` are as `Bench.tests`."""
    better = {}
    for test in tests.to_dict("records"):
        pair = test["difficulty"], test["other"]
        pair = pair if test["difference"] > 0 else pair[::-1]
        better[test["statistic"], *pair] = test["p_adjusted"]
    ranks = pd.Series(np.nan, rows.index)
    tested = rows[np.isfinite(rows[value].astype(float)) & rows.statistic.isin(TESTED)]
    key: Any
    for key, group in tested.groupby(["statistic", "information"]):
        names = group.difficulty.tolist()
        p = np.array([[better.get((key[0], a, b), 1.0) for b in names] for a in names])
        ranks[group.index] = clusters(p, ranking(group[value].to_numpy(), names), ALPHA)
    return ranks


def segment_rows(bench: Bench) -> pd.DataFrame:
    """Tabulate segments with human scores (`segments.csv`): mean human score; parameters of an item
    response model; and `estimated`, the mean difficulty over systems by the `estimator`
    of highest DEC that uses no human scores. `place` and `human_place` are the shares of segments
    that are easier by this estimator and by human scores."""
    from scipy.stats import rankdata

    def places(values: np.ndarray) -> np.ndarray:
        known = np.count_nonzero(~np.isnan(values))
        return (rankdata(values, nan_policy="omit") - 1) / max(known - 1, 1)

    human = np.nanmean(bench.gold, axis=0)
    frame = pd.DataFrame({"segment": bench.segments, "domain": bench.domains, "human_score": human})
    frame = frame.reindex(columns=TABLES["<set>/estimators/segments.csv"].names())
    with suppress(Missing):
        items = fit_items(bench.gold)
        for parameter, column in zip(PARAMETERS, ("item_difficulty", *PARAMETERS[1:]), strict=True):
            frame[column] = getattr(items, parameter)
            if parameter != "noise":
                frame[f"{column}_error"] = getattr(items, f"{parameter}_error")
    usable = {}
    for name, estimate in bench.estimates.items():
        value = dec.mean_over_systems(bench.resampled(name, DEC)[..., :1])[0]
        if estimate.information != "gold" and np.isfinite(value):
            usable[name] = value
    frame["estimator"] = best = max(usable, key=usable.__getitem__, default="")
    if best:
        frame["estimated"] = np.nanmean(bench.estimates[best].values, axis=0)
        frame["place"] = places(frame["estimated"].to_numpy())
    return frame.assign(human_place=places(-human))


def selection_rows(bench: Bench, seed: int) -> pd.DataFrame:
    """Tabulate how well the hardest segments rank systems compared with random segments, for every
    difficulty and budget (columns SELECTION_COLUMNS). Only segments rated for every system are
    used. Rows of stratified samples (by domain and length) have the 95 % range of samples as `low`
    and `high`. Raises `Missing` for fewer than MINIMUM_SEGMENTS segments."""
    complete = np.flatnonzero(np.isfinite(bench.gold).all(axis=0))
    if len(complete) < MINIMUM_SEGMENTS:
        few = f"{len(complete)} segments have human scores of every system"
        raise Missing(f"{few}; a choice of segments needs {MINIMUM_SEGMENTS}")
    judge, costs = selection.Judge(bench.gold[:, complete]), np.ones(len(complete))
    ties = bench.ties[complete]
    rng, all_clusters = np.random.default_rng([seed, 9]), judge.clusters(slice(None))
    resampled = judge.resampled(RESAMPLES, rng)
    rows: list[list] = []
    for share in SHARES:
        budget = max(2, int(share * len(complete)))
        values_drawn = rng.random((selection.DRAWS, len(complete)))
        random = judge.agreement([selection.highest(x, costs, budget) for x in values_drawn])
        for name, estimate in bench.estimates.items():
            values = estimate.values[:, complete].mean(axis=0)
            if np.isnan(values).any():  # of some hypotheses alone
                continue
            chosen = _hardest(values, budget, ties, slice(None))
            ends = selection.intervals(resampled, partial(_hardest, values, budget, ties))
            for statistic, (value,) in judge.agreement([chosen]).items():
                beside = selection.compared(value, random[statistic])
                head = [name, estimate.information, share, budget, statistic, value]
                sizes = judge.clusters(chosen), all_clusters
                rows.append([*head, *ends[statistic], *beside[1:], *sizes])
        keys = [bench.domains[complete], bench.lengths[complete]]
        samples = [selection.stratified(keys, costs, budget, rng) for _ in range(SAMPLES)]
        for statistic, drawn in judge.agreement(samples).items():
            mean, within = float(drawn.mean()), map(float, np.percentile(drawn, [2.5, 97.5]))
            beside_mean = selection.compared(mean, random[statistic])[1:4]
            head = [STRATIFIED, "source", share, budget, statistic, mean]
            rows.append([*head, *within, *beside_mean, *[np.nan] * 3, all_clusters])
    return pd.DataFrame(rows, columns=SELECTION_COLUMNS)


def _hardest(
    values: np.ndarray, budget: int, ties: np.ndarray, segments: np.ndarray | slice
) -> np.ndarray:
    """Return the positions among `segments` of the `budget` hardest ones (`selection.highest`)."""
    return np.lexsort((ties[segments], -values[segments]))[:budget]


def mean_of_sets(rows: pd.DataFrame, column: str) -> Content:
    """Average a column over `rows` of sets, with `error`, `set`, `campaign`, `pair` and `reason`;
    errors of sets with the same campaign and pair, which share texts, add up. Returns the `mean`
    over these sets, its `error`, 95 % interval (`low`, `high`) and two-sided `p` for a mean of 0;
    the random-effects mean with intervals and I² (OTHER_SETS), NaN below two sets; and the counts
    of `over_sets`."""
    rows, result = synthesis.over_sets(rows, column)
    names = ("mean", "error", "low", "high", "p")
    result |= dict.fromkeys((*names, *OTHER_SETS), np.nan)
    if rows.empty:
        return result
    of_texts = rows.groupby(list(CLUSTERS))["error"].sum()
    mean, error = float(rows[column].mean()), float(np.sqrt((of_texts**2).sum())) / len(rows)
    low, high, p = synthesis.interval_of(mean, error)
    p = p if error > 0 else float(mean == 0)
    result |= zip(names, (mean, error, low, high, p), strict=True)
    with suppress(ValueError):
        labels = [rows[name].to_numpy() for name in CLUSTERS]
        values, errors = (rows[name].to_numpy(float) for name in (column, "error"))
        pooled = synthesis.random_effects(values, errors, labels)
        fields = ("effect", "low", "high", "prediction_low", "prediction_high", "i2")
        numbers = [getattr(pooled, field) for field in fields]
        result |= dict(zip(OTHER_SETS, numbers, strict=True))
    return result


def leaderboard(values: pd.DataFrame, comparisons: pd.DataFrame) -> pd.DataFrame:
    """Average statistics over sets (columns LEADERBOARD), sorted by falling gain over source length
    on the same sets. `values` are `Bench.rows` of all sets, with `set`, `campaign` and `pair`;
    `comparisons` come from `compare`."""
    whole = values[(values.domain == "") & values.statistic.isin(POOLED)]
    rows = []
    key: Any
    for key, group in whole.groupby(["difficulty", "statistic"], sort=False):
        mean = mean_of_sets(group, "value")
        # The information is "" in sets without this difficulty.
        row = {"difficulty": key[0], "statistic": key[1], "information": group.information.max()}
        row |= {"value": mean["mean"], "reason": mean["reasons"]}
        rows.append(mean | row | {"sets_without": whole.set.nunique() - mean["sets"]})
    # Differences to source length with their intervals; 0 for source length itself.
    columns, keys = ["gain", "gain_low", "gain_high"], ["statistic", "difficulty"]
    of_length = comparisons[comparisons.difficulty == BASELINE].drop(columns="difficulty")
    gains = of_length.rename(columns={"other": "difficulty"}).set_index(keys)
    gains = -gains[["difference", "high", "low"]].set_axis(columns, axis=1).astype(float)
    for statistic in TESTED:
        gains.loc[(statistic, BASELINE), :] = 0.0
    added = [*columns, "rank"]
    frame = pd.DataFrame(rows, columns=TABLES["estimators/leaderboard.csv"].names(without=added))
    frame = frame.join(gains, on=keys)
    frame["rank"] = ranks(frame, "gain", comparisons)
    frame = frame.assign(place=frame.statistic.map(POOLED.index), absent=frame["value"].isna())
    by = ["place", "absent", "information", "gain", "value", "difficulty"]
    return frame.sort_values(by, ascending=[x not in ("gain", "value") for x in by])[LEADERBOARD]


def compare(tests: pd.DataFrame) -> pd.DataFrame:
    """Average the differences of every pair of difficulties over sets (columns COMPARISONS).
    `tests` are `Bench.tests` of all sets, with `set`, `campaign` and `pair`. p is from the
    permutation test for one set, normal for several; Holm's correction is over the pairs of a
    statistic (`family`). The verdict says whether the first has the higher mean on these sets."""
    rows, names = [], ["statistic", "difficulty", "other"]
    for key, group in tests.assign(reason="").groupby(names, sort=False):
        mean, used = mean_of_sets(group, "difference"), synthesis.valued(group, "difference")
        row = dict(zip(names, key, strict=True)) | {"difference": mean["mean"]}
        rows.append(mean | row | ({"p": float(used.p.iloc[0])} if len(used) == 1 else {}))
    frame = pd.DataFrame(rows, columns=COMPARISONS)
    frame = adjusted(frame, ["statistic"], "by {statistic}")
    words = HIGHER, LOWER, EQUIVALENT
    return frame.assign(verdict=synthesis.verdicts(frame, "difference", MARGIN, words))


def summarise_selection(rows: pd.DataFrame) -> pd.DataFrame:
    """Average over sets how well chosen segments rank systems (columns SELECTION): mean value and
    gain over random choices. `rows` are `selection_rows` of all sets, with `set`, `campaign` and
    `pair`. p, two-sided, is from Stouffer's sum of normal scores of the percentiles among random
    choices. Normal scores are first averaged over sets of one campaign and pair, which share texts.
    Holm's correction is over the difficulties of a budget and statistic."""
    from scipy.special import ndtr, ndtri

    table, keys = [], ["share", "statistic", "difficulty"]
    for key, group in rows.groupby(keys, sort=False):
        p, least = np.nan, 0.5 / selection.DRAWS
        if group.random_quantile.notna().all():
            scores = ndtri(np.clip(group.random_quantile.to_numpy(), least, 1 - least))
            means = group.assign(score=scores).groupby(list(CLUSTERS))["score"].mean()
            p = float(2 * ndtr(-abs(means.sum()) / np.sqrt(len(means))))
        row = {"information": group.information.iloc[0], "value": group["value"].mean(), "p": p}
        row |= {"random_mean": group.random_mean.mean()}
        row |= {"gain": (group["value"] - group.random_mean).mean()}
        row |= {f"{name}s": group[name].nunique() for name in ("set", *CLUSTERS)}
        table.append(dict(zip(keys, key, strict=True)) | row)
    frame = pd.DataFrame(table, columns=SELECTION)
    frame = frame.assign(percent=100 * frame["share"].astype(float))
    frame = adjusted(frame, keys[:2], "by {statistic}, {percent:.0f} % of the segments")[SELECTION]
    p_adjusted, gain = frame["p_adjusted"], frame["gain"].astype(float)
    cases = [p_adjusted.isna(), p_adjusted > ALPHA, gain > 0]
    frame["verdict"] = np.select(cases, ["", synthesis.UNKNOWN, BETTER], WORSE)
    return frame.sort_values(["share", "statistic", "gain"], ascending=[True, False, False])
