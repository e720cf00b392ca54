"""What the page's tables and charts are made of."""

import numpy as np
import pandas as pd
import pytest
from page_run import TABLE_CELLS, Cell

from mt_difficulty.evidence.labels import TUNED_NOTE
from mt_difficulty.page import report_charts, report_tables
from mt_difficulty.papers.audit import audit
from mt_difficulty.papers.cells import layout


@pytest.mark.parametrize(
    ("value", "digits", "expected"),
    [
        (0.12345, 3, "0.123"),
        (-0.5, 1, "−0.5"),
        (-0.00012, 3, "−0.0001"),
        (0.0, 2, "0.00"),
        (1e-17, 3, "0.000"),
        (7, 3, "7"),
        (np.nan, 3, "–"),
        (-np.inf, 3, "−∞"),
    ],
)
def test_numbers_for_people(value, digits, expected):
    assert report_tables.number(value, digits) == expected


def test_a_papers_table_has_verdicts_and_notes():
    cells = pd.DataFrame(TABLE_CELLS)
    texts = {"chrF": "one **bold** word"}
    found = report_tables.paper_table(cells, layout(TABLE_CELLS, texts), audit("p", cells, []))
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


def test_columns_without_a_statistic_have_no_groups():
    assert report_tables._group(["BLEU r", "entropy"]) == ([], ["BLEU r", "entropy"])


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
    found = report_tables.result_table(frame)
    headings = [column["heading"] for column in found["columns"]]
    assert headings == ["metric", "segments", "over both", "p, permutation", "reason"]
    assert [column["text"] for column in found["columns"]] == [True, False, False, False, True]
    assert found["rows"] == [
        ["BLEU", "4", "[−0.500, 0.250]", "0.0004", ""],
        ["chrF", "5", "", "0.500", "too few"],
    ]


OF_PEOPLE = {"EE": report_tables.Mark(uses_gold=True)}
TUNED = {"EE": report_tables.Mark(tuned=True)}


def test_tuned_weightings_are_marked_and_their_difficulties_are_not():
    frame = pd.DataFrame(
        [["chrF", "EE", "chunk_entropy", 0.5], ["chrF", "DA", "length", 0.4]],
        columns=["metric", "weighting", "difficulty", "value"],
    )
    rows = report_tables.result_table(frame, TUNED)["rows"]
    assert [row[1:3] for row in rows] == [["EE§", "chunk_entropy"], ["DA", "length"]]
    # A row's own column counts: of one weighting some parameters are tuned and others not.
    rows = report_tables.result_table(frame.assign(tuned=["no", "yes"]), TUNED)["rows"]
    assert [row[1] for row in rows] == ["EE", "DA§"]
    both = report_tables.Mark(uses_gold=True, tuned=True)
    assert report_tables.marked("EE", *both) == "EE§ (uses human scores)"
    label = report_tables.score_label({"metric": "chrF", "weighting": "EE"}, TUNED)
    assert label == "EE-chrF§"


def test_cells_of_tuned_values_are_marked_and_noted():
    cells = [
        Cell("table1", "chrF", "En→De r", 0.9, 3, 0.9),
        Cell("table1", "EE-chrF", "En→De r", 0.9, 3, 0.9, tuned="yes"),
    ]
    frame = pd.DataFrame(cells)
    ledger = audit("paper", frame, [])
    found = report_tables.paper_table(frame, layout(cells), ledger)
    assert [row["cells"][0]["ours"] for row in found["rows"]] == ["0.900", "0.900§"]
    assert found["notes"] == [{"text": TUNED_NOTE, "count": 1}]


def test_what_is_made_with_human_scores_is_marked():
    frame = pd.DataFrame(
        [["chrF", "EE", "people", 0.5], ["chrF", "long", "length", 0.4]],
        columns=["metric", "weighting", "difficulty", "value"],
    )
    found = report_tables.result_table(frame, OF_PEOPLE)
    assert found["rows"] == [
        ["chrF", "EE (uses human scores)", "people (uses human scores)", "0.500"],
        ["chrF", "long", "length", "0.400"],
    ]
    assert report_tables.result_table(frame)["rows"][0][1:3] == ["EE", "people"]
    rows = report_tables.correlation_table(
        CORRELATIONS.assign(subset="all"), None, STATISTICS, OF_PEOPLE
    )
    assert rows[3]["weighting"] == "EE (uses human scores)"
    assert rows[3]["difficulty"] == "chunk_entropy (uses human scores)"
    assert rows[0]["weighting"] == "standard"


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


def test_curves_run_from_all_systems_to_few():
    found = report_charts.curves(CORRELATIONS, None, STATISTICS)
    assert found["sizes"] == [4, 3]
    assert [one["label"] for one in found["series"]] == ["chrF", "EE-chrF"]
    marked = report_charts.curves(CORRELATIONS, None, STATISTICS, OF_PEOPLE)["series"]
    assert [one["label"] for one in marked] == ["chrF", "EE-chrF (uses human scores)"]
    assert found["series"][0]["pearson"] == [0.5, None]
    assert found["series"][0]["spearman"] == [0.3, 0.12347]
    assert found["series"][1]["pearson"] == [None, -1.0]


def test_curves_have_the_intervals_that_there_are_over_both_or_over_segments():
    ends = [f"{kind}_{end}" for kind in ("segments", "systems", "both") for end in ("low", "high")]
    nan = np.nan
    frame = pd.DataFrame(
        [
            ["chrF", "standard", "all", 4, "pearson", 0.4, 0.6, 0.1, 0.9, 0.0, 0.95],
            ["chrF", "standard", "top", 3, "pearson", 0.3, 0.7, nan, nan, nan, nan],
            ["chrF", "standard", "top", 3, "kendall", nan, nan, nan, nan, nan, nan],
            ["chrF", "standard", "random", 3, "pearson", 0.1, 0.2, nan, nan, 0.1, 0.2],
            ["chrF", "EE", "top", 3, "spearman", 0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
            ["chrF", "EE", "all", 4, "soft_accuracy", 0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
        ],
        columns=["metric", "weighting", "subset", "size", "statistic", *ends],
    )
    series = report_charts.curves(CORRELATIONS, frame, STATISTICS)["series"]
    assert [one["intervals"] for one in series] == [
        {"pearson": {"4": [0.0, 0.95], "3": [0.3, 0.7]}},
        {"spearman": {"3": [0.5, 0.6]}},
    ]


def test_a_surface_of_many_scores_is_thinned_out_further():
    axis, count = np.linspace(0, 1, 61), report_charts.MANY + 1
    for scores, most in ((2, report_charts.SIDE), (count, report_charts.FEW)):
        arrays = {
            "quantiles": axis,
            "w": axis,
            "metrics": ["chrF"] * scores,
            "weightings": ["EE"] * scores,
            "thresholds": np.tile(axis, (scores, 1)),
            "correlations": np.zeros((scores, 3, 61, 61)),
        }
        names = "metric weighting parameters quantile h w pearson kendall spearman tuned".split()
        found = report_charts.surface(arrays, pd.DataFrame(columns=names))
        assert most / 2 < len(found["w"]) <= most
        assert len(found["quantiles"]) == len(found["values"][0][0]) == len(found["w"])


def test_tables_and_charts_have_the_statistics_of_the_run():
    names = ["kendall", "accuracy"]
    frame = CORRELATIONS.assign(accuracy=[0.75, 0.75, 1.0, np.nan])
    (row,) = report_tables.correlation_table(frame, None, names)
    assert row["values"] == [("0.400", ""), ("0.750", "")]
    found = report_charts.curves(frame, None, names)
    assert [(one["name"], one["symbol"]) for one in found["statistics"]] == [
        ("kendall", "τ"),
        ("accuracy", "PA"),
    ]
    assert found["series"][0]["accuracy"] == [0.75, 1.0]
    assert found["series"][1]["accuracy"] == [None, None]
    heads = report_tables.result_table(frame[names])["columns"]
    assert [head["heading"] for head in heads] == ["τ", "PA"]
    assert heads[1]["explanation"].startswith("pairwise accuracy")


def test_correlations_stand_beside_their_intervals():
    rows = [["chrF", "standard", "all", "kendall", 0.1, 0.6]]
    columns = ["metric", "weighting", "subset", "statistic", "both_low", "both_high"]
    significance = pd.DataFrame(rows, columns=columns)
    found = report_tables.correlation_table(CORRELATIONS, significance, STATISTICS)
    assert found == [
        {
            "metric": "chrF",
            "weighting": "standard",
            "difficulty": "",
            "values": [("0.500", ""), ("0.400", "[0.100, 0.600]"), ("0.300", "")],
            "reason": "",
            "id": "chrF:standard",
        }
    ]


def test_comparisons_are_a_matrix_in_the_given_order():
    rows = [
        ["chrF", "standard", "a", "b", 0.1, 0.9, 0.02],
        ["chrF", "standard", "b", "a", -0.1, 0.05, 0.95],
        ["chrF", "standard", "c", "a", 0.1, 0.4, 0.3],
    ]
    columns = ["metric", "weighting", "system", "other", "difference", "wins", "p"]
    (found,) = report_charts.comparisons(pd.DataFrame(rows, columns=columns), ["b", "a", "c"])
    assert found["wins"] == [[None, 5.0, None], [90.0, None, None], [None, 40.0, None]]
    assert found["p"] == [[None, 0.95, None], [0.02, None, None], [None, 0.3, None]]


def surface(quantiles, w):
    shape = (2, 3, len(quantiles), len(w))
    values = -((quantiles[:, None] - 0.52) ** 2) - (w - 0.25) ** 2 + np.zeros(shape)
    values[:, 1, 0] = np.nan
    values[:, :, quantiles > 0.8] = np.nan
    arrays = {
        "quantiles": quantiles,
        "w": w,
        "metrics": np.array(["BLEU", "BLEU"]),
        "weightings": np.array(["people", "EE"]),
        "thresholds": np.array([np.where(quantiles > 0.7, np.inf, 9.0), quantiles / 2]),
        "correlations": values,
    }
    rows = [
        ["BLEU", "EE", "standard", np.nan, np.nan, np.nan, 0.9, 0.8, 0.7, "no"],
        ["BLEU", "EE", "equations", 0.95, 0.61, 4.2, np.nan, np.nan, np.nan, "no"],
        ["BLEU", "EE", "optimum", 0.8, 0.5, 0.25, 0.98765, 0.5, 1, "yes"],
        ["TER", "EE", "optimum", 0.8, 0.5, 0.25, 0.98765, 0.5, 1, "yes"],
    ]
    columns = "metric weighting parameters quantile h w pearson kendall spearman tuned".split()
    marks = {"people": report_tables.Mark(uses_gold=True)}
    return report_charts.surface(arrays, pd.DataFrame(rows, columns=columns), marks)


def test_a_surface_knows_its_points_and_thresholds():
    found = surface(np.linspace(0, 1, 21), np.linspace(0, 1, 11))
    assert found["labels"] == ["people-BLEU (uses human scores)", "EE-BLEU"]
    assert found["points"] == [
        [],
        [
            ["standard", None, None, None, [0.9, 0.8, 0.7], False],
            ["equations", 0.95, 0.61, 4.2, [None, None, None], False],
            ["optimum", 0.8, 0.5, 0.25, [0.988, 0.5, 1], True],
        ],
    ]
    assert found["quantiles"][-1] == 0.8  # beyond it there is nothing
    assert np.shape(found["values"]) == (2, 3, 17, 11)
    assert found["thresholds"][0][-2:] == [None, None]  # infinite
    assert found["thresholds"][1][-1] == 0.4
    assert found["values"][0][1][0] == [None] * 11
    assert found["values"][0][0][0][0] == round(1000 * -(0.52**2 + 0.25**2))


def test_a_fine_surface_is_thinned_out():
    found = surface(np.linspace(0, 1, 101), np.linspace(0, 1, 41))
    assert (len(found["quantiles"]), len(found["w"])) == (41, 41)
    assert found["quantiles"][:2] == [0, 0.02]
    assert np.shape(found["thresholds"]) == (2, 41)
