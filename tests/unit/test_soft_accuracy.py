"""p-values between systems and soft pairwise accuracy (SPA) on resamples."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.special import ndtr

from mt_difficulty.evidence import resampling
from mt_difficulty.evidence.kernels import phi
from mt_difficulty.evidence.soft_accuracy import bootstrap_soft_accuracy, normal_p
from mt_difficulty.metrics.base import Metric
from mt_difficulty.statistics import STATISTICS
from mt_difficulty.weighting.base import WeightedMetric

SCORES = hnp.arrays(float, (3, 5), elements=st.integers(-3, 3).map(float))
SPA = STATISTICS["soft_accuracy"]()


def campaign(systems, segments, rng, spread=0.3):
    """Scores as of MQM: errors of weight 0, 1 or 5, of segments and systems that differ."""
    rate = np.exp(rng.normal(size=segments) - 0.5 + spread * rng.normal(size=(systems, 1)))
    return -rng.poisson(rate) * rng.choice([1.0, 5.0], size=(systems, segments))


def influence_of(scores):
    return (scores - scores.mean(axis=-1, keepdims=True)) / scores.shape[-1]


def random_signs(permutations, segments, rng):
    return rng.choice([-1.0, 1.0], size=(permutations, segments))


def pairwise_p(scores, signs):
    """The p-values of soft pairwise accuracy, of mean scores, for given signs of differences."""
    weighted = WeightedMetric.standard(Metric, scores[:, :, None])
    return resampling.paired_permutation(weighted, (signs < 0).astype(float))


@given(SCORES, st.integers(0, 1000))
def test_p_values_by_loops(scores, seed):
    signs = random_signs(20, 5, np.random.default_rng(seed))
    p = pairwise_p(scores, signs)
    for a in range(3):
        for b in range(3):
            difference = scores[a] - scores[b]
            reached = [(sign * difference).sum() >= difference.sum() for sign in signs]
            assert p[a, b] == (0.5 if a == b else np.mean(reached))


@pytest.mark.parametrize("pair", ["en-de", "zh-en"])
def test_spa_of_the_wmt_toolkit(pair, shared, wmt23):
    """With the toolkit's masks. It sums in single precision and takes the systems in the order of a
    set of names, which differs from run to run: whether a permuted difference that ties with the
    observed one reaches it depends on both. In en-de that is one permutation of one of the 66 pairs
    of systems by human scores; metrics with few distinct scores have more."""
    oracle = json.loads((shared / "oracles" / f"mtme.wmt23.{pair}.json").read_text())["seg"]
    gold, scores = wmt23(pair, list(oracle))
    rated = np.isfinite(gold).all(axis=0)
    rng = np.random.default_rng(4)
    signs = np.rint(rng.random(size=(1000, rated.sum()), dtype=np.float32)) * 2 - 1
    people = pairwise_p(gold[:, rated], signs)
    found = [SPA(pairwise_p(x[:, rated], signs), people) for x in scores]
    difference = np.abs(np.array(found) - [row["spa"] for row in oracle.values()])
    pairs = len(gold) * (len(gold) - 1) / 2
    permutations = difference * pairs * 1000
    np.testing.assert_allclose(permutations, permutations.round(), atol=1e-6)
    assert np.median(permutations.round()) == {"en-de": 1, "zh-en": 0}[pair]
    assert permutations.max() < 25


def test_phi():
    z = np.linspace(-9, 9, 5001)
    np.testing.assert_allclose([phi(each) for each in z], ndtr(z), atol=5e-7)
    assert math.isnan(phi(np.nan))


@pytest.mark.parametrize("segments", [50, 200, 1000])
def test_the_approximation_is_within_the_error_of_permutations(segments):
    rng = np.random.default_rng(segments)
    scores = campaign(8, segments, rng)
    exact = pairwise_p(scores, random_signs(20_000, segments, rng))[np.triu_indices(8, 1)]
    whole = np.ones((1, segments))
    found = normal_p(scores.mean(axis=1)[None], influence_of(scores), whole)[0]
    # Four standard errors of 20,000 permutations, and that scores on a grid tie.
    error = 4 * np.sqrt(found * (1 - found) / 20_000)
    assert (np.abs(found - exact) < error + 2 / segments).all()


def test_spa_of_resamples_is_that_of_their_segments():
    rng = np.random.default_rng(5)
    gold = campaign(6, 60, rng)
    metrics = gold + 3 * rng.normal(size=(2, 6, 60))
    weights = resampling.bootstrap_weights(60, 1030, rng)  # more than a block
    quality = np.stack([weights.astype(float) @ x.T / 60 for x in metrics])
    quality[1, 3, 2] = np.nan
    found = bootstrap_soft_accuracy(quality, influence_of(metrics), gold, weights)
    assert found.shape == (2, 1030)
    assert np.isnan(found[1, 3])
    pairs, whole = np.triu_indices(6, 1), np.ones((1, 60))
    for resample in (0, 7, 1029):
        drawn = np.repeat(np.arange(60), weights[resample])
        p = []
        for x in (gold[:, drawn], metrics[0][:, drawn]):
            square = np.zeros((6, 6))
            square[pairs] = normal_p(x.mean(axis=1)[None], influence_of(x), whole)[0]
            p.append(square)
        assert found[0, resample] == pytest.approx(SPA(p[1], p[0]), abs=1e-5)


def test_intervals_cover_the_spa_of_the_population():
    """Human scores and a metric's, of segments drawn from 50,000: the SPA that n segments have
    when both sides' differences are those of all."""
    rng = np.random.default_rng(12)
    n, repeats, covered = 200, 100, 0
    gold = campaign(6, 50_000, rng)
    metric = gold / 3 + rng.normal(size=gold.shape) + 0.1 * rng.normal(size=(6, 1))
    p = []
    for x in (gold, metric):
        shrunk = x.mean(axis=1)[None], influence_of(x) * np.sqrt(50_000 / n), np.ones((1, 50_000))
        p.append(normal_p(*shrunk)[0])
    population = 1 - np.abs(p[0] - p[1]).mean()
    for _ in range(repeats):
        drawn = rng.integers(50_000, size=n)
        weights = resampling.bootstrap_weights(n, 400, rng)
        x = metric[:, drawn]
        quality = (weights.astype(float) @ x.T / n)[None]
        spa = bootstrap_soft_accuracy(quality, influence_of(x)[None], gold[:, drawn], weights)[0]
        low, high = resampling.interval(spa)
        covered += low <= population <= high
    assert covered >= 85
