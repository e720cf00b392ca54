"""Dry runs, lint, and configs that are wrong."""

import fcntl
import os
import shutil
import subprocess
import sys

import pytest
import yaml
from conftest import Project

DEMO = "data/demo/config.yaml"


def entry(**changes):
    return {"campaign": "demo", "pair": "en-de", "reference": "refA", "gold": "mqm"} | changes


def test_dry_run_of_the_paper_run(project):
    output = project.snakemake("-n")
    for rule in (
        "retrieve_archive",
        "estimate_difficulty",
        "fit_weightings",
        "ablate_weighting",
        "audit_papers",
    ):
        assert rule in output
    # No rule takes the folder of another for a set.
    assert "Exception" not in output


# Configs that validate and the run refuse, with what both say of them.
REFUSED = {
    "keys": (
        {"sede": 1, "seed": {}, "results": "a{x}"},
        [
            "wrong.yaml: unknown key `sede` (did you mean seed?)",
            "wrong.yaml: seed: expected a whole number, found {}",
            "wrong.yaml: results: expected a path without control characters",
        ],
    ),
    "the plan": (
        {
            "archive": "nowhere.tgz",
            "papers": ["liu2021", "wrong"],
            "substitute_encoders": {"zh": "tiny"},
            "metrics": {"Mine": {"type": "bleau"}, "Intl": {"type": "bleu", "tokenise": "intl"}},
            "evaluation_sets": [
                {"campaign": "demo", "pair": "en-zh", "reference": "refA", "gold": "mqm"},
                {"campaign": "x", "pair": "en-de", "reference": "a", "gold": "b", "metrics": ["X"]},
            ],
        },
        [
            "archive: no such file or folder: ",
            "config, papers: no paper liu2021. There are: ",
            "workflow/papers/wrong.yaml: unknown key `autors` (did you mean authors?)",
            "config, substitute_encoders: no encoder tiny; config.encoders has: ",
            "config, metrics, Mine: no type bleau; there are ",
            "config, metrics, Intl: bleu has no setting tokenise; it has tokenize, lowercase.",
            "config, evaluation_sets: no metric X; config.metrics has: ",
        ],
    ),
}


def validate(project, *arguments):
    """What `validate` says of wrong.yaml, and its exit code."""
    command = [sys.executable, "-m", "mt_difficulty", "validate", "wrong.yaml", *arguments]
    environment = os.environ | {"PYTHONPATH": "workflow/scripts"}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    done = subprocess.run(command, cwd=project.root, env=environment, **streams)
    return done.returncode, done.stdout


@pytest.fixture
def wrong_paper(project):
    """A paper's file with a misspelt key."""
    file = project.root / "workflow/papers/wrong.yaml"
    file.write_text((file.parent / "zhan2021.yaml").read_text().replace("authors:", "autors:"))
    yield
    file.unlink()


@pytest.mark.parametrize("name", REFUSED)
def test_validate_and_the_run_refuse_the_same(project, wrong_paper, name):
    config, problems = REFUSED[name]
    (project.root / "wrong.yaml").write_text(yaml.safe_dump(config))
    output = project.snakemake("-n", "--configfile", "wrong.yaml", fails=True)
    code, said = validate(project)
    assert (code, said.count("ERROR: ")) == (1, len(problems))
    for problem in problems:
        assert problem in output
        assert problem in said


def test_validate_and_the_run_refuse_the_same_data(project):
    problems = {
        "no reference refZ for en-de. There are: refA (did you mean refA?).": {"reference": "refZ"},
        "Human scores of en-de here: mqm.": {"gold": "da"},
        "no system oka (did you mean oak?)": {"exclude": ["oka"]},
        "archive has no campaign demi; it has demo": {"campaign": "demi"},
    }
    sets = [entry(**changes, metrics=["BLEU"]) for changes in problems.values()]
    own = {"files": "nowhere", "campaign": "own", "pair": "en-de", "metrics": ["BLEU"]}
    problems["nowhere: no such file or folder. A folder of one's own holds"] = own
    config = {"archive": "data/demo/archive", "papers": [], "evaluation_sets": [*sets, own]}
    (project.root / "wrong.yaml").write_text(yaml.safe_dump(config | {"results": "results/wrong"}))
    output = project.snakemake("fetch", "-k", "--configfile", "wrong.yaml", fails=True)
    code, said = validate(project)
    assert (code, said.count("ERROR: ")) == (1, len(problems))
    for problem in problems:
        assert problem in output
        assert problem in said


def test_validate_tells_what_the_run_leaves_out(project):
    """Own files without documents or the scores of others."""
    folder = project.root / "lacking"
    (folder / "systems").mkdir(parents=True)
    for file in ("source.txt", "reference.txt", "systems/a.txt", "systems/b.txt"):
        (folder / file).write_text("one two\nthree four\n")
    own = {"files": "lacking", "campaign": "own", "pair": "en-de"}
    metrics = {"Others": {"type": "stored"}, "WNM": {"type": "wnm"}}
    config = {"papers": [], "evaluation_sets": [own | {"metrics": ["chrF", *metrics]}]}
    config |= {"results": "results/lacking", "metrics": metrics}
    (project.root / "wrong.yaml").write_text(yaml.safe_dump(config))
    code, said = validate(project)
    project.snakemake("results/lacking/own/en-de/missing.csv", "--configfile", "wrong.yaml")
    missing = (project.root / "results/lacking/own/en-de/missing.csv").read_text()
    assert (code, "ERROR" in said) == (0, False)
    for reason in (
        "the set has no Others scores (scores/Others.tsv)",
        "salience needs two documents or more",
    ):
        assert reason in said
        assert reason in missing


def test_validate_leaves_neural_metrics_out_where_the_run_does(project):
    config = {"archive": "data/demo/archive", "papers": [], "evaluation_sets": [entry()]}
    (project.root / "wrong.yaml").write_text(yaml.safe_dump(config))
    assert "\n  metrics: BLEU, chrF, METEOR, BERTScore, WNM\n  encoder: " in validate(project)[1]
    code, said = validate(project, "--no-neural")
    assert code == 0
    assert "\n  metrics: BLEU, chrF, METEOR, WNM\n" in said
    assert "  encoder: " not in said


def make(project, *arguments, **environment):
    """Run make in an environment of its own."""
    command = ["make", "--assume-old=.venv/installed", *arguments]
    return subprocess.run(
        command,
        cwd=project.root,
        env={"PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
    )


@pytest.fixture(scope="module")
def stub(tmp_path_factory):
    """A copy of the project whose Snakemake prints its arguments, a line each."""
    project = Project(tmp_path_factory.mktemp("a project's copy"))
    programs = project.root / ".venv/bin"
    programs.mkdir(parents=True)
    (programs / "python").symlink_to(sys.executable)
    (programs / "pip").symlink_to(sys.executable)
    (programs / "snakemake").write_text('#!/bin/sh\nprintf "<%s>\\n" "$@"\n')
    (programs / "snakemake").chmod(0o755)
    for name in ("one.yaml", "two.yaml", "it's one.yaml"):
        (project.root / name).write_text("seed: 1\n")
    return project


def test_make_takes_several_configs_and_names_one_that_is_not_there(stub):
    found = make(stub, "run", "CONFIG=one.yaml two.yaml").stdout
    assert found.endswith(f"<--configfile>\n<{DEMO}>\n<one.yaml>\n<two.yaml>\n")
    assert (
        "CONFIG: no such file: three.yaml."
        in make(stub, "run", "CONFIG=one.yaml three.yaml").stderr
    )


@pytest.mark.parametrize(
    ("arguments", "passed"),
    [
        (["paper"], "<all>"),
        (["paper", "CONFIG=it's one.yaml"], "<--configfile>\n<it's one.yaml>"),
        (["paper", "ARCHIVE=/my data/it's.tgz"], "<--config>\n<archive=/my data/it's.tgz>"),
        (["paper", "ARCHIVE=x", "NEURAL=no"], "<--config>\n<archive=x>\n<neural=False>"),
        (["paper", "CORES=3"], "<--cores>\n<3>"),
        (["paper", "CORES=all"], "<--cores>\n<all>"),
        (["run", "TARGET=a b"], "<a>\n<b>\n<--workflow-profile>"),
    ],
)
def test_what_make_is_given_arrives_as_it_is(stub, arguments, passed):
    done = make(stub, *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert passed in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["CORES=two"], "CORES: expected"),
        (["TARGET=--unlock"], "TARGET: expected names of targets, found --unlock"),
        (["NEURAL=maybe"], "NEURAL: expected yes or no, found maybe"),
        (["PROFILE=../default"], "PROFILE: no such profile: ../default"),
        pytest.param(
            ["PROFILE=slurm"],
            "PROFILE: slurm needs sbatch",
            marks=pytest.mark.skipif(bool(shutil.which("sbatch")), reason="this machine has Slurm"),
        ),
        (["TARGT=all"], "TARGT: no such variable; there are: PYTHON CORES ARCHIVE "),
    ],
)
def test_make_refuses_what_cannot_be_run(stub, arguments, message):
    done = make(stub, "run", *arguments)
    assert done.returncode != 0
    assert message in done.stderr


def test_a_second_run_into_the_same_results_is_refused(stub):
    (stub.root / "results").mkdir(exist_ok=True)
    folder = os.open(stub.root / "results", os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    done = make(stub, "paper")
    os.close(folder)
    assert done.returncode != 0
    assert done.stderr.startswith("ERROR: another run uses results. Wait until it ends.\n")
    assert "<" not in done.stdout


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("seed: 1\npapers: [\n", "ERROR: wrong.yaml, line 3: not as expected: "),
        ("papers: {}\n", "ERROR: wrong.yaml: papers: expected a list, found {}\n"),
        ("papers: &a [*a]\n", "ERROR: wrong.yaml, line 1: not as expected: *a is an alias"),
        ("results: README.md\n", "ERROR: wrong.yaml: results: "),
    ],
)
def test_make_checks_configs_before_snakemake_reads_them(stub, content, message):
    (stub.root / "wrong.yaml").write_text(content)
    for target in ("run", "paper", "fetch"):
        done = make(stub, target, "CONFIG=wrong.yaml")
        assert done.returncode != 0
        assert done.stderr.startswith(message)
        assert "<" not in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ["ruff", "check", "."],
        ["ruff", "format", "--check", "."],
        ["snakefmt", "--check", "Snakefile", "workflow"],
        ["mypy"],
        ["snakemake", "--lint", "--configfile", DEMO],
    ],
    ids=" ".join,
)
def test_lint(project, command):
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=project.root, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
