"""Tables of the pages: headings and texts of result files, the statistics of the metrics task, and
a paper's cells and claims with their verdicts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..evidence.labels import TUNED, TUNED_NOTE
from ..evidence.subsets import row_label
from ..papers.claims import EXPLAINED, ITEM, ON, printed
from ..statistics import STATISTICS

MINUS = "−"
DASH = "–"
# Stands behind the name of whatever is made with human scores of the set.
GOLD = "uses human scores"


class Mark(NamedTuple):
    """In what way a weighting uses human scores of the set: its difficulty is estimated from them,
    or its parameters were chosen with them."""

    uses_gold: bool = False
    tuned: bool = False


NO_MARKS: Mapping[str, Mark] = MappingProxyType({})
LONG = 1e15  # from here on, a number is written with a power of ten
PACKED = 200  # rows, from which the page holds a table as JSON
# Leading columns that the other names of a row imply, and numbers that are part of its name.
IMPLIED, NAMING = ("difficulty",), ("size",)
# How a verdict looks without colours.
MARKS = {
    "reproduced": "✓",
    "close": "≈",
    "differs": "≠",
    "derived": "=",
    "input": "→",
    "other encoder": "†",
    "not computable": "∅",
    "holds": "⊤",
    "does not hold": "⊥",
    "partly computable": "◐",
    "ours": "+",
}
# Heading and explanation of a result file's column, an interval's by its lower end; statistics have
# their own.
HEADINGS = {
    "segments_low": ("over segments", "95 % interval if other segments had been drawn"),
    "interval_low": ("95 % interval", "bootstrap over segments"),
    "systems_low": ("over systems", "95 % interval if other systems had been drawn"),
    "value": ("value", "the correlation of this weighting"),
    "standard": ("standard", "the correlation of the unweighted metric"),
    "quantile": ("quantile", "share of the set's difficulties that are below h"),
    "h": ("h", "threshold from which a hypothesis is difficult"),
    "w": ("w", "weight of the easy hypotheses"),
    "ASL": ("ASL", "average sentence length, in words"),
    "ASW": ("ASW", "average syllables of a word"),
    "FRE": ("FRE", "Flesch reading ease: the higher, the easier"),
    "FR": ("FR", "Flesch reading ease: the higher, the easier"),
    "FKGL": ("FKGL", "Flesch-Kincaid grade level: the higher, the harder"),
    "both_low": ("over both", "95 % interval if other segments and systems had been drawn"),
    "difference": ("gain", "this weighting less the standard one"),
    "permutation_p": (
        "p, permutation",
        "PERM-BOTH: halves of the hypotheses change sides and are scored again; for weights in "
        "groups this is not the published test",
    ),
    "detectable": ("detectable", "|gain| that the permutation test finds with 80 % power at 5 %"),
    "contribution_p": (
        "p, contributions",
        "the published test: contributions of segments change sides; of metrics that are means",
    ),
    "joint_low": ("joint", "95 % interval over the same segments of metric and human scores"),
    "difference_segments_low": ("gain, over segments", "95 % interval of the gain"),
    "difference_systems_low": ("gain, over systems", "95 % interval of the gain"),
    "difference_both_low": ("gain, over both", "95 % interval of the gain"),
    "difference_joint_low": (
        "gain, joint",
        "95 % interval of the gain, human scores resampled too",
    ),
    "effective_mean": ("effective segments", "Kish's number of segments, mean over systems"),
    "effective_min": ("effective segments, least", "Kish's number of segments, of one system"),
    "williams_p": ("p, Williams", "Williams' test of two dependent correlations"),
    "random_low": ("random subsets", "95 % interval of random subsets of as many segments"),
    "random_mean": ("mean of random", "mean of random subsets of as many segments"),
    "random_quantile": ("above random", "share of the random subsets below r"),
    "within_r": ("r within segments", "of difficulty and human score, centred by segment"),
    "null": ("null", "what the draws keep and what they change, as the list above says"),
    "null_mean": ("mean of null", "mean of the draws; where nothing is random, the one value"),
    "null_low": ("95 % of null", "95 % interval of the draws"),
    "null_quantile": ("above null", "share of the draws that are below the value"),
    "gain_over_plain_share": ("beats unweighted", "share of draws that beat the unweighted metric"),
    "standard_r": ("standard r", "Pearson's r of the unweighted metric"),
    "weighted_r": ("r", "Pearson's r under the weighting"),
    "change": ("Δ", "r under the weighting less that of the unweighted metric"),
    "change_low": ("95 % interval", "of Δ, over segments and systems where there is one"),
    "change_p": ("p", "of Δ, by exchanging hypotheses (PERM-BOTH); by Williams' test without them"),
    "adjusted_p": ("p, Holm", "p, adjusted over the comparisons that `correction` names"),
    "family": ("correction", "of p: the method, and the tests that count"),
    "change_verdict": (
        "verdict",
        "helps, harms: p, Holm is at most 0.05 and the 95 % interval excludes 0; no effect larger "
        "than 0.02: the interval lies within ±0.02; not judged: human scores of the set are in it",
    ),
    "note": (
        "why",
        "what stands against a verdict though p is small, why there is no p, and whether random "
        "difficulty does as much as the change",
    ),
    "random_change": (
        "Δ of random difficulty",
        "mean Δ where the difficulties are permuted over segments and the weights are kept "
        "(permuted, in controls.csv)",
    ),
    "random_change_low": ("95 % of random difficulty", "95 % range of Δ of the draws"),
    "change_soft": ("Δ SPA", "change of soft pairwise accuracy"),
    "change_soft_low": ("95 % interval of Δ SPA", "over segments, human scores resampled too"),
    "win_share": (
        "wins",
        "share of bootstrap resamples of the segments in which the system scores better",
    ),
    "one_sided_p": ("p", "one-sided, of this pair alone: not corrected for the number of pairs"),
    "tuned": ("tuned", "parameters chosen with human scores of the same set"),
    "retuned_mean": (
        "mean of tuned random",
        "mean r of permuted difficulties, tuned in the same way",
    ),
    "retuned_low": (
        "tuned random",
        "95 % range of r of permuted difficulties, tuned in the same way",
    ),
    **{
        f"{null}_quantile": (f"above {null}", f"share of the draws of `{null}` below the value")
        for null in ("shuffled", "permuted", "retuned")
    },
}

# Columns that are shown only when asked for, by a column that says of what table they are.
LATER = {
    "both_low": (
        *(f"{kind}{over}_low" for kind in ("", "difference_") for over in ("segments", "systems")),
        *("joint_low", "difference_joint_low", "contribution_p", "williams_p", "effective_min"),
        *("left_out", "difficulty"),
    ),
    "change": ("difficulty", "change_soft_low"),
}


def number(value: float, digits: int = 3) -> str:
    """A number for people: true minus, a dash for NaN, small ones with their own digits."""
    if isinstance(value, (int, np.integer)):
        return str(value).replace("-", MINUS)
    if not np.isfinite(value):
        return DASH if np.isnan(value) else f"{value}".replace("inf", "∞").replace("-", MINUS)
    text = f"{value:.{digits}f}" if abs(value) < LONG else f"{value:.{digits}g}"
    if not float(text):
        text = f"{value:.1g}" if abs(value) > 1e-12 else f"{0:.{digits}f}"
    return text.replace("-", MINUS)


def marked(text: str, uses_gold: bool, tuned: bool = False) -> str:
    """A name, with marks where what it names is made with human scores."""
    return text + TUNED * tuned + f" ({GOLD})" * uses_gold


def score_label(row: Mapping[str, Any], gold: Mapping[str, Mark] = NO_MARKS) -> str:
    """The label of a metric under a weighting, with the weighting's marks."""
    return marked(row_label(row), *gold.get(row["weighting"], Mark()))


def text_table(
    headings: Iterable[str], rows: list[list[str]], numeric: Container[str] = ()
) -> dict[str, Any]:
    """A table of texts for the template: columns with their headings, and rows."""
    return {"columns": [{"heading": h, "text": h not in numeric} for h in headings], "rows": rows}


def result_table(frame: pd.DataFrame, gold: Mapping[str, Mark] = NO_MARKS) -> dict:
    """A result file as headings and texts; `low` and `high` columns become one interval. Weightings
    of `gold`, and difficulties made with them, are marked; a column `tuned` counts for its row,
    whatever the weighting's mark.

    `columns`: heading, explanation, whether it holds text, and whether it is shown only when asked
    for (`more`); `rows` of texts; by row its `ids`, from its leading columns of texts."""
    leading = []
    for name in frame:
        if pd.api.types.is_numeric_dtype(frame[name]) and name not in NAMING:
            break
        leading += [name] * (name not in IMPLIED)
    ids = row_ids(frame[leading].itertuples(index=False))
    frame = mark_gold(frame, gold).replace("", np.nan).dropna(axis="columns", how="all")
    frame = frame.rename(columns={"low": "interval_low", "high": "interval_high"})
    columns, texts = [], []
    later = next((LATER[name] for name in LATER if name in frame), ())
    for name in map(str, frame):
        if name.endswith("_high"):
            continue
        stem, numeric = name.removesuffix("_low"), pd.api.types.is_numeric_dtype(frame[name])
        heading, explanation = _heading(name)
        column = {"heading": heading, "explanation": explanation, "text": not numeric}
        columns.append(column | {"more": name in later})
        if name != stem:
            texts.append([interval(*ends) for ends in frame[[name, f"{stem}_high"]].to_numpy()])
        else:
            known = frame[name] if numeric else frame[name].where(frame[name].notna(), "")
            texts.append([number(v) if numeric else str(v) for v in known.tolist()])
    rows = [list(row) for row in zip(*texts, strict=True)]
    return {"columns": columns, "rows": rows, "ids": ids}


def _heading(column: str) -> tuple[str, str]:
    """Heading and explanation of a result file's column."""
    if column in STATISTICS:
        return STATISTICS[column].symbol, STATISTICS[column].description
    return HEADINGS.get(column, (column.removesuffix("_low").replace("_", " "), ""))


def mark_gold(frame: pd.DataFrame, gold: Mapping[str, Mark]) -> pd.DataFrame:
    """A table whose weightings, and their difficulties, have the marks of `gold`; a column `tuned`
    counts for its row, whatever the weighting's mark."""
    if "weighting" not in frame:
        return frame
    marks = [gold.get(name, Mark()) for name in frame.weighting]
    tuned = [mark.tuned for mark in marks]
    if "tuned" in frame:
        tuned = [value == "yes" for value in frame.tuned]
    uses = [mark.uses_gold for mark in marks]
    texts = {"weighting": list(map(marked, frame.weighting, uses, tuned))}
    if "difficulty" in frame:
        texts["difficulty"] = list(map(marked, frame.difficulty, uses))
    return frame.assign(**pd.DataFrame(texts, frame.index, dtype=object))


def interval(low: float, high: float) -> str:
    """An interval for people; empty if undefined."""
    return "" if np.isnan([low, high]).any() else f"[{number(low)}, {number(high)}]"


def row_ids(names: Iterable[Iterable[Any]]) -> list[str]:
    """Ids of rows from their names, equal for equal names; of equal ones the second has `:2`. A
    character that is neither a letter, a digit, nor one of `_.-` stands as its code point."""
    counts: Counter[str] = Counter()
    ids = []
    for row in names:
        parts = (re.sub(r"[^\w.-]", lambda match: f"~{ord(match[0]):x}", str(name)) for name in row)
        name = ":".join(parts)
        counts[name] += 1
        ids.append(name if counts[name] == 1 else f"{name}:{counts[name]}")
    return ids


def packed_rows(table: dict[str, Any]) -> dict[str, Any] | None:
    """The rows of a long table by column, each text of a column once: of each column its distinct
    `texts` in order of appearance and, for each row, a place `at` among them; `ids`, where there
    are some. None of a table of less than PACKED rows."""
    if len(table["rows"]) < PACKED:
        return None
    columns = []
    for texts in zip(*table["rows"], strict=True):
        places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        columns.append({"texts": list(places), "at": [places[text] for text in texts]})
    return {"columns": columns} | ({"ids": table["ids"]} if table.get("ids") else {})


def correlation_table(
    correlations: pd.DataFrame,
    significance: pd.DataFrame | None,
    statistics: Sequence[str],
    gold: Mapping[str, Mark] = NO_MARKS,
) -> dict[str, Any]:
    """Correlations over all systems (`correlations.csv`), with intervals over segments and systems
    where there is a `significance.csv`; `statistics` are of system scores."""
    key, intervals = ["metric", "weighting", "statistic"], {}
    if significance is not None:
        rows = significance[significance.subset == "all"][[*key, "both_low", "both_high"]]
        intervals = {row[:3]: interval(*row[3:]) for row in rows.itertuples(index=False, name=None)}
    rows = correlations[correlations.subset == "all"]
    texts = mark_gold(rows, gold)[["metric", "weighting", "difficulty"]]
    for statistic in statistics:
        ends = [intervals.get((m, w, statistic), "") for m, w in rows[key[:2]].to_numpy()]
        values = zip(rows[statistic], ends, strict=True)
        texts[statistic] = [f"{number(value)} {end}".strip() for value, end in values]
    if rows.reason.any():
        texts["reason"] = rows.reason
    columns = [
        {"heading": heading, "explanation": text, "more": name == "difficulty"}
        | {"text": name not in statistics}
        for name, (heading, text) in ((name, _heading(name)) for name in map(str, texts))
    ]
    return {"columns": columns, "rows": texts.to_numpy().tolist()} | {
        "ids": row_ids(rows[key[:2]].to_numpy())
    }


GROUPINGS = {"none": "all segments", "item": "by segment", "system": "by system"}
# What the official tables are ordered by, and what is shown of each domain.
HEADLINES = [("soft_accuracy", ""), ("acc_eq", "item")]
RANK = "rank of the cluster of significance (permutation test, p ≤ 0.05, not adjusted)"
# Columns beside a statistic.
BESIDE = {
    "soft_accuracy": (
        ("95 % interval", "95 % bootstrap interval over segments, of human scores too"),
        ("Δ SPA", "SPA less that of the unweighted metric, with its 95 % bootstrap interval"),
    ),
    "acc_eq": (("ε", "scores that differ by no more tie"),),
}


def agreement_tables(frame: pd.DataFrame, gold: Mapping[str, Mark]) -> dict[str, dict[str, Any]]:
    """The statistics of the WMT metrics task (`agreement.csv`): the whole set, the set without
    outliers, and the domains, a row for each metric and weighting."""
    tables, key = {}, ["statistic", "grouping", "domain"]
    for subset, rows in frame[frame.domain == ""].groupby("subset", sort=False):
        distinct = dict.fromkeys(rows[key].itertuples(index=False, name=None))
        heads = sorted(distinct, key=lambda head: head[:2] != HEADLINES[0])
        tables[str(subset)] = _agreement_table(rows, gold, heads)
    rows = frame[frame.domain != ""]
    there = set(rows[key].itertuples(index=False, name=None))
    if there:
        heads = [(*head, domain) for domain in dict.fromkeys(rows.domain) for head in HEADLINES]
        heads = [head for head in heads if head in there]
        tables["by domain"] = _agreement_table(rows, gold, heads)
    return tables


def _agreement_table(
    rows: pd.DataFrame, gold: Mapping[str, Mark], heads: list[tuple[str, str, str]]
) -> dict[str, Any]:
    """Values with ranks in brackets; of SPA the interval beside, of acc_eq the threshold."""
    columns: list[dict[str, Any]] = [{"heading": h, "text": True} for h in ("metric", "weighting")]
    for statistic, grouping, domain in heads:
        about = STATISTICS[statistic]
        heading = f"{about.symbol} {GROUPINGS.get(grouping, '')}".strip()
        heading += f", {domain}" * bool(domain)
        columns.append({"heading": heading, "explanation": f"{about.description}; {RANK}"})
        for beside, explanation in () if domain else BESIDE.get(statistic, ()):
            columns.append({"heading": beside, "explanation": explanation})

    # By the first headline that has values, the best first.
    key = ["metric", "weighting"]
    for statistic, grouping in [*HEADLINES, ("pearson", "")]:
        best = rows[(rows.statistic == statistic) & (rows.grouping == grouping)]
        if best.value.notna().any():
            break
    best = best.sort_values("value", ascending=False, kind="stable", na_position="last")
    order = pd.concat([best[key], rows[key]]).drop_duplicates()
    cells = {
        (row.metric, row.weighting, row.statistic, row.grouping, row.domain): row
        for row in rows.itertuples()
    }
    names = list(order.itertuples(index=False, name=None))
    texts = mark_gold(order, gold).to_numpy().tolist()
    for name, text in zip(names, texts, strict=True):
        for head in heads:
            entry: Any = cells.get((*name, *head))
            value = DASH if entry is None else number(entry.value)
            if entry is not None and np.isfinite([entry.value, entry.rank]).all():
                value += f" ({entry.rank:.0f})"
            more = [] if head[2] else [""] * len(BESIDE.get(head[0], ()))
            if more and head[0] == "acc_eq":
                more = [DASH if entry is None else number(entry.epsilon, 4)]
            elif more and entry is not None:
                more = [interval(entry.low, entry.high), ""]
                if not np.isnan(entry.difference):
                    ends = interval(entry.difference_low, entry.difference_high)
                    more[1] = f"{number(entry.difference)} {ends}"
            text += [value, *more]
    return {"columns": columns, "rows": texts, "ids": row_ids(names)}


def paper_table(cells: pd.DataFrame, layout: pd.DataFrame, ledger: pd.DataFrame) -> dict:
    """A paper's table, cell by cell (`cells.Cell`), with the verdicts of the audit's rows of this
    item and the reasons as numbered notes; `layout` is the table as printed: the row's label,
    columns, `Sentence` where rows have one.

    `groups`: [label, how many columns], or empty; `columns`; `rows` with label, cells (None where
    there are no numbers) and sentence, as (text, whether bold); `notes` with text and how many
    cells they are of."""
    verdicts: dict[Any, Any] = {
        (row.row, row.column): (row.status, row.reason) for row in ledger.itertuples()
    }
    columns = [name for name in layout.columns[1:] if name != "Sentence"]
    places = {(cell.row, cell.column): cell for cell in cells.itertuples()}
    notes: dict[str, int] = {}

    def describe(cell: Any) -> dict[str, Any] | None:
        if cell is None or np.isnan([cell.published, cell.reproduced]).all():
            return None
        reasons = (text for text in (cell.substitute, cell.reason) if isinstance(text, str))
        ours = ("ours", "; ".join(filter(None, reasons)))
        status, reason = verdicts.get((cell.row, cell.column), ours)
        if reason:
            notes[reason] = notes.get(reason, 0) + 1
        return {
            "ours": marked(number(cell.reproduced, cell.digits), False, cell.tuned == "yes"),
            "published": "" if np.isnan(cell.published) else number(cell.published, cell.digits),
            "status": status,
            "mark": MARKS[status],
            "note": list(notes).index(reason) + 1 if reason else None,
        }

    rows = []
    line: Any
    for line in layout.itertuples(index=False):
        sentence: list[tuple[str, bool]] = []
        if layout.columns[-1] == "Sentence" and isinstance(line[-1], str):
            parts = re.split(r"\*\*(.+?)\*\*", line[-1])
            sentence = [(text, bool(place % 2)) for place, text in enumerate(parts) if text]
        described = [describe(places.get((line[0], name))) for name in columns]
        rows.append({"label": line[0], "cells": described, "sentence": sentence})
    if count := int((cells.tuned == "yes").sum()):
        notes[TUNED_NOTE] = count

    # Headings over columns whose names end in a statistic's symbol, where all do.
    groups: list[list] = []
    parts = [re.fullmatch(r"(.+) (Δ?[rτρ])", name) for name in columns]
    if all(parts):
        columns = [part[2] for part in parts if part]
        for part in filter(None, parts):
            if groups and groups[-1][0] == part[1]:
                groups[-1][1] += 1
            else:
                groups.append([part[1], 1])
    return {
        "groups": groups,
        "columns": columns,
        "rows": rows,
        "notes": [{"text": text, "count": count} for text, count in notes.items()],
    }


def claims_table(claims: pd.DataFrame, ledger: pd.DataFrame) -> dict[str, Any]:
    """A paper's claims (`claims.csv`) with the audit's rows of the paper, reason and evidence in
    one text: `item`, `caption`, `heads` of what the claims were checked on, and `claims`: of each
    its statement, place and number, a cell by origin (None where there is none), and `reasons`."""
    verdicts = ledger[ledger["item"] == ITEM].set_index(["row", "column"])
    entries: dict[str, dict[str, Any]] = {}
    claim: Any
    for claim in claims.to_dict("records"):
        head = {"statement": claim["statement"], "where": claim["where"]}
        head |= {"published": printed(claim, "published"), "cells": {}, "reasons": []}
        entry = entries.setdefault(claim["claim"], head)
        verdict = verdicts.loc[(claim["claim"], ON[claim["origin"]])]
        entry["cells"][claim["origin"]] = {
            "ours": printed(claim, "reproduced"),
            "status": verdict.status,
            "mark": MARKS[verdict.status],
        }
        if verdict.reason:
            entry["reasons"].append(f"{ON[claim['origin']]}: {verdict.reason}")
    caption = f"Claims of text, captions and conclusions, in our words. {EXPLAINED}"
    return {"item": ITEM, "caption": caption, "heads": ON, "claims": list(entries.values())}
