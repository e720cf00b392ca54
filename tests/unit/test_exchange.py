"""Exchanged contributions and detectable differences where the truth is known."""

import numpy as np
import pytest

from mt_difficulty.evidence import exchange
from mt_difficulty.evidence.resampling import bootstrap_weights, resampled_scores
from mt_difficulty.metrics import METRICS
from mt_difficulty.metrics.base import Metric
from mt_difficulty.statistics.compiled.subset_means import mean_correlations
from mt_difficulty.weighting.base import WeightedMetric

SYSTEMS, SEGMENTS = 8, 60


def pearson(scores, gold):
    return mean_correlations(scores, gold, np.arange(scores.shape[1])[None])[:, :1]


def test_contributions_average_to_the_score():
    rng = np.random.default_rng(1)
    plain = WeightedMetric(Metric.aggregate, rng.normal(size=(SYSTEMS, SEGMENTS, 1)))
    split = plain.in_groups(rng.random((SYSTEMS, SEGMENTS)) < 0.3, 0.4)
    assert exchange.is_mean(split)
    found = exchange.contribution(split)
    np.testing.assert_allclose(found.observed_quality(), split.observed_quality(), atol=1e-9)
    # Written out for one segment of one system.
    group = int(split.weights[2, 5, 1])
    share = split.shares[group] / split.weights[2, :, group].sum()
    expected = SEGMENTS * share * plain.statistics[2, 5, 0]
    assert found.statistics[2, 5, 0] == pytest.approx(expected)
    np.testing.assert_allclose(exchange.contribution(plain).statistics, plain.statistics)


def test_contributions_need_a_mean():
    bleu = WeightedMetric(METRICS["bleu"].aggregate, np.ones((2, 3, 10)))
    assert not exchange.is_mean(bleu)
    empty = WeightedMetric(Metric.aggregate, np.ones((2, 3, 1)))
    assert not exchange.is_mean(empty.in_groups(np.zeros((2, 3), dtype=bool), 0.5))


def test_exchanged_contributions_keep_the_sum_of_both_sides():
    """What one side loses the other gains, on the scale of each."""
    rng = np.random.default_rng(2)
    plain = WeightedMetric(Metric.aggregate, rng.normal(size=(SYSTEMS, SEGMENTS, 1)))
    split = plain.in_groups(rng.random((SYSTEMS, SEGMENTS)) < 0.3, 0.4)
    weighteds = {("m", "standard"): plain, ("m", "EE"): split}
    one, other = exchange.exchange(weighteds, 40, rng).contributions["m", "EE"]
    sides = []
    for metric in (exchange.contribution(split), plain):
        mean, deviation = metric.segment_scale
        sides.append((metric.observed_quality() - mean) / deviation)
    np.testing.assert_allclose(one + other, np.broadcast_to(sum(sides), one.shape), atol=1e-9)


def simulate(gap, gold, rng):
    """A metric, and one whose systems' means are nearer to gold by `gap`, with own noise."""
    error = np.resize([1.0, -1.0, -1.0, 1.0], SYSTEMS)
    noise = 1.5 * rng.normal(size=(2, SYSTEMS, SEGMENTS))
    means = gold + error[None] * np.array([[0.6], [0.6 - gap]])
    return [
        WeightedMetric(Metric.aggregate, (mean[:, None] + one)[..., None])
        for mean, one in zip(means, noise, strict=True)
    ]


def outcome(gap, gold, rng, resamples):
    """p, detectable difference and difference of one sample."""
    plain, better = simulate(gap, gold, rng)
    weighteds = {("m", "standard"): plain, ("m", "better"): better}
    sides = exchange.exchange(weighteds, resamples, rng).halves["m", "better"]
    permuted = pearson(sides[0], gold) - pearson(sides[1], gold)
    weights = bootstrap_weights(SEGMENTS, resamples, rng)
    drawn = [pearson(resampled_scores(one, weights), gold) for one in (better, plain)]
    values = [pearson(one.observed_quality()[None], gold)[0] for one in (better, plain)]
    difference = values[0] - values[1]
    p = exchange.permutation_p(difference, permuted)[0]
    return p, exchange.detectable(permuted, drawn[0] - drawn[1])[0], difference[0]


def test_the_detectable_difference_is_found_in_four_of_five_samples():
    """An effect is injected that is, on average, of the size that is called detectable."""
    rng, gold = np.random.default_rng(4), np.linspace(-1, 1, SYSTEMS)
    trials = {
        gap: np.array([outcome(gap, gold, rng, 300) for _ in range(40)])
        for gap in np.arange(0.05, 0.6, 0.05)
    }
    # The effect whose mean difference is nearest to the mean detectable one.
    gap = min(trials, key=lambda gap: abs(np.subtract(*trials[gap][:, 1:].mean(axis=0))))
    p = np.array([outcome(gap, gold, rng, 300)[0] for _ in range(150)])
    print(gap, trials[gap].mean(axis=0), (p < 0.05).mean())
    # A standard error is 0.03; effects are 0.05 apart, which is 0.1 in power.
    assert (p < 0.05).mean() == pytest.approx(0.8, abs=0.15)
