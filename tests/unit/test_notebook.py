"""The notebook of the documentation runs, and prints what is stored in it."""

import nbformat
import pytest
from conftest import ROOT
from nbclient import NotebookClient

NOTEBOOK = ROOT / "docs/tour.ipynb"


def printed(notebook):
    return [
        "".join(output.text for output in cell.outputs if output.output_type == "stream")
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_notebook_prints_what_is_stored_in_it(monkeypatch, tmp_path):
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "workflow/scripts"))
    stored = nbformat.read(NOTEBOOK, as_version=4)
    found = nbformat.read(NOTEBOOK, as_version=4)
    NotebookClient(found, resources={"metadata": {"path": str(ROOT / "docs")}}).execute()
    assert printed(found) == printed(stored)
    assert all(printed(stored)[1:])
