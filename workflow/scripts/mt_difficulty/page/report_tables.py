"""Tables for the page: a paper's, with a verdict on every cell, and those of result files."""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..evidence.labels import TUNED, TUNED_NOTE
from ..evidence.subsets import row_label
from ..statistics import STATISTICS
from . import row_names
from .headings import HEADINGS, LATER

MINUS = "−"
DASH = "–"
# Stands behind the name of whatever is made with human scores of the set.
GOLD = "uses human scores"


class Mark(NamedTuple):
    """In what way a weighting uses human scores of the set: its difficulty is estimated from them,
    or its parameters were chosen with them."""

    uses_gold: bool = False
    tuned: bool = False


NO_MARKS: Mapping[str, Mark] = MappingProxyType({})
LONG = 1e15  # from here on, a number is written with a power of ten
# How a verdict looks without colours.
MARKS = {
    "reproduced": "✓",
    "close": "≈",
    "differs": "≠",
    "derived": "=",
    "input": "→",
    "other encoder": "†",
    "not computable": "∅",
    "holds": "⊤",
    "does not hold": "⊥",
    "partly computable": "◐",
    "ours": "+",
}
_GROUPED = re.compile(r"(.+) (Δ?[rτρ])")


def number(value: float, digits: int = 3) -> str:
    """A number for people: true minus, a dash for NaN, small ones with their own digits."""
    if isinstance(value, (int, np.integer)):
        return str(value).replace("-", MINUS)
    if not np.isfinite(value):
        return DASH if np.isnan(value) else f"{value}".replace("inf", "∞").replace("-", MINUS)
    text = f"{value:.{digits}f}" if abs(value) < LONG else f"{value:.{digits}g}"
    if not float(text):
        text = f"{value:.1g}" if abs(value) > 1e-12 else f"{0:.{digits}f}"
    return text.replace("-", MINUS)


def marked(text: str, uses_gold: bool, tuned: bool = False) -> str:
    """A name, with marks where what it names is made with human scores."""
    return text + TUNED * tuned + f" ({GOLD})" * uses_gold


def score_label(row: Mapping[str, Any], gold: Mapping[str, Mark] = NO_MARKS) -> str:
    """The label of a metric under a weighting, with the weighting's marks."""
    return marked(row_label(row), *gold.get(row["weighting"], Mark()))


def result_table(frame: pd.DataFrame, gold: Mapping[str, Mark] = NO_MARKS) -> dict:
    """A result file as headings and texts; `low` and `high` columns become one interval.

    Parameters
    ----------
    frame : DataFrame
    gold : mapping of str to Mark
        Of weightings that use human scores: these, and difficulties made with them, are marked. A
        column `tuned` counts for its row, whatever the weighting's mark.

    Returns
    -------
    dict
        `columns`: heading, explanation, whether it holds text, and whether it is shown only when
        asked for (`more`); `rows` of texts; by row its `ids`, as in `row_names`.
    """
    names = {"ids": row_names.row_ids(frame)}
    frame = mark_gold(frame, gold).replace("", np.nan).dropna(axis="columns", how="all")
    frame = frame.rename(columns={"low": "interval_low", "high": "interval_high"})
    columns, texts = [], []
    later = next((LATER[name] for name in LATER if name in frame), ())
    for name in map(str, frame):
        if name.endswith("_high"):
            continue
        stem, numeric = name.removesuffix("_low"), pd.api.types.is_numeric_dtype(frame[name])
        heading, explanation = _heading(name)
        column = {"heading": heading, "explanation": explanation, "text": not numeric}
        columns.append(column | {"more": name in later})
        if name != stem:
            texts.append([interval(*ends) for ends in frame[[name, f"{stem}_high"]].to_numpy()])
        else:
            texts.append([number(v) if numeric else _text(v) for v in frame[name].tolist()])
    return {"columns": columns, "rows": [list(row) for row in zip(*texts, strict=True)]} | names


def _heading(column: str) -> tuple[str, str]:
    """Heading and explanation of a result file's column."""
    if column in STATISTICS:
        return STATISTICS[column].symbol, STATISTICS[column].description
    return HEADINGS.get(column, (column.removesuffix("_low").replace("_", " "), ""))


def statistic_heads(statistics: Sequence[str]) -> list[dict[str, str]]:
    """Name, symbol and description of statistics."""
    return [
        {"name": name, "symbol": STATISTICS[name].symbol, "text": STATISTICS[name].description}
        for name in statistics
    ]


def mark_gold(frame: pd.DataFrame, gold: Mapping[str, Mark]) -> pd.DataFrame:
    """A table whose weightings, and their difficulties, have the marks of `gold`; a column `tuned`
    counts for its row, whatever the weighting's mark."""
    if "weighting" not in frame:
        return frame
    marks = [gold.get(name, Mark()) for name in frame.weighting]
    tuned = [mark.tuned for mark in marks]
    if "tuned" in frame:
        tuned = [value == "yes" for value in frame.tuned]
    uses = [mark.uses_gold for mark in marks]
    names = map(marked, frame.weighting, uses, tuned)
    found = frame.assign(weighting=pd.Series(list(names), frame.index, dtype=object))
    if "difficulty" in frame:
        difficulties = list(map(marked, frame.difficulty, uses))
        found = found.assign(difficulty=pd.Series(difficulties, frame.index, dtype=object))
    return found


def _text(value: Any) -> str:
    """The text of a field; empty ones are NaN."""
    return "" if isinstance(value, float) and np.isnan(value) else str(value)


def interval(low: float, high: float) -> str:
    """An interval for people; empty if undefined."""
    return "" if np.isnan([low, high]).any() else f"[{number(low)}, {number(high)}]"


def correlation_table(
    correlations: pd.DataFrame,
    significance: pd.DataFrame | None,
    statistics: Sequence[str],
    gold: Mapping[str, Mark] = NO_MARKS,
) -> list[dict]:
    """Correlations over all systems, with intervals where there are any.

    Parameters
    ----------
    correlations, significance : DataFrame
        As the files of these names; the latter may be None.
    statistics : sequence of str
        Of system scores.
    gold : mapping of str to Mark
        Of weightings that use human scores.

    Returns
    -------
    list of dict
        A metric's label, weighting and difficulty; a value and an interval for each statistic, or a
        reason.
    """
    found = {}
    if significance is not None:
        rows = significance[significance.subset == "all"]
        found = {
            (metric, weighting, statistic): interval(low, high)
            for metric, weighting, statistic, low, high in rows[
                ["metric", "weighting", "statistic", "both_low", "both_high"]
            ].itertuples(index=False)
        }
    rows = correlations[correlations.subset == "all"]
    marks = mark_gold(rows, gold)
    return [
        {
            "metric": row.metric,
            "weighting": mark.weighting,
            "difficulty": mark.difficulty,
            "values": [
                (
                    number(getattr(row, statistic)),
                    found.get((row.metric, row.weighting, statistic), ""),
                )
                for statistic in statistics
            ],
            "reason": row.reason,
            "id": row_names.slug(str(row.metric), str(row.weighting)),
        }
        for row, mark in zip(rows.itertuples(), marks.itertuples(), strict=True)
    ]


def paper_table(cells: pd.DataFrame, layout: pd.DataFrame, ledger: pd.DataFrame) -> dict:
    """A paper's table, cell by cell, with its verdicts and the reasons as numbered notes.

    Parameters
    ----------
    cells : DataFrame
        As in `tables.Cell`.
    layout : DataFrame of str
        The table as printed: the row's label, columns, `Sentence` where rows have one.
    ledger : DataFrame
        The audit's rows of this item.

    Returns
    -------
    dict
        `groups`: (label, how many columns), or empty; `columns`; `rows` with label, cells (None
        where there are no numbers) and sentence; `notes` with text and how many cells they are of.
    """
    verdicts = {(row.row, row.column): (row.status, row.reason) for row in ledger.itertuples()}
    columns = [name for name in layout.columns[1:] if name != "Sentence"]
    notes: dict[str, int] = {}
    places = {(cell.row, cell.column): cell for cell in cells.itertuples()}
    rows = []
    for printed in layout.itertuples(index=False):
        found = [_cell(places.get((printed[0], name)), verdicts, notes) for name in columns]
        sentence = _bold(printed[-1]) if layout.columns[-1] == "Sentence" else []
        rows.append({"label": printed[0], "cells": found, "sentence": sentence})
    groups, columns = _group(columns)
    if count := int((cells.tuned == "yes").sum()):
        notes[TUNED_NOTE] = count
    return {
        "groups": groups,
        "columns": columns,
        "rows": rows,
        "notes": [{"text": text, "count": count} for text, count in notes.items()],
    }


def _cell(cell: Any, verdicts: dict, notes: dict[str, int]) -> dict | None:
    """One cell's texts, verdict and note (from 1; None without a reason)."""
    if cell is None or np.isnan([cell.published, cell.reproduced]).all():
        return None
    reasons = [text for text in (cell.substitute, cell.reason) if isinstance(text, str) and text]
    own = ("ours", "; ".join(reasons))
    status, reason = verdicts.get((cell.row, cell.column), own)
    note = None
    if reason:
        notes[reason] = notes.get(reason, 0) + 1
        note = list(notes).index(reason) + 1
    return {
        "ours": marked(number(cell.reproduced, cell.digits), False, cell.tuned == "yes"),
        "published": "" if np.isnan(cell.published) else number(cell.published, cell.digits),
        "status": status,
        "mark": MARKS[status],
        "note": note,
    }


def _group(columns: list[str]) -> tuple[list, list[str]]:
    """Headings over columns whose names end in a statistic's symbol, where all do."""
    parts = [_GROUPED.fullmatch(name) for name in columns]
    if not all(parts):
        return [], columns
    groups: list[list] = []
    for part in filter(None, parts):
        if groups and groups[-1][0] == part[1]:
            groups[-1][1] += 1
        else:
            groups.append([part[1], 1])
    return groups, [part[2] for part in filter(None, parts)]


def _bold(sentence: Any) -> list[tuple[str, bool]]:
    """A sentence with **words** as (text, whether bold)."""
    if not isinstance(sentence, str):
        return []
    parts = re.split(r"\*\*(.+?)\*\*", sentence)
    return [(text, bool(place % 2)) for place, text in enumerate(parts) if text]
