"""The walks of CONTRIBUTING.md, followed to the letter in a copy of the project."""

import re
import subprocess
import sys

import pytest
from conftest import ROOT, Project

BLOCK = re.compile(
    r"<!-- (write|change|run|holds)(?:: (\S+))? -->\n```\w*\n(.*?)^```$", re.M | re.S
)
WALKS = re.split(
    r"^## (?=Add )", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), flags=re.M
)


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the project; .venv is the environment that runs the tests."""
    project = Project(tmp_path_factory.mktemp("walks"))
    (project.root / ".venv").symlink_to(sys.prefix)
    return project.root


@pytest.mark.parametrize("walk", WALKS[1:], ids=[walk.split("\n")[0] for walk in WALKS[1:]])
def test_a_walk_leads_where_it_says(copy, walk):
    steps = BLOCK.findall(walk)
    assert steps[-1][0] == "holds"
    for kind, name, content in steps:
        if kind == "write":
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_text(content, encoding="utf-8")
        elif kind == "change":
            subprocess.run(["git", "apply"], input=content, cwd=copy, text=True, check=True)
        elif kind == "run":
            run(content.split(), copy)
        else:
            assert kind == "holds"
            text = (copy / name).read_text(encoding="utf-8")
            assert [line for line in content.splitlines() if f"\n{line}" not in text] == []


def run(command, folder):
    """Run make in the environment that is there."""
    assert command[0] == "make"
    command = ["make", "--assume-old=.venv/installed", "CORES=2", *command[1:]]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
