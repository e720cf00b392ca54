"""Leaving segments out, against doing so one by one."""

import naive
import numpy as np
import pytest
from scipy import stats

from mt_difficulty.evidence.resampling import influence
from mt_difficulty.metrics import METRICS
from mt_difficulty.metrics.base import Metric
from mt_difficulty.weighting.base import WeightedMetric
from mt_difficulty.weighting.tokens import Tokens

SYSTEMS, SEGMENTS = 6, 15


def make(kind, seed):
    """Statistics that the metric can have, and entropies."""
    rng = np.random.default_rng(seed)
    if kind == "bleu":
        counts = np.sort(rng.integers(1, 20, (SYSTEMS, SEGMENTS, 4)), axis=2)[..., ::-1]
        matched = np.floor(counts * rng.random(counts.shape))
        lengths = np.stack([counts[..., 0], rng.integers(1, 20, (SYSTEMS, SEGMENTS))], axis=-1)
        statistics = np.concatenate([lengths, matched, counts], axis=-1).astype(float)
    else:
        statistics = rng.random((SYSTEMS, SEGMENTS, 1 if kind == "chrf" else 2))
    return statistics, rng.random((SYSTEMS, SEGMENTS)), rng.random(SYSTEMS)


AGGREGATES = {name: METRICS[name] for name in ("bleu", "chrf", "ter")} | {"DA": Tokens()}


@pytest.mark.parametrize("kind", AGGREGATES)
@pytest.mark.parametrize("ee", [False, True])
def test_scores_are_those_of_the_other_segments(kind, ee):
    statistics, entropy, _ = make(kind, 1)
    metric, w = AGGREGATES[kind], 0.3
    difficult = entropy >= 0.6
    weighted = WeightedMetric(metric.aggregate, statistics)
    weighted = weighted.in_groups(difficult, w) if ee else weighted
    found = weighted.quality_without_each_segment()
    for segment in range(SEGMENTS):
        others = np.delete(statistics, segment, axis=1)
        if ee:
            others_entropy = np.delete(entropy, segment, axis=1)
            expected = naive.ee_scores(metric, others, others_entropy, 0.6, w)
        else:
            expected = naive.standard_scores(metric, others)
        np.testing.assert_allclose(found[:, segment], expected, rtol=1e-10)


def test_a_system_without_the_last_segment_of_a_group_has_no_score():
    statistics = np.ones((2, 3, 1))
    difficult = np.array([[True, False, False], [True, True, False]])
    weighted = WeightedMetric.standard(METRICS["chrf"], statistics).in_groups(difficult, 0.5)
    found = weighted.quality_without_each_segment()
    assert np.isnan(found).tolist() == [[True, False, False], [False, False, True]]


@pytest.mark.parametrize("kind", ["bleu", "chrf"])
def test_ranks_and_correlations_change_as_scipy_says(kind):
    statistics, _, gold = make(kind, 2)
    metric = METRICS[kind]
    scores = naive.standard_scores(metric, statistics)
    found = influence(WeightedMetric.standard(metric, statistics), gold)
    before = stats.rankdata(-scores, method="min")
    np.testing.assert_array_equal(found.ranks, before)
    moved = 0
    for segment in range(SEGMENTS):
        others = np.delete(statistics, segment, axis=1)
        without = naive.standard_scores(metric, others)
        changes = stats.rankdata(-without, method="min") - before
        np.testing.assert_array_equal(found.changes[:, segment], changes)
        moved += np.abs(changes).sum()
        for name, test in (
            ("pearson", stats.pearsonr),
            ("kendall", stats.kendalltau),
            ("spearman", stats.spearmanr),
        ):
            expected = test(without, gold)[0] - test(scores, gold)[0]
            assert getattr(found.correlations, name)[segment] == pytest.approx(expected, abs=1e-12)
    assert moved > 0


def test_equal_systems_keep_equal_ranks_whatever_rounding_does():
    row = np.random.default_rng(3).random((1, 50, 1))
    order = np.random.default_rng(4).permutation(50)
    # The same scores in another order have another sum in the last digits.
    statistics = np.concatenate([row, row[:, order], row / 2])
    weighted = WeightedMetric.standard(METRICS["chrf"], statistics)
    found = influence(weighted, np.array([3.0, 2.0, 1.0]))
    assert found.ranks.tolist() == [1, 1, 3]
    # Of equal segments too, whichever is left out.
    thirds = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.2, 0.2, 0.2]])[..., None]
    found = influence(WeightedMetric(Metric.aggregate, thirds), np.array([3.0, 2.0, 1.0]))
    assert found.ranks.tolist() == [1, 1, 1]
    assert found.changes[:, 1].tolist() == [0, 0, 0]


def test_a_score_that_is_missing_leaves_no_influence():
    statistics = np.array([[3.0, 3, 0], [1, 2, 3], [2, 1, 0]])[..., None]
    difficult = np.array([[False, True, False], [True, True, False], [True, True, False]])
    weighted = WeightedMetric(Metric.aggregate, statistics).in_groups(difficult, 0.0)
    found = influence(weighted, np.array([3.0, 2.0, 1.0]))
    assert found.ranks.tolist() == [1, 2, 2]
    # Without the first segment the others score 2 and 1; without the second the first has none.
    assert found.changes[:, 0].tolist() == [0, 0, 1]
    assert np.isnan(found.changes[:, 1]).all()
    assert np.isnan(found.correlations.pearson).tolist() == [False, True, False]
    assert found.correlations.spearman[0] == pytest.approx(1 - np.sqrt(3) / 2)
