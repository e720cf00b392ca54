"""Tables of the pages: result files and statistics of the WMT metrics task, formatted as text.
Templates add headings and explanations."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..evidence.subsets import row_label
from ..statistics import STATISTICS
from ..storage import Content
from ..tables import column_of
from ..weighting.base import STANDARD
from ..weighting.fitted import TUNED

MINUS = "−"
DASH = "–"
# Mark after the name of a difficulty or weighting that uses human scores of the set.
GOLD = "uses human scores"


class Mark(NamedTuple):
    """How a weighting uses human scores of the set: its difficulty is estimated from them
    (`uses_gold`), or its parameters were chosen with them (`tuned`)."""

    uses_gold: bool = False
    tuned: bool = False


NO_MARKS: Mapping[str, Mark] = {}
ZERO = 1e-12  # up to here, a number is rounding error
LONG = 1e15  # from here on, a number is written with a power of ten
PACKED = 200  # rows, from which the page holds a table as JSON
P_VALUE = re.compile(r"(?:^|_)p(?:_adjusted)?$")  # names of columns of p
# Columns that are shown only when asked for, by a column that says of what table they are.
LATER = {
    "both_low": (
        *(f"{kind}{over}_low" for kind in ("", "difference_") for over in ("segments", "systems")),
        *("joint_low", "difference_joint_low", "contribution_p", "williams_p", "effective_min"),
        *("left_out", "difficulty"),
    ),
    "change_difference": "difficulty family change_p change_random_low change_effective".split(),
}
GROUPINGS = {"none": "all segments", "item": "by segment", "system": "by system"}
RANK = "rank of the cluster of significance (permutation test, p ≤ 0.05, not adjusted)"


def number(value: float, digits: int = 3) -> str:
    """Format a number with `digits` decimals, or more if these would all be 0; NaN as a dash."""
    if isinstance(value, (int, np.integer)):
        return str(value).replace("-", MINUS)
    if not np.isfinite(value):
        return DASH if np.isnan(value) else f"{value}".replace("inf", "∞").replace("-", MINUS)
    text = f"{value:.{digits}f}" if abs(value) < LONG else f"{value:.{digits}g}"
    if not float(text):
        text = f"{value:.1g}" if abs(value) > ZERO else f"{0:.{digits}f}"
    return text.replace("-", MINUS)


def p_value(p: float) -> str:
    """Return p as text with three decimals; `< 0.001` for smaller p, a dash for NaN."""
    return DASH if np.isnan(p) else "< 0.001" if p < 0.001 else f"{p:.3f}"


def interval(low: float, high: float, digits: int = 3) -> str:
    """Return `[low, high]` as text with `digits` decimals; empty if either is NaN."""
    known = not np.isnan([low, high]).any()
    return f"[{number(low, digits)}, {number(high, digits)}]" if known else ""


def marked(text: str, uses_gold: bool, tuned: bool = False) -> str:
    """Return `text`, followed by § if `tuned` and by `(uses human scores)` if `uses_gold`."""
    return text + TUNED * tuned + f" ({GOLD})" * uses_gold


def score_label(row: Mapping[str, Any], gold: Mapping[str, Mark] = NO_MARKS) -> str:
    """Return a row's label, such as `EE-BLEU`, marked if its weighting uses human scores."""
    return marked(row_label(row), *gold.get(row["weighting"], Mark()))


def text_table(
    headings: Iterable[str], rows: list[list[str]], numeric: Container[str] = ()
) -> Content:
    """Return a dict for page templates: `rows`, and `columns`, text if not in `numeric`."""
    return {"columns": [{"heading": h, "text": h not in numeric} for h in headings], "rows": rows}


def result_table(frame: pd.DataFrame, gold: Mapping[str, Mark] = NO_MARKS) -> Content:
    """Format a result file as text; columns `low` and `high` become one interval. Weightings in
    `gold` and their difficulties are marked. Returns `columns` (see `_column`; `more` is true for
    columns shown only on request) and `rows` of texts."""
    frame = mark_gold(frame, gold).replace("", np.nan).dropna(axis="columns", how="all")
    frame = frame.rename(columns={"low": "interval_low", "high": "interval_high"})
    later = next((LATER[name] for name in LATER if name in frame), ())
    columns, texts = [], []
    for name in (name for name in map(str, frame) if not name.endswith("_high")):
        numeric = pd.api.types.is_numeric_dtype(frame[name])
        columns.append(_column(name, not numeric) | {"more": name in later})
        if name.endswith("_low"):
            ends = frame[[name, f"{name.removesuffix('_low')}_high"]].to_numpy()
            texts.append([interval(*both) for both in ends])
        else:
            known = frame[name] if numeric else frame[name].where(frame[name].notna(), "")
            form = p_value if P_VALUE.search(name) else number
            texts.append([form(v) if numeric else str(v) for v in known.tolist()])
    return {"columns": columns, "rows": [list(row) for row in zip(*texts, strict=True)]}


def _column(name: str, text: bool) -> Content:
    """Return a column's name, heading, explanation (of those with a heading of their own) and
    whether it holds text."""
    column = column_of(name)
    heading, explanation = name.removesuffix("_low").replace("_", " "), ""
    if column.heading:
        heading, explanation = column.heading, column.explanation
    return {"name": name, "heading": heading, "explanation": explanation, "text": text}


def mark_gold(frame: pd.DataFrame, gold: Mapping[str, Mark]) -> pd.DataFrame:
    """Append the marks of `gold` to the names of weightings and difficulties in a table. A column
    `tuned`, if present, replaces the weighting's `tuned` mark in its row."""
    if "weighting" not in frame:
        return frame
    marks = [gold.get(name, Mark()) for name in frame.weighting]
    uses, tuned = [mark.uses_gold for mark in marks], [mark.tuned for mark in marks]
    if "tuned" in frame:
        tuned = (frame.tuned == "yes").tolist()
    texts = {"weighting": list(map(marked, frame.weighting, uses, tuned))}
    if "difficulty" in frame:
        texts["difficulty"] = list(map(marked, frame.difficulty, uses))
    return frame.assign(**pd.DataFrame(texts, frame.index, dtype=object))


def packed_rows(table: Content) -> list[Content] | None:
    """Store the rows of a long table by column, with repeated texts only once. A column has its
    distinct `texts`, in order of appearance, and `at`, the index of each row's text. None for a
    table of fewer than PACKED rows."""
    if len(table["rows"]) < PACKED:
        return None
    columns = map(list, zip(*table["rows"], strict=True))
    factors = [pd.factorize(np.array(column, dtype=object)) for column in columns]
    return [{"texts": texts.tolist(), "at": at.tolist()} for at, texts in factors]


def correlation_table(
    correlations: pd.DataFrame,
    significance: pd.DataFrame | None,
    statistics: Sequence[str],
    gold: Mapping[str, Mark] = NO_MARKS,
) -> Content:
    """Tabulate correlations over all systems (`correlations.csv`). `significance`
    (`significance.csv`) adds intervals over segments and systems. `statistics` are names of
    statistics of system scores."""
    intervals = {}
    if significance is not None:
        columns = ["metric", "weighting", "statistic", "both_low", "both_high"]
        rows = significance.loc[significance.subset == "all", columns]
        intervals = {row[:3]: interval(*row[3:]) for row in rows.itertuples(index=False, name=None)}
    rows = correlations[correlations.subset == "all"]
    texts = mark_gold(rows, gold)[["metric", "weighting", "difficulty"]]
    for statistic in statistics:
        places = zip(rows.metric, rows.weighting, [statistic] * len(rows), strict=True)
        values = zip(rows[statistic], [intervals.get(place, "") for place in places], strict=True)
        texts[statistic] = [f"{number(value)} {end}".strip() for value, end in values]
    if rows.reason.any():
        texts["reason"] = rows.reason
    heads = [_column(x, x not in statistics) | {"more": x == "difficulty"} for x in map(str, texts)]
    return {"columns": heads, "rows": texts.to_numpy().tolist()}


def agreement_table(frame: pd.DataFrame, gold: Mapping[str, Mark]) -> Content:
    """Tabulate the statistics of the WMT metrics task (`agreement.csv`), with ranks in brackets. A
    row is a metric and weighting on a subset and domain, on which rows are sorted, best first, by
    soft pairwise accuracy (or else by the first statistic with values)."""
    heads = list(dict.fromkeys(zip(frame.statistic, frame.grouping, strict=True)))
    heads.sort(key=lambda head: head != ("soft_accuracy", ""))
    key = ["subset", "domain", "metric", "weighting"]
    wide = frame.assign(domain=frame.domain.where(frame.domain != "", "all"))
    wide = wide.pivot(index=key, columns=["statistic", "grouping"], values=["value", "rank"])
    best = next((head for head in heads if wide["value", *head].notna().any()), heads[0])
    wide = wide.iloc[np.argsort(-wide["value", *best], kind="stable")]
    wide = wide.loc[sorted(wide.index, key=lambda place: place[:2])]
    texts = mark_gold(wide.index.to_frame(), gold)[["metric", "weighting", "subset", "domain"]]
    columns: list[Content] = [{"heading": name, "text": True} for name in texts]
    rows = texts.to_numpy().tolist()
    for statistic, grouping in heads:
        about = STATISTICS[statistic]
        heading = f"{about.symbol} {GROUPINGS.get(grouping, '')}".strip()
        columns.append({"heading": heading, "explanation": f"{about.description}; {RANK}"})
        places = (wide[kind, statistic, grouping] for kind in ("value", "rank"))
        for row, value, rank in zip(rows, *places, strict=True):
            ranked = np.isfinite([value, rank]).all()
            row.append(number(value) + (f" ({rank:.0f})" if ranked else ""))
    return {"columns": columns, "rows": rows}


def score_table(
    scores: pd.DataFrame, systems: list[str], gold: Mapping[str, Mark] = NO_MARKS
) -> Content:
    """Tabulate system scores, in brackets their 95 % intervals: a row for each of `systems`, a
    column for each metric and weighting, of which those of weightings are shown on request.
    `scores` is `system_intervals.csv` or `system_scores.csv`."""
    columns: list[Content] = [{"heading": "system", "text": True}]
    texts = [systems]
    for (metric, weighting), rows in scores.groupby(["metric", "weighting"], sort=False):
        label = score_label({"metric": metric, "weighting": weighting}, gold)
        columns.append({"heading": label, "text": False, "more": weighting != STANDARD})
        rows = rows.set_index("system").reindex(columns=["score", "low", "high"])
        digits = 1 if rows.score.abs().max() > 5 else 3
        cells = rows.reindex(systems).itertuples(index=False)
        values = [f"{number(x, digits)} {interval(low, high, digits)}" for x, low, high in cells]
        texts.append(list(map(str.strip, values)))
    return {"columns": columns, "rows": [list(row) for row in zip(*texts, strict=True)]}
