"""The checks of claims on cells whose answers can be counted by hand, and the papers' claims on the
cells that the papers print."""

import numpy as np
import pandas as pd
import pytest
from printed_cells import PAPERS, no_results, printed_cells, read_paper
from scipy.stats import norm

from mt_difficulty.data.set_files import SetFiles
from mt_difficulty.errors import Missing
from mt_difficulty.papers import claims
from mt_difficulty.papers.cells import Cell
from mt_difficulty.papers.claims import Truths, check_claims, ledger_rows
from mt_difficulty.papers.inputs import Inputs

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
    chosen = claims.select(cells, {"item": "t"} | check)
    return claims.CHECKS[check["kind"]](chosen.assign(value=chosen[origin]), check)


def test_pairs_are_compared_where_both_sides_are_printed():
    assert found({"kind": "higher", "pairs": PAIRS}) == Truths(4, 2, 1)
    assert found({"kind": "higher", "pairs": [["new", "third"]]}) == Truths(2, 2)
    assert found({"kind": "higher", "pairs": PAIRS, "statistics": ["r"]}) == Truths(2, 1)
    assert found({"kind": "higher", "pairs": PAIRS, "columns": ["B"]}) == Truths(2, 1)
    assert found({"kind": "higher", "pairs": PAIRS}, "reproduced") == Truths(4, 3, 0, 1)


@pytest.mark.parametrize(
    ("statistics", "ours", "status"),
    [
        (["r"], "1 of 1 (1 of 2 have no number)", "partly computable"),
        (["r", "τ"], "2 of 3 (1 of 4 have no number)", "does not hold"),
    ],
)
def test_what_has_no_number_is_not_counted(statistics, ours, status):
    """Ours: plain has no B r; a row of equal τ is false."""
    cells = CELLS.assign(reproduced=CELLS.reproduced.where(CELLS.column != "A τ", 0.4))
    check = {"kind": "higher", "item": "t", "pairs": PAIRS, "statistics": statistics}
    claim = {"id": "c", "where": "", "statement": "", "check": check}
    (row,) = claims.check_claims([claim], cells, INPUTS).tail(1).to_dict("records")
    assert claims.printed(row, "reproduced") == ours
    assert claims.verdict(row) == status
    assert "gone" in row["reason"]
    (cell,) = claims.ledger_rows("p", pd.DataFrame([row])).to_dict("records")
    assert (cell["published"], cell["status"]) == (row["published"], status)


def test_gains_are_means_of_differences_in_percent():
    # 0.1, 0, -0.1, 0.4
    assert found({"kind": "gain", "pairs": PAIRS}) == pytest.approx(10)
    assert found({"kind": "gain", "pairs": PAIRS, "summed": True}) == pytest.approx(20)
    assert found({"kind": "gain", "pairs": PAIRS, "statistics": ["τ"]}) == pytest.approx(20)
    assert found({"kind": "gain", "pairs": PAIRS, "columns": ["A"], "scale": 1}) == pytest.approx(
        0.05
    )
    assert np.isnan(found({"kind": "gain", "pairs": PAIRS}, "reproduced"))


def test_averages_are_compared_by_statistic():
    # r: (0.6 + 0.5) / 2 and (0.5 + 0.6) / 2; τ: 0.3 and 0.1
    check = {"kind": "higher_on_average", "pairs": PAIRS}
    assert found(check) == Truths(2, 1, 1)
    assert found(check, "reproduced") == Truths(2, 1, 0, 1)


def test_bounds_are_of_scaled_cells():
    check = {"kind": "bounded", "rows": ["plain"]}
    assert found(check | {"at_least": 0.4, "below": 0.6}) == Truths(4, 2)
    assert found(check | {"above": 4, "scale": 100, "per": 10}) == Truths(4, 2)
    assert found(check | {"at_most": 0.5}, "reproduced") == Truths(4, 3, 0, 1)


def test_products_of_cells():
    factors = [["plain", "A r"], ["new", "A r", -1]]
    assert found({"kind": "product", "factors": factors, "scale": 6}) == pytest.approx(5)


def test_columns_that_are_the_same_when_rounded():
    check = {"kind": "same_rounded", "groups": [["plain", "new"]], "decimals": 0}
    # 0.5 and 0.6, 0.4 and 0.4, 0.6 and 0.5, -0.2 and 0.2; 0.5 is rounded to 0
    assert found(check) == Truths(4, 2)
    # One of the data's numbers is missing, in a column that could still be the same.
    assert found(check, "reproduced").unknown == 1


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
    check = {"set": "s/en-de", "difficulty": "d"} | check
    values = claims.difficult_share(check, CELLS, INPUTS)
    assert values == pytest.approx(expected)


def test_errors_of_estimates():
    check = {"item": "t", "row": "new", "columns": ["A r", "A τ", "B r"]}
    assert claims.mean_error(check, CELLS, INPUTS) == pytest.approx(0.2 / 3)
    with pytest.raises(Missing, match="no estimate for B r: gone"):
        claims.mean_error(check | {"row": "plain"}, CELLS, INPUTS)


def test_statistics_of_the_best_systems():
    check = {"set": "s/en-de", "metrics": ["M"], "weighting": "standard", "statistic": "pearson"}
    check |= {"sizes": [4, 6], "below": 0}
    assert claims.top_systems(check, CELLS, INPUTS) == Truths(3, 2)
    check |= {"metrics": ["M", "other"]}
    assert claims.top_systems(check, CELLS, INPUTS) == Truths(6, 2, 0, 3)


def test_claims_have_a_row_for_each_side_and_a_verdict():
    head = {"where": "Section 1", "statement": "so it is"}
    value = {"kind": "product", "item": "t", "factors": [["new", "A r"]]}
    higher = {"kind": "higher", "item": "t", "pairs": PAIRS}
    lost = {"kind": "top_systems", "set": "gone/en-de"}
    found = claims.check_claims(
        [
            head
            | {"id": "v", "published": 0.6, "digits": 1, "check": value, "beside": {"x": higher}},
            head | {"id": "c", "check": higher | {"statistics": ["τ"]}},
            head | {"id": "lost", "check": lost},
            head | {"id": "unchecked", "reason": "no criterion"},
        ],
        CELLS,
        INPUTS,
    )
    ledger = claims.ledger_rows("p", found)
    assert ledger[["row", "origin", "status"]].values.tolist() == [
        ["v", "printed", "derived"],
        ["v", "data", "reproduced"],  # 0.7: 1 in the last digit
        ["c", "printed", "does not hold"],
        ["c", "data", "holds"],
        ["lost", "data", "not computable"],
        ["unchecked", "printed", "not computable"],
    ]
    assert ledger.evidence[0] == "x: true in 2 of 4, equal in 1"
    assert ledger.reason.tolist()[2:] == [
        "true in 1 of 2, equal in 1",
        "true in 2 of 2",
        "no set",
        "no criterion",
    ]
    assert not ledger.duplicated(["item", "row", "column"]).any()
    assert "| 1 of 2 " in claims.to_markdown(found)


def test_values_that_the_printed_cells_contradict_say_so():
    claim = {"id": "v", "where": "", "statement": "", "published": 6.9, "digits": 2}
    claim["check"] = {"kind": "gain", "item": "t", "pairs": PAIRS, "columns": ["A"]}
    ledger = claims.ledger_rows("p", claims.check_claims([claim], CELLS, INPUTS))
    assert ledger.status[0] == "differs"
    assert ledger.reason[0] == claims.CONTRADICTED
    assert ledger.difference[0] == pytest.approx(5 - 6.9)


@pytest.fixture(scope="module")
def ledgers():
    found = {}
    for name in PAPERS:
        paper = read_paper(name)
        checked = check_claims(paper["claims"], printed_cells(paper), no_results(paper))
        found[name] = ledger_rows(name, checked)
    return found


@pytest.fixture(scope="module")
def liu(ledgers):
    rows = ledgers["liu2022"]
    return rows[rows.origin == "printed"].set_index("row")


def test_every_claim_is_in_the_ledger_once_for_each_side(ledgers):
    for name, ledger in ledgers.items():
        ids = [claim["id"] for claim in read_paper(name)["claims"]]
        assert len(set(ids)) == len(ids)
        assert list(dict.fromkeys(ledger.row)) == ids
        assert not ledger.duplicated(["row", "column"]).any()
        assert (ledger.reason[ledger.status == "not computable"] != "").all()


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


def test_main_results_are_means_of_table_2(liu):
    for statistic in "rτρ":
        assert liu.status[f"average improvement of {statistic}"] == "derived"


def test_untuned_r_is_higher_in_7_of_20_cells(liu):
    """Which the paper does not claim: its averages are over r, τ and ρ."""
    for claim, higher in (("WMT20", "3 of 8"), ("WMT21", "4 of 12")):
        assert liu.evidence[f"average improvement, {claim}"].endswith(
            f"r is higher: true in {higher}"
        )


def test_difficult_samples_are_9_percent_in_table_6(liu):
    assert liu.status["few difficult samples"] == "does not hold"
    assert liu.evidence["few difficult samples"].endswith("difficult for Facebook: 9.01")


def test_tau_of_table_2_implies_six_corrected_pairs(liu):
    # C − D = τ-b √(231 · 230): human scores of En→De have one tie.
    concordant = [round(tau * (231 * 230) ** 0.5) for tau in (0.807, 0.859)]
    assert concordant == [186, 198]
    assert liu.reproduced["seven more corrected rankings"] == pytest.approx(6, abs=0.12)


def test_1_24_percent_are_both_tails_of_a_normal_distribution():
    assert 200 * norm.sf(2.5) == pytest.approx(1.24, abs=0.005)
    assert 200 * norm.sf(2) == pytest.approx(4.6, abs=0.06)
    assert 100 * norm.sf(2) == pytest.approx(2.3, abs=0.06)


def test_error_of_english_german_alone_refutes_the_mean_error():
    # Four errors of mean 0.018, rounded, sum to at most 0.074; µ + 2σ is 0.610, h 0.53.
    assert 0.610 - 0.53 > 4 * 0.0185


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
