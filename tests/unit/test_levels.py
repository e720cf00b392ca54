"""What is said of leave-one-out difficulties: figures of the controls under permuted ones."""

import numpy as np
import pandas as pd
import pytest
from conftest import table_of

from mt_difficulty.data.evalset import SetFiles
from mt_difficulty.difficulty.token_dissimilarity import TokenDissimilarity
from mt_difficulty.evidence.levels import leaves_one_out, level_note, permuted
from mt_difficulty.papers import Inputs, tables
from mt_difficulty.settings.protocol import CorrelationTable

NAME = "wmt19/en-de"
COLUMNS = ["metric", "weighting", "subset", "size", "statistic", "null", "value"]
COLUMNS += ["mean", "low", "high"]
CONTROLS = pd.DataFrame(
    [
        ["B", "DA-LOO", "all", 9, "pearson", "permuted", 0.886, 0.917, 0.912, 0.922],
        ["B", "DA-LOO", "top", 4, "pearson", "permuted", 0.5, 0.4, 0.3, 0.6],
        ["B", "DA-LOO", "all", 9, "kendall", "permuted", 0.1, 0.2, 0.1, 0.3],
        ["B", "DA-LOO", "all", 9, "pearson", "constant", 0.886, 0.7, np.nan, np.nan],
        ["B", "DA", "all", 9, "pearson", "permuted", 0.2, 0.4, 0.3, 0.5],
        ["C", "DA-LOO", "all", 9, "pearson", "permuted", np.nan, np.nan, np.nan, np.nan],
    ],
    columns=COLUMNS,
)
DESCRIBED = {
    "difficulties": {
        name: {"signature": TokenDissimilarity(leave_one_out=name == "others").signature}
        for name in ("all", "others")
    },
    "weightings": {
        "DA": {"unit": "token", "difficulty": "all"},
        "DA-LOO": {"unit": "token", "difficulty": "others"},
        "EE-DA": {"unit": "token", "difficulty": "chunk_entropy+others"},
        "EE": {"unit": "segment", "difficulty": "others"},
    },
}


@pytest.mark.parametrize("weighting", ["DA", "EE-DA", "EE", "unknown"])
def test_other_weightings_leave_no_system_out(weighting):
    assert not leaves_one_out(DESCRIBED, weighting)
    assert leaves_one_out(DESCRIBED, "DA-LOO")


def test_the_note_has_the_figures_of_permuted_difficulties():
    rows = permuted(CONTROLS[CONTROLS.weighting == "DA-LOO"])
    note = level_note(rows, rows["subset"])
    assert note.endswith(
        "mean r (95 % range) is 0.917 (0.912 to 0.922) against 0.886 (all), "
        "0.400 (0.300 to 0.600) against 0.500 (top)."
    )
    assert level_note(rows[:0], []) == ""


def test_a_paper_table_says_it_of_its_row():
    columns = [
        {"label": "En→De", "set": NAME, "subset": "all"},
        {"label": "best", "set": NAME, "subset": "top", "size": 4},
    ]
    rows = [{"metric": "B", "weighting": name} for name in ("standard", "DA", "DA-LOO")]
    table = table_of({"kind": "correlations", "columns": columns, "rows": rows})
    assert isinstance(table, CorrelationTable)
    contents = {"weightings.json": DESCRIBED, "controls.csv": CONTROLS}
    (note,) = tables.level_notes(table, Inputs({NAME: SetFiles(NAME, contents)}))
    assert note.startswith("DA-LOO-B: Leaving a system out of its own difficulty raises")
    assert "0.917 (0.912 to 0.922) against 0.886 (En→De), 0.400" in note
    assert tables.level_notes(table, Inputs({NAME: SetFiles(NAME, {})})) == []
