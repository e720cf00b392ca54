"""The cells of a paper as it prints them, made without any results."""

from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import yaml

from mt_difficulty.data.set_files import SetFiles
from mt_difficulty.errors import Missing
from mt_difficulty.papers.inputs import Inputs
from mt_difficulty.papers.tables import make_table
from mt_difficulty.run import outputs

FOLDER = Path(__file__).parents[1] / "workflow/papers"
PAPERS = sorted(path.stem for path in FOLDER.glob("*.yaml"))


class Nothing(dict):
    """Contents of a set of which there is no result."""

    def __missing__(self, file):
        return Missing("no archive")


def read_paper(name):
    """A paper's file."""
    return yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))


def no_results(paper):
    """The inputs of a paper's tables where no set has results."""
    plan = SimpleNamespace(papers={"paper": paper})
    empty = pd.DataFrame(columns=["metric", "weighting", "size", "reason"])
    names = [f"{entry['campaign']}/{entry['pair']}" for entry in paper["sets"]]
    sets = {
        name: SetFiles(name, Nothing({"top_scores.csv": empty, "missing.csv": empty}))
        for name in names
    }
    return Inputs(
        sets,
        SetFiles("paper", Nothing()),
        types=outputs.metric_types(plan, "paper"),
        printed=paper.get("inputs", {}),
    )


def printed_cells(paper):
    """All cells of a paper's tables; what would need data has no number of ours."""
    inputs = no_results(paper)
    return pd.DataFrame(
        cell
        for item, table in paper["tables"].items()
        for cell in make_table(item, table, inputs)[0]
    )
