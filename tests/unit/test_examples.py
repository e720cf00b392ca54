"""The examples in docstrings give what they show."""

import doctest
from importlib import import_module

import pytest
from conftest import ROOT

import mt_difficulty as md

PACKAGE = ROOT / "workflow/scripts/mt_difficulty"
WITH_EXAMPLES = [
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
    for path in sorted(PACKAGE.rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples(name, monkeypatch):
    # Some examples read the demo of the clone.
    monkeypatch.chdir(ROOT)
    results = doctest.testmod(import_module(name))
    assert results.attempted > 0
    assert results.failed == 0


@pytest.mark.parametrize("name", md.__all__)
def test_every_public_name_has_an_example(name):
    examples = doctest.DocTestParser().get_examples(getattr(md, name).__doc__)
    assert any(example.want for example in examples)
