"""What the index of a run shows: its sets, findings over all of them, the papers cell by cell."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator, Mapping
from importlib import metadata
from typing import Any

import pandas as pd

from ..data.set_files import SetFiles
from ..libraries import LIBRARIES
from ..papers import audit
from . import claims_table, finding, report_tables
from .report_tables import NO_MARKS, Mark
from .template import image

STATUSES = {
    "reproduced": "computed from data; equal at the printed precision, give or take 1 in the last "
    "digit",
    "close": "at most 0.02 apart, and at most 20 in the last printed digit",
    "differs": "further apart; the reason is given where it was found",
    "derived": "equal, but computed from numbers or sentences that the paper prints, not from data",
    "input": "the printed number is an input of the protocol, taken over",
    "other encoder": "computed, but with another encoder than the paper's, and so not compared",
    "not computable": "there is no number of ours; the note says why",
    "holds": "a claim of the text that is true of all that it is about",
    "does not hold": "a claim of the text that is not",
    "ours": "a number of ours beside which the paper has none",
}


def describe(
    sets: list[SetFiles],
    papers: dict[str, dict[str, Any]],
    paper_files: dict[str, SetFiles],
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
    paper_files : dict of str to SetFiles
        By paper.
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
    # Of one name, a set's weighting can be tuned and another's not: rows and cells say which.
    gold = {each["name"]: Mark(uses_gold=True) for each in weightings if each["uses_gold"]}
    tuned = any(each["tuned"] for one in present for each in one["weightings"])
    described_papers, counts = describe_papers(papers, paper_files, ledger, gold)
    changes = [{"set": one["name"], **row} for one in present for row in one["changes"]]
    campaigns = len({one["name"].partition("/")[0] for one in present})
    return {
        "finding": finding.describe(changes, len(present), campaigns, synthetic),
        "sets": described,
        "weightings": weightings,
        "tuned": tuned,
        "difficulties": distinct(present, "difficulties", "description"),
        "overview": overview(present, weightings),
        "held_out": None if held_out is None else report_tables.result_table(held_out, gold),
        "papers": described_papers,
        "counts": counts,
        "statuses": STATUSES,
        "marks": report_tables.MARKS,
        "versions": versions(),
    }


def describe_set(files: SetFiles) -> dict[str, Any]:
    """What the index says of a set: its page's summary, or why there is none."""
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


def describe_papers(
    papers: dict[str, dict[str, Any]],
    files: dict[str, SetFiles],
    ledger: pd.DataFrame | None,
    gold: Mapping[str, Mark] = NO_MARKS,
) -> tuple[list[dict[str, Any]], dict[str, int] | None]:
    """The papers with their items and counts, and the counts of all; `gold` has the marks of
    weightings that use human scores."""
    if ledger is None:
        return [], None
    reasons = [
        f"{reason}: {evidence}" if evidence else reason
        for reason, evidence in zip(ledger.reason, ledger.evidence, strict=True)
    ]
    ledger = ledger.assign(reason=reasons)
    found = []
    for name, paper in papers.items():
        own = ledger[ledger.paper == name]
        counts = audit.summarise(own)
        items = list(paper_items(files[name], paper, own, gold))
        if "claims.csv" in files[name]:
            items.append(claims_table.claims_entry(files[name].read("claims.csv"), own))
        for entry in items:
            entry["title"] = title_of(entry["item"])
            if entry["item"] in counts.index.get_level_values("item"):
                entry["counts"] = counts.loc[(name, entry["item"])].to_dict()
        found.append({"name": name, **paper, "items": items, "counts": counts.sum().to_dict()})
    statuses = ledger.status.value_counts()
    return found, {status: int(statuses.get(status, 0)) for status in audit.STATUSES}


def paper_items(
    files: SetFiles, paper: dict[str, Any], ledger: pd.DataFrame, gold: Mapping[str, Mark]
) -> Iterator[dict[str, Any]]:
    """A paper's tables and figures, in its order, with verdicts."""
    for item, caption in paper["tables"].items():
        cells, layout = files.read(f"cells/{item}.csv"), files.read(f"{item}.csv")
        table = report_tables.paper_table(cells, layout, ledger[ledger.item == item])
        entry = {"item": item, "caption": caption, "table": table}
        statistics = files.optional(f"{item}_statistics.csv")
        if statistics is not None:
            entry["statistics"] = report_tables.result_table(statistics, gold)
        yield entry
    for item, caption in paper["figures"].items():
        cells = files.read(f"cells/{item}.csv")
        entry = {"item": item, "caption": caption, "image": image(files.read(f"{item}.svg"))}
        if len(cells):
            layout = pd.DataFrame([["", *cells.column]], columns=["", *cells.column])
            own = ledger[ledger.item == item].assign(row="")
            entry["table"] = report_tables.paper_table(cells.assign(row=""), layout, own)
        yield entry


def title_of(item: str) -> str:
    """`Table 6, chunks` of `table6_chunks`."""
    return re.sub(r"(?<=[a-z])(?=\d)", " ", item).replace("_", ", ").capitalize()
