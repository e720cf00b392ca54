"""The walks of CONTRIBUTING.md, followed in a copy of the project."""

import html
import re
import shlex
import subprocess
import sys
from functools import reduce
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest
from conftest import ROOT, Project

from mt_difficulty.data.yaml_files import read_yaml
from mt_difficulty.run import configs

pytestmark = pytest.mark.slow

BLOCK = re.compile(r"<!-- (write|run|holds|rows)(?:: (\S+))? -->\n```\w*\n(.*?)^```$", re.M | re.S)
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
PAGE = "results/mine/demo/en-de/report.html"
# The lines of the walks do not depend on draws.
FEWER = """random_subsets: {draws: 20}
significance: {resamples: 100, draws: 2}
controls: {draws: 100}
"""


class Walk(NamedTuple):
    """The blocks of a walk: files with their contents, commands, and lines of results."""

    files: dict[str, str]
    commands: list[list[str]]
    lines: dict[str, list[str]]
    rows: dict[str, list[str]]


def read(text):
    walk = Walk({}, [], {}, {})
    for kind, name, content in BLOCK.findall(text):
        if kind == "write":
            walk.files[name] = content
        elif kind == "run":
            walk.commands.append(shlex.split(content))
        else:
            lines = content.splitlines()
            assert lines
            (walk.lines if kind == "holds" else walk.rows)[name] = lines
    return walk


READ = dict(zip(TITLES, map(read, WALKS), strict=True))


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the project; .venv is the environment that runs the tests."""
    project = Project(tmp_path_factory.mktemp("walks"))
    (project.root / ".venv").symlink_to(sys.prefix)
    return project.root


def write(files, folder):
    for name, content in files.items():
        assert not (folder / name).exists()
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")


def run(command, folder):
    """Run make in the environment that is there."""
    assert command[0] == "make"
    command = ["make", "--assume-old=.venv/installed", "CORES=2", *command[1:]]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def check(walk, folder):
    """Results hold the lines and the page the rows that a walk says."""
    for name, lines in walk.lines.items():
        text = (folder / name).read_text(encoding="utf-8")
        assert [line for line in lines if f"\n{line}" not in text] == []
    for place, lines in walk.rows.items():
        name, section = place.split("#")
        rows = rows_of((folder / name).read_text(encoding="utf-8"), section)
        assert [line for line in lines if not any(row.startswith(line) for row in rows)] == []


def rows_of(page, section):
    """The rows of all tables of a page's section, with | between the texts of cells."""
    content = page.split(f'<h2 id="{section}">')[1].split("<h2")[0]
    return [
        html.unescape(" | ".join(re.sub("<.*?>", "", cell) for cell in cells))
        for row in re.findall("<tr.*?</tr>", content, re.S)
        if (cells := re.findall("<t[hd].*?>(.*?)</t[hd]>", row, re.S))
    ]


@pytest.mark.parametrize("title", MEMBERS)
def test_a_member_is_one_module_and_a_config(tmp_path, monkeypatch, title):
    walk, folder = READ[title], MEMBERS[title]
    module, config = walk.files
    assert re.fullmatch(rf"workflow/scripts/mt_difficulty/{folder}/\w+\.py", module)
    assert not (ROOT / module).exists()
    ((*make, own, target),) = walk.commands
    assert (make, own, target) == (["make", "run"], f"CONFIG={config}", f"TARGET={PAGE}")
    assert walk.lines
    assert walk.rows
    # Without the other walks' files.
    write({Path(module).name: walk.files[module], config: walk.files[config]}, tmp_path)
    registry = import_module(f"mt_difficulty.{folder}")
    monkeypatch.setattr(registry, "__path__", [*registry.__path__, str(tmp_path)])
    files = [ROOT / "config.yaml", ROOT / "data/demo/config.yaml", tmp_path / config]
    sources = {path.name: read_yaml(path) for path in files}
    merged = reduce(configs.merge, map(read_yaml, files))
    plan, problems = configs.check_run(merged, sources, ROOT, ROOT / "workflow/papers")
    assert problems == []
    assert PAGE in plan.files_of_all("report.html")


@pytest.fixture(scope="module")
def members(copy):
    """The results of the run with a new member of every registry."""
    for title in MEMBERS:
        write(READ[title].files, copy)
    (copy / "fewer.yaml").write_text(FEWER)
    ((*make, configs, target),) = read(BEFORE).commands
    assert configs.removeprefix("CONFIG=").split() == [list(READ[t].files)[1] for t in MEMBERS]
    run([*make, f"{configs} fewer.yaml", target], copy)
    return copy


@pytest.mark.parametrize("title", MEMBERS)
def test_a_member_is_in_results_and_on_the_page(members, title):
    check(READ[title], members)


def test_the_page_has_the_members(members):
    page = (members / PAGE).read_text(encoding="utf-8")
    table = page.split('data-name="correlations"')[1].split("</table>")[0]
    heads = re.findall(r'<th scope="col"[^>]*>(.*?)</th>', table)
    assert heads[:7] == ["metric", "weighting", "difficulty", "r", "τ", "ρ", "SR"]
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in table.split("<tr")[2:]]
    rows = {(metric, weighting): rest for metric, weighting, *rest in cells}
    assert ("Overlap", "standard") in rows
    assert rows["Overlap", "long-words"][0] == "longest_word"
    assert rows["Overlap", "by-rank"][0] == "chunk_entropy"
    assert "–" not in rows["Overlap", "by-rank"][1:5]


@pytest.mark.parametrize("title", [title for title in TITLES if title not in MEMBERS])
def test_a_walk_leads_where_it_says(copy, title):
    walk = READ[title]
    write(walk.files, copy)
    for command in walk.commands:
        run(command, copy)
    assert walk.lines
    check(walk, copy)
