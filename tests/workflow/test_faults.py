"""Runs that are killed, and runs in other surroundings: the same bytes in the end."""

import os
import signal
import subprocess
import threading
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
import tiny
from conftest import Project

pytestmark = pytest.mark.slow

CONFIG = ("--configfile", "tiny.yaml")
RESULTS = "results/tiny"
TARGETS = ("all", "difficulty")
# So that there is a job of every rule.
DIFFICULTIES = {"consensus": {"type": "consensus_dissimilarity", "metric": "BERTScore"}}


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


def start(project):
    """Start a run in a process group of its own."""
    return subprocess.Popen(
        [*project.COMMAND, "--cores", "2", "--nolock", *TARGETS, *CONFIG],
        cwd=project.root,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        # What runs in the background of a shell, tests among them, may ignore SIGINT.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


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


def test_a_run_that_is_killed_goes_on(whole, make_project):
    """By Ctrl-C, by SIGKILL, and with every second result deleted."""
    project = make_project("workflow")
    count = sum(len(files) for *_, files in os.walk(whole.root / RESULTS))
    for share, how in ((0.3, signal.SIGINT), (0.7, signal.SIGKILL)):
        running = start(project)
        while sum(len(files) for *_, files in os.walk(project.root / RESULTS)) < share * count:
            assert running.poll() is None
            time.sleep(0.05)
        os.killpg(running.pid, how)
        assert running.wait(timeout=60) != 0
    for name in sorted(name for name in results(project) if not name.startswith("data/"))[::2]:
        (project.root / name).unlink()
    project.snakemake("--nolock", *TARGETS, *CONFIG)
    assert_same(project, whole)


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
            of_run = relative.parts[0] == "logs" or file.name in ("summary.txt", "run.json")
            if file.is_file() and not of_run:
                assert file.read_bytes() == (other / relative).read_bytes(), relative
