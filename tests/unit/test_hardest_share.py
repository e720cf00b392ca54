"""Rankings on the hardest segments, and on random ones."""

import numpy as np
import pytest

from mt_difficulty.page import hardest_share
from mt_difficulty.page.segment_difficulties import Difficulty
from mt_difficulty.weighting.base import WeightedMetric


def random_scores(rng, systems=4, segments=60):
    """A metric that is a mean of random scores, and their difficulty."""
    statistics = rng.normal(size=(systems, segments, 1)) + 0.2 * np.arange(systems)[:, None, None]
    one = WeightedMetric(lambda sums, weights: sums[..., 0] / weights, statistics)
    values = np.tile(rng.random(segments), (systems, 1))
    return one, Difficulty("d", "segment", False, values)


def test_intervals_are_those_of_random_subsets_of_the_same_size():
    rng = np.random.default_rng(3)
    one, difficulty = random_scores(rng)
    gold, order = np.arange(4.0), np.arange(4)
    found = hardest_share.describe([difficulty], {"m": one}, None, gold, order)
    (scores,) = found["scores"]
    # All segments have one ranking and one r.
    assert scores["random"][0] == [[rank, rank] for rank in scores["ranks"][0][0]]
    assert scores["random_r"][0] == [scores["r"][0][0]] * 2
    place = found["counts"].index(12)
    drawn = np.array(
        [one.statistics[:, rng.permutation(60)[:12], 0].mean(axis=1) for _ in range(20_000)]
    )
    r = [np.corrcoef(row, gold)[0, 1] for row in drawn]
    assert scores["random_r"][place] == pytest.approx(np.quantile(r, [0.025, 0.975]), abs=0.08)
    ranks = 1 + (drawn[:, None, :] > drawn[:, :, None]).sum(axis=2)
    expected = np.quantile(ranks, [0.025, 0.975], axis=0).T
    assert np.abs(np.array(scores["random"][place]) - expected).max() <= 1
    again = hardest_share.describe([difficulty], {"m": one}, None, gold, order)
    assert again == found


def test_a_system_without_a_human_score_on_the_hardest_segments_has_no_rank():
    one, difficulty = random_scores(np.random.default_rng(4))
    people = np.random.default_rng(5).random((4, 60))
    hardest = np.argsort(-difficulty.values[0])
    people[2, hardest[:12]] = np.nan
    found = hardest_share.describe([difficulty], {"m": one}, people, np.empty(0), np.arange(4))
    human = found["scores"][0]
    place = found["counts"].index(12)
    assert human["ranks"][0][place][2] is None
    assert sorted(rank for rank in human["ranks"][0][place] if rank) == [1, 2, 3]
    assert None not in human["ranks"][0][0]
    assert human["r"] == human["random_r"] == []


def test_segments_of_unknown_difficulty_are_left_out_first():
    one, difficulty = random_scores(np.random.default_rng(6))
    values = difficulty.values.copy()
    values[:, :30] = np.nan
    unknown = difficulty._replace(values=values)
    found = hardest_share.describe([unknown], {"m": one}, None, np.empty(0), np.arange(4))
    place = found["counts"].index(30)
    means = one.statistics[:, 30:, 0].mean(axis=1)
    ranks = [1 + int((means > mean).sum()) for mean in means]
    assert found["scores"][0]["ranks"][0][place] == ranks


def test_without_a_difficulty_or_a_score_there_is_nothing_to_rank():
    one, difficulty = random_scores(np.random.default_rng(7))
    gold, order = np.arange(4.0), np.arange(4)
    assert hardest_share.describe([], {"m": one}, None, gold, order) is None
    assert hardest_share.describe([difficulty], {}, None, gold, order) is None
