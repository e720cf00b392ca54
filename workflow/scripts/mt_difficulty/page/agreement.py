"""The statistics of the WMT metrics task on the page of a set: a row for each metric and
weighting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..statistics import STATISTICS
from . import row_names
from .report_tables import DASH, Mark, interval, mark_gold, number

KEY = ["metric", "weighting"]
GROUPINGS = {"none": "all segments", "item": "by segment", "system": "by system"}
# What the official tables are ordered by, and what is shown of each domain.
HEADLINES = [("soft_accuracy", ""), ("acc_eq", "item")]
RANK = "rank of the cluster of significance (permutation test, p ≤ 0.05, not adjusted)"


def tables(frame: pd.DataFrame, gold: Mapping[str, Mark]) -> dict[str, dict[str, Any]]:
    """The whole set, the set without outliers, and the domains, as the template reads them.

    Parameters
    ----------
    frame : DataFrame
        As `agreement.csv`.
    gold : mapping of str to Mark
        Of weightings that use human scores.
    """
    whole = frame[frame.domain == ""]
    found: dict[str, dict[str, Any]] = {}
    for subset, rows in whole.groupby("subset", sort=False):
        found[str(subset)] = _table(rows, gold, list(_columns(rows)))
    domains = [
        ((*head, domain), f"{_heading(*head)[0]}, {domain}", _heading(*head)[1])
        for domain in dict.fromkeys(frame.domain[frame.domain != ""])
        for head in HEADLINES
    ]
    if domains:
        found["by domain"] = _by_domain(frame[frame.domain != ""], gold, domains)
    return found


def _columns(rows: pd.DataFrame) -> Any:
    """Statistic and grouping of every column, the first headline first, with heading and
    explanation."""
    heads = dict.fromkeys(zip(rows.statistic, rows.grouping, strict=True))
    for head in sorted(heads, key=lambda head: head != HEADLINES[0]):
        yield (head, *_heading(*head))


def _heading(statistic: str, grouping: str) -> tuple[str, str]:
    one = STATISTICS[statistic]
    return " ".join(filter(None, [one.symbol, GROUPINGS.get(grouping, "")])), one.description


def _table(rows: pd.DataFrame, gold: Mapping[str, Mark], columns: list) -> dict[str, Any]:
    """Values with ranks in brackets; of SPA the interval beside, of acc_eq the threshold."""
    cells = {
        (row.metric, row.weighting, row.statistic, row.grouping): row for row in rows.itertuples()
    }
    heads = [{"heading": key, "explanation": "", "text": True} for key in KEY]
    for (statistic, _), heading, explanation in columns:
        heads.append({"heading": heading, "explanation": f"{explanation}; {RANK}", "text": False})
        if statistic == "soft_accuracy":
            text = "95 % bootstrap interval over segments, of human scores too"
            heads.append({"heading": "95 % interval", "explanation": text, "text": False})
            text = (
                "SPA less that of the unweighted metric, with its 95 % bootstrap interval over "
                "segments"
            )
            heads.append({"heading": "Δ SPA", "explanation": text, "text": False})
        if statistic == "acc_eq":
            text = "scores that differ by no more tie"
            heads.append({"heading": "ε", "explanation": text, "text": False})
    return {
        "columns": heads,
        **_names(rows, gold),
        "rows": [
            [
                *label,
                *(
                    text
                    for head, *_ in columns
                    for text in _texts(head[0], cells.get((*key, *head)))
                ),
            ]
            for key, label in _ordered(rows, gold)
        ],
    }


def _names(rows: pd.DataFrame, gold: Mapping[str, Mark]) -> dict[str, list[str]]:
    """Ids of the rows, and where it says how they were made."""
    keys = [key for key, _ in _ordered(rows, gold)]
    return {
        "ids": row_names.distinct(row_names.slug(*key[:2]) for key in keys),
    }


def _texts(statistic: str, row: Any) -> list[str]:
    """The cells of a value."""
    texts = [_text(row)]
    if statistic == "soft_accuracy":
        texts.append("" if row is None else interval(row.low, row.high))
        texts.append("" if row is None else _difference(row))
    if statistic == "acc_eq":
        texts.append(DASH if row is None else number(row.epsilon, 4))
    return texts


def _difference(row: Any) -> str:
    if np.isnan(row.difference):
        return ""
    return f"{number(row.difference)} {interval(row.difference_low, row.difference_high)}"


def _text(row: Any) -> str:
    if row is None or np.isnan(row.value):
        return DASH
    return number(row.value) + (f" ({row.rank:.0f})" if np.isfinite(row.rank) else "")


def _ordered(rows: pd.DataFrame, gold: Mapping[str, Mark]) -> list[tuple[tuple, list]]:
    """Keys and labels, by the first headline that there is, the best first."""
    for statistic, grouping in [*HEADLINES, ("pearson", "")]:
        of_head = rows[(rows.statistic == statistic) & (rows.grouping == grouping)]
        if of_head.value.notna().any():
            break
    found = of_head.sort_values("value", ascending=False, kind="stable", na_position="last")
    found = pd.concat([found[KEY], rows[KEY]]).drop_duplicates()
    labels = mark_gold(found, gold)
    keys = found.itertuples(index=False, name=None)
    return list(zip(keys, labels.to_numpy().tolist(), strict=True))


def _by_domain(rows: pd.DataFrame, gold: Mapping[str, Mark], columns: list) -> dict[str, Any]:
    cells = {
        (row.metric, row.weighting, row.statistic, row.grouping, row.domain): row
        for row in rows.itertuples()
    }
    there = [column for column in columns if any(key[2:] == column[0] for key in cells)]
    heads = [{"heading": key, "explanation": "", "text": True} for key in KEY]
    heads += [{"heading": h, "explanation": text, "text": False} for _, h, text in there]
    return {
        "columns": heads,
        **_names(rows, gold),
        "rows": [
            [*label, *(_text(cells.get((*key, *head))) for head, *_ in there)]
            for key, label in _ordered(rows, gold)
        ],
    }
