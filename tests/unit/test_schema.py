"""How a config that breaks its schema is reported."""

from pathlib import Path

import pytest
import yaml

from mt_difficulty.run import configs
from mt_difficulty.run import options as schema
from mt_difficulty.run.configs import Config
from mt_difficulty.run.papers import Paper

ROOT = Path(__file__).parents[2]
CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text())

SET = {"campaign": "wmt19", "pair": "en-de", "reference": "ref", "gold": "wmt-z"}


def problems(mine):
    """Of a file that replaces some of the config's keys."""
    return schema.problems(CONFIG | mine, Config, {"config.yaml": CONFIG, "mine.yaml": mine})


def renamed(entry, old, new):
    return {new if key == old else key: value for key, value in entry.items()}


def test_the_projects_config_has_no_problem():
    assert problems({}) == []


@pytest.mark.parametrize(
    ("mine", "reported"),
    [
        ({"sede": 1}, "unknown key `sede` (did you mean seed?)"),
        ({"controls": {"draws": 200, "x": 1}}, "controls: unknown key `x`; there are draws"),
        ({"seed": "one"}, "seed: expected a whole number, found 'one'"),
        ({"seed": True}, "seed: expected a whole number, found True"),
        ({"seed": -1}, "seed: -1 is less than the minimum of 0"),
        ({"papers": "liu2022"}, "papers: expected a list, found 'liu2022'"),
        ({"metrics": None}, "metrics: expected keys and values, found None"),
        ({"metrics": {"chrF": "chrf"}}, "metrics.chrF: expected keys and values, found 'chrf'"),
        (
            {"evaluation_sets": [SET, renamed(SET, "reference", "refrence")]},
            "evaluation_sets[1]: unknown key `refrence` (did you mean reference?)",
        ),
        (
            {"evaluation_sets": [{"campaign": "my", "pair": "en-de", "files": "x", "gold": "mqm"}]},
            "evaluation_sets[0]: there is no key `gold` here; there are files, reference, "
            "campaign, pair, exclude, segments, misaligned, metrics, weightings, parameters, tuned",
        ),
        (
            {"significance": CONFIG["significance"] | {"top": {}}},
            "significance.top: expected a list, found {}",
        ),
        (
            {"encoders": {"mine": {"layer": 3}}},
            "encoders.mine: expected the keys `hub` and `revision`, or `folder`, or `hidden_size` "
            "and `layers`",
        ),
        (
            {"substitute_encoders": {False: "mine"}},
            "substitute_encoders: expected text as a key, found False. Put the key in quotes.",
        ),
        (
            {"evaluation_sets": [SET | {"parameters": {"EE": {"threshold": float("nan")}}}]},
            "evaluation_sets[0].parameters.EE.threshold: expected a finite number, found nan",
        ),
        (
            {"evaluation_sets": [SET | {"parameters": {"EE": 0.5}}]},
            "evaluation_sets[0].parameters.EE: expected keys and values, found 0.5",
        ),
        (
            {"difficulties": {"mine": {"aligner": "exact"}}},
            "difficulties.mine: the key `type` is missing",
        ),
        (
            {"difficulties": {"difficulty": {"type": "length"}}},
            "difficulties: expected a name of letters, digits, `_`, `.`, `+` and `-`, of which the "
            "first is a letter or a digit, and not difficulty; found 'difficulty'",
        ),
        (
            {"weightings": {"standard": {"type": "hardest", "difficulty": "length"}}},
            "weightings: expected a name of letters, digits, `_`, `.`, `+` and `-`, of which the "
            "first is a letter or a digit, and not standard; found 'standard'",
        ),
        (
            {"metrics": {"mine": {"type": "chrf", "beta": float("inf")}}},
            "metrics.mine.beta: expected a finite number, found inf",
        ),
        (
            {"evaluation_sets": [SET | {"pair": "en_de"}]},
            "evaluation_sets[0].pair: expected source and target language, such as en-de, or a "
            "pattern of them, such as *-de; found 'en_de'",
        ),
        (
            {"substitute_encoders": {"english": "x"}},
            "substitute_encoders: expected a language or a pair of them, such as de or en-de; "
            "found 'english'",
        ),
    ],
)
def test_one_line_names_file_place_and_what_is_asked(mine, reported):
    assert problems(mine) == [f"mine.yaml: {reported}"]


@pytest.mark.parametrize(
    "name", ["..", ".hidden", "", "a/b", "archive", "complexity", "logs", "papers", "study"]
)
def test_a_campaign_is_not_called_like_a_folder_of_the_results(name):
    assert problems({"evaluation_sets": [SET | {"campaign": name}]}) == [
        "mine.yaml: evaluation_sets[0].campaign: expected a name of letters, digits, `.`, `_` and "
        "`-`, of which the first is a letter or a digit, and not archive, complexity, "
        "estimators, export, logs, papers or study, which are folders of the results; "
        f"found {name!r}"
    ]
    assert problems({"evaluation_sets": [SET | {"campaign": f"1{name.replace('/', '')}"}]}) == []


def test_several_problems_are_each_reported():
    mine = {"seed": "x", "sede": 1, "evaluation_sets": [{}]}
    found = problems(mine)
    assert len(found) == 3
    assert found == sorted(found)


def test_the_file_is_the_one_that_says_so():
    """Mappings are merged: what one file has wrong is not the next one's."""
    first, second = {"significance": {"topp": 1}}, {"significance": {"resamples": 200}}
    files = {"config.yaml": CONFIG, "a.yaml": first, "b.yaml": second}
    merged = configs.merge(configs.merge(CONFIG, first), second)
    reported = "a.yaml: significance: unknown key `topp` (did you mean top?)"
    assert schema.problems(merged, Config, files) == [reported]
    second["significance"]["resamples"] = 0
    merged = configs.merge(merged, second)
    reported = "b.yaml: significance.resamples: 0 is less than the minimum of 100"
    assert schema.problems(merged, Config, files)[1] == reported


@pytest.mark.parametrize("name", ["babych2004", "liu2022", "zhan2021"])
def test_a_papers_file_is_told_alike(name):

    paper = yaml.safe_load((ROOT / f"workflow/papers/{name}.yaml").read_text())
    assert schema.problems(paper, Paper, {name: paper}) == []
    paper = renamed(paper, "authors", "autors")
    reported = [f"{name}: unknown key `autors` (did you mean authors?)"]
    assert schema.problems(paper, Paper, {name: paper}) == reported
