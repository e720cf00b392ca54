"""Configs as people, editors and attackers write them: refused with file, line or key, or fine.

`make`, the workflow and `validate` judge by the same function.
"""

import os
import time

import pytest
from conftest import ROOT

from mt_difficulty import cli
from mt_difficulty.run import configs

SET = "{campaign: demo, pair: en-de, reference: refA, gold: mqm}"


def of_set(**changes):
    """A config with one set, in which some keys are others (as YAML)."""
    entry = {"campaign": "demo", "pair": "en-de", "reference": "refA", "gold": "mqm"} | changes
    return f"evaluation_sets: [{{{', '.join(f'{key}: {value}' for key, value in entry.items())}}}]"


NOT_YAML = {
    "a bracket is open": ("seed: 1\npapers: [", ", line 2: not as expected: "),
    "a quote is open": ('seed: 1\nresults: "x', ", line 2: not as expected: "),
    "a tab": ("controls:\n\tdraws: 100", ", line 2: not as expected: found character '\\t'"),
    "bad indentation": ("controls:\n  draws: 100\n top: 1", ", line 3: not as expected"),
    "latin-1": ("seed: 1\n# Grüße".encode("latin-1"), ", line 2: not UTF-8."),
    "two documents": ("seed: 1\n---\nseed: 2", "not as expected: but found another document"),
}
NO_MAPPING = {
    "empty": "",
    "a list": "- seed: 1",
    "text": "seed 1",
}
REFUSED = {
    "a key twice": ("seed: 1\nneural: true\nseed: 2", ", line 3: not as expected: the key `seed`"),
    "a date": (of_set(reference="2021-01-01"), "2021-01-01 is read as a timestamp; quote it."),
    "!!python": ("seed: !!python/object/apply:os.system [exit 1]", "has no meaning here"),
}
DEFAULTS = {  # of every key the kind of value, and one of another
    "results": ("text", ["1", "null"]),
    "archive": ("text", ["[]"]),
    "archive_urls": ("a list", ["x"]),
    "archive_sha256": ("text", ["1"]),
    "papers": ("a list", ["{a: 1}", "liu2022"]),
    "evaluation_sets": ("a list", [SET, "null"]),
    "metrics": ("keys and values", ["chrF"]),
    "neural": ("true or false", ["'no'", "0"]),
    "encoders": ("keys and values", ["[]"]),
    "substitute_encoders": ("keys and values", ["[]"]),
    "difficulties": ("keys and values", ["null"]),
    "weightings": ("keys and values", ["EE"]),
    "statistics": ("a list", ["{}", "pearson", "null"]),
    "random_subsets": ("keys and values", ["[4]", "null", "4"]),
    "significance": ("keys and values", ["null"]),
    "controls": ("keys and values", ["null"]),
    "complexity": ("keys and values", ["[]", "null"]),
    "seed": ("a whole number", ["{x: 1}", "null", "'1'", "1.5", "true"]),
}
TYPES = {
    f"{key}: {value}": (f"{key}: {value}", f": {key}: expected {kind}, found ")
    for key, (kind, values) in DEFAULTS.items()
    for value in values
} | {
    "a difficulty is text": (
        "difficulties: {chunk_entropy: exact}",
        "difficulties.chunk_entropy: expected keys and values, found 'exact'",
    ),
    "a type is a list": ("weightings: {EE: {type: []}}", "weightings.EE.type: expected text"),
    "a set's weightings are text": (of_set(weightings="EE"), "weightings: expected a list"),
    "a set's parameters are a list": (of_set(parameters="[EE]"), "parameters: expected keys and"),
    "parameters of a weighting are a number": (
        of_set(parameters="{EE: 0.5}"),
        "parameters.EE: expected keys and values, found 0.5",
    ),
    "random_subsets.sizes is a mapping": (
        "random_subsets: {sizes: {}}",
        "random_subsets.sizes: expected a list, found {}",
    ),
    "no is a key": ("no: 1", "expected text as a key, found False. Put the key in quotes."),
    "a number is a key": ("1: 1", "expected text as a key, found 1."),
    "infinite": ("weightings: {DA: {beta: .inf}}", "weightings.DA.beta: expected a finite number"),
}
VALUES = {
    "a line ends in a metric": ('metrics: {"m\\n": {type: chrf}}', "found 'm\\n'"),
    "a weighting is called standard": (
        "weightings: {standard: {type: hardest, difficulty: chunk_entropy}}",
        "and not standard; found 'standard'",
    ),
    "empty results": ('results: ""', "expected a path without control characters"),
    "a brace": ("results: 'a{b'", "expected a path without control characters, braces and"),
    "here": ("results: .", ". holds the project itself. Name a folder for results alone."),
    "a file": ("results: README.md", "README.md is a file; expected a folder"),
    "negative seed": ("seed: -1", "seed: -1 is less than the minimum of 0"),
    "many resamples": ("significance: {resamples: 1000000000000}", "the maximum of 100000"),
}
BAD = NOT_YAML | REFUSED | TYPES | VALUES
BAD |= {
    name: (content, ": expected keys and values as in config.yaml.")
    for name, content in NO_MAPPING.items()
}
GOOD = {
    "a byte-order mark": b"\xef\xbb\xbfseed: 1",
    "CRLF": "seed: 1\r\nneural: false\r\n",
    "JSON": '{"seed": 1, "papers": []}',
    "no reference texts": "complexity: {reference_texts: }",
    "a quoted date": of_set(reference="'2021-01-01'"),
    "a name like a number": of_set(campaign="'2021'", reference="'007'"),
    "results with signs": 'results: "results/it\'s 100 % [a]* $x; ü"',
}


@pytest.fixture
def check(capsys, monkeypatch):
    """Problems of configs that are merged over the project's."""
    monkeypatch.chdir(ROOT)

    def run(*files):
        code, printed = configs.main(["config.yaml", *map(str, files)]), capsys.readouterr()
        lines = [line.removeprefix("ERROR: ") for line in printed.err.splitlines()]
        assert code == bool(lines) == (not printed.out)
        return lines

    return run


@pytest.fixture
def judge(tmp_path, check):
    """Problems of a config's content."""
    file = tmp_path / "mine.yaml"

    def run(content):
        file.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return check(file)

    return run


@pytest.mark.parametrize("name", BAD)
def test_a_bad_config_is_refused_at_once_by_validate_too(name, judge, tmp_path, capsys):
    content, message = BAD[name]
    if name == "read-only" and os.access("/sys", os.W_OK):
        pytest.skip("/sys can be written here")
    began = time.process_time()
    found = judge(content)
    assert time.process_time() - began < 5
    assert [problem for problem in found if message in problem], found
    assert all(problem.startswith(str(tmp_path / "mine.yaml")) for problem in found)
    assert cli.main(["validate", str(tmp_path / "mine.yaml")]) == 1
    reported = capsys.readouterr().err.splitlines()
    assert reported == [f"ERROR: {problem}" for problem in found]


@pytest.mark.parametrize("name", GOOD)
def test_a_good_config_has_no_problem(name, judge):
    assert judge(GOOD[name]) == []


def test_what_is_no_file_is_named(check, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    for name, reason in {"": "not a file", "pipe": "not a file", "none": "no such file"}.items():
        path = str(tmp_path / name)
        assert check(path) == [f"{path}: {reason}; expected a YAML file."]
    (found,) = check(tmp_path / "loop")
    assert "loop" in found


def test_the_file_is_the_one_that_says_so(check, tmp_path):
    """Merged, a mapping in the place of a list is gone, and so is what a later file overrides."""
    (tmp_path / "first.yaml").write_text("papers: {}\nseed: x\n")
    (tmp_path / "second.yaml").write_text("papers: []\nseed: 1\n")
    files = [str(tmp_path / name) for name in ("first.yaml", "second.yaml")]
    assert check(*files) == [
        f"{files[0]}: papers: expected a list, found {{}}",
        f"{files[0]}: seed: expected a whole number, found 'x'",
    ]
