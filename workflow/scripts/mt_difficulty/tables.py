"""The papers' tables, rebuilt cell by cell beside what was published."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pandas as pd

from . import entropy, language
from .aligners import exact
from .correlation import STATISTICS

SYMBOLS = dict(zip(STATISTICS, ("r", "τ", "ρ"), strict=True))
GIVEN = "an input of the protocol"
ESTIMATED = (
    "ours is the estimate by Eq. 9 (h) or Eq. 11 (w); the paper's was searched for on each set, by "
    "an objective that it does not state"
)
ABLATION_COLUMNS = ("h", "w", *STATISTICS)
CASE_COLUMNS = (
    ("BERTScore segment", 3),
    ("BERTScore system", 3),
    ("BERTScore contribution %", 3),
    ("EE-BERTScore segment", 3),
    ("EE-BERTScore system", 3),
    ("EE-BERTScore contribution %", 3),
    ("entropy", 3),
)


class Cell(NamedTuple):
    """One cell: `published` is NaN where the paper has none, `reproduced` where we have none
    (`reason` says why); `digits` is the printed precision."""

    item: str
    row: str
    column: str
    published: float
    digits: int
    reproduced: float
    reason: str = ""


@dataclass
class SetResults:
    """What the workflow computed for one evaluation set.

    `missing` maps (metric, weighting) to the reason why a score does not exist; `absent` is
    the reason why the whole set does not. `spread` is `correlations` with the standard
    deviations over random subsets, `note` a remark on every number of the set.
    """

    correlations: pd.DataFrame = field(default_factory=pd.DataFrame)
    spread: pd.DataFrame = field(default_factory=pd.DataFrame)
    missing: dict = field(default_factory=dict)
    absent: str = ""
    note: str = ""

    def correlation(self, metric, weighting, subset, size, statistic):
        """A correlation and, where it is NaN, the reason."""
        reason = self.absent or self.missing.get((metric, weighting))
        if reason:
            return np.nan, reason
        rows = _subset(self.correlations, metric, weighting, subset, size)
        if rows.empty:
            return np.nan, f"no subset `{subset}` of {size} systems was computed"
        value = rows[statistic].iloc[0]
        return value, self.note if np.isfinite(value) else "constant or undefined system scores"

    def sampling(self, metric, weighting, size, statistic, draws, difference):
        """How a difference compares with the noise of a published mean over random draws."""
        deviation = _subset(self.spread, metric, weighting, "random", size)[statistic].iloc[0]
        own = _subset(self.correlations, metric, weighting, "random", size).draws.iloc[0]
        error = deviation * np.sqrt(1 / draws + 1 / own)
        return (
            f"the paper's {draws} subsets are unknown: the standard error of the difference is "
            f"{error:.3f}, so it is {abs(difference) / error:.1f} of these"
        )


def _subset(rows, metric, weighting, subset, size):
    rows = rows[(rows.metric == metric) & (rows.weighting == weighting) & (rows.subset == subset)]
    return rows if subset == "all" else rows[rows["size"] == size]


def row_label(metric, weighting):
    """`EE-BLEU` for the EE weighting of BLEU, `BLEU` for the standard one."""
    return metric if weighting == "standard" else f"{weighting}-{metric}"


def correlation_cells(item, table, results):
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
    for row in table["rows"]:
        label = row_label(row["metric"], row["weighting"])
        columns = _columns(table["columns"])
        published_here = row["published"][: len(columns)]
        for (column, statistic), published in zip(columns, published_here, strict=True):
            found, size = results[column["set"]], column.get("size")
            metric, weighting = row["metric"], row["weighting"]
            value, reason = found.correlation(metric, weighting, column["subset"], size, statistic)
            if column["subset"] == "random" and np.isfinite(value):
                noise = found.sampling(
                    metric, weighting, size, statistic, table["draws"], value - published
                )
                reason = "; ".join(filter(None, [reason, noise]))
            name = f"{column['label']} {SYMBOLS[statistic]}"
            cells.append(_cell(item, label, name, published, digits, value, reason))
        if "gains" in table and row["weighting"] != "standard":
            cells += _gain_cells(item, table, row, cells)
    return cells


def _columns(columns):
    return [(column, statistic) for column in columns for statistic in STATISTICS]


def _gain_cells(item, table, row, cells):
    """Mean over the sets of what the weighting adds to each statistic, in percent."""
    values = {(cell.row, cell.column): cell for cell in cells}
    gains = []
    published = row["published"][len(table["columns"]) * len(STATISTICS) :]
    for statistic, printed in zip(STATISTICS, published, strict=True):
        names = [f"{column['label']} {SYMBOLS[statistic]}" for column in table["columns"]]
        after = [values[row_label(row["metric"], row["weighting"]), name] for name in names]
        before = [values[row["metric"], name] for name in names]
        value = 100 * np.mean(
            [a.reproduced - b.reproduced for a, b in zip(after, before, strict=True)]
        )
        reason = next((c.reason for c in after + before if np.isnan(c.reproduced)), "")
        name = f"{table['gains']['label']} Δ{SYMBOLS[statistic]}"
        label = row_label(row["metric"], row["weighting"])
        gains.append(_cell(item, label, name, printed, table["gains"]["digits"], value, reason))
    return gains


def example_cells(item, table):
    """Chunk entropy of the paper's toy sentences, tokens matched exactly (Eq. 2)."""
    cells = []
    for row in table["rows"]:
        reference, hypothesis = language.tokenize([table["reference"], row["hypothesis"]], "words")
        links = exact.align([reference], [[hypothesis]])[0]
        value = entropy.chunk_entropy(links >= 0, np.array([len(hypothesis)]))[0]
        label = f"{row['label']} ({row['deficiency']}): {row['hypothesis']}"
        cells.append(_cell(item, label, "entropy", row["published"][0], 3, value))
    return cells


def parameter_cells(item, table, difficulties):
    """The estimates of h (Eq. 9) and w (Eq. 11) of each set beside the paper's parameters.

    Parameters
    ----------
    difficulties : dict of str to (dict, str)
        Of each set what `difficulty.describe` says, or the reason why it does not exist.
    """
    cells = []
    for row in table["rows"]:
        for column, published in zip(table["columns"], row["published"], strict=True):
            found, reason = difficulties[column["set"]]
            value = None if reason else found["estimate"][row["parameter"]]
            reason = reason or ESTIMATED
            value = np.nan if value is None else value
            cells.append(
                _cell(item, row["parameter"], column["label"], published, 2, value, reason)
            )
    return cells


def ablation_cells(item, table, rows, neural, reason):
    """Cells of the ablation: the paper's metric, then every metric that we have.

    Parameters
    ----------
    rows : DataFrame
        metric, variant, h, w and the three correlations; empty with a `reason`.
    neural : str
        Why the paper's own metric is not there.
    """
    cells, published = [], dict(table["published"])
    paper_metric = published.pop("metric")
    for variant, printed in published.items():
        ours = _paper_row(rows, variant)
        cells += _ablation_row(item, f"{paper_metric}: {variant}", printed, ours, reason or neural)
    for row in rows.itertuples():
        if row.variant != "w/o difficulty":  # no metric takes part: it stands above
            ours = {column: getattr(row, column) for column in ABLATION_COLUMNS}
            nothing = [np.nan] * len(ours)
            cells += _ablation_row(item, f"{row.metric}: {row.variant}", nothing, ours, "")
    return cells


def _paper_row(rows, variant):
    """What can be said of the paper's row without its metric: h and w, µ + kσ as computed, and
    all of "w/o difficulty"."""
    if not len(rows):
        return dict.fromkeys(ABLATION_COLUMNS, np.nan)
    same = rows[rows.variant == variant].iloc[0]
    computed = rows[rows.variant == f"{variant}, computed"]
    ours = dict.fromkeys(ABLATION_COLUMNS, np.nan) | {"h": same.h, "w": same.w}
    if len(computed):
        ours["h"] = computed.h.iloc[0]
    if variant == "w/o difficulty":
        ours |= {statistic: abs(same[statistic]) for statistic in STATISTICS}  # as printed
    return ours


def _ablation_row(item, label, published, ours, reason):
    cells = []
    for column, printed in zip(ABLATION_COLUMNS, published, strict=True):
        why, digits = reason if np.isnan(ours[column]) else "", 3
        if column in ("h", "w"):
            why, digits = GIVEN if ours[column] == printed else why, 2
        name = SYMBOLS.get(column, column)
        cells.append(_cell(item, label, name, printed, digits, ours[column], why))
    return cells


def case_cells(item, table, entropies, difficult, neural, reason):
    """Cells of the case study; `entropies` maps (system, segment from 1) to chunk entropy and
    `difficult` a system to its number of difficult hypotheses."""
    cells = []
    for row in table["rows"]:
        value = entropies.get((row["system"], row["segment"]), np.nan)
        for (column, digits), published in zip(CASE_COLUMNS, row["published"], strict=True):
            ours, why = (value, reason) if column == "entropy" else (np.nan, neural)
            cells.append(_cell(item, row["label"], column, published, digits, ours, why))
    count = table["difficult_segments"]
    ours = difficult.get(count["system"], np.nan)
    cells.append(
        _cell(item, count["label"], "difficult segments", count["published"], 0, ours, reason)
    )
    return cells


def _cell(item, row, column, published, digits, reproduced, reason=""):
    published = np.nan if published is None else published
    return Cell(item, row, column, published, digits, reproduced, reason)


def layout(cells):
    """The table as printed: rows × columns of `ours [published]`, in the order of the cells.

    Returns
    -------
    DataFrame of str
        `–` stands for a number that is not there; a cell of neither number is empty.
    """
    frame = pd.DataFrame(cells)
    rows, columns = list(dict.fromkeys(frame.row)), list(dict.fromkeys(frame.column))
    texts = {(cell.row, cell.column): _text(cell) for cell in cells}
    return pd.DataFrame(
        [[row, *(texts.get((row, column), "") for column in columns)] for row in rows],
        columns=["", *columns],
    )


def _text(cell):
    if np.isnan(cell.published) and np.isnan(cell.reproduced):
        return ""
    ours, published = (
        "–" if np.isnan(value) else f"{value:.{cell.digits}f}"
        for value in (cell.reproduced, cell.published)
    )
    return ours if published == "–" else f"{ours} [{published}]"


def to_markdown(frame, caption):
    """A table as markdown, with its caption and how to read it."""
    return f"{caption}\n\nOurs [published].\n\n{frame.to_markdown(index=False)}\n"


def to_latex(frame, caption, label):
    """A table as LaTeX; needs booktabs, and a Unicode engine for τ, ρ, µ, σ and arrows."""
    body = frame.to_latex(
        index=False, escape=True, caption=f"{caption} Ours [published].", label=f"tab:{label}"
    )
    return f"% Needs \\usepackage{{booktabs}} and XeLaTeX or LuaLaTeX.\n{body}"
