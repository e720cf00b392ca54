"""Tables as they are printed: ours [published], as a data frame, markdown and LaTeX."""

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from ..evidence.labels import TUNED, TUNED_NOTE
from .tables import Cell


def layout(cells: list[Cell], texts: dict[str, str] | None = None) -> pd.DataFrame:
    """The table as printed: rows × columns of `ours [published]`, in the order of the cells.

    Parameters
    ----------
    cells : list of Cell
    texts : dict of str to str, optional
        A row's sentence; rows of a sentence alone come in this order too.

    Returns
    -------
    DataFrame of str
        `–` stands for a number that is not there, † for one made with another encoder than the
        paper's, § for one made with parameters that were chosen on its own set; a cell of neither
        number is empty.
    """
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
