"""The notebook of the documentation runs, and prints what is stored in it."""

import ast
import re
import sys

import nbformat
import pytest
from conftest import ROOT
from nbclient import NotebookClient

NOTEBOOK = ROOT / "docs/tour.ipynb"


def shown(notebook):
    """Return what each cell prints, and the tables that it shows."""
    texts = []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            printed = [output.text for output in cell.outputs if output.output_type == "stream"]
            results = [output.data for output in cell.outputs if "data" in output]
            texts.append("".join([*printed, *(data.get("text/html", "") for data in results)]))
    return texts


def test_the_notebook_names_what_it_imports_beside_the_package():
    """`pip install .` installs what envs/base.in lists."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    code = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    nodes = list(ast.walk(ast.parse(code)))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module for node in nodes if isinstance(node, ast.ImportFrom)]
    modules = {name.split(".")[0] for name in names} - sys.stdlib_module_names
    base = re.findall(r"^[\w-]+", (ROOT / "envs/base.in").read_text(), re.MULTILINE)
    (command,) = re.findall("`pip install . (.*?)`", notebook.cells[0].source)
    assert modules - {"mt_difficulty", *base} == {*command.split()} - {"notebook"}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_notebook_prints_what_is_stored_in_it(monkeypatch, tmp_path):
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "workflow/scripts"))
    stored = nbformat.read(NOTEBOOK, as_version=4)
    found = nbformat.read(NOTEBOOK, as_version=4)
    NotebookClient(found, resources={"metadata": {"path": str(ROOT / "docs")}}).execute()
    assert shown(found) == shown(stored)
    assert [place for place, text in enumerate(shown(stored)) if place and not text] == []
    assert sum("</table>" in text for text in shown(stored)) >= 3
