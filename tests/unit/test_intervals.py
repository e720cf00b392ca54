"""Intervals over systems, p-values between systems and soft pairwise accuracy (SPA): published
formulas, the WMT toolkit, and coverage where the truth is known."""

import json
import math

import numpy as np
import pytest
from conftest import ROOT
from scipy import stats
from scipy.special import ndtr

from mt_difficulty.evidence import intervals, resampling
from mt_difficulty.evidence.kernels import phi
from mt_difficulty.evidence.soft_accuracy import bootstrap_soft_accuracy, normal_p
from mt_difficulty.metrics.base import Metric
from mt_difficulty.statistics import STATISTICS as REGISTERED
from mt_difficulty.statistics.compiled.subset_means import STATISTICS, mean_correlations
from mt_difficulty.weighting.base import WeightedMetric


def statistics_of(scores, gold):
    systems = scores.shape[-1]
    return mean_correlations(
        scores.reshape(-1, systems), gold.reshape(-1, systems), np.arange(systems)[None]
    )


def test_fishers_interval_is_that_of_scipy():
    rng = np.random.default_rng(1)
    gold = rng.normal(size=15)
    scores = gold + rng.normal(size=15)
    found = intervals.over_systems(["pearson"], stats.pearsonr(scores, gold).statistic[None], 15)
    expected = stats.pearsonr(scores, gold).confidence_interval(0.95)
    np.testing.assert_allclose(np.ravel(found), expected, rtol=1e-9)


def test_variances_by_the_published_formulas():
    """Fieller, Hartley & Pearson (1957) for τ, Bonett & Wright (2000) for ρ, at n = 20."""
    value = np.array([0.6, 0.6, 0.8])
    found = intervals.over_systems(["kendall", "spearman", "accuracy"], value, 20)
    of_tau, of_rho = 1.959964 * np.sqrt([0.437 / 16, (1 + 0.36 / 2) / 17])
    z = np.arctanh(0.6)
    tau = np.tanh([z - of_tau, z + of_tau])
    np.testing.assert_allclose([found.low[0], found.high[0]], tau, rtol=1e-6)
    rho = np.tanh([z - of_rho, z + of_rho])
    np.testing.assert_allclose([found.low[1], found.high[1]], rho, rtol=1e-6)
    np.testing.assert_allclose([found.low[2], found.high[2]], (1 + tau) / 2, rtol=1e-6)


@pytest.mark.parametrize(("name", "least"), intervals.MINIMUM_SYSTEMS.items())
def test_few_systems_have_no_interval(name, least):
    value = np.array([0.7])
    assert np.isnan(intervals.over_systems([name], value, least - 1)).all()
    assert np.isfinite(intervals.over_systems([name], value, least)).all()


def test_segments_widen_an_interval():
    resampled = np.tanh(np.arctanh(0.8) + np.random.default_rng(1).normal(0, 0.3, size=(4000, 1)))
    alone = intervals.over_systems(["pearson"], np.array([0.8]), 28)
    both = intervals.over_systems(["pearson"], np.array([0.8]), 28, resampled)
    widths = [np.ptp(np.arctanh(np.ravel(ends))) for ends in (alone, both)]
    assert widths[0] == pytest.approx(2 * 1.96 * 0.2, rel=1e-3)
    # √(0.2² + 0.3²) = 0.36; of 4,000 draws the deviation has a standard error of 1 %.
    assert widths[1] == pytest.approx(2 * 1.96 * 0.36, rel=0.04)


def test_a_difference_by_the_published_formula():
    """Zou (2007), written out; the more two metrics agree over samples, the narrower it is."""
    value, other = np.array([0.396]), np.array([0.179])
    ends = intervals.over_systems(["pearson"], value, 66)
    of_other = intervals.over_systems(["pearson"], other, 66)
    found = intervals.difference(value, ends, other, of_other, np.array([0.3]))
    below, above = 0.396 - ends.low[0], of_other.high[0] - 0.179
    low = 0.217 - np.sqrt(below**2 + above**2 - 0.6 * below * above)
    assert found.low[0] == pytest.approx(low)
    narrow = intervals.difference(value, ends, other, of_other, np.array([0.9]))
    assert found.low[0] < narrow.low[0] < 0.217 < narrow.high[0] < found.high[0]


def coverage(systems, samples, resamples, seed):
    """Of r, τ, ρ and PA at a correlation of 0.95: percentile intervals, those of `over_systems`,
    and that of a difference, each (statistics,)."""
    rng = np.random.default_rng(seed)
    between = [[1, 0.95, 0.93], [0.95, 1, 0.97], [0.93, 0.97, 1]]
    truths = []
    for r in (0.95, 0.93):
        tau = 2 / np.pi * np.arcsin(r)
        truths.append(np.array([r, tau, 6 / np.pi * np.arcsin(r / 2), (1 + tau) / 2]))
    hits = np.zeros((3, 4))
    for _ in range(samples):
        gold, *metrics = rng.multivariate_normal(np.zeros(3), between, systems).T
        drawn = rng.integers(systems, size=(resamples, systems))
        values = [statistics_of(scores, gold)[0] for scores in metrics]
        resampled = [statistics_of(scores[drawn], gold[drawn]) for scores in metrics]
        ends = [intervals.over_systems(STATISTICS, value, systems) for value in values]
        together = intervals.correlation_of(resampled[1], resampled[0])
        found = [
            np.nanpercentile(resampled[0], [2.5, 97.5], axis=0),
            ends[0],
            intervals.difference(values[1], ends[1], values[0], ends[0], together),
        ]
        expected = [truths[0], truths[0], truths[1] - truths[0]]
        hits += [
            (low <= truth) & (high >= truth)
            for (low, high), truth in zip(found, expected, strict=True)
        ]
    return hits / samples


@pytest.mark.parametrize(
    ("systems", "percentile", "covered"),
    [
        # Measured on 600 samples: percentile intervals of r and τ cover 0.92, 0.98; 0.85, 0.76;
        # 0.70, 0.43. Standard errors of 300 samples are 0.03 or less: bounds are three of them.
        (22, (0.92, 0.98), "pearson kendall spearman accuracy"),
        (6, (0.85, 0.76), "pearson spearman"),
        (4, (0.70, 0.43), "pearson"),
    ],
)
def test_percentiles_cover_too_little_and_printed_intervals_enough(systems, percentile, covered):
    by_percentile, printed, of_difference = coverage(systems, 300, 400, systems)
    np.testing.assert_allclose(by_percentile[:2], percentile, atol=0.085)
    places = [STATISTICS.index(name) for name in covered.split()]
    assert (printed[places] > 0.88).all()
    assert (of_difference[places] > 0.88).all()
    others = [place for place in range(4) if place not in places]
    assert (printed[others] == 0).all()


def test_percentiles_over_segments_cover_a_difference():
    """Of r and τ of two metrics whose segment scores are noisy; human scores drawn alike."""
    rng, hits, samples = np.random.default_rng(1), np.zeros(2), 120
    for _ in range(samples):
        truth = rng.normal(size=12)
        means = truth + 0.3 * rng.normal(size=12)
        means = np.stack([means, means + 0.1 * rng.normal(size=12)])
        scores = means[..., None] + 2 * rng.normal(size=(12, 200)) + rng.normal(size=(2, 12, 200))
        people = truth[:, None] + 3 * rng.normal(size=(12, 200))
        weights = resampling.bootstrap_weights(200, 300, rng) / 200
        drawn = [statistics_of(weights @ one.T, weights @ people.T) for one in scores]
        low, high = resampling.interval(drawn[1] - drawn[0])
        true = np.subtract(*(statistics_of(one[None], truth[None])[0] for one in means[::-1]))
        hits += ((low <= true + 1e-12) & (high >= true - 1e-12))[:2]
    # A standard error is 0.02; they cover 0.97 or more.
    assert (hits / samples > 0.9).all()


def test_the_printed_table_has_the_intervals_that_results_have():
    """docs/coverage.csv: every interval over systems that is printed covers 90 % or more."""
    import pandas as pd

    table = pd.read_csv(ROOT / "docs/coverage.csv")
    table = table[(table.over == "systems") & table.interval.isin(["Fisher z", "MOVER"])]
    for name, least in intervals.MINIMUM_SYSTEMS.items():
        found = table[table.systems >= least][name]
        assert len(found) > 10
        assert found.min() > 0.895


SPA = REGISTERED["soft_accuracy"]()


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
