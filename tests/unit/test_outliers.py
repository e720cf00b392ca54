"""Outliers by MAD and few effective segments, by hand."""

import numpy as np

from mt_difficulty.evidence import effective, outliers
from mt_difficulty.metrics.base import Metric
from mt_difficulty.weighting.base import WeightedMetric


def test_outliers_by_scaled_deviation():
    """Median 3, MAD 1.483 · 1: beyond 3.7 from the median."""
    gold = np.array([1.0, 2, 3, 4, 6.6, 6.8, 2.5, 3.5, 3])
    assert outliers.deviates(gold).tolist() == [False] * 5 + [True] + [False] * 3
    names = list("abcdefghi")
    listed, by_deviation = outliers.without_outliers(names, gold, ["a"])
    assert (listed.subset, listed.left_out) == ("without outliers", "a")
    assert (by_deviation.subset, by_deviation.left_out) == ("without outliers (MAD)", "f")
    assert by_deviation.chosen.tolist() == [0, 1, 2, 3, 4, 6, 7, 8]


def test_equal_scores_have_no_outliers():
    assert not outliers.deviates(np.array([1.0, 1, 1, 1, 9])).any()


def test_few_effective_segments_and_small_groups_are_told():
    difficult = np.zeros((2, 400), dtype=bool)
    difficult[0, :4] = difficult[1, :200] = True
    plain = WeightedMetric(Metric.aggregate, np.zeros((2, 400, 1)))
    one = plain.in_groups(difficult, 0.5)
    # Kish: 1 / (0.5² / 4 + 0.5² / 396) = 15.8.
    few, small = effective.notices("EE", one, ["a", "b"])
    assert few == "EE leaves fewer than 100 effective segments (Kish) of 400: a 16."
    assert small.endswith("by chance: a 4.")
    assert not list(effective.notices("standard", plain, ["a", "b"]))
