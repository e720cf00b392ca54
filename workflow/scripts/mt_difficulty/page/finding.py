"""What stands first on the index and on the page of a set: what was found, in words, as a figure,
and as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from ..evidence import changes, run_findings
from . import report_tables
from .forest import forest

if TYPE_CHECKING:
    from ..data.set_files import SetFiles

MOST = 300  # rows of the index's table; with more, it has a row for each set and weighting
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


def read(files: SetFiles, gold: Mapping[str, report_tables.Mark]) -> list[dict[str, Any]]:
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
        `table` as in `report_tables.result_table`, None without changes; `short`, whether this is a
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
        str(name): report_tables.Mark(bool(rows.uses_gold.all()), False)
        for name, rows in judged.groupby("weighting")
    }
    if of_set:
        frame = frame.drop(columns="set")
    return report_tables.result_table(frame, gold)


def by_set(judged: pd.DataFrame) -> dict[str, Any]:
    """How often a weighting helps or harms on a set, and the median change."""
    rows = []
    for (name, weighting), own in judged.groupby(["set", "weighting"], sort=False):
        counts = own.verdict.value_counts()
        row = {"set": name, "weighting": weighting, "metrics": len(own)}
        row |= {verdict: int(counts.get(verdict, 0)) for verdict in VERDICTS}
        row["family"] = own.family.max()  # of a tuned one there is none
        rows.append(row | {"median change": own.difference.median()})
    return report_tables.result_table(pd.DataFrame(rows))


VERDICTS = (
    *(changes.HELPS, changes.HARMS, changes.EQUIVALENT),
    changes.UNKNOWN,
    changes.NOT_JUDGED,
)
