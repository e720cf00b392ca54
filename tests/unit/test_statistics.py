"""Every statistic of the registry, of systems, subsets of systems and segments: against SciPy,
loops, and the WMT toolkit's values."""

import json
from fractions import Fraction
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from memory import peak_of
from scipy import stats

from mt_difficulty import statistics
from mt_difficulty.compiled import samples as compiled
from mt_difficulty.compiled.samples import STATISTICS as COMPILED
from mt_difficulty.compiled.samples import mean_correlations
from mt_difficulty.evidence import subsets
from mt_difficulty.evidence.subsets import (
    CORRELATIONS,
    correlate,
    correlation_tables,
    random_subsets,
    subset_means,
    system_subsets,
)
from mt_difficulty.statistics import STATISTICS, evaluate
from mt_difficulty.statistics.acc_eq import agreeing, calibrate
from mt_difficulty.statistics.base import defined, grouped

OF_SCORES = statistics.of_scores(STATISTICS)
# Few distinct values, so that ties are frequent.
TIES = st.integers(-3, 3).map(float)
TIED, TIED_OR_NAN = (arrays(float, (4, 7), elements=of) for of in (TIES, TIES | st.just(np.nan)))


def accuracy(scores, gold):
    """Pairwise accuracy (Kocmi et al. 2021), of the pairs that gold orders."""
    pairs = [(a, b) for a in range(len(gold)) for b in range(a) if gold[a] != gold[b]]
    return np.mean([np.sign(scores[a] - scores[b]) == np.sign(gold[a] - gold[b]) for a, b in pairs])


BY_HAND = {
    "pearson": lambda x, y: stats.pearsonr(x, y).statistic,
    "kendall": lambda x, y: stats.kendalltau(x, y).statistic,
    "spearman": lambda x, y: stats.spearmanr(x, y).statistic,
    "accuracy": accuracy,
}


def by_hand(x, y):
    varied = np.ptp(x) > 0 and np.ptp(y) > 0
    return [by(x, y) if varied else np.nan for by in BY_HAND.values()]


@given(TIED, TIED)
def test_statistics_by_scipy_and_loops(scores, gold):
    found = evaluate(list(BY_HAND), scores, gold)
    expected = [by_hand(x, y) for x, y in zip(scores, gold, strict=True)]
    np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_array_equal(np.transpose(correlate(scores, gold)), found[:, :3])


@pytest.mark.parametrize("size", [200, 201, 3000, 5000, 50_000])
def test_spearman_of_many_values_is_that_of_scipy(size):
    """Sums of 3,000 ranks have a product beyond 2^63."""
    rng = np.random.default_rng(size)
    scores, gold = rng.integers(0, size // 2, (2, size)), rng.normal(size=size)
    found = STATISTICS["spearman"]()(scores, gold)
    np.testing.assert_allclose(found, [stats.spearmanr(x, gold).statistic for x in scores])


def test_spearman_of_many_values_needs_no_table_of_pairs():
    values = np.random.default_rng(1).normal(size=(2, 20_000))
    assert peak_of(lambda: STATISTICS["spearman"]()(*values)) < 10e6


@pytest.mark.parametrize("name", STATISTICS)
def test_a_statistic_is_of_the_last_axes(name):
    kind, rng = STATISTICS[name], np.random.default_rng(1)
    scores, gold = rng.normal(size=(4, 5, 7, 7)), rng.normal(size=(7, 7))
    found = kind()(scores, gold)
    expected = [[kind()(one, gold) for one in row] for row in scores]
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("name", OF_SCORES)
def test_higher_is_better_and_undefined_is_nan(name):
    gold = np.array([1.0, 2, 3, 4])
    rows = [[1, 2, 3, 4], [4, 3, 2, 1], [1, np.nan, 3, 4], [2, 2, 2, 2], [np.inf, 1, 2, 3]]
    statistic = STATISTICS[name]()
    found = statistic(np.array(rows), gold)
    assert found[0] > found[1]
    np.testing.assert_array_equal(found[2:], [np.nan] * 3)
    assert np.isnan(statistic(gold, np.ones(4)))


def test_soft_pairwise_accuracy_by_its_definition():
    metric = np.array([[0.5, 0.1, 0.4], [0.9, 0.5, 0.7], [0.6, 0.3, 0.5]])
    people = np.array([[0.5, 0.0, 0.9], [1.0, 0.5, 0.7], [0.1, 0.3, 0.5]])
    soft_accuracy = STATISTICS["soft_accuracy"]()
    found = soft_accuracy(np.array([metric, people]), people)
    np.testing.assert_allclose(found, [1 - (0.1 + 0.5 + 0.0) / 3, 1])
    metric[0, 1] = np.nan
    assert np.isnan(soft_accuracy(metric, people))


# Subsets of systems


def test_every_subset_is_equally_likely():
    draws = random_subsets(4, 2, 6000, np.random.default_rng(3))
    counts = [np.sum((draws == pair).all(axis=1)) for pair in combinations(range(4), 2)]
    assert stats.chisquare(counts).pvalue > 1e-3


def correlate_scores(scores, gold, sizes, draws, seed=0, outliers=()):
    """`correlation_tables` of scores by metric and weighting, lower is better."""
    names = list("abcdefghi")[: len(gold)]
    scored = SimpleNamespace(
        quality=lambda index: {key: of_key[index] for key, of_key in scores.items()},
        plain={metric: SimpleNamespace(sign=-1) for metric, _ in scores},
        systems=names,
    )
    evalset = SimpleNamespace(systems=names, gold=gold, outliers=outliers)
    subsets = system_subsets(evalset, sizes, draws, seed)
    return correlation_tables(scored, np.array(gold), CORRELATIONS, subsets)


def test_subsets_against_a_loop():
    rng = np.random.default_rng(5)
    scores, gold = rng.random((2, 6)), rng.random(6)
    found = {("m", "standard"): scores[0], ("m", "EE"): scores[1]}
    mean, spread, top = correlate_scores(found, gold, [4, 9], 50, 7, ["c"])
    assert mean.groupby("subset")["size"].unique().map(list).to_dict() == {
        "all": [6],
        "random": [4],  # 9 of 6 systems cannot be drawn
        "top": [6, 5, 4, 3],
        "without outliers": [5],
    }
    draws = random_subsets(6, 4, 50, np.random.default_rng(7))
    values = np.array([by_hand(scores[1][draw], gold[draw])[:3] for draw in draws])
    of_draws = {
        "mean": (mean, values.mean(axis=0)),
        "spread": (spread, values.std(axis=0, ddof=1)),
    }
    for name, (frame, expected) in of_draws.items():
        row = frame[(frame.subset == "random") & (frame.weighting == "EE")].iloc[0]
        correlations = row[list(CORRELATIONS)].astype(float)
        np.testing.assert_allclose(correlations, expected, err_msg=name)
        assert row.draws == 50, name
    best, inliers = np.argsort(-gold)[:3], [0, 1, 3, 4, 5]
    for subset, size, chosen in (("top", 3, best), ("without outliers", 5, inliers)):
        row = mean[(mean.subset == subset) & (mean["size"] == size)].iloc[0]
        expected = by_hand(scores[0][chosen], gold[chosen])[:3]
        correlations = row[list(CORRELATIONS)].astype(float)
        np.testing.assert_allclose(correlations, expected, err_msg=subset)
    assert row.left_out == "c"
    rows = top[(top["size"] == 3) & (top.weighting == "EE")]
    assert rows.system.tolist() == ["abcdef"[place] for place in best]
    np.testing.assert_array_equal(rows.score, -scores[1][best])


@pytest.mark.parametrize(
    ("scores", "gold", "reason"),
    [
        ([1, 1, 1, 1], [1, 2, 3, 4], "all systems have the same score"),
        ([1, 1, 1, 1], [2, 2, 2, 2], "all human scores are equal"),
        ([np.nan, 1, 2, 3], [4, 3, 2, 1], "a system has no score"),
        # Their sum is too large for a float.
        ([1e308, -1e308, 1.5e308, 5e307], [4, 3, 2, 1], "the correlation is undefined"),
    ],
)
def test_what_cannot_be_correlated_has_a_reason(scores, gold, reason):
    scores, gold = {("m", "EE"): np.array(scores, dtype=float)}, np.array(gold, dtype=float)
    mean, spread, _ = correlate_scores(scores, gold, [4], 5)
    rows = mean[mean["size"] == 4]
    assert rows.subset.tolist() == ["all", "top", "random"]
    assert rows.reason.tolist() == [reason] * 3
    np.testing.assert_array_equal(rows[list(CORRELATIONS)].isna(), True)
    assert rows.draws.tolist() == [0] * 3
    np.testing.assert_array_equal(spread[list(CORRELATIONS)].isna(), True)


@pytest.mark.parametrize("changed", ["scores", "gold", "both"])
@pytest.mark.parametrize("factor", [2.0**-1000, 2.0**600])
def test_very_large_and_very_small_scores_correlate_as_any(factor, changed):
    rng = np.random.default_rng(1)
    scores, gold, subsets = rng.random((2, 5)), rng.random(5), np.array([[0, 1, 2], [1, 2, 4]])
    scaled = scores if changed == "gold" else factor * scores
    scaled_gold = gold if changed == "scores" else factor * gold
    np.testing.assert_array_equal(correlate(scaled, scaled_gold), correlate(scores, gold))
    found = mean_correlations(scaled, scaled_gold, subsets)
    np.testing.assert_array_equal(found, mean_correlations(scores, gold, subsets))


@given(TIED_OR_NAN, TIED, st.integers(0, 1000))
def test_means_over_subsets_are_those_of_the_plain_statistics(scores, gold, seed):
    """Compiled, and of statistics without a compiled path. Human scores may differ by resample."""
    index = random_subsets(7, 4, 20, np.random.default_rng(seed))
    found = mean_correlations(scores, gold, index)
    expected = []
    for x, y in zip(scores, gold, strict=True):
        there = index[defined(x[index], y[index])]
        each = evaluate(COMPILED, x[there], y[there]) if len(there) else np.full((1, 4), np.nan)
        expected.append(each.mean(axis=0))
    np.testing.assert_allclose(found, expected, atol=1e-12)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "STATISTICS", ())
        np.testing.assert_allclose(subset_means(COMPILED, scores, gold, index), found, atol=1e-12)


def test_outliers_by_scaled_deviation():
    """Median 3, MAD 1.483 · 1: beyond 3.7 from the median."""
    gold = np.array([1.0, 2, 3, 4, 6.6, 6.8, 2.5, 3.5, 3])
    assert not list(subsets.without_outliers(list("abcde"), np.array([1.0, 1, 1, 1, 9]), []))
    listed, by_deviation = subsets.without_outliers(list("abcdefghi"), gold, ["a"])
    assert (listed[0], listed[2]) == ("without outliers", "a")
    assert (by_deviation[0], by_deviation[2]) == ("without outliers (MAD)", "f")
    assert by_deviation[1].tolist() == [0, 1, 2, 3, 4, 6, 7, 8]


# Segment scores

PEARSON, KENDALL, ACC23, ACC_EQ = (
    STATISTICS[name]() for name in ("segment_pearson", "segment_kendall", "acc23", "acc_eq")
)


def calibrated(scores, gold):
    groups = grouped(gold, "item")
    return calibrate(scores.ravel()[groups.cells], groups)


def groups_of(scores, gold, grouping):
    """Scores and human scores of each group, where there are human scores."""
    rows = {"none": [(scores.ravel(), gold.ravel())], "system": zip(scores, gold, strict=True)}
    rows["item"] = zip(scores.T, gold.T, strict=True)
    for x, y in rows[grouping]:
        yield x[~np.isnan(y)], y[~np.isnan(y)]


def loop_correlation(statistic, scores, gold, grouping):
    values = [
        statistic(x, y).statistic
        for x, y in groups_of(scores, gold, grouping)
        if len(x) > 1 and np.ptp(x) and np.ptp(y)
    ]
    values = [value for value in values if not np.isnan(value)]
    return np.mean(values) if values else np.nan


def loop_accuracy(scores, gold, epsilon):
    """Pairwise accuracy with ties, an exact fraction; None without a pair."""
    shares = []
    for x, y in groups_of(scores, gold, "item"):
        alike = []
        for a, b in combinations(range(len(x)), 2):
            own = 0 if abs(x[a] - x[b]) <= epsilon else np.sign(x[a] - x[b])
            alike.append(int(own == np.sign(y[a] - y[b])))
        if alike:
            shares.append(Fraction(sum(alike), len(alike)))
    return sum(shares) / len(shares) if shares else None


@pytest.mark.parametrize(
    ("ours", "scipys"),
    [(PEARSON, stats.pearsonr), (KENDALL, stats.kendalltau)],
    ids=["pearson", "kendall"],
)
@given(TIED, TIED_OR_NAN, st.sampled_from(["none", "item", "system"]))
def test_segment_correlations_by_scipy(ours, scipys, scores, gold, grouping):
    expected = loop_correlation(scipys, scores, gold, grouping)
    assert ours(scores, gold, grouping) == pytest.approx(expected, abs=1e-12, nan_ok=True)


@given(TIED, TIED_OR_NAN)
def test_segment_accuracies_by_loops(scores, gold):
    differences = {0.0}
    for x, _ in groups_of(scores, gold, "item"):
        differences |= {float(abs(a - b)) for a, b in combinations(x, 2)}
    values = {epsilon: loop_accuracy(scores, gold, epsilon) for epsilon in sorted(differences)}
    best, expected = (np.nan, np.nan), np.nan
    if None not in values.values():
        epsilon = max(values, key=values.get)  # the first of several
        best, expected = (float(values[epsilon]), epsilon), float(values[0.0])
    assert ACC23(scores, gold) == pytest.approx(expected, abs=1e-15, nan_ok=True)
    np.testing.assert_array_equal(calibrated(scores, gold), best)
    np.testing.assert_array_equal(ACC_EQ(scores, gold), best[0])


@given(TIED, TIED_OR_NAN, st.integers(0, 27), st.sampled_from([np.nan, np.inf]))
def test_a_missing_metric_score_counts_where_there_is_a_human_score(scores, gold, place, missing):
    whole = [KENDALL(scores, gold, "item"), *calibrated(scores, gold)]
    scores = scores.copy()
    scores.flat[place] = missing
    found = [KENDALL(scores, gold, "item"), *calibrated(scores, gold)]
    expected = whole if np.isnan(gold.flat[place]) else [np.nan] * 3
    np.testing.assert_array_equal(found, expected)


def test_scores_exactly_a_threshold_apart_tie():
    """Thresholds are differences of scores. With ε = 2, 1 and 3 tie, 3 and 6 do not."""
    scores, pairs = np.array([1.0, 3, 6]), np.array([[0, 0, 1], [1, 2, 2]])
    found = agreeing(scores, np.array([5.0, 5, 9]), pairs, 2.0)
    assert found.tolist() == [True, True, True]
    found = agreeing(scores, np.array([4.0, 5, 5]), pairs, 2.0)
    assert found.tolist() == [False, True, False]


# Of the toolkit's function `tau_optimization` on the same scores.
EPSILON = {
    "en-de": {"XCOMET-XL-refA": 0.0018290000000000806, "MEE4-refA": 4.640105241149328e-07},
    "zh-en": {"KG-BERTScore-src": 0.0015460000000000473, "BLEU-refA": 3.552713678800501e-15},
}


@pytest.mark.parametrize("pair", EPSILON)
def test_values_of_the_wmt_toolkit(pair, shared, wmt23):
    """All 43 metrics of WMT23 MQM. The oracle's `epsilon_item` is 0 for all of them, although its
    accuracies are those of calibrated ties: thresholds are the toolkit's for 75 of 86; of the
    others its rounded running sums differ by less than 1e-15 between our threshold and its own."""
    oracle = json.loads((shared / "oracles" / f"mtme.wmt23.{pair}.json").read_text())["seg"]
    gold, scores = wmt23(pair, list(oracle))
    names = {(ACC23, "item"): "acc23_item_nothreshold", (ACC_EQ, "item"): "acc_t_item"}
    for grouping, short in (("none", "none"), ("item", "item"), ("system", "sys")):
        names |= {
            (PEARSON, grouping): f"pearson_{short}",
            (KENDALL, grouping): f"kendall_b_{short}",
        }
    for (statistic, grouping), name in names.items():
        expected = [row[name] for row in oracle.values()]
        found = statistic(scores, gold, grouping)
        np.testing.assert_allclose(found, expected, atol=1e-13, err_msg=name)
    epsilons = {
        metric: calibrated(scores[list(oracle).index(metric)], gold)[1] for metric in EPSILON[pair]
    }
    assert epsilons == EPSILON[pair]
