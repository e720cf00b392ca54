"""Tables of the pages: texts, intervals, marks, verdicts and packed rows."""

import numpy as np
import pandas as pd
from page_run import TABLE_CELLS

from mt_difficulty.page import index, tables
from mt_difficulty.papers import layout
from mt_difficulty.papers.audit import audit
from mt_difficulty.weighting.fitted import TUNED_NOTE


def test_a_papers_table_has_verdicts_and_notes():
    cells = pd.DataFrame(TABLE_CELLS)
    tuned = cells.assign(tuned="yes").head(1)
    shown = index.paper_table(tuned, layout(TABLE_CELLS[:1]), audit("p", tuned, []))
    assert shown["rows"][0]["cells"][0]["ours"] == "0.900§"
    assert shown["notes"] == {TUNED_NOTE: 1}
    texts = {"chrF": "one **bold** word"}
    found = index.paper_table(cells, layout(TABLE_CELLS, texts), audit("p", cells, []))
    rows = {row["label"]: row for row in found["rows"]}
    verdicts = {name: [cell["status"] for cell in row["cells"]] for name, row in rows.items()}
    assert verdicts == {
        "chrF": ["reproduced", "close"],
        "EE-chrF": ["differs", "other encoder"],
        "ours": ["ours", "not computable"],
        "few": ["other systems", "reproduced"],
    }
    assert rows["chrF"]["sentence"] == "one **bold** word"
    notes = ["8 systems here", "cause not found yet", "encoder <tiny>", "no & texts"]
    notes += ["3 systems, 5 in the paper", "negative"]
    assert list(found["notes"]) == notes
    last = rows["ours"]["cells"][1]
    assert (last["ours"], last["published"]) == ("–", "0.500")
    # Ours has its sign, the printed value none.
    negative = rows["few"]["cells"][1]
    assert (negative["ours"], negative["published"]) == ("−0.500", "0.500")


def test_means_over_unknown_subsets_share_a_note():
    remark = "the paper's 100 subsets are unknown: the standard error of the difference is "
    reasons = [f"{remark}0.021, so it is 0.4 of these", f"{remark}0.007, so it is 1.9 of these"]
    cells = pd.DataFrame(TABLE_CELLS[:2]).assign(reason=reasons)
    found = index.paper_table(cells, layout(TABLE_CELLS[:2]), audit("p", cells, []))
    first, second = found["rows"][0]["cells"]
    assert first["published"].endswith("; 0.4 s.e.")
    assert second["published"].endswith("; 1.9 s.e.")
    (note,) = found["notes"]
    assert note == f"the paper's 100 {index.STANDARD_ERRORS}"
    assert found["notes"][note] == 2


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
    names = [column["name"] for column in found["columns"]]
    assert names == ["metric", "segments", "both_low", "permutation_p", "reason"]
    assert found["rows"] == [
        ["BLEU", "4", "[−0.500, 0.250]", "< 0.001", ""],
        ["chrF", "5", "", "0.500", "too few"],
    ]


def test_what_is_made_with_human_scores_is_marked():
    frame = pd.DataFrame(
        [["chrF", "EE", "people", 0.5], ["chrF", "DA", "length", 0.4]],
        columns=["metric", "weighting", "difficulty", "value"],
    )
    gold = {"EE": tables.Mark(uses_gold=True)}
    assert tables.result_table(frame, gold)["rows"] == [
        ["chrF", "EE (uses human scores)", "people (uses human scores)", "0.500"],
        ["chrF", "DA", "length", "0.400"],
    ]
    tuned = {"EE": tables.Mark(tuned=True)}
    rows = tables.result_table(frame, tuned)["rows"]
    assert [row[1:3] for row in rows] == [["EE§", "people"], ["DA", "length"]]
    # A row's own column counts: of one weighting some parameters are tuned and others not.
    rows = tables.result_table(frame.assign(tuned=["no", "yes"]), tuned)["rows"]
    assert [row[1] for row in rows] == ["EE", "DA§"]


def test_long_tables_hold_each_text_of_a_column_once():
    rows = [[f"r{place}", "ab"[place % 2]] for place in range(tables.PACKED)]
    first, second = tables.packed_rows({"rows": rows})
    assert [first["texts"][place] for place in first["at"]] == [row[0] for row in rows]
    assert second == {"texts": ["a", "b"], "at": [0, 1] * (tables.PACKED // 2)}
    assert tables.packed_rows({"rows": rows[1:]}) is None


def test_scores_have_a_row_for_each_system_in_order():
    rows = [("a", "BLEU", "standard", 30.04), ("b", "BLEU", "standard", 31), ("b", "BLEU", "EE", 2)]
    frame = pd.DataFrame(rows, columns=["system", "metric", "weighting", "score"])
    found = tables.score_table(frame, ["b", "a"])
    assert found["rows"] == [["b", "31.0", "2.000"], ["a", "30.0", "–"]]
    assert [column.get("more", False) for column in found["columns"]] == [False, False, True]
    found = tables.score_table(frame.assign(low=29.5, high=np.nan), ["a"])
    assert found["rows"] == [["a", "30.0", "–"]]
    found = tables.score_table(frame.assign(low=29.5, high=31.5), ["a"])
    assert found["rows"] == [["a", "30.0 [29.5, 31.5]", "–"]]


def test_scores_of_own_systems_say_which_systems_are_worse():
    rows = [("a", "BLEU", "standard", 30.0), ("b", "BLEU", "standard", 20.0)]
    rows.append(("b", "BLEU", "EE", 2.0))
    frame = pd.DataFrame(rows, columns=["system", "metric", "weighting", "score"])
    found = tables.score_table(frame.assign(better_than=["b", "none", "none"]), ["a", "b"])
    heads = [(column["heading"], column.get("more", False)) for column in found["columns"][1:]]
    assert heads == [
        ("BLEU", False),
        ("BLEU: better than", False),
        ("EE-BLEU", True),
        ("EE-BLEU: better than", True),
    ]
    assert found["rows"] == [["a", "30.0", "b", "–", ""], ["b", "20.0", "none", "2.000", "none"]]


def test_a_reason_of_several_claims_is_one_note():
    gone = "2 of 2 cells have no number of ours: no texts; it has others; no encoder"
    rows = [("c1", "data", gone), ("c2", "data", f"{gone}: seen in 3"), ("c2", "printed", "true")]
    claims = pd.DataFrame(rows, columns=["claim", "origin", "reason"]).assign(
        statement="S", where="§ 1", published=np.nan, reproduced=np.nan, unit="", digits=0
    )
    ledger = claims.rename(columns={"claim": "row"}).assign(
        item="claims",
        column=claims.origin.map({"data": "on data", "printed": "on the printed cells"}),
        status="not computable",
        evidence=["", "seen in 3", ""],
    )
    cell = ledger.head(1).assign(item="table1", reason="no texts; it has others")
    found = index.claims_table(claims, pd.concat([ledger, cell]))
    assert found["notes"] == {"no texts; it has others": 2, "no encoder": 2}
    assert [claim["cells"]["data"]["notes"] for claim in found["claims"]] == [[1, 2], [1, 2]]
    assert [claim["reasons"] for claim in found["claims"]] == [
        ["on data: 2 of 2 cells have no number of ours"],
        [
            "on data: 2 of 2 cells have no number of ours: seen in 3",
            "within the paper: true",
        ],
    ]
