"""Resamples, and segments left out, against brute force: texts scored again, loops over systems and
segments."""

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU as SacreBLEU
from scipy import stats

from mt_difficulty.evidence import resampling
from mt_difficulty.evidence.resampling import influence
from mt_difficulty.metrics import METRICS
from mt_difficulty.metrics.base import Metric
from mt_difficulty.weighting.base import WeightedMetric, fixed_point

MEAN = Metric.aggregate
REFERENCE = [
    "the cat sat on the mat today",
    "a dog barked at the old man",
    "we saw two ships on the sea",
    "nothing is lost in this house",
    "the cat saw a dog and a ship",
]
HYPOTHESES = [
    [
        "the cat sat on a mat today",
        "a dog barked at the man",
        "we saw the ships on the sea",
        "nothing was lost in this house",
        "a cat saw a dog and a ship",
    ],
    [
        "the cat is on the mat",
        "the old dog barked at the old man",
        "two ships on the sea we saw",
        "in this house nothing is lost",
        "the cat saw the dog and the ship",
    ],
]


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def bleu(hypotheses, reference):
    return SacreBLEU().corpus_score(hypotheses, [reference]).score


@pytest.fixture
def weighted_bleu():
    statistics = METRICS["bleu"]("en-xx").segment_statistics(HYPOTHESES, REFERENCE)
    return WeightedMetric(METRICS["bleu"].aggregate, statistics)


def means(rng, systems=6, segments=40):
    return WeightedMetric(MEAN, rng.normal(size=(systems, segments, 1)))


def test_bootstrap_weights_are_counts_of_draws(rng):
    weights = resampling.bootstrap_weights(30, 2500, rng)
    assert weights.shape == (2500, 30)
    assert (weights.sum(axis=1) == 30).all()
    # Each count is binomial(30, 1/30); the mean of 2,500 has standard error 0.02.
    assert np.abs(weights.mean(axis=0) - 1).max() < 0.1
    assert weights.var() == pytest.approx(29 / 30, abs=0.02)


def test_resampled_bleu_is_that_of_the_resampled_texts(weighted_bleu, rng):
    weights = resampling.bootstrap_weights(len(REFERENCE), 50, rng)
    found = resampling.resampled_scores(weighted_bleu, weights)
    for row, counts in zip(found, weights, strict=True):
        drawn = np.repeat(np.arange(len(REFERENCE)), counts)
        expected = [
            bleu([hypotheses[i] for i in drawn], [REFERENCE[i] for i in drawn])
            for hypotheses in HYPOTHESES
        ]
        np.testing.assert_allclose(row, expected, atol=1e-9)


@pytest.mark.parametrize("size", [1e100, 1e-300, 1e-310, 5e-324])
def test_very_large_and_very_small_statistics_are_kept(size):
    statistics = size * np.array([[[1.0], [-1.0], [0.0]]])
    np.testing.assert_allclose(fixed_point(statistics), statistics, rtol=1e-14)


@given(seed=st.integers(0, 2**32 - 1))
def test_sums_are_exact_in_any_order(seed):
    rng = np.random.default_rng(seed)
    statistics = rng.normal(size=(1, 3000, 2)) * np.array([1e-3, 1e4])
    fixed = fixed_point(statistics)
    assert (np.abs(fixed - statistics) <= 3e-12 * np.abs(statistics).max(axis=(0, 1))).all()
    counts = resampling.bootstrap_weights(3000, 1, rng)[0].astype(float)
    order = rng.permutation(3000)
    np.testing.assert_array_equal(counts @ fixed[0], counts[order] @ fixed[0][order])
    np.testing.assert_array_equal(fixed_point(fixed), fixed)


def test_intervals_are_those_of_scipy(rng):
    values = rng.normal(size=60)
    weights = resampling.bootstrap_weights(60, 20000, rng)
    scores = resampling.resampled_scores(WeightedMetric(MEAN, values[None, :, None]), weights)
    low, high = resampling.interval(scores)
    expected = stats.bootstrap(
        [values], np.mean, n_resamples=20000, method="percentile", rng=rng
    ).confidence_interval
    # Both are random: ends of 20,000 resamples have a standard error of about 0.003.
    assert low[0] == pytest.approx(expected.low, abs=0.015)
    assert high[0] == pytest.approx(expected.high, abs=0.015)


def test_intervals_leave_a_few_undefined_resamples_aside():
    values = np.linspace(0, 1, 100)[:, None] * np.ones(3)
    values[:5, 1] = np.nan
    values[:6, 2] = np.nan
    low, high = resampling.interval(values, level=0.5)
    np.testing.assert_allclose([low[0], high[0]], [0.25, 0.75])
    np.testing.assert_allclose([low[1], high[1]], np.percentile(values[5:, 1], [25, 75]))
    assert np.isnan([low[2], high[2]]).all()


def test_paired_bootstrap_counts_who_scores_higher(rng):
    scores = rng.normal(size=(500, 4))
    scores[:, 3] = scores[:, 2]  # a tie is no win
    wins, p = resampling.paired_bootstrap(scores)
    for a in range(4):
        for b in range(4):
            expected = sum(row[a] > row[b] for row in scores)
            assert wins[a, b] == expected / 500
            assert p[a, b] == (1 + 500 - expected) / 501


def test_a_system_without_a_score_wins_and_loses_nothing(rng):
    scores = rng.normal(size=(100, 3))
    scores[:, 1] = np.nan
    scores[:5, 2] = np.nan
    wins, p = resampling.paired_bootstrap(scores)
    assert np.isnan(wins[1]).all()
    assert np.isnan(p[:, 1]).all()
    won = (scores[5:, 0] > scores[5:, 2]).sum()
    assert wins[0, 2] == won / 95
    assert p[0, 2] == (96 - won) / 96


def test_random_halves_share_the_segments_out(rng, weighted_bleu):
    mean = WeightedMetric(MEAN, rng.normal(size=(2, len(REFERENCE), 1)))
    first, second, share = resampling.random_halves([weighted_bleu, mean], 200, rng)
    assert first.shape == second.shape == (2, 200, 2)
    together = share * first[1] + (1 - share) * second[1]
    defined = np.isfinite(together)
    assert defined.mean() > 0.9
    whole = np.broadcast_to(mean.observed_quality(), together.shape)
    np.testing.assert_allclose(together[defined], whole[defined], atol=1e-12)
    # BLEU of a half is that of some part of the texts of the size that its share says.
    sizes = np.rint(share * len(REFERENCE)).astype(int)
    for system in range(2):
        possible = {
            round(bleu([HYPOTHESES[system][i] for i in part], [REFERENCE[i] for i in part]), 9)
            for part in _parts(len(REFERENCE))
        }
        for value, size in zip(first[0, :, system], sizes[:, system], strict=True):
            assert np.isnan(value) if size == 0 else round(value, 9) in possible


def _parts(size):
    return [[i for i in range(size) if bits >> i & 1] for bits in range(1, 2**size)]


def masks(weighted, permutations, rng):
    return resampling.random_bits((permutations, weighted.statistics.shape[1]), rng)


def test_paired_permutation_counts_every_exchange(rng):
    """Against all 2^8 exchanges: the random ones must give their share within sampling error."""
    weighted = means(rng, systems=3, segments=8)
    x = weighted.statistics[..., 0]
    found = resampling.paired_permutation(weighted, masks(weighted, 20000, rng))
    for a, b in [(0, 1), (1, 2), (0, 2), (2, 0)]:
        observed = (x[a] - x[b]).mean()
        signs = 1 - 2 * (np.arange(256)[:, None] >> np.arange(8) & 1)
        exact = ((signs * (x[a] - x[b])).mean(axis=1) >= observed - 1e-12).mean()
        assert found[a, b] == pytest.approx(exact, abs=0.015)
    assert (np.diag(found) == 0.5).all()


def test_paired_permutation_of_bleu_exchanges_texts(weighted_bleu, rng):
    observed = bleu(HYPOTHESES[0], REFERENCE) - bleu(HYPOTHESES[1], REFERENCE)
    differences = []
    for bits in range(2 ** len(REFERENCE)):
        sides = [
            [HYPOTHESES[s ^ (bits >> i & 1)][i] for i in range(len(REFERENCE))] for s in (0, 1)
        ]
        differences.append(bleu(sides[0], REFERENCE) - bleu(sides[1], REFERENCE))
    exact = (np.array(differences) >= observed - 1e-9).mean()
    found = resampling.paired_permutation(weighted_bleu, masks(weighted_bleu, 20000, rng))
    assert found[0, 1] == pytest.approx(exact, abs=0.015)


SYSTEMS, SEGMENTS = 6, 15


def make(kind, seed):
    """Statistics that the metric can have, and entropies."""
    rng = np.random.default_rng(seed)
    if kind == "bleu":
        counts = np.sort(rng.integers(1, 20, (SYSTEMS, SEGMENTS, 4)), axis=2)[..., ::-1]
        matched = np.floor(counts * rng.random(counts.shape))
        lengths = np.stack([counts[..., 0], rng.integers(1, 20, (SYSTEMS, SEGMENTS))], axis=-1)
        statistics = np.concatenate([lengths, matched, counts], axis=-1).astype(float)
    else:
        statistics = rng.random((SYSTEMS, SEGMENTS, 1 if kind == "chrf" else 2))
    return statistics, rng.random((SYSTEMS, SEGMENTS)), rng.random(SYSTEMS)


@pytest.mark.parametrize("kind", ["bleu", "chrf"])
def test_ranks_and_correlations_change_as_scipy_says(kind):
    statistics, _, gold = make(kind, 2)
    metric = METRICS[kind]
    scores = naive.standard_scores(metric, statistics)
    found = influence(WeightedMetric.standard(metric, statistics), gold)
    before = stats.rankdata(-scores, method="min")
    np.testing.assert_array_equal(found.ranks, before)
    moved = 0
    for segment in range(SEGMENTS):
        others = np.delete(statistics, segment, axis=1)
        without = naive.standard_scores(metric, others)
        changes = stats.rankdata(-without, method="min") - before
        np.testing.assert_array_equal(found.changes[:, segment], changes)
        moved += np.abs(changes).sum()
        for name, test in (
            ("pearson", stats.pearsonr),
            ("kendall", stats.kendalltau),
            ("spearman", stats.spearmanr),
        ):
            expected = test(without, gold)[0] - test(scores, gold)[0]
            assert getattr(found.correlations, name)[segment] == pytest.approx(expected, abs=1e-12)
    assert moved > 0


def test_equal_systems_keep_equal_ranks_whatever_rounding_does():
    row = np.random.default_rng(3).random((1, 50, 1))
    order = np.random.default_rng(4).permutation(50)
    # The same scores in another order have another sum in the last digits.
    statistics = np.concatenate([row, row[:, order], row / 2])
    weighted = WeightedMetric.standard(METRICS["chrf"], statistics)
    found = influence(weighted, np.array([3.0, 2.0, 1.0]))
    assert found.ranks.tolist() == [1, 1, 3]
    # Of equal segments too, whichever is left out.
    thirds = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.2, 0.2, 0.2]])[..., None]
    found = influence(WeightedMetric(Metric.aggregate, thirds), np.array([3.0, 2.0, 1.0]))
    assert found.ranks.tolist() == [1, 1, 1]
    assert found.changes[:, 1].tolist() == [0, 0, 0]
