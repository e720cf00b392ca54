"""Difficulty as a metric, on the page of Perrella et al. 2024: whether a score that is the same for
all translations of a segment gets credit without grouping, and the table of such scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..data.evalset import SetFiles
from ..evidence.sentinels import DIFFICULTY, METRIC, YES
from ..statistics import STATISTICS
from . import paragraph, times
from .tables import GROUPINGS, Content, interval, number, text_table

FILE = "agreement.csv"
SOURCE = "source"
# The statistic by which scores are ranked: r over all segments and systems.
RANKED = ("segment_pearson", "none")
# Columns of the table; by segment correlations of these scores are undefined.
SHOWN = (
    RANKED,
    ("segment_pearson", "system"),
    ("segment_kendall", "none"),
    ("segment_kendall", "system"),
    ("acc_eq", "item"),
)


def numbers(files: SetFiles | None) -> Content:
    """Return `missing`, the reason why there is no analysis, or `sets` (`_numbers_of_set`)."""
    if files is None or FILE not in files:
        return {"missing": "this run has no evaluation set"}
    if reason := files.reason(FILE):
        return {"missing": reason}
    table = sentinels_of(files.read(FILE))
    if table.empty:
        return {"missing": "no set of this run has human scores of segments"}
    return {"sets": [_numbers_of_set(str(name), rows) for name, rows in table.groupby("set")]}


def sentinels_of(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with a value of scores that are the same for all translations of a segment:
    difficulties, and metrics that see the source or the reference alone."""
    return table[table.value.notna() & (table.same_for_systems == YES)]


def _numbers_of_set(name: str, rows: pd.DataFrame) -> Content:
    """Return a set's `name`; its best sentinel `metric`, of how many (`metrics`), and its best
    `difficulty` from the source alone, of how many (`difficulties`), by r without grouping (None
    without one), as rows of `sentinels/agreement.csv`; the metric's `acc_eq`; and whether the
    finding `holds` by the criterion that `sentences` prints (None without a sentinel metric)."""
    ranked = rows[(rows.statistic == RANKED[0]) & (rows.grouping == RANKED[1])]
    of_metrics = ranked[ranked.kind == METRIC]
    metric = _best(of_metrics)
    of_source = ranked[(ranked.kind == DIFFICULTY) & (ranked.information == SOURCE)]
    holds = None
    acc_eq = None
    if metric:
        metrics = metric["metrics"] + 1
        holds = bool(metric["low"] > 0 and metric["metric_rank_high"] <= metrics / 2)
        acc_eq = _best(
            rows[(rows.score_name == metric["score_name"]) & (rows.statistic == "acc_eq")]
        )
    return {
        "name": name,
        "metric": metric,
        "metrics": len(of_metrics),
        "difficulty": _best(of_source),
        "difficulties": len(of_source),
        "acc_eq": acc_eq,
        "holds": holds,
    }


def _best(rows: pd.DataFrame) -> dict[Any, Any] | None:
    """Return the row with the highest value; None without any."""
    return None if rows.empty else rows.iloc[int(rows.value.argmax())].to_dict()


def sentences(found: Content) -> str:
    """Say whether sentinel metrics get credit without grouping, from `numbers`."""
    if "missing" in found:
        return f"Difficulty was not used as a metric: {found['missing']}."
    judged = [entry for entry in found["sets"] if entry["holds"] is not None]
    parts = []
    if judged:
        held = [entry["name"] for entry in judged if entry["holds"]]
        parts.append(
            "The finding, that a metric that gives all translations of a segment the same score (a "
            f"sentinel) gets credit without grouping, holds on {len(held)} of "
            f"{times(len(judged), 'set')} by this project's criterion: of the sentinel with the "
            "highest r without grouping, chosen on the same human scores, the 95 % interval of r "
            "is above 0, and the interval of its rank ends in the upper half of the set's metrics, "
            "sentinels included. By segment its correlation is undefined (0 in the paper's tool)."
        )
        parts += [_of_metric(entry) for entry in judged]
    parts += _of_difficulties(found["sets"])
    return paragraph(" ".join(parts))


def _of_metric(entry: Content) -> str:
    """Say what the best sentinel metric of a set gets."""
    row = entry["metric"]
    best = row["score_name"]
    if entry["metrics"] > 1:
        best += f", the best of {entry['metrics']} sentinels,"
    text = f"{entry['name']}: {best} has r {_with_rank(row)}"
    if entry["acc_eq"]:
        acc_eq = entry["acc_eq"]
        text += (
            f"; acc*eq, by segment, {number(acc_eq['value'])}, rank {acc_eq['metric_rank']:.0f}: "
            "the share of pairs that people tie"
        )
    return f"{text}."


def _of_difficulties(sets: list[Content]) -> Iterator[str]:
    """Say what the best of this project's difficulties from the source alone gets on each set."""
    texts = []
    for entry in sets:
        row = entry["difficulty"]
        if row:
            best = row["score_name"]
            if entry["difficulties"] > 1:
                best += f", the best of {entry['difficulties']},"
            texts.append(f"{best} on {entry['name']}: {_with_rank(row)}")
    if texts:
        yield (
            "Of this project's difficulties that see no translation (from the source alone), with "
            "their sign turned, those with the highest r without grouping: "
            f"{'; '.join(texts)}."
        )


def _with_rank(row: Mapping[Any, Any]) -> str:
    """Return a value with its interval, rank and what is resampled."""
    text = f"{number(row['value'])} {interval(row['low'], row['high'])}".strip()
    if np.isfinite(row["metric_rank"]):
        others = f"beside {row['metrics']:.0f} metrics"
        if row["kind"] == METRIC:
            others = f"of {row['metrics'] + 1:.0f} metrics"
        text += f", rank {row['metric_rank']:.0f} {_rank_interval(row)} {others}"
    return f"{text} ({row['units']:.0f} {row['unit']})"


def _rank_interval(row: Mapping[Any, Any]) -> str:
    """Return the interval of a rank; empty without one."""
    return interval(row["metric_rank_low"], row["metric_rank_high"], 0)


def table(files: SetFiles | None) -> Content | None:
    """Tabulate the scores that are the same for all translations of a segment: value and interval
    by statistic and grouping, and the rank among metrics by r without grouping; None without
    any."""
    if files is None or files.optional(FILE) is None:
        return None
    sentinels = sentinels_of(files.read(FILE))
    if sentinels.empty:
        return None
    heads = [f"{STATISTICS[name].symbol} {GROUPINGS[grouping]}" for name, grouping in SHOWN]
    rank_head = f"rank by {heads[0]}"
    rows: list[list[str]] = []
    key: Any
    for key, of_score in sentinels.groupby(["set", "score_name"], sort=False):
        by_head = {(row["statistic"], row["grouping"]): row for row in of_score.to_dict("records")}
        information = of_score.information.iloc[0] or "metric of the set"
        first = by_head.get(RANKED)
        rank = "–"
        if first and np.isfinite(first["metric_rank"]):
            scores = first["metrics"] + 1  # the score itself counts
            rank = f"{first['metric_rank']:.0f} of {scores:.0f} {_rank_interval(first)}".strip()
        rows.append([*key, information, *(_cell(by_head.get(head)) for head in SHOWN), rank])
    return text_table(["set", "score", "made from", *heads, rank_head], rows, [*heads, rank_head])


def _cell(row: Mapping[Any, Any] | None) -> str:
    """Return a value with its interval; a dash without one."""
    if row is None:
        return "–"
    return f"{number(row['value'])} {interval(row['low'], row['high'])}".strip()
