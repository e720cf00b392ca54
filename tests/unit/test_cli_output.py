"""What `mt-difficulty` prints: help, text, JSON, LaTeX; exit codes and streams of the process."""

import argparse
import json
import re

import pytest
from conftest import ROOT

from mt_difficulty import cli
from mt_difficulty.cli.arguments import make_parser
from mt_difficulty.interface.texts import KINDS
from mt_difficulty.metrics import METRICS

DEMO = ROOT / "data/demo/archive/demo"
OUTPUTS = DEMO / "system-outputs/en-de"
TEXTS = ["--ref", DEMO / "references/en-de.refA.txt", "--lang", "de", "--hyp"]
TEXTS += [OUTPUTS / f"{system}.txt" for system in ("oak", "ash")]
# File names that are hard to print.


@pytest.fixture
def printed(capsys):
    def run(*arguments):
        assert cli.main([str(argument) for argument in arguments]) == 0
        return capsys.readouterr().out

    return run


@pytest.fixture(scope="module")
def subparsers():
    (actions,) = (
        action
        for action in make_parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    return actions.choices


@pytest.mark.parametrize(
    "command", ["score", "hard", "select", "estimates", "validate", "export", "correlate"]
)
def test_help_explains_every_option_and_gives_an_example_that_parses(command, subparsers):
    text = subparsers[command].format_help()
    for action in subparsers[command]._actions:
        assert action.help
        assert max(action.option_strings, key=len, default="") in text
    example = re.search(rf"example:\n  mt-difficulty ({command} .*)", text)[1]
    assert make_parser().parse_args(example.split()).command == command
    assert "exit codes: 0 success; 1 bad input" in text


def test_every_metric_of_texts_can_be_asked_for(subparsers):
    (action,) = (a for a in subparsers["score"]._actions if a.dest == "metric")
    # Neither an archive's scores nor what needs documents.
    kinds = {KINDS[name][0] for name in action.choices}
    assert kinds == {*METRICS} - {"stored", "wnm"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "required: COMMAND"),
        ("score -i h", "a reference is required"),
        ("score r -i h --metric comet", "'comet'"),
        ("score r -i h --share 0", "expected a number above 0"),
        ("score r -i h --src-lang English", "expected a language code"),
        ("score r -i h --resamples -1", "expected a whole number from 0 to 100000"),
        ("score r -i h --width 99", "-w/--width: '99': expected a whole number, 0 to 15"),
        ("hard --ref r --hyp h --format csv", "'csv'"),
        ("select x --by length --budget 0", "'0': expected a whole number, 1 to"),
    ],
)
def test_wrong_usage_is_named_and_exits_with_2(arguments, message, capsys):
    with pytest.raises(SystemExit, match="2"):
        cli.main(arguments.split())
    assert message in capsys.readouterr().err


def test_text_fits_a_terminal_but_for_signatures(printed):
    text = printed("score", *TEXTS, "--src", DEMO / "sources/en-de.txt", "--resamples", 50)
    body, signatures = text.split("Signatures\n")
    assert max(map(len, body.splitlines())) <= 100
    assert re.search(r"chrF, EE \(higher is better\)\n  #  system  score +95% interval", body)
    assert re.search(r"Difficulty: h = 0\.\d{4} \(Eq\. 9; ", body)
    assert "  chrF, standard: nrefs:1|case:mixed" in signatures


def test_json_has_the_documented_keys(printed):
    found = json.loads(printed("score", *TEXTS, "--resamples", 20, "--format", "json"))
    hard = json.loads(printed("hard", *TEXTS, "--format", "json"))
    documented = (ROOT / "docs/own_systems.md").read_text(encoding="utf-8")
    of_hard = "version reference language systems segments difficulty notices hard_segments".split()
    assert hard.keys() == {*of_hard}
    assert found.keys() == {*of_hard, "resamples", "seed", "level", "scores", "comparisons"}
    assert len(hard["hard_segments"]) == 20
    assert hard["difficulty"] == found["difficulty"]
    described = {"name", "unit", "signature", "notices", "h", "w", "h_from", "w_from", "estimate"}
    assert described <= found["difficulty"].keys()
    for key, names in (
        (
            "scores",
            "metric weighting difficulty system score low high rank better_than "
            "effective_segments higher_is_better signature",
        ),
        ("comparisons", "metric weighting difficulty system other difference wins p p_holm"),
        (
            "hard_segments",
            "segment difficulty difficult_systems source reference hypotheses tokens",
        ),
    ):
        assert {*map(frozenset, found[key])} == {frozenset(names.split())}
        assert all(f"`{name}`" in documented for name in (key, *names.split()))


def test_latex_is_a_table_of_equal_rows(printed):
    texts = [*TEXTS, OUTPUTS / "birch.txt"]
    text = printed("score", *texts, "--metric", "chrf", "ter", "--format", "latex")
    opened = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", text):
        if kind == "begin":
            opened.append(name)
        else:
            assert opened.pop() == name
    assert opened == []
    scores, hard = text.split(r"\end{table}")[:2]
    for table, columns in ((scores, 6), (hard, 4)):
        lines = [line for line in table.splitlines() if line.endswith(r"\\")]
        assert {len(re.split(r"(?<!\\)&", line)) for line in lines} == {columns}
    assert re.search(r"\d\d\.\d\d \[\d\d\.\d\d, \d\d\.\d\d\] \(\d-\d\) ", scores)
    assert scores.count("lower is better") == 2
    assert not re.search(r"(?<!\\)[#_%]", re.sub(r"^%.*$", "", scores, flags=re.MULTILINE))
    for rule in ("toprule", "midrule", "bottomrule"):
        assert text.count(rf"\{rule}") == 2
