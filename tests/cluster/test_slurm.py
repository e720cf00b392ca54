"""The demo through a real Slurm on this machine: the same bytes, whatever happens to its jobs."""

import re
import subprocess
import time
from pathlib import Path

import pytest
import yaml
from conftest import Project

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).with_name("slurm.sh")
CANNOT = 3  # exit code of the script
DEMO = "data/demo/config.yaml"
SMALL = {
    "results": "results/cluster",
    "evaluation_sets": [
        {
            "campaign": "demo",
            "pair": "en-de",
            "reference": "refA",
            "gold": "mqm",
            "metrics": ["BLEU", "BERTScore"],
        }
    ],
    "significance": {"resamples": 100, "draws": 2},
    "controls": {"draws": 100},
    "random_subsets": {"sizes": [4], "draws": 100},
}
ENTROPY = "results/cluster/demo/en-de/difficulty/chunk_entropy.npz"
# Of the small run, one job each: match_tokens, the rest of the set, what is made of all sets.
JOBS = ["match_tokens", "set", "report"]


class Cluster(Project):
    """A copy of the project whose jobs go to Slurm."""

    SUBMIT = (
        "--workflow-profile",
        "workflow/profiles/slurm",
        "--slurm-init-seconds-before-status-checks",
        "1",
    )

    def __init__(self, root):
        super().__init__(root)
        (root / "small.yaml").write_text(yaml.safe_dump(SMALL))

    def run(self, *arguments, config="small.yaml", fails=False):
        return self.snakemake(*arguments, "--configfile", DEMO, config, fails=fails)

    def submit(self, *arguments, **options):
        return self.run(*arguments, *self.SUBMIT, **options)

    def results(self):
        """What the run has made, without logs: contents by name."""
        top = self.root / "results/cluster"
        files = (path.relative_to(top) for path in top.rglob("*") if path.is_file())
        return {str(f): (top / f).read_bytes() for f in files if f.parts[0] != "logs"}


def slurm_jobs():
    """Every job so far: number, state, memory, time limit, and what it is of, oldest first."""
    listed = ["squeue", "--states=all", "--noheader", "--sort=i", "--format=%i|%T|%m|%l|%k"]
    lines = subprocess.run(listed, check=True, capture_output=True, text=True).stdout.splitlines()
    return [line.split("|") for line in lines]


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


@pytest.fixture(scope="module")
def cluster(slurm, tmp_path_factory):
    """The project, with everything fetched that needs the network."""
    found = Cluster(tmp_path_factory.mktemp("cluster"))
    found.run("fetch")
    return found


@pytest.fixture(scope="module")
def local(cluster, tmp_path_factory):
    """The results of a run without Slurm."""
    found = Cluster(tmp_path_factory.mktemp("local"))
    found.run()
    return found.results()


def test_a_job_killed_for_memory_succeeds_with_more(cluster):
    short_of_memory = "estimate_difficulty:mem_mb=100 * 10 ** (attempt - 1)"
    output = cluster.submit(ENTROPY, "--set-resources", short_of_memory)
    killed, again = slurm_jobs()
    assert "Trying to restart job" in output
    assert killed[1:3] == ["FAILED", "100M"]
    assert again[1:3] == ["COMPLETED", "1000M"]
    # What the rule itself asks for is doubled: minutes.
    assert [killed[3], again[3]] == ["6:00", "12:00"]
    assert (cluster.root / ENTROPY).is_file()
    (cluster.root / ENTROPY).unlink()


@pytest.fixture(scope="module")
def cancelled(cluster):
    """The output of a run whose second job was cancelled after the set was aligned."""
    before = len(slurm_jobs())
    command = [*cluster.COMMAND, "--cores", "2", *cluster.SUBMIT, "--retries", "0"]
    command += ["--configfile", DEMO, "small.yaml"]
    with subprocess.Popen(
        command, cwd=cluster.root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as running:
        deadline = time.monotonic() + 400
        while not (cluster.root / ENTROPY).exists() and time.monotonic() < deadline:
            time.sleep(0.2)
        _match, of_set = slurm_jobs()[before:]
        subprocess.run(["scancel", of_set[0]], check=True)
        output = running.communicate(timeout=400)[0]
    assert running.returncode != 0
    return output


def test_a_cancelled_job_names_its_log(cluster, cancelled):
    named = re.search(r"^  (\S+): (slurmstepd.*)$", cancelled, re.MULTILINE)
    log = cluster.root / named[1]
    assert log.is_relative_to(cluster.root / "results/logs/slurm/")
    assert "CANCELLED" in log.read_text()
    assert "CANCELLED" in named[2]


def test_the_run_is_resumed_and_gives_the_same_bytes(cluster, cancelled, local):
    aligned = (cluster.root / ENTROPY).stat().st_mtime_ns
    before = len(slurm_jobs())
    output = cluster.submit()
    assert "(100%) done" in output
    assert (cluster.root / ENTROPY).stat().st_mtime_ns == aligned
    # The encoder's job was done, too; what is left of the set, its page, and the paper.
    assert [state for _, state, *_ in slurm_jobs()[before:]] == ["COMPLETED"] * 3
    assert cluster.results() == local


def test_no_job_needs_the_network(cluster, cancelled):
    """After `fetch`, only rules of the groups and the encoder's are submitted."""
    submitted = {re.match("rule_(match_tokens|set|report)?", job[4])[1] for job in slurm_jobs()}
    assert submitted
    assert submitted <= set(JOBS)


def test_where_there_is_no_gpu_a_job_that_wants_one_is_refused(cluster):
    """It does not wait for ever."""
    settings = SMALL | {"results": "results/gpu", "encoders": {"random": {"device": "auto"}}}
    (cluster.root / "gpu.yaml").write_text(yaml.safe_dump(settings))
    target = ["results/gpu/demo/en-de/matches/random.npz", "--retries", "0"]
    output = cluster.submit(*target, config="gpu.yaml", fails=True)
    assert "sbatch: error: Invalid generic resource (gres) specification" in output
