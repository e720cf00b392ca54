"""Where the marks of the figure of changes stand: a panel for each weighting, a row for each set
and metric, or, of many sets, for each metric."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..evidence.changes import EQUIVALENT, NOT_JUDGED
from ..evidence.synthesis import HARMS, HELPS, UNKNOWN
from .report_tables import marked, number

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

MOST = 40  # rows of a panel; with more, a row is a metric and its dots are sets
LOOKS = {
    HELPS: "better",
    HARMS: "worse",
    EQUIVALENT: "equal",
    UNKNOWN: "unclear",
    NOT_JUDGED: "gold",
}
LINE, TOP, BOTTOM = 22, 30, 26  # pixels of a row, and above and below rows


class Shape(NamedTuple):
    """Pixels: width of the figure and of the rows' labels; panels side by side; characters of a
    label, at most."""

    width: int
    labels: int
    beside: int
    letters: int


# For screens of computers and paper, and for phones.
SHAPES = {"wide": Shape(900, 230, 3, 36), "narrow": Shape(340, 160, 1, 26)}


def forest(changes: pd.DataFrame) -> dict[str, Any] | None:
    """The figure's marks in both shapes; None without changes.

    Parameters
    ----------
    changes : DataFrame
        From `changes.judge`, with `set`.

    Returns
    -------
    dict
        `many`, whether rows are metrics; `looks`, the verdicts that there are; `left_out`, how many
        rows have no place; `shapes` by name: width, height and panels.
    """
    if changes.empty:
        return None
    pairs = changes[["set", "metric"]].drop_duplicates()
    many = len(pairs) > MOST
    keys = changes.metric if many else changes["set"] + " " + changes.metric
    if not many and pairs["set"].nunique() == 1:
        keys = changes.metric
    changes = changes.assign(key=keys)
    rows = list(dict.fromkeys(changes.key))
    shown = changes[changes.key.isin(rows[:MOST])]
    end = _end(shown)
    return {
        "many": many,
        "looks": {look: name for name, look in LOOKS.items() if (changes.verdict == name).any()},
        "left_out": len(rows) - len(rows[:MOST]),
        "shapes": {
            name: _figure(shown, rows[:MOST], end, shape, many) for name, shape in SHAPES.items()
        },
    }


def _end(changes: pd.DataFrame) -> float:
    """Where the axis ends on both sides: points and at least half of the intervals have a place;
    wider intervals are cut off."""
    widths = changes[["low", "high"]].abs().max(axis=1, skipna=False).dropna()
    return 1.1 * max(changes.difference.abs().max(), widths.median() if len(widths) else 0, 0.02)


def _figure(
    changes: pd.DataFrame, rows: list[str], end: float, shape: Shape, many: bool
) -> dict[str, Any]:
    groups = list(changes.groupby("weighting", sort=False))
    columns = min(shape.beside, len(groups))
    width = (shape.width - shape.labels) / columns
    panels, top = [], 0.0
    for start in range(0, len(groups), columns):
        beside = groups[start : start + columns]
        # Rows that none of these panels has take no place.
        there = [key for key in rows if any((own.key == key).any() for _, own in beside)]
        for place, (_, own) in enumerate(beside):
            panel = _panel(own, there, end, (shape.labels + place * width, top, width), many) | {
                "first": not place
            }
            for row in panel["rows"]:
                if len(row["label"]) > shape.letters:
                    row["label"] = row["label"][: shape.letters - 1] + "…"
            panels.append(panel)
        top += TOP + LINE * len(there) + BOTTOM
    return {"width": shape.width, "height": round(top), "labels": shape.labels, "panels": panels}


def _panel(
    own: pd.DataFrame, rows: list[str], end: float, place: tuple[float, float, float], many: bool
) -> dict[str, Any]:
    left, top, width = place
    edge = 12
    ends = left + edge, left + width - edge

    def x(value: float) -> float:
        return round(ends[0] + (value + end) / (2 * end) * (ends[1] - ends[0]), 1)

    first = own.iloc[0]
    marks = [
        mark for at, key in enumerate(rows) for mark in _marks(own, key, at, top, x, end, many)
    ]
    return {
        "label": marked(first.weighting, bool(own.uses_gold.all()), bool(own.tuned.all())),
        "x": left + edge,
        "y": top + 14,
        "top": top + TOP - 6,
        "bottom": top + TOP + LINE * len(rows),
        "ends": ends,
        "zero": x(0),
        "ticks": [{"x": x(value), "text": number(value, 2)} for value in _ticks(end)],
        "rows": [{"y": top + TOP + LINE * at + 11, "label": key} for at, key in enumerate(rows)],
        "marks": marks,
    }


def _marks(
    own: pd.DataFrame, key: str, at: int, top: float, x: Any, end: float, many: bool
) -> Iterator[dict[str, Any]]:
    """Points of a row with their intervals; of many sets points alone, and their median."""
    found = own[own.key == key]
    y = top + TOP + LINE * at + 7
    row: Any
    for row in found.itertuples():
        mark = {"y": y, "x": x(row.difference), "look": LOOKS[row.verdict], "tuned": row.tuned}
        if not many and np.isfinite([row.low, row.high]).all():
            low, high = max(row.low, -end), min(row.high, end)
            mark |= {"low": x(low), "high": x(high)}
            mark |= {"cut_low": row.low < -end, "cut_high": row.high > end}
        yield mark
    if many and len(found) > 1:
        yield {"y": y, "x": x(found.difference.median()), "look": "median"}


def _ticks(end: float) -> list[float]:
    """Zero and one round number on each side."""
    power = 10.0 ** np.floor(np.log10(end))
    step = max(factor * power for factor in (1, 2, 5) if factor * power <= 0.8 * end or factor == 1)
    step = step if step <= end else step / 2
    return [-step, 0.0, step]
