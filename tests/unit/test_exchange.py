"""Exchanged contributions and detectable differences where the truth is known."""

import numpy as np
import pytest

from mt_difficulty.evidence import gains
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
    assert gains.is_mean(split)
    found = gains.contribution(split)
    np.testing.assert_allclose(found.observed_quality(), split.observed_quality(), atol=1e-9)
    # Written out for one segment of one system.
    group = int(split.weights[2, 5, 1])
    share = split.shares[group] / split.weights[2, :, group].sum()
    expected = SEGMENTS * share * plain.statistics[2, 5, 0]
    assert found.statistics[2, 5, 0] == pytest.approx(expected)
    np.testing.assert_allclose(gains.contribution(plain).statistics, plain.statistics)


def test_contributions_need_a_mean():
    bleu = WeightedMetric(METRICS["bleu"].aggregate, np.ones((2, 3, 10)))
    assert not gains.is_mean(bleu)
    empty = WeightedMetric(Metric.aggregate, np.ones((2, 3, 1)))
    assert not gains.is_mean(empty.in_groups(np.zeros((2, 3), dtype=bool), 0.5))


def test_exchanged_contributions_keep_the_sum_of_both_sides():
    """What one side loses the other gains, on the scale of each."""
    rng = np.random.default_rng(2)
    plain = WeightedMetric(Metric.aggregate, rng.normal(size=(SYSTEMS, SEGMENTS, 1)))
    split = plain.in_groups(rng.random((SYSTEMS, SEGMENTS)) < 0.3, 0.4)
    weighteds = {("m", "standard"): plain, ("m", "EE"): split}
    one, other = gains.exchange(weighteds, 40, rng)[1]["m", "EE"]
    sides = []
    for metric in (gains.contribution(split), plain):
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
    sides = gains.exchange(weighteds, resamples, rng)[0]["m", "better"]
    permuted = pearson(sides[0], gold) - pearson(sides[1], gold)
    weights = bootstrap_weights(SEGMENTS, resamples, rng)
    drawn = [pearson(resampled_scores(one, weights), gold) for one in (better, plain)]
    values = [pearson(one.observed_quality()[None], gold)[0] for one in (better, plain)]
    difference = values[0] - values[1]
    p = gains.permutation_p(difference, permuted)[0]
    return p, gains.detectable(permuted, drawn[0] - drawn[1])[0], difference[0]


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


def random_groups(difficult, against_plain, trials=400):
    """p and differences of EE by random difficulties of the hypotheses: against EE by other random
    ones, which is the null of the test, or against the unweighted metric."""
    rng, gold, segments, found = np.random.default_rng(7), np.linspace(-1, 1, SYSTEMS), 200, []
    for _ in range(trials):
        scores = 0.3 * gold[:, None] + rng.normal(size=(SYSTEMS, segments))
        plain = WeightedMetric(Metric.aggregate, scores[..., None])
        places = rng.permuted(np.tile(np.arange(segments), (2, SYSTEMS, 1)), axis=2)
        one, other = (plain.in_groups(own < difficult, 0.36) for own in places)
        weighteds = {("m", "standard"): plain if against_plain else other, ("m", "EE"): one}
        sides = gains.exchange(weighteds, 300, rng)[0]["m", "EE"]
        permuted = np.subtract(*(pearson(side, gold) for side in sides))
        ends = (each.observed_quality()[None] for each in (one, weighteds["m", "standard"]))
        difference = np.subtract(*(pearson(each, gold)[0] for each in ends))
        found.append((*gains.permutation_p(difference, permuted), *difference))
    return np.transpose(found)


def test_p_is_uniform_under_the_null_where_it_is_printed():
    levels = np.array([0.03, 0.1, 0.25, 0.5, 0.75])
    tolerance = 3 * np.sqrt(levels * (1 - levels) / 400)
    shares = {}
    for difficult in (10, 40):
        p = random_groups(difficult, against_plain=False)[0]
        assert np.isfinite(p).mean() > 0.9
        shares[difficult] = (p[:, None] <= levels).sum(axis=0) / np.isfinite(p).sum()
    print(shares)
    for found in shares.values():
        np.testing.assert_array_less(np.abs(found - levels), tolerance)
    # With 4 most permutations leave a group empty.
    assert np.isnan(random_groups(4, against_plain=False, trials=20)[0]).all()


def test_random_difficulty_loses_significantly():
    """It has no part in the loss: fewer segments count."""
    p, difference = random_groups(20, against_plain=True)
    share = ((p <= 0.05) & (difference < 0)).mean()
    print(share)
    assert share > 0.1
