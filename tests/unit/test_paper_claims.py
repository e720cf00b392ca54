"""The papers' claims on the cells that the papers print; no data are needed."""

import pytest
from printed_cells import PAPERS, no_results, printed_cells, read_paper
from scipy.stats import norm

from mt_difficulty.papers.audit import audit
from mt_difficulty.papers.claims import check_claims, ledger_rows


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


def test_only_inputs_and_derived_cells_need_no_data():
    counts = {name: audit(name, printed_cells(read_paper(name)), []) for name in PAPERS}
    statuses = {name: ledger.status.value_counts().to_dict() for name, ledger in counts.items()}
    assert statuses["babych2004"] == {"derived": 74, "input": 47}
    assert statuses["liu2022"].pop("derived") == 3  # the sentences of Table 1
    assert all("reproduced" not in found for found in statuses.values())


def test_every_claim_is_in_the_ledger_once_for_each_side(ledgers):
    for name, ledger in ledgers.items():
        ids = [claim["id"] for claim in read_paper(name)["claims"]]
        assert len(set(ids)) == len(ids)
        assert list(dict.fromkeys(ledger.row)) == ids
        assert not ledger.duplicated(["row", "column"]).any()
        assert (ledger.reason[ledger.status == "not computable"] != "").all()


@pytest.mark.parametrize(
    ("claim", "value"),
    [
        ("average improvement, 4 random systems", 2.3),
        ("average improvement, 6 random systems", 2.5),
        ("average improvement, 8 random systems", 1.5),
        ("average improvement, 10 random systems", 2.2),
        ("average improvement, WMT20", 0.9),
        ("average improvement, WMT21", 1.8),
    ],
)
def test_average_improvements_are_not_those_of_the_printed_cells(liu, claim, value):
    assert liu.reproduced[claim] == pytest.approx(value, abs=0.051)
    assert liu.status[claim] == "differs"


@pytest.mark.parametrize(
    ("claim", "total"),
    [
        ("average improvement, 4 random systems", 6.95),
        ("average improvement, 6 random systems", 7.50),
        ("average improvement, 8 random systems", 4.58),
        ("average improvement, 10 random systems", 6.53),
        ("average improvement, WMT20", 2.65),
        ("average improvement, WMT21", 5.40),
    ],
)
def test_sums_over_the_statistics_are_near_some_of_the_claims(liu, claim, total):
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
    ("paper", "claim"),
    [
        ("liu2022", "top 4, no negative correlations"),
        ("liu2022", "top 4, unweighted metrics"),
        ("liu2022", "random subsets"),
        ("zhan2021", "DA-BERTScore and all other metrics"),
        ("babych2004", "normalised scores are more stable"),
    ],
)
def test_statements_that_the_printed_cells_contradict(ledgers, paper, claim):
    rows = ledgers[paper]
    rows = rows[(rows.row == claim) & (rows.origin == "printed")]
    assert rows.status.tolist() == ["does not hold"]


@pytest.mark.parametrize(
    ("paper", "claim"),
    [
        ("liu2022", "EE-BERTScore and the best metrics of WMT19"),
        ("liu2022", "every metric gains on average"),
        ("zhan2021", "DA-BERTScore and vanilla BERTScore"),
        ("zhan2021", "lowest rank difference"),
        ("babych2004", "ASW has the strongest negative correlation"),
        ("babych2004", "order of the texts"),
    ],
)
def test_statements_that_the_printed_cells_bear_out(ledgers, paper, claim):
    rows = ledgers[paper]
    rows = rows[(rows.row == claim) & (rows.origin == "printed")]
    assert rows.status.tolist() == ["holds"]
