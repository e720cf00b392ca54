"""Tables of results as notebooks show them."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import pandas as pd


def as_html(title: str, table: pd.DataFrame, notices: Sequence[str], *, index: bool = True) -> str:
    """Return a table as HTML, with a title above and notices below.

    Parameters
    ----------
    title : str
        Empty for none.
    table : DataFrame
    notices : sequence of str
    index : bool
        Whether the index is shown.

    Returns
    -------
    str
    """
    parts = [f"<p>{escape(title)}</p>"] if title else []
    parts.append(table.to_html(index=index))
    parts += [f"<p>{escape(notice)}</p>" for notice in notices]
    return "\n".join(parts)
