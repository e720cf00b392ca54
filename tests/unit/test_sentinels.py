"""Difficulty as a metric, tables of metrics' agreement and matrices of metrics: against SciPy and
loops."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from conftest import make_evalset, settings_of, table_of
from scipy import stats

from mt_difficulty.data.evalset import SetFiles
from mt_difficulty.errors import Missing
from mt_difficulty.evidence import dec
from mt_difficulty.evidence.estimators import Estimate
from mt_difficulty.evidence.sentinels import (
    CONSTANT,
    METRIC,
    NOT_FINITE,
    SAME,
    Score,
    _ranks,
    pooled_pearson,
    score_of,
    sentinel_rows,
)
from mt_difficulty.evidence.units import units_of
from mt_difficulty.page import sentinels as page
from mt_difficulty.page.tables import number
from mt_difficulty.papers import Inputs
from mt_difficulty.papers.agreement_tables import (
    NOT_FINITE_SYSTEMS,
    UNDEFINED,
    agreement,
    metric_matrix,
)

NAME = "wmt99/en-de"
SYSTEMS, SEGMENTS, DOCUMENTS = 4, 36, 12
HEADS = [("segment_pearson", "none"), ("segment_pearson", "item"), ("segment_pearson", "system")]
HEADS += [("segment_kendall", grouping) for _, grouping in HEADS]


@pytest.fixture(scope="module")
def simulated():
    """Human scores with ties, some of them missing, with difficult segments; documents of three
    segments; a metric, a metric that sees the source alone, and a constant one."""
    rng = np.random.default_rng(3)
    difficulty = rng.integers(0, 6, SEGMENTS).astype(float)
    gold = np.round(np.arange(SYSTEMS)[:, None] / 4 - difficulty + rng.normal(size=(4, SEGMENTS)))
    gold[rng.random(gold.shape) < 0.1] = np.nan
    gold[:, 7] = np.nan
    texts = ["x" * (5 + number) for number in range(SEGMENTS)]
    found = make_evalset(
        [texts] * SYSTEMS,
        texts,
        segment_gold=gold.tolist(),
        documents=[f"d{number // 3}" for number in range(SEGMENTS)],
    )
    scores = {
        "hard": score_of(Estimate(np.broadcast_to(difficulty, gold.shape), "source")),
        "good": Score(np.nan_to_num(gold) + 2 * rng.normal(size=gold.shape), METRIC),
        "source": Score(np.broadcast_to(rng.normal(size=SEGMENTS), gold.shape), METRIC),
        "flat": Score(np.ones(gold.shape), METRIC),
    }
    return found, gold, scores


def by_scipy(statistic, grouping, scores, gold):
    """The statistic of repeated segments by a loop over groups."""
    compute = stats.pearsonr if statistic == "segment_pearson" else stats.kendalltau
    groups = {"none": [(scores.ravel(), gold.ravel())]}
    groups["item"] = list(zip(scores.T, gold.T, strict=True))
    groups["system"] = list(zip(scores, gold, strict=True))
    values = []
    for x, y in groups[grouping]:
        known = np.isfinite(y)
        if known.sum() > 1 and np.ptp(x[known]) > 0 and np.ptp(y[known]) > 0:
            values.append(compute(x[known], y[known]).statistic)
    return np.mean(values) if values else np.nan


@pytest.mark.parametrize(("statistic", "grouping"), HEADS)
def test_values_and_intervals_are_those_of_scipy_on_repeated_segments(
    simulated, statistic, grouping
):
    found, gold, scores = simulated
    rows = sentinel_rows(found, scores, {}, 50, 1).set_index(
        ["score_name", "statistic", "grouping"]
    )
    rated = np.isfinite(gold).any(axis=0)
    documents = [name for name, known in zip(found.documents, rated, strict=True) if known]
    units = units_of(documents, rated.sum())
    assert (units.kind, units.size) == ("documents", DOCUMENTS)
    counts = dec.resample_counts(units, 50, np.random.default_rng([1, 11]))
    for name, score in scores.items():
        row = rows.loc[name, statistic, grouping]
        drawn = []
        for times in counts.T:
            again = [np.repeat(x[:, rated], times, axis=1) for x in (score.values, gold)]
            drawn.append(by_scipy(statistic, grouping, *again))
        assert row.value == pytest.approx(drawn[0], abs=1e-12, nan_ok=True), name
        ends = np.nanpercentile(drawn[1:], [2.5, 97.5]) if np.isfinite(row.value) else [np.nan] * 2
        np.testing.assert_allclose([row.low, row.high], ends, atol=1e-10, err_msg=name)
    same = {"hard", "source"} if grouping == "item" else set()
    undefined = rows.xs((statistic, grouping), level=(1, 2)).reason
    assert set(undefined.index[undefined == SAME]) == same
    assert set(undefined.index[undefined == CONSTANT]) == {"flat"}


def test_acc_eq_of_a_score_that_sees_no_translation_is_the_share_of_tied_pairs(simulated):
    found, gold, scores = simulated
    rows = sentinel_rows(found, scores, {}, 20, 1)
    rows = rows[rows.statistic == "acc_eq"].set_index("score_name")
    shares = []
    for segment in gold.T:
        known = segment[np.isfinite(segment)]
        pairs = [a == b for a, b in combinations(known, 2)]
        if pairs:
            shares.append(np.mean(pairs))
    for name in ("hard", "source", "flat"):
        assert rows.value[name] == pytest.approx(np.mean(shares), abs=1e-12)
        assert rows.low[name] < rows.value[name] < rows.high[name]
    assert rows.value["good"] > rows.value["hard"]
    # Equal values have the same rank; a metric is not among its own others.
    assert rows.metric_rank[["good", "source", "flat", "hard"]].tolist() == [1, 2, 2, 2]
    assert rows.metrics[["good", "source", "flat", "hard"]].tolist() == [2, 2, 2, 3]


def test_scores_without_a_value_have_a_reason(simulated):
    found, gold, _ = simulated
    infinite = np.zeros(gold.shape)
    infinite[2, 5] = np.inf
    by_system = np.arange(SYSTEMS)[:, None] + np.zeros(gold.shape)
    scores = {
        "infinite": score_of(Estimate(infinite, "reference")),
        "by system": Score(by_system, METRIC),
    }
    rows = sentinel_rows(found, scores, {"absent": "no words"}, 10, 1)
    rows = rows.set_index(["score_name", "statistic", "grouping"])
    assert set(rows.reason["infinite"]) == {NOT_FINITE}
    assert rows.reason["by system", "segment_pearson", "system"] == CONSTANT
    assert rows.reason["by system", "segment_pearson", "item"] == ""
    assert rows.reason["absent"].tolist() == ["no words"]
    with pytest.raises(Missing):
        sentinel_rows(make_evalset([["x"]] * 3, ["x"]), scores, {}, 10, 1)


def test_the_score_of_a_difficulty_is_its_mean_over_systems_with_the_sign_turned():
    values = np.array([[1.0, 4.0, np.nan], [3.0, np.nan, np.nan]])
    expected = [[-2.0, -4.0, np.nan]] * 2
    np.testing.assert_array_equal(score_of(Estimate(values, "outputs")).values, expected)


def test_the_mean_of_human_scores_that_are_noise_has_r_of_1_over_the_root_of_the_systems():
    gold = np.random.default_rng(6).normal(size=(12, 4000))
    mean = score_of(Estimate(-gold, "gold")).values
    r = pooled_pearson(mean, gold, np.ones((4000, 1), int))[0]
    assert r == pytest.approx(1 / np.sqrt(12), abs=0.01)


def test_sentinels_are_the_scores_that_vary_over_segments_alone(simulated):
    found, gold, scores = simulated
    # Cells without human scores do not matter.
    unrated = np.where(np.isfinite(gold), scores["source"].values, 99 * gold)
    more = scores | {"source": Score(unrated, METRIC)}
    more["infinite"] = Score(np.where(gold == gold[0, 0], np.inf, 1.0), METRIC)
    rows = sentinel_rows(found, more, {}, 5, 1)
    is_same = rows.groupby("score_name").same_for_systems.agg(set).to_dict()
    expected = {"hard": "yes", "source": "yes", "good": "no", "flat": "no", "infinite": "no"}
    assert is_same == {name: {answer} for name, answer in expected.items()}


def test_a_resample_in_which_a_value_is_undefined_has_no_rank():
    values = np.full(101, 0.5)
    lower = np.full(101, 0.4)
    higher = np.full(101, 0.6)
    lower[3] = np.nan
    values[4] = np.nan
    found = _ranks(values, [lower, higher])
    expected = {"metric_rank": 2, "metric_rank_low": 2, "metric_rank_high": 2, "metrics": 2}
    assert found == expected
    # With too many undefined resamples the rank has no interval.
    higher[20:60] = np.nan
    found = _ranks(values, [lower, higher])
    assert found["metric_rank"] == 2
    assert np.isnan([found["metric_rank_low"], found["metric_rank_high"]]).all()


def test_resamples_without_variation_have_neither_value_nor_rank():
    """One document alone varies: a third of the resamples does not draw it."""
    gold = np.zeros((3, 12))
    gold[:, 11] = [1.0, 2.0, 3.0]
    found = make_evalset(
        [["x"] * 12] * 3,
        ["x"] * 12,
        segment_gold=gold.tolist(),
        documents=[f"d{number}" for number in range(12)],
    )
    noise = np.random.default_rng(7).normal(size=gold.shape)
    scores = {"good": Score(gold, METRIC), "noise": Score(noise, METRIC)}
    rows = sentinel_rows(found, scores, {}, 200, 1)
    rows = rows[(rows.statistic == "segment_pearson") & (rows.grouping == "none")]
    rows = rows.set_index("score_name")
    assert rows.value["good"] == pytest.approx(1)
    assert rows.metric_rank.to_dict() == {"good": 1, "noise": 2}
    assert rows[["low", "high", "metric_rank_low", "metric_rank_high"]].isna().all(axis=None)


def test_pooled_r_without_variation_is_undefined():
    counts = np.ones((3, 1), int)
    gold = np.array([[0.1, 0.2, 0.3], [0.3, np.nan, 0.1]])
    assert np.isnan(pooled_pearson(np.full((2, 3), 0.1), gold, counts)).all()


# The page


def test_the_page_says_whether_sentinel_metrics_are_in_the_upper_half(simulated):
    found, gold, scores = simulated
    rng = np.random.default_rng(5)
    noise = {f"noise{n}": Score(rng.normal(size=gold.shape), METRIC) for n in range(6)}
    source = scores["hard"]._replace(kind=METRIC, information="")
    # Two sentinel metrics, of which one is the best.
    strong = {"hard": scores["hard"], "SRC": source, "SRC2": scores["source"], **noise}
    weak = {"SRC": scores["source"], "good": scores["good"]}
    tables = [
        sentinel_rows(found, of_set, {}, 50, 1).assign(set=name)
        for name, of_set in (("a/x", strong), ("b/y", weak))
    ]
    files = SetFiles("sentinels", {"agreement.csv": pd.concat(tables)})
    numbers = page.numbers(files)
    assert [entry["holds"] for entry in numbers["sets"]] == [True, False]
    text = page.sentences(numbers)
    assert ", holds on 1 of 2 sets by this project's criterion: " in text
    r = by_scipy("segment_pearson", "none", scores["hard"].values, gold)
    assert f"a/x: SRC, the best of 2 sentinels, has r {number(r)} [" in text
    assert ", rank 1 [1, 1] of 8 metrics (12 documents)" in text
    r = by_scipy("segment_pearson", "none", scores["source"].values, gold)
    assert f"b/y: SRC has r {number(r)} [" in text
    assert "hard on a/x" in text
    assert "hard on b/y" not in text
    shown = page.table(files)
    labels = [(row[0], row[1], row[2]) for row in shown["rows"]]
    assert labels == [
        ("a/x", "hard", "source"),
        ("a/x", "SRC", "metric of the set"),
        ("a/x", "SRC2", "metric of the set"),
        ("b/y", "SRC", "metric of the set"),
    ]
    assert page.sentences(page.numbers(None)).startswith("Difficulty was not used as a metric")
    empty = SetFiles("sentinels", {"agreement.csv": tables[0].iloc[:0]})
    assert "no set of this run has human scores of segments" in page.sentences(page.numbers(empty))
    assert page.table(empty) is None


# Tables of papers


@pytest.fixture(scope="module")
def inputs(simulated):
    found, gold, scores = simulated
    gap = np.array(scores["good"].values)
    gap[2, 5] = np.nan
    scores = scores | {"gap": Score(gap, METRIC)}
    found = make_evalset(
        found.hypotheses,
        found.reference,
        segment_gold=gold.tolist(),
        segments="all",
    )
    found.gold[:] = [0.0, 1.0, 3.0, 2.0]
    systems = np.array(found.systems)
    contents = {
        f"statistics/{name}.npz": {
            "statistics": np.array(scores[name].values)[:, :, None],
            "systems": systems,
            "signature": "",
        }
        for name in ("good", "source", "flat", "gap")
    }
    contents["statistics/good.npz"]["system_scores"] = np.array([0.1, 0.2, 0.35, 0.3])
    absent = {"metric": "gone", "weighting": "standard", "reason": "no gone scores"}
    contents |= {
        "evalset.json": found,
        "weightings.json": {"difficulties": {}, "weightings": {}},
        "missing.csv": pd.DataFrame([absent]),
    }
    contents["statistics/gone.npz"] = Missing("no gone scores")
    types = {name: {"type": "stored"} for name in ("good", "source", "flat", "gap", "gone")}
    settings = {NAME: settings_of(metrics=types)}
    return Inputs({NAME: SetFiles(NAME, contents)}, settings=settings, systems={NAME: SYSTEMS})


def agreement_of(metrics, **more):
    columns = [
        {"label": "r", "set": NAME, "statistic": "segment_pearson", "grouping": "none"},
        {"label": "r by item", "set": NAME, "statistic": "segment_pearson", "grouping": "item"},
        {"label": "acc", "set": NAME, "statistic": "acc_eq"},
        {"label": "sys", "set": NAME, "statistic": "pearson"},
    ]
    rows = [{"metric": name} for name in metrics]
    return table_of({"kind": "agreement", "columns": columns, "rows": rows} | more)


def cells_of(cells):
    return {(cell.row, cell.column): cell for cell in cells}


def test_a_table_of_agreement_has_values_ranks_and_their_mean(simulated, inputs):
    _, gold, scores = simulated
    table = agreement_of(["source", "good", "flat"], undefined=0, average="mean")
    cells, texts = agreement("t", table, inputs)
    found = cells_of(cells)
    assert texts == {}
    expected = by_scipy("segment_pearson", "none", scores["good"].values, gold)
    assert found["good", "r"].reproduced == pytest.approx(expected, abs=1e-12)
    # The stored scores of systems count, not the means of segments.
    r = np.corrcoef([0.1, 0.2, 0.35, 0.3], [0, 1, 3, 2])[0, 1]
    assert found["good", "sys"].reproduced == pytest.approx(r, abs=1e-12)
    by_item = [found[name, "r by item"] for name in ("source", "flat")]
    assert [cell.reproduced for cell in by_item] == [0, 0]
    assert {cell.reason for cell in by_item} == {
        "undefined, since scores are constant in every group; 0 in the paper's tool"
    }
    # Equal values: in the order of names.
    ranks = [found[name, "r by item rank"].reproduced for name in ("good", "flat", "source")]
    assert ranks == [1, 2, 3]
    parts = [found["good", label].reproduced for label in ("r", "r by item", "sys")]
    mean = np.mean([*((x + 1) / 2 for x in parts), found["good", "acc"].reproduced])
    assert found["good", "mean"].reproduced == pytest.approx(mean, abs=1e-12)
    assert found["good", "mean rank"].reproduced == 1


def test_without_a_value_a_table_of_agreement_says_why(inputs):
    table = agreement_of(["source", "good", "gone"], average="mean")
    found = cells_of(agreement("t", table, inputs)[0])
    assert found["gone", "r"].reason == "no gone scores"
    assert found["source", "r by item"].reason == UNDEFINED
    assert np.isnan(found["source", "r by item"].reproduced)
    assert np.isnan(found["good", "r rank"].reproduced)
    assert found["good", "r rank"].reason.startswith("1 of the 3 metrics have no value")
    assert found["gone", "mean"].reason == "a mean over columns of which one has no value"
    absent = Inputs(
        {NAME: SetFiles(NAME, {"evalset.json": Missing("no such set")})},
        settings=inputs.settings,
    )
    cells, _ = agreement("t", table, absent)
    of_column = [cell.reason for cell in cells if cell.column in ("r", "r rank")]
    assert of_column == ["no such set"] * 6


def test_a_matrix_has_r_over_all_hypotheses(simulated, inputs):
    scores = simulated[2]
    rows = [{"metric": "good", "published": [0.1, 0.2, 0.3]}, {"metric": "source"}]
    rows += [{"metric": "flat"}, {"metric": "gone"}]
    table = table_of({"kind": "metric_matrix", "set": NAME, "rows": rows})
    cells, _ = metric_matrix("t", table, inputs)
    found = cells_of(cells)
    assert len(cells) == 6
    expected = stats.pearsonr(scores["good"].values.ravel(), scores["source"].values.ravel())
    assert found["good", "source"].reproduced == pytest.approx(expected.statistic, abs=1e-12)
    assert found["good", "flat"].reason == UNDEFINED
    assert found["source", "gone"].reason == "no gone scores"
    assert [cell.published for cell in cells[:3]] == [0.1, 0.2, 0.3]


def test_a_score_that_is_not_finite_is_no_constant_score(simulated, inputs):
    """It has no number and no rank, also where undefined correlations are 0 in the paper."""
    assert np.isfinite(simulated[1][2, 5])
    table = agreement_of(["good", "gap", "flat"], undefined=0)
    found = cells_of(agreement("t", table, inputs)[0])
    for label, reason in {"r": NOT_FINITE, "acc": NOT_FINITE, "sys": NOT_FINITE_SYSTEMS}.items():
        assert np.isnan(found["gap", label].reproduced), label
        assert found["gap", label].reason == reason
        assert np.isnan(found["good", f"{label} rank"].reproduced), label
    assert found["flat", "r"].reproduced == 0
    rows = [{"metric": name} for name in ("good", "gap", "flat")]
    matrix = table_of({"kind": "metric_matrix", "set": NAME, "rows": rows})
    found = cells_of(metric_matrix("t", matrix, inputs)[0])
    assert found["good", "gap"].reason == NOT_FINITE
    assert found["gap", "flat"].reason == NOT_FINITE
    assert found["good", "flat"].reason == UNDEFINED
