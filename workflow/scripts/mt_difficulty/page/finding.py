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
    from ..data.set_files import SetFiles

MOST = 300  # rows of the index's table; with more, it has a row for each set and weighting
ROWS = 40  # rows of a panel; with more, a row is a metric and its dots are sets
VERDICTS = (changes.HELPS, changes.HARMS, changes.EQUIVALENT, changes.UNKNOWN, changes.NOT_JUDGED)
LOOKS = dict(zip(VERDICTS, ("better", "worse", "equal", "unclear", "gold"), strict=True))
LINE, TOP, BOTTOM, EDGE = 22, 30, 26, 12  # pixels of a row; above and below rows; beside a panel
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
    """What a page says first, of changes as from `read` with `set`; `sets` and `campaigns` are how
    many the page is of, `synthetic` whether all sets are made up, `of_set` whether the page is that
    of a set.

    Gives `lead` and `limits`, texts; `weightings`: label and text; `forest`; `table` as from
    `result_table`, None without changes; `short`, whether this is a row for each set and
    weighting."""
    judged = table_of(records)
    found = run_findings.findings(judged, sets, campaigns, synthetic)
    short, table = len(judged) > MOST, None
    if short:
        table = by_set(judged)
    elif len(judged):
        frame = judged[list(SHOWN)].rename(columns={old: new for old, new in SHOWN.items() if new})
        if frame.effective_mean.notna().all():
            frame["effective_mean"] = frame.effective_mean.round().astype(int)
        frame = frame.assign(tuned=frame.tuned.map({True: "yes", False: ""}))
        uses_gold = judged.groupby("weighting").uses_gold.all()
        gold = {str(name): Mark(bool(uses)) for name, uses in uses_gold.items()}
        table = result_table(frame.drop(columns=["set"] * of_set), gold)
    return {
        "lead": found.lead,
        "limits": found.limits,
        "weightings": [{"name": name, "text": text} for name, text in found.weightings.items()],
        "forest": forest(judged),
        "table": table,
        "short": short,
    }


def by_set(judged: pd.DataFrame) -> dict[str, Any]:
    """How often a weighting helps or harms on a set, and the median change."""
    rows = []
    for (name, weighting), own in judged.groupby(["set", "weighting"], sort=False):
        row = {"set": name, "weighting": weighting, "metrics": len(own)}
        row |= {verdict: int((own.verdict == verdict).sum()) for verdict in VERDICTS}
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
    """The figure's marks in both shapes, from `changes.judge` with `set`; None without changes.

    `many`, whether rows are metrics; `looks`, the verdicts that there are; `left_out`, how many
    rows have no place; `shapes` by name: width, height and panels."""
    if judged.empty:
        return None
    pairs = judged[["set", "metric"]].drop_duplicates()
    many = len(pairs) > ROWS
    of_metric = many or pairs["set"].nunique() == 1
    keys = judged.metric if of_metric else judged["set"] + " " + judged.metric
    judged = judged.assign(key=keys)
    rows = list(dict.fromkeys(keys))
    shown = judged[judged.key.isin(rows[:ROWS])]

    # Points and at least half of the intervals have a place on the axis; wider ones are cut off.
    widths = shown[["low", "high"]].abs().max(axis=1, skipna=False).dropna()
    end = 1.1 * max(shown.difference.abs().max(), widths.median() if len(widths) else 0, 0.02)
    groups = [group for _, group in shown.groupby("weighting", sort=False)]
    shapes = {}
    for name, shape in SHAPES.items():
        columns = min(shape.beside, len(groups))
        width = (shape.width - shape.labels) / columns
        panels, top = [], 0.0
        for start in range(0, len(groups), columns):
            beside = groups[start : start + columns]
            # Rows that none of these panels has take no place.
            there = [key for key in rows if any((group.key == key).any() for group in beside)]
            for place, group in enumerate(beside):
                left = shape.labels + place * width + EDGE
                ends = left, left + width - 2 * EDGE
                panels.append(_panel(group, there, ends, top, end, many) | {"first": not place})
            top += TOP + LINE * len(there) + BOTTOM
        for row in (row for panel in panels for row in panel["rows"]):
            if len(row["label"]) > shape.letters:
                row["label"] = row["label"][: shape.letters - 1] + "…"
        size = {"width": shape.width, "height": round(top), "labels": shape.labels}
        shapes[name] = size | {"panels": panels}
    return {
        "many": many,
        "looks": {look: name for name, look in LOOKS.items() if (judged.verdict == name).any()},
        "left_out": max(0, len(rows) - ROWS),
        "shapes": shapes,
    }


def _panel(
    group: pd.DataFrame,
    keys: list[str],
    ends: tuple[float, float],
    top: float,
    end: float,
    many: bool,
) -> dict[str, Any]:
    """A weighting's panel between two places of x, for values from -end to end: points of rows with
    their intervals; of many sets points alone, and their median."""

    def x(value: float) -> float:
        return round(ends[0] + (value + end) / (2 * end) * (ends[1] - ends[0]), 1)

    marks: list[dict[str, Any]] = []
    for at, key in enumerate(keys):
        own, y = group[group.key == key], top + TOP + LINE * at + 7
        row: Any
        for row in own.itertuples():
            mark = {"y": y, "x": x(row.difference), "look": LOOKS[row.verdict]}
            if not many and np.isfinite([row.low, row.high]).all():
                mark |= {"low": x(max(row.low, -end)), "high": x(min(row.high, end))}
                mark |= {"cut_low": row.low < -end, "cut_high": row.high > end}
            marks.append(mark)
        if many and len(own) > 1:
            marks.append({"y": y, "x": x(own.difference.median()), "look": "median"})

    # Ticks at zero and at one round number on each side.
    power = 10.0 ** np.floor(np.log10(end))
    step = max(factor * power for factor in (1, 2, 5) if factor * power <= 0.8 * end or factor == 1)
    step = step if step <= end else step / 2
    weighting, uses_gold = group.weighting.iloc[0], bool(group.uses_gold.all())
    return {
        "label": marked(weighting, uses_gold, bool(group.tuned.all())),
        "x": ends[0],
        "y": top + 14,
        "top": top + TOP - 6,
        "bottom": top + TOP + LINE * len(keys),
        "ends": ends,
        "zero": x(0),
        "ticks": [{"x": x(value), "text": number(value, 2)} for value in (-step, 0.0, step)],
        "rows": [{"y": top + TOP + LINE * at + 11, "label": key} for at, key in enumerate(keys)],
        "marks": marks,
    }
