"""Runs that are killed, two at once, in other surroundings, and results that are deleted: the same
bytes in the end."""

import os
import random
import re
import shlex
import signal
import subprocess
import threading
import time
from contextlib import contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import psutil
import pytest
import tiny
from conftest import ROOT, Project

CONFIG = ("--configfile", "tiny.yaml")
RESULTS = "results/tiny"
TARGETS = ("all", "difficulty")
# So that there is a job of every rule.
DIFFICULTIES = {"consensus": {"type": "consensus_dissimilarity", "metric": "BERTScore"}}
# Where a rule's script runs: a copy that Snakemake makes.
SCRIPT = re.compile(r"\.snakemake/scripts/tmp\w+\.(\w+)\.py$")
RULES = {
    rule
    for file in (ROOT / "workflow/rules").glob("*.smk")
    for rule in re.findall(r"^rule (\w+):\n(?:.*\n)*?    script:", file.read_text(), re.MULTILINE)
}


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def make_project(tmp_path_factory, wordnet):
    """Make copies of the project with the tiny campaign, to be downloaded from this machine."""
    folder = tmp_path_factory.mktemp("server")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/archive.tar.gz"

        def make(name):
            project = Project(tmp_path_factory.mktemp(name))
            tiny.write_project(project.root, archive_urls=[url], difficulties=DIFFICULTIES)
            if not (folder / "archive.tar.gz").exists():
                tiny.pack(project.root, folder)
            return project

        yield make
        server.shutdown()


@pytest.fixture(scope="module")
def whole(make_project):
    """A project with the results of a run that nothing interrupted."""
    project = make_project("whole")
    project.snakemake(*TARGETS, *CONFIG)
    return project


def start(project, *arguments):
    """Start a run of its own session, whose output goes to a file."""
    with open(project.root / "output.txt", "w") as output:
        return subprocess.Popen(
            [*project.COMMAND, "--cores", "2", *arguments, *CONFIG],
            cwd=project.root,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            # What runs in the background of a shell, tests among them, may ignore SIGINT.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )


def jobs(running):
    """The processes of a run's jobs, with their rules."""
    for process in psutil.Process(running.pid).children(recursive=True):
        try:
            found = [SCRIPT.search(argument) for argument in process.cmdline()[1:2]]
        except psutil.Error:
            continue
        if found and found[0]:
            yield process, found[0][1]


def results(project):
    """Every file that a run leaves, but for its logs."""
    folders = [RESULTS, "data/downloads", "data/nltk"]
    files = [f for folder in folders for f in (project.root / folder).rglob("*") if f.is_file()]
    logs = project.root / RESULTS / "logs"
    return {
        str(file.relative_to(project.root)): file.read_bytes()
        for file in files
        if not file.is_relative_to(logs)
    }


def assert_same(project, whole):
    found, expected = results(project), results(whole)
    assert found.keys() == expected.keys()
    assert [name for name in found if found[name] != expected[name]] == []


def test_a_job_of_every_rule_is_killed_and_done_again(whole, make_project):
    """Each rule's first job at once, and a later one somewhere on its way."""
    project, rng, late = make_project("jobs"), random.Random(1), {}
    running = start(project, *TARGETS, "--retries", "2", "--keep-going")
    once, twice = set(), set()
    while running.poll() is None:
        for process, rule in jobs(running):
            due = late.setdefault(process.pid, time.time() + rng.uniform(0.3, 2))
            if rule not in once:
                process.kill()
                once.add(rule)
            elif rule not in twice and due < time.time():
                process.kill()
                twice.add(rule)
        time.sleep(0.01)
    output = (project.root / "output.txt").read_text()
    assert running.returncode == 0, output
    assert set(re.findall(r"(\w+)\.py' died with <Signals.SIGKILL", output)) == once
    of_other_targets = {"export_scores"}
    assert once == RULES - of_other_targets
    assert twice
    assert_same(project, whole)


def wait_for(running, project, count):
    """Wait until a run has made so many files."""
    while sum(len(files) for *_, files in os.walk(project.root / RESULTS)) < count:
        assert running.poll() is None
        time.sleep(0.05)


@contextmanager
def stopped_job(running):
    """A run's first job, which has joined the run's lock, and stands still meanwhile."""
    job = stop_a_job(running)
    try:
        yield job
    finally:
        job.resume()


def stop_a_job(running):
    """Stop a run's first job, once it has joined the run's lock; gives it."""
    while True:
        assert running.poll() is None
        for process, _rule in jobs(running):
            with suppress(psutil.Error):
                if any(file.path.endswith("logs/run.lock") for file in process.open_files()):
                    process.suspend()
                    return process
        time.sleep(0.01)


def delete_half(project):
    """Delete every second file. What says how results came about is no result, and what was
    downloaded is not needed again."""
    kept = (f"{RESULTS}/provenance/", "data/")
    for name in sorted(name for name in results(project) if not name.startswith(kept))[::2]:
        (project.root / name).unlink()


def test_the_workflow_is_killed_again_and_again_and_goes_on(whole, make_project):
    """Snakemake alone, whose jobs live on, then all of it, by Ctrl-C and by SIGKILL, and results
    are deleted; nothing has to be unlocked."""
    project = make_project("workflow")
    there = sum(len(files) for *_, files in os.walk(whole.root / RESULTS))
    running = start(project)
    with stopped_job(running) as left:
        running.kill()
        running.wait()
        text = project.snakemake(*CONFIG, fails=True)
    assert f"another run uses this folder: process {running.pid} on " in text
    left.wait(timeout=60)
    for share, how in ((0.3, signal.SIGINT), (0.7, signal.SIGKILL)):
        running = start(project, *TARGETS)
        wait_for(running, project, share * there)
        os.killpg(running.pid, how)
        assert running.wait(timeout=60) != 0
    delete_half(project)
    project.snakemake(*TARGETS, *CONFIG)
    assert_same(project, whole)


def test_a_second_run_in_the_folder_stops_at_once_and_the_first_goes_on(make_project):
    project = make_project("two")
    running = start(project, f"{RESULTS}/tiny/en-de/weightings.json")
    with stopped_job(running):
        text = project.snakemake(*CONFIG, fails=True)
        assert running.poll() is None
    assert f"another run uses this folder: process {running.pid} on " in text
    assert "Wait until it ends, or use another copy of the project and another results" in text
    assert "Error in rule" not in text
    assert running.wait() == 0


def test_other_surroundings_give_the_same_bytes(whole, tmp_path):
    """Another number of cores, folder of results and of temporary files, locale, encoding, time
    zone and order of hashes; logs aside, and the summary, which names the folder of results."""
    whole.snakemake(
        *(*TARGETS, *CONFIG, "--config", "results=results/again"),
        cores=1,
        TMPDIR=str(tmp_path),
        TZ="Pacific/Kiritimati",
        PYTHONHASHSEED="1",
        **{"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    )
    folders = [whole.root / RESULTS, whole.root / "results/again"]
    for folder, other in (folders, folders[::-1]):
        for file in folder.rglob("*"):
            relative = file.relative_to(folder)
            of_run = relative.parts[0] == "logs" or file.stem in ("summary", "summarise_run")
            if file.is_file() and not of_run:
                assert file.read_bytes() == (other / relative).read_bytes(), relative


# A file system of its own, in a namespace of its own: it ends with the command.
MOUNTED = "mount -t tmpfs -o {options} none results && exec {command}"


def mounted(project, options, *arguments):
    """Run Snakemake with its results on a small file system; gives what it prints."""
    unshare = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]
    probe = MOUNTED.format(options="size=64k", command="true")
    (project.root / "results").mkdir(exist_ok=True)
    if subprocess.run([*unshare, probe], cwd=project.root, capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    command = shlex.join([*project.COMMAND, "--cores", "2", *arguments, *CONFIG])
    done = subprocess.run(
        [*unshare, MOUNTED.format(options=options, command=command)],
        cwd=project.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode != 0
    return done.stdout


def test_a_full_disk_is_told_with_the_file(make_project):
    project = make_project("full")
    target = f"{RESULTS}/tiny/en-de/evalset.json"
    text = mounted(project, "size=24k", target)
    assert "No space left on device. The disk, or your share of it, is full: make room" in text
    assert f"ERROR: {RESULTS}/" in text
    project.snakemake(target, *CONFIG)
    assert (project.root / target).exists()


def test_results_that_cannot_be_written_are_told_before_anything_is_done(make_project):
    project = make_project("closed")
    text = mounted(project, "ro")
    assert "tiny.yaml: results: " in text
    assert "/results is read-only. Allow writing, or name another folder." in text
    assert "Error in rule" not in text
