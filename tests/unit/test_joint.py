"""The joint bootstrap against loops that draw, fit and score every resample from its texts on."""

from dataclasses import replace

import numpy as np
import pytest
from conftest import make_evalset
from scipy import stats

from mt_difficulty.evidence.joint import (
    OUTCOMES,
    Joint,
    Sample,
    draw_segments,
    fitted,
    linear_influence,
    observed_outcomes,
    sample_of,
    text_codes,
)
from mt_difficulty.evidence.resampling import paired_permutation
from mt_difficulty.metrics.base import Metric
from mt_difficulty.metrics.bleu import BLEU
from mt_difficulty.weighting import make_weighting
from mt_difficulty.weighting.base import WeightedMetric

SYSTEMS, SEGMENTS, SCORED = 5, 90, 70
NAMES = [f"s{i}" for i in range(SYSTEMS)]
RNG = np.random.default_rng(3)
SCORES = RNG.random((SYSTEMS, SCORED, 1))
LENGTHS = RNG.integers(8, 40, (SYSTEMS, SCORED, 1)) - np.arange(4)
MATCHES = RNG.binomial(LENGTHS, [0.6, 0.4, 0.3, 0.2])
COUNTS = np.concatenate([LENGTHS[..., :1], LENGTHS[..., :1] - 1, MATCHES, LENGTHS], axis=-1) * 1.0
DIFFICULTY = np.round(RNG.random((SYSTEMS, SEGMENTS)), 2)
PEOPLE = RNG.normal(size=(SYSTEMS, SCORED)) + np.arange(SYSTEMS)[:, None] / 5
SAMPLE = Sample(
    np.arange(SYSTEMS),
    np.arange(SCORED),
    np.arange(SCORED, SEGMENTS),
    PEOPLE,
    PEOPLE.mean(axis=1),
    np.arange(SEGMENTS),
)
WEIGHTINGS = {
    "Eq. 9": {"type": "groups", "easy_weight": 0.4},
    "hypotheses": {"type": "groups", "threshold": "hypotheses_0.8", "easy_weight": 0.4},
    "proportional": {"type": "proportional"},
    "softmax": {"type": "proportional", "softmax": 0.5},
    "hardest": {"type": "hardest", "share": 0.3},
}


@pytest.fixture(scope="module")
def joint():
    return Joint(SAMPLE, 40, seed=1)


@pytest.fixture(scope="module")
def bases():
    return {
        "mean": WeightedMetric.standard(Metric, SCORES),
        "BLEU": WeightedMetric.standard(BLEU, COUNTS),
    }


@pytest.mark.parametrize("name", WEIGHTINGS)
def test_a_resample_is_a_set_of_the_segments_drawn(name, joint, bases):
    """Its weighting is fitted to it, and its scores are those of its segments."""
    weighting = make_weighting(WEIGHTINGS[name])
    found = joint.refitted(weighting, DIFFICULTY, bases, NAMES)
    for row in range(0, 40, 7):
        drawn = np.repeat(np.arange(SCORED), joint.counts[row].astype(int))
        others = np.repeat(np.arange(SCORED, SEGMENTS), joint.others[row])
        difficulty = DIFFICULTY[:, np.concatenate([drawn, others])]
        parameters = weighting.fit(difficulty, NAMES, "difficulty")
        for metric, one in bases.items():
            statistics = one.statistics[:, np.concatenate([drawn, others * 0])]
            whole = one._replace(statistics=statistics)
            weighed = weighting.apply(whole, difficulty, parameters)
            expected = weighed.select(segments=slice(0, len(drawn))).observed_quality()
            np.testing.assert_allclose(found[metric][row], expected, rtol=1e-9)


@pytest.mark.parametrize("name", ["Eq. 9", "proportional", "hardest"])
def test_influence_of_a_mean_is_the_jackknifes(name, bases):
    weights, shares = fitted(make_weighting(WEIGHTINGS[name]), DIFFICULTY, SAMPLE, NAMES)
    one = bases["mean"]._replace(weights=weights, shares=shares)
    quality, influence = linear_influence(one)
    np.testing.assert_allclose(quality, one.observed_quality(), rtol=1e-12)
    # The jackknife leaves a segment out, which in a group of g segments differs by g / (g - 1).
    assert np.corrcoef(influence.ravel(), one.influence().ravel())[0, 1] > 0.999
    np.testing.assert_allclose(influence.sum(axis=1), 0, atol=1e-8)


def test_influence_of_bleu_is_near_the_jackknifes(bases):
    found, jackknife = linear_influence(bases["BLEU"])[1], bases["BLEU"].influence()
    assert np.corrcoef(found.ravel(), jackknife.ravel())[0, 1] > 0.995
    np.testing.assert_allclose(found.std(), jackknife.std(), rtol=0.05)


def test_observed_outcomes_are_those_of_other_programs(bases):
    """SPA with 5,000 permutations for metric and people, PA by pairs, τ-b and r by SciPy."""
    one = bases["mean"]
    found = dict(zip(OUTCOMES, observed_outcomes(SAMPLE, *linear_influence(one)), strict=True))
    swapped = np.random.default_rng(0).integers(0, 2, (5000, SCORED)).astype(float)
    people = WeightedMetric.standard(Metric, PEOPLE[..., None])
    p = [paired_permutation(each, swapped)[np.triu_indices(SYSTEMS, 1)] for each in (one, people)]
    assert found["soft_accuracy"] == pytest.approx(1 - np.abs(p[0] - p[1]).mean(), abs=0.01)
    scores = one.observed_quality()
    assert found["kendall"] == pytest.approx(stats.kendalltau(scores, SAMPLE.gold)[0], abs=1e-12)
    assert found["pearson"] == pytest.approx(stats.pearsonr(scores, SAMPLE.gold)[0], abs=1e-12)
    first, second = np.triu_indices(SYSTEMS, 1)
    same = (scores[first] > scores[second]) == (SAMPLE.gold[first] > SAMPLE.gold[second])
    assert found["accuracy"] == pytest.approx(same.mean(), abs=1e-12)


def evalset(rated, gold=(0.1, 0.2, 0.3)):
    texts = [f"text {i}" for i in range(80)]
    people = [[float(i * s) if i < rated else None for i in range(80)] for s in range(3)]
    found = make_evalset([texts] * 3, texts)
    return replace(found, gold=list(gold), segment_gold=people)


def test_segments_with_all_human_scores_are_scored():
    sample = sample_of(evalset(60), np.arange(3))
    assert len(sample.segments) == 60
    assert len(sample.others) == 20
    np.testing.assert_allclose(sample.gold, np.arange(60).mean() * np.arange(3))


def test_too_few_of_them_leave_the_archives_scores():
    sample = sample_of(evalset(20), np.arange(3))
    assert sample.people is None
    assert sample.gold.tolist() == [0.1, 0.2, 0.3]
    fixed = Joint(sample, 10, seed=0)
    assert (fixed.gold == sample.gold).all()
    metric = WeightedMetric.standard(Metric, np.random.default_rng(0).random((3, 20, 1)))
    found = fixed.outcomes(fixed.quality(metric), linear_influence(metric)[1])
    assert np.isnan(found[:, 0]).all()
    assert np.isfinite(found[:, 1:]).all()


def test_a_source_segment_has_one_code_in_every_set():
    """The second time that a text occurs has another, and so has a text of another set."""
    first = replace(evalset(60), source=["a", "b", "a", "c"])
    other = replace(first, pair="en-xx", source=["c", "a", "d", "a"])
    codes = text_codes(first)
    assert len(set(codes)) == 4
    found = text_codes(other)
    assert [found[0], found[1], found[3]] == [codes[3], codes[0], codes[2]]
    assert found[2] not in codes
    without = [text_codes(replace(first, source=[], pair=pair)) for pair in ("en-de", "en-xx")]
    assert not set(without[0]) & set(without[1])


def test_draws_are_a_bootstrap_that_sets_of_the_same_segments_share():
    """Counts are multinomial; means of two sets covary by the segments that both have."""
    texts, values = np.arange(600), np.random.default_rng(0).normal(size=600)
    some = np.arange(0, 600, 4)
    whole, part = (draw_segments(each, 4000, seed=1) for each in (texts, some))
    assert (whole.sum(axis=1) == 600).all()
    assert (whole >= 0).all()
    covariance = np.cov(whole[:, :40].T)
    np.testing.assert_allclose(np.diag(covariance), 1 - 1 / 600, atol=0.12)
    np.testing.assert_allclose(covariance[~np.eye(40, dtype=bool)].mean(), -1 / 600, atol=0.002)
    means = whole @ values / 600, part @ values[some] / 150
    assert means[0].std() == pytest.approx(values.std() / np.sqrt(600), rel=0.05)
    inside = values[some] - values.mean()
    expected = inside @ (values[some] - values[some].mean()) / (600 * 150)
    assert np.cov(*means)[0, 1] == pytest.approx(expected, rel=0.15)
    np.testing.assert_array_equal(draw_segments(texts, 50, seed=1), draw_segments(texts, 50, 1))
    apart = draw_segments(texts + 600, 4000, seed=1) @ values / 600
    assert abs(np.corrcoef(means[0], apart)[0, 1]) < 0.06
    assert draw_segments(texts[:0], 5, seed=1).shape == (5, 0)
