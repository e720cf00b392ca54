"""How well the metrics of a set agree with people, by the statistics of the WMT metrics task: of
systems and of segments, by domain, and without outliers; with intervals, tests and ranks. And means
over the sets of a run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from ..data.evalset import EvaluationSet
from ..metrics.base import Metric
from ..statistics import STATISTICS, evaluate, of_scores
from ..statistics.acc_eq import AccEq
from ..weighting.base import WeightedMetric
from . import metric_tests, resampling
from .counted import MEAN, PLAIN, STANDARD, baseline
from .set_scores import Key, SetScores
from .soft_accuracy import (
    MINIMUM_SEGMENTS,
    bootstrap_soft_accuracy,
    p_value_statistics,
    p_values,
)
from .subsets import without_outliers

if TYPE_CHECKING:
    import pandas as pd

    from ..statistics.base import SegmentStatistic

COLUMNS = [
    *("level", "subset", "domain", "statistic", "grouping", "metric", "weighting", "value"),
    *("low", "high", "difference", "difference_low", "difference_high", "epsilon", "segments"),
    *("rank", "left_out", "reason"),
]
TESTS = [
    *("level", "statistic", "grouping", "metric", "weighting", "other", "other_weighting"),
    *("difference", "p"),
]
Head = tuple[str, str, str]  # level, statistic and grouping
HEAD, KEY = ["level", "statistic", "grouping"], ["metric", "weighting"]
AVERAGES = [
    *("group_by", "group", *HEAD, *KEY),
    *("sets", "mean", "weighted_mean", "mean_rank"),
]
ALL = "all"
SPA: Head = ("system", "soft_accuracy", "")
NO_INTERVAL: tuple[float, ...] = (np.nan,) * 4
NOT_OF_SEGMENTS = "a weighting of segments has no segment scores of its own: they are the metric's"
NO_SEGMENT_SCORES = "only system scores are stored"
UNDEFINED = "constant or undefined scores"
LEVEL = 0.05
EXPLAINED = f"""\
The metrics of a set in order of decreasing statistic: rank, value, and a matrix. The sign in a
metric's row and the column of a lower metric says whether it agrees significantly better with human
scores (>) or not (=), or that there is no p (?): one-sided permutation test (PERM-BOTH), p <=
{LEVEL}, not adjusted for the number of comparisons. A new rank begins where a metric of the
previous rank is significantly better."""


class Part(NamedTuple):
    """Some systems, `chosen` by index, and segments, by place among those that count, of a set;
    `subset` and `domain` are what the table says of them, `left_out` names the other systems."""

    subset: str
    domain: str
    chosen: np.ndarray
    segments: np.ndarray
    gold: np.ndarray
    left_out: str = ""


class Row(NamedTuple):
    """A value; what it is of stands in `head`: level, statistic and grouping."""

    head: Head
    key: Key
    value: float
    reason: str = ""
    epsilon: float = np.nan


class Tested(NamedTuple):
    """Tests of one statistic between keys: values (keys,), and one-sided p (keys, keys)."""

    keys: list[Key]
    value: np.ndarray
    p: np.ndarray


class Agreement:
    """The metrics of a set with human scores beside people; `resamples` are those of intervals and
    tests."""

    def __init__(
        self,
        scores: SetScores,
        found: EvaluationSet,
        statistics: Sequence[str],
        resamples: int,
        seed: int,
    ) -> None:
        self._scores, self._found, self._statistics = scores, found, list(statistics)
        self._resamples, self._seed, self._size = resamples, seed, len(scores.counted)
        self._weighted = scores.of(np.arange(len(found.systems)))
        # Those that have scores of the segments that count, of two or more.
        self._of_counted = {
            key: one
            for key, one in self._weighted.items()
            if one.statistics.shape[1] == self._size > 1
        }
        segment_gold = np.array(found.segment_gold, dtype=float)
        self._people = segment_gold[:, scores.counted] if segment_gold.size else segment_gold
        self._of_segments = dict(segment_scores(scores, self._weighted))

    def rows(self, missing: dict[Key, str]) -> tuple[list[list], list[list]]:
        """Rows of the two tables, as COLUMNS and TESTS.

        Parameters
        ----------
        missing : dict of (metric, weighting) to str
            Why others have no scores.
        """
        parts = [
            (part, [*self._system_rows(part, missing), *self._segment_rows(part)])
            for part in self._parts()
        ]
        whole, of_whole = parts[0]
        spa = {row.key: row.value for row in of_whole if row.head == SPA}
        ranks, tests, table = {}, [], []
        for head, (keys, values, p) in self._tests(whole, spa).items():
            order = metric_tests.ranking(values, [" ".join(key) for key in keys])
            for key, rank, value in zip(keys, metric_tests.clusters(p, order), values, strict=True):
                if not np.isnan(value):
                    ranks[head, key] = rank
            for place, one in enumerate(order):  # a row for each pair, the better one first
                for other in order[place + 1 :]:
                    numbers = values[one] - values[other], p[one, other]
                    tests.append([*head, *keys[one], *keys[other], *numbers])
        intervals = self._intervals(self._rated(whole))
        for part, rows in parts:
            rated = self._rated(part).size
            for head, key, value, reason, epsilon in rows:
                ends, rank = NO_INTERVAL, np.nan
                if part is whole:
                    rank = ranks.get((head, key), np.nan)
                    ends = intervals.get(key, ends) if head == SPA else ends
                difference = np.nan
                if np.isfinite(ends[2]):
                    difference = value - spa.get(baseline(key[0], self._weighted), np.nan)
                count = rated if head == SPA else len(part.segments)
                table.append(
                    [
                        *(head[0], part.subset, part.domain, *head[1:], *key, value),
                        *(*ends[:2], difference, *ends[2:], epsilon, count),
                        *(rank, part.left_out, reason),
                    ]
                )
        return table, tests

    def _parts(self) -> Iterator[Part]:
        """The whole set, the set without outliers, and its domains."""
        found, gold, people = self._found, np.array(self._found.gold), self._people
        everything, segments = np.arange(len(gold)), np.arange(self._size)
        yield Part(ALL, "", everything, segments, gold)
        for subset, chosen, left_out in without_outliers(found.systems, gold, found.outliers):
            yield Part(subset, "", chosen, segments, gold[chosen], left_out)
        domains = np.array(found.domains)[self._scores.counted] if found.domains else segments[:0]
        names = dict.fromkeys(domains.tolist())
        for name in names if len(names) > 1 and people.size else ():
            inside = np.flatnonzero(domains == name)
            if name in found.domain_gold:
                of_domain = np.array(found.domain_gold[name], dtype=float)
            else:  # means of the segments' scores
                rated = np.isfinite(people[:, inside])
                total = np.where(rated, people[:, inside], 0.0).sum(axis=1)
                with np.errstate(invalid="ignore"):
                    of_domain = total / rated.sum(axis=1)
            yield Part(ALL, name, everything, inside, of_domain)

    def _system_rows(self, part: Part, missing: dict[Key, str]) -> Iterator[Row]:
        """Statistics of system scores of a part; of a domain of metrics with segment scores."""
        weighted = {}
        for key, one in self._weighted.items():
            if one.statistics.shape[1] == self._size:
                weighted[key] = one.select(part.chosen, part.segments)
            elif len(part.segments) == self._size:
                weighted[key] = one.select(part.chosen)
        names = of_scores(self._statistics)
        for key, one in weighted.items():
            values = evaluate(names, one.observed_quality(), part.gold)
            for name, value in zip(names, values, strict=True):
                reason = missing.get(key, UNDEFINED) if np.isnan(value) else ""
                yield Row(("system", name, ""), key, value, reason)
        found = p_value_statistics(
            self._statistics,
            weighted,
            self._people_of(part),
            self._resamples,
            self._seed,
            self._found.no_segment_gold,
        )
        names = [name for name in self._statistics if STATISTICS[name].reads == "p_values"]
        for key, (values, why) in found.items():
            for name, value in zip(names, values, strict=True):
                reason = (why or missing.get(key, UNDEFINED)) if np.isnan(value) else ""
                yield Row(("system", name, ""), key, value, reason)

    def _people_of(self, part: Part) -> np.ndarray:
        """Human scores of a part's segments, of size 0 where there are none."""
        if not self._people.size:
            return self._people
        return self._people[part.chosen][:, part.segments]

    def _segment_rows(self, part: Part) -> Iterator[Row]:
        """Statistics of segment scores of a part; nothing without human scores of segments, but the
        reason where these do not belong to the texts."""
        people, whole = self._people_of(part), part.domain == "" and part.subset == ALL
        for name in self._statistics:
            if STATISTICS[name].level != "segment":
                continue
            statistic = cast("SegmentStatistic", STATISTICS[name]())
            for grouping in statistic.groupings:
                head = ("segment", name, grouping)
                if not people.size:
                    if whole and self._found.segment_gold_doubt:
                        for key in self._of_segments:
                            yield Row(head, key, np.nan, self._found.no_segment_gold)
                    continue
                for key, values in self._of_segments.items():
                    scores, epsilon = values[part.chosen][:, part.segments], np.nan
                    if isinstance(statistic, AccEq):
                        value, epsilon = map(float, statistic.calibrated(scores, people)[:2])
                    else:
                        value = float(statistic(scores, people, grouping))
                    yield Row(head, key, value, UNDEFINED * bool(np.isnan(value)), epsilon)
                if whole:
                    yield from self._without_segment_scores(head)

    def _without_segment_scores(self, head: Head) -> Iterator[Row]:
        """Rows of what has no segment scores, with the reason."""
        for key in self._weighted:
            stands_in = key[1] == STANDARD and (key[0], MEAN) in self._of_segments
            if key not in self._of_segments and not stands_in:
                weighs = key[1] not in PLAIN and baseline(key[0], self._weighted) in self._weighted
                yield Row(head, key, np.nan, NOT_OF_SEGMENTS if weighs else NO_SEGMENT_SCORES)

    def _rated(self, part: Part) -> np.ndarray:
        """Segments of a part, as places among those that count, that people rated for every one
        of its systems."""
        people = self._people_of(part)
        return part.segments[np.isfinite(people).all(axis=0)] if people.size else part.segments[:0]

    def _intervals(self, rated: np.ndarray) -> dict[Key, tuple[float, ...]]:
        """95 % bootstrap intervals of SPA over segments, of human scores too, and of its difference
        to that of the unweighted metric; weights are held."""
        if SPA[1] not in self._statistics or len(rated) < MINIMUM_SEGMENTS:
            return {}
        rng, people = np.random.default_rng([self._seed, 0]), self._people[:, rated]
        weights = resampling.bootstrap_weights(len(rated), self._resamples, rng)
        draws = {}
        for key, whole in self._of_counted.items():
            one = whole.select(segments=rated)
            scores = resampling.resampled_scores(one, weights)
            (draws[key],) = bootstrap_soft_accuracy(
                scores[None], one.influence()[None], people, weights
            )
        found: dict[Key, tuple[float, ...]] = {}
        for key, own in draws.items():
            ends: list[np.ndarray] = [*resampling.interval(own)]
            other = baseline(key[0], draws)
            if key[1] not in PLAIN and other in draws:
                ends += resampling.interval(own - draws[other])
            found[key] = (*map(float, ends), *NO_INTERVAL[len(ends) :])
        return found

    def _tests(self, whole: Part, spa: dict[Key, float]) -> dict[Head, Tested]:
        """Tests of the run's statistics by what they are of; SPA, whose values are given, is tested
        on the segments that are rated for every system."""
        weighted, rated = self._of_counted, self._rated(whole)
        enough, same = len(rated) >= MINIMUM_SEGMENTS, len(rated) == len(whole.segments)
        people, tests = self._people[:, rated] if enough else None, {}
        if weighted:
            tests = self._of_systems(weighted, whole.gold, people if same else None)
            soft = tests.pop(SPA)
            if enough and not same:
                on_rated = {key: one.select(segments=rated) for key, one in weighted.items()}
                soft = self._of_systems(on_rated, whole.gold, people)[SPA]
            if enough and SPA[1] in self._statistics:
                tests[SPA] = soft._replace(value=np.array([spa[key] for key in soft.keys]))
        if self._people.size and self._of_segments:
            keys, values = list(self._of_segments), np.array(list(self._of_segments.values()))
            for place, name in enumerate(("acc23", "acc_eq")):
                if name in self._statistics:
                    epsilon = np.zeros(len(keys))
                    if name == "acc_eq":
                        epsilon = AccEq().calibrated(values, self._people).epsilon
                    rng = np.random.default_rng([self._seed, 6, place])
                    drawn = epsilon, self._resamples, rng
                    found = metric_tests.comparison_tests(values, self._people, *drawn)
                    tests["segment", name, "item"] = Tested(keys, found.value[0], found.p[0])
            if "segment_pearson" in self._statistics:
                rng = np.random.default_rng([self._seed, 7])
                found = metric_tests.correlation_tests(values, self._people, self._resamples, rng)
                for grouping, *of in zip(metric_tests.CORRELATIONS, *found, strict=True):
                    tests["segment", "segment_pearson", grouping] = Tested(keys, *of)
        return {head: tested for head, tested in tests.items() if head[1] in self._statistics}

    def _of_systems(
        self, weighted: dict[Key, WeightedMetric], gold: np.ndarray, people: np.ndarray | None
    ) -> dict[Head, Tested]:
        """PERM-BOTH of system scores; of SPA by a normal approximation of its p-values, with human
        scores, (systems, segments), of the metrics' segments."""
        metrics = list(weighted.values())
        scale = np.array([one.segment_scale for one in metrics])[:, :, None]
        mean, deviation = scale[:, 0], scale[:, 1]
        rng = np.random.default_rng([self._seed, 5])
        first, second, share = resampling.random_halves(metrics, self._resamples, rng)
        gold_p = influence = None
        if people is not None:
            human = WeightedMetric.standard(Metric, people[:, :, None])
            gold_p = p_values(human, self._resamples, self._seed)
            influence = np.array([one.influence() for one in metrics]) / deviation[..., None]
        found = metric_tests.system_tests(
            (np.array([one.observed_quality() for one in metrics]) - mean) / deviation,
            (first - mean[..., None]) / deviation[..., None],
            (second - mean[..., None]) / deviation[..., None],
            share,
            gold,
            gold_p,
            influence,
        )
        return {
            ("system", name, ""): Tested(list(weighted), *of)
            for name, *of in zip(metric_tests.SYSTEM, *found, strict=True)
        }


def segment_scores(
    scores: SetScores, weighted: dict[Key, WeightedMetric]
) -> Iterator[tuple[Key, np.ndarray]]:
    """Scores of the segments that count by metric and, of weightings of tokens, weighting,
    (systems, segments); higher is better."""
    for key in scores.keys:
        if key == baseline(key[0], scores.keys):
            found = scores.segment_quality(key[0])
            if found.shape[1] == len(scores.counted) > 0:
                yield key, found
        elif scores.weighs_tokens(key[1]):
            one = weighted[key]
            yield key, one.quality(one.columns)


def rank_tables(agreement: pd.DataFrame, tests: pd.DataFrame) -> str:
    """Ranks of metrics and which differences are significant, as the WMT metrics task prints them:
    a text with a table for every statistic that has tests.

    Parameters
    ----------
    agreement, tests : DataFrame
        As `agreement.csv` and `metric_tests.csv`.
    """
    whole = agreement[(agreement.subset == ALL) & (agreement.domain == "")]
    parts = [EXPLAINED]
    for head, pairs in tests.groupby(HEAD, sort=False):
        rows = whole[(whole[HEAD] == list(head)).all(axis=1)]
        rows = rows[rows["rank"].notna()]
        better, other = _names(pairs), _names(pairs, "other", "other_weighting")
        p = dict(zip(zip(better, other, strict=True), pairs.p, strict=True))
        known = dict(zip(_names(rows), rows[["rank", "value"]].to_numpy(), strict=True))
        order = [key for key in dict.fromkeys([*better, *other]) if key in known]
        width = max((len(key) for key in order), default=0)
        lines = [" ".join(filter(None, map(str, head)))]
        for place, key in enumerate(order):
            below = [p[key, lower] for lower in order[place + 1 :]]
            signs = [">" if test <= LEVEL else "=" if test > LEVEL else "?" for test in below]
            rank, value = known[key]
            matrix = " ".join(["."] * (place + 1) + signs)
            lines.append(f"{key:<{width}} {rank:>3.0f} {value:10.7f}  {matrix}")
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _names(frame: pd.DataFrame, metric: str = "metric", weighting: str = "weighting") -> list[str]:
    names = zip(frame[metric], frame[weighting], strict=True)
    return [name if under == STANDARD else f"{name}, {under}" for name, under in names]


def year_of(campaign: str) -> str:
    """The year in a campaign's name, such as 2023 of wmt23.sent; the name where it has none."""
    found = re.match(r"wmt(\d\d)(?!\d)", campaign)
    return f"20{found[1]}" if found else campaign


def shared_name(metric: str, reference: str) -> str:
    """The name of a stored metric that sets with other references share: `chrF-ref` of
    `chrF-refB`, and any other name as it is."""
    return re.sub(rf"-{re.escape(reference)}\Z", "-ref", metric) if reference else metric


def averages(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Averages over evaluation sets, as the WMT metrics task makes them of its tasks, over the sets
    of every group.

    Parameters
    ----------
    tables : sequence of DataFrame
        `agreement.csv` of each set, with metrics under names that sets share, and with `set`,
        `year`, `gold` and `pair`.

    Returns
    -------
    DataFrame
        With AVERAGES. A row is of a metric and weighting that has a value in every set of the group
        that has the statistic; `mean` weighs its sets alike, `weighted_mean` the years alike and
        within a year the sets. `mean_rank` is of ranks of clusters; NaN for domains, which have
        none.
    """
    import pandas as pd

    if not tables:
        return pd.DataFrame(columns=AVERAGES)
    table = pd.concat(tables, ignore_index=True)
    table = table[(table.subset == ALL) & table.value.notna()]
    # The mean of segment scores as `standard` where that has no value, as SPA and statistics of
    # segments: there it is what `standard` is in a set where the two do not differ.
    place = ["set", "domain", *HEAD, "metric"]
    standard = table[table.weighting == STANDARD].set_index(place).index
    alone = (table.weighting == MEAN) & ~table.set_index(place).index.isin(standard)
    table = table.assign(weighting=table.weighting.mask(alone, STANDARD), all=ALL)
    found = []
    for group_by in ("all", "year", "gold", "pair", "domain"):
        part = table[(table.domain != "") == (group_by == "domain")]
        for (group, *head), rows in part.groupby([group_by, *HEAD], sort=False):
            years = rows.groupby("set").year.first()
            weights = 1 / years.map(years.value_counts())
            for key, of_key in rows.groupby(KEY, sort=False):
                if of_key.set.nunique() == len(years):
                    weight = of_key.set.map(weights)
                    weighted = (of_key.value * weight).sum() / weight.sum()
                    numbers = len(years), of_key.value.mean(), weighted, of_key["rank"].mean()
                    found.append([group_by, group, *head, *key, *numbers])
    return pd.DataFrame(found, columns=AVERAGES)
