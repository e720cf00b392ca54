"""Correlations over systems and subsets of them, against scipy, brute force and loops."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from mt_difficulty.evidence import subsets
from mt_difficulty.evidence.subsets import (
    CORRELATIONS,
    correlate,
    correlate_subsets,
    random_subsets,
    system_subsets,
    top_scores,
)
from mt_difficulty.statistics import STATISTICS, evaluate
from mt_difficulty.statistics.base import defined
from mt_difficulty.statistics.compiled.subset_means import STATISTICS as COMPILED
from mt_difficulty.statistics.compiled.subset_means import mean_correlations

# Few distinct values, so that ties are frequent.
tied = st.integers(-3, 3).map(float)
tied_or_nan = arrays(float, (4, 7), elements=tied | st.just(np.nan))


def by_scipy(x, y):
    if len(set(x)) == 1 or len(set(y)) == 1:
        return [np.nan] * 3
    return [stats.pearsonr(x, y)[0], stats.kendalltau(x, y)[0], stats.spearmanr(x, y)[0]]


@given(st.integers(3, 9).flatmap(lambda n: st.tuples(*[arrays(float, n, elements=tied)] * 2)))
def test_equals_scipy_with_ties(pair):
    np.testing.assert_allclose(correlate(*pair), by_scipy(*pair), atol=1e-12)


def test_every_subset_is_equally_likely():
    draws = random_subsets(4, 2, 6000, np.random.default_rng(3))
    counts = [np.sum((draws == pair).all(axis=1)) for pair in combinations(range(4), 2)]
    assert stats.chisquare(counts).pvalue > 1e-3


def score_subsets(scores, gold, *sizes_and_draws):
    """All subsets of systems with these scores, by metric and weighting."""
    groups = system_subsets(gold, *sizes_and_draws)
    return [(kind, index, {key: s[index] for key, s in scores.items()}) for kind, index in groups]


def test_subsets_against_a_loop():
    rng = np.random.default_rng(5)
    scores, gold = rng.random((2, 6)), rng.random(6)
    found = {("m", "standard"): scores[0], ("m", "EE"): scores[1]}
    scored = score_subsets(found, gold, [4, 9], 50, np.random.default_rng(7))
    mean, spread = correlate_subsets(scored, gold, CORRELATIONS)
    assert mean.groupby("subset")["size"].unique().map(list).to_dict() == {
        "all": [6],
        "random": [4],  # 9 of 6 systems cannot be drawn
        "top": [6, 5, 4, 3],
    }
    draws = random_subsets(6, 4, 50, np.random.default_rng(7))
    values = np.array([by_scipy(scores[1][draw], gold[draw]) for draw in draws])
    for frame, expected in ((mean, values.mean(axis=0)), (spread, values.std(axis=0, ddof=1))):
        row = frame[(frame.subset == "random") & (frame.weighting == "EE")].iloc[0]
        np.testing.assert_allclose(row[list(CORRELATIONS)].astype(float), expected)
        assert row.draws == 50
    best = np.argsort(-gold)[:3]
    row = mean[(mean.subset == "top") & (mean["size"] == 3)].iloc[0]
    np.testing.assert_allclose(
        row[list(CORRELATIONS)].astype(float), by_scipy(scores[0][best], gold[best])
    )


@pytest.mark.parametrize(
    ("scores", "gold", "reason"),
    [
        ([1, 1, 1, 1], [1, 2, 3, 4], "all systems have the same score"),
        ([1, 2, 3, 4], [2, 2, 2, 2], "all human scores are equal"),
        ([1, 1, 1, 1], [2, 2, 2, 2], "all human scores are equal"),
        ([np.nan, 1, 2, 3], [4, 3, 2, 1], "a system has no score"),
        # Their sum is too large for a float.
        ([1e308, -1e308, 1.5e308, 5e307], [4, 3, 2, 1], "the correlation is undefined"),
    ],
)
def test_what_cannot_be_correlated_has_a_reason(scores, gold, reason):
    scores, gold = {("m", "EE"): np.array(scores, dtype=float)}, np.array(gold, dtype=float)
    scored = score_subsets(scores, gold, [4], 5, np.random.default_rng(0))
    mean, spread = correlate_subsets(scored, gold, CORRELATIONS)
    rows = mean[mean["size"] == 4]
    assert rows.subset.tolist() == ["all", "top", "random"]
    assert rows.reason.tolist() == [reason] * 3
    assert rows[list(CORRELATIONS)].isna().all(axis=None)
    assert (rows.draws == 0).all()
    assert spread[list(CORRELATIONS)].isna().all(axis=None)


@pytest.mark.parametrize("factor", [2.0**-1000, 2.0**-600, 2.0**600, 2.0**1000])
def test_very_large_and_very_small_scores_correlate_as_any(factor):
    rng = np.random.default_rng(1)
    scores, gold, subsets = rng.random((2, 5)), rng.random(5), np.array([[0, 1, 2], [1, 2, 4]])
    for one, other in ((factor, 1), (1, factor), (factor, factor)):
        found, expected = correlate(one * scores, other * gold), correlate(scores, gold)
        np.testing.assert_array_equal(found, expected)
        found = mean_correlations(one * scores, other * gold, subsets)
        np.testing.assert_array_equal(found, mean_correlations(scores, gold, subsets))


def test_a_statistic_that_is_undefined_in_some_draws_is_the_mean_of_the_others(monkeypatch):
    values = np.array([[0.5, np.nan], [0.1, 0.4], [0.3, 0.8]])
    monkeypatch.setattr(subsets, "evaluate", lambda names, scores, gold: values)
    gold, index = np.arange(4.0), np.array([[0, 1, 2], [1, 2, 3], [0, 2, 3]])
    scored = [("random", index, {("m", "standard"): gold[index]})]
    mean, spread = correlate_subsets(scored, gold, ["pearson", "kendall"])
    row = mean.iloc[0]
    assert (row.draws, row.reason) == (3, "undefined: kendall in 1 of 3 draws")
    assert (row.pearson, row.kendall) == pytest.approx((0.3, 0.6))
    expected = values[:, 0].std(ddof=1), values[1:, 1].std(ddof=1)
    assert (spread.pearson[0], spread.kendall[0]) == pytest.approx(expected)
    values[:, 1] = np.nan
    mean, spread = correlate_subsets(scored, gold, ["pearson", "kendall"])
    assert np.isnan([mean.kendall[0], spread.kendall[0]]).all()
    assert mean.reason[0] == "undefined: kendall in 3 of 3 draws"


def test_top_scores_are_those_of_the_subset():
    gold = np.array([0.1, 0.4, 0.3, 0.2])
    scored = [
        (kind, index, {("m", "DA"): -index - 10.0 * index.shape[1]})
        for kind, index in system_subsets(gold, [3], 2, np.random.default_rng(0))
    ]
    found = top_scores(scored, ["a", "b", "c", "d"], {"m"})
    assert found[found["size"] == 3].values.tolist() == [
        ["m", "DA", 3, "b", 31.0],
        ["m", "DA", 3, "c", 32.0],
        ["m", "DA", 3, "d", 33.0],
    ]
    assert found[found["size"] == 4].system.tolist() == ["b", "c", "d", "a"]


@given(scores=tied_or_nan, gold=arrays(float, (7,), elements=tied), seed=st.integers(0, 1000))
def test_means_are_those_of_the_plain_statistics(scores, gold, seed):
    index = random_subsets(7, 4, 20, np.random.default_rng(seed))
    found = mean_correlations(scores, gold, index)
    for row, one in zip(found, scores, strict=True):
        kept = index[defined(one[index], gold[index])]
        if not len(kept):
            assert np.isnan(row).all()
            continue
        each = evaluate(COMPILED, one[kept], gold[kept])
        np.testing.assert_allclose(row, each.mean(axis=0), atol=1e-12)


@given(scores=tied_or_nan, gold=arrays(float, (4, 7), elements=tied), seed=st.integers(0, 1000))
def test_statistics_without_a_compiled_path_have_the_same_means(scores, gold, seed):
    """Human scores may differ by resample."""
    index = random_subsets(7, 4, 20, np.random.default_rng(seed))
    expected = mean_correlations(scores, gold, index)
    for name, column in zip(COMPILED, expected.T, strict=True):
        plain = subsets.plain_means(STATISTICS[name](), scores, gold, index)
        np.testing.assert_allclose(plain, column, atol=1e-12)


def test_outliers_by_scaled_deviation():
    """Median 3, MAD 1.483 · 1: beyond 3.7 from the median."""
    gold = np.array([1.0, 2, 3, 4, 6.6, 6.8, 2.5, 3.5, 3])
    assert subsets.deviates(gold).tolist() == [False] * 5 + [True] + [False] * 3
    assert not subsets.deviates(np.array([1.0, 1, 1, 1, 9])).any()
    listed, by_deviation = subsets.without_outliers(list("abcdefghi"), gold, ["a"])
    assert (listed[0], listed[2]) == ("without outliers", "a")
    assert (by_deviation[0], by_deviation[2]) == ("without outliers (MAD)", "f")
    assert by_deviation[1].tolist() == [0, 1, 2, 3, 4, 6, 7, 8]
