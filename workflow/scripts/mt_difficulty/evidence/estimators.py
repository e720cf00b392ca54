"""A benchmark of difficulty estimators. On one evaluation set: statistics with intervals, tests
between all pairs, and how well their hardest segments rank systems. Over sets: mean DEC with
intervals for these sets and for other sets, pairwise differences, and ranks."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cached_property, partial
from itertools import combinations
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd

from ..data.evalset import EvaluationSet, documents_of
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
from .units import DOCUMENTS, Units, units_of

DEC = "dec"
WITHIN = "dec_within_length"
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
SUMMARY = COLUMNS[COLUMNS.index("value") : COLUMNS.index("chance")]
TEST_COLUMNS = TABLES["<set>/estimators/tests.csv"].names()
SELECTION_COLUMNS = TABLES["<set>/estimators/selection.csv"].names()
LEADERBOARD = TABLES["estimators/leaderboard.csv"].names()
COMPARISONS = TABLES["estimators/comparisons.csv"].names()
SELECTION = TABLES["estimators/selection.csv"].names()
HIGHER = "higher"
LOWER = "lower"
EQUIVALENT = f"no difference larger than {MARGIN}"
BETTER = "better than random"
WORSE = "worse than random"
OF_TOKENS = "a difficulty of tokens"
CONSTANT = "it has one value for all hypotheses with human scores, or none"
UNDEFINED = {
    "dec_partial_length": "source length leaves nothing of it",
    WITHIN: "it varies in less than half of the tenths of the systems",
}
EQUAL = "human scores of every system are equal, or difficulties are infinite"
# The baseline: characters of the source. The space avoids a clash with names in a config.
BASELINE = "source length"
# Shares of the segments that are chosen.
SHARES = (0.1, 0.25, 0.5)
# Name of the sampling without difficulty, and number of samples.
STRATIFIED = "stratified sample"
SAMPLES = 200
# Bootstrap resamples for intervals of choices.
RESAMPLES = 200


class Estimate(NamedTuple):
    """A difficulty of a set.

    Attributes
    ----------
    values : ndarray
        (systems, segments), higher is harder; NaN where a hypothesis has none.
    information : str
        What it is computed from (`difficulty.base.INFORMATION`).
    """

    values: np.ndarray
    information: str


class Bench:
    """Difficulties of a set, compared with human scores of segments.

    Parameters
    ----------
    evalset : EvaluationSet
    estimates : mapping of str to Estimate
    absent : mapping of str to str
        Reasons for difficulties without values.
    resamples : int
        Number of bootstrap resamples. Permutations are half as many: each has its complement.
    seed : int
    threads : int
    unit : {"documents", "segments"}
        What is resampled and exchanged where documents are known.

    Attributes
    ----------
    documents : list of str
        Documents of the segments with a human score; empty if unknown.
    units : Units
        Of these segments.
    estimates : dict of str to Estimate
        On the segments with a human score, like all arrays; source length (BASELINE) first.
    absent : dict of str to str
        With constant difficulties, too.
    gold : ndarray
        Human scores, (systems, segments), NaN where absent; higher is better.
    segments : ndarray
        Numbers of the segments in the set, from 1.
    lengths, deciles : ndarray
        Lengths of sources, and their deciles among the whole set's segments.
    domains : ndarray
        Domain of every segment, "" if unknown.
    perfect : float
        Score of a perfect translation.

    Raises
    ------
    Missing
        Without human scores of segments or a source.
    """

    def __init__(
        self,
        evalset: EvaluationSet,
        estimates: Mapping[str, Estimate],
        absent: Mapping[str, str],
        resamples: int,
        seed: int,
        threads: int = 1,
        unit: str = DOCUMENTS,
    ) -> None:
        evalset.require_segment_gold()
        if not evalset.source:
            raise Missing("there is no source text, and no source length")
        gold = np.array(evalset.segment_gold, dtype=float)
        lengths = np.array([len(text) for text in evalset.source], dtype=float)
        rated = np.isfinite(gold).any(axis=0)
        self.systems = evalset.systems
        self.threads = threads
        self.absent = dict(absent)
        self.gold = gold[:, rated]
        self.lengths = lengths[rated]
        self.ties = selection.tie_breakers(evalset.source)[rated]
        self.deciles = length_deciles(lengths)[rated]
        self.segments = np.flatnonzero(rated) + 1
        self.perfect = perfect_score(evalset.segment_gold_name or evalset.gold_name)
        self.domains = np.array(evalset.domains or [""] * len(rated))[rated]
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
        self.documents = documents_of(evalset, np.flatnonzero(rated))
        self.unit = unit
        self.seed = seed
        self.units = units_of(self.documents, len(self.segments), unit)
        self.counts = dec.resample_counts(self.units, resamples, rng)
        self.masks = dec.exchange_masks(self.units, -(-resamples // 2), rng)
        self._drawn = bootstrap_weights(len(gold), resamples, rng)
        self._computed: dict[tuple[str, str], np.ndarray] = {}

    def resampled(self, name: str, statistic: str) -> np.ndarray:
        """Compute a statistic of a difficulty on the original segments (first) and on bootstrap
        resamples, (systems, groups, 1 + resamples)."""
        key = (name, statistic)
        if key not in self._computed:
            self._computed[key] = self._compute(statistic, self.estimates[name].values)
        return self._computed[key]

    def _compute(self, statistic: str, values: np.ndarray) -> np.ndarray:
        """Compute a statistic of difficulties, (systems, segments), as `resampled`."""
        gold = self.gold
        counts = self.counts
        threads = self.threads
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
        is_unknown = np.isnan(self.gold) | np.isnan(self.perfect)
        perfect = np.where(is_unknown, np.nan, self.gold == self.perfect)
        return {"average_score": self.gold, "perfect": perfect}

    def rows(self) -> pd.DataFrame:
        """Return a table, a row per estimator and statistic; DEC (mean τ-b) also per domain."""
        rows: list[Content] = []
        for name, estimate in self.estimates.items():
            head = {"difficulty": name, "information": estimate.information}
            judged = dec.judged_cases(estimate.values, self.gold)
            of_set = {"unit": self.units.kind, "units": self.units.size}
            for statistic in STATISTICS:
                row = self._row(statistic, self.resampled(name, statistic), judged)
                rows.append({**head, "domain": "", **of_set, **row})
            for domain, values, cases, units in self._domain_values(estimate, judged):
                row = self._row(DEC, values, cases)
                of_domain = {"unit": units.kind, "units": units.size}
                rows.append({**head, "domain": domain, **of_domain, **row})
        for name, reason in self.absent.items():
            row = {"difficulty": name, "information": "", "domain": "", "statistic": DEC}
            rows.append({**row, "reason": reason})
        frame = pd.DataFrame(rows, columns=COLUMNS)
        without_domains = frame[frame.domain == ""]
        return frame.assign(rank=ranks(without_domains, "value", self.tests))

    def _domain_values(
        self, estimate: Estimate, judged: np.ndarray
    ) -> Iterator[tuple[str, np.ndarray, np.ndarray, Units]]:
        """Yield each of several domains, τ-b in it as `resampled`, a mask of judged cases, and what
        is resampled: a domain can have too few documents."""
        domains = np.unique(self.domains)
        if len(domains) < 2:
            return
        for number, domain in enumerate(domains):
            inside = np.flatnonzero(self.domains == domain)
            documents = [self.documents[segment] for segment in inside] if self.documents else []
            units = units_of(documents, len(inside), self.unit)
            rng = np.random.default_rng([self.seed, 10, number])
            counts = dec.resample_counts(units, self.counts.shape[1] - 1, rng)
            values = estimate.values[:, inside]
            taus = dec.taus(values, self.gold[:, inside], counts, threads=self.threads)
            yield str(domain), taus, judged & (self.domains == domain), units

    def _row(self, statistic: str, values: np.ndarray, cases: np.ndarray) -> Content:
        """Return the columns from `statistic` for a statistic's values as `resampled`; `cases` is a
        mask of the hypotheses, (systems, segments), that they are computed from."""
        summary = self._summary(values)
        chance = 0.0
        if statistic in self._averaged:  # the mean over all segments
            scores = np.where(cases, self._averaged[statistic], np.nan)
            means = pd.DataFrame(scores).mean(axis=1)
            chance = float(means.mean())
        reason = ""
        if np.isnan(summary["value"]):
            reason = UNDEFINED.get(statistic, EQUAL)
            if statistic == "perfect" and np.isnan(self.perfect):
                reason = "the scale of the human scores has no perfect score"
        return {
            "statistic": statistic,
            **summary,
            "chance": chance,
            "rank": np.nan,
            "segments": cases.any(axis=0).sum(),
            "hypotheses": cases.sum(),
            "reason": reason,
        }

    def _summary(self, values: np.ndarray) -> dict[str, float]:
        """Return the mean over systems, its standard error and three 95 % intervals, by column."""
        means = dec.mean_over_systems(values)
        mean = means[0]
        resampled_means = means[1:]
        if not np.isfinite(mean):
            return dict.fromkeys(SUMMARY, np.nan)
        # Values on resamples of segments, and those on the original segments as often.
        resampled = values[..., 1:]
        unchanged = np.broadcast_to(values[..., :1], resampled.shape)
        over_systems = dec.mean_over_systems(unchanged, self._drawn)
        over_both = dec.mean_over_systems(resampled, self._drawn)
        known = resampled_means[np.isfinite(resampled_means)]
        error = float(known.std(ddof=1)) if known.size > 1 else np.nan
        low, high = map(float, interval(resampled_means))
        systems_low, systems_high = map(float, interval(over_systems))
        both_low, both_high = map(float, interval(over_both))
        return {
            "value": float(mean),
            "low": low,
            "high": high,
            "error": error,
            "systems_low": systems_low,
            "systems_high": systems_high,
            "both_low": both_low,
            "both_high": both_high,
        }

    def system_rows(self) -> pd.DataFrame:
        """Return τ-b and r with negated human scores, a row per estimator, system, statistic."""
        rows = []
        for name, estimate in self.estimates.items():
            cases = dec.judged_cases(estimate.values, self.gold).sum(axis=1)
            for statistic in BY_SYSTEM:
                values = self.resampled(name, statistic)[:, 0]
                observed = values[:, 0]
                lows, highs = interval(values[:, 1:].T)
                for i, system in enumerate(self.systems):
                    rows.append(
                        {
                            "difficulty": name,
                            "system": system,
                            "statistic": statistic,
                            "value": observed[i],
                            "low": lows[i],
                            "high": highs[i],
                            "segments": cases[i],
                        }
                    )
        columns = TABLES["<set>/estimators/by_system.csv"].names()
        return pd.DataFrame(rows, columns=columns)

    @cached_property
    def tests(self) -> pd.DataFrame:
        """Test the difference in DEC of all pairs of difficulties, on hypotheses that have both, by
        paired permutations, with Holm's correction for each statistic (columns TEST_COLUMNS)."""
        rows = []
        for statistic in TESTED:
            groups = self.deciles if statistic == WITHIN else None
            for first, second in combinations(self.estimates, 2):
                rows.append(self._test(statistic, first, second, groups))
        frame = pd.DataFrame(rows, columns=TEST_COLUMNS)
        frame = frame.assign(unit=self.units.kind, units=self.units.size)
        return adjusted(frame, ["statistic"], "")[TEST_COLUMNS]

    def _test(self, statistic: str, first: str, second: str, groups: np.ndarray | None) -> Content:
        """Return a row of TEST_COLUMNS: a test of the difference in DEC of two difficulties, on
        hypotheses that have both."""
        first_values = self.estimates[first].values
        second_values = self.estimates[second].values
        first_dec, second_dec, p, hypotheses = dec.exchange_test(
            first_values, second_values, self.gold, self.masks, groups, self.threads
        )
        first_mean = self._mean_on_common(statistic, first, second_values)
        second_mean = self._mean_on_common(statistic, second, first_values)
        difference = first_mean - second_mean
        if np.isnan(difference[0]):
            first_dec = second_dec = p = np.nan
        resampled = difference[1:]
        low, high = map(float, interval(resampled))
        error = np.nan
        if np.isfinite(low):
            error = float(np.nanstd(resampled, ddof=1))
        return {
            "statistic": statistic,
            "difficulty": first,
            "other": second,
            "value": first_dec,
            "other_value": second_dec,
            "difference": first_dec - second_dec,
            "low": low,
            "high": high,
            "error": error,
            "p": p,
            "p_adjusted": np.nan,
            "hypotheses": hypotheses,
        }

    def _mean_on_common(self, statistic: str, name: str, other: np.ndarray) -> np.ndarray:
        """Return a statistic's mean over systems, (1 + resamples,), on hypotheses that also have a
        value of the `other` difficulty."""
        values = self.estimates[name].values
        absent = np.isnan(other)
        is_judged = dec.judged_cases(values, self.gold)
        if (absent & is_judged).any():
            common = self._compute(statistic, np.where(absent, np.nan, values))
        else:
            common = self.resampled(name, statistic)
        return dec.mean_over_systems(common)


def ranks(rows: pd.DataFrame, value: str, tests: pd.DataFrame) -> pd.Series:
    """Rank difficulties into clusters of significance, within a statistic and kind of information.

    Parameters
    ----------
    rows : DataFrame
        With `difficulty`, `statistic` and `information`.
    value : str
        Column by which difficulties are ranked; higher is better.
    tests : DataFrame
        As `Bench.tests`.

    Returns
    -------
    Series
        Ranks from 1, for statistics in TESTED; NaN for others.
    """
    better = {}
    for test in tests.to_dict("records"):
        higher = test["difficulty"]
        lower = test["other"]
        if not test["difference"] > 0:
            higher, lower = lower, higher
        better[test["statistic"], higher, lower] = test["p_adjusted"]
    ranks = pd.Series(np.nan, rows.index)
    is_tested = np.isfinite(rows[value].astype(float)) & rows.statistic.isin(TESTED)
    key: Any
    for key, group in rows[is_tested].groupby(["statistic", "information"]):
        statistic, _ = key
        names = group.difficulty.tolist()
        p = np.ones((len(names), len(names)))
        for i, first in enumerate(names):
            for j, second in enumerate(names):
                p[i, j] = better.get((statistic, first, second), 1.0)
        order = ranking(group[value].to_numpy(), names)
        ranks[group.index] = clusters(p, order, ALPHA)
    return ranks


def segment_rows(bench: Bench) -> pd.DataFrame:
    """Tabulate segments with human scores (`segments.csv`): mean human score; parameters of an item
    response model; and `estimated`, the mean difficulty over systems by the `estimator`
    of highest DEC that uses no human scores. `place` and `human_place` are the shares of segments
    that are easier by this estimator and by human scores."""
    human = np.nanmean(bench.gold, axis=0)
    frame = pd.DataFrame({"segment": bench.segments, "domain": bench.domains, "human_score": human})
    frame = frame.reindex(columns=TABLES["<set>/estimators/segments.csv"].names())
    with suppress(Missing):
        items = fit_items(bench.gold)
        columns = ("item_difficulty", *PARAMETERS[1:])
        for parameter, column in zip(PARAMETERS, columns, strict=True):
            frame[column] = getattr(items, parameter)
            if parameter != "noise":
                frame[f"{column}_error"] = getattr(items, f"{parameter}_error")
    usable = {}
    for name, estimate in bench.estimates.items():
        observed = bench.resampled(name, DEC)[..., :1]
        value = dec.mean_over_systems(observed)[0]
        if estimate.information != "gold" and np.isfinite(value):
            usable[name] = value
    best = max(usable, key=usable.__getitem__, default="")
    frame["estimator"] = best
    if best:
        frame["estimated"] = np.nanmean(bench.estimates[best].values, axis=0)
        frame["place"] = _share_below(frame["estimated"].to_numpy())
    return frame.assign(human_place=_share_below(-human))


def _share_below(values: np.ndarray) -> np.ndarray:
    """Return the share of the other known values that are below each value; ties count half."""
    others = int(np.count_nonzero(~np.isnan(values))) - 1
    below = pd.Series(values).rank().to_numpy() - 1
    return below / max(others, 1)


def selection_rows(bench: Bench, seed: int) -> pd.DataFrame:
    """Tabulate how well the hardest segments rank systems compared with random segments, for every
    difficulty and budget (columns SELECTION_COLUMNS). Only segments rated for every system are
    used. Rows of stratified samples (by domain and length) have the 95 % range of samples as `low`
    and `high`. Raises `Missing` for fewer than MINIMUM_SEGMENTS segments."""
    complete = np.flatnonzero(np.isfinite(bench.gold).all(axis=0))
    if len(complete) < MINIMUM_SEGMENTS:
        few = f"{len(complete)} segments have human scores of every system"
        raise Missing(f"{few}; a choice of segments needs {MINIMUM_SEGMENTS}")
    judge = selection.Judge(bench.gold[:, complete])
    costs = np.ones(len(complete))
    ties = bench.ties[complete]
    rng = np.random.default_rng([seed, 9])
    all_clusters = judge.clusters(slice(None))
    documents = [bench.documents[segment] for segment in complete] if bench.documents else []
    units = units_of(documents, len(complete), bench.unit)
    resampled = judge.resampled(RESAMPLES, rng, units)
    keys = [bench.domains[complete], bench.lengths[complete]]
    rows: list[Content] = []
    for share in SHARES:
        budget = max(2, int(share * len(complete)))
        random_values = rng.random((selection.DRAWS, len(complete)))
        random_choices = [selection.highest(x, costs, budget) for x in random_values]
        random = judge.agreement(random_choices)
        for name, estimate in bench.estimates.items():
            values = estimate.values[:, complete].mean(axis=0)
            if np.isnan(values).any():  # of some hypotheses alone
                continue
            chosen = _hardest(values, budget, ties, slice(None))
            ends = selection.intervals(resampled, partial(_hardest, values, budget, ties))
            clusters_of_chosen = judge.clusters(chosen)
            for statistic, (value,) in judge.agreement([chosen]).items():
                compared = selection.compared(value, random[statistic])
                low, high = ends[statistic]
                row = {
                    "difficulty": name,
                    "information": estimate.information,
                    "share": share,
                    "chosen": budget,
                    "statistic": statistic,
                    "low": low,
                    "high": high,
                    "clusters": clusters_of_chosen,
                    "clusters_all": all_clusters,
                }
                rows.append(row | compared._asdict())
        samples = [selection.stratified(keys, costs, budget, rng) for _ in range(SAMPLES)]
        for statistic, drawn in judge.agreement(samples).items():
            mean = float(drawn.mean())
            low, high = map(float, np.percentile(drawn, [2.5, 97.5]))
            compared = selection.compared(mean, random[statistic])
            row = {
                "difficulty": STRATIFIED,
                "information": "source",
                "share": share,
                "chosen": budget,
                "statistic": statistic,
                "value": mean,
                "low": low,
                "high": high,
                "random_mean": compared.random_mean,
                "random_low": compared.random_low,
                "random_high": compared.random_high,
                "random_quantile": np.nan,
                "p": np.nan,
                "clusters": np.nan,
                "clusters_all": all_clusters,
            }
            rows.append(row)
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
    result |= dict.fromkeys(("mean", "error", "low", "high", "p", *OTHER_SETS), np.nan)
    if rows.empty:
        return result
    cluster_errors = rows.groupby(list(CLUSTERS))["error"].sum()
    variance_of_sum = (cluster_errors**2).sum()
    mean = float(rows[column].mean())
    error = float(np.sqrt(variance_of_sum)) / len(rows)
    low, high, p = synthesis.interval_of(mean, error)
    if not error > 0:
        p = 1.0 if mean == 0 else 0.0
    result |= {"mean": mean, "error": error, "low": low, "high": high, "p": p}
    with suppress(ValueError):
        labels = [rows[name].to_numpy() for name in CLUSTERS]
        values = rows[column].to_numpy(float)
        errors = rows["error"].to_numpy(float)
        pooled = synthesis.random_effects(values, errors, labels)
        numbers = [
            pooled.effect,
            pooled.low,
            pooled.high,
            pooled.prediction_low,
            pooled.prediction_high,
            pooled.i2,
        ]
        result |= dict(zip(OTHER_SETS, numbers, strict=True))
    return result


def leaderboard(values: pd.DataFrame, comparisons: pd.DataFrame) -> pd.DataFrame:
    """Average statistics over sets (columns LEADERBOARD), sorted by falling gain over source length
    on the same sets. `values` are `Bench.rows` of all sets, with `set`, `campaign` and `pair`;
    `comparisons` come from `compare`."""
    pooled = values[(values.domain == "") & values.statistic.isin(POOLED)]
    rows = []
    for key, group in pooled.groupby(["difficulty", "statistic"], sort=False):
        difficulty, statistic = cast(tuple[str, str], key)
        row = mean_of_sets(group, "value")
        row["difficulty"] = difficulty
        row["statistic"] = statistic
        # The information is "" in sets without this difficulty.
        row["information"] = group.information.max()
        row["value"] = row["mean"]
        row["reason"] = row["reasons"]
        row["sets_without"] = pooled.set.nunique() - row["sets"]
        rows.append(row)
    # Differences to source length with their intervals; 0 for source length itself.
    columns = ["gain", "gain_low", "gain_high"]
    keys = ["statistic", "difficulty"]
    with_length = comparisons[comparisons.difficulty == BASELINE].drop(columns="difficulty")
    with_length = with_length.rename(columns={"other": "difficulty"}).set_index(keys)
    # They are given as source length minus the other difficulty.
    differences = with_length[["difference", "high", "low"]].astype(float)
    gains = -differences.set_axis(columns, axis=1)
    for statistic in TESTED:
        gains.loc[(statistic, BASELINE), :] = 0.0
    added = [*columns, "rank"]
    frame = pd.DataFrame(rows, columns=TABLES["estimators/leaderboard.csv"].names(without=added))
    frame = frame.join(gains, on=keys)
    frame["rank"] = ranks(frame, "gain", comparisons)
    order = frame.statistic.map(POOLED.index)
    frame = frame.assign(statistic_order=order, absent=frame["value"].isna())
    by = ["statistic_order", "absent", "information", "gain", "value", "difficulty"]
    ascending = [column not in ("gain", "value") for column in by]
    return frame.sort_values(by, ascending=ascending)[LEADERBOARD]


def compare(tests: pd.DataFrame) -> pd.DataFrame:
    """Average the differences of every pair of difficulties over sets (columns COMPARISONS).
    `tests` are `Bench.tests` of all sets, with `set`, `campaign` and `pair`. p is from the
    permutation test for one set, normal for several; Holm's correction is over the pairs of a
    statistic (`family`). The verdict says whether the first has the higher mean on these sets."""
    names = ["statistic", "difficulty", "other"]
    rows = []
    for key, group in tests.assign(reason="").groupby(names, sort=False):
        row = mean_of_sets(group, "difference")
        row |= dict(zip(names, key, strict=True))
        row["difference"] = row["mean"]
        used = synthesis.valued(group, "difference")
        if len(used) == 1:
            row["p"] = float(used.p.iloc[0])
        rows.append(row)
    frame = pd.DataFrame(rows, columns=COMPARISONS)
    frame = adjusted(frame, ["statistic"], "by {statistic}")
    words = (HIGHER, LOWER, EQUIVALENT)
    return frame.assign(verdict=synthesis.verdicts(frame, "difference", MARGIN, words))


def summarise_selection(rows: pd.DataFrame) -> pd.DataFrame:
    """Average over sets how well chosen segments rank systems (columns SELECTION): mean value and
    gain over random choices. `rows` are `selection_rows` of all sets, with `set`, `campaign` and
    `pair`. p, two-sided, is from Stouffer's sum of normal scores of the percentiles among random
    choices. Normal scores are first averaged over sets of one campaign and pair, which share texts.
    Holm's correction is over the difficulties of a budget and statistic."""
    keys = ["share", "statistic", "difficulty"]
    table = []
    for key, group in rows.groupby(keys, sort=False):
        row = dict(zip(keys, key, strict=True))
        row["information"] = group.information.iloc[0]
        row["value"] = group["value"].mean()
        row["random_mean"] = group.random_mean.mean()
        row["gain"] = (group["value"] - group.random_mean).mean()
        row["p"] = _stouffer_p(group)
        for name in ("set", *CLUSTERS):
            row[f"{name}s"] = group[name].nunique()
        table.append(row)
    frame = pd.DataFrame(table, columns=SELECTION)
    frame = frame.assign(percent=100 * frame["share"].astype(float))
    frame = adjusted(frame, keys[:2], "by {statistic}, {percent:.0f} % of the segments")[SELECTION]
    p_adjusted = frame["p_adjusted"]
    gain = frame["gain"].astype(float)
    cases = [p_adjusted.isna(), p_adjusted > ALPHA, gain > 0]
    frame["verdict"] = np.select(cases, ["", synthesis.UNKNOWN, BETTER], WORSE)
    return frame.sort_values(["share", "statistic", "gain"], ascending=[True, False, False])


def _stouffer_p(rows: pd.DataFrame) -> float:
    """Return two-sided p from Stouffer's sum over `campaign` and `pair` of the mean normal score of
    `random_quantile`; NaN where one is unknown."""
    from scipy.special import ndtr, ndtri

    if not rows.random_quantile.notna().all():
        return np.nan
    least = 0.5 / selection.DRAWS
    quantiles = np.clip(rows.random_quantile.to_numpy(), least, 1 - least)
    scored = rows.assign(score=ndtri(quantiles))
    means = scored.groupby(list(CLUSTERS))["score"].mean()
    z = means.sum() / np.sqrt(len(means))
    return float(2 * ndtr(-abs(z)))
