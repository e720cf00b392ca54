"""A bench of difficulty estimators on one evaluation set: values with intervals, and tests between
all pairs of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..data.score_files import perfect_score
from ..errors import Missing
from . import dec
from .classical_tests import holm
from .metric_tests import clusters, ranking
from .nulls import length_deciles
from .resampling import interval

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
# Those that are tested between all pairs.
TESTED = (DEC, WITHIN)
BY_SYSTEM = (DEC, "dec_pearson")
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
NO_SOURCE = "there is no source text, and no source length"
OF_TOKENS = "a difficulty of tokens"
CONSTANT = "it has one value for all hypotheses with human scores, or none"
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

        ranks = self._ranks()
        rows: list[list] = []
        for name, each in self.estimates.items():
            head = [name, each.information]
            there = dec.judged_cases(each.values, self.judged.people)
            for statistic in STATISTICS:
                values = self._summary(self.resampled(name, statistic))
                chance = self._chance(statistic, there)
                size = [int(there.any(axis=0).sum()), int(there.sum())]
                rank = ranks.get((statistic, name), np.nan)
                reason = "" if np.isfinite(values[0]) else self._undefined(statistic)
                rows.append([*head, "", statistic, *values, chance, rank, *size, reason])
            rows += [[*head, *row] for row in self._domain_rows(each.values, there)]
        empty: list = [np.nan] * (len(COLUMNS) - 5)
        rows += [[name, "", "", DEC, *empty, reason] for name, reason in self.absent.items()]
        return pd.DataFrame(rows, columns=COLUMNS)

    def _domain_rows(self, values: np.ndarray, there: np.ndarray) -> Iterator[list]:
        """DEC within each domain, if there are two."""
        if len(names := np.unique(self.domains)) < 2:
            return
        groups = np.searchsorted(names, self.domains)
        found = dec.taus(values, self.judged.people, self.counts, groups, self.threads)
        for place, domain in enumerate(names):
            own = there[:, groups == place]
            summary = self._summary(found[:, place : place + 1])
            size = [int(own.any(axis=0).sum()), int(own.sum())]
            reason = "" if np.isfinite(summary[0]) else self._undefined(DEC)
            yield [str(domain), DEC, *summary, 0.0, np.nan, *size, reason]

    def _undefined(self, statistic: str) -> str:
        if statistic == "perfect" and np.isnan(self.judged.perfect):
            return "the scale of the human scores has no perfect score"
        if statistic == "dec_partial_length":
            return "source length leaves nothing of it"
        if statistic == WITHIN:
            return "it varies in less than half of the tenths of the systems"
        return "human scores of every system are equal, or difficulties are infinite"

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

    def _ranks(self) -> dict[tuple[str, str], int]:
        """Clusters of significance among the difficulties that use the same information."""
        found: dict[tuple[str, str], int] = {}
        for statistic in TESTED:
            values = {
                name: float(dec.mean_over_systems(self.resampled(name, statistic)[..., :1])[0])
                for name in self.estimates
            }
            groups = {name: each.information for name, each in self.estimates.items()}
            ranks = ranked(values, groups, self.tests[self.tests.statistic == statistic])
            found |= {(statistic, name): rank for name, rank in ranks.items()}
        return found


def ranked(
    values: Mapping[str, float], groups: Mapping[str, str], tests: pd.DataFrame
) -> dict[str, int]:
    """Ranks of clusters of significance within each group, from 1; none of an undefined value.

    Parameters
    ----------
    values, groups : dict of str to float, to str
        By difficulty.
    tests : DataFrame
        With `difficulty`, `other`, `difference` and `p_adjusted`, of one statistic.
    """
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
