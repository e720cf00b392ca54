"""Babych, Elliott & Hartley 2004: every published number, and all derived ones from the printed."""

import re
from collections import Counter

import numpy as np
import pandas as pd
import pytest
import yaml
from conftest import ROOT

from mt_difficulty.difficulty import readability
from mt_difficulty.figures.plots import draw_score_bars
from mt_difficulty.papers import complexity_tables
from mt_difficulty.papers.audit import audit

# Published cells: tables of the paper, counted by hand.
INPUTS = {
    "table1": 5 + 4 + 4 + 1 + 1,
    "table2": 2 * (4 + 2 + 4),
    "table3": 3 * 4,  # readability
}
DERIVED = {
    "table2": 2 + 1 + 2 + 1,
    "table3": 4 * 4 + 4,  # r; averages
    "table4": 6 + 2 * (4 + 2 + 4),
    "table5": 2 * (5 + 5 + 1),
}


@pytest.fixture(scope="module")
def paper():
    path = ROOT / "workflow/papers/babych2004.yaml"
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def cells(paper):
    return pd.DataFrame(
        cell
        for item, table in paper["tables"].items()
        for cell in complexity_tables.KINDS[table["kind"]](item, table, paper["inputs"])
    )


@pytest.fixture(scope="module")
def ledger(paper, cells):
    return audit("babych2004", cells, [])


@pytest.fixture(scope="module")
def run(project):
    """Return the results of this paper alone, without any evaluation set."""
    (project.root / "babych.yaml").write_text("papers: [babych2004]\nevaluation_sets: []\n")
    options = ["--configfile", "babych.yaml", "--config", "results=results/babych"]
    project.snakemake(*options, "archive=data/demo/archive")
    return project.root / "results/babych"


def test_every_published_cell_is_in_the_ledger(ledger):
    assert Counter(ledger["item"]) == Counter(INPUTS) + Counter(DERIVED)
    assert len(ledger) == 121
    assert not ledger.duplicated(["item", "row", "column"]).any()
    assert ledger.published.notna().all()


def test_inputs_say_why_they_are_not_computed(ledger):
    found = ledger[ledger.status == "input"]
    assert Counter(found["item"]) == INPUTS
    assert found.reason.str.startswith(complexity_tables.PRINTED).all()


def test_all_derived_cells_follow_and_none_counts_as_reproduced(ledger):
    found = ledger[ledger.status == "derived"]
    assert Counter(found["item"]) == DERIVED


def test_readability_says_what_the_printed_lengths_give(ledger):
    found = ledger[ledger.column.isin(["FR", "FKGL"]) & (ledger.status == "input")]
    implied = found.reason.str.extract(r"as printed give ([0-9.]+)\)")[0].astype(float)
    assert len(found) == 6
    off = found[(implied - found.published).abs() > 0.05]
    assert off[["row", "column"]].values.tolist() == [["wp", "FR"]]


def test_derived_cells_are_equal_at_the_printed_precision_without_any_tolerance(cells):
    found = cells[cells.reproduced.notna()]
    rounded = [round(x, d) for x, d in zip(found.reproduced, found.digits, strict=True)]
    np.testing.assert_allclose(rounded, found.published, rtol=0, atol=1e-12)


def test_the_rounding_of_the_whitepapers_asw_explains_its_reading_ease():
    # The ASW that FR 17.3 asks for is printed as 2.00, and gives the printed FKGL.
    asw = (206.835 - 1.015 * 19.65 - 17.3) / 84.6
    assert round(asw, 2) == 2
    assert round(readability.reading_ease(19.65, asw), 1) == 17.3
    assert round(readability.grade_level(19.65, asw), 1) == 15.7
    # Table 4, however, has C from 2: from the other it would be printed as 1.162 and 1.078.
    assert round(readability.normalise(1, asw, 1.86, 2), 3) == 1.162
    assert round(readability.normalise(1, asw, 1.86, 1), 3) == 1.078


def test_scores_rounded_first_would_not_give_table_5(paper):
    # How the paper's 3.299 and 2.253 follow: from normalised scores that are not rounded.
    inputs = paper["inputs"]
    for metric, improved in (("bleu", 3.299), ("wnmR", 2.253)):
        raw = np.nanstd(complexity_tables.score_array(inputs, metric), axis=0, ddof=1).mean()
        normalised = complexity_tables.normalised_array(inputs, metric)
        exact, rounded = (
            np.nanstd(scores, axis=0, ddof=1).mean() for scores in (normalised, normalised.round(3))
        )
        assert round(raw / exact, 3) == improved
        assert abs(raw / rounded - improved) > 0.004


def test_the_paper_runs_alone(run):
    ledger = pd.read_csv(run / "audit.csv")
    assert (ledger["item"] != "claims").sum() == 121
    # reproduced, close, differs, derived (74 cells, 2 claims), input, other encoder, not computable
    # (a claim), holds, does not hold, partly computable
    summary = (run / "summary.txt").read_text()
    assert re.search(r"^all +0 +0 +0 +76 +47 +0 +1 +11 +2 +0$", summary, re.MULTILINE)
    assert (run / "papers/babych2004/claims.md").stat().st_size > 0
    for number in range(1, 6):
        for end in ("csv", "md", "tex"):
            assert (run / f"papers/babych2004/table{number}.{end}").stat().st_size > 0


@pytest.mark.parametrize(("scores", "bars"), [("human", 15), ("bleu", 10), ("wnmR", 10)])
def test_figures_have_a_bar_for_every_score(paper, scores, bars):
    from matplotlib.figure import Figure

    inputs, axes = paper["inputs"], Figure().subplots()
    found = inputs["human"] if scores == "human" else inputs["scores"][scores]
    systems = inputs["systems"][: max(map(len, found.values()))]
    draw_score_bars(axes, systems, found, "score")
    heights = [bar.get_height() for bar in axes.patches if np.isfinite(bar.get_height())]
    assert len(heights) == bars
    assert sorted(heights) == sorted(x for values in found.values() for x in values if x)


def test_the_figures_are_those_of_the_paper(paper):
    drawn = {name: figure["scores"] for name, figure in paper["figures"].items()}
    assert drawn == {"figure1": "human", "figure2": "bleu", "figure3": "wnmR"}
