"""The checks of claims on cells whose answers can be counted by hand, and the papers' claims on the
cells that the papers print."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT, check_of

from mt_difficulty.data.evalset import SetFiles
from mt_difficulty.errors import Missing
from mt_difficulty.page import headline
from mt_difficulty.papers import Cell, Inputs, audit
from mt_difficulty.papers.audit import Truths, check_claims, ledger_rows
from mt_difficulty.papers.tables import make_table
from mt_difficulty.plan import outputs
from mt_difficulty.plan.papers import check_papers
from mt_difficulty.settings.protocol import Claim

COLUMNS = ("A r", "A τ", "B r", "B τ")
PRINTED = {
    "plain": [0.5, 0.4, 0.6, -0.2],
    "new": [0.6, 0.4, 0.5, 0.2],
    "third": [0.1, np.nan, 0.1, np.nan],  # a row that the paper prints in part
}
OURS = {
    "plain": [0.5, 0.4, np.nan, -0.2],
    "new": [0.7, 0.5, 0.5, 0.2],
    "third": [0.1, 0.1, 0.1, 0.1],
}
CELLS = pd.DataFrame(
    Cell("t", row, column, PRINTED[row][place], 3, OURS[row][place], "" if ours_there else "gone")
    for row in PRINTED
    for place, column in enumerate(COLUMNS)
    for ours_there in [np.isfinite(OURS[row][place])]
)
PAIRS = [["new", "plain"]]


def found(check, origin="published", cells=CELLS):
    """What a check gives on the printed cells, or on ours."""
    check = check_of({"item": "t"} | check)
    chosen = audit.select(cells, check)
    return audit.check_cells(chosen.assign(value=chosen[origin]), check)


def test_pairs_are_compared_where_both_sides_are_printed():
    assert found({"kind": "higher", "pairs": PAIRS}) == Truths(4, 2, 1)
    assert found({"kind": "higher", "pairs": [["new", "third"]]}) == Truths(2, 2)
    assert found({"kind": "higher", "pairs": PAIRS, "statistics": ["r"]}) == Truths(2, 1)
    assert found({"kind": "higher", "pairs": PAIRS, "columns": ["B"]}) == Truths(2, 1)
    assert found({"kind": "higher", "pairs": PAIRS}, "reproduced") == Truths(4, 3, 0, 1)
    # Means, r: (0.6 + 0.5) / 2 and (0.5 + 0.6) / 2; τ: 0.3 and 0.1.
    check = {"kind": "higher", "average": True, "pairs": PAIRS}
    assert found(check) == Truths(2, 1, 1)
    assert found(check, "reproduced") == Truths(2, 1, 0, 1)


def test_what_has_no_number_is_not_counted():
    """Ours: plain has no B r; of the one pair of r that is left, new is higher."""
    check = {"kind": "higher", "item": "t", "pairs": PAIRS, "statistics": ["r"]}
    claim = Claim(id="c", where="", statement="", check=check_of(check))
    (row,) = audit.check_claims([claim], CELLS, INPUTS).tail(1).to_dict("records")
    assert audit.printed(row, "reproduced") == "1 of 1 computable (of 2)"
    assert audit.verdict(row) == "partly computable"
    assert "gone" in row["reason"]


def test_gains_are_means_of_differences_in_percent():
    # 0.1, 0, -0.1, 0.4
    assert found({"kind": "gain", "pairs": PAIRS}) == pytest.approx(10)
    assert found({"kind": "gain", "pairs": PAIRS, "summed": True}) == pytest.approx(20)
    assert found({"kind": "gain", "pairs": PAIRS, "statistics": ["τ"]}) == pytest.approx(20)
    assert found({"kind": "gain", "pairs": PAIRS, "columns": ["A"], "scale": 1}) == pytest.approx(
        0.05
    )
    assert np.isnan(found({"kind": "gain", "pairs": PAIRS}, "reproduced"))


def test_bounds_are_of_scaled_cells():
    check = {"kind": "bounded", "rows": ["plain"]}
    assert found(check | {"at_least": 0.4, "below": 0.6}) == Truths(4, 2)
    assert found(check | {"above": 4, "scale": 100, "per": 10}) == Truths(4, 2)
    assert found(check | {"at_most": 0.5}, "reproduced") == Truths(4, 3, 0, 1)
    # 0.5 and 0.6, 0.4 and 0.4, 0.6 and 0.5, -0.2 and 0.2; 0.5 is rounded to 0.
    same = {"kind": "bounded", "groups": [["plain", "new"]], "decimals": 0, "at_most": 0}
    assert found(same) == Truths(4, 2)
    assert found(same, "reproduced").unknown == 1
    factors = [["plain", "A r"], ["new", "A r", -1]]
    assert found({"kind": "product", "factors": factors, "scale": 6}) == pytest.approx(5)


def test_a_check_of_cells_that_there_are_not_is_refused():
    with pytest.raises(ValueError, match="no published cell other"):
        found({"kind": "gain", "pairs": [["new", "other"]]})


ENTROPY = np.array([[0.1, 0.9, 0.2, 0.5], [0.1, 0.3, 0.2, 0.7]])
TOP = pd.DataFrame(
    [["top", "standard", "M", size, size / 10 - 0.55] for size in (4, 5, 6)],
    columns=["subset", "weighting", "metric", "size", "pearson"],
)
SET = SetFiles(
    "s/en-de",
    {
        "difficulty/d.npz": {"difficulty": ENTROPY},
        "correlations.csv": TOP,
        "weightings.json": {
            "weightings": {"W": {"parameters": {"estimate": {"h": 0.6}}, "notices": []}}
        },
    },
)
INPUTS = Inputs(
    {"s/en-de": SET, "gone/en-de": SetFiles("", {"correlations.csv": Missing("no set")})}
)


BEST = {
    "kind": "top_systems",
    "set": "s/en-de",
    "metrics": ["M"],
    "weighting": "standard",
    "statistic": "pearson",
    "sizes": [4, 6],
}


@pytest.mark.parametrize(
    ("check", "expected"),
    [
        ({"threshold": 0.5, "of": "hypotheses"}, 37.5),
        ({"threshold": 0.6, "of": "segments"}, 50),  # means 0.1, 0.6, 0.2, 0.6
        ({"threshold": 0.65, "of": "segments"}, 0),
        ({"weighting": "W", "of": "hypotheses"}, 25),
    ],
)
def test_shares_of_difficult_hypotheses_and_segments(check, expected):
    check = {"kind": "difficult_share", "set": "s/en-de", "difficulty": "d"} | check
    values = audit.difficult_share(check_of(check), INPUTS)
    assert values == pytest.approx(expected)


def test_errors_of_estimates_and_statistics_of_the_best_systems():
    check = {"kind": "mean_error", "item": "t", "columns": ["A r", "A τ", "B r"]}
    checked = audit.evaluate(check_of(check | {"rows": ["new"]}), CELLS, INPUTS, "data")
    assert checked.result == pytest.approx(0.2 / 3)
    checked = audit.evaluate(check_of(check | {"rows": ["plain"]}), CELLS, INPUTS, "data")
    assert np.isnan(checked.result)
    assert checked.reason == "1 of 3 cells have no number of ours: gone"
    check = check_of(BEST | {"metrics": ["M", "other"], "below": 0})
    assert audit.top_systems(check, INPUTS) == Truths(6, 2, 0, 3)


def test_claims_have_a_row_for_each_side_and_a_verdict():
    head = {"where": "Section 1", "statement": "so it is"}
    value = {"kind": "product", "item": "t", "factors": [["new", "A r"]]}
    higher = {"kind": "higher", "item": "t", "pairs": PAIRS}
    lost = BEST | {"set": "gone/en-de"}
    claims = [
        {"id": "v", "published": 0.6, "digits": 1, "check": value, "beside": {"x": higher}},
        {"id": "c", "check": higher | {"statistics": ["τ"]}},
        {"id": "lost", "check": lost},
        {"id": "unchecked", "reason": "no criterion"},
    ]
    claims = [Claim.model_validate(head | claim) for claim in claims]
    found = audit.check_claims(claims, CELLS, INPUTS)
    ledger = audit.ledger_rows("p", found)
    assert ledger[["row", "origin", "status"]].values.tolist() == [
        ["v", "printed", "derived"],
        ["v", "data", "reproduced"],  # 0.7: 1 in the last digit
        ["c", "printed", "does not hold"],
        ["c", "data", "holds"],
        ["lost", "data", "not computable"],
        ["unchecked", "printed", "not computable"],
    ]
    assert ledger.evidence[0] == "x: true in 2 of 4, equal in 1"
    assert ledger.reason.tolist()[4:] == ["no set", "no criterion"]


def claimed(check, cells=CELLS, inputs=INPUTS):
    """The ledger's row of a comparison on data."""
    claim = Claim(id="c", where="", statement="", check=check_of(check))
    (row,) = ledger_rows("p", check_claims([claim], cells, inputs)).tail(1).to_dict("records")
    return row


HIGHER = {"kind": "higher", "item": "t", "pairs": PAIRS}


@pytest.mark.parametrize(
    ("check", "status", "found"),
    [
        # Ours, new less plain: 0.2, 0.1, no number, 0.4.
        (HIGHER | {"columns": ["A"]}, "holds", "hold"),
        (HIGHER, "partly computable", "partly"),
        # 0.2, -0.1 and no number: a false part is enough.
        (HIGHER | {"pairs": [["new", "plain"], ["third", "new"]]}, "does not hold", "fail"),
        ({"kind": "bounded", "item": "t", "rows": ["plain"], "above": 0}, "does not hold", "fail"),
        (HIGHER | {"columns": ["B"], "statistics": ["r"]}, "not computable", "not_checked"),
    ],
)
def test_a_claim_that_could_be_checked_in_part_is_none_that_holds(check, status, found):
    row = claimed(check)
    assert row["status"] == status
    counts = headline.count_claims(pd.DataFrame([row]))
    assert {name: number for name, number in counts.items() if number} == {found: 1}


def test_every_status_of_a_claim_is_one_finding():
    statuses = [status for of in audit.CLAIM_FINDINGS.values() for status in of]
    assert sorted(statuses) == sorted({*audit.STATUSES} - {"input"})


def test_claims_on_other_systems_are_not_judged():
    cells = CELLS.assign(systems_note=["3 here"] + [""] * (len(CELLS) - 1))
    row = claimed(HIGHER | {"columns": ["A"]}, cells)
    assert (row["status"], row["reason"]) == ("other systems", "3 here; true in 2 of 2")
    assert claimed(HIGHER | {"columns": ["B"], "statistics": ["τ"]}, cells)["status"] == "holds"
    # A check of a set's results.
    contents = SET.contents | {"evalset.json": SimpleNamespace(systems=["a", "b"])}
    inputs = Inputs({"s/en-de": SetFiles("s/en-de", contents)}, systems={"s/en-de": 3})
    check = BEST | {"below": 1}
    assert claimed(check, inputs=inputs)["status"] == "other systems"
    same = Inputs(inputs.sets, systems={"s/en-de": 2})
    assert claimed(check, inputs=same)["status"] == "holds"


def test_claims_on_absolute_values_take_the_absolute_value_of_ours():
    negative = CELLS.reproduced.where(CELLS.row != "new", -CELLS.reproduced)
    cells = CELLS.assign(reproduced=negative)
    assert claimed(HIGHER | {"columns": ["A"]}, cells)["status"] == "does not hold"
    cells = cells.assign(absolute="yes")
    assert claimed(HIGHER | {"columns": ["A"]}, cells)["status"] == "holds"


PAPERS, _ = check_papers(["babych2004", "liu2022", "zhan2021"], ROOT / "workflow/papers")


class Nothing(dict):
    """Contents of a set of which there is no result."""

    def __missing__(self, file):
        return Missing("no archive")


def printed_cells(paper):
    """The cells of a paper's tables, and what they are made from; no set has results."""
    plan = SimpleNamespace(papers={"paper": paper})
    empty = pd.DataFrame(columns=["system", "metric", "weighting", "size", "score", "reason"])
    contents = Nothing({"top_scores.csv": empty, "missing.csv": empty})
    names = [entry.name for entry in paper.sets]
    own, types = SetFiles("paper", Nothing()), outputs.metric_types(plan, "paper")
    given = {"types": types, "printed": paper.inputs}
    inputs = Inputs({name: SetFiles(name, contents) for name in names}, own, **given)
    made = [make_table(item, table, inputs)[0] for item, table in paper.tables.items()]
    return pd.DataFrame(cell for of_table in made for cell in of_table), inputs


def printed_ledger(name, paper):
    """The claims of a paper, checked on the cells that it prints."""
    return ledger_rows(name, check_claims(paper.claims, *printed_cells(paper)))


@pytest.mark.parametrize(
    ("name", "method", "cells"),
    [
        # EE: 4 metrics in 15, 9, 12, 6 and 9 columns, their 12 gains, 5 rows of Table 4, 4 of 6.
        ("liu2022", "EE", 4 * (15 + 9 + 12 + 6 + 9) + 12 + 5 * 3 + 4 * 2),
        ("zhan2021", "DA-BERTScore", 12 + 6 * 2 + 1 + 4),
        ("babych2004", "translation complexity", 5 * 4 + 26 + 22),
    ],
)
def test_every_paper_names_the_cells_of_its_own_method(name, method, cells):
    ledger = audit.audit(name, printed_cells(PAPERS[name])[0].assign(reason="not made"), [])
    ledger = audit.mark_method(ledger, name, PAPERS[name].method)
    assert ledger.method.value_counts()[method] == cells


@pytest.fixture(scope="module")
def ledgers():
    return {name: printed_ledger(name, paper) for name, paper in PAPERS.items()}


@pytest.fixture(scope="module")
def liu(ledgers):
    rows = ledgers["liu2022"]
    return rows[rows.origin == "printed"].set_index("row")


@pytest.mark.parametrize(
    ("claim", "value", "total"),
    [
        ("4 random systems", 2.3, 6.95),
        ("6 random systems", 2.5, 7.50),
        ("8 random systems", 1.5, 4.58),
        ("10 random systems", 2.2, 6.53),
        ("WMT20", 0.9, 2.65),
        ("WMT21", 1.8, 5.40),
    ],
)
def test_average_improvements_are_not_those_of_the_printed_cells(liu, claim, value, total):
    """Sums over the statistics are near some of the claims."""
    claim = f"average improvement, {claim}"
    assert liu.reproduced[claim] == pytest.approx(value, abs=0.051)
    assert liu.status[claim] == "differs"
    sums = float(liu.evidence[claim].split("ρ: ")[1].split(";")[0])
    assert sums == pytest.approx(total, abs=0.011)


def test_measured_beside_claims_of_the_text(liu):
    assert liu.status["few difficult samples"] == "does not hold"
    assert liu.evidence["few difficult samples"].endswith("difficult for Facebook: 9.01")
    rows = [f"average improvement of {statistic}" for statistic in "rτρ"]
    assert liu.status[rows].to_dict() == dict.fromkeys(rows, "derived")


def test_tau_of_table_2_implies_six_corrected_pairs(liu):
    # C − D = τ-b √(231 · 230): human scores of En→De have one tie.
    concordant = [round(tau * (231 * 230) ** 0.5) for tau in (0.807, 0.859)]
    assert concordant == [186, 198]
    assert liu.reproduced["seven more corrected rankings"] == pytest.approx(6, abs=0.12)


@pytest.mark.parametrize(
    ("paper", "claim", "status"),
    [
        ("liu2022", "top 4, no negative correlations", "does not hold"),
        ("liu2022", "top 4, unweighted metrics", "does not hold"),
        ("liu2022", "random subsets", "does not hold"),
        ("zhan2021", "DA-BERTScore and all other metrics", "does not hold"),
        ("babych2004", "normalised scores are more stable", "does not hold"),
        ("liu2022", "EE-BERTScore and the best metrics of WMT19", "holds"),
        ("liu2022", "every metric gains on average", "holds"),
        ("zhan2021", "DA-BERTScore and vanilla BERTScore", "holds"),
        ("zhan2021", "lowest rank difference", "holds"),
        ("babych2004", "ASW has the strongest negative correlation", "holds"),
        ("babych2004", "order of the texts", "holds"),
    ],
)
def test_statements_on_the_printed_cells(ledgers, paper, claim, status):
    rows = ledgers[paper]
    rows = rows[(rows.row == claim) & (rows.origin == "printed")]
    assert rows.status.tolist() == [status]
