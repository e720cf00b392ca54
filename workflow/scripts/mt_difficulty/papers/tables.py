"""The papers' tables, rebuilt cell by cell beside the published numbers. Each kind of table
computes its cells from the results of the sets that it names. Tables of correlations also have
intervals, tests and quantiles among random difficulties."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..data import language
from ..difficulty.aligners import exact
from ..difficulty.chunk_entropy import chunk_entropy
from ..errors import Missing
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
    RankingTable,
    ScoreRow,
    SubsetColumn,
)
from ..tables import TABLES
from . import SYMBOLS, Cell, Inputs, Table, compared, complexity_tables, make_cell, read_or_reason
from .case_studies import NOT_AMONG, case_study, token_cases

GIVEN = "an input of the protocol"
ESTIMATED = (
    "ours is the estimate by Eq. 9 (h) or Eq. 11 (w); the paper's was searched for on each set, by "
    "an objective that it does not state"
)
NEGATIVE = "ours is negative; the paper prints absolute values"
ABLATION_COLUMNS = ("h", "w", *CORRELATIONS)
WITHOUT = "w/o difficulty"
# Rows of an ablation that use no threshold.
UNTUNED = ("standard", WITHOUT)


def make_table(item: str, table: PaperTable, inputs: Inputs) -> Table:
    """Return a paper's table as cells, and sentences by row label."""
    if make_cells := complexity_tables.KINDS.get(table.kind):
        assert inputs.printed is not None
        return make_cells(item, table, inputs.printed), {}
    return KINDS[table.kind](item, table, inputs)


def correlations(item: str, table: CorrelationTable, inputs: Inputs) -> Table:
    """Return correlations for the sets of a table's columns and, if the table has `gains`, the
    gains of weightings in percent. Values of a weighting tuned on the same set are marked. Ours
    have their sign also if the table prints absolute values (`absolute`)."""
    cells: list[Cell] = []
    columns = [(column, statistic) for column in table.columns for statistic in CORRELATIONS]
    names = {column.set for column in table.columns}
    absent = {name: read_or_reason(inputs.sets[name], "evalset.json")[1] for name in names}
    others = {name: inputs.other_systems(name) for name in names}
    absolute = "yes" if table.absolute else ""
    for row in table.rows:
        metric, weighting = row.metric, row.weighting
        printed = row.published
        if printed is None:
            printed = [None] * (len(columns) + len(SYMBOLS))
        of_columns, of_gains = printed[: len(columns)], printed[len(columns) :]
        for (column, statistic), number in zip(columns, of_columns, strict=True):
            name, value = column.set, np.nan
            published = np.nan if number is None else number
            reason = absent[name] or inputs.reason(name, metric, weighting)
            if not reason:
                computed = in_column(inputs.sets[name].read("correlations.csv"), row, column)
                reason = f"no subset `{column.subset}` of {column.size} systems was computed"
                if len(computed):
                    value, reason = computed[statistic].iloc[0], computed.reason.iloc[0]
            if np.isfinite(value):
                remarks = []
                if absolute and value < 0:
                    remarks.append(NEGATIVE)
                if others[name]:
                    signed = np.copysign(published, value) if absolute else published
                    resampled = in_column(inputs.sets[name].read("significance.csv"), row, column)
                    remarks.append(remark(resampled, statistic, signed))
                if column.subset == "random":
                    # Sampling error of a published mean over random draws.
                    spread = inputs.sets[name].read("correlation_spread.csv")
                    deviation = in_column(spread, row, column)[statistic].iloc[0]
                    error = deviation * np.sqrt(1 / table.draws + 1 / computed.draws.iloc[0])
                    apart = abs((abs(value) if absolute else value) - published)
                    remarks.append(
                        f"the paper's {table.draws} subsets are unknown: the standard error of "
                        f"the difference is {error:.3f}, so it is {apart / error:.1f} of these"
                    )
                reason = "; ".join(filter(None, remarks))
            cells.append(
                make_cell(
                    item,
                    label_of(row),
                    f"{column.label} {SYMBOLS[statistic]}",
                    published,
                    table.digits,
                    value,
                    reason,
                    inputs.substitute(name, metric),
                    tuned="yes" if weighting in inputs.tuned.get(name, ()) else "",
                    systems_note=others[name],
                    absolute=absolute,
                )
            )
        if table.gains is not None and weighting != "standard":
            cells += _gains(item, table, row, of_gains, cells)
    return cells, {}


def label_of(row: ScoreRow) -> str:
    """Return a row's label; without one, that of its metric and weighting, such as `EE-BLEU`."""
    return row.label or row_label({"metric": row.metric, "weighting": row.weighting})


def in_column(rows: pd.DataFrame, row: ScoreRow, column: SubsetColumn) -> pd.DataFrame:
    """Return results with the metric and weighting of `row` and the system subset of `column`."""
    rows = rows[(rows.metric == row.metric) & (rows.weighting == row.weighting)]
    rows = rows[rows.subset == column.subset]
    return rows if column.subset == "all" else rows[rows["size"] == column.size]


def remark(resampled: pd.DataFrame, statistic: str, published: float) -> str:
    """Return whether our 95 % interval over systems includes the number `published`; "" if there is
    no such number or no interval, because nothing was resampled or there are too few systems."""
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
    """Return cells: toy sentences' chunk entropy (Eq. 2 of Liu et al.), equal words linked."""
    cells = []
    for row in table.rows:
        reference, hypothesis = language.tokenize([table.reference, row.hypothesis], "words")
        links = exact([reference], [[hypothesis]])[0]
        value = chunk_entropy(links >= 0, np.array([len(hypothesis)]))[0]
        label = f"{row.label} ({row.deficiency}): {row.hypothesis}"
        place = item, label, "entropy", row.published[0]
        cells.append(make_cell(*place, 3, value, origin="printed"))
    return cells, {}


def parameters(item: str, table: ParameterTable, inputs: Inputs) -> Table:
    """Return cells with EE's threshold h and easy weight w (Eq. 9 and 11 of Liu et al.) by set."""
    cells = []
    for row in table.rows:
        for column, published in zip(table.columns, row.published, strict=True):
            value, reason = None, ESTIMATED
            try:
                known = inputs.parameters(column.set, table.weighting)
                value = known["estimate"][row.parameter]
            except Missing as missing:
                reason = str(missing)
            value = np.nan if value is None else value
            systems = inputs.other_systems(column.set)
            cells.append(
                make_cell(
                    item,
                    row.parameter,
                    column.label,
                    published,
                    table.digits,
                    value,
                    reason,
                    systems_note=systems,
                )
            )
    return cells, {}


def ablation(item: str, table: AblationTable, inputs: Inputs) -> Table:
    """Return the ablation of the paper's metric, then of our other metrics. Variants keep h or w of
    the weighting, so all except UNTUNED are marked as tuned if the weighting is tuned."""
    rows, absent = read_or_reason(inputs.paper_files, "ablation.csv")
    rows = pd.DataFrame(columns=TABLES["ablation.csv"].names()) if absent else rows
    name, metric, printed = table.set, table.published.metric, table.published.variants
    cells = []
    shown: list[tuple[str, str, Published, Mapping[Any, Any]]] = []
    for variant, published in printed.items():
        # Of the paper's metric where we have it, else h and w; µ + kσ as computed. The correlations
        # of "w/o difficulty" have no metric.
        ours = dict.fromkeys(ABLATION_COLUMNS, np.nan)
        same = rows[rows.variant == variant]
        of_metric = same[same.metric == metric]
        source, columns = (of_metric, ABLATION_COLUMNS) if len(of_metric) else (same, ("h", "w"))
        computed = rows[rows.variant == f"{variant}, computed"]
        if len(source):
            ours |= {column: source[column].iloc[0] for column in columns}
        if len(computed):
            ours["h"] = computed.h.iloc[0]
        if variant == WITHOUT and len(same):
            ours |= {statistic: same[statistic].iloc[0] for statistic in CORRELATIONS}
        shown.append((metric, variant, published, ours))
    # The paper's rows, and "w/o difficulty", which has no metric, are already listed.
    shown += [
        (row["metric"], row["variant"], [np.nan] * 5, row)
        for row in rows.to_dict("records")
        if row["variant"] != WITHOUT and not (row["metric"] == metric and row["variant"] in printed)
    ]
    missing = absent or inputs.reason(name, metric, "standard")
    systems = inputs.other_systems(name)
    for row_metric, variant, published, row in shown:
        tuned = "yes" if inputs.tuned.get(name) and variant not in UNTUNED else ""
        for column, number in zip(ABLATION_COLUMNS, published, strict=True):
            value, parameter = row[column], column in ("h", "w")
            taken_over = parameter and value == number
            reason = missing if row_metric == metric and np.isnan(value) else ""
            # The paper prints the correlations of "w/o difficulty" without sign.
            unsigned = variant == WITHOUT and not parameter
            if taken_over:
                reason = GIVEN
            elif unsigned and value < 0:
                reason = NEGATIVE
            has_encoder = not parameter and variant != WITHOUT
            cells.append(
                make_cell(
                    item,
                    f"{row_metric}: {variant}",
                    SYMBOLS.get(column, column),
                    number,
                    2 if parameter else 3,
                    value,
                    reason,
                    inputs.substitute(name, row_metric) if has_encoder else "",
                    tuned=tuned,
                    origin="given" if taken_over else "data",
                    systems_note="" if taken_over else systems,
                    absolute="yes" if unsigned else "",
                )
            )
    return cells, {}


def ranking(item: str, table: RankingTable, inputs: Inputs) -> Table:
    """Return scores of a set's best systems, and ΔRank, the human rank minus the metric's: positive
    for a system that the metric ranks higher than humans do. The last row sums |ΔRank|."""
    name, files = table.set, inputs.sets[table.set]
    evalset, absent = read_or_reason(files, "evalset.json")
    gold = pd.Series(dtype=float)
    if not absent:
        best = best_systems(evalset.gold, table.size)
        gold = pd.Series({evalset.systems[system]: evalset.gold[system] for system in best})
    top = files.read("top_scores.csv")
    top = top[top["size"] == table.size]
    human = gold.rank(method="first", ascending=False)  # 1 is the best; ties keep their order
    ours = []
    for column in table.columns:
        metric, weighting = column.metric, column.weighting
        rows = top[(top.metric == metric) & (top.weighting == weighting)]
        scores, kind = rows.set_index("system").score, METRICS[inputs.types[metric]]
        ranks = scores.rank(method="first", ascending=not kind.higher_is_better)
        reason = absent or inputs.reason(name, metric, weighting)
        marks = inputs.substitute(name, metric), inputs.other_systems_for(name, weighting)
        ours.append((column, scores, ranks, reason, *marks))

    cells: list[Cell] = []
    changes: dict[str, list[Cell]] = {}
    other_systems = inputs.other_systems(name)
    for row in table.rows:
        system, printed = row.system, iter(row.published)
        left_out = "" if system in gold else NOT_AMONG.format(system, table.size)
        for column, scores, ranks, reason, substitute, of_score in ours:
            score = scores.get(system, np.nan) * column.scale
            change = human.get(system, np.nan) - ranks.get(system, np.nan)
            marks = reason or left_out, substitute
            place, number = (item, row.label, column.label), next(printed, np.nan)
            digits = table.digits
            cells.append(make_cell(*place, number, digits, score, *marks, systems_note=of_score))
            # A rank is one among the systems at hand.
            place, number = (item, row.label, f"{column.label} ΔRank"), next(printed, np.nan)
            cells.append(make_cell(*place, number, 0, change, *marks, systems_note=other_systems))
            changes.setdefault(cells[-1].column, []).append(cells[-1])
        place, score = (item, row.label, "HUMAN"), gold.get(system, np.nan)
        cells.append(make_cell(*place, row.human, 3, score, absent or left_out))
    sums = [*table.sums, *[np.nan] * len(changes)]
    for of_column, published in zip(changes.values(), sums, strict=False):
        first = of_column[0]
        cells.append(
            make_cell(
                item,
                "sum(|ΔRank|)",
                first.column,
                published,
                0,
                np.sum(np.abs([cell.reproduced for cell in of_column])),
                next((cell.reason for cell in of_column if cell.reason), ""),
                first.substitute,
                systems_note=other_systems,
            )
        )
    return cells, {}


# Each function takes tables of its kind alone.
KINDS: dict[str, Callable[[str, Any, Inputs], Table]] = {
    "ablation": ablation,
    "case_study": case_study,
    "correlations": correlations,
    "examples": examples,
    "parameters": parameters,
    "ranking": ranking,
    "token_cases": token_cases,
}

# Statistics shown with correlations. A run may have others, or lack pairwise ones.
STATISTICS = (*SYMBOLS, "accuracy", "soft_accuracy")
TESTS = ("permutation_p", "williams_p")
NULLS = ("shuffled", "permuted", "retuned")


def statistics_rows(table: CorrelationTable, inputs: Inputs) -> pd.DataFrame:
    """Return the statistics of a table of correlations, with quantiles in null
    distributions (NaN without any). Holm's correction is over a kind of test."""
    keys = ["metric", "weighting", "subset", "size", "statistic"]
    resampled = {}
    for name in {column.set for column in table.columns}:
        frame = inputs.sets[name].read("significance.csv")
        controls, absent = read_or_reason(inputs.sets[name], "controls.csv")
        controls = pd.DataFrame(columns=TABLES["controls.csv"].names()) if absent else controls
        # An empty table's columns have no type.
        controls = controls.astype(frame[keys].dtypes)
        places = controls.pivot_table("quantile", keys, "null", aggfunc="first", dropna=False)
        places = places.reindex(columns=list(NULLS)).add_suffix("_quantile").reset_index()
        tuned = controls[[*keys, "tuned"]].drop_duplicates()
        frame = frame[frame.statistic.isin(STATISTICS)].merge(tuned, on=keys, how="left")
        resampled[name] = frame.fillna({"tuned": ""}).merge(places, on=keys, how="left")
    rows: list[dict[Any, Any]] = []
    for row in table.rows:
        for column in table.columns:
            name, place = column.set, {"row": label_of(row), "column": column.label}
            entries = in_column(resampled[name], row, column).to_dict("records")
            if not entries:
                reason = inputs.reason(name, row.metric, row.weighting) or "not resampled"
                place |= {"metric": row.metric, "weighting": row.weighting}
                entries = [{"difficulty": "", "statistic": "pearson", "reason": reason}]
            rows += [entry | place for entry in entries]
    frame = pd.DataFrame(rows).reindex(columns=TABLES["<item>_statistics.csv"].names())
    for test in TESTS:
        frame[f"{test}_holm"] = holm(frame[test].to_numpy(float))
    return frame
