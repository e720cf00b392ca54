"""The demo through a real Slurm on this machine gives the same bytes as without."""

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


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    """A Slurm of one node, for as long as these tests run."""
    folder = str(tmp_path_factory.mktemp("slurm"))
    done = subprocess.run([SCRIPT, "start", folder], stderr=subprocess.PIPE, text=True)
    if done.returncode == CANNOT:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    yield
    subprocess.run([SCRIPT, "stop", folder], check=True)


def test_a_run_on_slurm_gives_the_same_bytes(slurm, tmp_path):
    """What needs no network is submitted by groups of rules. A job that is killed
    for memory gets more."""
    project, top = Project(tmp_path), tmp_path / SMALL["results"]
    (tmp_path / "small.yaml").write_text(yaml.safe_dump(SMALL))

    def run(*arguments):
        config = ("--configfile", "data/demo/config.yaml", "small.yaml")
        output = project.snakemake(*arguments, *config)
        files = [path for path in top.rglob("*") if path.is_file() and path.name != ".records"]
        return output, {f: f.read_bytes() for f in files if not f.is_relative_to(top / "logs")}

    run("fetch")
    short_of_memory = "estimate_difficulty:mem_mb=100 * 10 ** (attempt - 1)"
    target = "results/cluster/demo/en-de/difficulty/chunk_entropy.npz"
    output, _ = run(target, *SUBMIT, "--set-resources", short_of_memory)
    assert "Trying to restart job" in output
    _, of_cluster = run(*SUBMIT)
    listed = ["squeue", "--states=all", "--noheader", "--sort=i", "--format=%T|%k"]
    lines = subprocess.run(listed, check=True, capture_output=True, text=True).stdout.splitlines()
    states, names = zip(*(line.split("|") for line in lines), strict=True)
    # The difficulty again, the matches, the rest of the set, and three that no file connects.
    assert states == ("FAILED", *["COMPLETED"] * 6), names
    assert [name for name in names if name.startswith("rule_match_tokens")], names
    shutil.rmtree(top)
    assert run()[1] == of_cluster
