"""Means over subsets, compiled and plain, against the statistics of each subset."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mt_difficulty.evidence.subsets import plain_means, random_subsets, subset_means
from mt_difficulty.statistics import STATISTICS, evaluate
from mt_difficulty.statistics.base import ScoreStatistic, defined
from mt_difficulty.statistics.compiled.subset_means import STATISTICS as COMPILED
from mt_difficulty.statistics.compiled.subset_means import mean_correlations

TIED = st.integers(0, 5).map(float)


@settings(max_examples=60, deadline=None)
@given(
    scores=hnp.arrays(float, (4, 7), elements=TIED | st.just(np.nan)),
    gold=hnp.arrays(float, (7,), elements=TIED),
    seed=st.integers(0, 1000),
)
def test_means_are_those_of_the_plain_statistics(scores, gold, seed):
    subsets = random_subsets(7, 4, 20, np.random.default_rng(seed))
    found = mean_correlations(scores, gold, subsets)
    for row, one in zip(found, scores, strict=True):
        kept = subsets[defined(one[subsets], gold[subsets])]
        if not len(kept):
            assert np.isnan(row).all()
            continue
        each = evaluate(COMPILED, one[kept], gold[kept])
        np.testing.assert_allclose(row, each.mean(axis=0), atol=1e-12)


@settings(max_examples=30, deadline=None)
@given(
    scores=hnp.arrays(float, (4, 7), elements=TIED | st.just(np.nan)),
    gold=hnp.arrays(float, (4, 7), elements=TIED),
    seed=st.integers(0, 1000),
)
def test_statistics_without_a_compiled_path_have_the_same_means(scores, gold, seed):
    subsets = random_subsets(7, 4, 20, np.random.default_rng(seed))
    expected = mean_correlations(scores, gold, subsets)
    for name, column in zip(COMPILED, expected.T, strict=True):
        plain = plain_means(STATISTICS[name](), scores, gold, subsets)
        np.testing.assert_allclose(plain, column, atol=1e-12)


def test_statistics_stand_in_the_order_asked_for(monkeypatch):
    rng = np.random.default_rng(3)
    scores, gold, subsets = rng.normal(size=(6, 5)), rng.normal(size=5), np.arange(5)[None]
    monkeypatch.setattr("mt_difficulty.evidence.subsets.STATISTICS", {"shift": Shift})
    found = subset_means(["accuracy", "shift", "pearson"], scores, gold, subsets)
    together = mean_correlations(scores, gold, subsets)
    np.testing.assert_array_equal(found[:, [0, 2]], together[:, [3, 0]])
    np.testing.assert_allclose(found[:, 1], -np.abs(scores - gold).mean(axis=1))


class Shift(ScoreStatistic):
    """A statistic that is not compiled."""

    def compute(self, scores, gold):
        return -np.abs(scores - gold).mean(axis=-1)


def test_gold_may_differ_by_resample():
    rng = np.random.default_rng(11)
    scores, gold = rng.normal(size=(2, 5, 6))
    subsets = np.arange(6)[None]
    together = mean_correlations(scores, gold, subsets)
    for row, one, people in zip(together, scores, gold, strict=True):
        np.testing.assert_allclose(row, mean_correlations(one[None], people, subsets)[0])
