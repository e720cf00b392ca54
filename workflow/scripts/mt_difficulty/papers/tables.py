"""The papers' tables, rebuilt cell by cell beside what was published."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..data import language
from ..difficulty.aligners import exact
from ..difficulty.chunk_entropy import chunk_entropy
from ..evidence.subsets import CORRELATIONS, row_label

SYMBOLS = dict(zip(CORRELATIONS, ("r", "τ", "ρ"), strict=True))
GIVEN = "an input of the protocol"
ESTIMATED = (
    "ours is the estimate by Eq. 9 (h) or Eq. 11 (w); the paper's was searched for on each set, by "
    "an objective that it does not state"
)
ABLATION_COLUMNS = ("h", "w", *CORRELATIONS)


class Cell(NamedTuple):
    """One cell: `published` is NaN where the paper has none, `reproduced` where we have none
    (`reason` says why); `digits` is the printed precision. `substitute` says which encoder was
    used where it is not the paper's; `tuned` is yes for a value whose parameters were chosen with
    human scores of the set (`tuned.mark_tuned`). `origin` is what ours is made from: the `data`,
    what the paper has `printed`, or nothing, because the protocol takes over the `given` number."""

    item: str
    row: str
    column: str
    published: float
    digits: int
    reproduced: float
    reason: str = ""
    substitute: str = ""
    tuned: str = ""
    origin: str = "data"


@dataclass
class SetResults:
    """What the workflow computed for one evaluation set.

    `missing` maps (metric, weighting) to the reason why a score does not exist, `left_out` a metric
    to the reason why it is not in this run; `absent` is the reason why the whole set does not
    exist. `spread` is `correlations` with the standard deviations over random subsets, `note` a
    remark on every number of a set whose systems are not the paper's, `significance` the intervals
    that say what such systems can change. `substitutes` says of a metric that another encoder than
    the paper's made it.
    """

    correlations: pd.DataFrame = field(default_factory=pd.DataFrame)
    spread: pd.DataFrame = field(default_factory=pd.DataFrame)
    significance: pd.DataFrame = field(default_factory=pd.DataFrame)
    missing: dict = field(default_factory=dict)
    left_out: dict = field(default_factory=dict)
    absent: str = ""
    note: str = ""
    substitutes: dict = field(default_factory=dict)

    def correlation(
        self, metric: str, weighting: str, subset: str, size: int | None, statistic: str
    ) -> tuple[float, str]:
        """A correlation and, where it is NaN, the reason."""
        reason = self.absent or self.left_out.get(metric) or self.missing.get((metric, weighting))
        if reason:
            return np.nan, reason
        rows = _subset(self.correlations, metric, weighting, subset, size)
        if rows.empty:
            return np.nan, f"no subset `{subset}` of {size} systems was computed"
        value = rows[statistic].iloc[0]
        return value, "" if np.isfinite(value) else rows.reason.iloc[0]

    def remark(
        self,
        metric: str,
        weighting: str,
        subset: str,
        size: int | None,
        statistic: str,
        published: float,
    ) -> str:
        """The note, and whether other systems of the same kind could have given what is printed."""
        if not self.note or np.isnan(published):
            return self.note
        rows = _subset(self.significance, metric, weighting, subset, size)
        rows = rows.loc[rows.statistic == statistic, ["systems_low", "systems_high"]]
        if rows.empty:  # a subset that was not resampled
            return self.note
        low, high = rows.iloc[0]
        place = "inside" if low <= published <= high else "outside"
        interval = f"the 95 % interval over systems, {low:.3f} to {high:.3f}"
        return f"{self.note}: the printed value is {place} {interval}"

    def sampling(
        self,
        metric: str,
        weighting: str,
        size: int | None,
        statistic: str,
        draws: int,
        difference: float,
    ) -> str:
        """How a difference compares with the noise of a published mean over random draws."""
        deviation = _subset(self.spread, metric, weighting, "random", size)[statistic].iloc[0]
        own = _subset(self.correlations, metric, weighting, "random", size).draws.iloc[0]
        error = deviation * np.sqrt(1 / draws + 1 / own)
        return (
            f"the paper's {draws} subsets are unknown: the standard error of the difference is "
            f"{error:.3f}, so it is {abs(difference) / error:.1f} of these"
        )


def _subset(
    rows: pd.DataFrame, metric: str, weighting: str, subset: str, size: int | None
) -> pd.DataFrame:
    rows = rows[(rows.metric == metric) & (rows.weighting == weighting) & (rows.subset == subset)]
    return rows if subset == "all" else rows[rows["size"] == size]


def correlation_cells(item: str, table: dict, results: dict[str, SetResults]) -> list[Cell]:
    """Cells of a table of correlations, with the gains of EE in percent where it has them.

    Parameters
    ----------
    item : str
        The table's name.
    table : dict
        Its entry in the paper's file.
    results : dict of str to SetResults

    Returns
    -------
    list of Cell
    """
    cells, digits = [], table.get("digits", 3)
    columns = [(column, name) for column in table["columns"] for name in CORRELATIONS]
    for row in table["rows"]:
        label, metric, weighting = row_label(row), row["metric"], row["weighting"]
        printed = row.get("published", [np.nan] * len(columns))[: len(columns)]
        for (column, statistic), published in zip(columns, printed, strict=True):
            found, size = results[column["set"]], column.get("size")
            published = np.nan if published is None else published
            value, reason = found.correlation(metric, weighting, column["subset"], size, statistic)
            if np.isfinite(value):
                place = (metric, weighting, column["subset"], size, statistic)
                signed = np.copysign(published, value) if table.get("absolute") else published
                reason = found.remark(*place, signed)
            if column["subset"] == "random" and np.isfinite(value):
                noise = found.sampling(
                    metric, weighting, size, statistic, table["draws"], value - published
                )
                reason = "; ".join(filter(None, [reason, noise]))
            value = abs(value) if table.get("absolute") else value
            name = f"{column['label']} {SYMBOLS[statistic]}"
            substitute = found.substitutes.get(metric, "")
            cells.append(make_cell(item, label, name, published, digits, value, reason, substitute))
        if "gains" in table and weighting != "standard":
            cells += _gain_cells(item, table, row, cells)
    return cells


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


def example_cells(item: str, table: dict) -> list[Cell]:
    """Chunk entropy of the paper's toy sentences, tokens matched exactly (Eq. 2)."""
    cells = []
    for row in table["rows"]:
        reference, hypothesis = language.tokenize([table["reference"], row["hypothesis"]], "words")
        links = exact.align([reference], [[hypothesis]])[0]
        value = chunk_entropy(links >= 0, np.array([len(hypothesis)]))[0]
        label = f"{row['label']} ({row['deficiency']}): {row['hypothesis']}"
        cell = make_cell(item, label, "entropy", row["published"][0], 3, value)
        cells.append(cell._replace(origin="printed"))
    return cells


def parameter_cells(item: str, table: dict, parameters: dict[str, tuple[dict, str]]) -> list[Cell]:
    """The estimates of h (Eq. 9) and w (Eq. 11) of each set beside the paper's parameters.

    Parameters
    ----------
    parameters : dict of str to (dict, str)
        Of each set what `Groups.fit` gives, or the reason why there is nothing.
    """
    cells = []
    for row in table["rows"]:
        for column, published in zip(table["columns"], row["published"], strict=True):
            found, reason = parameters[column["set"]]
            value = None if reason else found["estimate"][row["parameter"]]
            reason = reason or ESTIMATED
            value = np.nan if value is None else value
            cells.append(
                make_cell(item, row["parameter"], column["label"], published, 2, value, reason)
            )
    return cells


def ablation_cells(
    item: str,
    table: dict,
    rows: pd.DataFrame,
    missing: dict[str, str],
    substitutes: dict[str, str],
    reason: str,
) -> list[Cell]:
    """Cells of the ablation: the paper's metric, then every other metric that we have.

    Parameters
    ----------
    rows : DataFrame
        metric, variant, h, w and the three correlations; empty with a `reason`.
    missing, substitutes : dict of str to str
        Of a metric, why it is not among the rows, and which encoder made it.
    """
    cells, printed = [], dict(table["published"])
    metric = printed.pop("metric")
    for variant, published in printed.items():
        ours = _paper_row(rows, metric, variant)
        why = reason or missing.get(metric, "")
        new = _ablation_row(item, f"{metric}: {variant}", published, ours, why)
        cells += new if variant == "w/o difficulty" else _mark(new, substitutes.get(metric, ""))
    row: Any
    for row in rows.itertuples():
        of_paper = row.metric == metric and row.variant in printed
        # These stand above, as does "w/o difficulty", which has no metric.
        if not of_paper and row.variant != "w/o difficulty":
            ours = {column: getattr(row, column) for column in ABLATION_COLUMNS}
            new = _ablation_row(item, f"{row.metric}: {row.variant}", [np.nan] * 5, ours, "")
            cells += _mark(new, substitutes.get(row.metric, ""))
    return cells


def _mark(cells: list[Cell], substitute: str) -> list[Cell]:
    return [
        cell if cell.column in ("h", "w") else cell._replace(substitute=substitute)
        for cell in cells
    ]


def _paper_row(rows: pd.DataFrame, metric: str, variant: str) -> dict[str, float]:
    """The paper's row: its metric's where we have it, else h and w; µ + kσ as computed; the
    correlations of "w/o difficulty" as printed, without sign."""
    ours = dict.fromkeys(ABLATION_COLUMNS, np.nan)
    if not len(rows):
        return ours
    same = rows[rows.variant == variant]
    own = same[same.metric == metric]
    source, columns = (own, ABLATION_COLUMNS) if len(own) else (same, ("h", "w"))
    ours |= {column: source[column].iloc[0] for column in columns}
    computed = rows[rows.variant == f"{variant}, computed"]
    if len(computed):
        ours["h"] = computed.h.iloc[0]
    if variant == "w/o difficulty":
        ours |= {statistic: abs(same[statistic].iloc[0]) for statistic in CORRELATIONS}
    return ours


def _ablation_row(
    item: str, label: str, published: Sequence[float | None], ours: dict[str, float], reason: str
) -> list[Cell]:
    cells = []
    for column, printed in zip(ABLATION_COLUMNS, published, strict=True):
        why, digits, origin = reason if np.isnan(ours[column]) else "", 3, "data"
        if column in ("h", "w"):
            digits = 2
            if ours[column] == printed:
                why, origin = GIVEN, "given"
        name = SYMBOLS.get(column, column)
        cell = make_cell(item, label, name, printed, digits, ours[column], why)
        cells.append(cell._replace(origin=origin))
    return cells


def make_cell(
    item: str,
    row: str,
    column: str,
    published: float | None,
    digits: int,
    reproduced: float,
    reason: str = "",
    substitute: str = "",
) -> Cell:
    """A cell; None stands for what the paper has not."""
    published = np.nan if published is None else published
    return Cell(item, row, column, published, digits, reproduced, reason, substitute)
