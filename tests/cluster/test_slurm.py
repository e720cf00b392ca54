"""The demo through a real Slurm on this machine gives the same bytes as without."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from conftest import QUICK, Project

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).with_name("slurm.sh")
CANNOT = 3  # exit code of the script
SET = {"campaign": "demo", "pair": "en-de", "reference": "refA", "gold": "mqm"}
SMALL = QUICK | {"results": "results/cluster"}
SMALL["evaluation_sets"] = [SET | {"metrics": ["BLEU", "BERTScore"]}]
SUBMIT = ("--workflow-profile", "workflow/profiles/slurm")
SUBMIT += ("--slurm-init-seconds-before-status-checks", "1")
ACCOUNTING = ("--slurm-status-command", "sacct", "--default-resources", "slurm_account=lab")
TARGET = "results/cluster/demo/en-de/difficulty/chunk_entropy.npz"


@pytest.fixture(scope="module", params=[[], ["accounting"]], ids=["squeue", "sacct"])
def slurm(request, tmp_path_factory):
    """Options of a run on a Slurm of one node, without and with accounting, while tests run."""
    folder = str(tmp_path_factory.mktemp("slurm"))
    command = [SCRIPT, "start", folder, *request.param]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    if done.returncode == CANNOT:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    yield ACCOUNTING if request.param else ()
    subprocess.run([SCRIPT, "stop", folder], check=True)


@pytest.fixture
def run(slurm, tmp_path):
    """Return what runs the small config in a copy of the project, on Slurm or not."""
    project = Project(tmp_path)
    (tmp_path / "small.yaml").write_text(yaml.safe_dump(SMALL))
    config = ("--configfile", "data/demo/config.yaml", "small.yaml")

    def snakemake(*arguments, submit=False, **options):
        submitted = (*SUBMIT, *slurm) if submit else ()
        return project.snakemake(*arguments, *submitted, *config, **options)

    return snakemake


def results(top):
    """The content of all results but logs, by path."""
    files = [path for path in top.rglob("*") if path.is_file() and path.name != ".records"]
    return {path: path.read_bytes() for path in files if not path.is_relative_to(top / "logs")}


def test_a_run_on_slurm_gives_the_same_bytes(run, slurm, tmp_path):
    """What needs no network is submitted by groups of rules. A job that is killed for memory gets
    more."""
    run("fetch")
    short_of_memory = "estimate_difficulty:mem_mb=100 * 10 ** (attempt - 1)"
    output = run(TARGET, "--set-resources", short_of_memory, submit=True)
    assert "Trying to restart job" in output
    run(submit=True)
    of_cluster = results(tmp_path / SMALL["results"])
    listed = ["squeue", "--states=all", "--noheader", "--sort=i", "--format=%T|%k|%a"]
    lines = subprocess.run(listed, check=True, capture_output=True, text=True).stdout.splitlines()
    states, names, accounts = zip(*(line.split("|") for line in lines), strict=True)
    # The difficulty again, the matches, the rest of the set, and three that no file connects.
    assert states == ("FAILED", *["COMPLETED"] * 6), names
    assert [name for name in names if name.startswith("rule_match_tokens")], names
    if slurm:
        assert set(accounts) == {"lab"}
        command = ["sacct", "-X", "--noheader", "--parsable2", "--format=State"]
        kept = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        assert tuple(kept.split()) == states
    shutil.rmtree(tmp_path / SMALL["results"])
    run()
    assert results(tmp_path / SMALL["results"]) == of_cluster


def test_the_log_of_a_job_that_was_killed_exists(run, tmp_path):
    """Also if it was killed before it wrote any: the error names the log."""
    run("fetch")
    short_of_memory = ("--retries", "0", "--set-resources", "estimate_difficulty:mem_mb=100")
    options = {"submit": True, "fails": True, "COLUMNS": "200"}
    output = run(TARGET, "--logger", "rich", *short_of_memory, **options)
    went_wrong = output.partition("What went wrong:")[2]
    assert "Exceeded job memory limit" in went_wrong
    assert "Traceback" not in output
    named = re.search(r"results/logs/slurm/\S+\.log", went_wrong)[0]
    assert (tmp_path / named).is_file()
    log = "results/cluster/logs/estimate_difficulty/demo.en-de.chunk_entropy.log"
    assert f"Log file: {log}" in output
    assert (tmp_path / log).is_file()
