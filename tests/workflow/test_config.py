"""Dry runs, configs that are wrong, and what `make` is given."""

import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest
import yaml
from conftest import Project

from mt_difficulty.errors import InputError
from mt_difficulty.plan import launch

DEMO = "data/demo/config.yaml"


def entry(**changes):
    return {"campaign": "demo", "pair": "en-de", "reference": "refA", "gold": "mqm"} | changes


def test_dry_runs_of_the_small_and_the_paper_run(project):
    project.snakemake("-n", "--configfile", "config/config.yaml")
    output = project.snakemake("-n")
    rules = ("retrieve_archive", "estimate_difficulty", "score_systems", "audit_papers")
    assert [rule for rule in rules if rule not in output] == []
    # No rule takes the folder of another for a set.
    assert "Exception" not in output


# Configs that validate and the run refuse, with what both say of them.
KEYS = {"sede": 1, "seed": {}, "results": "a{x}", "metrics": {"Mine": {"type": "bleau"}}}
PLAN = {
    "papers": ["liu2021"],
    "evaluation_sets": [
        {"campaign": "x", "pair": "en-de", "reference": "a", "gold": "b"},
        {"campaign": "y", "pair": "en-de", "stored": "*"},
    ],
    "weightings": {"x": {"type": "hardest", "difficulty": "length"}},
}
DATA = {"archive": "data/demo/archive", "papers": [], "results": "results/wrong"}
DATA["evaluation_sets"] = [
    entry(reference="refZ", metrics=["BLEU"]),
    entry(gold="da", metrics=["BLEU"]),
    entry(exclude=["oka"], metrics=["BLEU"]),
    entry(campaign="demi", metrics=["BLEU"]),
    {"files": "nowhere", "campaign": "own", "pair": "en-de", "metrics": ["BLEU"]},
]


@pytest.mark.parametrize(
    ("config", "problems"),
    [
        (
            KEYS,
            [
                "wrong.yaml: unknown key `sede` (did you mean seed?)",
                "wrong.yaml: seed: expected a whole number, found {}",
                "wrong.yaml: results: expected a path without control characters",
                "wrong.yaml: metrics.Mine: no type bleau; there are ",
            ],
        ),
        (
            PLAN,
            [
                "config, papers: no paper liu2021. There are: ",
                "config, evaluation_sets: no campaign y in workflow/campaigns.yaml",
                "config, weightings, x: no difficulty length; there are ",
            ],
        ),
        (
            DATA,
            [
                "no reference refZ for en-de. There are: refA (did you mean refA?).",
                "Human scores of en-de here: mqm.",
                "no system oka (did you mean oak?)",
                "archive has no campaign demi; it has demo",
                "nowhere: no such file or folder. A folder of one's own holds",
            ],
        ),
    ],
    ids=["keys", "plan", "data"],
)
def test_validate_and_the_run_refuse_the_same(project, config, problems):
    (project.root / "wrong.yaml").write_text(yaml.safe_dump(config))
    output = project.snakemake("fetch", "-k", "--configfile", "wrong.yaml", fails=True)
    said = project.validate("wrong.yaml", fails=True)
    assert said.count("ERROR: ") == len(problems)
    assert [problem for problem in problems if problem not in output] == []
    assert [problem for problem in problems if problem not in said] == []


def test_an_environment_needs_conda(project):
    """Without it, another program of the same name could be run."""
    metric = {"type": "command", "command": "comet-score -t {hypothesis}"}
    metric["environment"] = "{project}/envs/comet.yaml"
    config = {"results": "results/environment", "evaluation_sets": [entry(metrics=["Mine"])]}
    config["metrics"] = {"Mine": metric, "Unused": metric}
    (project.root / "environment.yaml").write_text(yaml.safe_dump(config))
    options = ["-n", "--configfile", DEMO, "environment.yaml"]
    output = project.snakemake(*options, fails=True)
    assert "config, metrics, Mine: environment: used with conda alone. Start the run by " in output
    assert "config, metrics, Unused" not in output
    options += ["--software-deployment-method", "conda"]
    # Snakemake itself says that there is no conda on this machine.
    output = project.snakemake(*options, fails=not shutil.which("conda"))
    assert "Building DAG of jobs" in output
    assert "used with conda alone" not in output


IN_PLACE = ["--assume-old=.venv/installed"]
# `make[1]` where make runs the tests.
OF_MAKE = re.compile(r"make(\[\d+\])?: ")


def make(project, *arguments, **environment):
    """Run make in an environment of its own."""
    command = ["make", *IN_PLACE, *arguments]
    how = {"cwd": project.root, "env": {"PATH": os.environ["PATH"], **environment}}
    return subprocess.run(command, capture_output=True, text=True, **how)


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
    for name in ("one.yaml", "two.yaml"):
        (project.root / name).write_text("seed: 1\n")
    return project


@pytest.mark.parametrize(
    ("arguments", "passed"),
    [
        (
            ["run", "CONFIG=one.yaml two.yaml"],
            f"<--configfile>\n<{DEMO}>\n<one.yaml>\n<two.yaml>\n",
        ),
        (["paper", "ARCHIVE=/my data/it's.tgz"], "<--config>\n<archive=/my data/it's.tgz>"),
        (["paper", "ARCHIVE=x", "NEURAL=no"], "<--config>\n<archive=x>\n<neural=False>"),
        (["paper", "CORES=3"], "<--cores>\n<3>"),
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
        (["CONFIG=one.yaml three.yaml"], "CONFIG: no such file: three.yaml."),
        (["CORES=two"], "CORES: expected"),
        (["TARGET=--unlock"], "TARGET: expected names of targets, found --unlock"),
        (["NEURAL=maybe"], "NEURAL: expected yes or no, found maybe"),
        (["PROFILE=../default"], "PROFILE: no such profile: ../default"),
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


def test_what_was_started_keeps_the_lock(tmp_path):
    """Also if what started it has ended, or was killed."""
    locked = launch.lock(str(tmp_path))
    assert launch.run(["sh", "-c", "sleep 5 &"], locked) == 0
    os.close(locked)
    with pytest.raises(InputError, match="another run uses"):
        launch.lock(str(tmp_path))


def test_make_waits_after_ctrl_c_until_the_run_has_ended(tmp_path):
    """A new run can start at once; that jobs were ended is no error."""
    Project(tmp_path)
    (tmp_path / ".venv").symlink_to(sys.prefix)
    command = "touch started; sleep 60; cat {hypothesis}"
    config = {"results": "results/stopped", "evaluation_sets": [entry(metrics=["Slow"])]}
    config["metrics"] = {"Slow": {"type": "command", "command": command}}
    (tmp_path / "stopped.yaml").write_text(yaml.safe_dump(config))
    running = subprocess.Popen(
        ["make", "--no-print-directory", *IN_PLACE, "run", "CONFIG=stopped.yaml"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        # What runs in the background of a shell, tests among them, may ignore SIGINT.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    while not (tmp_path / "started").exists():
        assert running.poll() is None, running.stdout.read()
        time.sleep(0.05)
    os.killpg(running.pid, signal.SIGINT)
    assert running.wait(timeout=50) != 0
    os.close(launch.lock(str(tmp_path / "results/stopped")))
    output = running.stdout.read()
    assert "Terminating processes on user request" in output
    # What make says, an error of its own, does not count.
    said = [line for line in output.splitlines() if line and not OF_MAKE.match(line)]
    for word in ("What went wrong", "Exception", "Error", "Traceback", "Failed", "Finished"):
        assert word not in "\n".join(said)
    words = r"Interrupted: [1-9] of \d+ steps are done\. The same command continues\."
    assert re.fullmatch(words, said[-1])


def test_ctrl_c_has_no_traceback_before_snakemake_has_read_the_workflow(tmp_path):
    """It comes here before Python, which is to run Snakemake, has started."""
    Project(tmp_path)
    start = (
        "import os, signal, sys; os.killpg(0, signal.SIGINT); os.execv(sys.argv[1], sys.argv[1:])"
    )
    command = [sys.executable, "-c", start, sys.executable, "-m", "snakemake", "--cores", "1"]
    command += ["--configfile", "data/demo/config.yaml"]
    done = subprocess.run(
        [sys.executable, "-c", f"from mt_difficulty.plan import launch; launch.run({command})"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "workflow/scripts")},
        capture_output=True,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1] == "Interrupted. The same command continues."
    assert "rule" not in done.stderr


def test_make_checks_configs_before_snakemake_reads_them(stub):
    (stub.root / "wrong.yaml").write_text("seed: 1\npapers: [\n")
    done = make(stub, "paper", "CONFIG=wrong.yaml")
    assert done.returncode != 0
    assert done.stderr.startswith("ERROR: wrong.yaml, line 3: not as expected: ")
    assert "<" not in done.stdout
