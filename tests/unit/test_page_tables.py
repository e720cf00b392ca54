"""Tables of the pages: texts, intervals, marks, verdicts, ids and packed rows."""

import numpy as np
import pandas as pd
from page_run import TABLE_CELLS, Cell

from mt_difficulty.evidence.labels import TUNED_NOTE
from mt_difficulty.page import tables
from mt_difficulty.papers.audit import audit
from mt_difficulty.papers.cells import layout


def test_a_papers_table_has_verdicts_and_notes():
    cells = pd.DataFrame(TABLE_CELLS)
    texts = {"chrF": "one **bold** word"}
    found = tables.paper_table(cells, layout(TABLE_CELLS, texts), audit("p", cells, []))
    assert found["groups"] == [["En→De", 2]]
    assert found["columns"] == ["r", "τ"]
    rows = {row["label"]: row for row in found["rows"]}
    verdicts = {name: [cell["status"] for cell in row["cells"]] for name, row in rows.items()}
    assert verdicts == {
        "chrF": ["reproduced", "close"],
        "EE-chrF": ["differs", "other encoder"],
        "ours": ["ours", "not computable"],
    }
    assert rows["chrF"]["sentence"] == [("one ", False), ("bold", True), (" word", False)]
    notes = [note["text"] for note in found["notes"]]
    assert notes == ["8 systems here", "cause not found yet", "encoder <tiny>", "no & texts"]
    assert [cell["note"] for row in rows.values() for cell in row["cells"]] == [
        None,
        1,
        2,
        3,
        None,
        4,
    ]
    first, last = rows["chrF"]["cells"][0], rows["ours"]["cells"][1]
    assert (first["ours"], first["published"]) == ("0.900", "0.900")
    assert (last["ours"], last["published"]) == ("–", "0.500")


def test_a_result_table_joins_ends_to_intervals():
    frame = pd.DataFrame(
        {
            "metric": ["BLEU", "chrF"],
            "segments": [4, 5],
            "both_low": [-0.5, np.nan],
            "both_high": [0.25, np.nan],
            "permutation_p": [0.0004, 0.5],
            "williams_p": [np.nan, np.nan],
            "reason": [np.nan, "too few"],
        }
    )
    found = tables.result_table(frame)
    headings = [column["heading"] for column in found["columns"]]
    assert headings == ["metric", "segments", "over both", "p, permutation", "reason"]
    assert [column["text"] for column in found["columns"]] == [True, False, False, False, True]
    assert found["rows"] == [
        ["BLEU", "4", "[−0.500, 0.250]", "0.0004", ""],
        ["chrF", "5", "", "0.500", "too few"],
    ]


OF_PEOPLE = {"EE": tables.Mark(uses_gold=True)}
TUNED = {"EE": tables.Mark(tuned=True)}


def test_tuned_weightings_are_marked_and_their_difficulties_are_not():
    frame = pd.DataFrame(
        [["chrF", "EE", "chunk_entropy", 0.5], ["chrF", "DA", "length", 0.4]],
        columns=["metric", "weighting", "difficulty", "value"],
    )
    rows = tables.result_table(frame, TUNED)["rows"]
    assert [row[1:3] for row in rows] == [["EE§", "chunk_entropy"], ["DA", "length"]]
    # A row's own column counts: of one weighting some parameters are tuned and others not.
    rows = tables.result_table(frame.assign(tuned=["no", "yes"]), TUNED)["rows"]
    assert [row[1] for row in rows] == ["EE", "DA§"]
    both = tables.Mark(uses_gold=True, tuned=True)
    assert tables.marked("EE", *both) == "EE§ (uses human scores)"
    label = tables.score_label({"metric": "chrF", "weighting": "EE"}, TUNED)
    assert label == "EE-chrF§"


def test_cells_of_tuned_values_are_marked_and_noted():
    cells = [
        Cell("table1", "chrF", "En→De r", 0.9, 3, 0.9),
        Cell("table1", "EE-chrF", "En→De r", 0.9, 3, 0.9, tuned="yes"),
    ]
    frame = pd.DataFrame(cells)
    ledger = audit("paper", frame, [])
    found = tables.paper_table(frame, layout(cells), ledger)
    assert [row["cells"][0]["ours"] for row in found["rows"]] == ["0.900", "0.900§"]
    assert found["notes"] == [{"text": TUNED_NOTE, "count": 1}]


def test_what_is_made_with_human_scores_is_marked():
    frame = pd.DataFrame(
        [["chrF", "EE", "people", 0.5], ["chrF", "long", "length", 0.4]],
        columns=["metric", "weighting", "difficulty", "value"],
    )
    found = tables.result_table(frame, OF_PEOPLE)
    assert found["rows"] == [
        ["chrF", "EE (uses human scores)", "people (uses human scores)", "0.500"],
        ["chrF", "long", "length", "0.400"],
    ]
    assert tables.result_table(frame)["rows"][0][1:3] == ["EE", "people"]
    frame = CORRELATIONS.assign(subset="all")
    rows = tables.correlation_table(frame, None, STATISTICS, OF_PEOPLE)["rows"]
    assert rows[3][1:3] == ["EE (uses human scores)", "chunk_entropy (uses human scores)"]
    assert rows[0][1] == "standard"


STATISTICS = ["pearson", "kendall", "spearman"]
CORRELATIONS = pd.DataFrame(
    [
        ["chrF", "standard", "", "all", 4, 1, 0.5, 0.4, 0.3],
        ["chrF", "standard", "", "top", 4, 1, 0.5, 0.4, 0.3],
        ["chrF", "standard", "", "top", 3, 1, np.nan, 0.2, 0.12347],
        ["chrF", "EE", "chunk_entropy", "top", 3, 1, -1.0, 0.0, 0.0],
    ],
    columns="metric weighting difficulty subset size draws pearson kendall spearman".split(),
).assign(reason="")


def test_correlations_stand_beside_their_intervals():
    rows = [["chrF", "standard", "all", "kendall", 0.1, 0.6]]
    columns = ["metric", "weighting", "subset", "statistic", "both_low", "both_high"]
    significance = pd.DataFrame(rows, columns=columns)
    shown = tables.correlation_table(CORRELATIONS, significance, STATISTICS)
    assert [column["heading"] for column in shown["columns"][3:]] == ["r", "τ", "ρ"]
    assert shown["rows"] == [["chrF", "standard", "", "0.500", "0.400 [0.100, 0.600]", "0.300"]]
    assert shown["ids"] == ["chrF:standard"]


def test_the_statistics_of_the_metrics_task_by_domain_have_no_columns_beside():
    rows = [
        ["chrF", "standard", "all", "soft_accuracy", "", domain, value, 0.5, 0.75, 1]
        for domain, value in (("", 0.625), ("news", 0.5))
    ]
    columns = "metric weighting subset statistic grouping domain value low high rank".split()
    frame = pd.DataFrame(rows, columns=columns).assign(difference=np.nan, epsilon=np.nan)
    shown = tables.agreement_tables(frame, {})
    assert shown["all"]["rows"] == [["chrF", "standard", "0.625 (1)", "[0.500, 0.750]", ""]]
    assert shown["by domain"]["rows"] == [["chrF", "standard", "0.500 (1)"]]
    assert shown["by domain"]["columns"][-1]["heading"] == "SPA, news"
