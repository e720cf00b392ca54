"""The code that each rule's results are made with, computed from imports."""

import re

import pytest

from mt_difficulty.run import code

RULES = {
    name: body
    for file in sorted((code.SCRIPTS.parent / "rules").glob("*.smk"))
    for name, body in re.findall(
        r"^rule (\w+):\n(.*?)(?=^\S|\Z)", file.read_text(), re.DOTALL | re.MULTILINE
    )
    if "script:" in body
}
# What they made is kept, whatever their code: a download is not fetched again.
DOWNLOADS = {"retrieve_archive", "retrieve_wordnet"}


@pytest.fixture
def scripts(tmp_path, monkeypatch):
    """A folder of scripts, empty yet."""
    monkeypatch.setattr(code, "SCRIPTS", tmp_path)
    code.imported.cache_clear()
    yield tmp_path
    code.imported.cache_clear()


def write(folder, **files):
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        (path.parent / "__init__.py").touch()


@pytest.mark.parametrize("rule", sorted(RULES))
def test_every_rule_depends_on_the_code_of_its_script(rule):
    body = RULES[rule]
    assert f'"../scripts/{rule}.py"' in body
    named = re.search(r"(?:code=lambda w: code\.checksum|\*\*scored)\(\s*\"(\w+)\"", body)
    assert (named[1] if named else None) == (None if rule in DOWNLOADS else rule)


def test_imports_are_followed_wherever_they_stand(scripts):
    write(
        scripts,
        one="from package.stage import two\nimport helper\n",
        helper="import numpy\n",
        package__stage__two="from . import three\nfrom ..other.four import function\n",
        package__stage__three="def lazily():\n    from ..other import five\n",
        package__other__four="from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n"
        "    from .six import Type\nelse:\n    Type = None\n",
        package__other__five="",
        package__other__six="",
    )
    found = {file for file in code.closure("one.py") if not file.endswith("__init__.py")}
    assert found == {
        "one.py",
        "helper.py",
        *(f"package/stage/{name}.py" for name in ("two", "three")),
        *(f"package/other/{name}.py" for name in ("four", "five")),
    }


def test_members_of_registries_count_where_they_are_named(scripts):
    write(scripts, one="", mt_difficulty__metrics__a="A = 1\n")
    before = code.checksum("one"), code.checksum("one", "metrics/a")
    write(scripts, mt_difficulty__metrics__b="")
    assert (code.checksum("one"), code.checksum("one", "metrics/a")) == before
    (scripts / "mt_difficulty/metrics/a.py").write_text("A = 2\n")
    assert code.checksum("one") == before[0]
    assert code.checksum("one", "metrics/a") != before[1]


def test_what_a_script_imports_is_found():
    files = code.closure("correlate.py")
    assert "mt_difficulty/evidence/set_scores.py" in files
    assert "mt_difficulty/data/language.py" not in code.closure("audit_papers.py")
    assert not {file for file in files if "/page/" in file or "/metrics/chrf" in file}


def test_no_folder_of_the_package_depends_on_one_that_depends_on_it():
    package = code.SCRIPTS / "mt_difficulty"
    edges = {}
    for path in package.glob("*/**/*.py"):
        stage = path.relative_to(package).parts[0]
        files = code.imported(path.relative_to(code.SCRIPTS).as_posix())
        parts = [file.split("/") for file in files if file.startswith("mt_difficulty/")]
        edges.setdefault(stage, set()).update({p[1] for p in parts if len(p) > 2} - {stage})
    while leaves := {stage for stage, needed in edges.items() if not needed & edges.keys()}:
        edges = {stage: needed for stage, needed in edges.items() if stage not in leaves}
    assert not edges
