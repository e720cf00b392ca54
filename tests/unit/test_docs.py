"""The documentation: it builds without warnings, its links lead somewhere, the README is short."""

import re
import subprocess
import sys

from conftest import ROOT

MOST_WORDS = 1500


def test_the_site_builds_and_every_link_and_anchor_exists(tmp_path):
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-c", "docs", "."]
    done = subprocess.run([*command, tmp_path], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    page = (tmp_path / "docs/cli.html").read_text(encoding="utf-8")
    assert "usage: mt-difficulty validate" in page
    # Nothing is loaded from elsewhere.
    assert not re.search(r'(?:src|href)="https?://[^"]*\.(?:js|css|woff2?)', page)


def test_the_readme_is_read_in_five_minutes():
    words = (ROOT / "README.md").read_text(encoding="utf-8").split()
    assert len(words) <= MOST_WORDS
