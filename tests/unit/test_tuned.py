"""Which cells of papers' tables carry the mark of tuned values."""

import numpy as np

from mt_difficulty.evidence.labels import TUNED_NOTE
from mt_difficulty.papers.cells import Cell, layout, mark_tuned, notes

TUNED_ON = {"a/en-de": ["EE", "EE-DA"], "b/en-de": []}
COLUMNS = [
    {"label": "En→De", "set": "a/en-de", "subset": "all"},
    {"label": "En→De (top 4)", "set": "a/en-de", "subset": "top", "size": 4},
    {"label": "B", "set": "b/en-de", "subset": "all"},
]
TABLE = {
    "kind": "correlations",
    "columns": COLUMNS,
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


def test_mean_gains_over_sets_of_which_one_is_tuned_are_marked():
    found = mark_tuned(cells_of(["EE-BLEU", "DA-BLEU"], ["Average Δr"]), TABLE, TUNED_ON)
    assert marked(found) == {("EE-BLEU", "Average Δr")}


def test_an_ablation_is_marked_but_for_what_no_threshold_enters():
    table = {"kind": "ablation", "set": "a/en-de"}
    rows = ["BLEU: standard", "BLEU: EE", "BLEU: only easy", "BLEU: w/o difficulty"]
    found = mark_tuned(cells_of(rows, ["h", "r"]), table, TUNED_ON)
    assert {row for row, _ in marked(found)} == {"BLEU: EE", "BLEU: only easy"}
    assert mark_tuned(cells_of(rows, ["r"]), table | {"set": "b/en-de"}, TUNED_ON) == cells_of(
        rows, ["r"]
    )


def test_a_number_that_is_not_there_has_no_mark():
    cell = Cell("table1", "EE-BLEU", "En→De r", 0.5, 3, np.nan, "no texts")
    assert layout(mark_tuned([cell], TABLE, TUNED_ON)).iloc[0, 1] == "– [0.500]"
