"""Long tables, whose rows the page makes when a reader comes near them."""

from __future__ import annotations

from typing import Any

LONG = 200  # rows, from which a table is packed


def packed_rows(table: dict[str, Any]) -> dict[str, Any] | None:
    """The rows of a long table by column, each text of a column once.

    Parameters
    ----------
    table : dict
        As from `report_tables.result_table`.

    Returns
    -------
    dict or None
        `columns`, of each its distinct `texts` in order of appearance and, for each row, a place
        `at` among them; `ids`, where there are some. None of a short table.
    """
    rows = table["rows"]
    if len(rows) < LONG:
        return None
    found: dict[str, Any] = {"columns": [_distinct(column) for column in zip(*rows, strict=True)]}
    return found | ({"ids": table["ids"]} if table.get("ids") else {})


def _distinct(column: Any) -> dict[str, list]:
    places = {text: place for place, text in enumerate(dict.fromkeys(column))}
    return {"texts": list(places), "at": [places[text] for text in column]}
