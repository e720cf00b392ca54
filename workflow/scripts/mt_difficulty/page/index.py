"""What the index of a run shows: its findings, sets and papers."""

from __future__ import annotations

import platform
from importlib import metadata
from typing import Any

import pandas as pd

from ..data.set_files import SetFiles
from ..libraries import LIBRARIES
from . import finding, paper_page, report_tables
from .report_tables import Mark


def describe(
    sets: list[SetFiles],
    papers: dict[str, dict[str, Any]],
    ledger: pd.DataFrame | None,
    held_out: pd.DataFrame | None,
    synthetic: bool = False,
) -> dict[str, Any]:
    """All that the index shows.

    Parameters
    ----------
    sets : list of SetFiles
        With `report.json`, what `set_page.describe` says of each for the index.
    papers : dict of str to dict
        By paper: title, authors, year, and the captions of its tables and figures.
    ledger, held_out : DataFrame, optional
        As in `audit.csv` and `held_out.csv`.
    synthetic : bool
        Whether all sets are made up.

    Returns
    -------
    dict
        What the template reads.
    """
    described = [describe_set(files) for files in sets]
    present = [found for found in described if "absent" not in found]
    weightings = distinct(present, "weightings", "difficulty")
    gold = marks(present)
    tuned = any(each["tuned"] for one in present for each in one["weightings"])
    described_papers, counts = paper_page.count_papers(papers, ledger)
    changes = [{"set": one["name"], **row} for one in present for row in one["changes"]]
    campaigns = len({row["set"].partition("/")[0] for row in changes})
    return {
        "finding": finding.describe(changes, len(present), campaigns, synthetic),
        "explained": first_explained(present),
        "sets": described,
        "weightings": weightings,
        "tuned": tuned,
        "difficulties": distinct(present, "difficulties", "description"),
        "overview": overview(present, weightings),
        "held_out": None if held_out is None else report_tables.result_table(held_out, gold),
        "papers": described_papers,
        "counts": counts,
        "statuses": paper_page.STATUSES,
        "marks": report_tables.MARKS,
        "versions": versions(),
    }


def marks(summaries: list[dict[str, Any]]) -> dict[str, Mark]:
    """The weightings of sets whose difficulty uses human scores. Of one name, a set's weighting can
    be tuned and another's not: rows and cells say which."""
    weightings = distinct(summaries, "weightings", "difficulty")
    return {each["name"]: Mark(uses_gold=True) for each in weightings if each["uses_gold"]}


def first_explained(summaries: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The segment of the first set that has one to explain a difficulty by."""
    for one in summaries:
        if found := one["explained"]:
            return found | {"set": one["name"]}
    return None


def describe_set(files: SetFiles) -> dict[str, Any]:
    """What the index says of a set: its page's summary, or why there is none."""
    if "report.json" not in files:
        return {"name": files.name, "absent": "this run was of other sets"}
    if reason := files.reason("report.json"):
        return {"name": files.name, "absent": reason}
    return {"name": files.name, **files.read("report.json")}


def distinct(sets: list[dict[str, Any]], kind: str, by: str) -> list[dict[str, Any]]:
    """The difficulties or weightings of all sets, each once; of one name there can be several that
    differ in `by`, as a paper's sets may have their own."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for one in sets:
        for entry in one[kind]:
            found.setdefault((entry["name"], entry[by]), entry)
    return list(found.values())


def overview(sets: list[dict[str, Any]], weightings: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Pearson's r over all systems, a row for each set and metric, a column for each weighting;
    None where no set has any."""
    rows: dict[tuple[str, str], dict[tuple[str, str], str]] = {}
    for one in sets:
        tuned = {entry["name"] for entry in one["weightings"] if entry["tuned"]}
        for row in one["correlations"]:
            key = row["weighting"], row["difficulty"]
            value, own = row["pearson"], rows.setdefault((one["name"], row["metric"]), {})
            own[key] = report_tables.DASH
            if value is not None:
                number = report_tables.number(value)
                own[key] = report_tables.marked(number, False, row["weighting"] in tuned)
    if not rows:
        return None
    columns = [{"heading": name, "text": True} for name in ("set", "metric")]
    texts: list[list[str]] = [list(key) for key in rows]
    for entry in weightings:
        key = entry["name"], entry["difficulty"]
        if not any(key in values for values in rows.values()):
            continue
        columns.append(
            {
                "heading": report_tables.marked(entry["name"], entry["uses_gold"]),
                "below": entry["difficulty"],
                "explanation": entry["description"],
                "text": False,
            }
        )
        for text, values in zip(texts, rows.values(), strict=True):
            text.append(values.get(key, report_tables.DASH))
    return {"columns": columns, "rows": texts}


def versions() -> dict[str, str]:
    """Versions of Python and of what numbers depend on, without importing it."""
    packages = sorted({*LIBRARIES.values(), "snakemake"}, key=str.lower)
    return {
        "Python": platform.python_version(),
        **{name: metadata.version(name) for name in packages},
    }
