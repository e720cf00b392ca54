"""The walks of CONTRIBUTING.md, followed in a copy of the project."""

import html
import os
import re
import shlex
import subprocess
import sys

import pytest
from conftest import ROOT, Project

pytestmark = pytest.mark.slow

KINDS = "write|run|holds|rows|command|python|prints"
BLOCK = re.compile(rf"<!-- ({KINDS})(?:: (\S+))? -->\n```\w*\n(.*?)^```$", re.M | re.S)
BEFORE, *WALKS = re.split(
    r"^## (?=Add )", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), flags=re.M
)
TITLES = [walk.split("\n")[0] for walk in WALKS]
# Of registries, with the folders of the package.
MEMBERS = {
    "Add a metric": "metrics",
    "Add a difficulty estimator": "difficulty",
    "Add a weighting": "weighting",
    "Add a statistic": "statistics",
}


# The blocks of a walk: their kind, the file that they are of, and their content.
READ = {title: BLOCK.findall(walk) for title, walk in zip(TITLES, WALKS, strict=True)}


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the project; .venv is the environment that runs the tests."""
    project = Project(tmp_path_factory.mktemp("walks"))
    (project.root / ".venv").symlink_to(sys.prefix)
    return project.root


def write(blocks, folder):
    files = {name: content for kind, name, content in blocks if kind == "write"}
    for name, content in files.items():
        assert not (folder / name).exists(), name
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    return list(files)


def run(command, folder):
    """Run make in the environment that is there."""
    make, *arguments = shlex.split(command)
    assert make == "make"
    command = ["make", "--assume-old=.venv/installed", "CORES=2", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def check(blocks, folder):
    """Results hold the lines and the page the rows that a walk says."""
    expected = [block for block in blocks if block[0] in ("holds", "rows")]
    assert expected
    for kind, place, content in expected:
        name, _, section = place.partition("#")
        text = (folder / name).read_text(encoding="utf-8")
        rows = text.splitlines() if kind == "holds" else rows_of(text, section)
        for line in content.splitlines():
            assert any(row.startswith(line) for row in rows), line


def rows_of(page, section):
    """The rows of all tables of a page's section, with | between the texts of cells."""
    content = page.split(f'<h2 id="{section}">')[1].split("<h2")[0]
    return [
        html.unescape(" | ".join(re.sub("<.*?>", "", cell) for cell in cells))
        for row in re.findall("<tr.*?</tr>", content, re.S)
        if (cells := re.findall("<t[hd].*?>(.*?)</t[hd]>", row, re.S))
    ]


@pytest.fixture(scope="module")
def members(copy):
    """The results of the run with a new member of every registry."""
    configs = [write(READ[title], copy)[1] for title in MEMBERS]
    ((_, _, command),) = BLOCK.findall(BEFORE)
    assert f"CONFIG='{' '.join(configs)}'" in command.replace('"', "'")
    run(command.replace(configs[-1], f"{configs[-1]} quick.yaml"), copy)
    return copy


@pytest.mark.parametrize("title", MEMBERS)
def test_a_member_is_in_results_and_on_the_page(members, title):
    check(READ[title], members)


@pytest.mark.parametrize("title", MEMBERS)
def test_a_member_is_known_to_the_command_line_and_python(members, title):
    blocks = [block for block in READ[title] if block[0] in ("command", "python", "prints")]
    assert blocks
    path = {"PYTHONPATH": str(members / "workflow/scripts")}
    for (kind, _, content), (_, _, expected) in zip(blocks[::2], blocks[1::2], strict=True):
        command = [sys.executable, "-c", content]
        if kind == "command":
            command = [sys.executable, "-m", "mt_difficulty", *shlex.split(content)[1:]]
        done = subprocess.run(
            command, cwd=members, env=os.environ | path, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        for line in expected.splitlines():
            assert any(row.startswith(line) for row in done.stdout.splitlines()), done.stdout


@pytest.mark.parametrize("title", [title for title in TITLES if title not in MEMBERS])
def test_a_walk_leads_where_it_says(copy, title):
    write(READ[title], copy)
    for kind, _, content in READ[title]:
        if kind == "run":
            run(content, copy)
    check(READ[title], copy)
