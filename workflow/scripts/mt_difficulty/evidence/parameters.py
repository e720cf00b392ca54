"""Thresholds h and balances w of weightings in two groups: correlations over all of them, at a
set's own, with permuted difficulties that are tuned in the same way, and ablations."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..errors import Missing
from ..statistics.pearson import Pearson
from ..weighting.base import WeightedMetric, combine
from ..weighting.groups import Groups
from .labels import with_difficulty
from .nulls import permutations, place, shuffled_quality
from .set_scores import SetScores
from .subsets import CORRELATIONS, correlate

if TYPE_CHECKING:
    from ..metrics.base import Metric

# One grid for all sets and difficulties: what is best on some of them can be looked up on another.
QUANTILES = np.round(np.arange(50) * 0.02, 2)
W = np.round(np.arange(21) * 0.05, 2)
POINT_COLUMNS = ["parameters", "quantile", "h", "w", *CORRELATIONS, "reason"]
# Of parameters that were chosen with human scores of the set: Pearson's r beside that of permuted
# difficulties which are tuned in the same way.
TUNED_COLUMNS = ["tuned", "retuned_mean", "retuned_low", "retuned_high", "retuned_quantile"]
ABLATION_COLUMNS = ["metric", "variant", "h", "w", "pearson", "kendall", "spearman"]
EMPTY = "a system has no difficult or no easy hypothesis"
EQUAL = "all systems have the same score, or the same human score"
UNDEFINED = f"{EMPTY}, or {EQUAL}"
# Draws of `retuned` that are held at a time.
BLOCK = 16


def thresholds(difficulty: np.ndarray) -> np.ndarray:
    """The difficulties of QUANTILES of all hypotheses, (quantiles,), ascending, of difficulties
    (systems, segments), which may be infinite."""
    return np.quantile(difficulty, QUANTILES, method="lower")


def threshold_sums(
    plain: WeightedMetric,
    difficulty: np.ndarray,
    ascending: np.ndarray,
    places: np.ndarray | None = None,
) -> np.ndarray:
    """Sums over the easy and the difficult hypotheses at many thresholds, for permuted
    difficulties: segment i of a draw gets the difficulties of segment places[i], or its own.

    Returns
    -------
    ndarray, (draws, thresholds, systems, 2, k + 1)
        Of the unweighted metric's statistics and, last, the number of hypotheses; easy first.
    """
    from .kernels import group_sums

    columns = np.ascontiguousarray(plain.columns[:, :, 0])
    if places is None:
        places = np.arange(columns.shape[1], dtype=np.int32)[None]
    # A hypothesis of bin b is difficult at the first b thresholds.
    bins = np.searchsorted(ascending, difficulty, side="right")
    sums = np.empty((len(places), len(ascending), len(columns), 2, columns.shape[2]))
    group_sums(columns, bins, places, sums)
    return sums


def _balanced(plain: WeightedMetric, sums: np.ndarray) -> np.ndarray:
    """Scores at every threshold and w, (draws, thresholds, w, systems), from `threshold_sums`."""
    groups = plain.sign * plain.aggregate(sums[..., :-1], sums[..., -1])
    return np.stack([combine(groups, np.array([w, 1 - w])) for w in W], axis=2)


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
    return np.array(correlate(_balanced(plain, sums)[0], gold))


def best_point(pearson: np.ndarray) -> tuple[int, ...] | None:
    """The grid point, (quantile, w) as indices, of the highest mean Pearson r over (sets,
    quantiles, w); None without any. A point that is NaN in some set does not count, of equals the
    first does."""
    means = pearson.mean(axis=0)
    if np.isnan(means).all():
        return None
    return tuple(int(i) for i in np.unravel_index(np.nanargmax(means), means.shape))


def points(entry: Mapping[str, Any], has_balance: bool) -> dict[str, tuple]:
    """The parameters in force and those of the equations, by name: h, w, and a reason if these give
    no scores. `entry` is that of a weighting in `weightings.json`, `has_balance` says whether
    Eq. 11 gives a w for its difficulty."""
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
    """POINT_COLUMNS of a metric at the set's own parameters, as from `points`, and at the best
    point of its own `surface`, `optimum`."""
    standard = correlate(plain.observed_quality(), gold)
    equal = EQUAL if np.isnan(standard.pearson) else None
    rows = [["standard", np.nan, np.nan, np.nan, *standard, equal]]
    for label, (h, w, reason) in given.items():
        found = [np.nan] * 3
        if not reason:
            scores = plain.in_groups(difficulty >= h, w).observed_quality()
            found = list(map(float, correlate(scores, gold)))
            if np.isnan(found[0]):
                reason = EMPTY if np.isnan(scores).any() else EQUAL
        quantile = np.nan if h is None else float((difficulty < h).mean())
        rows.append([label, quantile, h, w, *found, reason])
    own = thresholds(difficulty)
    return [*rows, grid_row("optimum", best_point(grid[:1]), grid, own, UNDEFINED)]


def grid_row(
    label: str,
    point: tuple[int, ...] | None,
    grid: np.ndarray,
    own: np.ndarray,
    reason: str | None,
) -> list:
    """POINT_COLUMNS of a grid point; `own` are the thresholds of the set's quantiles, and `reason`
    says why there is no point."""
    if point is None:
        return [label, *[np.nan] * 6, reason]
    quantile, w = point
    reason = UNDEFINED if np.isnan(grid[0, quantile, w]) else None
    return [label, QUANTILES[quantile], own[quantile], W[w], *grid[:, quantile, w], reason]


def retuned(
    plain: WeightedMetric, difficulty: np.ndarray, gold: np.ndarray, places: np.ndarray
) -> np.ndarray:
    """Correlations of `retuned_quality`, (draws, 3), in [-1, 1]: the highest Pearson r of the grid,
    and Kendall's τ-b and Spearman's ρ at its point."""
    return np.stack(correlate(retuned_quality(plain, difficulty, gold, places), gold), axis=-1)


def retuned_quality(
    plain: WeightedMetric, difficulty: np.ndarray, gold: np.ndarray, places: np.ndarray
) -> np.ndarray:
    """Scores in two groups of segments by permuted difficulties, at the h and w of the highest
    Pearson r over the grid of `surface` (Liu et al. 2022, 5.1, searched likewise).

    Arguments are those of `surface` and places from `nulls.permutations`: segment i gets the
    difficulties of segment places[i].

    Returns
    -------
    ndarray, (draws, systems)
        Higher is better; NaN where no point of the grid is defined. The grid contains the plain
        metric (the quantile 0, w = 0), so that r is never below its r.
    """
    # A permutation keeps the quantiles of all difficulties, and so the thresholds.
    ascending = thresholds(difficulty)
    found = np.full((len(places), len(difficulty)), np.nan)
    for start in range(0, len(places), BLOCK):
        sums = threshold_sums(plain, difficulty, ascending, places[start : start + BLOCK])
        scores = _balanced(plain, sums).reshape(len(sums), -1, len(difficulty))
        r = Pearson()(scores, gold)
        best = np.argmax(np.where(np.isnan(r), -np.inf, r), axis=1)
        every = np.arange(len(sums))
        defined = ~np.isnan(r[every, best])
        found[start : start + BLOCK][defined] = scores[every, best][defined]
    return found


def tuned_columns(rows: pd.DataFrame, tuned: Container[str], draws: np.ndarray) -> pd.DataFrame:
    """TUNED_COLUMNS of rows of parameters, with `parameters` and `pearson`: yes or no, and of the
    draws of `retuned` mean, 95 % range and share below the row's r; NaN where it is not tuned."""
    found = []
    for name, value in zip(rows.parameters, rows.pearson, strict=True):
        numbers = place(value, np.nan, draws)[:4] if name in tuned else [np.nan] * 4
        found.append(["yes" if name in tuned else "no", *numbers])
    return pd.DataFrame(found, columns=TUNED_COLUMNS, index=rows.index)


def map_parameters(
    scores: SetScores, gold: np.ndarray, draws: int, seed: int
) -> tuple[dict[str, Any], pd.DataFrame]:
    """Correlations of a set's weightings in two groups over all thresholds and balances, and at
    their own; tuned ones beside random difficulties that are tuned likewise.

    Returns
    -------
    arrays : dict
        Of `surface.npz`; of metrics with segment scores, also where a set's own parameters are
        undefined.
    points : DataFrame
        metric, weighting, difficulty, POINT_COLUMNS and TUNED_COLUMNS.

    Raises
    ------
    Missing
        There is no such metric and weighting.
    """
    everything, keys, ascending, grids, frames = np.arange(len(gold)), [], [], [], []
    for metric, whole in scores.plain.items():
        for weighting, entry in scores.weightings.items():
            if entry["over"] or not isinstance(scores.weighting(weighting), Groups):
                continue
            if entry["parameters"].get("segments") != whole.statistics.shape[1]:
                continue
            keys.append((metric, weighting))
            plain = whole.select(segments=scores.counted)
            difficulty = scores.difficulty(entry["difficulty"], everything)[:, scores.counted]
            ascending.append(thresholds(difficulty))
            grids.append(surface(plain, difficulty, gold))
            given = points(entry, scores.estimator(entry["difficulty"]).has_balance)
            rows = point_rows(plain, difficulty, gold, given, grids[-1])
            frame = pd.DataFrame(rows, columns=POINT_COLUMNS)
            # The same draws for every metric.
            places = permutations(difficulty.shape[1], draws, np.random.default_rng(seed))
            tuned = {"optimum"} | ({"in force"} if entry["tuned"] else set())
            r = retuned(plain, difficulty, gold, places)[:, 0]
            frame = frame.join(tuned_columns(frame, tuned, r))
            frame.insert(0, "metric", metric)
            frame.insert(1, "weighting", weighting)
            frames.append(frame)
    if not keys:
        raise Missing("no metric has segment scores in two groups")
    arrays = {
        "quantiles": QUANTILES,
        "w": W,
        "metrics": [metric for metric, _ in keys],
        "weightings": [weighting for _, weighting in keys],
        "thresholds": ascending,
        "correlations": grids,
        "systems": len(gold),
    }
    return arrays, with_difficulty(pd.concat(frames, ignore_index=True), scores.weightings)


def ablate(
    metrics: dict[str, type[Metric]],
    statistics: dict[str, np.ndarray],
    entropy: np.ndarray,
    gold: np.ndarray,
    h: float,
    w: float,
    thresholds: dict[str, float],
    splits: int,
    weighting: str,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Correlations of every metric under variants of the EE weighting (Liu et al. 2022, Table 4).

    Parameters
    ----------
    metrics : dict of str to Metric class
    statistics : dict of str to ndarray, (systems, segments, k)
    entropy : ndarray, (systems, segments)
    gold : ndarray, (systems,)
    h, w : float
    thresholds : dict of str to float
        Further thresholds by their label.
    splits : int
        Random splits for "w/o entropy".
    weighting : str
        What the weighting itself is called.
    rng : numpy.random.Generator

    Returns
    -------
    DataFrame
        ABLATION_COLUMNS. "w/o entropy" holds means over random splits into groups of the same
        sizes, "w/o difficulty", of no metric, the correlations of a system's mean entropy with
        gold.
    """
    ee = {
        name: WeightedMetric.standard(metric, statistics[name]).in_groups(entropy >= h, w)
        for name, metric in metrics.items()
    }
    rows, random = [], shuffled_quality(ee, splits, rng) if ee else {}
    for name, one in ee.items():
        plain = one.unweighted().observed_quality()
        rows.append([name, "standard", np.nan, np.nan, *correlate(plain, gold)])
        variants = {weighting: (h, w), **{label: (value, w) for label, value in thresholds.items()}}
        variants |= {"only easy": (h, 1.0), "only difficult": (h, 0.0)}
        for label, (threshold, easy) in variants.items():
            scores = one.in_groups(entropy >= threshold, easy).observed_quality()
            rows.append([name, label, threshold, easy, *correlate(scores, gold)])
        means = np.mean(correlate(random[name], gold), axis=1)
        rows.append([name, "w/o entropy", np.nan, np.nan, *means])
    without_difficulty = correlate(entropy.mean(axis=1), gold)
    rows.append(["", "w/o difficulty", np.nan, np.nan, *without_difficulty])
    return pd.DataFrame(rows, columns=ABLATION_COLUMNS)
