"""The same bytes in the end: runs that are killed, in other surroundings, and as a module."""

import os
import signal
import subprocess
import threading
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
import tiny
import yaml
from conftest import Project

pytestmark = pytest.mark.slow

RESULTS = "results/tiny"
TARGETS = ("all", "difficulty")
# So that there is a job of every rule.
DIFFICULTIES = {"consensus": {"type": "consensus_dissimilarity", "metric": "BERTScore"}}
MODULE = """
configfile: "mine.yaml"

module difficulty:
    snakefile: {snakefile!r}
    config: config["mine"]

use rule * from difficulty as difficulty_*

rule read:
    input: rules.difficulty_all.input, rules.difficulty_difficulty.input
    output: "systems.csv"
    default_target: True
    shell: "cp results/tiny/tiny/en-de/system_scores.csv {{output}}"
"""


@pytest.fixture(scope="module")
def make_project(tmp_path_factory, wordnet):
    """Make copies of the project with the tiny campaign, to be downloaded from this machine."""
    folder = tmp_path_factory.mktemp("server")
    handler = partial(SimpleHTTPRequestHandler, directory=folder)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        settings = {"archive_urls": [f"http://127.0.0.1:{server.server_port}/archive.tar.gz"]}
        settings |= {"difficulties": DIFFICULTIES, "truth": "{project}/tiny/truth"}

        def make(name):
            project = Project(tmp_path_factory.mktemp(name))
            tiny.write_project(project.root, **settings)
            if not (folder / "archive.tar.gz").exists():
                tiny.pack(project.root, folder)
            return project

        yield make
        server.shutdown()


@pytest.fixture(scope="module")
def whole(make_project):
    """A project with the results of a run that nothing interrupted."""
    project = make_project("whole")
    project.snakemake(*TARGETS, "--configfile", "tiny.yaml")
    return project


def results(folder, *excluded):
    """The bytes of every file that a run leaves, but for its logs."""
    folders = [folder / name for name in (RESULTS, "data/downloads", "data/nltk")]
    files = [file for place in folders for file in place.rglob("*") if file.is_file()]
    contents = {str(file.relative_to(folder)): file.read_bytes() for file in files}
    left_out = tuple(f"{RESULTS}/{name}" for name in ("logs/", ".records", *excluded))
    return {name: x for name, x in contents.items() if not name.startswith(left_out)}


def expect_same(found, expected):
    assert found.keys() == expected.keys()
    assert [name for name in found if found[name] != expected[name]] == []


def test_a_run_that_is_killed_goes_on(whole, make_project):
    """By Ctrl-C, by SIGKILL, and with every second result deleted."""
    project, expected = make_project("killed"), results(whole.root)
    count = sum(name.startswith(RESULTS) for name in expected)
    options = ["--nolock", *TARGETS, "--configfile", "tiny.yaml"]
    for share, how in ((0.3, signal.SIGINT), (0.7, signal.SIGKILL)):
        running = subprocess.Popen(
            [*project.command, *options],
            cwd=project.root,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            # What runs in the background of a shell, tests among them, may ignore SIGINT.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        while sum(len(files) for *_, files in os.walk(project.root / RESULTS)) < share * count:
            assert running.poll() is None, f"ended before {how}"
            time.sleep(0.05)
        os.killpg(running.pid, how)
        assert running.wait(timeout=60) != 0, how
    for name in sorted(name for name in results(project.root) if name.startswith(RESULTS))[::2]:
        (project.root / name).unlink()
    project.snakemake(*options)
    expect_same(results(project.root), expected)


OF_RUN = ("run.json",)  # has the commit


def test_another_folder_and_other_surroundings_give_the_same_bytes(whole, tmp_path):
    """Another number of cores, folder, folder of temporary files, locale, encoding, time zone and
    order of hashes."""
    (tmp_path / "temporary").mkdir()
    whole.snakemake(
        *("-s", str(whole.root / "Snakefile"), "--configfile", str(whole.root / "tiny.yaml")),
        *("--cores", "1", "--", *TARGETS),
        folder=tmp_path,
        TMPDIR=str(tmp_path / "temporary"),
        TZ="Pacific/Kiritimati",
        PYTHONHASHSEED="1",
        **{"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    )
    expect_same(results(tmp_path, *OF_RUN), results(whole.root, *OF_RUN))


def test_a_module_of_another_workflow_gives_the_same_bytes(whole, tmp_path):
    snakefile = str(whole.root / "workflow/Snakefile")
    (tmp_path / "Snakefile").write_text(MODULE.format(snakefile=snakefile))
    mine = yaml.safe_load((whole.root / "tiny.yaml").read_text())
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump({"mine": mine | {"evaluation_set": []}}))
    output = whole.snakemake(folder=tmp_path, fails=True)
    assert "the config of the module: unknown key `evaluation_set`" in output
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump({"mine": mine}))
    whole.snakemake(folder=tmp_path)
    expected = results(whole.root, *OF_RUN)
    expect_same(results(tmp_path, *OF_RUN), expected)
    scores = (tmp_path / "systems.csv").read_bytes()
    assert scores == expected[f"{RESULTS}/tiny/en-de/system_scores.csv"]
