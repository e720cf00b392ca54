"""The papers' tables, rebuilt cell by cell beside the published numbers. Each kind of table
computes its cells from the results of the sets that it names. Tables of correlations also have
intervals, tests and quantiles among random difficulties."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..data import language
from ..data.evalset import SetFiles
from ..difficulty.aligners import exact
from ..difficulty.chunk_entropy import chunk_entropy
from ..errors import Missing
from ..evidence.levels import leaves_one_out, level_note, permuted
from ..evidence.resampling import holm
from ..evidence.subsets import CORRELATIONS, best_systems, row_label
from ..metrics import METRICS
from ..settings.protocol import (
    AblationTable,
    CorrelationTable,
    ExampleTable,
    PaperTable,
    ParameterTable,
    Published,
    RankedColumn,
    RankingTable,
    ScoreRow,
    SubsetColumn,
)
from ..tables import TABLES
from . import (
    SYMBOLS,
    Cell,
    Inputs,
    Table,
    agreement_tables,
    compared,
    complexity_tables,
    make_cell,
    read_or_reason,
)
from .case_studies import NOT_AMONG, case_study, token_cases

GIVEN = "an input of the protocol"
ESTIMATED = (
    "ours is the estimate by Eq. 9 (h) or Eq. 11 (w); the paper's was searched for on each set, by "
    "an objective that it does not state"
)
NEGATIVE = "ours is negative; the paper prints absolute values"
PARAMETERS = ("h", "w")
ABLATION_COLUMNS = (*PARAMETERS, *CORRELATIONS)
WITHOUT = "w/o difficulty"
# Rows of an ablation that use no threshold.
UNTUNED = ("standard", WITHOUT)


def make_table(item: str, table: PaperTable, inputs: Inputs) -> Table:
    """Rebuild a paper's table.

    Parameters
    ----------
    item : str
        Name of the table.
    table : PaperTable
        The printed table.
    inputs : Inputs
        Results and settings that it is computed from.

    Returns
    -------
    cells : list of Cell
        Printed numbers beside ours.
    texts : dict of str to str
        Sentences by row label.
    """
    if table.kind in complexity_tables.KINDS:
        assert inputs.printed is not None
        return complexity_tables.KINDS[table.kind](item, table, inputs.printed), {}
    return KINDS[table.kind](item, table, inputs)


def correlations(item: str, table: CorrelationTable, inputs: Inputs) -> Table:
    """Make a table of correlations and, if it has `gains`, of gains of weightings in percent.

    Parameters
    ----------
    item : str
        Name of the table.
    table : CorrelationTable
        The printed table. Its columns name sets.
    inputs : Inputs
        Results of these sets.

    Returns
    -------
    cells : list of Cell
        Values of a weighting tuned on the same set are marked. Ours have their sign also if the
        table prints absolute values (`absolute`).
    texts : dict
        Empty.
    """
    cells: list[Cell] = []
    columns = [(column, statistic) for column in table.columns for statistic in CORRELATIONS]
    names = {column.set for column in table.columns}
    absent = {name: read_or_reason(inputs.sets[name], "evalset.json")[1] for name in names}
    systems_notes = {name: inputs.other_systems(name) for name in names}
    for row in table.rows:
        printed = _printed_numbers(row, len(columns) + len(SYMBOLS))
        printed_correlations = printed[: len(columns)]
        printed_gains = printed[len(columns) :]
        for (column, statistic), number in zip(columns, printed_correlations, strict=True):
            name = column.set
            published = np.nan if number is None else number
            value = np.nan
            reason = absent[name] or inputs.reason(name, row.metric, row.weighting)
            if not reason:
                value, reason = _correlation(
                    table, row, column, statistic, published, inputs.sets[name], systems_notes[name]
                )
            cells.append(
                make_cell(
                    item,
                    label_of(row),
                    f"{column.label} {SYMBOLS[statistic]}",
                    published,
                    table.digits,
                    value,
                    reason,
                    inputs.substitute(name, row.metric),
                    tuned="yes" if row.weighting in inputs.tuned.get(name, ()) else "",
                    systems_note=systems_notes[name],
                    absolute="yes" if table.absolute else "",
                )
            )
        if table.gains is not None and row.weighting != "standard":
            cells += _gains(item, table, row, printed_gains, cells)
    return cells, {}


def _printed_numbers(row: ScoreRow, count: int) -> Published:
    """Return the numbers that a row prints; None for each if the row is ours alone."""
    return [None] * count if row.published is None else row.published


def _correlation(
    table: CorrelationTable,
    row: ScoreRow,
    column: SubsetColumn,
    statistic: str,
    published: float,
    files: SetFiles,
    systems_note: str,
) -> tuple[float, str]:
    """Return our correlation, with remarks on its distance from the published one; NaN and a reason
    if there is none."""
    computed = in_column(files.read("correlations.csv"), row, column)
    if not len(computed):
        return np.nan, f"no subset `{column.subset}` of {column.size} systems was computed"
    value = computed[statistic].iloc[0]
    reason = computed.reason.iloc[0]
    if not np.isfinite(value):
        return value, reason
    remarks = []
    if table.absolute and value < 0:
        remarks.append(NEGATIVE)
    if systems_note:
        signed = np.copysign(published, value) if table.absolute else published
        resampled = in_column(files.read("significance.csv"), row, column)
        remarks.append(remark(resampled, statistic, signed))
    if column.subset == "random":
        # Sampling error of a published mean over random draws.
        spread = in_column(files.read("correlation_spread.csv"), row, column)
        deviation = spread[statistic].iloc[0]
        error = deviation * np.sqrt(1 / table.draws + 1 / computed.draws.iloc[0])
        apart = abs((abs(value) if table.absolute else value) - published)
        remarks.append(
            f"the paper's {table.draws} subsets are unknown: the standard error of "
            f"the difference is {error:.3f}, so it is {apart / error:.1f} of these"
        )
    return value, "; ".join(filter(None, remarks))


def label_of(row: ScoreRow) -> str:
    """Return a row's label; without one, that of its metric and weighting, such as `EE-BLEU`."""
    return row.label or row_label({"metric": row.metric, "weighting": row.weighting})


def in_column(rows: pd.DataFrame, row: ScoreRow, column: SubsetColumn) -> pd.DataFrame:
    """Select the results for a row and column of a table.

    Parameters
    ----------
    rows : DataFrame
        Results with columns `metric`, `weighting`, `subset` and `size`.
    row : ScoreRow
        Names the metric and the weighting.
    column : SubsetColumn
        Names the subset of systems.

    Returns
    -------
    DataFrame
    """
    rows = rows[(rows.metric == row.metric) & (rows.weighting == row.weighting)]
    rows = rows[rows.subset == column.subset]
    return rows if column.subset == "all" else rows[rows["size"] == column.size]


def remark(resampled: pd.DataFrame, statistic: str, published: float) -> str:
    """Say whether our 95 % interval over systems includes a published number.

    Parameters
    ----------
    resampled : DataFrame
        Rows of `significance.csv` of a metric, weighting and subset of systems.
    statistic : str
        Name of the statistic.
    published : float
        The published number; NaN if there is none.

    Returns
    -------
    str
        "" without a published number or an interval, because nothing was resampled or there are too
        few systems.
    """
    if np.isnan(published) or resampled.empty:
        return ""
    rows = resampled[resampled.statistic == statistic][["systems_low", "systems_high"]].dropna()
    if rows.empty:
        return ""
    low, high = rows.iloc[0]
    side = "inside" if low <= published <= high else "outside"
    return f"the printed value is {side} the 95 % interval over systems, {low:.3f} to {high:.3f}"


def _gains(
    item: str, table: CorrelationTable, row: ScoreRow, published: Published, cells: list[Cell]
) -> list[Cell]:
    """Return a cell per statistic: 100 × the weighting's mean gain over the table's columns.
    `published` has the printed gains; `cells` are those of the table so far."""
    values = {(cell.row, cell.column): cell for cell in cells}
    gains = []
    for symbol, printed in zip(SYMBOLS.values(), published, strict=True):
        names = [f"{column.label} {symbol}" for column in table.columns]
        after = [values[label_of(row), name] for name in names]
        before = [values[row.metric, name] for name in names]
        differences = compared(pd.DataFrame(after)) - compared(pd.DataFrame(before))
        gains.append(
            make_cell(
                item,
                label_of(row),
                f"{table.gains.label} Δ{symbol}",
                printed,
                table.gains.digits,
                100 * float(differences.mean(skipna=False)),
                next((cell.reason for cell in after + before if np.isnan(cell.reproduced)), ""),
                max(cell.substitute for cell in after),
                tuned=max(cell.tuned for cell in after),
                systems_note=max(cell.systems_note for cell in after),
            )
        )
    return gains


def examples(item: str, table: ExampleTable, inputs: Inputs | None = None) -> Table:
    """Make a table of toy sentences' chunk entropy (Eq. 2 of Liu et al.), with equal words linked.

    Parameters
    ----------
    item : str
        Name of the table.
    table : ExampleTable
        The printed table, with the sentences.
    inputs : Inputs, optional
        Not used.

    Returns
    -------
    cells : list of Cell
    texts : dict
        Empty.
    """
    cells = []
    for row in table.rows:
        reference, hypothesis = language.tokenize([table.reference, row.hypothesis], "words")
        links = exact([reference], [[hypothesis]])[0]
        entropy = chunk_entropy(links >= 0, np.array([len(hypothesis)]))[0]
        cells.append(
            make_cell(
                item,
                f"{row.label} ({row.deficiency}): {row.hypothesis}",
                "entropy",
                row.published[0],
                3,
                entropy,
                origin="printed",
            )
        )
    return cells, {}


def parameters(item: str, table: ParameterTable, inputs: Inputs) -> Table:
    """Make a table of EE's threshold h and easy weight w (Eq. 9 and 11 of Liu et al.) by set.

    Parameters
    ----------
    item : str
        Name of the table.
    table : ParameterTable
        The printed table. Its columns name sets.
    inputs : Inputs
        Results of these sets.

    Returns
    -------
    cells : list of Cell
    texts : dict
        Empty.
    """
    cells = []
    for row in table.rows:
        for column, published in zip(table.columns, row.published, strict=True):
            value = None
            reason = ESTIMATED
            try:
                fitted = inputs.parameters(column.set, table.weighting)
                value = fitted["estimate"][row.parameter]
            except Missing as missing:
                reason = str(missing)
            cells.append(
                make_cell(
                    item,
                    row.parameter,
                    column.label,
                    published,
                    table.digits,
                    np.nan if value is None else value,
                    reason,
                    systems_note=inputs.other_systems(column.set),
                )
            )
    return cells, {}


class _AblationRow(NamedTuple):
    """A metric under a variant of the ablated weighting: printed numbers and ours, in the order of
    ABLATION_COLUMNS."""

    metric: str
    variant: str
    published: Published
    ours: list[float]


def ablation(item: str, table: AblationTable, inputs: Inputs) -> Table:
    """Make the ablation of the paper's metric, then of our other metrics.

    Parameters
    ----------
    item : str
        Name of the table.
    table : AblationTable
        The printed table, which names the set.
    inputs : Inputs
        Results of the paper and the set.

    Returns
    -------
    cells : list of Cell
        Variants keep h or w of the weighting, so all except UNTUNED are marked as tuned if the
        weighting is tuned.
    texts : dict
        Empty.
    """
    results, absent = read_or_reason(inputs.paper_files, "ablation.csv")
    if absent:
        results = pd.DataFrame(columns=TABLES["ablation.csv"].names())
    rows = _printed_ablation(table, results) + _further_ablation(table, results)
    paper_metric = table.published.metric
    missing = absent or inputs.reason(table.set, paper_metric, "standard")
    cells = []
    for row in rows:
        reason = missing if row.metric == paper_metric else ""
        cells += _ablation_cells(item, row, table.set, inputs, reason)
    return cells, {}


def _printed_ablation(table: AblationTable, results: pd.DataFrame) -> list[_AblationRow]:
    """Return the rows that the paper prints. Ours are of the paper's metric if there are results of
    it; else h and w are those of any metric."""
    metric = table.published.metric
    rows = []
    for variant, published in table.published.variants.items():
        ours = dict.fromkeys(ABLATION_COLUMNS, np.nan)
        of_variant = results[results.variant == variant]
        of_metric = of_variant[of_variant.metric == metric]
        if len(of_metric):
            ours.update(of_metric[list(ABLATION_COLUMNS)].iloc[0])
        elif len(of_variant):
            ours.update(of_variant[["h", "w"]].iloc[0])
        # µ + kσ as computed from the set's difficulties.
        computed = results[results.variant == f"{variant}, computed"]
        if len(computed):
            ours["h"] = computed.h.iloc[0]
        # The correlations of "w/o difficulty" have no metric.
        if variant == WITHOUT and len(of_variant):
            ours.update(of_variant[list(CORRELATIONS)].iloc[0])
        rows.append(_AblationRow(metric, variant, published, list(ours.values())))
    return rows


def _further_ablation(table: AblationTable, results: pd.DataFrame) -> list[_AblationRow]:
    """Return rows of our results that the paper does not print."""
    rows = []
    for result in results.to_dict("records"):
        metric = result["metric"]
        variant = result["variant"]
        is_printed = metric == table.published.metric and variant in table.published.variants
        # "w/o difficulty" has no metric; its row is one of the printed ones.
        if variant != WITHOUT and not is_printed:
            ours = [result[column] for column in ABLATION_COLUMNS]
            rows.append(_AblationRow(metric, variant, [np.nan] * len(ours), ours))
    return rows


def _ablation_cells(
    item: str, row: _AblationRow, name: str, inputs: Inputs, missing: str
) -> list[Cell]:
    """Return the cells of a row; `missing` is the reason of cells without a number of ours."""
    is_tuned = bool(inputs.tuned.get(name)) and row.variant not in UNTUNED
    cells = []
    for column, published, value in zip(ABLATION_COLUMNS, row.published, row.ours, strict=True):
        cell = make_cell(
            item,
            f"{row.metric}: {row.variant}",
            SYMBOLS.get(column, column),
            published,
            2 if column in PARAMETERS else 3,
            value,
            missing if np.isnan(value) else "",
            tuned="yes" if is_tuned else "",
            systems_note=inputs.other_systems(name),
        )
        if column in PARAMETERS:
            if value == published:
                cell = cell._replace(reason=GIVEN, origin="given", systems_note="")
        elif row.variant == WITHOUT:
            # The paper prints these correlations, which have no metric, without sign.
            cell = cell._replace(absolute="yes", reason=NEGATIVE if value < 0 else cell.reason)
        else:
            cell = cell._replace(substitute=inputs.substitute(name, row.metric))
        cells.append(cell)
    return cells


class _RankedScores(NamedTuple):
    """Scores of the best systems in a column of a ranking table. `scores` and `ranks` (1 is the
    best) are by system; the texts are fields of `Cell`."""

    column: RankedColumn
    scores: pd.Series
    ranks: pd.Series
    reason: str
    substitute: str
    systems_note: str


def ranking(item: str, table: RankingTable, inputs: Inputs) -> Table:
    """Make a table of scores of a set's best systems, and of differences of ranks.

    Parameters
    ----------
    item : str
        Name of the table.
    table : RankingTable
        The printed table, which names the set.
    inputs : Inputs
        Results of the set.

    Returns
    -------
    cells : list of Cell
        ΔRank is the human rank minus the metric's: positive for a system that the metric ranks
        higher than humans do. The last row sums |ΔRank|.
    texts : dict
        Empty.
    """
    evalset, absent = read_or_reason(inputs.sets[table.set], "evalset.json")
    gold = pd.Series(dtype=float)
    if not absent:
        best = best_systems(evalset.gold, table.size)
        gold = pd.Series({evalset.systems[system]: evalset.gold[system] for system in best})
    human_ranks = gold.rank(method="first", ascending=False)  # 1 is the best; ties keep their order
    ranked = [_ranked_scores(column, table, inputs, absent) for column in table.columns]
    other_systems = inputs.other_systems(table.set)

    cells: list[Cell] = []
    changes: dict[str, list[Cell]] = {}
    for row in table.rows:
        system = row.system
        printed = iter(row.published)
        left_out = "" if system in gold else NOT_AMONG.format(system, table.size)
        for metric in ranked:
            label = metric.column.label
            reason = metric.reason or left_out
            cells.append(
                make_cell(
                    item,
                    row.label,
                    label,
                    next(printed, np.nan),
                    table.digits,
                    metric.scores.get(system, np.nan) * metric.column.scale,
                    reason,
                    metric.substitute,
                    systems_note=metric.systems_note,
                )
            )
            change = make_cell(
                item,
                row.label,
                f"{label} ΔRank",
                next(printed, np.nan),
                0,
                human_ranks.get(system, np.nan) - metric.ranks.get(system, np.nan),
                reason,
                metric.substitute,
                systems_note=other_systems,  # a rank is one among the systems at hand
            )
            cells.append(change)
            changes.setdefault(change.column, []).append(change)
        score = gold.get(system, np.nan)
        cells.append(make_cell(item, row.label, "HUMAN", row.human, 3, score, absent or left_out))
    sums = [*table.sums, *[np.nan] * len(changes)]
    for column_changes, published in zip(changes.values(), sums, strict=False):
        cells.append(_sum_of_changes(item, column_changes, published, other_systems))
    return cells, {}


def _ranked_scores(
    column: RankedColumn, table: RankingTable, inputs: Inputs, absent: str
) -> _RankedScores:
    """Return the scores of a column; `absent` is the reason why there is no set."""
    metric = column.metric
    weighting = column.weighting
    top = inputs.sets[table.set].read("top_scores.csv")
    top = top[top["size"] == table.size]
    rows = top[(top.metric == metric) & (top.weighting == weighting)]
    scores = rows.set_index("system").score
    higher_is_better = METRICS[inputs.types[metric]].higher_is_better
    return _RankedScores(
        column,
        scores,
        ranks=scores.rank(method="first", ascending=not higher_is_better),
        reason=absent or inputs.reason(table.set, metric, weighting),
        substitute=inputs.substitute(table.set, metric),
        systems_note=inputs.other_systems_for(table.set, weighting),
    )


def _sum_of_changes(
    item: str, changes: list[Cell], published: float | None, systems_note: str
) -> Cell:
    """Return the cell with the sum of |ΔRank| over the cells of a column."""
    first = changes[0]
    return make_cell(
        item,
        "sum(|ΔRank|)",
        first.column,
        published,
        0,
        np.sum(np.abs([cell.reproduced for cell in changes])),
        next((cell.reason for cell in changes if cell.reason), ""),
        first.substitute,
        systems_note=systems_note,
    )


# Each function takes tables of its kind alone.
KINDS: dict[str, Callable[[str, Any, Inputs], Table]] = {
    "ablation": ablation,
    "agreement": agreement_tables.agreement,
    "case_study": case_study,
    "correlations": correlations,
    "examples": examples,
    "metric_matrix": agreement_tables.metric_matrix,
    "parameters": parameters,
    "ranking": ranking,
    "token_cases": token_cases,
}

# Statistics shown with correlations. A run may have others, or lack pairwise ones.
STATISTICS = (*SYMBOLS, "accuracy", "soft_accuracy")
TESTS = ("permutation_p", "williams_p")


def level_notes(table: CorrelationTable, inputs: Inputs) -> list[str]:
    """Return notes on rows whose difficulty leaves out the system itself: what the same
    difficulties give when they are permuted over tokens."""
    notes = []
    for row in table.rows:
        found = []
        labels = []
        for column in table.columns:
            files = inputs.sets[column.set]
            described = files.optional("weightings.json")
            controls = files.optional("controls.csv")
            if described is None or controls is None:
                continue
            if leaves_one_out(described, row.weighting):
                rows = permuted(in_column(controls, row, column))
                found.append(rows)
                labels += [column.label] * len(rows)
        if found:
            note = level_note(pd.concat(found), labels)
            notes += [f"{label_of(row)}: {note}"] if note else []
    return notes


NULLS = ("shuffled", "permuted", "retuned")


def statistics_rows(table: CorrelationTable, inputs: Inputs) -> pd.DataFrame:
    """Return the statistics of a table of correlations, with quantiles in null
    distributions (NaN without any). Holm's correction is over a kind of test."""
    names = {column.set for column in table.columns}
    resampled = {name: _with_quantiles(inputs.sets[name]) for name in names}
    rows: list[dict[Any, Any]] = []
    for row in table.rows:
        for column in table.columns:
            name = column.set
            labels = {"row": label_of(row), "column": column.label}
            entries = in_column(resampled[name], row, column).to_dict("records")
            if entries:
                rows += [entry | labels for entry in entries]
                continue
            reason = inputs.reason(name, row.metric, row.weighting) or "not resampled"
            rows.append(
                {
                    "difficulty": "",
                    "statistic": "pearson",
                    "reason": reason,
                    **labels,
                    "metric": row.metric,
                    "weighting": row.weighting,
                }
            )
    frame = pd.DataFrame(rows).reindex(columns=TABLES["<item>_statistics.csv"].names())
    for test in TESTS:
        frame[f"{test}_holm"] = holm(frame[test].to_numpy(float))
    return frame


def _with_quantiles(files: SetFiles) -> pd.DataFrame:
    """Return `significance.csv` of a set with, from `controls.csv`, the column `tuned` and the
    quantile of each statistic in each null distribution."""
    keys = ["metric", "weighting", "subset", "size", "statistic"]
    frame = files.read("significance.csv")
    controls, absent = read_or_reason(files, "controls.csv")
    if absent:
        controls = pd.DataFrame(columns=TABLES["controls.csv"].names())
    # An empty table's columns have no type.
    controls = controls.astype(frame[keys].dtypes)
    quantiles = controls.pivot_table("quantile", keys, "null", aggfunc="first", dropna=False)
    quantiles = quantiles.reindex(columns=list(NULLS)).add_suffix("_quantile").reset_index()
    tuned = controls[[*keys, "tuned"]].drop_duplicates()
    frame = frame[frame.statistic.isin(STATISTICS)].merge(tuned, on=keys, how="left")
    return frame.fillna({"tuned": ""}).merge(quantiles, on=keys, how="left")
