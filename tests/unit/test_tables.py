"""Tables built from results made up for the purpose."""

import numpy as np
import pandas as pd
import pytest

from mt_difficulty.papers import cells as layout
from mt_difficulty.papers import tables

COLUMNS = ["metric", "weighting", "subset", "size", "draws", "pearson", "kendall", "spearman"]


def results(rows, **options):
    frame = pd.DataFrame(rows, columns=COLUMNS)
    undefined = frame.pearson.isna()
    frame["reason"] = np.where(undefined, "all systems have the same score", "")
    return tables.SetResults(correlations=frame, spread=frame.assign(pearson=0.2), **options)


ROWS = [
    ["BLEU", "standard", "all", 9, 1, 0.9, 0.8, 0.7],
    ["BLEU", "standard", "top", 4, 1, 0.5, 0.4, 0.3],
    ["BLEU", "EE", "top", 4, 1, 0.6, 0.6, 0.2],
    ["BLEU", "standard", "random", 4, 1000, 0.55, 0.5, 0.5],
    ["BLEU", "EE", "all", 9, 1, np.nan, np.nan, np.nan],
]
ALL = {"label": "En→De", "set": "wmt19/en-de", "subset": "all"}


def cells(columns, rows, found, **table):
    return tables.correlation_cells(
        "table", {"columns": columns, "rows": rows, **table}, {"wmt19/en-de": found}
    )


def test_a_correlation_stands_beside_the_published_one():
    row = {"metric": "BLEU", "weighting": "standard", "published": [0.91, None, 0.7]}
    found = cells([ALL], [row], results(ROWS))
    assert [(c.row, c.column, c.reproduced) for c in found] == [
        ("BLEU", "En→De r", 0.9),
        ("BLEU", "En→De τ", 0.8),
        ("BLEU", "En→De ρ", 0.7),
    ]
    assert found[0].published == 0.91
    assert np.isnan(found[1].published)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"absent": "no campaign wmt20"}, "no campaign wmt20"),
        ({"missing": {("BLEU", "EE"): "only system scores"}}, "only system scores"),
        ({"left_out": {"BLEU": "NEURAL=no"}}, "NEURAL=no"),
        ({}, "all systems have the same score"),
    ],
)
def test_what_is_not_there_has_its_reason(options, reason):
    row = {"metric": "BLEU", "weighting": "EE", "published": [0.9, 0.9, 0.9]}
    found = cells([ALL], [row], results(ROWS, **options))
    assert [cell.reason for cell in found] == [reason] * 3
    assert all(np.isnan(cell.reproduced) for cell in found)


def test_a_subset_that_was_not_computed_has_its_reason():
    row = {"metric": "BLEU", "weighting": "standard", "published": [0.9, 0.9, 0.9]}
    found = cells([ALL | {"subset": "top", "size": 50}], [row], results(ROWS))
    assert found[0].reason == "no subset `top` of 50 systems was computed"


def test_gains_are_mean_differences_in_percent():
    top = ALL | {"subset": "top", "size": 4}
    rows = [
        {"metric": "BLEU", "weighting": "standard", "published": [0.5] * 3 + [None] * 3},
        {"metric": "BLEU", "weighting": "EE", "published": [0.6] * 3 + [9.0, 20.0, -10.0]},
    ]
    found = cells([top], rows, results(ROWS), gains={"label": "Average", "digits": 2})
    gains = {cell.column: (cell.published, cell.reproduced) for cell in found if "Δ" in cell.column}
    assert gains == {
        "Average Δr": (9.0, pytest.approx(10)),
        "Average Δτ": (20.0, pytest.approx(20)),
        "Average Δρ": (-10.0, pytest.approx(-10)),
    }


def test_a_random_subset_says_how_its_difference_compares_with_the_noise():
    row = {"metric": "BLEU", "weighting": "standard", "published": [0.51, 0.5, 0.5]}
    found = cells([ALL | {"subset": "random", "size": 4}], [row], results(ROWS), draws=100)
    error = 0.2 * np.sqrt(1 / 100 + 1 / 1000)
    assert f"{error:.3f}, so it is {0.04 / error:.1f} of these" in found[0].reason


@pytest.mark.parametrize(
    ("published", "place"), [(0.85, "inside"), (0.96, "outside"), (0.79, "outside")]
)
def test_another_number_of_systems_is_noted_with_what_it_can_change(published, place):
    row = {"metric": "BLEU", "weighting": "standard", "published": [published, None, 0.9]}
    resampled = pd.DataFrame(
        [["BLEU", "standard", "all", 9, "pearson", 0.8, 0.95]],
        columns=[*COLUMNS[:4], "statistic", "systems_low", "systems_high"],
    )
    note = "8 systems in this archive, 13 in the paper"
    found = cells([ALL], [row], results(ROWS, note=note, significance=resampled))
    assert [cell.reason for cell in found] == [
        f"{note}: the printed value is {place} the 95 % interval over systems, 0.800 to 0.950",
        note,
        note,
    ]


def test_a_published_row_that_is_too_short_is_refused():
    row = {"metric": "BLEU", "weighting": "standard", "published": [0.9, 0.9]}
    with pytest.raises(ValueError, match="shorter"):
        cells([ALL], [row], results(ROWS))


def test_examples_are_table_1():
    table = {
        "reference": "A tiger stays in the woods",
        "rows": [
            {"hypothesis": "A sheep stays in the woods", "published": [0.217]},
            {"hypothesis": "A stays sheep in the woods", "published": [0.292]},
        ],
    }
    table["rows"] = [row | {"label": "1", "deficiency": "order"} for row in table["rows"]]
    for cell in tables.examples("table1", table)[0]:
        assert cell.row.startswith("1 (order): A ")
        assert round(cell.reproduced, 3) == cell.published


ABLATION = {
    "published": {
        "metric": "BERTScore",
        "EE": [0.5, 0.3, 0.9, 0.8, 0.7],
        "high": [0.8, 0.3, 0.5, 0.4, 0.3],
        "w/o difficulty": [None, None, 0.4, 0.3, 0.2],
    }
}
ABLATED = pd.DataFrame(
    [
        ["chrF", "EE", 0.5, 0.3, 0.91, 0.81, 0.71],
        ["chrF", "high", 0.8, 0.3, 0.92, 0.82, 0.72],
        ["chrF", "high, computed", 0.7, 0.3, 0.93, 0.83, 0.73],
        ["", "w/o difficulty", np.nan, np.nan, -0.41, -0.31, -0.21],
    ],
    columns=["metric", "variant", "h", "w", "pearson", "kendall", "spearman"],
)


def test_ablation_keeps_the_papers_metric_and_adds_ours():
    missing = {"BERTScore": "needs an encoder"}
    found = tables.ablation_cells("t", ABLATION, ABLATED, missing, {}, "")
    values = {(cell.row, cell.column): cell for cell in found}
    assert values["BERTScore: EE", "h"].reproduced == 0.5
    assert values["BERTScore: high", "h"].reproduced == 0.7  # as defined, not as printed
    assert values["BERTScore: EE", "r"].reason == "needs an encoder"
    assert values["BERTScore: EE", "h"].reason == "an input of the protocol"
    assert values["BERTScore: high", "h"].reason == ""
    assert values["BERTScore: w/o difficulty", "τ"].reproduced == 0.31
    assert values["chrF: high", "ρ"].reproduced == 0.72
    assert (": w/o difficulty", "r") not in values


def test_ablation_of_the_papers_metric_where_it_was_computed():
    own = ABLATED.replace({"metric": {"chrF": "BERTScore"}})
    substitutes = {"BERTScore": "encoder tiny"}
    found = tables.ablation_cells("t", ABLATION, own, {}, substitutes, "")
    values = {(cell.row, cell.column): cell for cell in found}
    assert values["BERTScore: EE", "r"].reproduced == 0.91
    assert values["BERTScore: high", "r"].reproduced == 0.92
    assert values["BERTScore: high", "h"].reproduced == 0.7
    assert values["BERTScore: EE", "r"].substitute == "encoder tiny"
    # What no encoder made is compared as ever.
    assert values["BERTScore: EE", "h"].substitute == ""
    assert values["BERTScore: w/o difficulty", "τ"].substitute == ""
    assert sum(cell.row == "BERTScore: EE" for cell in found) == 5


def test_ablation_of_a_missing_set_has_its_reason():
    found = tables.ablation_cells("t", ABLATION, pd.DataFrame(), {}, {}, "no texts")
    assert {cell.reason for cell in found} == {"no texts"}


def test_absolute_correlations_are_without_sign():
    row = {"metric": "BLEU", "weighting": "standard"}
    negative = [[*ROWS[0][:5], -0.9, -0.8, 0.7]]
    found = cells([ALL], [row], results(negative), absolute=True)
    assert [cell.reproduced for cell in found] == [0.9, 0.8, 0.7]
    assert all(np.isnan(cell.published) for cell in found)  # a row of our own


def test_a_cell_of_another_encoder_is_marked():
    row = {"metric": "BLEU", "weighting": "standard", "published": [0.91, 0.8, 0.7]}
    found = cells([ALL], [row], results(ROWS, substitutes={"BLEU": "encoder tiny"}))
    assert layout.layout(found).iloc[0, 1] == "0.900† [0.910]"
    assert layout.notes(found) == ["† encoder tiny; not compared with the paper."]


def test_markdown_keeps_labels_and_digits_as_they_are():
    frame = pd.DataFrame({"": ["1.0", "1.00", "007"], "r": ["0.950", "1e5", ""]})
    rows = layout.to_markdown(frame, "A caption.").splitlines()[-3:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    assert cells == frame.values.tolist()


def test_layout_and_its_three_forms():
    row = {"metric": "BLEU", "weighting": "standard", "published": [0.91, None, 0.7]}
    extra = {"metric": "TER", "weighting": "standard", "published": [0.5, None, None]}
    found = cells([ALL], [row, extra], results(ROWS, missing={("TER", "standard"): "not run"}))
    frame = layout.layout(found)
    assert frame.values.tolist() == [
        ["BLEU", "0.900 [0.910]", "0.800", "0.700 [0.700]"],
        ["TER", "– [0.500]", "", ""],
    ]
    markdown = layout.to_markdown(frame, "A caption.")
    assert markdown.startswith("A caption.\n\nOurs [published].")
    assert "| BLEU | 0.900 [0.910]" in markdown
    latex = layout.to_latex(frame, "A 50 % caption.", "x")
    assert "\\label{tab:x}" in latex
    assert "BLEU & 0.900 [0.910] & 0.800 & 0.700 [0.700] \\\\" in latex
