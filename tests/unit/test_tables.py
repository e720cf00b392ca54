"""Tables of correlations and rankings of papers, and their intervals and tests, from results made
up for the purpose."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from conftest import table_of

from mt_difficulty.data.evalset import SetFiles
from mt_difficulty.errors import Missing
from mt_difficulty.evidence.resampling import holm
from mt_difficulty.papers import Inputs, layout, notes, tables
from mt_difficulty.papers.audit import audit
from mt_difficulty.tables import TABLES
from mt_difficulty.weighting.fitted import TUNED_NOTE

NAME = "wmt19/en-de"
COLUMNS = ["metric", "weighting", "subset", "size", "draws", "pearson", "kendall", "spearman"]
ROWS = [
    ["BLEU", "standard", "all", 9, 1, 0.9, 0.8, 0.7],
    ["BLEU", "standard", "top", 4, 1, 0.5, 0.4, 0.3],
    ["BLEU", "EE", "top", 4, 1, 0.6, 0.6, 0.2],
    ["BLEU", "standard", "random", 4, 1000, 0.55, 0.5, 0.5],
    ["BLEU", "EE", "all", 9, 1, np.nan, np.nan, np.nan],
]
ALL = {"label": "En→De", "set": NAME, "subset": "all"}
TOP = {"label": "En→De (top 4)", "set": NAME, "subset": "top", "size": 4}


def inputs_of(files=None, **options):
    """Inputs of a set of nine systems, with other files or options."""
    frame = pd.DataFrame(ROWS, columns=COLUMNS)
    undefined = frame.pearson.isna()
    frame["reason"] = np.where(undefined, "all systems have the same score", "")
    contents = {
        "evalset.json": SimpleNamespace(systems=list("abcdefghi"), gold=list(range(9))),
        "correlations.csv": frame,
        "correlation_spread.csv": frame.assign(pearson=0.2),
        "significance.csv": pd.DataFrame(),
        "missing.csv": pd.DataFrame(columns=["metric", "weighting", "reason"]),
    }
    options = {"systems": {NAME: 9}, "types": {"TER": "ter", "B": "bertscore"}} | options
    return Inputs({NAME: SetFiles(NAME, contents | (files or {}))}, **options)


def cells(columns, rows, inputs, **table):
    table |= {"kind": "correlations", "columns": columns, "rows": rows}
    return tables.make_table("table", table_of(table), inputs)[0]


MISSING = pd.DataFrame(
    [["BLEU", "EE", "only system scores"]], columns=["metric", "weighting", "reason"]
)


@pytest.mark.parametrize(
    ("files", "left_out", "reason"),
    [
        ({"evalset.json": Missing("no campaign wmt20")}, {}, "no campaign wmt20"),
        ({"missing.csv": MISSING}, {}, "only system scores"),
        ({}, {"BLEU": "NEURAL=no"}, "NEURAL=no"),
        ({}, {}, "all systems have the same score"),
    ],
)
def test_what_is_not_there_has_its_reason(files, left_out, reason):
    row = {"metric": "BLEU", "weighting": "EE", "published": [0.9, 0.9, 0.9]}
    made = cells([ALL], [row], inputs_of(files, left_out=left_out))
    assert [cell.reason for cell in made] == [reason] * 3
    np.testing.assert_array_equal([cell.reproduced for cell in made], [np.nan] * 3)


def test_gains_are_mean_differences_in_percent():
    rows = [
        {"metric": "BLEU", "weighting": "standard", "published": [0.5] * 3 + [None] * 3},
        {"metric": "BLEU", "weighting": "EE", "published": [0.6] * 3 + [9.0, 20.0, -10.0]},
    ]
    made = cells([TOP], rows, inputs_of(), gains={"label": "Average", "digits": 2})
    gains = {cell.column: (cell.published, cell.reproduced) for cell in made if "Δ" in cell.column}
    assert gains == {
        "Average Δr": (9.0, pytest.approx(10)),
        "Average Δτ": (20.0, pytest.approx(20)),
        "Average Δρ": (-10.0, pytest.approx(-10)),
    }


@pytest.mark.parametrize(
    ("published", "place"), [(0.85, "inside"), (0.96, "outside"), (0.79, "outside")]
)
def test_another_number_of_systems_is_noted_with_what_it_can_change(published, place):
    row = {"metric": "BLEU", "weighting": "standard", "published": [published, None, None]}
    resampled = pd.DataFrame(
        [["BLEU", "standard", "all", 9, "pearson", 0.8, 0.95]],
        columns=[*COLUMNS[:4], "statistic", "systems_low", "systems_high"],
    )
    inputs = inputs_of({"significance.csv": resampled}, systems={NAME: 13})
    r, tau, _ = cells([ALL], [row], inputs)
    assert r.systems_note == tau.systems_note == "9 systems in this archive, 13 in the paper"
    assert f"{place} the 95 % interval" in r.reason
    assert tau.reason == ""
    # With the paper's number of systems, and where there is no number of ours, there is no note.
    assert cells([ALL], [row], inputs_of())[0].systems_note == ""
    row["weighting"] = "EE"
    missing = {"correlations.csv": pd.DataFrame(ROWS[-1:], columns=COLUMNS).assign(reason="equal")}
    assert cells([ALL], [row], inputs_of(missing, systems={NAME: 13}))[0].systems_note == ""


def test_numbers_of_other_systems_are_marked_below_a_table():
    rows = [
        {"metric": "BLEU", "weighting": "standard", "published": [0.5] * 3 + [None] * 3},
        {"metric": "BLEU", "weighting": "EE", "published": [0.6] * 3 + [9.0, 20.0, -10.0]},
    ]
    none = pd.DataFrame(columns=[*COLUMNS[:4], "statistic", "systems_low", "systems_high"])
    inputs = inputs_of({"significance.csv": none}, systems={NAME: 13})
    made = cells([TOP], rows, inputs, gains={"label": "Average", "digits": 2})
    note = "9 systems in this archive, 13 in the paper"
    assert {cell.systems_note for cell in made} == {note}  # gains, too
    assert layout(made)["En→De (top 4) r"].tolist() == ["0.500‡ [0.500]", "0.600‡ [0.600]"]
    assert notes(made) == [f"‡ {note}; not compared with the paper."]


def test_absolute_correlations_are_compared_and_ours_keep_their_sign():
    negative = pd.DataFrame(ROWS, columns=COLUMNS).assign(reason="")
    negative[["pearson", "kendall"]] *= -1
    row = {"metric": "BLEU", "weighting": "standard", "published": [0.9, 0.9, 0.7]}
    inputs = inputs_of({"correlations.csv": negative})
    made = cells([ALL], [row], inputs, absolute=True)
    assert [cell.reproduced for cell in made] == [-0.9, -0.8, 0.7]
    assert [cell.reason for cell in made] == [tables.NEGATIVE, tables.NEGATIVE, ""]
    found = audit("p", pd.DataFrame(made), [])
    assert found.status.tolist() == ["reproduced", "differs", "reproduced"]
    assert found.difference.tolist() == pytest.approx([0, -0.1, 0])
    assert layout(made).iloc[0].tolist()[1:] == [
        "-0.900 [0.900]",
        "-0.800 [0.900]",
        "0.700 [0.700]",
    ]
    # The gain of |r|.
    rows = [row | {"published": [0.5] * 3 + [None] * 3}]
    rows.append({"metric": "BLEU", "weighting": "EE", "published": [0.6] * 3 + [9.0] * 3})
    gains = cells([TOP], rows, inputs, absolute=True, gains={"label": "Average", "digits": 2})[-3:]
    assert [cell.reproduced for cell in gains] == pytest.approx([10, 20, -10])


def test_cells_of_another_encoder_and_of_tuned_weightings_are_marked():
    rows = [
        {"metric": "BLEU", "weighting": weighting, "published": [0.91, 0.8, 0.7]}
        for weighting in ("standard", "EE")
    ]
    made = cells([TOP], rows, inputs_of(tuned={NAME: ["EE"]}))
    assert layout(made)["En→De (top 4) r"].tolist() == ["0.500 [0.910]", "0.600§ [0.910]"]
    assert notes(made) == [TUNED_NOTE]
    made = cells([ALL], rows[:1], inputs_of(substitutes={NAME: {"BLEU": "encoder tiny"}}))
    assert layout(made).iloc[0, 1] == "0.900† [0.910]"
    assert notes(made) == ["† encoder tiny; not compared with the paper."]


ABLATION = {
    "kind": "ablation",
    "set": NAME,
    "published": {
        "metric": "BERTScore",
        "EE": [0.5, 0.3, 0.9, 0.8, 0.7],
        "high": [0.8, 0.3, 0.5, 0.4, 0.3],
        "w/o difficulty": [None, None, 0.4, 0.3, 0.2],
    },
}
ABLATED = pd.DataFrame(
    [
        ["chrF", "EE", 0.5, 0.3, 0.91, 0.81, 0.71],
        ["chrF", "high", 0.8, 0.3, 0.92, 0.82, 0.72],
        ["chrF", "high, computed", 0.7, 0.3, 0.93, 0.83, 0.73],
        ["", "w/o difficulty", np.nan, np.nan, -0.41, -0.31, -0.21],
    ],
    columns=["metric", "variant", "h", "w", "pearson", "kendall", "spearman"],
)


def by_place(made):
    return {(cell.row, cell.column): cell for cell in made}


def test_ablation_keeps_the_papers_metric_and_adds_ours():
    files = SetFiles("", {"ablation.csv": ABLATED})
    left_out, tuned = {"BERTScore": "needs an encoder"}, {NAME: ["EE"]}
    inputs = inputs_of(paper_files=files, left_out=left_out, tuned=tuned)
    values = by_place(tables.make_table("t", table_of(ABLATION), inputs)[0])
    assert values["BERTScore: EE", "h"].reproduced == 0.5
    assert values["BERTScore: high", "h"].reproduced == 0.7  # as defined, not as printed
    assert values["BERTScore: EE", "r"].reason == "needs an encoder"
    assert values["BERTScore: EE", "h"].reason == "an input of the protocol"
    # The paper prints it without sign.
    assert values["BERTScore: w/o difficulty", "τ"].reproduced == -0.31
    found = audit("p", pd.DataFrame([values["BERTScore: w/o difficulty", "τ"]]), [])
    assert (found.status[0], found.difference[0]) == ("close", pytest.approx(0.01))
    assert values["chrF: high", "ρ"].reproduced == 0.72
    assert (": w/o difficulty", "r") not in values
    assert values["chrF: EE", "r"].tuned == "yes"
    assert values["BERTScore: w/o difficulty", "r"].tuned == ""
    assert {cell.systems_note for cell in values.values()} == {""}
    others = inputs_of(paper_files=files, left_out=left_out, tuned=tuned, systems={NAME: 13})
    values = by_place(tables.make_table("t", table_of(ABLATION), others)[0])
    note = "9 systems in this archive, 13 in the paper"
    assert values["chrF: EE", "r"].systems_note == values["BERTScore: high", "h"].systems_note
    assert values["chrF: EE", "r"].systems_note == note
    assert values["BERTScore: EE", "h"].systems_note == ""  # taken over from the paper
    assert values["BERTScore: EE", "r"].systems_note == ""  # not computed


RANKING = {
    "kind": "ranking",
    "set": NAME,
    "digits": 4,
    "size": 2,
    "columns": [
        {"label": "TER", "metric": "TER", "weighting": "standard", "scale": 0.01},
        {"label": "DA", "metric": "B", "weighting": "DA"},
    ],
    "rows": [
        {"label": "a", "system": "a", "published": [0.46, -1, 0.2, 0], "human": 0.3},
        {"label": "b", "system": "b", "published": [0.45, 1, 0.1, 0], "human": 0.2},
    ],
    "sums": [2, 0],
}


def ranked(systems, **more):
    scores = {"a": (46.0, 0.2), "b": (45.0, 0.1), "c": (47.0, 0.05)}
    rows = [
        [system, metric, weighting, 2, score]
        for system in systems
        for (metric, weighting), score in zip(
            (("TER", "standard"), ("B", "DA")), scores[system], strict=True
        )
    ]
    top = pd.DataFrame(rows, columns=["system", "metric", "weighting", "size", "score"])
    gold = {"a": 0.3, "b": 0.2, "c": 0.1}
    evalset = SimpleNamespace(systems=systems, gold=[gold[system] for system in systems])
    files = {"top_scores.csv": top, "evalset.json": evalset}
    inputs = inputs_of(files | more, systems={NAME: 2})
    return by_place(tables.make_table("t", table_of(RANKING), inputs)[0])


def test_rank_differences_follow_each_metrics_direction():
    made = ranked(["a", "b"])
    assert made["a", "TER"].reproduced == pytest.approx(0.46)
    assert [made[s, "TER ΔRank"].reproduced for s in "ab"] == [-1, 1]  # lower TER is better
    assert [made[s, "DA ΔRank"].reproduced for s in "ab"] == [0, 0]
    assert made["sum(|ΔRank|)", "TER ΔRank"].reproduced == 2
    assert made["sum(|ΔRank|)", "TER ΔRank"].published == 2
    assert made["a", "HUMAN"].reproduced == 0.3


def test_what_depends_on_other_systems_is_told_from_what_does_not():
    """A score of an unweighted metric and a human score are the same whichever systems there are;
    a rank and a difficulty that is averaged over systems are not."""
    described = {
        "weightings": {"DA": {"parameters": {"beta": 1}, "difficulty": "missed"}},
        "difficulties": {"missed": {"depends_on_systems": True}},
    }
    made = ranked(["a", "b", "c"], **{"weightings.json": described})
    note = "3 systems in this archive, 2 in the paper"
    noted = {column for (row, column), cell in made.items() if cell.systems_note == note}
    assert noted == {"TER ΔRank", "DA", "DA ΔRank"}
    assert made["sum(|ΔRank|)", "TER ΔRank"].systems_note == note
    assert made["a", "TER"].systems_note == made["a", "HUMAN"].systems_note == ""
    assert {cell.systems_note for cell in ranked(["a", "b"]).values()} == {""}


OVER = ("segments", "systems", "both")
ENDS = [f"{over}_{end}" for over in OVER for end in ("low", "high")]


def resampled(metric, weighting, subset, size, statistic, p, difference=0.1):
    head = {"metric": metric, "weighting": weighting, "subset": subset, "size": size}
    head["difficulty"] = "" if weighting == "standard" else "chunk_entropy"
    tests = {"difference": difference, "permutation_p": p, "williams_p": np.nan, "reason": np.nan}
    return {**head, "statistic": statistic, "value": 0.5, **dict.fromkeys(ENDS, 0.25), **tests}


RESAMPLED = pd.DataFrame(
    [
        resampled("BLEU", "standard", "all", 9, "pearson", np.nan, np.nan),
        resampled("BLEU", "EE", "all", 9, "pearson", 0.0004),
        resampled("BLEU", "EE", "all", 9, "kendall", 0.03),
        resampled("BLEU", "EE", "top", 4, "pearson", 0.2),
        resampled("BLEU", "EE", "top", 6, "pearson", 0.9),  # in no column
        resampled("BLEU", "EE", "all", 9, "same_rank", 0.01),  # no statistic of these tables
    ]
)


def test_every_row_and_column_has_its_statistics_or_a_reason():
    place = ("BLEU", "EE", "top", 4, "pearson")
    nulls = {"shuffled": 0.75, "permuted": 0.6, "swapped": np.nan, "retuned": 0.4}
    columns = ["metric", "weighting", "subset", "size", "statistic", "tuned", "null", "quantile"]
    controls = pd.DataFrame(
        [[*place, "yes", null, quantile] for null, quantile in nulls.items()], columns=columns
    )
    pairs = [("BLEU", "standard"), ("BLEU", "EE"), ("ESIM", "standard")]
    rows = [{"metric": metric, "weighting": weighting} for metric, weighting in pairs]
    inputs = inputs_of(
        {"significance.csv": RESAMPLED, "controls.csv": controls}, left_out={"ESIM": "no ESIM"}
    )
    table = table_of({"kind": "correlations", "columns": [ALL, TOP], "rows": rows})
    frame = tables.statistics_rows(table, inputs)
    assert frame.columns.tolist() == TABLES["<item>_statistics.csv"].names()
    by_row = frame.set_index(["row", "column", "statistic"])
    assert len(by_row) == 4 + 3  # three more combinations have none
    quantiles = [f"{null}_quantile" for null in tables.NULLS]
    top = by_row.loc["EE-BLEU", "En→De (top 4)", "pearson"]
    assert (top.permutation_p, top.tuned) == (0.2, "yes")
    assert top[quantiles].tolist() == [0.75, 0.6, 0.4]
    assert by_row.loc["BLEU", "En→De (top 4)", "pearson"].reason == "not resampled"
    tests = frame.permutation_p.notna()
    assert frame.permutation_p[tests].tolist() == [0.0004, 0.03, 0.2]
    expected = holm([0.0004, 0.03, 0.2])  # of the tests of the table alone
    np.testing.assert_allclose(frame.permutation_p_holm[tests], expected)
    assert frame.permutation_p_holm[~tests].dropna().tolist() == []
    assert by_row.loc["ESIM", "En→De", "pearson"].reason == "no ESIM"
