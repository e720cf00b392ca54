"""Resamples, and segments left out, against brute force: texts scored again, loops over systems and
segments."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from memory import peak_of
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
    np.testing.assert_array_equal(weights.sum(axis=1), 30)
    # Each count is binomial(30, 1/30); the mean of 2,500 has standard error 0.02.
    assert np.abs(weights.mean(axis=0) - 1).max() < 0.1
    assert weights.var() == pytest.approx(29 / 30, abs=0.02)


def test_resampled_bleu_is_that_of_the_resampled_texts(weighted_bleu, rng):
    weights = resampling.bootstrap_weights(len(REFERENCE), 50, rng)
    (found,) = resampling.resampled_scores([weighted_bleu], weights)
    expected = []
    for counts in weights:
        drawn = np.repeat(np.arange(len(REFERENCE)), counts)
        of_systems = [
            bleu([hypotheses[i] for i in drawn], [REFERENCE[i] for i in drawn])
            for hypotheses in HYPOTHESES
        ]
        expected.append(of_systems)
    np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("size", [1e100, 1e-300, 1e-310, 5e-324])
def test_very_large_and_very_small_statistics_are_kept(size):
    statistics = size * np.array([[[1.0], [-1.0], [0.0]]])
    np.testing.assert_allclose(fixed_point(statistics), statistics, rtol=1e-14)


@given(seed=st.integers(0, 2**32 - 1))
def test_sums_are_exact_in_any_order(seed):
    rng = np.random.default_rng(seed)
    statistics = rng.normal(size=(1, 3000, 2)) * np.array([1e-3, 1e4])
    fixed = fixed_point(statistics)
    scale = np.broadcast_to(np.abs(statistics).max(axis=(0, 1)), fixed.shape)
    np.testing.assert_allclose(fixed / scale, statistics / scale, rtol=0, atol=3e-12)
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


def test_an_interval_needs_95_percent_of_the_resamples():
    """Of 100 values 5, or 6, are undefined; the others are 0 to 94."""
    values = np.full((100, 2), np.nan)
    values[:95, 0], values[:94, 1] = np.arange(95), np.arange(94)
    low, high = resampling.interval(values)
    np.testing.assert_allclose([low, high], [[0.025 * 94, np.nan], [0.975 * 94, np.nan]])


def test_comparisons_of_systems_need_95_percent_of_the_resamples():
    """In a bootstrap one system lacks 5, another 6 scores of 100. In permutations two systems have
    one difficult segment each, not the same: half of the exchanges leave both to one of them."""
    scores = np.tile([2.0, 1.0, 0.0], (100, 1))
    scores[:5, 1] = scores[:6, 2] = np.nan
    wins, p = resampling.paired_bootstrap(scores)
    assert (wins[0, 1], p[0, 1], p[1, 0]) == (1, 1 / 96, 1)
    undefined = [wins[0, 2], p[0, 2], p[2, 0], p[1, 2]]
    np.testing.assert_array_equal(undefined, [np.nan] * 4)
    difficult = np.zeros((3, 8), bool)
    difficult[[0, 1, 2], [0, 0, 1]] = True
    plain = WeightedMetric(MEAN, np.arange(24.0).reshape(3, 8, 1))
    swapped = np.random.default_rng(1).integers(2, size=(200, 8)).astype(float)
    p = resampling.paired_permutation(plain.in_groups(difficult, 0.5), swapped)
    np.testing.assert_array_equal(np.isfinite([p[0, 1], p[1, 0]]), True)
    np.testing.assert_array_equal([p[0, 2], p[2, 0], p[1, 2], p[2, 1]], [np.nan] * 4)


def test_paired_bootstrap_counts_who_scores_higher(rng):
    scores = rng.normal(size=(100, 5))
    scores[:, 3] = scores[:, 2]  # a tie is no win
    scores[:, 1] = np.nan
    scores[:5, 4] = np.nan
    wins, p = resampling.paired_bootstrap(scores)
    for a, b in np.argwhere(np.ones((5, 5))):
        n, won = np.isfinite(scores[:, a] + scores[:, b]).sum(), (scores[:, a] > scores[:, b]).sum()
        expected = (won / n, (1 + n - won) / (1 + n)) if n else (np.nan, np.nan)
        found, case = (wins[a, b], p[a, b]), f"systems {a} and {b}"
        np.testing.assert_array_equal(found, expected, err_msg=case)


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
            there = np.isnan(value) if size == 0 else round(value, 9) in possible
            assert there, f"system {system}: {value} of a share of {size}"


def test_p_between_systems_is_that_of_the_example_of_the_program_of_spa():
    """Comments of `compute_pairwise_p_values` in mt-metrics-eval's `pce.py`: of 10 permutations,
    one reaches the observed difference, and p = 1/10, without +1."""
    scores = np.array([[0.8, 0.9, 0.7, 1.0, 0.6], [0.2, 0.3, 0.1, 0.4, 0.0]])
    kept = """11000 10101 10110 01001 11101 01010 11111 10101 11001 01000""".split()
    swapped = 1 - np.array([list(map(float, each)) for each in kept])
    weighted = WeightedMetric.standard(Metric, scores[..., None])
    found = resampling.paired_permutation(weighted, swapped)
    np.testing.assert_allclose(found, [[0.5, 0.1], [1, 0.5]], rtol=1e-15)


def resampled(weighteds):
    """Everything that is drawn or computed in blocks of resamples."""
    rng = np.random.default_rng(3)
    weights = resampling.bootstrap_weights(weighteds[0].statistics.shape[1], 300, rng)
    scores = resampling.resampled_scores(weighteds, weights)
    halves = resampling.random_halves(weighteds, 300, rng)
    swapped = resampling.random_bits(weights.shape, rng)
    tests = [resampling.paired_permutation(weighted, swapped) for weighted in weighteds]
    return [weights, *scores, *halves, *tests]


@pytest.mark.parametrize(("size", "in_block"), [(50, 32), (100 * 50, 96)])
def test_blocks_of_many_segments_have_fewer_resamples_and_change_nothing(
    rng, monkeypatch, size, in_block
):
    """BLOCK_SIZE makes blocks of 32 and of 96 resamples, instead of one of 300."""
    difficult = rng.random((3, 50)) < 0.4
    weighteds = [
        WeightedMetric(MEAN, rng.normal(size=(3, 50, 1))),
        WeightedMetric(MEAN, rng.normal(size=(3, 50, 1))).in_groups(difficult, 0.3),
        WeightedMetric(MEAN, rng.integers(5, size=(3, 50, 1)).astype(float)),
    ]
    expected = resampled(weighteds)
    monkeypatch.setattr(resampling, "BLOCK_SIZE", size)
    assert len(list(resampling.blocks(300, 50))) == -(-300 // in_block)
    for i, (found, values) in enumerate(zip(resampled(weighteds), expected, strict=True)):
        np.testing.assert_array_equal(found, values, err_msg=f"metric {i}")


def test_memory_of_resamples_is_that_of_their_counts(rng):
    """A byte for each of 300 resamples of 40,000 segments, 12 MB, and a block."""
    assert peak_of(lambda: resampling.bootstrap_weights(40_000, 300, rng)) < 100e6


def test_equal_columns_are_summed_once_and_exactly(rng):
    """Whole numbers, fractions, and what they have in common; the last group is the sum of all."""
    whole = rng.integers(9, size=(40, 2, 2, 3)).astype(float)
    fractions = rng.integers(99, size=(40, 2, 2, 3)) / 8
    weights = resampling.bootstrap_weights(40, 20, rng)
    found = resampling.summed(iter([whole, fractions, whole]))(weights)
    # Whole numbers whose sums are too large for single precision.
    large = rng.integers(2**22, 2**23, size=(40, 2, 2, 3)).astype(float)
    (of_large,) = resampling.summed([large])(weights)
    expected = [
        np.tensordot(weights.astype(float), array, 1) for array in (whole, fractions, whole, large)
    ]
    np.testing.assert_array_equal([*found, of_large], expected)


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
    np.testing.assert_array_equal(np.diag(found), 0.5)
