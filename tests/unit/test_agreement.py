"""The statistics of the metrics task: on WMT23 those of the official toolkit, to the last digits;
elsewhere those of loops over single parts."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from conftest import make_evalset
from scipy import stats

from mt_difficulty.data.evalset import read_evaluation_set
from mt_difficulty.data.set_files import SetFiles
from mt_difficulty.evidence import metric_table, soft_accuracy, subsets
from mt_difficulty.evidence.metric_table import COLUMNS, TESTS, Agreement, rank_tables
from mt_difficulty.evidence.set_scores import SetScores
from mt_difficulty.evidence.subsets import correlate
from mt_difficulty.metrics import make_metric
from mt_difficulty.statistics import STATISTICS

NAMES = ["pearson", "kendall", "spearman", "accuracy", "soft_accuracy"]
NAMES += ["segment_pearson", "segment_kendall", "acc23", "acc_eq"]
ORACLE = {
    "pearson_none": ("segment_pearson", "none"),
    "pearson_item": ("segment_pearson", "item"),
    "pearson_sys": ("segment_pearson", "system"),
    "kendall_b_none": ("segment_kendall", "none"),
    "kendall_b_item": ("segment_kendall", "item"),
    "kendall_b_sys": ("segment_kendall", "system"),
    "acc23_item_nothreshold": ("acc23", "item"),
    "acc_t_item": ("acc_eq", "item"),
}


def set_scores(found, statistics, types, weightings=None, difficulty=None):
    """What a set's results give, from arrays."""
    contents = {"evalset.json": found}
    contents |= {f"statistics/{name}.npz": arrays for name, arrays in statistics.items()}
    described = {"difficulties": {}, "weightings": {}}
    settings = {"metrics": types, "matches": {}, "difficulties": {}, "weightings": {}}
    if weightings:
        arrays = {"difficulty": difficulty, "signature": "given"}
        contents["difficulty/given.npz"] = arrays
        entry = {"unit": "segment", "difficulty": "given", "over": "", "missing": ""}
        entry |= {"signature": "", "parameters": {"h": 0.5, "w": 0.4}}
        described["weightings"] = dict.fromkeys(weightings, entry)
        settings["difficulties"] = {"given": {"type": "file", "file": "x"}}
        settings["weightings"] = weightings
    return SetScores(SetFiles("x", contents | {"weightings.json": described}), settings)


def arrays_of(values, systems, **more):
    return {"statistics": values, "systems": np.array(systems), "signature": "sig"} | more


def tables(scores, found, statistics=NAMES, resamples=100, missing=None):
    made = Agreement(scores, found, statistics, resamples, 7).rows(missing or {})
    frames = [
        pd.DataFrame(rows, columns=names)
        for rows, names in zip(made, (COLUMNS, TESTS), strict=True)
    ]
    return frames[0], frames[1]


def values(frame, statistic, grouping="", weighting="standard", **where):
    rows = frame[(frame.statistic == statistic) & (frame.grouping == grouping)]
    rows = rows[rows.weighting == weighting]
    for column, value in ({"subset": "all", "domain": ""} | where).items():
        rows = rows[rows[column] == value]
    return rows.set_index("metric").value


@pytest.fixture(scope="module", params=["en-de", "zh-en"])
def wmt23_tables(request, real, shared):
    """Agreement of the metrics of the toolkit's output on WMT23, and that output."""
    pair = request.param
    oracle = json.loads((shared / f"oracles/mtme.wmt23.{pair}.json").read_text())
    found = read_evaluation_set(
        real / "wmt23", "wmt23", pair, "refA", "mqm", outliers=["synthetic_ref"]
    )
    statistics, types = {}, {}
    for full in oracle["sys"]:
        name, _, reference = full.rpartition("-")
        types[full] = {"type": "stored", "name": name, "reference": reference}
        metric = make_metric(full, pair, types[full])
        one = arrays_of(metric.evaluate(found, real / "wmt23"), found.systems)
        if metric.system_scores is not None:
            one["system_scores"] = metric.system_scores
        statistics[full] = one
    return *tables(set_scores(found, statistics, types), found), oracle


@pytest.mark.slow
def test_system_level_is_the_toolkits(wmt23_tables):
    """Of the archive's system scores, humans out."""
    frame, _, oracle = wmt23_tables
    for name, key in (("pearson", "pearson"), ("kendall", "kendall_b"), ("spearman", "spearman")):
        found = values(frame, name)
        assert len(found) == len(oracle["sys"]) >= 43
        for metric, expected in oracle["sys"].items():
            assert found[metric] == pytest.approx(expected[key], abs=1e-9), (metric, name)


@pytest.mark.slow
def test_segment_level_is_the_toolkits(wmt23_tables):
    frame, _, oracle = wmt23_tables
    mean = frame.assign(weighting="standard")[frame.value.notna()]
    for key, (name, grouping) in ORACLE.items():
        found = values(mean, name, grouping)
        for metric, expected in oracle["seg"].items():
            assert found[metric] == pytest.approx(expected[key], abs=1e-9), (metric, key)


@pytest.mark.slow
def test_soft_accuracy_is_the_toolkits_but_for_random_numbers(wmt23_tables):
    frame, _, oracle = wmt23_tables
    spa = frame[(frame.statistic == "soft_accuracy") & (frame.subset == "all")]
    spa = spa[(spa.domain == "") & spa.value.notna()].set_index("metric")
    for metric, expected in oracle["seg"].items():
        assert spa.value[metric] == pytest.approx(expected["spa"], abs=0.01), metric
        assert spa.low[metric] < spa.value[metric] < spa.high[metric] + 0.01


@pytest.mark.slow
def test_ranks_are_of_metrics_with_segment_scores(wmt23_tables):
    frame, tests, oracle = wmt23_tables
    ranked = frame[frame["rank"].notna()]
    assert set(ranked.metric) == set(oracle["seg"])
    heads = set(zip(ranked.statistic, ranked.grouping, strict=True))
    assert heads == {
        *((name, "") for name in NAMES[:5]),
        *(("acc_eq", "item"), ("acc23", "item")),
        *(("segment_pearson", "none"), ("segment_pearson", "system")),
    }
    best = ranked[ranked.statistic == "acc_eq"].sort_values("value").iloc[-1]
    assert best["rank"] == 1
    n = len(oracle["seg"])
    assert len(tests) == len(heads) * n * (n - 1) / 2
    assert tests.p.between(0, 1).all()
    assert (tests.difference >= 0).all()
    text = rank_tables(frame, tests)
    assert "system soft_accuracy\n" in text
    assert text.count("\n") > len(heads) * n
    assert " ?" not in text
    assert " ?" in rank_tables(frame, tests.assign(p=np.nan))


SYSTEMS, SEGMENTS = ["A", "B", "C", "D", "E"], 120


def simulate(apart=1.0):
    """Two metrics with segment scores, one with system scores alone, of a set with two domains, an
    outlier and segments that are not rated."""
    rng = np.random.default_rng(5)
    truth = apart * np.arange(5.0)[:, None] + rng.normal(size=(5, SEGMENTS))
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
    weightings = {
        "EE": {"type": "groups", "difficulty": "given", "threshold": 0.5, "easy_weight": 0.4}
    }
    scores = set_scores(found, statistics, types, weightings, rng.random((5, SEGMENTS)))
    return found, scores, metric, people


@pytest.fixture
def simulated():
    return simulate()


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
        assert values(frame, "kendall", domain=domain)["one"] == pytest.approx(expected)
        expected = STATISTICS["acc_eq"]()(one[:, segments], people[:, segments])
        assert values(frame, "acc_eq", "item", domain=domain)["one"] == pytest.approx(expected)
    counts = frame.groupby("domain").segments.unique()
    assert [counts[name].tolist() for name in ("", "news", "speech")] == [[100], [60], [40]]


def test_what_is_undefined_has_a_reason(simulated):
    found, scores, _, _ = simulated
    frame, _ = tables(scores, found, missing={("one", "EE"): "given"})
    assert (frame.reason[frame.value.isna()] != "").all()
    assert (frame.reason[frame.value.notna()] == "").all()
    few = frame[(frame.statistic == "soft_accuracy") & (frame.domain == "speech")].reason
    assert set(few) == {soft_accuracy.FEW.format(40, 50)}
    of_ee = frame[(frame.level == "segment") & (frame.weighting == "EE") & (frame.domain == "")]
    assert set(of_ee.reason[of_ee.metric == "one"]) == {metric_table.NOT_OF_SEGMENTS}
    alone = frame[(frame.level == "segment") & (frame.metric == "alone")]
    assert set(alone.reason) == {metric_table.NO_SEGMENT_SCORES}
    assert values(frame, "pearson")["alone"] == pytest.approx(
        correlate(np.arange(5.0), np.array(found.gold)).pearson
    )


def test_a_set_without_human_scores_of_segments(simulated):
    found, scores, _, _ = simulated
    without = replace(found, segment_gold=[], domains=[], outliers=[])
    contents = scores._files.contents | {"evalset.json": without}
    frame, tests = tables(SetScores(SetFiles("x", contents), scores._settings), without)
    assert set(frame.level) == {"system"}
    assert values(frame, "soft_accuracy").isna().all()
    of_spa = frame.reason[frame.statistic == "soft_accuracy"]
    assert set(of_spa) == {soft_accuracy.NO_SEGMENT_GOLD}
    assert tests[tests.statistic == "pearson"].p.notna().all()
    assert tests[tests.statistic == "soft_accuracy"].p.isna().all()


def test_the_interval_of_a_difference_is_that_of_resamples_by_hand():
    """Of `EE` to the unweighted metric: the same segments drawn for both and for people, p-values
    by the normal approximation with the variance of differences."""
    found, scores, metric, people = simulate(apart=0.05)
    frame, _ = tables(scores, found, resamples=2000)
    spa = frame[(frame.statistic == "soft_accuracy") & (frame.domain == "")]
    spa = spa[spa.subset == "all"].set_index(["metric", "weighting"])
    row = spa.loc["one", "EE"]
    assert row.difference == pytest.approx(row.value - spa.value["one", "standard"], abs=1e-12)
    assert np.isnan(spa.difference["one", "standard"])
    assert np.isnan(spa.difference_low["one", "standard"])

    rng = np.random.default_rng(1)
    rated, difficulty = slice(0, 100), scores._files.contents["difficulty/given.npz"]["difficulty"]
    hard = difficulty[:, rated] >= 0.5
    # Weights that sum to the number of segments: those of a weighted mean.
    weights = np.where(hard, 0.6 / hard.mean(axis=1)[:, None], 0.4 / (~hard).mean(axis=1)[:, None])
    plain, gold = metric["one"][:, rated], people[:, rated]
    differences = []
    for _ in range(2000):
        drawn = rng.integers(100, size=100)
        own = [np.where(side[:, drawn], plain[:, drawn], np.nan) for side in (hard, ~hard)]
        weighted = 0.6 * np.nanmean(own[0], axis=1) + 0.4 * np.nanmean(own[1], axis=1)
        influence = (weights * plain)[:, drawn]
        side = pairwise(weighted, influence), pairwise(plain[:, drawn].mean(1), plain[:, drawn])
        of_people = pairwise(gold[:, drawn].mean(axis=1), gold[:, drawn])
        spas = [1 - np.abs(p - of_people).mean() for p in side]
        differences.append(spas[0] - spas[1])
    low, high = np.percentile(differences, [2.5, 97.5])
    # Monte Carlo error, and an influence that leaves out the means of groups.
    assert row.difference_low == pytest.approx(low, abs=0.02)
    assert row.difference_high == pytest.approx(high, abs=0.02)
    assert row.difference_high - row.difference_low > 0.02


def pairwise(quality, parts):
    one, other = np.triu_indices(len(quality), 1)
    delta, spread = quality[one] - quality[other], (parts[one] - parts[other]).std(axis=1)
    n = parts.shape[1]
    return stats.norm.cdf(-delta / np.sqrt(spread**2 / n + delta**2 / n))
