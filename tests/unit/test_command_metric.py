"""Metrics that are a program of the user's: what it reads, what is read of it, and how it fails."""

import os
import re
import shlex
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from conftest import ROOT, make_evalset

from mt_difficulty.errors import InputError, Missing
from mt_difficulty.metrics import METRICS, make_metric, metric_settings, named_metrics
from mt_difficulty.metrics.command import SCRIPTS, named_files
from mt_difficulty.metrics.stored import is_without_reference
from mt_difficulty.plan.config import checked_metric

REFERENCE = ["the cat", "", "a\u2028b {x}", "it's a dog"]
HYPOTHESES = [["the cat sat", "c", "a b", ""], ["x", "the", "dog", "a b c d e"]]
# Words of a hypothesis line, minus words of its reference line divided by ten.
LENGTHS = """
import sys
lines = [open(path, encoding="utf-8").read().split("\\n")[:-1] for path in sys.argv[1:]]
for texts in zip(*lines):
    words = [len(text.split()) for text in texts]
    print(words[0] - words[-1] / 10)
"""

# Words of the hypothesis, and half a word for the reference `the cat`.
METRICX = """
import argparse, json
parser = argparse.ArgumentParser()
parser.add_argument("--input_file")
parser.add_argument("--output_file")
given, _ = parser.parse_known_args()
print("what it prints is no score")
with open(given.output_file, "w") as output:
    for line in open(given.input_file):
        segment = json.loads(line)
        score = len(segment["hypothesis"].split()) + (segment["reference"] == "the cat") / 2
        print(json.dumps(segment | {"prediction": score}), file=output)
"""


def evalset(**options):
    return make_evalset(HYPOTHESES, REFERENCE, **options)


def metric_of(command, **settings):
    entry = {"type": "command", "command": command, **settings}
    return make_metric("Mine", "en-de", metric_settings(entry))


@pytest.fixture
def program(tmp_path):
    """Return what writes a Python program and gives the command that starts it."""

    def write(text):
        path = tmp_path / "it's mine.py"
        path.write_text(text)
        return shlex.join([sys.executable, str(path)])

    return write


@pytest.mark.parametrize("sign", [1, -1])
def test_scores_are_the_lines_that_the_program_prints(program, sign):
    command = f"{program(LENGTHS)} {{hypothesis}} {{reference}}"
    metric = metric_of(command, higher_is_better=sign > 0)
    scores = metric.evaluate(evalset(), "")
    expected = [[2.8, 1, 1.7, -0.3], [0.8, 1, 0.7, 4.7]]
    assert scores[..., 0] == pytest.approx(sign * np.array(expected), abs=1e-12)
    of_systems = metric.aggregate(scores.sum(axis=1), np.array([4, 4]))
    assert of_systems == pytest.approx([sign * 1.3, sign * 1.8])
    assert metric.signature.endswith("|sign:changed") == (sign < 0)


def test_the_output_of_comet_score_is_read(program):
    text = """
import sys
hypothesis = sys.argv[1]
print()
for number, line in enumerate(open(hypothesis)):
    print(f"{hypothesis}\\tSegment {number}\\tscore: {len(line):.4f}")
print(f"{hypothesis}\\tscore: 99.0000")
"""
    scores = metric_of(f"{program(text)} {{hypothesis}}").evaluate(evalset(), "")
    assert scores[..., 0].tolist() == [[12, 2, 4, 1], [2, 4, 4, 10]]


def test_the_command_is_a_line_of_bash(monkeypatch):
    """Pipes, braces that are not ours, and the source."""
    command = "paste {hypothesis} {source} | awk -F'\\t' '{print NF}'"
    assert (metric_of(command).evaluate(evalset(), "") == 2).all()


@pytest.mark.parametrize(
    ("searched", "seen"),
    [
        ([str(SCRIPTS)], "unset"),
        ([os.path.relpath(SCRIPTS), "/mine", str(SCRIPTS), "/more"], "/mine:/more"),
        (["/mine"], "/mine"),
    ],
)
def test_the_program_sees_no_modules_of_the_workflow(monkeypatch, searched, seen):
    assert (SCRIPTS / "run_metric.py").is_file()
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(searched))
    command = f'test "${{PYTHONPATH-unset}}" = {seen}; sed s/.*/1/ {{hypothesis}}'
    assert (metric_of(command).evaluate(evalset(), "") == 1).all()


@pytest.mark.parametrize("quote", ["", "'", '"'])
def test_placeholders_may_have_quotes(monkeypatch, tmp_path, quote):
    folder = tmp_path / "it's a $folder"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    command = f"sed s/.*/1/ {quote}{{hypothesis}}{quote}"
    assert (metric_of(command).evaluate(evalset(), "") == 1).all()


def test_the_files_that_a_command_names(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    for name in ("it's mine.py", "model", "weights"):
        (tmp_path / name).touch()
    (tmp_path / "folder").mkdir()
    command = f'sort "it\'s mine.py";cat <~/model $HOME/weights folder none {"x" * 300} {{source}}'
    assert named_files(command) == [
        Path("it's mine.py"),
        tmp_path / "model",
        tmp_path / "weights",
    ]
    assert named_files("cat 'model model") == [Path("model")]


def test_the_example_for_metricx_scores_a_system(tmp_path):
    """With a stand-in for Google's program, which reads and writes the same files."""
    package = tmp_path / "metricx24"
    package.mkdir()
    (package / "predict.py").write_text(METRICX)
    python = shlex.quote(sys.executable)
    script = shlex.quote(str(ROOT / "docs/metricx.py"))
    command = f"PYTHONPATH={tmp_path} {python} {script} {{source}} {{hypothesis}} {{reference}}"
    scores = metric_of(command, higher_is_better=False).evaluate(evalset(), "")
    assert scores[..., 0].tolist() == [[-3.5, -1, -2, 0], [-1.5, -1, -1, -5]]


FAILURES = [
    ("no-such-program {hypothesis}", "exit status 127, a program was not found. Install it"),
    ("sort no-such-file {hypothesis} | wc -l", "exit status 2."),
    ("head -n 3 {hypothesis} | wc -m", "expected 4 scores, one for each segment; .* printed 1."),
    ("cat {hypothesis}", "line 1 of what .* printed: expected a score alone, found `the cat sat`"),
    ("sed s/.*/nan/ {hypothesis}", "line 1 of what .* printed: expected a score .* found `nan`"),
    ("true {hypothesis}", "expected 4 scores, .* printed 0."),
    ("source /nope/activate; sed s/.*/1/ {hypothesis}", "exit status 1."),
    (
        "printf '%s\\tscore: 1\\n' {hypothesis} more.txt",
        "the command printed comet-score's scores of hypothesis, more; expected those of one file, "
        "{hypothesis}.",
    ),
]


@pytest.mark.parametrize(("command", "problem"), FAILURES)
def test_a_failure_names_system_command_and_the_last_words(command, problem):
    metric = metric_of(f"echo first >&2; for i in {{1..10}}; do echo $i >&2; done; {command}")
    with pytest.raises(InputError) as raised:
        metric.evaluate(evalset(), "")
    message = str(raised.value)
    assert re.match(f"system S0: {problem}", message)
    assert f"The command: {metric.command}\n" in message
    assert "first" not in message.partition("\n")[2]
    assert "\n  10" in message


def test_what_the_command_takes_must_be_there():
    assert is_without_reference(metric_of("score {source} {hypothesis}").signature)
    assert not is_without_reference(metric_of("score {reference} {hypothesis}").signature)
    bare = replace(make_evalset(HYPOTHESES, [""] * 4), reference_name="", source=[])
    for command, reason in [
        ("cat {hypothesis} {reference}", "the set has no reference translation"),
        ("cat {hypothesis} {source}", "there is no source text"),
    ]:
        with pytest.raises(Missing, match=reason):
            metric_of(command).evaluate(bare, "")
    assert metric_of("sed s/.*/1/ {hypothesis}").evaluate(bare, "").shape == (2, 4, 1)


def test_it_is_a_metric_of_configs_alone():
    assert "command" in METRICS
    assert "command" not in {settings.type for settings in named_metrics().values()}
    for entry, problem in [
        ({}, "the key `command` is missing"),
        ({"command": "score {source}"}, r"expected \{hypothesis\} in it"),
        ({"command": "score {hypothesis}", "higher": True}, "unknown key `higher`"),
    ]:
        with pytest.raises(Exception, match=problem):
            checked_metric({"type": "command", **entry})


def test_a_run_computes_it_once_and_says_how_it_failed(project):
    """From a config to statistics. The second run does nothing, that of a changed program is made
    again. The log that is named exists."""
    entry = {"campaign": "demo", "pair": "en-de", "reference": "refA", "gold": "mqm"}
    (project.root / "words.py").write_text(LENGTHS)
    config = {"results": "results/command", "papers": [], "evaluation_sets": [entry]}
    command = f"{shlex.quote(sys.executable)} words.py {{hypothesis}} {{reference}}"
    config["metrics"] = {"Mine": {"type": "command", "command": command}}
    file = project.root / "command.yaml"
    file.write_text(yaml.safe_dump(config))
    options = ["--configfile", "data/demo/config.yaml", "command.yaml"]
    target = "results/command/demo/en-de/system_scores.csv"

    assert "run_metric" in project.snakemake(target, *options)
    assert "Nothing to be done" in project.snakemake(target, *options)
    (project.root / "words.py").write_text(LENGTHS.replace("10", "20"))
    assert "run_metric" in project.snakemake(target, *options, "-n")

    config["metrics"]["Mine"]["command"] = "echo Oh >&2; exit 7; {hypothesis}"
    file.write_text(yaml.safe_dump(config))
    output = project.snakemake(target, *options, fails=True)
    went_wrong = output.partition("What went wrong:")[2]
    assert "ERROR: Mine, system alder: exit status 7. The command: echo Oh" in went_wrong
    assert "\n    Oh" in went_wrong
    log = project.root / "results/command/logs/run_metric/demo.en-de.Mine.log"
    assert str(log.relative_to(project.root)) in output
    assert "exit status 7" in log.read_text()
