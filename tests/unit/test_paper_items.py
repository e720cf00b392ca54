"""The settings that an item of a paper uses, and names of an item that there are not."""

from pathlib import Path

import pytest
from conftest import settings_of, table_of

from mt_difficulty.plan import papers
from mt_difficulty.plan.outputs import used_settings
from mt_difficulty.settings import validation

ROOT = Path(__file__).parents[2]
NAME = "lab/en-de"
DIFFICULTIES = {
    "gaps": {"type": "chunk_entropy"},
    "words": {"type": "length"},
    "missed": {"type": "token_dissimilarity"},
}
WEIGHTINGS = {
    "E2": {"type": "EE", "difficulty": "gaps"},
    "top": {"type": "hardest", "difficulty": "words"},
    "T": {"type": "DA", "difficulty": "missed"},
    "E2-T": {"type": "combined", "segments": "E2", "tokens": "T"},
}
METRICS = {"B": {"type": "chrf"}, "N": {"type": "bertscore"}}
SETTINGS = settings_of(
    metrics=METRICS,
    matches={"N": "matches/tiny.npz"},
    difficulties=DIFFICULTIES,
    weightings=WEIGHTINGS,
)
CASE = {
    "kind": "case_study",
    "set": NAME,
    "metric": "N",
    "weighting": "E2",
    "difficulty": "gaps",
    "labels": [],
    "rows": [],
}


def test_an_item_uses_the_settings_of_what_it_names():
    found = used_settings(SETTINGS, table_of(CASE))
    assert found == settings_of(
        metrics={"N": METRICS["N"]},
        difficulties={"gaps": DIFFICULTIES["gaps"]},
        weightings={"E2": WEIGHTINGS["E2"]},
    )
    over = used_settings(SETTINGS, table_of(CASE | {"weighting": "E2-T"}))
    assert over.matches == SETTINGS.matches
    assert list(over.weightings) == ["E2", "T", "E2-T"]
    assert list(over.difficulties) == ["gaps", "missed"]


def paper_of(item, **more):
    """The content of a paper's file."""
    entry = {"campaign": "lab", "pair": "en-de", "reference": "refA", "gold": "mqm", "systems": 9}
    paper = {
        "title": "A",
        "authors": "B",
        "year": 2026,
        "method": {"name": "E2", "cells": [{"item": "t"}]},
        "sets": [entry | {"metrics": {"N": METRICS["N"]}}],
        "metrics": {"B": METRICS["B"]},
        "tables": {"t": {"caption": ""} | item},
        "figures": {},
    }
    return paper | more


def problems(item, **more):
    paper = papers.Paper.model_validate(paper_of(item, **more))
    return list(papers.paper_problems(paper, SETTINGS.difficulties, SETTINGS.weightings))


ABLATION = {"kind": "ablation", "set": NAME, "published": {"metric": "B", "E2": []}}
COLUMN = {"label": "B", "metric": "B", "weighting": "DA"}
RANKING = {"kind": "ranking", "set": NAME, "size": 4, "digits": 3, "columns": [COLUMN], "rows": []}
ROW = {"metric": "B", "weighting": "E3"}
COLUMNS = [{"label": "En→De", "set": NAME, "subset": "all"}]
CORRELATIONS = {"kind": "correlations", "columns": COLUMNS, "rows": [ROW]}


@pytest.mark.parametrize(
    ("item", "reported"),
    [
        (CASE | {"metric": "M"}, "no metric M; there are B, N."),
        (
            CASE | {"difficulty": "word"},
            "no difficulty word; there are gaps, words, missed (did you mean words?).",
        ),
        (RANKING, "no weighting DA; there are standard, E2, top, T, E2-T."),
        (CORRELATIONS, "no weighting E3; there are standard, E2, top, T, E2-T."),
        (ABLATION, "a table of kind ablation needs the paper's `ablation`."),
    ],
)
def test_what_an_item_names_and_there_is_not_is_reported(item, reported):
    assert problems(item) == [f"t: {reported}"]


@pytest.mark.parametrize(
    ("method", "reported"),
    [
        ({"cells": [{"item": "t"}]}, "method: the key `name` is missing"),
        ({"name": "E2", "cells": []}, "method.cells: list should have at least 1 item"),
        ({"name": "E2", "cells": [{"row": "a"}]}, "cells[0]: the key `item` is missing"),
        ({"name": "E2", "cells": [{"item": "t", "rows": "a"}]}, "unknown key `rows` (did you mean"),
        ({"name": "E2", "cells": [{"item": "t"}], "analysis": "x"}, "expected one of complexity"),
        (None, "the key `method` is missing"),
    ],
)
def test_a_paper_names_its_own_method(method, reported):
    paper = paper_of({"kind": "human_scores"}, sets=[])
    content = {key: value for key, value in paper.items() if key != "method"}
    if method is not None:
        content["method"] = method
    (problem,) = validation.problems(papers.Paper.model_validate, content, {"p.yaml": content})
    assert reported in problem
    assert validation.problems(papers.Paper.model_validate, paper, {"p.yaml": paper}) == []


@pytest.mark.parametrize(
    ("item", "reported"),
    [
        ({"kind": "human_score"}, "tables.t.kind: expected one of ablation, "),
        ({}, "tables.t: the key `kind` is missing"),
        ({"kind": "human_scores", "set": NAME}, "tables.t: unknown key `set`; there are caption"),
        ({"kind": "score_spread", "digits": 1}, "tables.t: the key `rows` is missing"),
    ],
)
def test_an_item_has_the_keys_of_its_kind(item, reported):
    paper = paper_of(item, sets=[])
    (problem,) = validation.problems(papers.Paper.model_validate, paper, {"p.yaml": paper})
    assert reported in problem


def test_the_items_of_the_method_are_those_of_the_paper():
    method = {"name": "E2", "cells": [{"item": ["t", "table2"]}, {"item": "u"}]}
    reported = [f"method: no item {name}; there are t." for name in ("table2", "u")]
    reported.append("t: an item of kind human_scores needs the paper's `inputs`.")
    assert problems({"kind": "human_scores"}, method=method) == reported


@pytest.mark.parametrize("name", ["babych2004", "liu2022", "perrella2024", "zhan2021"])
def test_the_papers_name_what_there_is(name):
    found, wrong = papers.check_papers([name], ROOT / "workflow/papers")
    paper = found[name]
    assert wrong == []
    assert list(papers.paper_problems(paper, paper.difficulties, paper.weightings)) == []
