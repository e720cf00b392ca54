"""EE against loops written from the paper's Eq. 4 to 11."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mt_difficulty.metrics import METRICS
from mt_difficulty.weighting import groups as group_weighting
from mt_difficulty.weighting.base import WeightedMetric

values = st.floats(0, 1, width=32)
entropies = arrays(float, st.tuples(st.integers(1, 4), st.integers(1, 9)), elements=values)


def ee_scores(kind, statistics, difficult, w):
    plain = WeightedMetric.standard(METRICS[kind], statistics)
    return plain.in_groups(difficult, w).scores()


@given(entropies, st.floats(0, 1), st.floats(0, 1), st.randoms(use_true_random=False))
def test_mean_metrics_follow_eq_4_and_6(entropy, h, w, random):
    scores = np.array([[random.random() for _ in row] for row in entropy])
    found = (
        WeightedMetric.standard(METRICS["chrf"], scores[:, :, None])
        .in_groups(entropy >= h, w)
        .scores()
    )
    for system in range(len(entropy)):
        hard = [i for i, value in enumerate(entropy[system]) if value >= h]
        easy = [i for i, value in enumerate(entropy[system]) if value < h]
        if (not hard and w < 1) or (not easy and w > 0):
            assert np.isnan(found[system])
            continue
        total = sum((1 - w) / len(hard) * scores[system][i] for i in hard)
        total += sum(w / len(easy) * scores[system][i] for i in easy)
        assert found[system] == pytest.approx(total, abs=1e-12)


@given(st.integers(0, 10**6), st.floats(0.01, 0.99))
def test_corpus_metrics_follow_eq_7(seed, w):
    rng = np.random.default_rng(seed)
    statistics = np.sort(rng.integers(0, 20, (3, 12, 10)), axis=2)[..., ::-1].astype(float)
    entropy = rng.random((3, 12))
    found = (
        WeightedMetric.standard(METRICS["bleu"], statistics).in_groups(entropy >= 0.5, w).scores()
    )
    for system in range(3):
        parts = [
            statistics[system][entropy[system] < 0.5],
            statistics[system][entropy[system] >= 0.5],
        ]
        assume(all(len(part) for part in parts))
        easy, hard = (
            METRICS["bleu"].aggregate(part.sum(axis=0), np.array(len(part))) for part in parts
        )
        assert found[system] == pytest.approx(w * easy + (1 - w) * hard)


@given(entropies)
def test_standard_score_is_the_mean(scores):
    found = WeightedMetric.standard(METRICS["chrf"], scores[:, :, None]).scores()
    np.testing.assert_allclose(found, scores.mean(axis=1), atol=1e-12)


@pytest.mark.parametrize(("w", "group"), [(0.0, 1), (1.0, 0)])
def test_a_group_of_weight_zero_need_not_exist(w, group):
    entropy = np.full((1, 2), float(group))
    found = (
        WeightedMetric.standard(METRICS["chrf"], np.array([[[1.0], [3.0]]]))
        .in_groups(entropy >= 0.5, w)
        .scores()
    )
    assert found.tolist() == [2.0]


@given(arrays(float, st.integers(2, 40), elements=values), st.floats(0.01, 0.5))
def test_eq_5_is_the_least_entropy_that_few_exceed(means, alpha):
    def exceeded(i):
        others = np.delete(means, i)
        return (means[i] < others).mean() < alpha

    expected = min(value for i, value in enumerate(means) if exceeded(i))
    assert group_weighting.threshold_by_rank(means, alpha) == expected


def test_eq_9_is_mean_plus_two_deviations():
    found = group_weighting.threshold_by_deviation(np.array([0.0, 0.2, 0.4]))
    assert found.mu == pytest.approx(0.2)
    assert found.sigma == pytest.approx(np.sqrt(0.08 / 3))
    assert found.h == pytest.approx(0.2 + 2 * found.sigma)


def test_eq_11_by_hand():
    # Three easy segments of total entropy 6, one difficult of 2: R_N = 3, R_H = 3.
    found = group_weighting.balance(np.array([3.0, 2.0, 1.0, 2.0]), h=3.0)
    assert found.difficult == 1
    assert found.ratio_count == 3.0
    assert found.ratio_entropy == pytest.approx(5 / 3)
    assert found.w == pytest.approx(3 / (9.62 * 5 / 3 + 3 - 22.23))


def test_eq_11_at_its_pole_is_infinite_not_an_error():
    # R_N = 1 and R_H = (22.23 - 1) / 9.62 make the denominator 0 to rounding.
    ratio = (22.23 - 1) / 9.62
    found = group_weighting.balance(np.array([ratio, 1.0]), h=1.5)
    assert found.ratio_count == 1.0
    hard_first = group_weighting.balance(np.array([1.0, ratio]), h=1.5)
    assert hard_first == found
    assert not 0 <= found.w <= 1


@pytest.mark.parametrize("h", [-1.0, 2.0])
def test_an_empty_group_leaves_eq_11_undefined(h):
    found = group_weighting.balance(np.array([0.5, 1.0]), h)
    assert np.isnan(found.w)
    assert found.difficult == (2 if h < 0 else 0)


def test_usable_drops_infinite_and_on_wish_zero():
    means = np.array([0.0, 0.5, np.inf])
    assert group_weighting.usable(means, "keep").tolist() == [0.0, 0.5]
    assert group_weighting.usable(means, "drop").tolist() == [0.5]


def test_thresholds_of_nothing_are_nan():
    assert np.isnan(group_weighting.threshold_by_deviation(np.array([])).h)
    assert np.isnan(group_weighting.threshold_by_rank(np.array([0.3])))
