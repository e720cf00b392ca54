"""The kinds of tables: each makes its cells from the results of the sets that it names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

from ..errors import Missing
from ..evidence.subsets import best_systems
from ..metrics import METRICS
from . import cases, complexity_tables, tables
from .case_studies import case_study, token_cases
from .inputs import Inputs, read_or_reason
from .tables import Cell

# Cells, and the sentences of rows that have one.
Table = tuple[list[Cell], dict[str, str]]


def make_table(item: str, table: dict[str, Any], inputs: Inputs) -> Table:
    """The cells of a table of a paper, and the sentences of its rows.

    Parameters
    ----------
    item : str
        Its name.
    table : dict
        Its entry in the paper's file; `kind` is one of KINDS.
    inputs : Inputs
    """
    return KINDS[table["kind"]](item, table, inputs)


def correlations(item: str, table: dict[str, Any], inputs: Inputs) -> Table:
    names = sorted({column["set"] for column in table["columns"]})
    results = {name: _set_results(inputs, name) for name in names}
    return tables.correlation_cells(item, table, results), {}


def _set_results(inputs: Inputs, name: str) -> tables.SetResults:
    """What the workflow has for one set; markers become reasons."""
    files, found = inputs.sets[name], tables.SetResults()
    found.substitutes = inputs.substitutes.get(name, {})
    try:
        found.note = inputs.note(name)
    except Missing as reason:
        found.absent = str(reason)
        return found
    found.missing, found.left_out = inputs.missing(name), inputs.left_out
    found.correlations = files.read("correlations.csv")
    found.spread = files.read("correlation_spread.csv")
    found.significance = files.read("significance.csv")
    return found


def examples(item: str, table: dict[str, Any], inputs: Inputs) -> Table:
    return tables.example_cells(item, table), {}


def parameters(item: str, table: dict[str, Any], inputs: Inputs) -> Table:
    found = {}
    for name in {column["set"] for column in table["columns"]}:
        try:
            found[name] = inputs.parameters(name, table["weighting"]), ""
        except Missing as reason:
            found[name] = {}, str(reason)
    return tables.parameter_cells(item, table, found), {}


def ablation(item: str, table: dict[str, Any], inputs: Inputs) -> Table:
    rows, reason = read_or_reason(inputs.own, "ablation.csv")
    rows = pd.DataFrame() if rows is None else rows
    name, metric = table["set"], table["published"]["metric"]
    missing = {metric: inputs.reason(name, metric, "standard")}
    substitutes = inputs.substitutes.get(name, {})
    return tables.ablation_cells(item, table, rows, missing, substitutes, reason), {}


def ranking(item: str, table: dict[str, Any], inputs: Inputs) -> Table:
    name, files = table["set"], inputs.sets[table["set"]]
    found, absent = read_or_reason(files, "evalset.json")
    gold = {}
    if not absent:
        best = best_systems(found.gold, table["size"])
        gold = {found.systems[system]: found.gold[system] for system in best}
    reasons: dict[Any, str] = {"gold": absent}
    for column in table["columns"]:
        column["higher_is_better"] = METRICS[inputs.types[column["metric"]]].higher_is_better
        key = column["metric"], column["weighting"]
        reasons[key] = absent or inputs.reason(name, *key)
    scores = _top_scores(files.read("top_scores.csv"), table["size"])
    substitutes = inputs.substitutes.get(name, {})
    cells = cases.ranking_cells(item, table, scores, gold, reasons, substitutes)
    return (cells if absent else cases.with_note(cells, inputs.note(name))), {}


def _top_scores(frame: pd.DataFrame, size: int) -> dict[Any, dict[str, float]]:
    """Scores of the best systems by metric and weighting."""
    return {
        key: dict(zip(rows.system, rows.score, strict=True))
        for key, rows in frame[frame["size"] == size].groupby(["metric", "weighting"])
    }


def from_printed(make_cells: Callable) -> Callable[[str, dict[str, Any], Inputs], Table]:
    """A kind of table that is computed from what the paper prints."""
    return lambda item, table, inputs: (make_cells(item, table, inputs.printed), {})


KINDS: dict[str, Callable[[str, dict[str, Any], Inputs], Table]] = {
    "ablation": ablation,
    "case_study": case_study,
    "correlations": correlations,
    "examples": examples,
    "parameters": parameters,
    "ranking": ranking,
    "token_cases": token_cases,
    **{kind: from_printed(make) for kind, make in complexity_tables.KINDS.items()},
}
