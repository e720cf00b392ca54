"""Difficulty estimation correlation: scipy on resamples, independent code on WMT23, and worlds in
which the truth is known."""

import json

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mt_difficulty.data.build_set import ImportSettings
from mt_difficulty.data.import_set import read_evaluation_set
from mt_difficulty.difficulty import estimate, make_estimator
from mt_difficulty.evidence import dec
from mt_difficulty.evidence.nulls import length_deciles
from mt_difficulty.evidence.units import single_segments
from mt_difficulty.metrics import make_metric
from mt_difficulty.settings import DifficultySettings, MetricSettings

seeds = st.integers(0, 10**6)


def once(segments):
    return np.ones((segments, 1), dtype=np.uint8)


def world(rng, segments, systems, ties=5):
    """Difficulties and human scores with ties; some of either are not there."""
    difficulty = rng.integers(0, ties, (systems, segments)).astype(float)
    people = rng.integers(-ties, 1, (systems, segments)).astype(float)
    difficulty[rng.random(difficulty.shape) < 0.1] = np.nan
    people[rng.random(people.shape) < 0.2] = np.nan
    return difficulty, people


def scipy_tau(x, y):
    there = np.isfinite(x) & np.isfinite(y)
    x, y = x[there], y[there]
    if len(np.unique(x)) < 2 or len(np.unique(y)) < 2:
        return np.nan
    return stats.kendalltau(x, -y).statistic


@given(seeds, st.integers(1, 40), st.integers(1, 4), st.integers(1, 9))
def test_tau_of_every_resample_is_scipys(seed, segments, systems, ties):
    rng = np.random.default_rng(seed)
    difficulty, people = world(rng, segments, systems, ties)
    counts = dec.resample_counts(single_segments(segments), 7, rng)
    groups = rng.integers(0, 3, segments)
    found = dec.taus(difficulty, people, counts, groups)
    labels = np.unique(groups)
    expected = np.empty((systems, len(labels), counts.shape[1]))
    for resample, drawn in enumerate(counts.T):
        for place, label in enumerate(labels):
            copies = np.repeat(np.arange(segments), drawn * (groups == label))
            for system in range(systems):
                tau = scipy_tau(difficulty[system, copies], people[system, copies])
                expected[system, place, resample] = tau
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_more_lanes_than_one_block_and_wide_counts():
    """More resamples than go through the tree together, and more draws than 16 bits hold."""
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 1, 300))
    counts = rng.integers(0, 250, (300, 130)).astype(np.uint8)
    found = dec.taus(x, y, counts)[0, 0]
    for resample in (0, 63, 64, 129):
        copies = np.repeat(np.arange(300), counts[:, resample])
        expected = stats.kendalltau(x[0, copies], -y[0, copies]).statistic
        assert found[resample] == pytest.approx(expected, abs=1e-12), f"resample {resample}"
    assert counts.sum(axis=0).max() > np.iinfo(np.int16).max


@given(seeds)
def test_statistics_of_every_resample_are_those_of_its_copies(seed):
    """Pearson's r, and the mean human score of the hardest quarter of the copies."""
    rng = np.random.default_rng(seed)
    difficulty, people = world(rng, 23, 3)
    counts = dec.resample_counts(single_segments(23), 4, rng)
    there = dec.judged_cases(difficulty, people)
    with_values = difficulty + rng.normal(size=difficulty.shape)
    rs = dec.correlations(with_values, people, counts)[:, 0]
    hardest = dec.hardest_scores(difficulty, people, counts)[:, 0]
    for system, resample in np.ndindex(3, 5):
        copies = np.repeat(np.arange(23), counts[:, resample] * there[system])
        x, y = with_values[system, copies], -people[system, copies]
        if np.ptp(y) and np.ptp(x):
            expected = stats.pearsonr(x, y).statistic
            assert rs[system, resample] == pytest.approx(expected, abs=1e-9), (system, resample)
        count = int(np.ceil(dec.BUDGET * len(copies)))
        weights = naive.among_hardest(difficulty[system, copies], count)
        expected = weights @ people[system, copies] / count
        score = hardest[system, resample]
        assert score == pytest.approx(expected, abs=1e-9), (system, resample)


def test_means_leave_out_what_is_undefined():
    values = np.array([[[0.2], [np.nan]], [[0.4], [0.8]], [[np.nan], [np.nan]]])
    assert dec.mean_over_systems(values) == pytest.approx([np.mean([0.3, 0.8])])
    drawn = np.array([[2, 1, 5]])
    assert dec.mean_over_systems(values, drawn) == pytest.approx([np.mean([0.8 / 3, 0.8])])
    nothing = dec.mean_over_systems(np.full((2, 1, 3), np.nan))
    np.testing.assert_array_equal(np.isnan(nothing), True)


@given(seeds)
def test_an_exchange_gives_each_side_the_others_ranks(seed):
    """Against a loop over masks with scipy."""
    rng = np.random.default_rng(seed)
    people = rng.integers(-4, 1, (2, 12)).astype(float)
    one, other = rng.integers(0, 6, (2, 2, 12)).astype(float)
    masks = dec.exchange_masks(single_segments(12), 30, rng)
    *values, p, _ = dec.exchange_test(one, other, people, masks)

    def mean(cases):
        return np.nanmean([scipy_tau(*pair) for pair in zip(cases, people, strict=True)])

    ranks = [stats.rankdata(side, axis=1) for side in (one, other)]
    differences = [
        mean(np.where(mask, ranks[1], ranks[0])) - mean(np.where(mask, ranks[0], ranks[1]))
        for mask in masks.T
    ]
    assert values == pytest.approx([mean(one), mean(other)], abs=1e-12)
    reached = (np.abs(differences[1:]) >= abs(differences[0]) - 1e-12).sum()
    expected = (1 + reached) / 31
    if reached < dec.FEW and any(differences):
        spread = np.sqrt(np.mean(np.square(differences[1:])))
        expected = min(expected, 2 * stats.norm.sf(abs(differences[0]) / spread))
    assert p == pytest.approx(expected)


def test_the_exchange_test_has_its_size_and_power():
    """Two equally noisy difficulties differ in about 5 % of the draws; less noise wins."""
    rng, rejected = np.random.default_rng(1), []
    for noise in (1.0, 0.4):
        p = []
        for _ in range(150):
            truth = rng.normal(size=80)
            people = -truth + rng.normal(size=(4, 80))
            pair = truth + rng.normal(size=80), truth + noise * rng.normal(size=80)
            pair = [np.broadcast_to(values, people.shape) for values in pair]
            masks = dec.exchange_masks(single_segments(80), 199, rng)
            p.append(dec.exchange_test(*pair, people, masks)[2])
        rejected.append(np.mean(np.array(p) <= 0.05))
    assert 0.01 <= rejected[0] <= 0.1  # 3 standard errors
    assert rejected[1] > 0.8


def test_control_of_length_removes_everything_where_difficulty_is_length_alone():
    """People and the estimator see length through a curve and noise of their own. Within tenths
    about a tenth of it is left, for length differs within a tenth. Where length has no influence,
    control of it does nothing."""
    rng, once = np.random.default_rng(12), np.ones((6000, 1), dtype=np.uint8)
    lengths, truth = rng.lognormal(4, 1, 6000), rng.normal(size=6000)
    seen = -np.sqrt(lengths) + 4 * rng.normal(size=(5, 6000)), -truth + rng.normal(size=(5, 6000))
    difficulties = np.log(lengths) + rng.normal(size=6000), truth
    results = []
    for difficulty, people in zip(difficulties, seen, strict=True):
        values = np.broadcast_to(difficulty, people.shape)
        statistics = (
            dec.taus(values, people, once),
            dec.taus(values, people, once, length_deciles(lengths)),
            dec.correlations(values, people, once, lengths=lengths),
        )
        results.append([float(dec.mean_over_systems(each)[0]) for each in statistics])
    (plain, within, partial), (free, free_within, free_partial) = results
    assert plain > 0.25
    assert abs(within) < 0.12 * plain
    assert abs(partial) < 0.03
    assert free_within == pytest.approx(free, abs=0.01)
    ranks = np.mean([stats.spearmanr(truth, -scores).statistic for scores in seen[1]])
    assert free_partial == pytest.approx(ranks, abs=0.01)


@pytest.fixture(scope="module", params=["en-de", "zh-en"])
def wmt23_set(request, real, shared):
    """A set of WMT23, its judged hypotheses, its folder and independent code's numbers."""
    oracle = json.loads((shared / f"oracles/dec.wmt23.{request.param}.json").read_text())
    found = read_evaluation_set(
        real / "wmt23", ImportSettings("wmt23", request.param, "refA", "mqm")
    )
    assert found.systems == oracle["systems"]
    lengths = np.array([len(text) for text in found.source], dtype=float)
    people = np.array(found.segment_gold, dtype=float)
    return found, people, length_deciles(lengths), real / "wmt23", oracle


def wmt23_difficulty(found, folder, name):
    """A difficulty of the oracle, (systems, segments)."""
    crowd, _, metric = name.partition(":")
    if metric:
        name, _, reference = metric.rpartition("-")
        stored = MetricSettings("stored", {"name": name, "reference": reference})
        scores = make_metric(metric, found.pair, stored).evaluate(found, folder)[:, :, 0]
        statistic = crowd.removeprefix("crowd_")
        settings = DifficultySettings("crowd", {"metric": metric, "statistic": statistic})
        return estimate(make_estimator(settings), found, scores)[1]
    settings = {
        "source_characters": DifficultySettings("length", {"count": "all_characters"}),
        "human_other_systems": DifficultySettings("human"),
    }[name]
    return estimate(make_estimator(settings), found, None)[1]


@pytest.mark.slow
def test_dec_is_that_of_independent_code(wmt23_set):
    """DEC, by system, and within tenths of length, of 10 difficulties, to 1e-9."""
    found, people, deciles, folder, oracle = wmt23_set
    counts = once(len(found.source))
    elsewhere = {"source_words", "mean_chunk_entropy"}  # such difficulties have other tests
    names = [n for n in oracle["DEC"] if n not in elsewhere and not n.startswith("disagreement")]
    assert len(names) == 10
    for name in names:
        difficulty = wmt23_difficulty(found, folder, name)
        own = dec.taus(difficulty, people, counts)
        assert dec.mean_over_systems(own)[0] == pytest.approx(oracle["DEC"][name], abs=1e-9), name
        of_systems = [oracle["DEC_by_system"][name][system] for system in found.systems]
        np.testing.assert_allclose(own[:, 0, 0], of_systems, atol=1e-9, err_msg=name)
        within = dec.taus(difficulty, people, counts, deciles)
        controlled = oracle["DEC_within_length_deciles"][name]
        assert dec.mean_over_systems(within)[0] == pytest.approx(controlled, abs=1e-9), name
