"""EE against loops written from the paper's Eq. 4 to 11."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mt_difficulty.metrics import METRICS
from mt_difficulty.weighting import groups as group_weighting
from mt_difficulty.weighting.base import WeightedMetric

values = st.floats(0, 1, width=32)
entropies = arrays(float, st.tuples(st.integers(1, 4), st.integers(1, 9)), elements=values)


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


@given(arrays(float, st.integers(2, 40), elements=values), st.floats(0.01, 0.5))
def test_eq_5_is_the_least_entropy_that_few_exceed(means, alpha):
    def exceeded(i):
        others = np.delete(means, i)
        return (means[i] < others).mean() < alpha

    expected = min(value for i, value in enumerate(means) if exceeded(i))
    assert group_weighting.threshold_by_rank(means, alpha) == expected


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
