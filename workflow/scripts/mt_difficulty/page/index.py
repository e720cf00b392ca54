"""What the index of a run shows: its findings, sets and papers."""

from __future__ import annotations

import platform
from importlib import metadata
from typing import Any

import pandas as pd

from ..data.set_files import SetFiles
from ..libraries import LIBRARIES
from . import finding, paper_page
from .tables import DASH, MARKS, Mark, marked, number, result_table, text_table


def describe(
    sets: list[SetFiles],
    papers: dict[str, dict[str, Any]],
    ledger: pd.DataFrame | None,
    held_out: pd.DataFrame | None,
    synthetic: bool = False,
) -> dict[str, Any]:
    """What the index's template reads. `sets` have `report.json`, what `set_page.describe` says of
    each for the index; `papers` have title, authors, year, and the captions of tables and figures;
    `ledger` and `held_out` are as in `audit.csv` and `held_out.csv`; `synthetic`: all sets are made
    up."""
    described = [describe_set(files) for files in sets]
    present = [found for found in described if "absent" not in found]
    weightings = distinct(present, "weightings", "difficulty")
    gold = marks(present)
    described_papers, counts = paper_page.count_papers(papers, ledger)
    changes = [{"set": one["name"], **row} for one in present for row in one["changes"]]
    campaigns = len({row["set"].partition("/")[0] for row in changes})
    return {
        "finding": finding.describe(changes, len(present), campaigns, synthetic),
        "explained": next(
            (one["explained"] | {"set": one["name"]} for one in present if one["explained"]), None
        ),
        "sets": described,
        "weightings": weightings,
        "tuned": any(each["tuned"] for one in present for each in one["weightings"]),
        "difficulties": distinct(present, "difficulties", "description"),
        "overview": overview(present, weightings),
        "held_out": None if held_out is None else result_table(held_out, gold),
        "papers": described_papers,
        "counts": counts,
        "statuses": paper_page.STATUSES,
        "marks": MARKS,
        "versions": versions(),
        "checksums": checksums(present),
    }


def marks(summaries: list[dict[str, Any]]) -> dict[str, Mark]:
    """The weightings of sets whose difficulty uses human scores. Of one name, a set's weighting can
    be tuned and another's not: rows and cells say which."""
    weightings = distinct(summaries, "weightings", "difficulty")
    return {each["name"]: Mark(uses_gold=True) for each in weightings if each["uses_gold"]}


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
            values = rows.setdefault((one["name"], row["metric"]), {})
            text = DASH if row["pearson"] is None else number(row["pearson"])
            is_tuned = row["pearson"] is not None and row["weighting"] in tuned
            values[row["weighting"], row["difficulty"]] = marked(text, False, is_tuned)
    if not rows:
        return None
    shown = {(entry["name"], entry["difficulty"]): entry for entry in weightings}
    shown = {key: one for key, one in shown.items() if any(key in own for own in rows.values())}
    table = text_table(
        ("set", "metric"),
        [[*names, *(own.get(key, DASH) for key in shown)] for names, own in rows.items()],
    )
    table["columns"] += [
        {
            "heading": marked(entry["name"], entry["uses_gold"]),
            "below": entry["difficulty"],
            "explanation": entry["description"],
        }
        for entry in shown.values()
    ]
    return table


def checksums(sets: list[dict[str, Any]]) -> dict[str, Any]:
    """SHA-256 of what the run was made from: texts and human scores of sets, files of encoders."""
    rows = [[one["name"], "evalset.json", one["evalset"]["sha256"]] for one in sets]
    encoders = {encoder["name"]: encoder for one in sets for encoder in one["encoders"]}
    for name, encoder in encoders.items():
        made = f"random weights, made on the spot from the seed; layer {encoder['layer']}"
        files = sorted((encoder["files"] or {"": made}).items())
        rows += [[name, file, checksum] for file, checksum in files]
    return text_table(("of", "file", "SHA-256"), rows)


def versions() -> dict[str, str]:
    """Versions of Python and of what numbers depend on, without importing it."""
    packages = sorted({*LIBRARIES.values(), "snakemake"}, key=str.lower)
    return {
        "Python": platform.python_version(),
        **{name: metadata.version(name) for name in packages},
    }
