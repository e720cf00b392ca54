"""The papers' tables, rebuilt cell by cell beside what was published: each kind of table makes its
cells from the results of the sets that it names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ..data import language
from ..difficulty.aligners import exact
from ..difficulty.chunk_entropy import chunk_entropy
from ..errors import Missing
from ..evidence.subsets import CORRELATIONS, best_systems, row_label
from ..metrics import METRICS
from . import complexity_tables
from .case_studies import case_study, not_among, token_cases, with_note
from .cells import SYMBOLS, Cell, make_cell
from .inputs import Inputs, read_or_reason

GIVEN = "an input of the protocol"
ESTIMATED = (
    "ours is the estimate by Eq. 9 (h) or Eq. 11 (w); the paper's was searched for on each set, by "
    "an objective that it does not state"
)
ABLATION_COLUMNS = ("h", "w", *CORRELATIONS)
WITHOUT = "w/o difficulty"
# Cells, and the sentences of rows that have one.
Table = tuple[list[Cell], dict[str, str]]


def make_table(item: str, table: dict[str, Any], inputs: Inputs) -> Table:
    """The cells of a table of a paper, its entry in the paper's file, whose `kind` is one of
    KINDS, and the sentences of its rows."""
    return KINDS[table["kind"]](item, table, inputs)


@dataclass
class SetResults:
    """What the workflow computed for one evaluation set.

    `missing` maps (metric, weighting) to the reason why a score does not exist, `left_out` a metric
    to the reason why it is not in this run; `absent` is the reason why the whole set does not
    exist. `spread` is `correlations` with the standard deviations over random subsets, `note` a
    remark on every number of a set whose systems are not the paper's, `significance` the intervals
    that say what such systems can change. `substitutes` names another encoder than the paper's.
    """

    correlations: pd.DataFrame = field(default_factory=pd.DataFrame)
    spread: pd.DataFrame = field(default_factory=pd.DataFrame)
    significance: pd.DataFrame = field(default_factory=pd.DataFrame)
    missing: dict = field(default_factory=dict)
    left_out: dict = field(default_factory=dict)
    absent: str = ""
    note: str = ""
    substitutes: dict = field(default_factory=dict)


def correlations(item: str, table: dict[str, Any], inputs: Inputs) -> Table:
    """Correlations of the sets that a table's columns name; markers become reasons."""
    results = {}
    for name in sorted({column["set"] for column in table["columns"]}):
        files, substitutes = inputs.sets[name], inputs.substitutes.get(name, {})
        try:
            note = inputs.note(name)
        except Missing as reason:
            results[name] = SetResults(absent=str(reason), substitutes=substitutes)
            continue
        results[name] = SetResults(
            files.read("correlations.csv"),
            files.read("correlation_spread.csv"),
            files.read("significance.csv"),
            inputs.missing(name),
            inputs.left_out,
            note=note,
            substitutes=substitutes,
        )
    return correlation_cells(item, table, results), {}


def correlation_cells(item: str, table: dict, results: dict[str, SetResults]) -> list[Cell]:
    """Cells of a table of correlations, with the gains of EE in percent where it has them; `table`
    is its entry in the paper's file."""
    cells: list[Cell] = []
    digits = table.get("digits", 3)
    columns = [(column, name) for column in table["columns"] for name in CORRELATIONS]
    for row in table["rows"]:
        metric, weighting = row["metric"], row["weighting"]
        printed = row.get("published", [np.nan] * len(columns))[: len(columns)]
        for (column, statistic), given in zip(columns, printed, strict=True):
            of_set, place = results[column["set"]], (metric, weighting, column)
            published = np.nan if given is None else given
            value = np.nan
            reason = of_set.absent or of_set.left_out.get(metric)
            reason = reason or of_set.missing.get((metric, weighting))
            if not reason:
                rows = _subset(of_set.correlations, *place)
                if rows.empty:
                    subset, size = column["subset"], column.get("size")
                    reason = f"no subset `{subset}` of {size} systems was computed"
                else:
                    value = rows[statistic].iloc[0]
                    reason = rows.reason.iloc[0]
            if np.isfinite(value):
                signed = np.copysign(published, value) if table.get("absolute") else published
                reason = _remark(of_set, place, statistic, signed)
                if column["subset"] == "random":
                    # The noise of a published mean over random draws.
                    draws = 1 / table["draws"] + 1 / rows.draws.iloc[0]
                    error = _subset(of_set.spread, *place)[statistic].iloc[0] * np.sqrt(draws)
                    noise = (
                        f"the paper's {table['draws']} subsets are unknown: the standard error of "
                        f"the difference is {error:.3f}, so it is "
                        f"{abs(value - published) / error:.1f} of these"
                    )
                    reason = "; ".join(filter(None, [reason, noise]))
            value = abs(value) if table.get("absolute") else value
            name = f"{column['label']} {SYMBOLS[statistic]}"
            marks = reason, of_set.substitutes.get(metric, "")
            cells.append(Cell(item, row_label(row), name, published, digits, value, *marks))
        if "gains" in table and weighting != "standard":
            cells += _gain_cells(item, table, row, cells)
    return cells


def _subset(rows: pd.DataFrame, metric: str, weighting: str, column: Mapping) -> pd.DataFrame:
    rows = rows[(rows.metric == metric) & (rows.weighting == weighting)]
    rows = rows[rows.subset == column["subset"]]
    return rows if column["subset"] == "all" else rows[rows["size"] == column.get("size")]


def _remark(of_set: SetResults, place: tuple, statistic: str, published: float) -> str:
    """The note, and whether other systems of the same kind could have given what is printed."""
    if not of_set.note or np.isnan(published):
        return of_set.note
    rows = _subset(of_set.significance, *place)
    rows = rows.loc[rows.statistic == statistic, ["systems_low", "systems_high"]]
    if rows.empty:  # a subset that was not resampled
        return of_set.note
    low, high = rows.iloc[0]
    side = "inside" if low <= published <= high else "outside"
    interval = f"the 95 % interval over systems, {low:.3f} to {high:.3f}"
    return f"{of_set.note}: the printed value is {side} {interval}"


def _gain_cells(item: str, table: dict, row: dict, cells: list[Cell]) -> list[Cell]:
    """Mean over the sets of what the weighting adds to each statistic, in percent."""
    values = {(cell.row, cell.column): cell for cell in cells}
    gains = []
    published = row["published"][len(table["columns"]) * len(CORRELATIONS) :]
    for statistic, printed in zip(CORRELATIONS, published, strict=True):
        names = [f"{column['label']} {SYMBOLS[statistic]}" for column in table["columns"]]
        after = [values[row_label(row), name] for name in names]
        before = [values[row["metric"], name] for name in names]
        differences = [a.reproduced - b.reproduced for a, b in zip(after, before, strict=True)]
        value = 100 * float(np.mean(differences))
        reason = next((c.reason for c in after + before if np.isnan(c.reproduced)), "")
        name = f"{table['gains']['label']} Δ{SYMBOLS[statistic]}"
        digits, label = table["gains"]["digits"], row_label(row)
        substitute = next((cell.substitute for cell in after if cell.substitute), "")
        gains.append(make_cell(item, label, name, printed, digits, value, reason, substitute))
    return gains


def examples(item: str, table: dict[str, Any], inputs: Inputs | None = None) -> Table:
    """Chunk entropy of the paper's toy sentences, tokens matched exactly (Eq. 2)."""
    cells = []
    for row in table["rows"]:
        reference, hypothesis = language.tokenize([table["reference"], row["hypothesis"]], "words")
        links = exact.align([reference], [[hypothesis]])[0]
        value = chunk_entropy(links >= 0, np.array([len(hypothesis)]))[0]
        label = f"{row['label']} ({row['deficiency']}): {row['hypothesis']}"
        published = row["published"][0]
        cells.append(make_cell(item, label, "entropy", published, 3, value, origin="printed"))
    return cells, {}


def parameters(item: str, table: dict[str, Any], inputs: Inputs) -> Table:
    """The estimates of h (Eq. 9) and w (Eq. 11) of each set beside the paper's parameters."""
    cells = []
    for row in table["rows"]:
        for column, published in zip(table["columns"], row["published"], strict=True):
            value, reason = None, ESTIMATED
            try:
                known = inputs.parameters(column["set"], table["weighting"])
                value = known["estimate"][row["parameter"]]
            except Missing as missing:
                reason = str(missing)
            value = np.nan if value is None else value
            place = item, row["parameter"], column["label"]
            cells.append(make_cell(*place, published, 2, value, reason))
    return cells, {}


def ablation(item: str, table: dict[str, Any], inputs: Inputs) -> Table:
    """The ablation of a paper's metric, and of every other metric of ours."""
    rows, reason = read_or_reason(inputs.own, "ablation.csv")
    rows = pd.DataFrame() if rows is None else rows
    name, metric = table["set"], table["published"]["metric"]
    missing = {metric: inputs.reason(name, metric, "standard")}
    substitutes = inputs.substitutes.get(name, {})
    return ablation_cells(item, table, rows, missing, substitutes, reason), {}


def ablation_cells(
    item: str,
    table: dict,
    rows: pd.DataFrame,
    missing: dict[str, str],
    substitutes: dict[str, str],
    reason: str,
) -> list[Cell]:
    """Cells of the ablation: the paper's metric, then every other metric that we have. `rows`
    have metric, variant, h, w and the three correlations, and are empty with a `reason`; of a
    metric, `missing` says why it is not among them, `substitutes` which encoder made it."""
    cells: list[Cell] = []
    printed = dict(table["published"])
    metric = printed.pop("metric")

    def add(of: str, variant: str, published: Sequence, ours: Mapping[Any, Any], why: str) -> None:
        for column, given in zip(ABLATION_COLUMNS, published, strict=True):
            value, parameter = ours[column], column in ("h", "w")
            is_given = parameter and value == given
            mark = "" if parameter or variant == WITHOUT else substitutes.get(of, "")
            cells.append(
                make_cell(
                    *(item, f"{of}: {variant}", SYMBOLS.get(column, column), given),
                    *(2 if parameter else 3, value),
                    GIVEN if is_given else why if np.isnan(value) else "",
                    mark,
                    origin="given" if is_given else "data",
                )
            )

    for variant, published in printed.items():
        ours = _paper_row(rows, metric, variant)
        add(metric, variant, published, ours, reason or missing.get(metric, ""))
    for row in rows.to_dict("records"):
        of_paper = row["metric"] == metric and row["variant"] in printed
        # These stand above, as does "w/o difficulty", which has no metric.
        if not of_paper and row["variant"] != WITHOUT:
            add(row["metric"], row["variant"], [np.nan] * 5, row, "")
    return cells


def _paper_row(rows: pd.DataFrame, metric: str, variant: str) -> dict[str, float]:
    """The paper's row: its metric's where we have it, else h and w; µ + kσ as computed; the
    correlations of "w/o difficulty" as printed, without sign."""
    ours = dict.fromkeys(ABLATION_COLUMNS, np.nan)
    if rows.empty:
        return ours
    same = rows[rows.variant == variant]
    of_metric = same[same.metric == metric]
    source, columns = (of_metric, ABLATION_COLUMNS) if len(of_metric) else (same, ("h", "w"))
    ours |= {column: source[column].iloc[0] for column in columns}
    computed = rows[rows.variant == f"{variant}, computed"]
    if len(computed):
        ours["h"] = computed.h.iloc[0]
    if variant == WITHOUT:
        ours |= {statistic: abs(same[statistic].iloc[0]) for statistic in CORRELATIONS}
    return ours


def ranking(item: str, table: dict[str, Any], inputs: Inputs) -> Table:
    """Scores of the best systems of a set, and how their ranks differ from human ones."""
    name, files = table["set"], inputs.sets[table["set"]]
    evalset, absent = read_or_reason(files, "evalset.json")
    gold = {}
    if not absent:
        best = best_systems(evalset.gold, table["size"])
        gold = {evalset.systems[system]: evalset.gold[system] for system in best}
    reasons: dict[Any, str] = {"gold": absent}
    for column in table["columns"]:
        column["higher_is_better"] = METRICS[inputs.types[column["metric"]]].higher_is_better
        key = column["metric"], column["weighting"]
        reasons[key] = absent or inputs.reason(name, *key)
    frame = files.read("top_scores.csv")
    scores = {
        key: dict(zip(rows.system, rows.score, strict=True))
        for key, rows in frame[frame["size"] == table["size"]].groupby(["metric", "weighting"])
    }
    substitutes = inputs.substitutes.get(name, {})
    cells = ranking_cells(item, table, scores, gold, reasons, substitutes)
    return (cells if absent else with_note(cells, inputs.note(name))), {}


def ranking_cells(
    item: str,
    table: dict,
    scores: Mapping[Any, dict[str, float]],
    gold: dict[str, float],
    reasons: dict,
    substitutes: dict[str, str],
) -> list[Cell]:
    """Cells of a ranking, from the scores of (metric, weighting) by system, human scores by system,
    why scores of (metric, weighting) do not exist, and the encoders that took the place of the
    paper's. A column's ΔRank is the human rank less the metric's: positive is ranked above
    people's. The last row sums its absolute values."""
    cells, human = [], _ranks(gold)
    for row in table["rows"]:
        system = row["system"]
        absent = "" if system in gold else not_among(system, table["size"])
        for number, column in enumerate(table["columns"]):
            key = column["metric"], column["weighting"]
            of_metric = scores.get(key, {})
            score = of_metric.get(system, np.nan) * column.get("scale", 1)
            own_ranks = _ranks(of_metric, column["higher_is_better"])
            change = human.get(system, np.nan) - own_ranks.get(system, np.nan)
            printed = row["published"][2 * number : 2 * number + 2] or [np.nan, np.nan]
            marks = reasons.get(key) or absent, substitutes.get(column["metric"], "")
            name, digits = column["label"], table["digits"]
            cells += [
                make_cell(item, row["label"], name, printed[0], digits, score, *marks),
                make_cell(item, row["label"], f"{name} ΔRank", printed[1], 0, change, *marks),
            ]
        value, why = gold.get(system, np.nan), reasons.get("gold") or absent
        cells.append(make_cell(item, row["label"], "HUMAN", row["human"], 3, value, why))
    sums = [*table.get("sums", []), *[np.nan] * len(table["columns"])]
    for column, published in zip(table["columns"], sums, strict=False):
        changes = [cell for cell in cells if cell.column == f"{column['label']} ΔRank"]
        value = np.sum(np.abs([cell.reproduced for cell in changes]))
        reason = next((cell.reason for cell in changes if cell.reason), "")
        total = changes[0]._replace(row="sum(|ΔRank|)", published=published, reproduced=value)
        cells.append(total._replace(reason=reason))
    return cells


def _ranks(scores: dict[str, float], higher_is_better: bool = True) -> dict[str, int]:
    """Rank by name, 1 for the best; ties in the given order."""
    ordered = sorted(scores, key=lambda name: scores[name], reverse=higher_is_better)
    return {name: rank for rank, name in enumerate(ordered, 1)}


def complexity(item: str, table: dict[str, Any], inputs: Inputs) -> Table:
    """A kind of table that is computed from what the paper prints."""
    return complexity_tables.KINDS[table["kind"]](item, table, inputs.printed), {}


KINDS: dict[str, Callable[[str, dict[str, Any], Inputs], Table]] = {
    "ablation": ablation,
    "case_study": case_study,
    "correlations": correlations,
    "examples": examples,
    "parameters": parameters,
    "ranking": ranking,
    "token_cases": token_cases,
    **dict.fromkeys(complexity_tables.KINDS, complexity),
}
