"""Tests between all metrics and weightings of a set, and the ranks that follow."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from ..metrics.base import Metric
from ..statistics.acc_eq import AccEq
from ..weighting.base import WeightedMetric
from . import metric_tests, resampling, segment_tests, soft_accuracy
from .set_scores import Key

Head = tuple[str, str, str]  # level, statistic and grouping
COLUMNS = [
    *("level", "statistic", "grouping", "metric", "weighting", "other", "other_weighting"),
    *("difference", "p"),
]


class Draws(NamedTuple):
    """How many resamples are drawn, and the seed."""

    resamples: int
    seed: int

    def generator(self, *place: int) -> np.random.Generator:
        """Random numbers of one test."""
        return np.random.default_rng([self.seed, *place])


class Tested(NamedTuple):
    """Tests of the same keys; `heads` say what the statistics are."""

    heads: list[Head]
    keys: list[Key]
    tests: metric_tests.Tests

    def without(self, head: Head) -> Tested:
        """The same without one statistic."""
        kept = [place for place, each in enumerate(self.heads) if each != head]
        tests = metric_tests.Tests(self.tests.value[kept], self.tests.p[kept])
        return Tested([self.heads[place] for place in kept], self.keys, tests)


def of_systems(
    weighted: dict[Key, WeightedMetric],
    gold: np.ndarray,
    people: np.ndarray | None,
    draws: Draws,
) -> Tested:
    """PERM-BOTH of system scores; of SPA by a normal approximation of its p-values.

    Parameters
    ----------
    weighted : dict of (metric, weighting) to WeightedMetric
        Of the same systems and segments, two segments or more.
    gold : ndarray, (systems,)
    people : ndarray, (systems, rated segments), optional
        Human scores of the same segments, which all systems have; None leaves SPA out.
    draws : Draws
    """
    metrics = list(weighted.values())
    scale = np.array([one.segment_scale for one in metrics])[:, :, None]
    mean, deviation = scale[:, 0], scale[:, 1]
    halves = resampling.random_halves(metrics, draws.resamples, draws.generator(5))
    first, second, share = halves
    observed = np.array([one.observed_quality() for one in metrics])
    tests = metric_tests.system_tests(
        (observed - mean) / deviation,
        (first - mean[..., None]) / deviation[..., None],
        (second - mean[..., None]) / deviation[..., None],
        share,
        gold,
        None if people is None else _soft(metrics, people, deviation, draws),
    )
    heads = [("system", name, "") for name in metric_tests.SYSTEM]
    return Tested(heads, list(weighted), tests)


def with_values(tested: Tested, head: Head, values: dict[Key, float]) -> Tested:
    """One statistic of some tests, with the values that are printed elsewhere."""
    place = tested.heads.index(head)
    found = np.array([[values[key] for key in tested.keys]])
    tests = metric_tests.Tests(found, tested.tests.p[place : place + 1])
    return Tested([head], tested.keys, tests)


def _soft(
    metrics: list[WeightedMetric], people: np.ndarray, deviation: np.ndarray, draws: Draws
) -> metric_tests.Soft:
    """What tests of SPA need beside scores."""
    gold = WeightedMetric.standard(Metric, people[:, :, None])
    influence = np.array([one.influence() for one in metrics]) / deviation[..., None]
    return metric_tests.Soft(soft_accuracy.p_values(gold, *draws), influence)


def of_segments(
    scores: dict[Key, np.ndarray], people: np.ndarray, draws: Draws, statistics: Collection[str]
) -> Iterator[Tested]:
    """Tests of segment scores: of pairwise accuracy, without and with tie calibration, and of
    Pearson's r.

    Parameters
    ----------
    scores : dict of (metric, weighting) to ndarray, (systems, segments)
        Higher is better.
    people : ndarray, (systems, segments)
        NaN where there is no human score.
    draws : Draws
    statistics : collection of str
        Those of the run; others are not tested.
    """
    keys, values = list(scores), np.array(list(scores.values()))
    for place, name in enumerate(("acc23", "acc_eq")):
        if name not in statistics:
            continue
        epsilon = np.zeros(len(keys))
        if name == "acc_eq":
            epsilon = AccEq().calibrated(values, people).epsilon
        tests = segment_tests.comparison_tests(
            values, people, epsilon, draws.resamples, draws.generator(6, place)
        )
        yield Tested([("segment", name, "item")], keys, tests)
    if "segment_pearson" not in statistics:
        return
    heads = [("segment", "segment_pearson", each) for each in segment_tests.CORRELATIONS]
    tests = segment_tests.correlation_tests(values, people, draws.resamples, draws.generator(7))
    yield Tested(heads, keys, tests)


def ranks_and_rows(
    tested: Iterable[Tested], statistics: Collection[str]
) -> tuple[dict[tuple[Head, Key], int], list[list]]:
    """Ranks of clusters by what they are of and key, and rows with COLUMNS.

    Parameters
    ----------
    tested : iterable of Tested
    statistics : collection of str
        Those of the run; others are left out.
    """
    ranks: dict[tuple[Head, Key], int] = {}
    rows: list[list] = []
    for heads, keys, tests in tested:
        names = [" ".join(key) for key in keys]
        for head, values, p in zip(heads, tests.value, tests.p, strict=True):
            if head[1] in statistics:
                order = metric_tests.ranking(values, names)
                of_head = zip(keys, metric_tests.clusters(p, order), values, strict=True)
                ranks |= {(head, key): rank for key, rank, value in of_head if not np.isnan(value)}
                ordered = [keys[i] for i in order]
                rows += _rows(head, ordered, values[order], p[order][:, order])
    return ranks, rows


def _rows(head: Head, keys: list[Key], values: np.ndarray, p: np.ndarray) -> Iterator[list]:
    """A row for each pair of keys, the better one first."""
    for one in range(len(keys)):
        for other in range(one + 1, len(keys)):
            difference = values[one] - values[other]
            yield [*head, *keys[one], *keys[other], difference, p[one, other]]
