"""Data of the page's charts: curves, surfaces and comparisons, rounded to what can be seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..evidence.correlations import CORRELATIONS, row_label
from ..papers.tables import SYMBOLS

if TYPE_CHECKING:
    import pandas as pd


def curves(correlations: pd.DataFrame) -> dict:
    """Correlations over the K best systems, for falling K, for the page's chart.

    Returns
    -------
    dict
        `sizes`; `series` with metric, weighting, label and per statistic a list along `sizes`,
        None where undefined.
    """
    top = correlations[correlations.subset == "top"]
    sizes = sorted(set(top["size"].tolist()), reverse=True)
    series = []
    for (metric, weighting), rows in top.groupby(["metric", "weighting"], sort=False):
        values = rows.set_index("size").reindex(sizes)
        series.append(
            {
                "metric": metric,
                "weighting": weighting,
                "label": row_label({"metric": metric, "weighting": weighting}),
                **{name: rounded(values[name].to_numpy(), 4) for name in CORRELATIONS},
            }
        )
    return {"sizes": sizes, "series": series, "symbols": SYMBOLS}


def rounded(values: ArrayLike, digits: int) -> list:
    """Nested lists of rounded numbers; None for what is not finite."""
    values = np.asarray(values, dtype=float)
    there = np.isfinite(values)
    found = np.where(there, values, 0).round(digits)
    found = found if digits else found.astype(int)
    return np.where(there, found.astype(object), np.array(None)).tolist()


def comparisons(frame: pd.DataFrame, order: list[str]) -> list[dict]:
    """Paired bootstrap wins as matrices, for the page.

    Parameters
    ----------
    frame : DataFrame
        metric, weighting, system, other, difference, wins, p; every ordered pair.
    order : list of str
        Systems, the best first.

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
        label = row_label({"metric": metric, "weighting": weighting})
        found.append({"label": label, "wins": rounded(100 * wins, 1), "p": rounded(p, 4)})
    return found


def surface(
    arrays: dict[str, np.ndarray],
    parameters: pd.DataFrame,
    most: int = 41,
    weighting: str = "EE",
) -> dict:
    """A weighting's correlation over h and w for the page.

    Parameters
    ----------
    arrays : dict
        h (a,), w (b,), metrics (m,), correlations (m, 3, a, b); NaN where a group is empty.
    parameters : DataFrame
        metric, parameters, h, w and the three correlations: points that have names.
    most : int
        Points a side, to which the grid is thinned out; thresholds beyond which no metric has a
        value are left away.
    weighting : str
        The weighting that h and w are parameters of.

    Returns
    -------
    dict
        h, w, metrics and their `labels` under the weighting; `values` in thousandths, as
        `correlations`; `points` of each metric: name, h, w (None for what has none) and a list of
        the three values.
    """
    h, w, values = arrays["h"], arrays["w"], arrays["correlations"]
    # With w of 0 or 1 one group alone counts, and always is there.
    there = np.isfinite(values[..., (w > 0) & (w < 1)]).any(axis=(0, 1, 3))
    rows = np.arange(np.flatnonzero(there).max(initial=0) + 1)
    rows, columns = (each[:: -(-len(each) // most)] for each in (rows, np.arange(len(w))))
    metrics = [str(name) for name in arrays["metrics"]]
    found = parameters.groupby("metric")
    return {
        "h": rounded(h[rows], 4),
        "w": rounded(w[columns], 4),
        "metrics": metrics,
        "labels": [row_label({"metric": name, "weighting": weighting}) for name in metrics],
        "values": rounded(1000 * values[:, :, rows][..., columns], 0),
        "points": [
            [
                [row.parameters, *rounded([row.h, row.w], 4), rounded(row[list(CORRELATIONS)], 3)]
                for _, row in (found.get_group(name) if name in found.groups else none).iterrows()
            ]
            for none in [parameters[:0]]
            for name in metrics
        ],
    }
