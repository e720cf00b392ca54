"""The ledger's verdicts, and the papers' tables with intervals and tests."""

import numpy as np
import pandas as pd
import pytest

from mt_difficulty.evidence.intervals import holm
from mt_difficulty.papers import significance_tables as st
from mt_difficulty.papers.audit import COLUMNS, audit, status, summarise
from mt_difficulty.papers.cells import Cell


@pytest.mark.parametrize(
    ("published", "reproduced", "digits", "expected"),
    [
        (0.965, 0.9650, 3, "reproduced"),
        (0.965, 0.96449, 3, "reproduced"),  # prints 0.964: 1 in the last digit
        (0.965, 0.9664, 3, "reproduced"),
        (0.965, 0.9667, 3, "close"),  # prints 0.967
        (0.965, 0.9851, 3, "differs"),
        (0.965, 0.9849, 3, "close"),
        (-0.946, -0.9461, 3, "reproduced"),
        (0.35, 0.36, 2, "reproduced"),
        (0.35, 0.3651, 2, "close"),
        (180, 180, 0, "reproduced"),
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


def cell(row, published, reproduced, reason="", item="table2"):
    return Cell(item, row, "r", published, 3, reproduced, reason)


def test_causes_go_to_the_cells_they_name():
    causes = [
        {
            "item": "table2",
            "row": ["a", "c"],
            "within": 0.2,
            "reason": "threads",
            "evidence": "seen",
        },
        {"item": "table2", "within": 0.05, "reason": "too small", "evidence": "seen"},
        {"item": "table3", "within": 1, "reason": "elsewhere", "evidence": "seen"},
        {"column": "r", "within": 1, "reason": "everywhere", "evidence": "seen"},
    ]
    cells = pd.DataFrame([cell("a", 0.5, 0.6), cell("b", 0.5, 0.6, "own"), cell("c", 0.5, 0.5)])
    ledger = audit("paper", cells, causes)
    assert ledger.columns.tolist() == COLUMNS
    assert ledger.reason.tolist() == ["threads; everywhere", "own; everywhere", ""]
    assert ledger.evidence.tolist() == ["seen; seen", "seen", ""]
    assert ledger.difference.tolist() == pytest.approx([0.1, 0.1, 0])


def test_a_cell_without_number_and_reason_is_refused():
    with pytest.raises(ValueError, match="paper, table2, a, r: no reason"):
        audit("paper", pd.DataFrame([cell("a", 0.5, np.nan)]), [])


def test_summary_counts_by_item():
    cells = pd.DataFrame(
        [cell("a", 0.5, 0.5), cell("b", 0.5, 0.51), cell("c", 0.5, 0.9, item="table3")]
    )
    counts = summarise(audit("paper", cells, []))
    assert counts.loc[("paper", "table2")].tolist() == [1, 1, *[0] * 8]
    assert counts.loc[("paper", "table3")].tolist() == [0, 0, 1, *[0] * 7]


ENDS = [f"{over}_{end}" for over in st.INTERVALS for end in ("low", "high")]


def significance(metric, weighting, subset, size, statistic, p, difference=0.1):
    interval = dict.fromkeys(ENDS, 0.25)
    difficulty = {"standard": ""}.get(weighting, "chunk_entropy")
    head = {"metric": metric, "weighting": weighting, "difficulty": difficulty}
    head |= {"subset": subset, "size": size}
    tests = {"difference": difference, "permutation_p": p, "williams_p": np.nan, "reason": np.nan}
    return {**head, "statistic": statistic, "value": 0.5, **interval, **tests}


TABLE = {
    "columns": [
        {"label": "En→De", "set": "a/en-de", "subset": "all"},
        {"label": "En→De (top 4)", "set": "a/en-de", "subset": "top", "size": 4},
    ],
    "rows": [
        {"metric": "BLEU", "weighting": "standard"},
        {"metric": "BLEU", "weighting": "EE"},
        {"metric": "ESIM", "weighting": "standard"},
    ],
}
ROWS = pd.DataFrame(
    [
        significance("BLEU", "standard", "all", 9, "pearson", np.nan, np.nan),
        significance("BLEU", "EE", "all", 9, "pearson", 0.0004),
        significance("BLEU", "EE", "all", 9, "kendall", 0.03),
        significance("BLEU", "EE", "top", 4, "pearson", 0.2),
        significance("BLEU", "EE", "top", 6, "pearson", 0.9),  # in no column
        significance("BLEU", "EE", "all", 9, "same_rank", 0.01),  # no statistic of these tables
    ]
)
CONTROLS = [*st.KEYS, "tuned", "null", "quantile"]


@pytest.fixture
def frame():
    place = ("BLEU", "EE", "top", 4, "pearson")
    nulls = {"shuffled": 0.75, "permuted": 0.6, "swapped": np.nan, "retuned": 0.4}
    controls = pd.DataFrame(
        [[*place, "yes", null, quantile] for null, quantile in nulls.items()], columns=CONTROLS
    )
    controls["difficulty"] = "chunk_entropy"
    rows = st.join(ROWS, controls)
    results = {"a/en-de": (rows, lambda metric, weighting: f"no {metric}, {weighting}")}
    return st.statistics_rows(TABLE, results)


def test_every_row_and_column_has_its_statistics_or_a_reason(frame):
    assert frame.columns.tolist() == st.COLUMNS
    found = frame.set_index(["row", "column", "statistic"])
    assert len(found) == 4 + 3  # three more combinations have none
    top = found.loc["EE-BLEU", "En→De (top 4)", "pearson"]
    assert (top.permutation_p, top.tuned) == (0.2, "yes")
    assert top[st.QUANTILES].tolist() == [0.75, 0.6, 0.4]
    other = found.loc["EE-BLEU", "En→De", "pearson"]
    assert other[st.QUANTILES].isna().all()
    assert other.tuned == ""
    assert found.loc["ESIM", "En→De", "pearson"].reason == "no ESIM, standard"
    assert np.isnan(found.loc["ESIM", "En→De", "pearson"].value)
    place = ["metric", "weighting", "difficulty"]
    assert top[place].tolist() == ["BLEU", "EE", "chunk_entropy"]
    assert found.loc["ESIM", "En→De", "pearson"][place].tolist() == ["ESIM", "standard", ""]


def test_holm_is_over_the_tests_of_the_table_alone(frame):
    tests = frame.permutation_p.notna()
    assert frame.permutation_p[tests].tolist() == [0.0004, 0.03, 0.2]
    expected = holm([0.0004, 0.03, 0.2])
    np.testing.assert_allclose(frame.permutation_p_holm[tests], expected)
    assert frame.permutation_p_holm[~tests].isna().all()
