"""Tables, rankings and case studies of papers, from results made up for the purpose."""

import numpy as np
import pandas as pd
import pytest

from mt_difficulty.evidence.labels import TUNED_NOTE
from mt_difficulty.papers import case_studies, tables
from mt_difficulty.papers.cells import Cell, layout, mark_tuned, notes

COLUMNS = ["metric", "weighting", "subset", "size", "draws", "pearson", "kendall", "spearman"]


def results(rows, **options):
    frame = pd.DataFrame(rows, columns=COLUMNS)
    undefined = frame.pearson.isna()
    frame["reason"] = np.where(undefined, "all systems have the same score", "")
    return tables.SetResults(correlations=frame, spread=frame.assign(pearson=0.2), **options)


ROWS = [
    ["BLEU", "standard", "all", 9, 1, 0.9, 0.8, 0.7],
    ["BLEU", "standard", "top", 4, 1, 0.5, 0.4, 0.3],
    ["BLEU", "EE", "top", 4, 1, 0.6, 0.6, 0.2],
    ["BLEU", "standard", "random", 4, 1000, 0.55, 0.5, 0.5],
    ["BLEU", "EE", "all", 9, 1, np.nan, np.nan, np.nan],
]
ALL = {"label": "En→De", "set": "wmt19/en-de", "subset": "all"}


def cells(columns, rows, found, **table):
    return tables.correlation_cells(
        "table", {"columns": columns, "rows": rows, **table}, {"wmt19/en-de": found}
    )


def test_a_correlation_stands_beside_the_published_one():
    row = {"metric": "BLEU", "weighting": "standard", "published": [0.91, None, 0.7]}
    found = cells([ALL], [row], results(ROWS))
    assert [(c.row, c.column, c.reproduced) for c in found] == [
        ("BLEU", "En→De r", 0.9),
        ("BLEU", "En→De τ", 0.8),
        ("BLEU", "En→De ρ", 0.7),
    ]
    assert found[0].published == 0.91
    assert np.isnan(found[1].published)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"absent": "no campaign wmt20"}, "no campaign wmt20"),
        ({"missing": {("BLEU", "EE"): "only system scores"}}, "only system scores"),
        ({"left_out": {"BLEU": "NEURAL=no"}}, "NEURAL=no"),
        ({}, "all systems have the same score"),
    ],
)
def test_what_is_not_there_has_its_reason(options, reason):
    row = {"metric": "BLEU", "weighting": "EE", "published": [0.9, 0.9, 0.9]}
    found = cells([ALL], [row], results(ROWS, **options))
    assert [cell.reason for cell in found] == [reason] * 3
    assert all(np.isnan(cell.reproduced) for cell in found)


def test_gains_are_mean_differences_in_percent():
    top = ALL | {"subset": "top", "size": 4}
    rows = [
        {"metric": "BLEU", "weighting": "standard", "published": [0.5] * 3 + [None] * 3},
        {"metric": "BLEU", "weighting": "EE", "published": [0.6] * 3 + [9.0, 20.0, -10.0]},
    ]
    found = cells([top], rows, results(ROWS), gains={"label": "Average", "digits": 2})
    gains = {cell.column: (cell.published, cell.reproduced) for cell in found if "Δ" in cell.column}
    assert gains == {
        "Average Δr": (9.0, pytest.approx(10)),
        "Average Δτ": (20.0, pytest.approx(20)),
        "Average Δρ": (-10.0, pytest.approx(-10)),
    }


def test_a_random_subset_says_how_its_difference_compares_with_the_noise():
    row = {"metric": "BLEU", "weighting": "standard", "published": [0.51, 0.5, 0.5]}
    found = cells([ALL | {"subset": "random", "size": 4}], [row], results(ROWS), draws=100)
    error = 0.2 * np.sqrt(1 / 100 + 1 / 1000)
    assert f"{error:.3f}, so it is {0.04 / error:.1f} of these" in found[0].reason


@pytest.mark.parametrize(
    ("published", "place"), [(0.85, "inside"), (0.96, "outside"), (0.79, "outside")]
)
def test_another_number_of_systems_is_noted_with_what_it_can_change(published, place):
    row = {"metric": "BLEU", "weighting": "standard", "published": [published, None, 0.9]}
    resampled = pd.DataFrame(
        [["BLEU", "standard", "all", 9, "pearson", 0.8, 0.95]],
        columns=[*COLUMNS[:4], "statistic", "systems_low", "systems_high"],
    )
    note = "8 systems in this archive, 13 in the paper"
    found = cells([ALL], [row], results(ROWS, note=note, significance=resampled))
    assert [cell.reason for cell in found] == [
        f"{note}: the printed value is {place} the 95 % interval over systems, 0.800 to 0.950",
        note,
        note,
    ]


def test_examples_are_table_1():
    table = {
        "reference": "A tiger stays in the woods",
        "rows": [
            {"hypothesis": "A sheep stays in the woods", "published": [0.217]},
            {"hypothesis": "A stays sheep in the woods", "published": [0.292]},
        ],
    }
    table["rows"] = [row | {"label": "1", "deficiency": "order"} for row in table["rows"]]
    for cell in tables.examples("table1", table)[0]:
        assert cell.row.startswith("1 (order): A ")
        assert round(cell.reproduced, 3) == cell.published


ABLATION = {
    "published": {
        "metric": "BERTScore",
        "EE": [0.5, 0.3, 0.9, 0.8, 0.7],
        "high": [0.8, 0.3, 0.5, 0.4, 0.3],
        "w/o difficulty": [None, None, 0.4, 0.3, 0.2],
    }
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


def test_ablation_keeps_the_papers_metric_and_adds_ours():
    missing = {"BERTScore": "needs an encoder"}
    found = tables.ablation_cells("t", ABLATION, ABLATED, missing, {}, "")
    values = {(cell.row, cell.column): cell for cell in found}
    assert values["BERTScore: EE", "h"].reproduced == 0.5
    assert values["BERTScore: high", "h"].reproduced == 0.7  # as defined, not as printed
    assert values["BERTScore: EE", "r"].reason == "needs an encoder"
    assert values["BERTScore: EE", "h"].reason == "an input of the protocol"
    assert values["BERTScore: high", "h"].reason == ""
    assert values["BERTScore: w/o difficulty", "τ"].reproduced == 0.31
    assert values["chrF: high", "ρ"].reproduced == 0.72
    assert (": w/o difficulty", "r") not in values


def test_a_cell_of_another_encoder_is_marked():
    row = {"metric": "BLEU", "weighting": "standard", "published": [0.91, 0.8, 0.7]}
    found = cells([ALL], [row], results(ROWS, substitutes={"BLEU": "encoder tiny"}))
    assert layout(found).iloc[0, 1] == "0.900† [0.910]"
    assert notes(found) == ["† encoder tiny; not compared with the paper."]


TUNED_ON = {"a/en-de": ["EE", "EE-DA"], "b/en-de": []}
TUNED_COLUMNS = [
    {"label": "En→De", "set": "a/en-de", "subset": "all"},
    {"label": "En→De (top 4)", "set": "a/en-de", "subset": "top", "size": 4},
    {"label": "B", "set": "b/en-de", "subset": "all"},
]
TABLE = {
    "kind": "correlations",
    "columns": TUNED_COLUMNS,
    "gains": {"label": "Average"},
    "rows": [
        {"metric": "BLEU", "weighting": "standard"},
        {"metric": "BLEU", "weighting": "EE"},
        {"metric": "BLEU", "weighting": "DA"},
    ],
}


def cells_of(rows, columns):
    return [Cell("table1", row, column, 0.5, 3, 0.5) for row in rows for column in columns]


def marked(cells):
    return {(cell.row, cell.column) for cell in cells if cell.tuned == "yes"}


def test_values_of_a_weighting_on_the_set_that_it_was_tuned_on_are_marked():
    cells = cells_of(["BLEU", "EE-BLEU", "DA-BLEU"], ["En→De r", "En→De (top 4) τ", "B r"])
    found = mark_tuned(cells, TABLE, TUNED_ON)
    assert marked(found) == {("EE-BLEU", "En→De r"), ("EE-BLEU", "En→De (top 4) τ")}
    text = layout(found).set_index("")
    assert text.loc["EE-BLEU"].tolist() == ["0.500§ [0.500]", "0.500§ [0.500]", "0.500 [0.500]"]
    assert notes(found) == [TUNED_NOTE]
    assert notes(cells) == []


RANKED = [
    {"label": "TER", "metric": "TER", "weighting": "standard", "higher_is_better": False},
    {"label": "DA", "metric": "B", "weighting": "DA", "higher_is_better": True},
]
RANKING = {
    "digits": 4,
    "size": 2,
    "columns": [RANKED[0] | {"scale": 0.01}, RANKED[1]],
    "rows": [
        {"label": "a", "system": "a", "published": [0.46, -1, 0.2, 0], "human": 0.3},
        {"label": "b", "system": "b", "published": [0.45, 1, 0.1, 0], "human": 0.2},
    ],
    "sums": [2, 0],
}
SCORES = {("TER", "standard"): {"a": 46.0, "b": 45.0}, ("B", "DA"): {"a": 0.2, "b": 0.1}}
GOLD = {"a": 0.3, "b": 0.2}


def by_place(found):
    return {(cell.row, cell.column): cell for cell in found}


def test_rank_differences_follow_each_metrics_direction():
    found = by_place(tables.ranking_cells("t", RANKING, SCORES, GOLD, {}, {"B": "encoder tiny"}))
    assert found["a", "TER"].reproduced == pytest.approx(0.46)
    assert [found[s, "TER ΔRank"].reproduced for s in "ab"] == [-1, 1]  # lower TER is better
    assert [found[s, "DA ΔRank"].reproduced for s in "ab"] == [0, 0]
    assert found["sum(|ΔRank|)", "TER ΔRank"].reproduced == 2
    assert found["sum(|ΔRank|)", "TER ΔRank"].published == 2
    assert found["a", "HUMAN"].reproduced == 0.3
    assert found["a", "DA"].substitute == "encoder tiny"
    assert found["a", "TER"].substitute == ""


def test_a_system_that_is_not_among_the_best_has_its_reason():
    scores = {("TER", "standard"): {"a": 46.0}, ("B", "DA"): {"a": 0.2}}
    found = by_place(tables.ranking_cells("t", RANKING, scores, {"a": 0.3}, {}, {}))
    for column in ("TER", "DA ΔRank", "HUMAN"):
        assert found["b", column].reason == "b is not among the best 2 of this archive"
    assert np.isnan(found["sum(|ΔRank|)", "TER ΔRank"].reproduced)
    assert "b is not among" in found["sum(|ΔRank|)", "TER ΔRank"].reason
    assert found["a", "TER"].reason == ""


CASE = {
    "labels": ["BERTScore", "EE-BERTScore", "entropy"],
    "rows": [{"label": "A", "system": "s", "segment": 3, "published": [*[0.1] * 6, 0.2]}],
}


def test_contributions_are_shares_of_the_system_score():
    # The caption's example of Liu et al., Table 6: 0.689 × 0.65 / 180 / 0.801 = 0.311 %.
    values = {
        ("s", 3): {
            "BERTScore": (0.689, 0.828, 1 / 1997),
            "EE-BERTScore": (0.689, 0.801, 0.65 / 180),
            "entropy": 0.642,
        }
    }
    found = by_place(case_studies.case_cells("t", CASE, values, {}, ""))
    assert round(found["A", "EE-BERTScore contribution %"].reproduced, 3) == 0.311
    assert round(found["A", "BERTScore contribution %"].reproduced, 3) == 0.042
    assert found["A", "entropy"].reproduced == 0.642


@pytest.mark.parametrize(
    ("links", "expected"),
    [
        ([4, 0, -1, 2], "[a b] c [d]"),
        ([-1, 1, 2, -1], "a [b c] d"),
        ([-1, -1, -1, -1], "a b c d"),
        ([1, 1, 1, 1], "[a b c d]"),
    ],
)
def test_chunks_are_in_brackets(links, expected):
    # The second system's second segment; the others' links are not looked at.
    lengths = np.array([[2, 1], [1, 4]])
    of_tokens = case_studies.chunks_of(np.array([0, 0, 0, 0, *links]), lengths, 1, 1)
    pieces = case_studies.chunk_pieces(" a b \tc d ", "a b c d".split(), of_tokens)
    assert case_studies.mark_chunks(pieces) == expected
