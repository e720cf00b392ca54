"""Difficulty estimation correlation: scipy on resamples, independent code on WMT23, and worlds in
which the truth is known."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mt_difficulty.data.evalset import read_evaluation_set
from mt_difficulty.difficulty import estimate, make_estimator
from mt_difficulty.evidence import dec
from mt_difficulty.evidence.nulls import length_deciles
from mt_difficulty.metrics import make_metric

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
    """NaN, too, where the library would warn."""
    there = np.isfinite(x) & np.isfinite(y)
    x, y = x[there], y[there]
    if len(np.unique(x)) < 2 or len(np.unique(y)) < 2:
        return np.nan
    return stats.kendalltau(x, -y).statistic


@given(seeds, st.integers(1, 40), st.integers(1, 4), st.integers(1, 9))
def test_tau_of_every_resample_is_scipys(seed, segments, systems, ties):
    rng = np.random.default_rng(seed)
    difficulty, people = world(rng, segments, systems, ties)
    counts = dec.resample_counts(segments, 7, rng)
    groups = rng.integers(0, 3, segments)
    found = dec.taus(difficulty, people, counts, groups)
    for resample, drawn in enumerate(counts.T):
        for place, label in enumerate(np.unique(groups)):
            copies = np.repeat(np.arange(segments), drawn * (groups == label))
            for system in range(systems):
                expected = scipy_tau(difficulty[system, copies], people[system, copies])
                np.testing.assert_allclose(found[system, place, resample], expected, atol=1e-12)


def test_more_lanes_than_one_block_and_wide_counts():
    """More resamples than go through the tree together, and more draws than 16 bits hold."""
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 1, 300))
    counts = rng.integers(0, 250, (300, 130)).astype(np.uint8)
    found = dec.taus(x, y, counts)[0, 0]
    for resample in (0, 63, 64, 129):
        copies = np.repeat(np.arange(300), counts[:, resample])
        expected = stats.kendalltau(x[0, copies], -y[0, copies]).statistic
        assert found[resample] == pytest.approx(expected, abs=1e-12)
    assert counts.sum(axis=0).max() > np.iinfo(np.int16).max


@given(seeds)
def test_pearson_of_every_resample_is_numpys(seed):
    rng = np.random.default_rng(seed)
    difficulty, people = rng.normal(size=(2, 3, 30))
    people[rng.random(people.shape) < 0.3] = np.nan
    counts = dec.resample_counts(30, 5, rng)
    found = dec.correlations(difficulty, people, counts)[:, 0]
    for system in range(3):
        for resample, drawn in enumerate(counts.T):
            own = np.repeat(np.arange(30), drawn * np.isfinite(people[system]))
            expected = stats.pearsonr(difficulty[system, own], -people[system, own]).statistic
            assert found[system, resample] == pytest.approx(expected, abs=1e-9)


@given(seeds)
def test_hardest_quarter_is_that_of_the_copies(seed):
    """Sort the copies of a resample, take a quarter: the mean human score."""
    rng = np.random.default_rng(seed)
    difficulty, people = world(rng, 23, 3)
    counts = dec.resample_counts(23, 4, rng)
    found = dec.hardest_scores(difficulty, people, counts)[:, 0]
    for system in range(3):
        there = dec.judged_cases(difficulty[system], people[system])
        for resample, drawn in enumerate(counts.T):
            copies = np.repeat(np.arange(23), drawn * there)
            order = copies[np.argsort(-difficulty[system, copies], kind="stable")]
            own = people[system, order[: int(np.ceil(dec.BUDGET * len(order)))]]
            expected = own.mean() if own.size else np.nan
            np.testing.assert_allclose(found[system, resample], expected, atol=1e-9)


def test_means_leave_out_what_is_undefined():
    values = np.array([[[0.2], [np.nan]], [[0.4], [0.8]], [[np.nan], [np.nan]]])
    assert dec.mean_over_systems(values) == pytest.approx([np.mean([0.3, 0.8])])
    drawn = np.array([[2, 1, 5]])
    assert dec.mean_over_systems(values, drawn) == pytest.approx([np.mean([0.8 / 3, 0.8])])
    assert np.isnan(dec.mean_over_systems(np.full((2, 1, 3), np.nan))).all()


@given(seeds)
def test_an_exchange_gives_each_side_the_others_ranks(seed):
    """Against a loop over masks with scipy."""
    rng = np.random.default_rng(seed)
    people = rng.integers(-4, 1, (2, 12)).astype(float)
    one, other = rng.integers(0, 6, (2, 2, 12)).astype(float)
    masks = dec.exchange_masks(12, 30, rng)
    found = dec.exchange_test(one, other, people, masks)

    def mean(cases):
        return np.nanmean([scipy_tau(*pair) for pair in zip(cases, people, strict=True)])

    ranks = [stats.rankdata(side, axis=1) for side in (one, other)]
    differences = [
        mean(np.where(mask, ranks[1], ranks[0])) - mean(np.where(mask, ranks[0], ranks[1]))
        for mask in masks.T
    ]
    assert found.value == pytest.approx(mean(one), abs=1e-12)
    assert found.other == pytest.approx(mean(other), abs=1e-12)
    reached = (np.abs(differences[1:]) >= abs(differences[0]) - 1e-12).sum()
    expected = (1 + reached) / 31
    if reached < dec.FEW and any(differences):
        spread = np.sqrt(np.mean(np.square(differences[1:])))
        expected = min(expected, 2 * stats.norm.sf(abs(differences[0]) / spread))
    assert found.p == pytest.approx(expected)


def test_the_exchange_test_has_its_size_and_power():
    """Two equally noisy difficulties differ in about 5 % of the draws; less noise wins."""
    rng, p = np.random.default_rng(1), {1.0: [], 0.4: []}
    for noise, found in p.items():
        for _ in range(150):
            truth = rng.normal(size=80)
            people = -truth + rng.normal(size=(4, 80))
            one, other = truth + rng.normal(size=80), truth + noise * rng.normal(size=80)
            pair = [np.broadcast_to(each, people.shape) for each in (one, other)]
            found.append(dec.exchange_test(*pair, people, dec.exchange_masks(80, 199, rng)).p)
    assert 0.01 <= np.mean(np.array(p[1.0]) <= 0.05) <= 0.1  # 3 standard errors
    assert np.mean(np.array(p[0.4]) <= 0.05) > 0.8


def controls(difficulty, people, lengths):
    """DEC plain, within tenths of length, and partial."""
    judged = dec.Judged(people, lengths, length_deciles(lengths), 0.0)
    values = np.broadcast_to(difficulty, people.shape)
    counts = once(people.shape[1])
    found = [
        dec.taus(values, people, counts),
        dec.taus(values, people, counts, judged.deciles),
        dec.partial_correlations(values, judged, counts),
    ]
    return [float(dec.mean_over_systems(each)[0]) for each in found]


def test_control_of_length_does_nothing_where_length_has_no_influence():
    rng = np.random.default_rng(11)
    lengths, truth = rng.lognormal(4, 1, 4000), rng.normal(size=4000)
    people = -truth + rng.normal(size=(5, 4000))
    plain, within, partial = controls(truth + rng.normal(size=4000), people, lengths)
    assert within == pytest.approx(plain, abs=0.01)
    ranks = stats.spearmanr  # the partial one is a correlation of ranks
    expected = np.mean([ranks(truth, -own).statistic for own in people])
    own = controls(truth, people, lengths)[2]
    assert own == pytest.approx(expected, abs=0.01)
    assert partial > 0.3


def test_control_of_length_removes_everything_where_difficulty_is_length_alone():
    """People and the estimator see length through a curve and noise of their own. Within tenths
    about a tenth of it is left, for length differs within a tenth; Kendall's partial τ would leave
    more."""
    rng = np.random.default_rng(12)
    lengths = rng.lognormal(4, 1, 6000)
    people = -np.sqrt(lengths) + 4 * rng.normal(size=(5, 6000))
    difficulty = np.log(lengths) + rng.normal(size=6000)
    plain, within, partial = controls(difficulty, people, lengths)
    assert plain > 0.25
    assert abs(within) < 0.12 * plain
    assert abs(partial) < 0.03
    taus = [
        [stats.kendalltau(x, y).statistic for x, y in ((difficulty, own), (lengths, own))]
        for own in -people
    ]
    of_length = stats.kendalltau(difficulty, lengths).statistic
    left = [
        (own - of_length * other) / np.sqrt((1 - of_length**2) * (1 - other**2))
        for own, other in taus
    ]
    assert np.mean(left) > 0.05


@pytest.fixture(scope="module", params=["en-de", "zh-en"])
def wmt23_set(request, real, shared):
    """A set of WMT23, its judged hypotheses, its folder and independent code's numbers."""
    oracle = json.loads((shared / f"oracles/dec.wmt23.{request.param}.json").read_text())
    found = read_evaluation_set(real / "wmt23", "wmt23", request.param, "refA", "mqm")
    assert found.systems == oracle["systems"]
    lengths = np.array([len(text) for text in found.source], dtype=float)
    people = np.array(found.segment_gold, dtype=float)
    judged = dec.Judged(people, lengths, length_deciles(lengths), 0.0)
    return found, judged, real / "wmt23", oracle


def disagreement(found, folder):
    """1 − mean chrF of all ordered pairs of hypotheses, (segments,), of which the oracle takes a
    byte order mark at the head of a file as text (AIRC, en-de)."""
    files = [folder / f"system-outputs/{found.pair}/{name}.txt" for name in found.systems]
    marks = ["\ufeff" * file.read_bytes().startswith(b"\xef\xbb\xbf") for file in files]
    texts = [[m + own[0], *own[1:]] for m, own in zip(marks, found.hypotheses, strict=True)]
    metric, total = make_metric("chrF", found.pair, {"type": "chrf"}), 0
    for other in texts:
        statistics = metric.segment_statistics(texts, other)
        total = total + type(metric).segment_scores(statistics).sum(axis=0)
    return 1 - total / 100 / len(found.systems) ** 2


def wmt23_difficulty(found, folder, name):
    """A difficulty of the oracle, (systems, segments)."""
    crowd, _, metric = name.partition(":")
    if metric:
        name, _, reference = metric.rpartition("-")
        stored = {"type": "stored", "name": name, "reference": reference}
        scores = make_metric(metric, found.pair, stored).evaluate(found, folder)[:, :, 0]
        settings = {"type": "crowd", "metric": metric, "statistic": crowd.removeprefix("crowd_")}
        return estimate(make_estimator(settings), found, scores)[1]
    if name == "mean_chunk_entropy":
        entropy = estimate(make_estimator({"type": "chunk_entropy"}), found, None)[1]
        mean = make_estimator({"type": "mean", "difficulty": "chunk_entropy"})
        return estimate(mean, found, entropy)[1]
    if name.startswith("disagreement"):  # with a hypothesis's chrF to itself
        return np.broadcast_to(disagreement(found, folder), (len(found.systems), len(found.source)))
    if name == "source_words":  # of Chinese, too, what white space separates
        words = np.array([len(text.split()) for text in found.source], dtype=float)
        return np.broadcast_to(words, (len(found.systems), len(words)))
    settings = {
        "source_characters": {"type": "length", "count": "all_characters"},
        "human_other_systems": {"type": "human"},
    }[name]
    return estimate(make_estimator(settings), found, None)[1]


@pytest.mark.slow
def test_dec_is_that_of_independent_code(wmt23_set):
    """DEC, by system, and within tenths of length, of 13 difficulties, to 1e-9."""
    found, judged, folder, oracle = wmt23_set
    counts = once(len(found.source))
    assert len(oracle["DEC"]) == 13
    for name, expected in oracle["DEC"].items():
        difficulty = wmt23_difficulty(found, folder, name)
        own = dec.taus(difficulty, judged.people, counts)
        assert dec.mean_over_systems(own)[0] == pytest.approx(expected, abs=1e-9), name
        of_systems = [oracle["DEC_by_system"][name][system] for system in found.systems]
        np.testing.assert_allclose(own[:, 0, 0], of_systems, atol=1e-9, err_msg=name)
        within = dec.taus(difficulty, judged.people, counts, judged.deciles)
        controlled = oracle["DEC_within_length_deciles"][name]
        assert dec.mean_over_systems(within)[0] == pytest.approx(controlled, abs=1e-9), name
