"""How well the metrics of a set agree with people, by the statistics of the WMT metrics task: of
systems and of segments, by domain, and without outliers; with intervals, tests and ranks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from ..data.evalset import EvaluationSet
from ..statistics import STATISTICS, evaluate, of_scores
from ..statistics.acc_eq import AccEq
from ..weighting.base import WeightedMetric
from . import resampling
from .agreement_tests import (
    Draws,
    Head,
    of_segments,
    of_systems,
    ranks_and_rows,
    with_values,
)
from .counted import MEAN, PLAIN, STANDARD, baseline
from .set_scores import Key, SetScores
from .soft_accuracy import MINIMUM_SEGMENTS, bootstrap_soft_accuracy, p_value_statistics
from .subsets import without_outliers

if TYPE_CHECKING:
    from ..statistics.base import SegmentStatistic

COLUMNS = [
    *("level", "subset", "domain", "statistic", "grouping", "metric", "weighting", "value"),
    *("low", "high", "difference", "difference_low", "difference_high", "epsilon", "segments"),
    *("rank", "left_out", "reason"),
]
ALL = "all"
SPA: Head = ("system", "soft_accuracy", "")
NOT_OF_SEGMENTS = "a weighting of segments has no segment scores of its own: they are the metric's"
NO_SEGMENT_SCORES = "only system scores are stored"
UNDEFINED = "constant or undefined scores"


class Part(NamedTuple):
    """Some systems and segments of a set.

    Attributes
    ----------
    subset, domain : str
        What the table says of them.
    chosen : ndarray of int
        The systems.
    segments : ndarray of int
        Places among the segments that count.
    gold : ndarray, (systems,)
    left_out : str
        Names of the other systems.
    """

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


class Interval(NamedTuple):
    """Of SPA, and of its difference to that of the unweighted metric; NaN where there is none."""

    low: float = np.nan
    high: float = np.nan
    difference_low: float = np.nan
    difference_high: float = np.nan


class Agreement:
    """The metrics of a set beside people.

    Parameters
    ----------
    scores : SetScores
    found : EvaluationSet
        With human scores.
    statistics : sequence of str
        Of the registry.
    resamples : int
        Of intervals and tests.
    seed : int
    """

    def __init__(
        self,
        scores: SetScores,
        found: EvaluationSet,
        statistics: Sequence[str],
        resamples: int,
        seed: int,
    ) -> None:
        self._scores, self._found, self._statistics = scores, found, list(statistics)
        self._resamples, self._seed = resamples, seed
        self._weighted = scores.of(np.arange(len(found.systems)))
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
        ranks, tests = self._tests(whole, spa)
        intervals, table = self._intervals(), []
        for part, rows in parts:
            for row in rows:
                of_row, is_whole = (row.head, row.key), part is whole
                ends = intervals[row.key] if is_whole and row.head == SPA else Interval()
                other = spa.get(baseline(row.key[0], self._weighted), np.nan)
                difference = row.value - other if np.isfinite(ends.difference_low) else np.nan
                rank = ranks.get(of_row, np.nan) if is_whole else np.nan
                level, *rest = row.head
                count = self._rated(part).size if row.head == SPA else len(part.segments)
                table.append(
                    [
                        *(level, part.subset, part.domain, *rest, *row.key, row.value),
                        *(ends.low, ends.high, difference, *ends[2:], row.epsilon, count),
                        *(rank, part.left_out, row.reason),
                    ]
                )
        return table, tests

    def _parts(self) -> Iterator[Part]:
        """The whole set, the set without outliers, and its domains."""
        found, gold = self._found, np.array(self._found.gold)
        everything, segments = np.arange(len(gold)), np.arange(len(self._scores.counted))
        yield Part(ALL, "", everything, segments, gold)
        for subset, chosen, left_out in without_outliers(found.systems, gold, found.outliers):
            yield Part(subset, "", chosen, segments, gold[chosen], left_out)
        domains = np.array(found.domains)[self._scores.counted] if found.domains else segments[:0]
        names = dict.fromkeys(domains.tolist())
        for name in names if len(names) > 1 and self._people.size else ():
            inside = np.flatnonzero(domains == name)
            yield Part(ALL, name, everything, inside, self._domain_gold(name, inside))

    def _domain_gold(self, name: str, segments: np.ndarray) -> np.ndarray:
        """The archive's human scores of a domain, or else the means of those of its segments."""
        if name in self._found.domain_gold:
            return np.array(self._found.domain_gold[name], dtype=float)
        rated = np.isfinite(self._people[:, segments])
        total = np.where(rated, self._people[:, segments], 0.0).sum(axis=1)
        with np.errstate(invalid="ignore"):
            return total / rated.sum(axis=1)

    def _system_rows(self, part: Part, missing: dict[Key, str]) -> Iterator[Row]:
        """Statistics of system scores of a part."""
        names = of_scores(self._statistics)
        weighted = dict(self._of_part(part))
        for key, one in weighted.items():
            values = evaluate(names, one.observed_quality(), part.gold)
            for name, value in zip(names, values, strict=True):
                reason = missing.get(key, UNDEFINED) if np.isnan(value) else ""
                yield Row(("system", name, ""), key, value, reason)
        people = self._people[part.chosen][:, part.segments] if self._people.size else self._people
        found = p_value_statistics(
            self._statistics,
            weighted,
            people,
            self._resamples,
            self._seed,
            self._found.no_segment_gold,
        )
        names = [name for name in self._statistics if STATISTICS[name].reads == "p_values"]
        for key, (values, why) in found.items():
            for name, value in zip(names, values, strict=True):
                reason = (why or missing.get(key, UNDEFINED)) if np.isnan(value) else ""
                yield Row(("system", name, ""), key, value, reason)

    def _of_part(self, part: Part) -> Iterator[tuple[Key, WeightedMetric]]:
        """Metrics under weightings on a part; of a domain those that have segment scores."""
        whole = len(part.segments) == len(self._scores.counted)
        for key, one in self._weighted.items():
            if one.statistics.shape[1] == len(self._scores.counted):
                yield key, one.select(part.chosen, part.segments)
            elif whole:
                yield key, one.select(part.chosen)

    def _segment_rows(self, part: Part) -> Iterator[Row]:
        """Statistics of segment scores of a part; nothing without human scores of segments."""
        names = [name for name in self._statistics if STATISTICS[name].level == "segment"]
        if not self._people.size:
            yield from self._refused_rows(part, names)
            return
        people = self._people[part.chosen][:, part.segments]
        for name in names:
            statistic = cast("SegmentStatistic", STATISTICS[name]())
            for grouping in statistic.groupings:
                head = ("segment", name, grouping)
                for key, values in self._of_segments.items():
                    scores = values[part.chosen][:, part.segments]
                    value, epsilon = _value(statistic, scores, people, grouping)
                    yield Row(head, key, value, UNDEFINED * bool(np.isnan(value)), epsilon)
                if part.domain == "" and part.subset == ALL:
                    yield from self._without_segment_scores(head)

    def _refused_rows(self, part: Part, names: list[str]) -> Iterator[Row]:
        """Rows with the reason where human scores of segments do not belong to the texts."""
        if not self._found.segment_gold_doubt or part.domain or part.subset != ALL:
            return
        for name in names:
            for grouping in cast("SegmentStatistic", STATISTICS[name]()).groupings:
                for key in self._of_segments:
                    head = ("segment", name, grouping)
                    yield Row(head, key, np.nan, self._found.no_segment_gold)

    def _without_segment_scores(self, head: Head) -> Iterator[Row]:
        """Rows of what has no segment scores, with the reason."""
        for key in self._weighted:
            stands_in = key[1] == STANDARD and (key[0], MEAN) in self._of_segments
            if key not in self._of_segments and not stands_in:
                weighs = key[1] not in PLAIN and baseline(key[0], self._weighted) in self._weighted
                yield Row(head, key, np.nan, NOT_OF_SEGMENTS if weighs else NO_SEGMENT_SCORES)

    def _intervals(self) -> defaultdict[Key, Interval]:
        """95 % bootstrap intervals of SPA over segments, of human scores too; weights are held."""
        found: defaultdict[Key, Interval] = defaultdict(Interval)
        rated = self._rated(next(self._parts()))
        if SPA[1] not in self._statistics or len(rated) < MINIMUM_SEGMENTS:
            return found
        of_counted = self._of_segments_that_count().items()
        weighted = {key: one.select(segments=rated) for key, one in of_counted}
        rng = np.random.default_rng([self._seed, 0])
        weights = resampling.bootstrap_weights(len(rated), self._resamples, rng)
        people = self._people[:, rated]
        draws = {
            key: bootstrap_soft_accuracy(
                resampling.resampled_scores(one, weights)[None],
                one.influence()[None],
                people,
                weights,
            )[0]
            for key, one in weighted.items()
        }
        for key, own in draws.items():
            found[key] = Interval(*map(float, resampling.interval(own)))
            other = baseline(key[0], draws)
            if key[1] not in PLAIN and other in draws:
                ends = map(float, resampling.interval(own - draws[other]))
                found[key] = Interval(*found[key][:2], *ends)
        return found

    def _rated(self, part: Part) -> np.ndarray:
        """Segments of a part, as places among those that count, that people rated for every one
        of its systems."""
        if not self._people.size:
            return np.array([], dtype=int)
        people = self._people[part.chosen][:, part.segments]
        return part.segments[np.isfinite(people).all(axis=0)]

    def _tests(
        self, whole: Part, spa: dict[Key, float]
    ) -> tuple[dict[tuple[Head, Key], int], list[list]]:
        """Ranks by what a row is of and key, and rows of tests; SPA, whose values are given, is
        tested on the segments that are rated for every system."""
        weighted, rated = self._of_segments_that_count(), self._rated(whole)
        draws, found = Draws(self._resamples, self._seed), []
        enough, same = len(rated) >= MINIMUM_SEGMENTS, len(rated) == len(whole.segments)
        people = self._people[:, rated] if enough else None
        if weighted:
            tested = of_systems(weighted, whole.gold, people if same else None, draws)
            found.append(tested.without(SPA))
            if enough and not same:
                on_rated = {key: one.select(segments=rated) for key, one in weighted.items()}
                tested = of_systems(on_rated, whole.gold, people, draws)
            if enough and SPA[1] in self._statistics:
                found.append(with_values(tested, SPA, spa))
        if self._people.size and self._of_segments:
            found += of_segments(self._of_segments, self._people, draws, self._statistics)
        return ranks_and_rows(found, self._statistics)

    def _of_segments_that_count(self) -> dict[Key, WeightedMetric]:
        """Metrics under weightings that have segment scores, of two segments or more."""
        counted = len(self._scores.counted)
        return {
            key: one
            for key, one in self._weighted.items()
            if one.statistics.shape[1] == counted > 1
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


def _value(
    statistic: Any, scores: np.ndarray, people: np.ndarray, grouping: str
) -> tuple[float, float]:
    """A statistic of segment scores, and its tie threshold; NaN for one that has none."""
    if isinstance(statistic, AccEq):
        found = statistic.calibrated(scores, people)
        return float(found.value), float(found.epsilon)
    return float(statistic(scores, people, grouping)), np.nan
