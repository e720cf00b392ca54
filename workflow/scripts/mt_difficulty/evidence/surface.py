"""Scores of two groups of segments over all thresholds and balances, and parameters that are chosen
on other sets."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..weighting.base import WeightedMetric
from .subsets import CORRELATIONS, Correlations, correlate

# One grid for all sets and difficulties: what is best on some of them can be looked up on another.
QUANTILES = np.round(np.arange(50) * 0.02, 2)
W = np.round(np.arange(21) * 0.05, 2)
POINT_COLUMNS = ["parameters", "quantile", "h", "w", *CORRELATIONS, "reason"]
# Of parameters that were chosen with human scores of the set: Pearson's r beside that of permuted
# difficulties which are tuned in the same way.
TUNED_COLUMNS = ["tuned", "retuned_mean", "retuned_low", "retuned_high", "retuned_quantile"]
KEYS = ["metric", "weighting", "difficulty"]
PARAMETERS = ("standard", "in force", "equations", "held out", "optimum")
EMPTY = "a system has no difficult or no easy hypothesis"
EQUAL = "all systems have the same score, or the same human score"


def thresholds(difficulty: np.ndarray) -> np.ndarray:
    """The difficulties of QUANTILES of all hypotheses, (quantiles,), ascending.

    Parameters
    ----------
    difficulty : ndarray, (systems, segments)
        May be infinite.
    """
    return np.quantile(difficulty, QUANTILES, method="lower")


def quantile_of(difficulty: np.ndarray, h: float) -> float:
    """The share of all hypotheses, (systems, segments), that are easier than a threshold."""
    return float((difficulty < h).mean())


def threshold_sums(
    plain: WeightedMetric, difficulty: np.ndarray, ascending: np.ndarray
) -> np.ndarray:
    """Sums over the easy and the difficult hypotheses for many thresholds at once.

    Parameters
    ----------
    plain : WeightedMetric
        The unweighted metric.
    difficulty : ndarray, (systems, segments)
    ascending : ndarray, (thresholds,)

    Returns
    -------
    ndarray, (thresholds, systems, 2, k + 1)
        Of the statistics and, last, the number of hypotheses; easy first.
    """
    columns = plain.columns[:, :, 0]
    # A hypothesis of bin b is difficult at the first b thresholds.
    bins = np.searchsorted(ascending, difficulty, side="right")
    binned = np.zeros((len(ascending) + 1, len(columns), columns.shape[2]))
    np.add.at(binned, (bins, np.arange(len(columns))[:, None]), columns)
    easy, hard = binned.cumsum(axis=0)[:-1], binned[::-1].cumsum(axis=0)[::-1][1:]
    return np.stack([easy, hard], axis=2)


def surface(plain: WeightedMetric, difficulty: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """Correlations of scores in two groups with gold over the grid of QUANTILES and W.

    Parameters
    ----------
    plain : WeightedMetric
        The unweighted metric.
    difficulty : ndarray, (systems, segments)
    gold : ndarray, (systems,)

    Returns
    -------
    ndarray, (3, quantiles, w)
        Pearson, Kendall, Spearman, in [-1, 1]; NaN where a weighted group of a system is empty. At
        the quantile 0 and w = 0 all hypotheses are difficult: that is the unweighted metric.
    """
    sums = threshold_sums(plain, difficulty, thresholds(difficulty))
    balances = [plain._replace(shares=np.array([w, 1 - w])) for w in W]
    scores = np.stack([balanced.quality(sums) for balanced in balances], axis=1)
    return np.array(correlate(scores, gold))


def best_point(pearson: np.ndarray) -> tuple[int, ...] | None:
    """The grid point, (quantile, w) as indices, of the highest mean Pearson r.

    Parameters
    ----------
    pearson : ndarray, (sets, quantiles, w)
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


def points(entry: Mapping[str, Any], has_balance: bool) -> dict[str, tuple]:
    """The parameters of a weighting of a set, by their name: h, w, and a reason if these give no
    scores.

    Parameters
    ----------
    entry : dict
        Of a weighting in groups, as in `weightings.json`; None is what has no value.
    has_balance : bool
        Whether Eq. 11 gives a w for its difficulty.
    """
    found, estimate = entry["parameters"], entry["parameters"]["equations"]
    given = {"in force": (found["h"], found["w"], entry["missing"] or None)}
    if not has_balance:
        return given
    odd = None
    if None in (estimate["h"], estimate["w"]):
        odd = "the equations are undefined"
    elif not 0 <= estimate["w"] <= 1:
        odd = f"Eq. 11 gives w = {estimate['w']:.3f}, outside [0, 1]"
    return given | {"equations": (estimate["h"], estimate["w"], odd)}


def point_rows(
    plain: WeightedMetric,
    difficulty: np.ndarray,
    gold: np.ndarray,
    given: dict[str, tuple],
    grid: np.ndarray,
) -> list[list]:
    """The correlations of a metric at the set's own parameters and at the best of the grid.

    Parameters
    ----------
    plain : WeightedMetric
        The unweighted metric.
    difficulty : ndarray, (systems, segments)
    gold : ndarray, (systems,)
    given : dict of str to (h, w, reason)
        As `points` gives them.
    grid : ndarray, (3, quantiles, w)
        The metric's surface.

    Returns
    -------
    list of list
        POINT_COLUMNS. `optimum` is the best point of the grid on the set itself.
    """
    standard = correlate(plain.observed_quality(), gold)
    equal = EQUAL if np.isnan(standard.pearson) else None
    rows = [["standard", np.nan, np.nan, np.nan, *standard, equal]]
    for label, (h, w, reason) in given.items():
        found: Sequence[float] | Correlations = [np.nan] * 3
        if not reason:
            scores = plain.in_groups(difficulty >= h, w).observed_quality()
            found = correlate(scores, gold)
            equal = EQUAL if np.isnan(found.pearson) else None
            reason = EMPTY if np.isnan(scores).any() else equal
        quantile = np.nan if h is None else quantile_of(difficulty, h)
        rows.append([label, quantile, h, w, *found, reason])
    own = thresholds(difficulty)
    reason = f"{EMPTY}, or {EQUAL}"
    return [*rows, _grid_row("optimum", best_point(grid[:1]), grid, own, reason)]


def _grid_row(
    label: str,
    point: tuple[int, ...] | None,
    grid: np.ndarray,
    own: np.ndarray,
    reason: str | None,
) -> list:
    """A row of a grid point; `own` are the thresholds of the set's quantiles."""
    if point is None:
        return [label, *[np.nan] * 6, reason]
    place, w = point
    reason = f"{EMPTY}, or {EQUAL}" if np.isnan(grid[0, place, w]) else None
    return [label, QUANTILES[place], own[place], W[w], *grid[:, place, w], reason]


class Surface(NamedTuple):
    """Correlations over the grid, (3, quantiles, w), and the thresholds of its quantiles,
    (quantiles,)."""

    grid: np.ndarray
    thresholds: np.ndarray


def hold_out(
    surfaces: dict[str, dict[tuple[str, ...], Surface]],
    rows: dict[str, pd.DataFrame],
    tests: dict[str, Hashable],
) -> pd.DataFrame:
    """Parameters that are chosen on other sets, beside a set's own.

    Parameters
    ----------
    surfaces : dict of str to dict of (metric, weighting, difficulty) to Surface
        By set.
    rows : dict of str to DataFrame
        By set as in `parameters.csv`.
    tests : dict of str to hashable
        What a set's texts are: sets of the same texts are not held out from each other.

    Returns
    -------
    DataFrame
        set, KEYS, POINT_COLUMNS and TUNED_COLUMNS; parameters in the order of PARAMETERS.
    """
    found, columns = [], [*POINT_COLUMNS, *TUNED_COLUMNS]
    for name, own_surfaces in surfaces.items():
        for key, own in own_surfaces.items():
            others = [
                surfaces[other][key].grid[0]
                for other in surfaces
                if tests[other] != tests[name] and key in surfaces[other]
            ]
            # A set on which nothing is defined says nothing about any point.
            others = [other for other in others if not np.isnan(other).all()]
            frame = rows[name]
            frame = frame[(frame.metric == key[0]) & (frame.weighting == key[1])]
            head = [name, *frame[KEYS].iloc[0]]
            of_set = [*frame[columns].values.tolist(), _held_out_row(own, others)]
            of_set = sorted(of_set, key=lambda row: PARAMETERS.index(row[0]))
            found += [[*head, *row] for row in of_set]
    return pd.DataFrame(found, columns=["set", *KEYS, *columns])


def _held_out_row(own: Surface, others: list[np.ndarray]) -> list:
    point, reason = None, "no other set has correlations of this metric"
    if others:
        point = best_point(np.array(others))
        reason = "every point of the grid lacks a group in some other set"
    row = _grid_row("held out", point, own.grid, own.thresholds, reason)
    return [*row, "no", *[np.nan] * (len(TUNED_COLUMNS) - 1)]


def gains(frame: pd.DataFrame, statistic: str, label: str, other: str = "standard") -> pd.Series:
    """How much higher a correlation is with the parameters `label` than with `other`.

    Parameters
    ----------
    frame : DataFrame
        From `hold_out`.
    statistic : str
    label, other : str
        Of PARAMETERS.

    Returns
    -------
    Series
        By set, metric and weighting where every origin that there is gives a correlation, so that
        counts compare.
    """
    index = ["set", "metric", "weighting"]
    undefined = frame[frame[statistic].isna()].set_index(index).index
    table = frame.pivot(index=index, columns="parameters", values=statistic)
    table = table[~table.index.isin(undefined)].reindex(columns=PARAMETERS)
    return (table[label] - table[other]).dropna()


def count_wins(
    frame: pd.DataFrame, statistic: str, label: str, other: str = "standard"
) -> tuple[int, int]:
    """How often the parameters `label` give a higher correlation than the parameters `other`.

    Parameters are those of `gains`.

    Returns
    -------
    wins, cases : int
        Of set, metric and weighting.
    """
    gain = gains(frame, statistic, label, other)
    return int((gain > 1e-9).sum()), len(gain)


def count_sets(
    frame: pd.DataFrame, statistic: str, label: str, other: str = "standard"
) -> tuple[int, int]:
    """In how many sets the mean difference over metrics and weightings is above 0, and of how many;
    parameters are those of `gains`. Cases of one set share segments, difficulties and human scores,
    so that sets are the units to count."""
    by_set = gains(frame, statistic, label, other).groupby("set").mean()
    return int((by_set > 1e-9).sum()), len(by_set)
