"""What a paper's tables and figures are made from, and what of it is not there."""

from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from mt_difficulty.papers.used_settings import used_settings
from mt_difficulty.run import outputs, papers
from mt_difficulty.run.sets import expanded

ROOT = Path(__file__).parents[2]
NAME = "lab/en-de"
DIFFICULTIES = {
    "gaps": {"type": "chunk_entropy"},
    "words": {"type": "length"},
    "missed": {"type": "token_dissimilarity"},
}
WEIGHTINGS = {
    "E2": {"type": "groups", "difficulty": "gaps"},
    "top": {"type": "hardest", "difficulty": "words"},
    "T": {"type": "tokens", "difficulty": "missed"},
    "E2-T": {"type": "combined", "segments": "E2", "tokens": "T"},
}
METRICS = {"B": {"type": "chrf"}, "N": {"type": "bertscore"}}
SETTINGS = {
    "metrics": METRICS,
    "matches": {"N": "matches/tiny.npz"},
    "difficulties": DIFFICULTIES,
    "weightings": expanded(WEIGHTINGS),
}
CASE = {
    "kind": "case_study",
    "set": NAME,
    "metric": "N",
    "weighting": "E2",
    "difficulty": "gaps",
    "labels": [],
    "rows": [],
}


class Plan:
    """A plan of one set and one paper, as far as items ask for it."""

    def __init__(self, items, metrics=METRICS):
        self.results = "r"
        self.papers = {"p": {"tables": items, "figures": items}}
        self.sets = {NAME: SimpleNamespace(metrics=metrics, estimated=["gaps", "words"])}

    def files(self, name, *files):
        return [f"r/{name}/{file}" for file in files]

    def difficulty_file(self, name, difficulty):
        return f"r/{name}/difficulty/{difficulty}.npz"

    def score_settings(self, name):
        return SETTINGS


def inputs_of(item, **options):
    """The files of an item in its set's folder."""
    plan = Plan({"item": item}, **options)
    found = outputs.item_inputs(plan, "p", "item")
    return [path.removeprefix(f"r/{NAME}/") for path in found]


@pytest.mark.parametrize(
    ("item", "files"),
    [
        (CASE, {"statistics/N.npz", "difficulty/gaps.npz"}),
        (CASE | {"weighting": "top"}, {"statistics/N.npz", "difficulty/gaps.npz"}),
        (
            CASE | {"weighting": "E2-T"},
            {"statistics/N.npz", "difficulty/gaps.npz", "matches/tiny.npz"},
        ),
        (
            CASE | {"kind": "token_cases", "weighting": "T", "difficulty": "gaps"},
            {"statistics/N.npz", "matches/tiny.npz", "difficulty/gaps.npz"},
        ),
    ],
)
def test_a_scored_metric_needs_what_its_weighting_reads(item, files):
    found = inputs_of(item)
    expected = files | {"evalset.json", "weightings.json", "missing.csv"}
    if item["weighting"] == "top":
        expected |= {"difficulty/words.npz"}
    assert set(found) == expected
    assert len(found) == len(expected)


@pytest.mark.parametrize(
    ("item", "files"),
    [
        (
            {"kind": "difficulty_scores", "metric": "B", "difficulty": "words"},
            ["weightings.json", "difficulty/words.npz", "statistics/B.npz"],
        ),
        (
            {"kind": "segment_difficulties", "difficulty": "gaps", "weighting": "E2"},
            ["weightings.json", "difficulty/gaps.npz"],
        ),
        ({"kind": "chunks", "difficulty": "gaps"}, ["evalset.json", "difficulty/gaps.npz"]),
        ({"kind": "balance_fit", "weighting": "E2"}, ["weightings.json"]),
        ({"kind": "top_k", "metrics": ["B"]}, ["correlations.csv", "weightings.json"]),
        (
            {"kind": "token_heat_map", "metric": "N", "difficulty": "missed"},
            ["evalset.json", "weightings.json", "matches/tiny.npz"],
        ),
        ({"kind": "rule_graph"}, []),
    ],
)
def test_a_figure_reads_the_difficulty_that_it_names(item, files):
    of_set = {} if item["kind"] == "rule_graph" else {"set": NAME}
    assert inputs_of(item | of_set) == files


def test_an_item_uses_the_settings_of_what_it_names():
    found = used_settings(SETTINGS, CASE)
    assert found == {
        "metrics": {"N": METRICS["N"]},
        "matches": {},
        "difficulties": {"gaps": DIFFICULTIES["gaps"]},
        "weightings": {"E2": WEIGHTINGS["E2"]},
    }
    assert used_settings(found, CASE) == found
    over = used_settings(SETTINGS, CASE | {"weighting": "E2-T"})
    assert over["matches"] == SETTINGS["matches"]
    assert list(over["weightings"]) == ["T", "E2-T"]
    assert list(over["difficulties"]) == ["gaps", "missed"]
    another = SETTINGS | {"weightings": SETTINGS["weightings"] | {"new": WEIGHTINGS["top"]}}
    assert used_settings(another, CASE) == found


def paper_of(item, **more):
    entry = {"campaign": "lab", "pair": "en-de", "metrics": {"N": METRICS["N"]}}
    paper = {"sets": [entry], "metrics": {"B": METRICS["B"]}, "tables": {"t": item}, "figures": {}}
    return paper | more


def problems(item, **more):
    return papers.item_problems(paper_of(item, **more), DIFFICULTIES, WEIGHTINGS)


ABLATION = {"kind": "ablation", "set": NAME, "published": {"metric": "B", "E2": []}}
TOKENS = {"kind": "token_heat_map", "set": NAME, "metric": "N", "difficulty": "missed"}
ROW = {"metric": "B", "weighting": "E2-T"}


@pytest.mark.parametrize(
    ("item", "reported"),
    [
        (CASE | {"metric": "M"}, "no metric M; there are B, N."),
        (
            CASE | {"difficulty": "word"},
            "no difficulty word; there are gaps, words, missed (did you mean words?).",
        ),
        (
            {"kind": "ranking", "set": NAME, "columns": [ROW | {"weighting": "DA"}]},
            "no weighting DA; there are standard, E2, top, T, E2-T.",
        ),
        (ABLATION, "a table of kind ablation needs the paper's `ablation`."),
        (
            {"kind": "parameters", "weighting": "standard"},
            "the standard weighting has no difficulty; name another one.",
        ),
        ({"kind": "parameters", "weighting": "top"}, "top is no weighting in groups."),
        (CASE | {"kind": "token_cases"}, "E2 is no weighting of tokens."),
        (CASE | {"difficulty": "words"}, "words has no chunks."),
        (CASE | {"difficulty": "missed"}, "missed is a difficulty of tokens."),
        (TOKENS | {"difficulty": "gaps"}, "gaps is no difficulty of tokens."),
        (TOKENS | {"metric": "B"}, "B has no token matches."),
    ],
)
def test_what_an_item_names_and_there_is_not_is_reported(item, reported):
    assert problems(item) == [f"t: {reported}"]


def test_what_there_is_is_no_problem():
    rows = {"kind": "correlations", "columns": [{"set": NAME}], "rows": [ROW]}
    for item in (CASE, CASE | {"weighting": "E2-T", "difficult_segments": {}}, TOKENS, rows):
        assert problems(item) == []


@pytest.mark.parametrize("name", ["babych2004", "liu2022", "zhan2021"])
def test_the_papers_name_what_there_is(name):
    paper = yaml.safe_load((ROOT / f"workflow/papers/{name}.yaml").read_text())
    known = paper.get("difficulties", {}), paper.get("weightings", {})
    assert papers.item_problems(paper, *known) == []
