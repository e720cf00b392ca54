"""EE over all thresholds h and balances w, and parameters that are chosen on other sets."""

from collections.abc import Hashable, Sequence

import numpy as np
import pandas as pd

from ..weighting.base import WeightedMetric
from .correlations import CORRELATIONS, Correlations, correlate

# One grid for all sets: what is best on some of them can be looked up on another.
H = np.round(np.arange(81) * 0.02, 2)
W = np.round(np.arange(21) * 0.05, 2)
POINT_COLUMNS = ["metric", "parameters", "h", "w", *CORRELATIONS, "reason"]
PARAMETERS = ("standard", "in force", "equations", "held out", "optimum")
EMPTY = "a system has no difficult or no easy hypothesis"
EQUAL = "all systems have the same score, or the same human score"


def threshold_sums(
    plain: WeightedMetric, entropy: np.ndarray, thresholds: np.ndarray
) -> np.ndarray:
    """Sums over the easy and the difficult hypotheses for many thresholds at once.

    Parameters
    ----------
    plain : WeightedMetric
        The plain metric.
    entropy : ndarray, (systems, segments)
    thresholds : ndarray, (h,)
        Ascending.

    Returns
    -------
    ndarray, (h, systems, 2, k + 1)
        Of the statistics and, last, the number of hypotheses; easy first.
    """
    columns = plain.columns[:, :, 0]
    # A hypothesis of bin b is difficult at the first b thresholds.
    bins = np.searchsorted(thresholds, entropy, side="right")
    binned = np.zeros((len(thresholds) + 1, len(columns), columns.shape[2]))
    np.add.at(binned, (bins, np.arange(len(columns))[:, None]), columns)
    easy, hard = binned.cumsum(axis=0)[:-1], binned[::-1].cumsum(axis=0)[::-1][1:]
    return np.stack([easy, hard], axis=2)


def surface(plain: WeightedMetric, entropy: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """Correlations of EE scores with gold over the grid of H and W.

    Parameters
    ----------
    plain : WeightedMetric
        The plain metric.
    entropy : ndarray, (systems, segments)
    gold : ndarray, (systems,)

    Returns
    -------
    ndarray, (3, h, w)
        Pearson, Kendall, Spearman, in [-1, 1]; NaN where a weighted group of a system is empty. At
        h = 0 and w = 0 all hypotheses are difficult: that is the plain metric.
    """
    sums = threshold_sums(plain, entropy, H)
    balances = [plain._replace(shares=np.array([w, 1 - w])) for w in W]
    scores = np.stack([balanced.quality(sums) for balanced in balances], axis=1)
    return np.array(correlate(scores, gold))


def best_point(pearson: np.ndarray) -> tuple[int, ...] | None:
    """The grid point, (h, w) as indices, of the highest mean Pearson r.

    Parameters
    ----------
    pearson : ndarray, (sets, h, w)
        A point that is NaN in some set does not count; of equals the first in grid order does.

    Returns
    -------
    tuple of int, or None
        None if no point counts.
    """
    means = pearson.mean(axis=0)
    if np.isnan(means).all():
        return None
    return tuple(int(i) for i in np.unravel_index(np.nanargmax(means), means.shape))


def points(difficulty: dict) -> dict[str, tuple]:
    """The parameters of a set, by their name: h, w, and a reason if these give no scores.

    Parameters
    ----------
    difficulty : dict
        As `difficulty.describe` makes it and JSON keeps it; None is what has no value.
    """
    h, w = difficulty["h"], difficulty["w"]
    undefined = None if None not in (h, w) else " ".join(difficulty["notices"])
    estimate = difficulty["estimate"]
    rule = estimate["h"], estimate["w"]
    odd = None
    if None in rule:
        odd = "the equations are undefined"
    elif not 0 <= rule[1] <= 1:
        odd = f"Eq. 11 gives w = {rule[1]:.3f}, outside [0, 1]"
    return {"in force": (h, w, undefined), "equations": (*rule, odd)}


def point_rows(
    name: str,
    plain: WeightedMetric,
    entropy: np.ndarray,
    gold: np.ndarray,
    given: dict[str, tuple],
    grid: np.ndarray,
) -> list[list]:
    """The correlations of a metric at the set's own parameters and at the best of the grid.

    Parameters
    ----------
    name : str
    plain : WeightedMetric
        The plain metric.
    entropy : ndarray, (systems, segments)
    gold : ndarray, (systems,)
    given : dict of str to (h, w, reason)
        As `points` gives them.
    grid : ndarray, (3, h, w)
        The metric's surface.

    Returns
    -------
    list of list
        POINT_COLUMNS. `optimum` is chosen on the set itself: an upper bound of the grid.
    """
    standard = correlate(plain.observed_quality(), gold)
    equal = EQUAL if np.isnan(standard.pearson) else None
    rows = [[name, "standard", np.nan, np.nan, *standard, equal]]
    for label, (h, w, reason) in given.items():
        found: Sequence[float] | Correlations = [np.nan] * 3
        if not reason:
            scores = plain.in_groups(entropy >= h, w).observed_quality()
            found = correlate(scores, gold)
            equal = EQUAL if np.isnan(found.pearson) else None
            reason = EMPTY if np.isnan(scores).any() else equal
        rows.append([name, label, h, w, *found, reason])
    return [*rows, _grid_row(name, "optimum", best_point(grid[:1]), grid, f"{EMPTY}, or {EQUAL}")]


def _grid_row(
    name: str, label: str, point: tuple[int, ...] | None, grid: np.ndarray, reason: str | None
) -> list:
    if point is None:
        return [name, label, *[np.nan] * 5, reason]
    h, w = point
    reason = f"{EMPTY}, or {EQUAL}" if np.isnan(grid[0, h, w]) else None
    return [name, label, H[h], W[w], *grid[:, h, w], reason]


def hold_out(
    surfaces: dict[str, dict[str, np.ndarray]],
    rows: dict[str, pd.DataFrame],
    tests: dict[str, Hashable],
) -> pd.DataFrame:
    """Parameters that are chosen on other sets, beside a set's own.

    Parameters
    ----------
    surfaces : dict of str to dict of str to ndarray, (3, h, w)
        By set and metric.
    rows : dict of str to DataFrame
        By set, what `point_rows` made of its metrics.
    tests : dict of str to hashable
        What a set's texts are: sets of the same texts are not held out from each other.

    Returns
    -------
    DataFrame
        set, and POINT_COLUMNS; parameters in the order of PARAMETERS.
    """
    found = []
    for name, metrics in surfaces.items():
        for metric, grid in metrics.items():
            others = [
                surfaces[other][metric][0]
                for other in surfaces
                if tests[other] != tests[name] and metric in surfaces[other]
            ]
            # A set on which nothing is defined says nothing about any point.
            others = [other for other in others if not np.isnan(other).all()]
            row = _held_out_row(metric, grid, others)
            own = rows[name][rows[name].metric == metric].values.tolist()
            own = sorted([*own, row], key=lambda row: PARAMETERS.index(row[1]))
            found += [[name, *row] for row in own]
    return pd.DataFrame(found, columns=["set", *POINT_COLUMNS])


def _held_out_row(metric: str, grid: np.ndarray, others: list[np.ndarray]) -> list:
    if not others:
        return _grid_row(
            metric, "held out", None, grid, "no other set has correlations of this metric"
        )
    none = "every point of the grid lacks a group in some other set"
    return _grid_row(metric, "held out", best_point(np.array(others)), grid, none)


def count_wins(
    frame: pd.DataFrame, statistic: str, label: str, other: str = "standard"
) -> tuple[int, int]:
    """How often the parameters `label` give a higher correlation than the parameters `other`.

    Parameters
    ----------
    frame : DataFrame
        From `hold_out`.
    statistic : str
    label, other : str
        Of PARAMETERS.

    Returns
    -------
    wins, pairs : int
        Of set and metric where all origins give a correlation, so that counts compare.
    """
    table = frame.pivot(index=["set", "metric"], columns="parameters", values=statistic)
    table = table.dropna().reindex(columns=PARAMETERS)
    gain = (table[label] - table[other]).dropna()
    return int((gain > 1e-9).sum()), len(gain)
