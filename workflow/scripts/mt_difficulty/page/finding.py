"""What stands first on the index and on the page of a set: what was found, in words, as a figure (a
panel for each weighting, a row for each set and metric, or, of many sets, for each metric), and as
a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from ..evidence import changes, run_findings
from .tables import Mark, marked, number, result_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..data.set_files import SetFiles

MOST = 300  # rows of the index's table; with more, it has a row for each set and weighting
ROWS = 40  # rows of a panel; with more, a row is a metric and its dots are sets
VERDICTS = (changes.HELPS, changes.HARMS, changes.EQUIVALENT, changes.UNKNOWN, changes.NOT_JUDGED)
LOOKS = dict(zip(VERDICTS, ("better", "worse", "equal", "unclear", "gold"), strict=True))
LINE, TOP, BOTTOM = 22, 30, 26  # pixels of a row, and above and below rows
TEXTS = ("set", *changes.KEY, "over", "reason")
FLAGS = ("uses_gold", "tuned")
SHOWN = {
    **dict.fromkeys(("set", *changes.KEY)),
    "standard": "standard_r",
    "value": "weighted_r",
    "difference": "change",
    "low": "change_low",
    "high": "change_high",
    "p": "change_p",
    "p_adjusted": "adjusted_p",
    "family": None,
    "verdict": "change_verdict",
    "note": None,
    "random": "random_change",
    "random_low": "random_change_low",
    "random_high": "random_change_high",
    "effective": "effective_mean",
    "soft": "change_soft",
    "soft_low": "change_soft_low",
    "soft_high": "change_soft_high",
    "tuned": "tuned",
}


def read(files: SetFiles, gold: Mapping[str, Mark]) -> list[dict[str, Any]]:
    """The changes of a set, as JSON can hold them; none without human scores."""
    tables = ("significance.csv", "agreement.csv", "controls.csv")
    significance, agreement, controls = map(files.optional, tables)
    if significance is None or significance.empty:
        return []
    found = changes.of_set(significance, agreement, controls, gold)
    rows = found.astype(object).where(found.notna(), None).to_numpy().tolist()
    return [dict(zip(changes.COLUMNS, row, strict=True)) for row in rows]


def table_of(records: list[dict[str, Any]]) -> pd.DataFrame:
    """The changes of sets, judged; `records` as from `read`, with `set`."""
    found = pd.DataFrame(records, columns=["set", *changes.COLUMNS])
    numbers = [name for name in changes.COLUMNS if name not in (*TEXTS, *FLAGS)]
    found[numbers] = found[numbers].astype(float)
    return changes.judge(found)


def describe(
    records: list[dict[str, Any]], sets: int, campaigns: int, synthetic: bool, of_set: bool = False
) -> dict[str, Any]:
    """What a page says first.

    Parameters
    ----------
    records : list of dict
        As from `read`, with `set`.
    sets, campaigns : int
        How many the page is of.
    synthetic : bool
        Whether all sets are made up.
    of_set : bool
        Whether the page is that of a set.

    Returns
    -------
    dict
        `lead` and `limits`, texts; `weightings`: label and text; `forest` as in `forest.forest`;
        `table` as in `result_table`, None without changes; `short`, whether this is a
        row for each set and weighting.
    """
    judged = table_of(records)
    found = run_findings.findings(judged, sets, campaigns, synthetic)
    short = len(judged) > MOST
    return {
        "lead": found.lead,
        "limits": found.limits,
        "weightings": [{"name": name, "text": text} for name, text in found.weightings.items()],
        "forest": forest(judged),
        "table": (by_set(judged) if short else by_metric(judged, of_set)) if len(judged) else None,
        "short": short,
    }


def by_metric(judged: pd.DataFrame, of_set: bool) -> dict[str, Any]:
    """All changes as a table."""
    frame = judged[list(SHOWN)].rename(columns={old: new for old, new in SHOWN.items() if new})
    if frame.effective_mean.notna().all():
        frame["effective_mean"] = frame.effective_mean.round().astype(int)
    frame = frame.assign(tuned=frame.tuned.map({True: "yes", False: ""}))
    gold = {
        str(name): Mark(bool(rows.uses_gold.all()), False)
        for name, rows in judged.groupby("weighting")
    }
    if of_set:
        frame = frame.drop(columns="set")
    return result_table(frame, gold)


def by_set(judged: pd.DataFrame) -> dict[str, Any]:
    """How often a weighting helps or harms on a set, and the median change."""
    rows = []
    for (name, weighting), own in judged.groupby(["set", "weighting"], sort=False):
        counts = own.verdict.value_counts()
        row = {"set": name, "weighting": weighting, "metrics": len(own)}
        row |= {verdict: int(counts.get(verdict, 0)) for verdict in VERDICTS}
        row["family"] = own.family.max()  # of a tuned one there is none
        rows.append(row | {"median change": own.difference.median()})
    return result_table(pd.DataFrame(rows))


class Shape(NamedTuple):
    """Pixels: width of the figure and of the rows' labels; panels side by side; characters of a
    label, at most."""

    width: int
    labels: int
    beside: int
    letters: int


# For screens of computers and paper, and for phones.
SHAPES = {"wide": Shape(900, 230, 3, 36), "narrow": Shape(340, 160, 1, 26)}


def forest(judged: pd.DataFrame) -> dict[str, Any] | None:
    """The figure's marks in both shapes; None without judged.

    Parameters
    ----------
    judged : DataFrame
        From `changes.judge`, with `set`.

    Returns
    -------
    dict
        `many`, whether rows are metrics; `looks`, the verdicts that there are; `left_out`, how many
        rows have no place; `shapes` by name: width, height and panels.
    """
    if judged.empty:
        return None
    pairs = judged[["set", "metric"]].drop_duplicates()
    many = len(pairs) > ROWS
    keys = judged.metric if many else judged["set"] + " " + judged.metric
    if not many and pairs["set"].nunique() == 1:
        keys = judged.metric
    judged = judged.assign(key=keys)
    rows = list(dict.fromkeys(judged.key))
    shown = judged[judged.key.isin(rows[:ROWS])]
    end = _end(shown)
    return {
        "many": many,
        "looks": {look: name for name, look in LOOKS.items() if (judged.verdict == name).any()},
        "left_out": len(rows) - len(rows[:ROWS]),
        "shapes": {
            name: _figure(shown, rows[:ROWS], end, shape, many) for name, shape in SHAPES.items()
        },
    }


def _end(judged: pd.DataFrame) -> float:
    """Where the axis ends on both sides: points and at least half of the intervals have a place;
    wider intervals are cut off."""
    widths = judged[["low", "high"]].abs().max(axis=1, skipna=False).dropna()
    return 1.1 * max(judged.difference.abs().max(), widths.median() if len(widths) else 0, 0.02)


def _figure(
    judged: pd.DataFrame, rows: list[str], end: float, shape: Shape, many: bool
) -> dict[str, Any]:
    groups = list(judged.groupby("weighting", sort=False))
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
