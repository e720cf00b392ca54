"""Data of the page's charts: curves, surfaces and comparisons, rounded to what can be seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..evidence.subsets import CORRELATIONS
from .report_tables import NO_MARKS, Mark, score_label, statistic_heads

if TYPE_CHECKING:
    import pandas as pd

DIGITS = 6  # of statistics, of which the page prints three
SIDE, MANY, FEW = 41, 12, 21  # points a side of a surface; of more than MANY scores FEW


# Whose ends the chart shows: over segments and systems, or where there is none, over segments.
INTERVALS = ("both", "segments")


def curves(
    correlations: pd.DataFrame,
    significance: pd.DataFrame | None,
    statistics: Sequence[str],
    gold: Mapping[str, Mark] = NO_MARKS,
) -> dict:
    """Correlations over the K best systems, for falling K, for the page's chart.

    Parameters
    ----------
    correlations, significance : DataFrame
        As in the files of these names; the second one may be None.
    statistics : sequence of str
        Of system scores.
    gold : mapping of str to Mark
        Of weightings that use human scores.

    Returns
    -------
    dict
        `sizes`; `series` with metric, weighting, label, per statistic a list along `sizes`, None
        where undefined, and `intervals`, by statistic and size the ends of the 95 % interval where
        there is one; `statistics` with name, symbol and text.
    """
    top = correlations[correlations.subset == "top"]
    sizes = sorted(set(top["size"].tolist()), reverse=True)
    series, intervals = [], _intervals(significance, set(statistics))
    for (metric, weighting), rows in top.groupby(["metric", "weighting"], sort=False):
        values = rows.set_index("size").reindex(sizes)
        series.append(
            {
                "metric": metric,
                "weighting": weighting,
                "label": score_label({"metric": metric, "weighting": weighting}, gold),
                "intervals": intervals.get((metric, weighting), {}),
                **{name: rounded(values[name].to_numpy(), DIGITS) for name in statistics},
            }
        )
    return {"sizes": sizes, "series": series, "statistics": statistic_heads(statistics)}


def _intervals(frame: pd.DataFrame | None, statistics: set[str]) -> dict[Any, dict]:
    """Ends of intervals by metric and weighting, and then by statistic and size."""
    found: dict[Any, dict[str, dict]] = {}
    if frame is None:
        return found
    columns = [f"{kind}_{end}" for kind in INTERVALS for end in ("low", "high")]
    kept = frame[frame.subset.isin(["all", "top"]) & frame.statistic.isin(statistics)]
    key = ["metric", "weighting", "statistic", "size"]
    for metric, weighting, statistic, size, *ends in kept[[*key, *columns]].itertuples(index=False):
        pairs = [rounded(pair, DIGITS) for pair in zip(ends[::2], ends[1::2], strict=True)]
        if pair := next((pair for pair in pairs if None not in pair), None):
            own = found.setdefault((metric, weighting), {}).setdefault(statistic, {})
            own[str(int(size))] = pair
    return found


def rounded(values: ArrayLike, digits: int) -> list:
    """Nested lists of rounded numbers; None for what is not finite."""
    values = np.asarray(values, dtype=float)
    there = np.isfinite(values)
    found = np.where(there, values, 0).round(digits)
    found = found if digits else found.astype(int)
    return np.where(there, found.astype(object), np.array(None)).tolist()


def comparisons(
    frame: pd.DataFrame, order: list[str], gold: Mapping[str, Mark] = NO_MARKS
) -> list[dict]:
    """Paired bootstrap wins as matrices, for the page.

    Parameters
    ----------
    frame : DataFrame
        metric, weighting, system, other, difference, wins, p; every ordered pair.
    order : list of str
        Systems, the best first.
    gold : mapping of str to Mark
        Of weightings that use human scores.

    Returns
    -------
    list of dict
        label; `wins` (of the row's system over the column's, in percent) and `p`, systems ×
        systems in the given order.
    """
    found = []
    for (metric, weighting), rows in frame.groupby(["metric", "weighting"], sort=False):
        wins, p = (
            rows.pivot(index="system", columns="other", values=name)
            .reindex(index=order, columns=order)
            .to_numpy(float)
            for name in ("wins", "p")
        )
        label = score_label({"metric": metric, "weighting": weighting}, gold)
        found.append({"label": label, "wins": rounded(100 * wins, 1), "p": rounded(p, 4)})
    return found


def surface(
    arrays: dict[str, np.ndarray],
    parameters: pd.DataFrame,
    gold: Mapping[str, Mark] = NO_MARKS,
) -> dict[str, Any]:
    """Correlations over thresholds and easy weights for the page, thinned out to SIDE points a
    side, or FEW of many scores; quantiles beyond which nothing has a value are left away.

    Parameters
    ----------
    arrays : dict
        quantiles (a,) of difficulty, w (b,); metrics and weightings (n,), with thresholds (n, a)
        and correlations (n, 3, a, b); NaN where a group is empty.
    parameters : DataFrame
        metric, weighting, parameters, quantile, h, w and the three correlations: points that have
        names.
    gold : mapping of str to Mark
        Of weightings that use human scores.

    Returns
    -------
    dict
        `quantiles` and `w`; of every metric under a weighting its label in `labels`, `thresholds`
        by quantile, `values` in thousandths, as `correlations`, and `points`: name, quantile, h, w
        (None for what has none), a list of the three values, and whether they are tuned;
        `statistics`, what the values are.
    """
    quantiles, w, values = arrays["quantiles"], arrays["w"], arrays["correlations"]
    # With w of 0 or 1 one group alone counts, and always is there.
    there = np.isfinite(values[..., (w > 0) & (w < 1)]).any(axis=(0, 1, 3))
    rows = np.arange(np.flatnonzero(there).max(initial=0) + 1)
    most = SIDE if len(values) <= MANY else FEW
    rows, columns = (each[:: -(-len(each) // most)] for each in (rows, np.arange(len(w))))
    scores = [
        {"metric": str(metric), "weighting": str(weighting)}
        for metric, weighting in zip(arrays["metrics"], arrays["weightings"], strict=True)
    ]
    return {
        "quantiles": rounded(quantiles[rows], 4),
        "w": rounded(w[columns], 4),
        "labels": [score_label(one, gold) for one in scores],
        "thresholds": rounded(arrays["thresholds"][:, rows], 4),
        "values": rounded(1000 * values[:, :, rows][..., columns], 0),
        "points": [_points(parameters, one) for one in scores],
        "statistics": statistic_heads(CORRELATIONS),
    }


def _points(parameters: pd.DataFrame, score: dict[str, str]) -> list[list]:
    """The points of a metric under a weighting that have names."""
    own = parameters[(parameters[list(score)] == list(score.values())).all(axis=1)]
    return [
        [
            row.parameters,
            *rounded([row["quantile"], row.h, row.w], 4),
            rounded(row[list(CORRELATIONS)], 3),
            row.tuned == "yes",
        ]
        for _, row in own.iterrows()
    ]
