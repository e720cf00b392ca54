"""Tables and figures of papers from results made up for the purpose, of words and of characters."""

from itertools import pairwise
from typing import get_args, get_type_hints

import numpy as np
import pandas as pd
import pytest
from conftest import make_evalset
from matplotlib import pyplot

from mt_difficulty.data.set_files import SetFiles
from mt_difficulty.difficulty.chunk_entropy import align_set
from mt_difficulty.errors import Missing
from mt_difficulty.figures import kinds as figures
from mt_difficulty.papers import chunks, kinds
from mt_difficulty.papers.inputs import Inputs
from mt_difficulty.run.paper_settings import Figure, Table

NAME = "lab/en-xx"
# A reference and two systems, of which the second exchanges words: three chunks.
TEXTS = {
    "en-de": (["der Hund  schläft nicht"], [["der Hund  schläft nicht"], ["der Katze schläft"]]),
    "en-zh": (["狗不 睡觉"], [["狗不 睡觉"], ["狗猫睡觉"]]),
}
NO_ROWS = pd.DataFrame(columns=["metric", "weighting", "reason"])


def inputs_of(contents, **more):
    more = {"systems": {NAME: 2}, "types": {"B": "chrf"}} | more
    return Inputs({NAME: SetFiles(NAME, contents)}, **more)


def set_of(pair, **more):
    """A set's texts, chunk entropies and difficulty, with further files."""
    reference, hypotheses = TEXTS[pair]
    found = make_evalset(hypotheses, reference, pair)
    difficulty = {"h": 0.1, "w": 0.5, "difficult_hypotheses": {"S1": 1}}
    return {
        "evalset.json": found,
        "entropy/exact.npz": align_set(found, "exact"),
        "difficulty.json": difficulty,
        "missing.csv": NO_ROWS,
        **more,
    }


CASE = {
    "kind": "case_study",
    "set": NAME,
    "metric": "B",
    "rows": [
        {"label": "A", "system": "S0", "segment": 1, "published": [0.1] * 7},
        {"label": "B", "system": "S1", "segment": 1, "published": [0.1] * 7},
        {"label": "C", "system": "S9", "segment": 1, "published": [0.1] * 7},
    ],
    "difficult_segments": {"label": "S1", "system": "S1", "published": 2},
}
NOT_COMPUTED = pd.DataFrame(
    [["B", "standard", "no encoder"], ["B", "EE", "no encoder"]],
    columns=["metric", "weighting", "reason"],
)


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        ("en-de", ["[der Hund schläft nicht]", "[der] Katze [schläft]"]),
        ("en-zh", ["[狗不 睡觉]", "[狗]猫[睡觉]"]),
    ],
)
def test_case_studies_cut_a_text_by_the_sets_units(pair, expected):
    contents = set_of(pair) | {"missing.csv": NOT_COMPUTED}
    cells, texts = kinds.make_table("t", CASE, inputs_of(contents))
    assert list(texts.values()) == expected
    found = {(cell.row, cell.column): cell for cell in cells}
    # Two chunks in n matched tokens have the entropy of their shares, here 1/2 or 1/3 and 2/3.
    share = 1 / 2 if pair == "en-de" else 1 / 3
    entropy = -(share * np.log10(share) + (1 - share) * np.log10(1 - share))
    assert found["A", "entropy"].reproduced == 0
    assert found["B", "entropy"].reproduced == pytest.approx(entropy)
    assert found["C", "entropy"].reason == "S9 is not among the ranked systems"
    assert found["B", "BERTScore segment"].reason == "no encoder"
    assert found["S1", "difficult segments"].reproduced == 1


def test_case_studies_weigh_segments_by_group():
    reference = ["der Hund schläft", "der Hund bellt", "die Katze schläft"]
    second = ["der Katze schläft", "der Hund bellt", "die Katze schläft"]
    found = make_evalset([reference, second], reference)
    difficulty = {"h": 0.1, "w": 0.3, "difficult_hypotheses": {"S1": 1}}
    scores = [["S0", "B", "standard", 1], ["S1", "B", "standard", 0.7], ["S1", "B", "EE", 0.5]]
    contents = {
        "evalset.json": found,
        "entropy/exact.npz": align_set(found, "exact"),
        "difficulty.json": difficulty,
        "missing.csv": NO_ROWS,
        "statistics/B.npz": {"statistics": np.array([[[1.0]] * 3, [[0.25], [1], [0.85]]])},
        "system_scores.csv": pd.DataFrame(
            scores, columns=["system", "metric", "weighting", "score"]
        ),
    }
    row = {"label": "B", "system": "S1", "segment": 1, "published": [0.1] * 7}
    cells, _ = kinds.make_table("t", CASE | {"rows": [row]}, inputs_of(contents))
    found = {cell.column: cell.reproduced for cell in cells}
    # The one difficult segment has 1 − w of the weight.
    assert found["EE-BERTScore contribution %"] == pytest.approx(100 * 0.7 * 0.25 / 0.5)
    assert found["BERTScore contribution %"] == pytest.approx(100 / 3 * 0.25 / 0.7)


def test_a_set_that_is_absent_gives_its_reason_to_every_cell():
    contents = {"evalset.json": Missing("the archive has no lab"), "missing.csv": NO_ROWS}
    contents |= {"correlations.csv": NO_ROWS, "top_scores.csv": NO_ROWS.assign(size=[])}
    inputs = inputs_of(contents)
    column = {"label": "x", "set": NAME, "subset": "all"}
    row = {"metric": "B", "weighting": "standard", "published": [1, 1, 1]}
    cells, _ = kinds.make_table(
        "t", {"kind": "correlations", "columns": [column], "rows": [row]}, inputs
    )
    assert {cell.reason for cell in cells} == {"the archive has no lab"}
    row = {"label": "a", "system": "S0", "published": [1, 0], "human": 0.1}
    ranking = {"kind": "ranking", "set": NAME, "size": 2, "digits": 3, "rows": [row]}
    ranking["columns"] = [{"label": "B", "metric": "B", "weighting": "standard"}]
    cells, _ = kinds.make_table("t", ranking, inputs)
    assert {cell.reason for cell in cells} == {"the archive has no lab"}


def test_metrics_that_were_left_out_say_so_under_every_weighting():
    missing = inputs_of({"missing.csv": NOT_COMPUTED}, left_out={"N": "NEURAL=no"}).missing(NAME)
    assert missing["B", "EE"] == "no encoder"
    assert {why for (metric, _), why in missing.items() if metric == "N"} == {"NEURAL=no"}
    assert ("N", "DA-LOO") in missing


def test_other_systems_than_the_papers_are_noted():
    inputs = inputs_of({"evalset.json": make_evalset([["a"]] * 3, ["a"])})
    assert inputs.note(NAME) == "3 systems in this archive, 2 in the paper"


def test_parameters_are_the_estimates_of_a_set():
    contents = {"difficulty.json": {"estimate": {"h": 0.57, "w": None}}}
    table = {"kind": "parameters", "columns": [{"label": "x", "set": NAME}]}
    table["rows"] = [{"parameter": name, "published": [0.5]} for name in "hw"]
    cells, _ = kinds.make_table("t", table, inputs_of(contents))
    assert cells[0].reproduced == 0.57
    assert np.isnan(cells[1].reproduced)


CHUNKS = {
    "kind": "chunks",
    "set": NAME,
    "hypotheses": [{"label": "B", "system": "S1", "segment": 1}],
}


@pytest.fixture
def axes():
    drawn, axes = pyplot.subplots()
    yield axes
    pyplot.close(drawn)


@pytest.mark.parametrize(
    ("pair", "tokens"), [("en-de", ["der", "Katze", "schläft"]), ("en-zh", list("狗猫睡觉"))]
)
@pytest.mark.filterwarnings("ignore:Glyph")
def test_figures_of_chunks_cut_a_text_by_the_sets_units(axes, pair, tokens):
    inputs = inputs_of(set_of(pair))
    assert figures.draw([axes], CHUNKS, inputs)[1] == ""
    words = axes.texts[1:]
    assert [word.get_text() for word in words] == tokens
    boxes = [word.get_bbox_patch().get_facecolor() for word in words]
    assert boxes[1][3] == 0  # not matched
    assert boxes[0] != boxes[2]
    places = [word.get_position()[0] for word in words]
    assert places == sorted(places)
    assert figures.needs_any_script(CHUNKS, inputs) == (pair == "en-zh")


@pytest.mark.filterwarnings("ignore:Glyph")
def test_characters_stand_beside_each_other(axes):
    figures.draw([axes], CHUNKS, inputs_of(set_of("en-zh")))
    boxes = [word.get_window_extent() for word in axes.texts[1:]]
    for one, following in pairwise(boxes):
        assert one.x1 == pytest.approx(following.x0)
        assert one.width >= 8 * axes.figure.dpi / 72  # of a character in a font that has it


def test_a_figure_that_cannot_be_drawn_gives_its_reason(axes):
    contents = set_of("en-de") | {"correlations.csv": NO_ROWS}
    for figure, reason in (
        ({"kind": "top_k", "set": NAME, "metrics": ["B"]}, f"the archive has no {NAME}"),
        (CHUNKS | {"hypotheses": [{"system": "S9"}]}, "S9 is not among the ranked systems"),
    ):
        value, why = figures.draw([axes], figure, inputs_of(contents))
        assert (np.isnan(value), why) == (True, reason)
        assert reason in axes.get_title().replace("\n", " ")


def test_top_k_says_which_metrics_are_absent_and_which_encoder_was_used(axes):
    columns = ["metric", "weighting", "subset", "size", "pearson"]
    rows = [["B", w, "top", k, 0.5] for w in ("standard", "EE") for k in (3, 4)]
    contents = {"correlations.csv": pd.DataFrame(rows, columns=columns)}
    more = {"left_out": {"N": "NEURAL=no"}, "substitutes": {NAME: {"B": "encoder tiny"}}}
    figure = {"kind": "top_k", "set": NAME, "metrics": ["B", "N"], "weightings": ["standard", "EE"]}
    figures.draw([axes], figure, inputs_of(contents, **more))
    assert axes.get_title() == (
        f"{NAME}: dashed standard, solid EE\nwithout N: NEURAL=no\nB: encoder tiny"
    )


def test_a_figure_of_several_sets_has_a_panel_for_each():
    figure = {"kind": "entropy_distribution", "sets": ["a", "b", "c"]}
    assert figures.panels(figure) == (2, (3.6, 2.8))
    assert figures.panels({"kind": "top_k"})[0] == 1


def test_every_kind_that_a_paper_may_ask_for_can_be_made():
    for item, known in ((Table, kinds.KINDS), (Figure, figures.KINDS)):
        assert set(get_args(get_type_hints(item)["kind"])) == set(known)


def test_units_are_those_of_the_alignment():
    for pair, units in (("en-de", "words"), ("en-zh", "characters")):
        reference, hypotheses = TEXTS[pair]
        assert chunks.units(make_evalset(hypotheses, reference, pair)) == units
