"""Options of configs and papers: wrong ones are named, each is written down once, and they are no
burden for jobs."""

import os
import subprocess
import sys
from copy import deepcopy

import pytest
from conftest import ROOT

from mt_difficulty.data.yaml_files import read_yaml
from mt_difficulty.run import comments
from mt_difficulty.run import options as schema
from mt_difficulty.run.configs import Config
from mt_difficulty.run.options import resolve, schema_of

TEXT = (ROOT / "config.yaml").read_text()
CONFIG = read_yaml(ROOT / "config.yaml")
HEAVY = {"pydantic", "jsonschema", "pandas", "torch", "scipy", "transformers", "numba", "nltk"}
HEAVY |= {"sacrebleu", "fastchrf", "wordfreq", "bert_score"}


def loaded(code):
    """The modules that are loaded after some code ran."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT / "workflow/scripts")},
        check=True,
        capture_output=True,
        text=True,
    )
    return set(done.stdout.split())


def options(asked, path=()):
    """Every option of a schema, with where it stands."""
    for name, option in asked.get("properties", {}).items():
        yield (*path, name), option
    for name, inner in asked.get("$defs", {}).items():
        yield from options(inner, (*path, name))


def test_every_option_of_a_config_has_a_description():
    asked = deepcopy(schema_of(Config))
    asked["$defs"].pop("Member")  # checked by its constructor's signature
    found = {path: resolve(Config, option) for path, option in options(asked)}
    assert len(found) > 40
    assert not [path for path, option in found.items() if not option.get("description")]


def test_the_comments_of_config_yaml_are_the_descriptions_of_its_options():
    assert comments.commented(TEXT) == TEXT, "run make format"


def test_jobs_make_the_plan_of_all_members_without_what_these_work_with():
    code = """
from mt_difficulty.data.yaml_files import read_yaml
from mt_difficulty.difficulty import ESTIMATORS
from mt_difficulty.metrics import METRICS
from mt_difficulty.run import outputs
from mt_difficulty.run.plan import make_plan
config, demo = read_yaml("config.yaml"), read_yaml("data/demo/config.yaml")
demo = config | demo | {"metrics": config["metrics"] | demo["metrics"]}
demo["evaluation_sets"] = [{**demo["evaluation_sets"][0], "metrics": list(demo["metrics"])}]
demo["encoders"] = config["encoders"] | demo["encoders"]
plan, problems = make_plan({**demo, "difficulties": config["difficulties"],
                            "weightings": config["weightings"]}, {})
assert outputs.final_outputs(plan) and plan.needs_wordnet and not problems
[*METRICS.values(), *ESTIMATORS.values()]
"""
    assert not loaded(code) & HEAVY


def test_the_plan_of_all_papers_asks_bert_score_for_nothing():
    """bert-score imports PyTorch, which takes seconds; every job makes this plan."""
    code = """
from pathlib import Path
from mt_difficulty.data.yaml_files import read_yaml
from mt_difficulty.run import outputs
from mt_difficulty.run.plan import make_plan, read_papers
config = read_yaml("config.yaml")
plan, problems = make_plan(config, read_papers(config["papers"], Path("workflow/papers")))
assert outputs.final_outputs(plan) and not problems
assert config["neural"] and plan.encoders.keys() == config["encoders"].keys()
"""
    assert len(list((ROOT / "workflow/papers").glob("*.yaml"))) == len(CONFIG["papers"])
    assert not loaded(code) & HEAVY


SET = {"campaign": "wmt19", "pair": "en-de", "reference": "ref", "gold": "wmt-z"}


def problems(mine):
    """Of a file that replaces some of the config's keys."""
    return schema.problems(CONFIG | mine, Config, {"config.yaml": CONFIG, "mine.yaml": mine})


def renamed(entry, old, new):
    return {new if key == old else key: value for key, value in entry.items()}


@pytest.mark.parametrize(
    ("mine", "reported"),
    [
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
            {"encoders": {"mine": {"layer": 3}}},
            "encoders.mine: expected the keys `hub` and `revision`, or `folder`, or `hidden_size` "
            "and `layers`",
        ),
        (
            {"difficulties": {"difficulty": {"type": "length"}}},
            "difficulties: expected a name of letters, digits, `_`, `.`, `+` and `-`, of which the "
            "first is a letter or a digit, and not difficulty; found 'difficulty'",
        ),
        (
            {"evaluation_sets": [SET | {"pair": "en_de"}]},
            "evaluation_sets[0].pair: expected source and target language, such as en-de, or a "
            "pattern of them, such as *-de; found 'en_de'",
        ),
    ],
)
def test_one_line_names_file_place_and_what_is_asked(mine, reported):
    assert problems(mine) == [f"mine.yaml: {reported}"]


@pytest.mark.parametrize("name", ["..", ".hidden", "", "a/b", "archive", "papers", "study"])
def test_a_campaign_is_not_called_like_a_folder_of_the_results(name):
    assert problems({"evaluation_sets": [SET | {"campaign": name}]}) == [
        "mine.yaml: evaluation_sets[0].campaign: expected a name of letters, digits, `.`, `_` and "
        "`-`, of which the first is a letter or a digit, and not archive, complexity, "
        "estimators, export, logs, papers or study, which are folders of the results; "
        f"found {name!r}"
    ]
    assert problems({"evaluation_sets": [SET | {"campaign": f"1{name.replace('/', '')}"}]}) == []
