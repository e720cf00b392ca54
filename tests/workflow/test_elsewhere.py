"""The workflow started from another folder, and as a module of another workflow: the same bytes."""

import os
import subprocess
import sys
import textwrap

import pytest
import tiny
import yaml
from conftest import ROOT

import plot_figure
from mt_difficulty.data.yaml_files import read_yaml

pytestmark = pytest.mark.slow

# These differ in any two runs; the commit is in run.json.
OF_RUNS = ("logs", "run.json")
MODULE = """
configfile: "mine.yaml"

module difficulty:
    snakefile: {snakefile}
    config: config["mine"]

use rule * from difficulty as difficulty_*

rule read:
    default_target: True
    input: rules.difficulty_all.input
    output: "systems.csv"
    shell: "cp results/tiny/tiny/en-de/system_scores.csv {{output}}"
"""


def snakemake(folder, *arguments, **environment):
    """Run Snakemake with two cores in a folder; return what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "2", *arguments],
        cwd=folder,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def files(results):
    """The bytes of all results by their path."""
    paths = (path.relative_to(results) for path in results.rglob("*"))
    kept = (path for path in paths if path.parts[0] not in OF_RUNS)
    return {str(path): (results / path).read_bytes() for path in kept if (results / path).is_file()}


@pytest.fixture(scope="module")
def here(project):
    """The project with a tiny campaign, and the bytes of a run in its own folder."""
    config = {"archive": "{project}/tiny/mt-metrics-eval-v2", "truth": "{project}/tiny/truth"}
    tiny.write_project(project.root, **config, neural=False)
    project.snakemake("--configfile", "tiny.yaml")
    return project.root, files(project.root / "results/tiny")


def write_module(folder, root, snakefile):
    """A workflow that uses the project's as a module under other names of rules."""
    config = yaml.safe_load((root / "tiny.yaml").read_text())
    (folder / "mine.yaml").write_text(yaml.safe_dump({"mine": config}))
    (folder / "Snakefile").write_text(textwrap.dedent(MODULE).format(snakefile=snakefile))


def test_another_folder_gives_the_same_bytes(here, tmp_path):
    root, expected = here
    snakemake(tmp_path, "-s", root / "Snakefile", "--configfile", root / "tiny.yaml")
    found = files(tmp_path / "results/tiny")
    assert found == expected


def test_the_graph_of_rules_is_drawn_from_another_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names, edges = plot_figure.rule_graph(read_yaml(ROOT / "config.yaml"))
    rules = {(names[start], names[end]) for start, end in edges}
    assert ("score_segments", "score_systems") in rules


def test_a_module_of_a_folder_gives_the_same_bytes(here, tmp_path):
    root, expected = here
    write_module(tmp_path, root, repr(str(root / "workflow/Snakefile")))
    snakemake(tmp_path)
    assert files(tmp_path / "results/tiny") == expected
    scores = (tmp_path / "systems.csv").read_bytes()
    assert scores == expected["tiny/en-de/system_scores.csv"]


def test_a_wrong_key_in_the_config_of_a_module_is_named(here, tmp_path):
    root, _ = here
    write_module(tmp_path, root, repr(str(root / "workflow/Snakefile")))
    mine = yaml.safe_load((tmp_path / "mine.yaml").read_text())
    mine["mine"]["evaluation_set"] = []
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(mine))
    command = [sys.executable, "-m", "snakemake", "--cores", "1"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode != 0
    assert "the config of the module: unknown key `evaluation_set`" in done.stderr
