"""What `mt-difficulty` prints: help, text, JSON, LaTeX; exit codes of the real process."""

import argparse
import json
import re
import subprocess
import sys

import pytest
from conftest import ROOT

from mt_difficulty import cli
from mt_difficulty.cli import latex, rows
from mt_difficulty.cli.parser import make_parser
from mt_difficulty.interface.metrics import KINDS
from mt_difficulty.metrics import METRICS

DEMO = ROOT / "data/demo/archive/demo"
TEXTS = ["--ref", DEMO / "references/en-de.refA.txt", "--lang", "de", "--hyp"]
TEXTS += [DEMO / f"system-outputs/en-de/{system}.txt" for system in ("oak", "ash")]


@pytest.fixture
def printed(capsys):
    def run(*arguments):
        assert cli.main([str(argument) for argument in arguments]) == 0
        return capsys.readouterr().out

    return run


def process(*arguments, **options):
    """The command in a process of its own."""
    command = [sys.executable, "-m", "mt_difficulty", *map(str, arguments)]
    environment = {"PYTHONPATH": str(ROOT / "workflow/scripts"), "PATH": ""}
    return subprocess.run(command, env=environment, capture_output=True, text=True, **options)


def subparsers():
    (actions,) = (
        action
        for action in make_parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    return actions.choices


@pytest.mark.parametrize("command", ["score", "hard", "validate", "export"])
def test_help_explains_every_option_and_gives_an_example_that_parses(command, capsys):
    with pytest.raises(SystemExit, match="0"):
        cli.main([command, "--help"])
    text = capsys.readouterr().out
    for action in subparsers()[command]._actions:
        assert action.help
        assert max(action.option_strings, key=len, default=action.dest) in text
    example = re.search(rf"example:\n  mt-difficulty ({command} .*)", text)[1]
    assert make_parser().parse_args(example.split()).command == command
    assert "exit codes: 0 success; 1 bad input" in text
    assert "usage: mt-difficulty" in text


def test_help_teaches_the_words():
    text = " ".join(subparsers()["score"].format_help().split())
    for explained in (
        "The default difficulty is chunk entropy",
        "EE (Liu et al. 2022): hypotheses with a chunk entropy of at least h are difficult",
        "DA (Zhan et al. 2021): BERTScore in which every token is weighted by its difficulty",
        "Eq. 9 of Liu et al. 2022",
        "Eq. 11 of Liu et al. 2022",
        "any of EE, hardest, proportional, DA",
        "one of chunk_entropy, consensus_entropy, crowd, disagreement, item_response, length, "
        "random, rarity, readability; or a file",
    ):
        assert explained in text


def test_every_metric_of_texts_can_be_asked_for():
    (action,) = (a for a in subparsers()["score"]._actions if a.dest == "metric")
    # Neither an archive's scores nor what needs documents.
    kinds = {KINDS[name][0] for name in action.choices}
    assert kinds == {*METRICS} - {"stored", "wnm"}


def test_help_loads_nothing_heavy():
    code = (
        "import sys; from mt_difficulty.cli.parser import make_parser; "
        "make_parser().format_help(); print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(ROOT / "workflow/scripts")},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stdout.split())
    assert "mt_difficulty.cli" in loaded
    assert not loaded & {"torch", "transformers", "numba", "sacrebleu", "pandas", "snakemake"}


def test_exit_codes(tmp_path):
    fine = process("hard", *TEXTS, "--top", 1)
    assert (fine.returncode, fine.stderr) == (0, "")
    assert fine.stdout.startswith("mt-difficulty ")
    bad = process("hard", "--ref", tmp_path / "none", "--hyp", tmp_path / "none")
    assert (bad.returncode, bad.stdout) == (1, "")
    assert bad.stderr.startswith("ERROR: ")
    assert "Traceback" not in bad.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "required: COMMAND"),
        (["score", "-i", "h"], "a reference is required: REF or --ref FILE"),
        (["score", "--ref", "r", "--hyp", "h", "--metric", "comet"], "invalid choice: 'comet'"),
        (["score", "--ref", "r", "--hyp", "h", "--weighting", "DE"], "invalid choice: 'DE'"),
        (["score", "--ref", "r", "--hyp", "h", "--w", "2"], "w is a share"),
        (["score", "--ref", "r", "--hyp", "h", "--h", "x"], "expected a number, mean_plus_2sd"),
        (["score", "--ref", "r", "--hyp", "h", "--h", "nan"], "expected a number, mean_plus_2sd"),
        (["score", "--ref", "r", "--hyp", "h", "--share", "0"], "a share is a number above 0"),
        (["score", "--ref", "r", "--hyp", "h", "--src-lang", "English"], "no language code"),
        (["score", "--ref", "r", "--hyp", "h", "--lang", "German"], "no language code"),
        (["score", "--ref", "r", "--hyp", "h", "--resamples", "-1"], "not a whole number"),
        (["hard", "--ref", "r", "--hyp", "h", "--format", "csv"], "invalid choice: 'csv'"),
    ],
)
def test_wrong_usage_is_named_and_exits_with_2(arguments, message, capsys):
    with pytest.raises(SystemExit, match="2"):
        cli.main(arguments)
    assert message in capsys.readouterr().err


def test_a_reader_that_goes_away_ends_it_quietly():
    command = [sys.executable, "-m", "mt_difficulty", "hard", *map(str, TEXTS), "--top", "260"]
    running = subprocess.Popen(
        command,
        env={"PYTHONPATH": str(ROOT / "workflow/scripts")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    running.stdout.close()
    assert running.stderr.read() == ""
    assert running.wait() == 130


def test_text_fits_a_terminal_but_for_signatures(printed):
    text = printed("score", *TEXTS, "--src", DEMO / "sources/en-de.txt", "--resamples", 50)
    tables, signatures = text.split("Signatures\n")
    assert max(map(len, tables.splitlines())) <= 100
    assert re.search(r"chrF, EE \(higher is better\)\n  #  system  score +95% interval", tables)
    assert re.search(r"Difficulty: h = 0\.\d{4} \(Eq\. 9; ", tables)
    assert "  chrF, standard: nrefs:1|case:mixed" in signatures


def test_text_orders_systems_by_score_and_numbers_them_by_the_first_table(printed):
    text = printed("score", *TEXTS, "--resamples", 0)
    standard, ee = re.findall(r"chrF, \w+ .*\n.*\n +(\d)  (\w+) +(\S+)\n +(\d)  (\w+) +(\S+)", text)
    for one in (standard, ee):
        assert float(one[2]) >= float(one[5])
    assert (standard[0], standard[3]) == ("1", "2")
    numbers = {standard[1]: standard[0], standard[4]: standard[3]}
    assert {ee[1]: ee[0], ee[4]: ee[3]} == numbers
    assert "interval" not in text


def test_json_has_the_documented_keys(printed):
    found = json.loads(printed("score", *TEXTS, "--resamples", 20, "--format", "json"))
    of_hard = {
        *("version", "reference", "language", "systems", "segments"),
        *("difficulty", "notices", "hard_segments"),
    }
    of_scores = {"resamples", "seed", "level", "scores", "comparisons"}
    assert found.keys() == of_hard | of_scores
    assert {*map(frozenset, found["scores"])} == {
        frozenset(
            "metric weighting difficulty system score low high rank better_than "
            "effective_segments higher_is_better signature".split()
        )
    }
    assert {*map(frozenset, found["comparisons"])} == {
        frozenset("metric weighting difficulty system other difference wins p p_holm".split())
    }
    assert {*map(frozenset, found["hard_segments"])} == {
        frozenset("segment difficulty difficult_systems source reference hypotheses tokens".split())
    }
    described = {"name", "unit", "signature", "notices", "h", "w", "h_from", "w_from", "estimate"}
    assert described <= found["difficulty"].keys()
    hard = json.loads(printed("hard", *TEXTS, "--format", "json"))
    assert hard.keys() == of_hard
    assert len(hard["hard_segments"]) == 20
    assert hard["difficulty"] == found["difficulty"]


def test_every_documented_key_is_in_the_docstring():
    from mt_difficulty.cli import output

    for key in ("hard_segments", "better_than", "difficult_systems", "comparisons", "level"):
        assert key in output.__doc__


def test_latex_is_a_table_of_equal_rows(printed):
    texts = [*TEXTS, DEMO / "system-outputs/en-de/birch.txt"]
    text = printed("score", *texts, "--metric", "chrf", "ter", "--format", "latex")
    environments = re.findall(r"\\(begin|end)\{(\w+)\}", text)
    opened = []
    for kind, name in environments:
        if kind == "begin":
            opened.append(name)
        else:
            assert opened.pop() == name
    assert opened == []
    scores, hard = text.split(r"\end{table}")[:2]
    for table, columns in ((scores, 6), (hard, 4)):
        lines = [line for line in table.splitlines() if line.endswith(r" \\")]
        assert {len(re.split(r"(?<!\\)&", line)) for line in lines} == {columns}
    assert re.search(r"\d\d\.\d\d \[\d\d\.\d\d, \d\d\.\d\d\]\$\^\{\d-\d\}\$", scores)
    assert scores.count(r"\downarrow") == 2
    assert not re.search(r"(?<!\\)[#_]", re.sub(r"^%.*$", "", scores, flags=re.MULTILINE))
    for rule in ("toprule", "midrule", "bottomrule"):
        assert text.count(rf"\{rule}") == 2


def test_latex_escapes_what_it_would_read():
    assert latex.escape(r"50 % of A_1 & {B} #2 ~ \x^2 $") == (
        r"50 \% of A\_1 \& \{B\} \#2 \textasciitilde{} \textbackslash{}x\textasciicircum{}2 \$"
    )


def test_numbers_in_a_row_are_ranges():
    assert rows.ranges([]) == ""
    assert rows.ranges([4]) == "4"
    assert rows.ranges([5, 1, 3, 2, 8]) == "1-3, 5, 8"


def test_the_version_is_the_packages(capsys):
    with pytest.raises(SystemExit, match="0"):
        cli.main(["--version"])
    assert re.fullmatch(r"mt-difficulty \d+\.\d+\.\d+\n", capsys.readouterr().out)
