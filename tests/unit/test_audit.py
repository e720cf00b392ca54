"""The verdicts on published cells."""

import numpy as np
import pandas as pd
import pytest

from mt_difficulty.papers import Cell
from mt_difficulty.papers.audit import STATUSES, audit, mark_method, status, summarise
from mt_difficulty.settings.protocol import Cause, Cells, Method
from mt_difficulty.tables import TABLES


@pytest.mark.parametrize(
    ("published", "reproduced", "digits", "expected"),
    [
        (0.965, 0.96449, 3, "reproduced"),  # prints 0.964: 1 in the last digit
        (0.965, 0.9667, 3, "close"),  # prints 0.967
        (0.965, 0.9851, 3, "differs"),
        (0.965, 0.9849, 3, "close"),
        (-0.946, -0.9461, 3, "reproduced"),
        (180, 181, 0, "differs"),  # a count, like a rank, is right or wrong
        (0.1555, 0.1574, 4, "close"),
        (0.1555, 0.1576, 4, "differs"),
        (0.9, np.nan, 3, "not computable"),
    ],
)
def test_status(published, reproduced, digits, expected):
    assert status(published, reproduced, digits) == expected


@pytest.mark.parametrize(
    ("origin", "reproduced", "expected"),
    [
        ("printed", 0.5, "derived"),
        ("printed", 0.51, "close"),
        ("printed", 0.6, "differs"),  # what the printed inputs do not give
        ("given", 0.5, "input"),
        ("given", np.nan, "input"),
        ("data", 0.5, "reproduced"),
    ],
)
def test_reproduced_are_numbers_from_data_alone(origin, reproduced, expected):
    cells = pd.DataFrame([cell("a", 0.5, reproduced)._replace(origin=origin)])
    ledger = audit("paper", cells, [])
    assert (ledger.status[0], ledger.origin[0]) == (expected, origin)


def cell(row, published, reproduced, reason="", item="table2", **marks):
    return Cell(item, row, "r", published, 3, reproduced, reason, **marks)


OTHERS = "8 systems in this archive, 13 in the paper"


@pytest.mark.parametrize(
    ("reproduced", "marks", "expected", "reason"),
    [
        (0.5, {}, "other systems", f"{OTHERS}; inside"),  # equal by chance
        (0.9, {}, "other systems", f"{OTHERS}; inside"),
        (0.9, {"substitute": "tiny"}, "other encoder", f"tiny; {OTHERS}; inside"),
        (np.nan, {}, "not computable", "inside"),
        (0.5, {"origin": "given"}, "input", "inside"),
    ],
)
def test_numbers_of_other_systems_are_not_compared(reproduced, marks, expected, reason):
    cells = pd.DataFrame([cell("a", 0.5, reproduced, "inside", systems_note=OTHERS, **marks)])
    cause = Cause(item="table2", within=1, reason="not asked", evidence="")
    (row,) = audit("paper", cells, [cause]).itertuples()
    assert (row.status, row.reason) == (expected, reason)
    assert np.isnan(row.difference) == (expected != "input")
    assert expected in STATUSES
    assert summarise(audit("paper", cells, []))[expected].tolist() == [1]


@pytest.mark.parametrize(
    ("published", "reproduced", "expected", "apart"),
    [
        (0.46, -0.4595, "reproduced", -0.0005),
        (0.46, 0.4595, "reproduced", -0.0005),
        (0.46, -0.445, "close", -0.015),
        (0.46, -0.6, "differs", 0.14),
    ],
)
def test_ours_has_its_sign_where_the_paper_prints_absolute_values(
    published, reproduced, expected, apart
):
    cells = pd.DataFrame([cell("a", published, reproduced, absolute="yes")])
    (row,) = audit("paper", cells, []).itertuples()
    assert (row.status, row.reproduced) == (expected, reproduced)
    assert row.difference == pytest.approx(apart)


def test_the_ledger_says_which_cells_are_of_the_papers_own_method():
    cells = pd.DataFrame([cell("a", 0.5, 0.5), cell("b", 0.5, 0.5), cell("b", 0.5, 0.5, item="t")])
    ledger = audit("paper", cells, [])
    ledger = pd.concat([ledger, audit("other", cells, [])], ignore_index=True)
    assert set(ledger.method) == {""}
    method = Method(name="mine", cells=[Cells(item=["table2", "t"], row="b", column="r")])
    marked = mark_method(ledger, "paper", method)
    assert marked.method.tolist() == ["", "mine", "mine", "", "", ""]
    method.cells.append(Cells(item="table2", row="c"))
    with pytest.raises(ValueError, match=r"paper, method: no published cell .*'c'"):
        mark_method(ledger, "paper", method)


def test_causes_go_to_the_cells_they_name():
    causes = [
        Cause(item="table2", row=["a", "c"], within=0.2, reason="threads", evidence="seen"),
        Cause(item="table2", within=0.05, reason="too small", evidence="seen"),
        Cause(item="table3", within=1, reason="elsewhere", evidence="seen"),
        Cause(
            item=["table1", "table2"], column="r", within=1, reason="everywhere", evidence="seen"
        ),
    ]
    cells = pd.DataFrame([cell("a", 0.5, 0.6), cell("b", 0.5, 0.6, "own"), cell("c", 0.5, 0.5)])
    ledger = audit("paper", cells, causes)
    assert ledger.columns.tolist() == TABLES["audit.csv"].names()
    assert ledger.reason.tolist() == ["threads; everywhere", "own; everywhere", ""]
    assert ledger.evidence.tolist() == ["seen; seen", "seen", ""]
    assert ledger.difference.tolist() == pytest.approx([0.1, 0.1, 0])
    with pytest.raises(ValueError, match="paper, table2, a, r: no reason"):
        audit("paper", pd.DataFrame([cell("a", 0.5, np.nan)]), [])
