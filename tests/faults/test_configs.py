"""Configs as people and editors write them: refused with file, line or key, or fine."""

import os
import re
from functools import reduce

import pytest
from conftest import ROOT

from mt_difficulty.data.text_files import read_yaml
from mt_difficulty.errors import InputError
from mt_difficulty.plan import config as models
from mt_difficulty.plan.base import merge

SET = "{campaign: demo, pair: en-de, reference: refA, gold: mqm}"
NO_MAPPING = ": expected keys and values as in config.yaml."


def of_set(**changes):
    """A config with one set, in which some keys are others (as YAML)."""
    entry = {"campaign": "demo", "pair": "en-de", "reference": "refA", "gold": "mqm"} | changes
    return f"evaluation_sets: [{{{', '.join(f'{key}: {value}' for key, value in entry.items())}}}]"


NOT_YAML = [
    ("seed: 1\npapers: [", ", line 3: not as expected: "),
    ("controls:\n\tdraws: 100", ", line 2: not as expected: found character"),
    ("seed: 1\n# Grüße".encode("latin-1"), ", line 2: not UTF-8."),
    ("seed: 1\n---\nseed: 2", "not as expected: but found another document"),
    ("seed: 1\nneural: true\nseed: 2", ", line 3: not as expected: the key `seed`"),
    ("seed: !!python/object/apply:os.system [exit 1]", "could not determine a constructor"),
    ("", NO_MAPPING),
    ("- seed: 1", NO_MAPPING),
]
TYPES = {
    "text": "results: 1|results: null|archive: []|archive_urls: [1]|archive_sha256: 1",
    "a list": f"archive_urls: x|papers: {{a: 1}}|evaluation_sets: {SET}|statistics: pearson",
    "keys and values": "metrics: [chrF]|encoders: []|substitute_encoders: []|difficulties: null|"
    "weightings: EE|random_subsets: [4]|significance: null|controls: 4|complexity: []",
    "true or false": "neural: 'no'|neural: 0",
    "a whole number": "seed: null|seed: '1'|seed: 1.5|seed: true",
}
VALUES = [
    ("no: 1", "expected text as a key, found False. Put the key in quotes."),
    ("weightings: {DA: {beta: .inf}}", "weightings.DA.beta: input should be a finite"),
    ('metrics: {"m\\n": {type: chrf}}', "found 'm\\n'"),
    ("weightings: {standard: {type: hardest}}", "and not standard; found 'standard'"),
    ("results: 'a{b'", "expected a path without control characters, braces and"),
    ("results: .", ". holds the project itself. Name a folder for results alone."),
    ("results: README.md", "README.md is a file or read-only; expected a folder"),
    ("seed: -1", "seed: input should be greater than or equal to 0; found -1"),
    ("evaluation_sets: [{campaign: a, refrence: b}]", "unknown key `refrence` (did you mean refe"),
    ("encoders: {mine: {layer: 3}}", "encoders.mine: expected the keys `hub` and `revision`, or "),
    (of_set(files="mine"), "evaluation_sets[0]: there is no key `gold` beside `files`"),
    ("evaluation_sets: [{campaign: 'my*', pair: en-de, files: x}]", "found the pattern 'my*'"),
    (of_set(pair="en_de"), "such as *-de; found 'en_de'"),
    (of_set(campaign="papers"), "[0].campaign: expected a name of up to 80 letters"),
    (of_set(misaligned="used"), "misaligned: expected one of refuse, use; found 'used' (did"),
    ("encoders: {x: {hidden_size: 8, layers: 2, layer: 5}}", "x.layer: there is no layer 5"),
    ("metrics: {B: {type: bleu, tokenise: intl}}", "unknown key `tokenise` (did you mean tokenize"),
    ("weightings: {EE: {threshold: most}}", "EE: threshold most: expected a number, mean_plus_2"),
    ("difficulties: {x: {type: crowd}}", "x: the key `metric` is missing"),
    (of_set(metrics="[BLUE]"), "[0].metrics: no metric BLUE; there are BLEU, chrF, METEOR, "),
    (of_set(parameters="{EF: {}}"), "[0].parameters: no weighting EF; there"),
    (of_set(weightings="[EE, EE-DA]"), "EE-DA combines others; name DA, too"),
    ("substitute_encoders: {de: x}", "substitute_encoders.de: no encoder x; "),
    ("statistics: [pearson, kendal]", "statistics: no statistic kendal; there are acc23, acc_eq, "),
    ("statistics: [pearson]", "papers and pages need kendall, spearman too"),
    ("random_subsets: {sizes: [4, 4]}", "sizes: 4 is there twice"),
    ("seed: 010", "seed: expected a whole number, found '010'"),
    ("significance: {resamples: 100:30}", "resamples: expected a whole number, found '100:30'"),
    (f"metrics: {{{'m' * 81}: {{type: chrf}}}}", "expected a name of up to 80 letters, digits"),
    (of_set(campaign="c" * 255), "[0].campaign: expected a name of up to 80 letters, digits"),
    ("metrics: {x: {type: chrf, word_order: -1}}", "word_order -1: expected a whole number of at"),
]
BAD = [*NOT_YAML, *VALUES]
BAD += [(each, f": expected {kind}, found ") for kind in TYPES for each in TYPES[kind].split("|")]
GOOD = {
    "a byte-order mark": b"\xef\xbb\xbfseed: 1",
    "CRLF": "seed: 1\r\nneural: false\r\n",
    "JSON": '{"seed": 1, "papers": []}',
    "no reference texts": "complexity: {reference_texts: }",
    "a date": of_set(reference="2021-01-01"),
    "results with signs": 'results: "results/it\'s 100 % [a]* $x; ü"',
}


@pytest.fixture
def check(monkeypatch):
    """Problems of configs that are merged over the project's."""
    monkeypatch.chdir(ROOT)

    def run(*files):
        try:
            results, lines = models.check_files(["config.yaml", *map(str, files)])
        except InputError as error:
            return [str(error)]
        assert results
        return lines

    return run


@pytest.mark.parametrize(("content", "message"), BAD)
def test_a_bad_config_is_refused(content, message, check, tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    problems = check(file)
    assert [problem for problem in problems if message in problem], problems
    assert [problem for problem in problems if not problem.startswith(str(file))] == []


@pytest.mark.parametrize("content", GOOD.values(), ids=GOOD)
def test_a_good_config_has_no_problem(content, check, tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    assert check(file) == []


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        pytest.param("", "not a file", id="folder"),
        pytest.param("pipe", "not a file", id="pipe"),
        pytest.param("none", "no such file", id="none"),
    ],
)
def test_what_is_no_file_is_named(check, tmp_path, name, reason):
    os.mkfifo(tmp_path / "pipe")
    path = str(tmp_path / name)
    assert check(path) == [f"{path}: {reason}; expected a YAML file."]


def test_the_file_is_the_one_that_says_so(check, tmp_path):
    (tmp_path / "first.yaml").write_text("papers: {}\ncontrols: {draws: x}\n")
    (tmp_path / "second.yaml").write_text("seed: x\n")
    files = [str(tmp_path / name) for name in ("first.yaml", "second.yaml")]
    assert check(*files) == [
        f"{files[0]}: controls.draws: expected a whole number, found 'x'",
        f"{files[0]}: papers: expected a list, found {{}}",
        f"{files[1]}: seed: expected a whole number, found 'x'",
    ]


# Patterns of the lines that document a key.
KEY_LINES = [
    (models.Config, r"^(?:# )?{}:"),
    (models.EvaluationSet, r"^#   {} "),
    (models.Encoder, r"^#   {} "),
    (models.RandomSubsets, r"^  {}:"),
    (models.Significance, r"^  {}:"),
    (models.Controls, r"^  {}:"),
    (models.Complexity, r"^  {}:"),
]


@pytest.mark.parametrize(
    ("kind", "pattern"), KEY_LINES, ids=[kind.__name__ for kind, _ in KEY_LINES]
)
def test_config_yaml_has_every_key_of_a_config(kind, pattern):
    text = (ROOT / "config.yaml").read_text()
    keys = [key for key in kind.model_fields if key != "study"]
    assert [k for k in keys if not re.search(pattern.format(k), text, re.MULTILINE)] == []


FILE = "workflow/studies/difficulty_weighting.yaml"


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({}, ""),
        ({"contrasts": {"EE": {"against": "EE-sharde"}}}, "contrasts.EE: no weighting EE-sharde; "),
        ({"contrasts": {"x": {"question": "?"}}}, "contrasts.x: the key `weighting` is missing"),
        ({"elsewhere": {"new": "hardest"}}, "hardest is no weighting in two groups (type: EE)."),
        ({"elsewhere": {"EE": "EE"}}, "EE is a weighting of the config. Name it otherwise."),
        ({"contrasts": {"EE": {"weighting": "standard"}}}, "contrasts.EE: nulls need a weighting "),
        ({"contrasts": {"EE": {"weighting": "DA"}}}, "of segments; DA is none."),
    ],
)
def test_a_study_names_weightings_that_there_are(changes, problem, monkeypatch):
    monkeypatch.chdir(ROOT)
    sources = {file: read_yaml(file) for file in ("config.yaml", FILE)} | {"x": {"study": changes}}
    content = reduce(merge, sources.values())
    problems = models.problems(models.Config.model_validate, content, sources)
    assert [problem in line for line in problems] == [True] * bool(problem)
