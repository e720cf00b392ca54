"""The documentation: it builds without warnings, its links lead somewhere, it stays short."""

import re
import subprocess
import sys

import pytest
from conftest import ROOT


@pytest.mark.slow
def test_the_site_builds_and_every_link_and_anchor_exists(tmp_path):
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-c", "docs", "."]
    done = subprocess.run([*command, tmp_path], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    page = (tmp_path / "docs/cli.html").read_text(encoding="utf-8")
    assert "usage: mt-difficulty validate" in page
    page = (tmp_path / "docs/grid.html").read_text(encoding="utf-8")
    members = ("chunk_entropy", "EE", "bleu", "soft_accuracy")
    missing = [name for name in members if f'<span class="pre">{name}</span></code>' not in page]
    assert missing == []
    # Nothing is loaded from elsewhere.
    assert not re.search(r'(?:src|href)="https?://[^"]*\.(?:js|css|woff2?)', page)


@pytest.mark.parametrize(
    ("files", "most"), [("README.md", 1500), ("CONTRIBUTING.md", 2500), ("docs/*.md", 24_600)]
)
def test_the_texts_are_short(files, most):
    words = [len(path.read_text(encoding="utf-8").split()) for path in ROOT.glob(files)]
    assert 0 < sum(words) <= most


def test_messages_and_pages_name_texts_that_exist():
    kinds = {".py", ".j2", ".yaml", ".smk", ".rst"}
    sources = [path for path in (ROOT / "workflow").rglob("*") if path.suffix in kinds]
    names = {
        name
        for path in [*sources, ROOT / "config.yaml"]
        for name in re.findall(r"docs/\w+\.md", path.read_text(encoding="utf-8"))
    }
    assert "docs/deviations.md" in names
    assert [name for name in sorted(names) if not (ROOT / name).is_file()] == []


def test_the_first_picture_of_the_readme_is_of_the_study_in_its_table():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    picture = re.search(r"!\[.*?\]\((.*?)\)", text)[1]
    drawn = (ROOT / picture).read_text(encoding="utf-8")
    means = re.findall(r"(\w+): mean of (\d+) sets", drawn)
    rows = re.findall(r"^\| (\w+) \(.*?\) \| (\d+), \d+ \|", text, re.MULTILINE)
    assert sorted(means) == sorted(rows)
    assert len(means) == 3
