"""Permutation tests between all pairs of metrics, against loops over the same masks."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats
from scipy.special import ndtr

from mt_difficulty.evidence import metric_tests, resampling
from mt_difficulty.evidence.metric_tests import clusters, ranking
from mt_difficulty.metrics.base import Metric
from mt_difficulty.statistics import STATISTICS, evaluate
from mt_difficulty.weighting.base import WeightedMetric

KEYS, SYSTEMS, SEGMENTS = 3, 5, 30
ACC23, ACC_EQ = STATISTICS["acc23"](), STATISTICS["acc_eq"]()


def reached(permuted, observed):
    """One-sided p with +1 that the difference is reached; undefined ones reach it."""
    return (1 + sum(not d < observed - 1e-12 for d in permuted)) / (1 + len(permuted))


@pytest.fixture
def rng():
    return np.random.default_rng(17)


@pytest.fixture
def scores(rng):
    """Three metrics' scores of five systems; the last metric has few distinct values."""
    found = rng.normal(size=(KEYS, SYSTEMS, SEGMENTS)) + rng.normal(size=(SYSTEMS, 1)) / 2
    found[2] = np.round(found[2])
    return found


@pytest.fixture
def gold(rng, scores):
    return np.round(2 * scores[0] + 3 * rng.normal(size=scores[0].shape))


# System scores


def soft_accuracy(scores, variance, gold_p, segments):
    """SPA of one row of scores, by the normal approximation."""
    gaps = []
    for k, (a, b) in enumerate(combinations(range(len(scores)), 2)):
        d = scores[a] - scores[b]
        gaps.append(abs(ndtr(-d / np.sqrt(variance[k] + d * d / segments)) - gold_p[a, b]))
    return 1 - np.mean(gaps)


def loop_variance(influence, i, j):
    """Of the differences of systems' scores, mean over who scores the two systems."""
    centred = influence - influence.mean(axis=2, keepdims=True)
    return [
        np.mean([((centred[k, a] - centred[m, b]) ** 2).sum() for k in (i, j) for m in (i, j)])
        for a, b in combinations(range(influence.shape[1]), 2)
    ]


def halves_of(scores, resamples, rng):
    """Standardised scores, those of halves, and influence, of means over segments."""
    weighteds = [WeightedMetric.standard(Metric, one[..., None]) for one in scores]
    first, second, share = resampling.random_halves(weighteds, resamples, rng)
    mean, deviation = np.array([one.segment_scale for one in weighteds]).T[..., None]
    first, second = ((half - mean[..., None]) / deviation[..., None] for half in (first, second))
    standard = (scores - mean[..., None]) / deviation[..., None]
    influence = (standard - standard.mean(axis=2, keepdims=True)) / scores.shape[2]
    return standard.mean(axis=2), first, second, share, influence


def test_tests_of_system_scores_by_loops(rng, scores, gold):
    observed, first, second, share, influence = halves_of(scores, 150, rng)
    people, gold_p = gold.mean(axis=1), rng.random((SYSTEMS, SYSTEMS))
    found = metric_tests.system_tests(observed, first, second, share, people, gold_p, influence)

    def statistics(row, i, j):
        soft = soft_accuracy(row, loop_variance(influence, i, j), gold_p, SEGMENTS)
        return [*evaluate(metric_tests.SYSTEM[:4], row, people), soft]

    values = np.array([statistics(row, i, i) for i, row in enumerate(observed)]).T
    np.testing.assert_allclose(found.value, values, atol=5e-7)
    np.testing.assert_array_equal(found.p[:, range(KEYS), range(KEYS)], 1)
    for i, j in combinations(range(KEYS), 2):
        permuted = []
        for r in range(150):
            one = (1 - share[r]) * second[i, r] + share[r] * first[j, r]
            two = (1 - share[r]) * second[j, r] + share[r] * first[i, r]
            permuted.append(np.subtract(statistics(one, i, j), statistics(two, i, j)))
        for k, column in enumerate(np.transpose(permuted)):
            difference = values[k, i] - values[k, j]
            assert found.p[k, i, j] == reached(column, difference)
            assert found.p[k, j, i] == reached(-column, -difference)


# Segment scores


def correlations(x, gold):
    """r of all scores, and the mean of systems' r, of those that have one."""
    rated = ~np.isnan(gold)
    each = [
        stats.pearsonr(row[there], people[there]).statistic
        for row, people, there in zip(x, gold, rated, strict=True)
        if there.sum() > 1 and np.ptp(row[there]) > 0 and np.ptp(people[there]) > 0
    ]
    return stats.pearsonr(x[rated], gold[rated]).statistic, np.mean(each)


def test_tests_of_segment_correlations_by_loops(rng, scores, gold, monkeypatch):
    gold[1, :7] = np.nan
    gold[2] = 1.0  # no correlation
    gold[3, 1:] = np.nan
    rated = ~np.isnan(gold)
    kept = resampling.random_bits((60, rated.sum()), rng)
    monkeypatch.setattr(metric_tests, "random_bits", lambda shape, rng: kept)
    values, p = metric_tests.correlation_tests(scores, gold, 60, rng)
    z = (scores - scores[:, rated].mean(axis=1)[:, None, None]) / scores[:, rated].std(axis=1)[
        :, None, None
    ]
    np.testing.assert_allclose(values.T, [correlations(x, gold) for x in z], atol=1e-12)
    masks = np.zeros((60, *gold.shape), bool)
    masks[:, rated] = kept
    for i, j in combinations(range(KEYS), 2):
        permuted = np.array(
            [
                np.subtract(
                    correlations(np.where(mask, z[i], z[j]), gold),
                    correlations(np.where(mask, z[j], z[i]), gold),
                )
                for mask in masks
            ]
        )
        for k in range(2):
            difference = values[k, i] - values[k, j]
            assert p[k, i, j] == reached(permuted[:, k], difference)
            assert p[k, j, i] == reached(-permuted[:, k], -difference)


def test_tests_of_comparisons_by_loops(rng, scores, gold, monkeypatch):
    gold[1, :7] = np.nan
    gold[:, 9] = np.nan
    epsilon = ACC_EQ.calibrated(scores, gold).epsilon
    agreed = metric_tests.agreements(scores, gold, epsilon)
    assert len(agreed) == 2  # segments of four and of five systems
    sizes = [len(agree) for _, agree in agreed]
    assert sizes == [22 * 10, 7 * 6] or sizes == [7 * 6, 22 * 10]
    bits = [resampling.random_bits((60, size), rng) for size in sizes]
    signs, left = [2 * each - 1 for each in bits], iter(bits)
    monkeypatch.setattr(metric_tests, "random_bits", lambda shape, rng: next(left))
    (values,), (p,) = metric_tests.comparison_tests(scores, gold, epsilon, 60, rng)
    np.testing.assert_allclose(values, ACC_EQ(scores, gold), atol=1e-12)
    weight = np.concatenate([np.full(len(agree), of_pair) for of_pair, agree in agreed])
    agree, flips = np.concatenate([each for _, each in agreed]), np.concatenate(signs, axis=1)
    for i, j in combinations(range(KEYS), 2):
        gain = weight * (agree[:, i] - agree[:, j])
        permuted = [(flip * gain).sum() for flip in flips]
        assert p[i, j] == reached(permuted, gain.sum())
        assert p[j, i] == reached(-np.array(permuted), -gain.sum())


@pytest.mark.parametrize("test", ["correlations", "comparisons"])
def test_a_missing_score_leaves_no_p(test, scores, gold):
    scores[1, 2, 3], rng = np.nan, np.random.default_rng(5)
    if test == "correlations":
        found = metric_tests.correlation_tests(scores, gold, 300, rng)
    else:
        found = metric_tests.comparison_tests(scores, gold, np.zeros(KEYS), 300, rng)
    assert np.isnan(found.value[:, 1]).all()
    assert np.isnan(found.p[:, 1]).all()
    assert np.isfinite(found.p[:, 0, 2]).all()
    assert (found.p[:, 0, 2] + found.p[:, 2, 0] >= 1).all()


def test_metrics_that_agree_alike_are_seldom_told_apart():
    """Two metrics of the same quality: p-values are spread evenly."""
    rng, p = np.random.default_rng(8), []
    for _ in range(60):
        gold = rng.normal(size=(6, 40))
        scores = gold + rng.normal(size=(2, 6, 40))
        p.append(metric_tests.correlation_tests(scores, gold, 200, rng).p[0, 0, 1])
    assert stats.kstest(p, "uniform").pvalue > 0.01


# Clusters


def loop_clusters(p, order, level):
    """Ranks: the best key left and those after it, up to one that a key of these is better than."""
    ranks, left, rank = {}, list(order), 0
    while left:
        rank, cluster = rank + 1, []
        while left and not any(p[better][left[0]] <= level for better in cluster):
            cluster.append(left.pop(0))
        ranks |= dict.fromkeys(cluster, rank)
    return [ranks[key] for key in range(len(order))]


@given(
    hnp.arrays(float, (7, 7), elements=st.sampled_from([0.01, 0.05, 0.2, 0.6, np.nan])),
    st.permutations(range(7)),
)
def test_clusters_by_loops(p, order):
    found = clusters(p, np.array(order))
    np.testing.assert_array_equal(found, loop_clusters(p, order, 0.05))


def test_keys_are_ranked_by_value_then_name():
    values = np.array([0.5, np.nan, 0.7, 0.5, -1.0])
    np.testing.assert_array_equal(ranking(values, ["b", "a", "c", "a", "d"]), [2, 3, 0, 4, 1])
