"""A bench of difficulty estimators: on one evaluation set, values with intervals, tests between all
pairs and the set's segments; over sets, mean DEC, differences of pairs and ranks.

Over sets two questions have two intervals. Of the mean over the sets at hand: 95 % normal intervals
from the sets' bootstrap errors, those of sets that share texts added as if they were one. Of other
sets like these: the random-effects mean of `synthesis`, which needs more sets.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..data.score_files import perfect_score
from ..difficulty.item_response import PARAMETERS, fit_items
from ..errors import Missing
from . import dec
from .changes import MARGIN, family
from .intervals import holm
from .metric_tests import clusters, ranking
from .nulls import length_deciles
from .resampling import interval
from .synthesis import CLUSTERS, random_effects, verdict

if TYPE_CHECKING:
    import pandas as pd

    from ..data.evalset import EvaluationSet

DEC, WITHIN = "dec", "dec_within_length"
# What is computed of every difficulty, in the order of results.
STATISTICS = {
    DEC: "Kendall's τ-b between difficulty and negated human score, mean over systems",
    WITHIN: "the same within tenths of the set by source length, mean over tenths",
    "dec_pearson": "Pearson's r in the place of τ-b",
    "dec_partial_length": "partial rank correlation given source length",
    "average_score": f"mean human score of the hardest {dec.BUDGET:.0%} of the segments",
    "perfect": f"share of perfect translations among the hardest {dec.BUDGET:.0%}",
}
# Those that are tested between all pairs, those of every system, and those of means over sets.
TESTED = (DEC, WITHIN)
BY_SYSTEM = (DEC, "dec_pearson")
POOLED = (DEC, WITHIN, "dec_pearson", "dec_partial_length")
COLUMNS = [
    *("difficulty", "information", "domain", "statistic", "value", "low", "high"),
    *("error", "systems_low", "systems_high", "both_low", "both_high", "chance", "rank"),
    *("segments", "hypotheses", "reason"),
]
SYSTEM_COLUMNS = ["difficulty", "system", "statistic", "value", "low", "high", "segments"]
TEST_COLUMNS = [
    *("statistic", "difficulty", "other", "value", "other_value", "difference", "low", "high"),
    *("error", "p", "p_adjusted", "hypotheses"),
]
SEGMENT_COLUMNS = [
    *("segment", "domain", "human_score", "item_difficulty", "item_difficulty_error"),
    *("discrimination", "discrimination_error", "noise", "estimator", "estimated", "place"),
    *("human_place",),
]
OTHERS = ("others", "others_low", "others_high", "prediction_low", "prediction_high", "i2")
LEADERBOARD = [
    *("information", "difficulty", "statistic", "rank", "gain", "gain_low", "gain_high"),
    *("value", "low", "high", *OTHERS, "sets", "campaigns", "pairs", "sets_without", "reason"),
]
COMPARISONS = [
    *("statistic", "difficulty", "other", "difference", "low", "high", "p", "p_adjusted"),
    *("family", "verdict", *OTHERS, "sets", "campaigns", "pairs"),
]
HIGHER, LOWER = "higher", "lower"
EQUIVALENT = f"no difference larger than {MARGIN}"
NO_SOURCE = "there is no source text, and no source length"
OF_TOKENS = "a difficulty of tokens"
CONSTANT = "it has one value for all hypotheses with human scores, or none"
UNDEFINED = {
    "dec_partial_length": "source length leaves nothing of it",
    WITHIN: "it varies in less than half of the tenths of the systems",
}
NO_PERFECT = "the scale of the human scores has no perfect score"
EQUAL = "human scores of every system are equal, or difficulties are infinite"
LEVEL = 0.05
# What every difficulty is compared with: characters of the source. No name of a config has a space.
BASELINE = "source length"


class Estimate(NamedTuple):
    """A difficulty of a set: values (systems, segments), NaN where a hypothesis has none, and what
    it was estimated from (`difficulty.base.INFORMATION`)."""

    values: np.ndarray
    information: str


class Bench:
    """Difficulties of one evaluation set, judged by its human scores of segments.

    Parameters
    ----------
    found : EvaluationSet
    estimates : dict of str to Estimate
        Source length comes before them, as BASELINE.
    absent : dict of str to str
        Why the set has not other ones.
    resamples : int
        Bootstrap resamples of the segments; half as many permutations, of which each counts in both
        directions.
    seed : int
    threads : int
        Results do not depend on them.

    Raises
    ------
    Missing
        The set has no human scores of segments, or no source text.
    """

    def __init__(
        self,
        found: EvaluationSet,
        estimates: Mapping[str, Estimate],
        absent: Mapping[str, str],
        resamples: int,
        seed: int,
        threads: int = 1,
    ) -> None:
        found.require_segment_gold()
        if not found.source:
            raise Missing(NO_SOURCE)
        people = np.array(found.segment_gold, dtype=float)
        lengths = np.array([len(text) for text in found.source], dtype=float)
        rated = np.isfinite(people).any(axis=0)
        perfect = perfect_score(found.segment_gold_name or found.gold_name)
        judged = dec.Judged(people, lengths, length_deciles(lengths), perfect)
        self.judged, self.threads, self.systems = judged.only(rated), threads, found.systems
        length = Estimate(np.broadcast_to(lengths, people.shape), "source")
        estimates = {BASELINE: length, **estimates}
        domains = np.array(found.domains or [""] * len(rated))
        self.domains = domains[rated]
        self.absent = dict(absent)
        self.estimates = {
            name: each._replace(values=each.values[:, rated]) for name, each in estimates.items()
        }
        for name, each in list(self.estimates.items()):
            judged_values = each.values[dec.judged_cases(each.values, self.judged.people)]
            if name != BASELINE and (judged_values == judged_values[:1]).all():
                self.absent[name] = CONSTANT
                del self.estimates[name]
        segments, rng = int(rated.sum()), np.random.default_rng([seed, 0])
        self.counts = dec.resample_counts(segments, resamples, rng)
        self.masks = dec.exchange_masks(segments, -(-resamples // 2), rng)
        drawn = rng.integers(len(people), size=(resamples, len(people)))
        self._drawn = (drawn[:, :, None] == np.arange(len(people))).sum(axis=1)
        self._kept: dict[tuple[str, str], np.ndarray] = {}

    def resampled(self, name: str, statistic: str) -> np.ndarray:
        """A statistic by system and group on the segments as they are and on resamples, (systems,
        groups, 1 + resamples)."""
        if (name, statistic) not in self._kept:
            values = self.estimates[name].values
            self._kept[name, statistic] = self._compute(statistic, values, self.judged)
        return self._kept[name, statistic]

    def mean(self, name: str, statistic: str) -> float:
        """A statistic, mean over systems."""
        return float(dec.mean_over_systems(self.resampled(name, statistic)[..., :1])[0])

    def _compute(self, statistic: str, values: np.ndarray, judged: dec.Judged) -> np.ndarray:
        people, counts, threads = judged.people, self.counts, self.threads
        if statistic == DEC:
            return dec.taus(values, people, counts, threads=threads)
        if statistic == WITHIN:
            found = dec.taus(values, people, counts, judged.deciles, threads)
            # Of few tenths in which a difficulty varies, their mean would not be that of the set.
            varied = np.isfinite(found[..., 0]).mean()
            return found if varied >= 0.5 else np.full_like(found, np.nan)
        if statistic == "dec_pearson":
            return dec.correlations(values, people, counts, threads)
        if statistic == "dec_partial_length":
            return dec.partial_correlations(values, judged, counts, threads)
        return dec.hardest_scores(values, self._scored(statistic), counts)

    def _scored(self, statistic: str) -> np.ndarray:
        """What is averaged over the hardest segments: human scores, or whether they are perfect."""
        people, perfect = self.judged.people, self.judged.perfect
        if statistic == "average_score":
            return people
        return np.where(np.isnan(people + perfect), np.nan, people == perfect)

    def rows(self) -> pd.DataFrame:
        """COLUMNS of every difficulty, statistic and domain."""
        import pandas as pd

        # Clusters of significance among the difficulties that use the same information.
        ranks = {}
        groups = {name: each.information for name, each in self.estimates.items()}
        for statistic in TESTED:
            known_values = {name: self.mean(name, statistic) for name in self.estimates}
            tests = self.tests[self.tests.statistic == statistic]
            ranks[statistic] = ranked(known_values, groups, tests)
        people, domains = self.judged.people, np.unique(self.domains)
        rows: list[list] = []
        for name, each in self.estimates.items():
            head = [name, each.information]
            there = dec.judged_cases(each.values, people)
            for statistic in STATISTICS:
                values = self._summary(self.resampled(name, statistic))
                numbers = *values, self._chance(statistic, there)
                rank = ranks.get(statistic, {}).get(name, np.nan)
                size = [int(there.any(axis=0).sum()), int(there.sum())]
                reason = UNDEFINED.get(statistic, EQUAL) if np.isnan(values[0]) else ""
                if reason and statistic == "perfect" and np.isnan(self.judged.perfect):
                    reason = NO_PERFECT
                rows.append([*head, "", statistic, *numbers, rank, *size, reason])
            if len(domains) < 2:
                continue
            of_domain = np.searchsorted(domains, self.domains)
            taus = dec.taus(each.values, people, self.counts, of_domain, self.threads)
            for place, domain in enumerate(domains):
                cases = there[:, of_domain == place]
                values = self._summary(taus[:, place : place + 1])
                size = [int(cases.any(axis=0).sum()), int(cases.sum())]
                reason = EQUAL if np.isnan(values[0]) else ""
                rows.append([*head, str(domain), DEC, *values, 0.0, np.nan, *size, reason])
        empty: list = [np.nan] * (len(COLUMNS) - 5)
        rows += [[name, "", "", DEC, *empty, reason] for name, reason in self.absent.items()]
        return pd.DataFrame(rows, columns=COLUMNS)

    def _chance(self, statistic: str, there: np.ndarray) -> float:
        """What a difficulty that knows nothing would have: 0, or the mean over all segments."""
        if statistic not in ("average_score", "perfect"):
            return 0.0
        scores = np.where(there, self._scored(statistic), np.nan)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.nansum(scores, axis=1) / np.isfinite(scores).sum(axis=1)
        return float(np.nanmean(means)) if np.isfinite(means).any() else np.nan

    def _summary(self, values: np.ndarray) -> list[float]:
        """Value, interval and error over segments, intervals over systems and over both."""
        means = dec.mean_over_systems(values)
        if not np.isfinite(means[0]):
            return [np.nan] * 8
        resampled = means[1:]
        constant = np.broadcast_to(values[..., :1], (*values.shape[:2], len(resampled)))
        of_systems = dec.mean_over_systems(constant, self._drawn)
        both = dec.mean_over_systems(values[..., 1:], self._drawn)
        ends = [map(float, interval(each)) for each in (resampled, of_systems, both)]
        (low, high), *others = [list(each) for each in ends]
        known = resampled[np.isfinite(resampled)]
        error = float(known.std(ddof=1)) if known.size > 1 else np.nan
        return [float(means[0]), low, high, error, *others[0], *others[1]]

    def system_rows(self) -> pd.DataFrame:
        """SYSTEM_COLUMNS of every difficulty and system."""
        import pandas as pd

        rows = []
        for name in self.estimates:
            cases = dec.judged_cases(self.estimates[name].values, self.judged.people).sum(axis=1)
            for statistic in BY_SYSTEM:
                found = self.resampled(name, statistic)[:, 0]
                lows, highs = interval(found[:, 1:].T)
                parts = zip(self.systems, found[:, 0], lows, highs, cases, strict=True)
                rows += [[name, system, statistic, *rest] for system, *rest in parts]
        return pd.DataFrame(rows, columns=SYSTEM_COLUMNS)

    @cached_property
    def tests(self) -> pd.DataFrame:
        """TEST_COLUMNS of every pair of difficulties, on the hypotheses that have both: p by paired
        permutation, adjusted by Holm's method over the pairs of a statistic."""
        import pandas as pd

        rows = [
            self._test(statistic, *pair)
            for statistic in TESTED
            for pair in combinations(self.estimates, 2)
        ]
        found = pd.DataFrame(rows, columns=TEST_COLUMNS)
        found["p_adjusted"] = found["p_adjusted"].astype(float)
        for _, own in found.groupby("statistic"):
            found.loc[own.index, "p_adjusted"] = holm(own["p"].to_numpy())
        return found

    def _test(self, statistic: str, name: str, other: str) -> list:
        one, two = (self.estimates[each].values for each in (name, other))
        people = self.judged.people
        groups = self.judged.deciles if statistic == WITHIN else None
        found = dec.exchange_test(one, two, people, self.masks, groups, self.threads)
        difference = self._on_common(statistic, name, other) - self._on_common(
            statistic, other, name
        )
        if np.isnan(difference[0]):
            found = dec.Exchange(np.nan, np.nan, np.nan, found.cases)
        low, high = map(float, interval(difference[1:]))
        error = float(np.nanstd(difference[1:], ddof=1)) if np.isfinite(low) else np.nan
        head = [statistic, name, other, found.value, found.other, found.value - found.other]
        return [*head, low, high, error, found.p, np.nan, found.cases]

    def _on_common(self, statistic: str, name: str, other: str) -> np.ndarray:
        """A difficulty's statistic on resamples of the hypotheses that have the other one, too."""
        values, absent = self.estimates[name].values, np.isnan(self.estimates[other].values)
        if not (absent & dec.judged_cases(values, self.judged.people)).any():
            return dec.mean_over_systems(self.resampled(name, statistic))
        own = np.where(absent, np.nan, values)
        return dec.mean_over_systems(self._compute(statistic, own, self.judged))


def ranked(
    values: Mapping[str, float], groups: Mapping[str, str], tests: pd.DataFrame
) -> dict[str, int]:
    """Ranks of clusters of significance within each group, from 1; none of an undefined value.
    Values and groups are by difficulty; `tests`, of one statistic, have `difficulty`, `other`,
    `difference` and `p_adjusted`."""
    better = {}
    for row in tests.to_dict("records"):
        pair = (row["difficulty"], row["other"])
        better[pair if row["difference"] > 0 else pair[::-1]] = row["p_adjusted"]
    found: dict[str, int] = {}
    for group in dict.fromkeys(groups.values()):
        own = [name for name in values if groups[name] == group and np.isfinite(values[name])]
        p = np.array([[better.get((one, two), 1.0) for two in own] for one in own])
        order = ranking(np.array([values[name] for name in own]), own)
        found |= zip(own, map(int, clusters(p, order, LEVEL)), strict=True)
    return found


def segment_rows(bench: Bench, segments: np.ndarray) -> pd.DataFrame:
    """A row for each segment with human scores: what people say of it by an item response model,
    beside what a difficulty estimator expects of it; `segments` are their numbers in the set, from
    1.

    Returns
    -------
    DataFrame
        SEGMENT_COLUMNS. `human_score` is the mean; then the parameters of the item response model
        of human scores, on their scale; `estimated`, the mean difficulty over systems by the
        `estimator` of highest DEC of those that use no human scores; `place` and `human_place`, the
        shares of segments that are easier by it, and by people. NaN where there is no such value.
    """
    import pandas as pd

    people = bench.judged.people
    frame = pd.DataFrame({"segment": segments, "domain": bench.domains})
    frame["human_score"] = np.nanmean(people, axis=0)
    try:
        items = fit_items(people)
    except Missing:
        items = None
    named = dict(zip(PARAMETERS, ("item_difficulty", *PARAMETERS[1:]), strict=True))
    for parameter, column in named.items():
        frame[column] = getattr(items, parameter) if items else np.nan
        if parameter != "noise":
            frame[f"{column}_error"] = getattr(items, f"{parameter}_error") if items else np.nan
    known = {name: bench.mean(name, DEC) for name in bench.estimates}
    usable = [
        name
        for name, value in known.items()
        if bench.estimates[name].information != "gold" and np.isfinite(value)
    ]
    best = max(usable, key=lambda name: known[name], default="")
    frame["estimator"], frame["estimated"], frame["place"] = best, np.nan, np.nan
    if best:
        estimated = np.nanmean(bench.estimates[best].values, axis=0)
        frame["estimated"], frame["place"] = estimated, _places(estimated)
    frame["human_place"] = _places(-frame["human_score"].to_numpy())
    return frame[SEGMENT_COLUMNS]


def _places(values: np.ndarray) -> np.ndarray:
    """Share of the others that are smaller, ties count half; NaN does not count."""
    from scipy.stats import rankdata

    others = np.count_nonzero(~np.isnan(values)) - 1
    return (rankdata(values, nan_policy="omit") - 1) / max(others, 1)


def mean_of_sets(rows: pd.DataFrame, column: str) -> dict[str, Any]:
    """Mean over sets of values with an `error`, `set`, `campaign` and `pair`. Sets of one campaign
    and pair share texts: their errors add up as if they were fully correlated.

    Returns
    -------
    dict
        `mean` over the sets at hand, its standard `error`, 95 % interval (`low`, `high`) and
        two-sided `p` of 0; OTHERS, of the random-effects mean, if there are two sets; the numbers
        of `sets`, `campaigns` and `pairs` with a value. NaN where no set has one.
    """
    from scipy.special import ndtr, ndtri

    rows = known(rows, column)
    result: dict[str, Any] = dict.fromkeys(("mean", "error", "low", "high", "p", *OTHERS), np.nan)
    result |= {f"{name}s": rows[name].nunique() for name in ("set", *CLUSTERS)}
    if rows.empty:
        return result
    mean = float(rows[column].mean())
    of_texts = rows.groupby(list(CLUSTERS))["error"].sum()
    error = float(np.sqrt(np.square(of_texts).sum())) / len(rows)
    half = float(ndtri((1 + 0.95) / 2)) * error
    p = float(2 * ndtr(-abs(mean) / error)) if error > 0 else float(mean == 0)
    result |= {"mean": mean, "error": error, "low": mean - half, "high": mean + half, "p": p}
    try:
        values, errors = rows[column].to_numpy(float), rows["error"].to_numpy(float)
        pooled = random_effects(values, errors, [rows[name].to_numpy() for name in CLUSTERS])
    except ValueError:
        return result
    fields = ("mean", "low", "high", *OTHERS[3:])
    return result | {name: getattr(pooled, of) for name, of in zip(OTHERS, fields, strict=True)}


def known(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    """Rows with a value and its error, of which means are made."""
    return rows[np.isfinite(rows[column]) & np.isfinite(rows["error"])]


def leaderboard(values: pd.DataFrame, comparisons: pd.DataFrame) -> pd.DataFrame:
    """LEADERBOARD, by statistic, information and falling gain over source length on the same
    sets; from rows of `Bench.rows` of all sets, with `set`, `campaign` and `pair`, and the rows
    of `compare`."""
    import pandas as pd

    # Differences to source length with their intervals; its own is 0.
    gains = {(statistic, BASELINE): [0.0, 0.0, 0.0] for statistic in TESTED}
    for row in comparisons[comparisons["difficulty"] == BASELINE].to_dict("records"):
        ends = [-row["difference"], -row["high"], -row["low"]]
        gains[row["statistic"], row["other"]] = ends
    whole = values[(values.domain == "") & values.statistic.isin(POOLED)]
    rows = []
    for key, group in whole.groupby(["difficulty", "statistic"], sort=False):
        difficulty, statistic = map(str, key)
        mean, used = mean_of_sets(group, "value"), known(group, "value")
        # A set that has no such difficulty does not say what it is made from.
        facts = used if len(used) else group
        gain = gains.get((statistic, difficulty), [np.nan] * 3)
        reasons = group.loc[group.reason != "", "reason"].value_counts()
        rows.append(
            mean
            | dict(zip(("gain", "gain_low", "gain_high"), gain, strict=True))
            | {
                "information": facts.information.iloc[0],
                "difficulty": difficulty,
                "statistic": statistic,
                "value": mean["mean"],
                "sets_without": whole.set.nunique() - len(used),
                "reason": "; ".join(f"{count} × {reason}" for reason, count in reasons.items()),
            }
        )
    frame = pd.DataFrame(rows, columns=LEADERBOARD)
    for statistic in TESTED:
        of_statistic = frame.statistic == statistic
        known_gains = frame[of_statistic].set_index("difficulty")
        tests = comparisons[comparisons.statistic == statistic]
        ranks = ranked(dict(known_gains["gain"]), dict(known_gains["information"]), tests)
        frame.loc[of_statistic, "rank"] = frame.difficulty[of_statistic].map(ranks)
    frame["rank"] = frame["rank"].astype(float)
    order = {name: place for place, name in enumerate(POOLED)}
    keys = frame.assign(place=frame.statistic.map(order), by=-frame.gain, then=-frame["value"])
    keys = keys.sort_values(["place", "information", "by", "then", "difficulty"], kind="stable")
    return keys[LEADERBOARD]


def compare(tests: pd.DataFrame) -> pd.DataFrame:
    """Mean differences of every pair of difficulties, COMPARISONS; from rows of `Bench.tests` of
    all sets, with `set`, `campaign` and `pair`.

    p of one set is that of its permutation test, of several sets a normal one; adjusted by Holm's
    method over the pairs of a statistic, as `family` says. The verdict, as in `synthesis.verdict`,
    is of the first difficulty, on the sets at hand.
    """
    import pandas as pd

    rows = []
    names = ["statistic", "difficulty", "other"]
    for key, group in tests.groupby(names, sort=False):
        mean, used = mean_of_sets(group, "difference"), known(group, "difference")
        p = float(used.p.iloc[0]) if len(used) == 1 else mean["p"]
        of_pair = dict(zip(names, key, strict=True))
        rows.append(mean | of_pair | {"difference": mean["mean"], "p": p})
    frame = pd.DataFrame(rows, columns=COMPARISONS)
    frame["p_adjusted"], frame["family"] = frame["p_adjusted"].astype(float), ""
    for statistic, group in frame[frame["p"].notna()].groupby("statistic"):
        frame.loc[group.index, "p_adjusted"] = holm(group["p"].to_numpy(float))
        frame.loc[group.index, "family"] = family(len(group), f"by {statistic}")
    words = HIGHER, LOWER, EQUIVALENT
    frame["verdict"] = [
        verdict(row["difference"], row["low"], row["high"], row["p_adjusted"], MARGIN, words)
        for row in frame.to_dict("records")
    ]
    return frame
