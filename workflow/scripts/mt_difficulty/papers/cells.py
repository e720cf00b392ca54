"""The cells of a paper's tables, ours beside the published number, and how they are printed: as a
data frame, markdown and LaTeX."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..evidence.labels import TUNED, TUNED_NOTE
from ..evidence.subsets import CORRELATIONS, row_label

SYMBOLS = dict(zip(CORRELATIONS, ("r", "τ", "ρ"), strict=True))
# Rows of an ablation that no threshold enters.
UNTUNED = ("standard", "w/o difficulty")


class Cell(NamedTuple):
    """One cell: `published` is NaN where the paper has none, `reproduced` where we have none
    (`reason` says why); `digits` is the printed precision. `substitute` says which encoder was
    used where it is not the paper's; `tuned` is yes for a value whose parameters were chosen with
    human scores of the set (`mark_tuned`). `origin` is what ours is made from: the `data`, what the
    paper has `printed`, or nothing, because the protocol takes over the `given` number."""

    item: str
    row: str
    column: str
    published: float
    digits: int
    reproduced: float
    reason: str = ""
    substitute: str = ""
    tuned: str = ""
    origin: str = "data"


def make_cell(
    item: str, row: str, column: str, published: float | None, *rest: Any, **fields: Any
) -> Cell:
    """A cell; None stands for what the paper has not."""
    return Cell(item, row, column, np.nan if published is None else published, *rest, **fields)


def mark_tuned(
    cells: list[Cell], table: Mapping[str, Any], tuned: Mapping[str, Collection[str]]
) -> list[Cell]:
    """The cells, `tuned` where a weighting's parameters were chosen with human scores of the set;
    `tuned` has by set the weightings that are tuned on it. In a table of correlations these are
    values of a tuned weighting, and mean gains over sets of which one is tuned; in an ablation all
    but the unweighted metric and what no threshold enters, since the variants keep h or w of the
    search."""

    def is_tuned(cell: Cell) -> bool:
        if table["kind"] == "ablation":
            variant = cell.row.rpartition(": ")[2]
            return bool(tuned.get(table["set"])) and variant not in UNTUNED
        columns = [
            column
            for column in table["columns"]
            if cell.column in {f"{column['label']} {symbol}" for symbol in SYMBOLS.values()}
        ]
        return any(
            weightings[cell.row] in tuned.get(column["set"], ())
            for column in columns or table["columns"]
        )

    if table["kind"] not in ("ablation", "correlations"):
        return cells
    weightings = {row_label(row): row["weighting"] for row in table.get("rows", [])}
    return [cell._replace(tuned="yes") if is_tuned(cell) else cell for cell in cells]


def layout(cells: list[Cell], texts: dict[str, str] | None = None) -> pd.DataFrame:
    """The table as printed: rows × columns of `ours [published]`, in the order of the cells; a
    row's sentence, if there are any, comes in this order too. `–` stands for a number that is
    not there, † for one made with another encoder than the paper's, § for one made with
    parameters that were chosen on its own set; a cell of neither number is empty."""
    texts = texts or {}
    columns = list(dict.fromkeys(cell.column for cell in cells))
    rows = list(dict.fromkeys([*texts, *(cell.row for cell in cells)]))
    values = {(cell.row, cell.column): _text(cell) for cell in cells}
    frame = pd.DataFrame(
        [[row, *(values.get((row, column), "") for column in columns)] for row in rows],
        columns=["", *columns],
    )
    return frame.assign(Sentence=[texts.get(row, "") for row in rows]) if texts else frame


def _text(cell: Cell) -> str:
    if np.isnan(cell.published) and np.isnan(cell.reproduced):
        return ""
    ours, published = (
        "–" if np.isnan(value) else f"{value:.{cell.digits}f}"
        for value in (cell.reproduced, cell.published)
    )
    ours += "†" * bool(cell.substitute and ours != "–")
    ours += TUNED * bool(cell.tuned and ours != "–")
    return ours if published == "–" else f"{ours} [{published}]"


def to_markdown(frame: pd.DataFrame, caption: str, notes: Sequence[str] = ()) -> str:
    """A table as markdown, with its caption, how to read it, and notes."""
    table = frame.to_markdown(index=False, disable_numparse=True)
    return "\n\n".join([caption, "Ours [published].", table, *notes]) + "\n"


def to_latex(frame: pd.DataFrame, caption: str, label: str, notes: Sequence[str] = ()) -> str:
    """A table as LaTeX; needs booktabs, and a Unicode engine for τ, ρ, µ, σ and arrows."""
    text = " ".join([caption, "Ours [published].", *notes])
    body = frame.to_latex(index=False, escape=True, caption=text, label=f"tab:{label}")
    body = re.sub(r"\*\*(.+?)\*\*", r"\\textbf{\1}", body)
    return f"% Needs \\usepackage{{booktabs}} and XeLaTeX or LuaLaTeX.\n{body}"


def notes(cells: list[Cell]) -> list[str]:
    """What † means in a table, for every encoder that it stands for, and what § does."""
    found = dict.fromkeys(cell.substitute for cell in cells if cell.substitute)
    texts = [f"† {substitute}; not compared with the paper." for substitute in found]
    return texts + [TUNED_NOTE] * any(cell.tuned for cell in cells)
