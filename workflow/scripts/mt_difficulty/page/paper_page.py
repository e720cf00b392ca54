"""What the page of a paper shows: its tables and figures, cell by cell; and how many cells have
which verdict."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from ..data.set_files import SetFiles
from ..papers import audit
from .tables import MARKS, NO_MARKS, Mark, claims_table, paper_table, result_table
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
    "partly computable": "a claim of the text that is true of all that could be computed",
    "ours": "a number of ours beside which the paper has none",
}


def count_papers(
    papers: dict[str, dict[str, Any]], ledger: pd.DataFrame | None
) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """The papers (title, authors, year, captions) with the counts of their items, and the counts of
    all; `ledger` as in `audit.csv`."""
    if ledger is None:
        return [], {}
    found = []
    for name, paper in papers.items():
        counts = audit.summarise(ledger[ledger.paper == name])
        there = counts.index.get_level_values("item")
        order = [item for kind in ("tables", "figures") for item in paper[kind] if item in there]
        items = [
            {"item": item, "title": title_of(item), "counts": counts.loc[(name, item)].to_dict()}
            for item in dict.fromkeys([*order, *there])
        ]
        found.append({"name": name, **paper, "items": items, "counts": counts.sum().to_dict()})
    statuses = ledger.status.value_counts()
    return found, {status: int(statuses.get(status, 0)) for status in audit.STATUSES}


def describe(
    name: str,
    paper: dict[str, Any],
    files: SetFiles,
    ledger: pd.DataFrame,
    gold: Mapping[str, Mark] = NO_MARKS,
) -> dict[str, Any]:
    """All that the page of a paper shows. `paper` has title, authors, year, and the captions of
    tables and figures, `files` are its results, `ledger` is as in `audit.csv`, `gold` marks
    weightings that use human scores."""
    own = ledger[ledger.paper == name]
    reasons = [
        f"{reason}: {evidence}" if evidence else reason
        for reason, evidence in zip(own.reason, own.evidence, strict=True)
    ]
    own = own.assign(reason=reasons)
    counts = audit.summarise(own)
    items = list(paper_items(files, paper, own, gold))
    if "claims.csv" in files:
        items.append(claims_table(files.read("claims.csv"), own))
    for entry in items:
        entry["title"] = title_of(entry["item"])
        if entry["item"] in counts.index.get_level_values("item"):
            entry["counts"] = counts.loc[(name, entry["item"])].to_dict()
    found = {"name": name, **paper, "items": items, "counts": counts.sum().to_dict()}
    return {"paper": found, "statuses": STATUSES, "marks": MARKS}


def paper_items(
    files: SetFiles, paper: dict[str, Any], ledger: pd.DataFrame, gold: Mapping[str, Mark]
) -> Iterator[dict[str, Any]]:
    """A paper's tables and figures, in its order, with verdicts."""
    for item, caption in paper["tables"].items():
        cells, layout = files.read(f"cells/{item}.csv"), files.read(f"{item}.csv")
        table = paper_table(cells, layout, ledger[ledger.item == item])
        entry = {"item": item, "caption": caption, "table": table}
        statistics = files.optional(f"{item}_statistics.csv")
        if statistics is not None:
            entry["statistics"] = result_table(statistics, gold)
        yield entry
    for item, caption in paper["figures"].items():
        cells = files.read(f"cells/{item}.csv")
        entry = {"item": item, "caption": caption, "image": image(files.read(f"{item}.svg"))}
        if len(cells):
            layout = pd.DataFrame([["", *cells.column]], columns=["", *cells.column])
            own = ledger[ledger.item == item].assign(row="")
            entry["table"] = paper_table(cells.assign(row=""), layout, own)
        yield entry


def title_of(item: str) -> str:
    """`Table 6, chunks` of `table6_chunks`."""
    return re.sub(r"(?<=[a-z])(?=\d)", " ", item).replace("_", ", ").capitalize()
