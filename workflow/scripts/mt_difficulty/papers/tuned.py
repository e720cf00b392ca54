"""Which cells of a paper's tables are made with parameters that were chosen on their own set."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ..evidence.subsets import row_label
from .tables import SYMBOLS, Cell

# Rows of an ablation that no threshold enters.
UNTUNED = ("standard", "w/o difficulty")


def mark_tuned(
    cells: list[Cell], table: Mapping[str, Any], tuned: Mapping[str, Collection[str]]
) -> list[Cell]:
    """The cells, `tuned` where a weighting's parameters were chosen with human scores of the set.

    Parameters
    ----------
    cells : list of Cell
    table : dict
        Its entry in the paper's file.
    tuned : dict of str to collection of str
        By set, the weightings that are tuned on it.
    """
    find = {"correlations": _correlations, "ablation": _ablation}.get(table["kind"])
    places = set(find(cells, table, tuned)) if find else set()
    return [
        cell._replace(tuned="yes") if (cell.row, cell.column) in places else cell for cell in cells
    ]


def _correlations(
    cells: list[Cell], table: Mapping[str, Any], tuned: Mapping[str, Collection[str]]
) -> Iterator[tuple[str, str]]:
    """Rows and columns of tuned values, and of mean gains over sets of which one is tuned."""
    rows = {row_label(row): row["weighting"] for row in table["rows"]}
    for cell in cells:
        of_set = [
            rows[cell.row] in tuned.get(column["set"], ())
            for column in table["columns"]
            if cell.column in {f"{column['label']} {symbol}" for symbol in SYMBOLS.values()}
        ]
        of_mean = not of_set and any(
            rows[cell.row] in tuned.get(column["set"], ()) for column in table["columns"]
        )
        if any(of_set) or of_mean:
            yield cell.row, cell.column


def _ablation(
    cells: list[Cell], table: Mapping[str, Any], tuned: Mapping[str, Collection[str]]
) -> Iterator[tuple[str, str]]:
    """All but the unweighted metric and what no threshold enters, where the set has a tuned
    weighting: the variants keep h or w of the search."""
    for cell in cells:
        if tuned.get(table["set"]) and cell.row.rpartition(": ")[2] not in UNTUNED:
            yield cell.row, cell.column
