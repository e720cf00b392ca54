"""The statistics of the metrics task: on WMT23 those of the official toolkit, to the last digits;
elsewhere those of loops over single parts. Permutation tests between all pairs of metrics, against
loops over the same masks."""

import json
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from conftest import make_evalset, settings_of
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats
from scipy.special import ndtr

from mt_difficulty.data.build_set import ImportSettings
from mt_difficulty.data.evalset import SetFiles
from mt_difficulty.data.import_set import read_evaluation_set
from mt_difficulty.evidence import gains, metric_table, resampling, subsets
from mt_difficulty.evidence.metric_table import agreement_tables, clusters
from mt_difficulty.evidence.subsets import correlate
from mt_difficulty.metrics import make_metric, metric_settings
from mt_difficulty.metrics.base import Metric
from mt_difficulty.scores import ScoredSet
from mt_difficulty.statistics import STATISTICS, evaluate, of_scores
from mt_difficulty.statistics.acc_eq import calibrate
from mt_difficulty.statistics.base import grouped
from mt_difficulty.weighting.base import WeightedMetric

NAMES = ["pearson", "kendall", "spearman", "accuracy", "soft_accuracy"]
NAMES += ["segment_pearson", "segment_kendall", "acc23", "acc_eq"]


def set_scores(found, statistics, types, weightings=None, difficulty=None):
    """What a set's results give, from arrays."""
    contents = {"evalset.json": found}
    contents |= {f"statistics/{name}.npz": arrays for name, arrays in statistics.items()}
    described = {"difficulties": {}, "weightings": {}}
    settings = {"metrics": types}
    if weightings:
        arrays = {"difficulty": difficulty, "signature": "given"}
        contents["difficulty/given.npz"] = arrays
        entry = {"unit": "segment", "difficulty": "given", "missing": ""}
        entry |= {"signature": "", "parameters": {"h": 0.5, "w": 0.4}}
        described["weightings"] = dict.fromkeys(weightings, entry)
        settings["difficulties"] = {"given": {"type": "file", "file": "x"}}
        settings["weightings"] = weightings
    files = SetFiles("x", contents | {"weightings.json": described})
    return ScoredSet(files, settings_of(**settings))


def arrays_of(values, systems, **more):
    return {"statistics": values, "systems": np.array(systems), "signature": "sig"} | more


def whole_set(scores, found, missing, statistics, resamples, seed=7):
    of_set = subsets.system_subsets(found, [], 0, 0)
    gold, names = np.array(found.gold), of_scores(statistics)
    correlations, *_ = subsets.correlation_tables(scores, gold, names, of_set)
    return gains.WholeSet(scores, found, correlations, missing, statistics, resamples, seed)


def tables(scores, found, statistics=NAMES, resamples=100, missing=None):
    return agreement_tables(whole_set(scores, found, missing or {}, statistics, resamples))


def values(frame, statistic, grouping="", weighting="standard", **where):
    rows = frame[(frame.statistic == statistic) & (frame.grouping == grouping)]
    rows = rows[rows.weighting == weighting]
    for column, value in ({"subset": "all", "domain": ""} | where).items():
        rows = rows[rows[column] == value]
    return rows.set_index("metric").value


@pytest.mark.slow
@pytest.mark.parametrize("pair", ["en-de", "zh-en"])
def test_values_are_the_toolkits_and_ranks_are_of_metrics_with_segment_scores(pair, real, shared):
    """Of the archive's system scores, humans out; SPA but for random numbers."""
    oracle = json.loads((shared / f"oracles/mtme.wmt23.{pair}.json").read_text())
    out = ["synthetic_ref"]
    found = read_evaluation_set(
        real / "wmt23", ImportSettings("wmt23", pair, "refA", "mqm", outliers=out)
    )
    statistics, types = {}, {}
    for full in oracle["sys"]:
        name, _, reference = full.rpartition("-")
        types[full] = {"type": "stored", "name": name, "reference": reference}
        metric = make_metric(full, pair, metric_settings(types[full]))
        statistics[full] = arrays_of(metric.evaluate(found, real / "wmt23"), found.systems)
        if metric.system_scores is not None:
            statistics[full]["system_scores"] = metric.system_scores
    frame, tests = tables(set_scores(found, statistics, types), found)
    for name, key in (("pearson", "pearson"), ("kendall", "kendall_b"), ("spearman", "spearman")):
        found = values(frame, name)
        assert len(found) == len(oracle["sys"]) >= 43, name
        for metric, expected in oracle["sys"].items():
            assert found[metric] == pytest.approx(expected[key], abs=1e-9), (metric, name)
    mean = frame.assign(weighting="standard")[frame.value.notna()]
    spa, acc = values(mean, "soft_accuracy"), values(mean, "acc_eq", "item")
    for metric, expected in oracle["seg"].items():
        assert spa[metric] == pytest.approx(expected["spa"], abs=0.01), metric
        assert acc[metric] == pytest.approx(expected["acc_t_item"], abs=1e-9), metric

    ranked = frame[frame["rank"].notna()]
    heads = set(zip(ranked.statistic, ranked.grouping, strict=True))
    assert heads == {
        *((name, "") for name in NAMES[:5]),
        *(("acc_eq", "item"), ("acc23", "item")),
        *(("segment_pearson", "none"), ("segment_pearson", "system")),
    }
    # Metrics with system scores alone are ranked by the statistics of systems but for SPA.
    of_systems = {("pearson", ""), ("spearman", ""), ("kendall", ""), ("accuracy", "")}
    pairs = 0
    for head, rows in ranked.groupby(["statistic", "grouping"]):
        assert set(rows.metric) == set(oracle["sys" if head in of_systems else "seg"]), head
        pairs += len(rows) * (len(rows) - 1) / 2
    assert len(tests) == pairs
    assert tests[~tests.p.between(0, 1)].to_dict("records") == []
    assert tests[~(tests.difference >= 0)].to_dict("records") == []


SYSTEMS, SEGMENTS = ["A", "B", "C", "D", "E"], 120


@pytest.fixture
def simulated():
    """Two metrics with segment scores, one with system scores alone, of a set with two domains, an
    outlier and segments that are not rated."""
    rng = np.random.default_rng(5)
    truth = np.arange(5.0)[:, None] + rng.normal(size=(5, SEGMENTS))
    people = truth + rng.normal(size=(5, SEGMENTS))
    people[:, 100:] = np.nan
    texts = [[f"segment {i}" for i in range(SEGMENTS)]] * 5
    found = replace(
        make_evalset(texts, texts[0]),
        systems=SYSTEMS,
        gold=np.nanmean(people, axis=1).tolist(),
        segment_gold=people.tolist(),
        domains=["news"] * 60 + ["speech"] * 60,
        domain_gold={"news": [1.0, 2.0, 3.0, 5.0, 4.0]},
        outliers=["E", "gone"],
    )
    metric = {name: truth + rng.normal(size=(5, SEGMENTS)) for name in ("one", "other")}
    statistics = {name: arrays_of(of[..., None], SYSTEMS) for name, of in metric.items()}
    statistics["alone"] = arrays_of(np.arange(5.0)[:, None, None], SYSTEMS)
    types = {name: {"type": "stored"} for name in statistics}
    weightings = {"EE": {"type": "EE", "difficulty": "given", "threshold": 0.5, "easy_weight": 0.4}}
    scores = set_scores(found, statistics, types, weightings, rng.random((5, SEGMENTS)))
    return found, scores, metric, people


def test_parts_of_a_set(simulated):
    """Domains and inliers, against the statistics of their own scores."""
    found, scores, metric, people = simulated
    frame, _ = tables(scores, found)
    rated, one = slice(0, 100), metric["one"]
    assert values(frame, "pearson")["one"] == pytest.approx(
        correlate(one[:, rated].mean(axis=1), np.array(found.gold)).pearson, abs=1e-9
    )
    inliers = values(frame, "pearson", subset=subsets.LISTED)["one"]
    assert inliers == pytest.approx(
        correlate(one[:4, rated].mean(axis=1), np.array(found.gold)[:4]).pearson, abs=1e-9
    )
    # News has the archive's human scores; those of speech are means over its rated segments.
    for domain, segments, gold in (
        ("news", slice(0, 60), np.array(found.domain_gold["news"])),
        ("speech", slice(60, 100), people[:, 60:100].mean(axis=1)),
    ):
        expected = correlate(one[:, segments].mean(axis=1), gold).kendall
        kendall = values(frame, "kendall", domain=domain)["one"]
        assert kendall == pytest.approx(expected), domain
        expected = STATISTICS["acc_eq"]()(one[:, segments], people[:, segments])
        accuracy = values(frame, "acc_eq", "item", domain=domain)["one"]
        assert accuracy == pytest.approx(expected), domain
    counts = frame.groupby("domain").segments.unique()
    assert [counts[name].tolist() for name in ("", "news", "speech")] == [[100], [60], [40]]


def test_soft_accuracy_of_the_rated_segments_has_an_interval_and_one_of_its_gain(simulated):
    found, scores, _, people = simulated
    frame, _ = tables(scores, found, resamples=200)
    spa = frame[(frame.statistic == "soft_accuracy") & (frame.domain == "")]
    spa = spa[spa.subset == "all"].set_index(["metric", "weighting"])
    row, plain = spa.loc["one", "EE"], spa.loc["one", "standard"]
    assert row.low <= row.value <= row.high
    assert row.difference == pytest.approx(row.value - plain.value, abs=1e-12)
    assert row.difference_low <= row.difference <= row.difference_high
    # Of SPA under the weighting minus that without it, on the same resamples.
    whole = whole_set(scores, found, {}, NAMES, 200)
    sides = [whole.with_segments["one", name] for name in ("EE", "standard")]
    weights = resampling.bootstrap_weights(100, 200, np.random.default_rng([7, 0]))
    quality = np.array(resampling.resampled_scores(sides, weights))
    influence = np.array([side.influence() for side in sides])
    of_sides = quality, influence, people[:, :100], weights
    ends = np.percentile(np.subtract(*resampling.bootstrap_soft_accuracy(*of_sides)), [2.5, 97.5])
    assert row[["difference_low", "difference_high"]].tolist() == pytest.approx(ends, abs=1e-6)
    assert plain[["difference", "difference_low"]].dropna().to_dict() == {}


def test_what_is_undefined_has_a_reason(simulated):
    found, scores, _, _ = simulated
    frame, _ = tables(scores, found, missing={("one", "EE"): "given"})
    assert frame[frame.value.isna() & (frame.reason == "")].to_dict("records") == []
    assert set(frame.reason[frame.value.notna()]) == {""}
    few = frame[(frame.statistic == "soft_accuracy") & (frame.domain == "speech")].reason
    assert set(few) == {gains.FEW.format(40, 50)}
    of_ee = frame[(frame.level == "segment") & (frame.weighting == "EE") & (frame.domain == "")]
    assert set(of_ee.reason[of_ee.metric == "one"]) == {metric_table.NOT_OF_SEGMENTS}
    alone = frame[(frame.level == "segment") & (frame.metric == "alone")]
    assert set(alone.reason) == {metric_table.NO_SEGMENT_SCORES}
    assert values(frame, "pearson")["alone"] == pytest.approx(
        correlate(np.arange(5.0), np.array(found.gold)).pearson
    )


KEYS, RATED = 3, 30
ACC_EQ = STATISTICS["acc_eq"]()


def reached(permuted, observed):
    """One-sided p with +1 that the difference is reached; undefined ones reach it."""
    return (1 + sum(not d < observed - 1e-12 for d in permuted)) / (1 + len(permuted))


@pytest.fixture
def rng():
    return np.random.default_rng(17)


@pytest.fixture
def scores(rng):
    """Three metrics' scores of five systems; the last metric has few distinct values."""
    found = rng.normal(size=(KEYS, 5, RATED)) + rng.normal(size=(5, 1)) / 2
    found[2] = np.round(found[2])
    return found


@pytest.fixture
def gold(rng, scores):
    return np.round(2 * scores[0] + 3 * rng.normal(size=scores[0].shape))


def loop_soft_accuracy(scores, variance, gold_p, segments):
    """SPA of one row of scores, by the normal approximation."""
    gaps = []
    for k, (a, b) in enumerate(combinations(range(len(scores)), 2)):
        d = scores[a] - scores[b]
        gaps.append(abs(ndtr(-d / np.sqrt(variance[k] + d * d / segments)) - gold_p[a, b]))
    return 1 - np.mean(gaps)


def loop_variance(influence, i, j):
    """Of the differences of systems' scores, mean over who scores the two systems."""
    centred = influence - influence.mean(axis=2, keepdims=True)
    return [
        np.mean([((centred[k, a] - centred[m, b]) ** 2).sum() for k in (i, j) for m in (i, j)])
        for a, b in combinations(range(influence.shape[1]), 2)
    ]


def test_tests_of_system_scores_by_loops(scores, gold):
    """Of means over segments: their halves, standardised, and what a segment adds to them."""
    metrics = [WeightedMetric.standard(Metric, one[..., None]) for one in scores]
    people = gold.mean(axis=1)
    gold_p = resampling.p_values(WeightedMetric.standard(Metric, gold[..., None]), 150, 3)
    first, second, share = resampling.random_halves(metrics, 150, np.random.default_rng([3, 5]))
    mean, deviation = (f(scores, axis=(1, 2))[:, None, None] for f in (np.mean, np.std))
    standard = (scores - mean) / deviation
    influence = (standard - standard.mean(axis=2, keepdims=True)) / RATED
    # Of the third metric two systems tie.
    observed = (np.array([one.observed_quality() for one in metrics]) - mean[..., 0]) / deviation[
        ..., 0
    ]

    def statistics(row, i, j):
        soft = loop_soft_accuracy(row, loop_variance(influence, i, j), gold_p, RATED)
        return [*evaluate(metric_table.SYSTEM[:4], row, people), soft]

    values = np.array([statistics(row, i, i) for i, row in enumerate(observed)]).T
    p = metric_table.system_tests(metrics, values[:4], people, gold_p, (150, 3))
    np.testing.assert_array_equal(p[:, range(KEYS), range(KEYS)], 1)
    expected = np.ones_like(p)
    for i, j in combinations(range(KEYS), 2):
        permuted = []
        for r in range(150):
            one = (1 - share[r]) * second[i, r] + share[r] * first[j, r]
            two = (1 - share[r]) * second[j, r] + share[r] * first[i, r]
            permuted.append(np.subtract(statistics(one, i, j), statistics(two, i, j)))
        for k, column in enumerate(np.transpose(permuted)):
            difference = values[k, i] - values[k, j]
            expected[k, i, j] = reached(column, difference)
            expected[k, j, i] = reached(-column, -difference)
    np.testing.assert_array_equal(p, expected)


def correlations(x, gold):
    """r of all scores, and the mean of systems' r, of those that have one."""
    rated = ~np.isnan(gold)
    each = [
        stats.pearsonr(row[there], people[there]).statistic
        for row, people, there in zip(x, gold, rated, strict=True)
        if there.sum() > 1 and np.ptp(row[there]) > 0 and np.ptp(people[there]) > 0
    ]
    return stats.pearsonr(x[rated], gold[rated]).statistic, np.mean(each)


def test_tests_of_segment_correlations_by_loops(rng, scores, gold, monkeypatch):
    gold[1, :7] = np.nan
    gold[2] = 1.0  # no correlation
    gold[3, 1:] = np.nan
    rated = ~np.isnan(gold)
    kept = resampling.random_bits((60, rated.sum()), rng)
    monkeypatch.setattr(metric_table, "random_bits", lambda shape, rng: kept)
    values, p = metric_table.correlation_tests(scores, gold, 60, rng)
    z = (scores - scores[:, rated].mean(axis=1)[:, None, None]) / scores[:, rated].std(axis=1)[
        :, None, None
    ]
    np.testing.assert_allclose(values.T, [correlations(x, gold) for x in z], atol=1e-12)
    masks = np.zeros((60, *gold.shape), bool)
    masks[:, rated] = kept
    for i, j in combinations(range(KEYS), 2):
        permuted = np.array(
            [
                np.subtract(
                    correlations(np.where(mask, z[i], z[j]), gold),
                    correlations(np.where(mask, z[j], z[i]), gold),
                )
                for mask in masks
            ]
        )
        for k in range(2):
            difference = values[k, i] - values[k, j]
            assert p[k, i, j] == reached(permuted[:, k], difference), (k, i, j)
            assert p[k, j, i] == reached(-permuted[:, k], -difference), (k, j, i)


def test_tests_of_comparisons_by_loops(rng, scores, gold, monkeypatch):
    gold[1, :7] = np.nan
    gold[:, 9] = np.nan
    groups = grouped(gold, "item")
    epsilon = [calibrate(x.ravel()[groups.cells], groups)[1] for x in scores]
    # By number of pairs of a segment, whether a metric orders or ties them as people do.
    agreed = {}
    for segment in range(RATED):
        rated = np.flatnonzero(~np.isnan(gold[:, segment]))
        pairs = list(combinations(rated, 2))
        for a, b in pairs:
            apart = scores[:, a, segment] - scores[:, b, segment]
            order = np.where(np.abs(apart) <= epsilon, 0, np.sign(apart))
            agreed.setdefault(len(pairs), []).append(
                order == np.sign(gold[a, segment] - gold[b, segment])
            )
    assert {size: len(rows) for size, rows in agreed.items() if size} == {6: 7 * 6, 10: 22 * 10}
    sizes = [10, 6]  # in the order of the weights of pairs
    bits = [resampling.random_bits((60, len(agreed[size])), rng) for size in sizes]
    flips, left = np.concatenate([2 * each - 1 for each in bits], axis=1), iter(bits)
    monkeypatch.setattr(metric_table, "random_bits", lambda shape, rng: next(left))
    (values,), (p,) = metric_table.comparison_tests(scores, gold, epsilon, 60, rng)
    np.testing.assert_allclose(values, ACC_EQ(scores, gold), atol=1e-12)
    weight = np.concatenate([np.full(len(agreed[size]), 1 / size / 29) for size in sizes])
    agree = np.concatenate([agreed[size] for size in sizes]).astype(float)
    for i, j in combinations(range(KEYS), 2):
        gain = weight * (agree[:, i] - agree[:, j])
        permuted = [(flip * gain).sum() for flip in flips]
        assert p[i, j] == reached(permuted, gain.sum()), (i, j)
        assert p[j, i] == reached(-np.array(permuted), -gain.sum()), (j, i)


def test_the_accuracy_that_is_tested_and_its_interval_are_those_of_calibrated_ties(rng):
    """Human scores with many ties make thresholds above 0, which are differences of scores. A
    segment with one human score is not resampled."""
    gold = rng.integers(2, size=(5, RATED)).astype(float)
    gold[1:, 9] = np.nan
    scores = np.nan_to_num(gold) + 2 * rng.normal(size=(1, 5, RATED))
    groups = grouped(gold, "item")
    accuracy, epsilon = calibrate(scores.ravel()[groups.cells], groups)
    assert epsilon > 0
    (values,), _ = metric_table.comparison_tests(scores, gold, np.array([epsilon]), 10, rng)
    np.testing.assert_allclose(values, accuracy, rtol=1e-12)
    rated, drawn = np.delete(np.arange(RATED), 9), []
    for counts in resampling.bootstrap_weights(RATED - 1, 50, np.random.default_rng([2, 0])):
        places = np.repeat(rated, counts)
        of_pairs = [
            (0 if abs(x[a] - x[b]) <= epsilon else np.sign(x[a] - x[b])) == np.sign(y[a] - y[b])
            for x, y in zip(scores[0].T[places], gold.T[places], strict=True)
            for a, b in combinations(range(5), 2)
        ]
        drawn.append(np.mean(of_pairs))
    found = metric_table.acc_eq_interval(scores[0], gold, epsilon, 50, 2)
    np.testing.assert_allclose(found, np.percentile(drawn, [2.5, 97.5]), rtol=1e-12)


@pytest.mark.parametrize("test", ["correlation", "comparison"])
def test_a_missing_score_leaves_no_p(scores, gold, rng, test):
    scores[1, 2, 3] = np.nan
    function = getattr(metric_table, f"{test}_tests")
    ties = (np.zeros(KEYS),) if test == "comparison" else ()
    values, p = function(scores, gold, *ties, 300, rng)
    np.testing.assert_array_equal(np.isnan(values[:, 1]), True)
    np.testing.assert_array_equal(np.isnan(p[:, 1]), True)
    assert (p[:, 0, 2] + p[:, 2, 0]).min() >= 1


def loop_clusters(p, order, level):
    """Ranks: the best key left and those after it, up to one that a key of these is better than."""
    ranks, left, rank = {}, list(order), 0
    while left:
        rank, cluster = rank + 1, []
        while left and not any(p[better][left[0]] <= level for better in cluster):
            cluster.append(left.pop(0))
        ranks |= dict.fromkeys(cluster, rank)
    return [ranks[key] for key in range(len(order))]


@given(
    hnp.arrays(float, (7, 7), elements=st.sampled_from([0.01, 0.05, 0.2, 0.6, np.nan])),
    st.permutations(range(7)),
)
def test_clusters_by_loops(p, order):
    found = clusters(p, np.array(order))
    np.testing.assert_array_equal(found, loop_clusters(p, order, 0.05))


def test_averages_weigh_years_alike():
    """A metric counts where every set of a group has its value; sets of a year share its weight."""
    rows = [
        *(("a", "2021", "M", 0.2, 1), ("a", "2021", "N", 0.5, 1)),
        *(("b", "2021", "M", 0.4, 2), ("c", "2022", "M", 0.9, 3), ("c", "2022", "N", 0.7, 1)),
    ]
    table = pd.DataFrame(rows, columns=["set", "year", "metric", "value", "rank"])
    fixed = {"subset": "all", "domain": "", "level": "system", "statistic": "soft_accuracy"}
    fixed |= {"grouping": "", "weighting": "standard", "gold": "mqm", "pair": "en-de"}
    found = metric_table.averages([table.assign(**fixed)])
    whole = found[found.group_by == "all"].set_index("metric")
    assert list(whole.index) == ["M"]
    numbers = whole.loc["M", ["sets", "mean", "weighted_mean", "mean_rank"]].astype(float)
    np.testing.assert_allclose(numbers, [3, 0.5, (0.3 + 0.9) / 2, 2])
    later = found[(found.group_by == "year") & (found.group == "2022")]
    assert later.metric.tolist() == ["M", "N"]
