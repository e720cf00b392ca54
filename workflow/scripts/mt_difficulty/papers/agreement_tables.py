"""Tables of unweighted metrics: their agreement with human scores by statistic and grouping, with
ranks (Perrella et al. 2024), and the correlations between them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast

import numpy as np

from ..data.evalset import EvaluationSet
from ..evidence.metric_table import NO_SEGMENT_SCORES, ranking
from ..evidence.sentinels import NOT_FINITE
from ..metrics import METRICS
from ..scores import ScoredSet
from ..settings.protocol import AgreementColumn, AgreementTable, MatrixTable, MetricRow
from ..statistics import STATISTICS
from ..statistics.base import SegmentStatistic
from ..statistics.pearson import Pearson
from ..weighting.base import STANDARD, WeightedMetric
from . import Cell, Inputs, Table, make_cell, read_or_reason

UNDEFINED = "constant scores: the statistic is undefined"
UNDEFINED_IN_PAPER = "undefined, since scores are constant in every group; {:g} in the paper's tool"
UNRANKED = "{} of the {} metrics have no value, so that ranks are not the paper's"
NO_AVERAGE = "a mean over columns of which one has no value"
NOT_FINITE_SYSTEMS = "not every system has a finite score"


class _Values(NamedTuple):
    """Values of a column by metric, NaN where there is none; and reasons, or remarks on values."""

    values: dict[str, float]
    reasons: dict[str, str]


def agreement(item: str, table: AgreementTable, inputs: Inputs) -> Table:
    """Make a table of metrics' agreement with human scores by statistic, and of their ranks.

    Parameters
    ----------
    item : str
        Name of the table.
    table : AgreementTable
        The printed table. Its columns name sets.
    inputs : Inputs
        Results of these sets.

    Returns
    -------
    cells : list of Cell
        A value and a rank for each metric and column, then those of the average. Equal values have
        ranks in the order of the rows' names.
    texts : dict
        Empty.
    """
    metrics = [row.metric for row in table.rows]
    scored = {column.set: _scored_set(column.set, inputs) for column in table.columns}
    columns: dict[str, _Values] = {}
    notes: dict[str, str] = {}
    for column in table.columns:
        found = _values_of_column(column, metrics, inputs, scored[column.set])
        columns[column.label] = _with_undefined(found, table.undefined)
        notes[column.label] = inputs.other_systems(column.set)
    if table.average:
        columns[table.average] = _average(table.columns, columns, metrics)
        notes[table.average] = next(filter(None, notes.values()), "")
    names = [row.name for row in table.rows]
    ranks = {label: _ranks(found, metrics, names) for label, found in columns.items()}
    cells: list[Cell] = []
    for row in table.rows:
        printed = iter(row.published or [])  # may lack those of the average
        for label in columns:
            value = (label, table.digits, columns[label])
            rank = (f"{label} rank", 0, ranks[label])
            for head, digits, found in (value, rank):
                cell = make_cell(
                    item,
                    row.name,
                    head,
                    next(printed, None),
                    digits,
                    found.values[row.metric],
                    found.reasons[row.metric],
                    systems_note=notes[label],
                )
                cells.append(cell)
    return cells, {}


def metric_matrix(item: str, table: MatrixTable, inputs: Inputs) -> Table:
    """Make a table of Pearson's r between metrics over the scores of all hypotheses of a set.

    Parameters
    ----------
    item : str
        Name of the table.
    table : MatrixTable
        The printed table, which names the set.
    inputs : Inputs
        Results of the set.

    Returns
    -------
    cells : list of Cell
        A cell for each pair of metrics: the upper triangle.
    texts : dict
        Empty.
    """
    scored, absent = _scored_set(table.set, inputs)
    segments = 0
    if scored is not None:
        segments = len(scored.counted)
    scores: dict[str, np.ndarray] = {}
    reasons: dict[str, str] = {}
    for row in table.rows:
        reasons[row.metric] = absent or inputs.reason(table.set, row.metric, STANDARD)
        if scored is None or reasons[row.metric]:
            continue
        of_segments = scored.segment_quality(row.metric)
        if of_segments.shape[1] != segments:
            reasons[row.metric] = NO_SEGMENT_SCORES
        elif not np.isfinite(of_segments).all():
            reasons[row.metric] = NOT_FINITE
        else:
            scores[row.metric] = of_segments.ravel()
    cells: list[Cell] = []
    for number, row in enumerate(table.rows):
        others = table.rows[number + 1 :]
        for other, published in zip(others, _printed(row, len(others)), strict=True):
            reason = reasons[row.metric] or reasons[other.metric]
            value = np.nan
            if not reason:
                value = float(Pearson()(scores[row.metric], scores[other.metric]))
                reason = UNDEFINED if np.isnan(value) else ""
            cells.append(
                make_cell(
                    item,
                    row.name,
                    other.name,
                    published,
                    table.digits,
                    value,
                    reason,
                    systems_note=inputs.other_systems(table.set),
                )
            )
    return cells, {}


def _printed(row: MetricRow, count: int) -> Sequence[float | None]:
    """Return the numbers that a row prints; None for each if the row is ours alone."""
    return [None] * count if row.published is None else row.published


def _scored_set(name: str, inputs: Inputs) -> tuple[ScoredSet | None, str]:
    """Return the scores of a set, or None and the reason why there are none."""
    absent = read_or_reason(inputs.sets[name], "evalset.json")[1]
    return (None, absent) if absent else (inputs.scores(name), "")


def _values_of_column(
    column: AgreementColumn,
    metrics: Sequence[str],
    inputs: Inputs,
    scored_or_reason: tuple[ScoredSet | None, str],
) -> _Values:
    """Return a column's values; a metric with scores whose value is undefined has no reason."""
    scored, absent = scored_or_reason
    values = dict.fromkeys(metrics, np.nan)
    reasons = dict.fromkeys(metrics, absent)
    if scored is None:
        return _Values(values, reasons)
    evalset = inputs.sets[column.set].read("evalset.json")
    member = STATISTICS[column.statistic]
    is_of_segments = issubclass(member, SegmentStatistic)
    if is_of_segments and not evalset.segment_gold:
        return _Values(values, dict.fromkeys(metrics, evalset.no_segment_gold))
    for metric in metrics:
        reasons[metric] = inputs.reason(column.set, metric, STANDARD)
        if reasons[metric]:
            continue
        if is_of_segments:
            values[metric], reasons[metric] = _of_segments(column, scored, metric, evalset)
            continue
        scores = _of_systems(inputs, column.set, metric)
        if np.isfinite(scores).all():
            values[metric] = float(member()(scores, evalset.gold))
        else:
            reasons[metric] = NOT_FINITE_SYSTEMS
    return _Values(values, reasons)


def _of_segments(
    column: AgreementColumn, scored: ScoredSet, metric: str, evalset: EvaluationSet
) -> tuple[float, str]:
    """Return a statistic of a metric's segment scores; or NaN and why the metric lacks scores."""
    scores = scored.segment_quality(metric)
    if scores.shape[1] != len(scored.counted):
        return np.nan, scored.no_segments.get(metric, NO_SEGMENT_SCORES)
    gold = np.array(evalset.segment_gold, float)[:, scored.counted]
    if not np.isfinite(scores[np.isfinite(gold)]).all():
        return np.nan, NOT_FINITE
    statistic = cast(SegmentStatistic, STATISTICS[column.statistic]())
    return float(statistic(scores, gold, column.grouping)), ""


def _of_systems(inputs: Inputs, name: str, metric: str) -> np.ndarray:
    """Return a metric's scores of systems, higher is better: stored ones to their last digit."""
    arrays = inputs.sets[name].read(f"statistics/{metric}.npz")
    kind = METRICS[inputs.settings[name].metrics[metric].type]
    stored = arrays.get("system_scores")
    if stored is None:
        return WeightedMetric.standard(kind, arrays["statistics"]).observed_quality()
    return stored if kind.higher_is_better else -stored


def _with_undefined(found: _Values, undefined: float | None) -> _Values:
    """Return a column's values with the paper's value of undefined statistics, and the reasons."""
    values = dict(found.values)
    reasons = dict(found.reasons)
    for metric, value in found.values.items():
        if reasons[metric] or not np.isnan(value):
            continue
        reasons[metric] = UNDEFINED
        if undefined is not None:
            values[metric] = float(undefined)
            reasons[metric] = UNDEFINED_IN_PAPER.format(undefined)
    return _Values(values, reasons)


def _average(
    columns: Sequence[AgreementColumn], values: Mapping[str, _Values], metrics: Sequence[str]
) -> _Values:
    """Return the means over columns, of values as shares of the statistic's range: of a correlation
    r (r + 1) / 2."""
    means: dict[str, float] = {}
    reasons: dict[str, str] = {}
    for metric in metrics:
        shares = []
        for column in columns:
            lowest, highest = STATISTICS[column.statistic].limits
            value = values[column.label].values[metric]
            shares.append((value - lowest) / (highest - lowest))
        means[metric] = float(np.mean(shares))
        reasons[metric] = NO_AVERAGE if np.isnan(means[metric]) else ""
    return _Values(means, reasons)


def _ranks(found: _Values, metrics: Sequence[str], names: Sequence[str]) -> _Values:
    """Return the metrics' ranks by a column's values, 1 for the highest; none unless every metric
    has a value. Equal values have ranks in the order of `names`."""
    values = np.array([found.values[metric] for metric in metrics])
    without = int(np.isnan(values).sum())
    if without:
        reasons = {metric: reason or UNDEFINED for metric, reason in found.reasons.items()}
        if without < len(metrics):
            reason = UNRANKED.format(without, len(metrics))
            reasons = dict.fromkeys(metrics, reason)
        return _Values(dict.fromkeys(metrics, np.nan), reasons)
    order = ranking(values, names)
    ranks = {metrics[index]: float(rank) for rank, index in enumerate(order, 1)}
    return _Values(ranks, dict.fromkeys(metrics, ""))
