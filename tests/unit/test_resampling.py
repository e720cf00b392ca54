"""Resamples, and segments left out, against brute force: texts scored again, loops over systems and
segments."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU as SacreBLEU
from scipy import stats

from mt_difficulty.evidence import resampling
from mt_difficulty.metrics import METRICS
from mt_difficulty.metrics.base import Metric
from mt_difficulty.weighting.base import WeightedMetric, fixed_point

MEAN = Metric.aggregate
REFERENCE = """the cat sat on the mat today
a dog barked at the old man
we saw two ships on the sea
nothing is lost in this house
the cat saw a dog and a ship""".splitlines()
HYPOTHESES = [
    """the cat sat on a mat today
a dog barked at the man
we saw the ships on the sea
nothing was lost in this house
a cat saw a dog and a ship""".splitlines(),
    """the cat is on the mat
the old dog barked at the old man
two ships on the sea we saw
in this house nothing is lost
the cat saw the dog and the ship""".splitlines(),
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


def test_bootstrap_weights_are_counts_of_draws(rng):
    weights = resampling.bootstrap_weights(30, 2500, rng)
    assert weights.shape == (2500, 30)
    assert (weights.sum(axis=1) == 30).all()
    # Each count is binomial(30, 1/30); the mean of 2,500 has standard error 0.02.
    assert np.abs(weights.mean(axis=0) - 1).max() < 0.1
    assert weights.var() == pytest.approx(29 / 30, abs=0.02)


def test_resampled_bleu_is_that_of_the_resampled_texts(weighted_bleu, rng):
    weights = resampling.bootstrap_weights(len(REFERENCE), 50, rng)
    (found,) = resampling.resampled_scores([weighted_bleu], weights)
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
    (scores,) = resampling.resampled_scores([WeightedMetric(MEAN, values[None, :, None])], weights)
    low, high = resampling.interval(scores)
    expected = stats.bootstrap(
        [values], np.mean, n_resamples=20000, method="percentile", rng=rng
    ).confidence_interval
    # Both are random: ends of 20,000 resamples have a standard error of about 0.003.
    assert low[0] == pytest.approx(expected.low, abs=0.015)
    assert high[0] == pytest.approx(expected.high, abs=0.015)


def test_paired_bootstrap_counts_who_scores_higher(rng):
    scores = rng.normal(size=(100, 5))
    scores[:, 3] = scores[:, 2]  # a tie is no win
    scores[:, 1] = np.nan
    scores[:5, 4] = np.nan
    wins, p = resampling.paired_bootstrap(scores)
    for a, b in np.argwhere(np.ones((5, 5))):
        n, won = np.isfinite(scores[:, a] + scores[:, b]).sum(), (scores[:, a] > scores[:, b]).sum()
        expected = (won / n, (1 + n - won) / (1 + n)) if n else (np.nan, np.nan)
        np.testing.assert_array_equal((wins[a, b], p[a, b]), expected)


def test_random_halves_share_the_segments_out(rng, weighted_bleu):
    mean = WeightedMetric(MEAN, rng.normal(size=(2, len(REFERENCE), 1)))
    first, second, share = resampling.random_halves([weighted_bleu, mean], 200, rng)
    assert first.shape == second.shape == (2, 200, 2)
    # Standardised by the scores of segments.
    scale = np.array([one.segment_scale for one in (weighted_bleu, mean)])[..., None, None]
    first, second = (half * scale[:, 1] + scale[:, 0] for half in (first, second))
    together = share * first[1] + (1 - share) * second[1]
    defined = np.isfinite(together)
    assert defined.mean() > 0.9
    whole = np.broadcast_to(mean.observed_quality(), together.shape)
    np.testing.assert_allclose(together[defined], whole[defined], atol=1e-12)
    # BLEU of a half is that of some part of the texts.
    places = [[i for i in range(5) if bits >> i & 1] for bits in range(1, 2**5)]
    for system, texts in enumerate(HYPOTHESES):
        parts = [([texts[i] for i in part], [REFERENCE[i] for i in part]) for part in places]
        possible = {round(bleu(*part), 9) for part in parts}
        for value, size in zip(first[0, :, system], share[:, system], strict=True):
            assert np.isnan(value) if size == 0 else round(value, 9) in possible


def test_paired_permutation_of_bleu_exchanges_texts(weighted_bleu, rng):
    observed = bleu(HYPOTHESES[0], REFERENCE) - bleu(HYPOTHESES[1], REFERENCE)
    differences = []
    for bits in range(2 ** len(REFERENCE)):
        sides = [
            [HYPOTHESES[s ^ (bits >> i & 1)][i] for i in range(len(REFERENCE))] for s in (0, 1)
        ]
        differences.append(bleu(sides[0], REFERENCE) - bleu(sides[1], REFERENCE))
    exact = (np.array(differences) >= observed - 1e-9).mean()
    masks = resampling.random_bits((20000, len(REFERENCE)), rng)
    found = resampling.paired_permutation(weighted_bleu, masks)
    assert found[0, 1] == pytest.approx(exact, abs=0.015)
    assert (np.diag(found) == 0.5).all()
