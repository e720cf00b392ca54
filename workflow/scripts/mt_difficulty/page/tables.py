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

MINUS = "−"  # not a hyphen
DASH = "–"
# Mark after the name of a difficulty or weighting that uses human scores of the set.
GOLD = "uses human scores"


class Mark(NamedTuple):
    """How a weighting uses human scores of the set.

    Parameters
    ----------
    uses_gold : bool
        Whether its difficulty is estimated from them.
    tuned : bool
        Whether its parameters were chosen with them.
    """

    uses_gold: bool = False
    tuned: bool = False


NO_MARKS: Mapping[str, Mark] = {}
ZERO = 1e-12  # up to here, a number is rounding error
LONG = 1e15  # from here on, a number is written with a power of ten
PACKED = 200  # rows, from which the page holds a table as JSON
P_VALUE = re.compile(r"(?:^|_)p(?:_adjusted)?$")  # names of columns of p
# Columns that are shown only on request, by a column that only their table has.
LATER = {
    "both_low": (
        "segments_low",
        "systems_low",
        "difference_segments_low",
        "difference_systems_low",
        "joint_low",
        "difference_joint_low",
        "contribution_p",
        "williams_p",
        "effective_min",
        "left_out",
        "difficulty",
    ),
    "change_difference": (
        "difficulty",
        "family",
        "change_p",
        "change_random_low",
        "change_effective",
    ),
}
GROUPINGS = {"none": "all segments", "item": "by segment", "system": "by system"}
GROUPINGS_EXPLAINED = {
    "none": "over the scores of all segments and systems together",
    "item": "over the systems' scores of each segment, averaged over segments",
    "system": "over the segment scores of each system, averaged over systems",
}
RANK = "rank of the cluster of significance (permutation test, p ≤ 0.05, not adjusted)"


def number(value: float, digits: int = 3) -> str:
    """Format a number with `digits` decimals, or more if these would all be 0; NaN as a dash."""
    if isinstance(value, (int, np.integer)):
        return str(value).replace("-", MINUS)
    if np.isnan(value):
        return DASH
    if not np.isfinite(value):
        return f"{value}".replace("inf", "∞").replace("-", MINUS)
    if abs(value) <= ZERO:
        return f"{0:.{digits}f}"
    text = f"{value:.{digits}f}" if abs(value) < LONG else f"{value:.{digits}g}"
    if float(text) == 0:  # more decimals are needed
        text = f"{value:.1g}"
    return text.replace("-", MINUS)


def p_value(p: float) -> str:
    """Return p as text with three decimals; `< 0.001` for smaller p, a dash for NaN."""
    if np.isnan(p):
        return DASH
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def interval(low: float, high: float, digits: int = 3) -> str:
    """Format an interval.

    Parameters
    ----------
    low, high : float
        Its ends.
    digits : int
        Number of decimals.

    Returns
    -------
    str
        `[low, high]`; empty if either is NaN.
    """
    if np.isnan([low, high]).any():
        return ""
    return f"[{number(low, digits)}, {number(high, digits)}]"


def marked(text: str, uses_gold: bool, tuned: bool = False) -> str:  # noqa: FBT001, FBT002
    """Mark a name or number that is made with human scores of the set.

    Parameters
    ----------
    text : str
        The name or number.
    uses_gold : bool
        Whether to append `(uses human scores)`.
    tuned : bool
        Whether to append §, in front of this.

    Returns
    -------
    str
    """
    if tuned:
        text += TUNED
    if uses_gold:
        text += f" ({GOLD})"
    return text


def score_label(row: Mapping[str, Any], gold: Mapping[str, Mark] = NO_MARKS) -> str:
    """Return a row's label, such as `EE-BLEU`, marked if its weighting uses human scores."""
    return marked(row_label(row), *gold.get(row["weighting"], Mark()))


def text_table(
    headings: Iterable[str], rows: list[list[str]], numeric: Container[str] = ()
) -> Content:
    """Make a table for page templates.

    Parameters
    ----------
    headings : iterable of str
        Headings of the columns.
    rows : list of list of str
        Texts of the cells.
    numeric : container of str
        Headings of columns of numbers, which are aligned on the right.

    Returns
    -------
    dict
        `columns` and `rows`.
    """
    columns = [{"heading": heading, "text": heading not in numeric} for heading in headings]
    return {"columns": columns, "rows": rows}


def result_table(frame: pd.DataFrame, gold: Mapping[str, Mark] = NO_MARKS) -> Content:
    """Format a result file as text; columns `low` and `high` become one interval. Weightings in
    `gold` and their difficulties are marked. Returns `columns` (see `_column`; `more` is true for
    columns shown only on request) and `rows` of texts."""
    frame = mark_gold(frame, gold).replace("", np.nan).dropna(axis="columns", how="all")
    frame = frame.rename(columns={"low": "interval_low", "high": "interval_high"})
    on_request = next((LATER[name] for name in LATER if name in frame), ())
    columns = []
    texts = []
    for name in map(str, frame):
        if name.endswith("_high"):
            continue
        is_numeric = pd.api.types.is_numeric_dtype(frame[name])
        columns.append(_column(name, text=not is_numeric) | {"more": name in on_request})
        if name.endswith("_low"):
            ends = frame[[name, f"{name.removesuffix('_low')}_high"]].to_numpy()
            texts.append([interval(low, high) for low, high in ends])
        elif is_numeric:
            form = p_value if P_VALUE.search(name) else number
            texts.append([form(value) for value in frame[name].tolist()])
        else:
            filled = frame[name].where(frame[name].notna(), "")
            texts.append(list(map(str, filled.tolist())))
    return {"columns": columns, "rows": [list(row) for row in zip(*texts, strict=True)]}


def _column(name: str, *, text: bool) -> Content:
    """Return a column's name, heading, explanation (of those with a heading of their own) and
    whether it holds text."""
    column = column_of(name)
    heading = name.removesuffix("_low").replace("_", " ")
    explanation = ""
    if column.heading:
        heading = column.heading
        explanation = column.explanation
    return {"name": name, "heading": heading, "explanation": explanation, "text": text}


def mark_gold(frame: pd.DataFrame, gold: Mapping[str, Mark]) -> pd.DataFrame:
    """Append the marks of `gold` to the names of weightings and difficulties in a table. A column
    `tuned`, if present, replaces the weighting's `tuned` mark in its row."""
    if "weighting" not in frame:
        return frame
    marks = [gold.get(name, Mark()) for name in frame.weighting]
    uses_gold = [mark.uses_gold for mark in marks]
    tuned = [mark.tuned for mark in marks]
    if "tuned" in frame:
        tuned = (frame.tuned == "yes").tolist()
    texts = {"weighting": list(map(marked, frame.weighting, uses_gold, tuned))}
    if "difficulty" in frame:
        texts["difficulty"] = list(map(marked, frame.difficulty, uses_gold))
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
    """Tabulate correlations over all systems.

    Parameters
    ----------
    correlations : DataFrame
        The table `correlations.csv`.
    significance : DataFrame, optional
        The table `significance.csv`, which adds intervals over segments and systems.
    statistics : sequence of str
        Names of statistics of system scores.
    gold : mapping of str to Mark
        Marks of weightings that use human scores of the set.

    Returns
    -------
    dict
        `columns` and `rows`.
    """
    intervals = {}
    if significance is not None:
        names = ["metric", "weighting", "statistic", "both_low", "both_high"]
        all_systems = significance.loc[significance.subset == "all", names]
        for metric, weighting, statistic, low, high in all_systems.to_numpy():
            intervals[metric, weighting, statistic] = interval(low, high)
    rows = correlations[correlations.subset == "all"]
    texts = mark_gold(rows, gold)[["metric", "weighting", "difficulty"]]
    for statistic in statistics:
        values = zip(rows.metric, rows.weighting, rows[statistic], strict=True)
        texts[statistic] = [
            f"{number(value)} {intervals.get((metric, weighting, statistic), '')}".strip()
            for metric, weighting, value in values
        ]
    if rows.reason.any():
        texts["reason"] = rows.reason
    columns = [
        _column(name, text=name not in statistics) | {"more": name == "difficulty"}
        for name in map(str, texts)
    ]
    return {"columns": columns, "rows": texts.to_numpy().tolist()}


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
    wide = wide.loc[sorted(wide.index, key=lambda row: row[:2])]  # by subset and domain
    texts = mark_gold(wide.index.to_frame(), gold)[["metric", "weighting", "subset", "domain"]]
    columns: list[Content] = [{"heading": name, "text": True} for name in texts]
    rows = texts.to_numpy().tolist()
    for statistic, grouping in heads:
        about = STATISTICS[statistic]
        heading = f"{about.symbol} {GROUPINGS.get(grouping, '')}".strip()
        parts = [about.description, GROUPINGS_EXPLAINED.get(grouping, ""), RANK]
        columns.append({"heading": heading, "explanation": "; ".join(filter(None, parts))})
        values = wide["value", statistic, grouping]
        ranks = wide["rank", statistic, grouping]
        for row, value, rank in zip(rows, values, ranks, strict=True):
            has_rank = np.isfinite([value, rank]).all()
            row.append(f"{number(value)} ({rank:.0f})" if has_rank else number(value))
    return {"columns": columns, "rows": rows}


def score_table(
    scores: pd.DataFrame, systems: list[str], gold: Mapping[str, Mark] = NO_MARKS
) -> Content:
    """Tabulate system scores, with their 95 % intervals in brackets.

    Parameters
    ----------
    scores : DataFrame
        The table `system_intervals.csv` or `system_scores.csv`.
    systems : list of str
        Names of systems, one a row.
    gold : mapping of str to Mark
        Marks of weightings that use human scores of the set.

    Returns
    -------
    dict
        `columns`, one for each metric and weighting, of which those of weightings are shown on
        request; and `rows`. Scores with a column `better_than`, a text, have a second column.
    """
    columns: list[Content] = [{"heading": "system", "text": True}]
    texts = [systems]
    for (metric, weighting), rows in scores.groupby(["metric", "weighting"], sort=False):
        label = score_label({"metric": metric, "weighting": weighting}, gold)
        columns.append({"heading": label, "text": False, "more": weighting != STANDARD})
        of_systems = rows.set_index("system").reindex(systems)
        numbers = of_systems.reindex(columns=["score", "low", "high"])
        digits = 1 if numbers.score.abs().max() > 5 else 3
        cells = numbers.itertuples(index=False)
        texts.append(
            [
                f"{number(score, digits)} {interval(low, high, digits)}".strip()
                for score, low, high in cells
            ]
        )
        if "better_than" in scores:
            columns.append(
                {"heading": f"{label}: better than", "text": True, "more": weighting != STANDARD}
            )
            texts.append(of_systems["better_than"].fillna("").tolist())
    return {"columns": columns, "rows": [list(row) for row in zip(*texts, strict=True)]}
