"""Thresholds h and easy weights w of weightings in two groups: correlations over a grid, at values
chosen on a set or on other sets, and with permuted difficulties tuned alike; ablations."""

from collections.abc import Hashable, Iterator, Mapping
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..scores import Key, ScoredSet, baseline
from ..storage import Content
from ..tables import TABLES
from ..weighting.base import WeightedMetric, combine
from ..weighting.EE import EE
from ..weighting.fitted import TUNED
from .nulls import compare_with_draws, further_permutations, permutations, permuted_quality
from .subsets import CORRELATIONS, correlate, observed_values
from .units import Units, single_segments

# One grid for all sets and difficulties, so that the best point transfers between sets.
QUANTILES = np.round(np.arange(50) * 0.02, 2)
W = np.round(np.arange(21) * 0.05, 2)
# Shares of easy and of difficult hypotheses in the score, (w, 2).
SHARES = np.stack([W, 1 - W], axis=1)
# Permuted difficulties that are searched at a time.
BLOCK = 16
KEYS = ["metric", "weighting", "difficulty"]
# Origins of parameters; those whose wins are counted (the optimum would always win).
ORIGINS = ("standard", "in force", "equations", "held out", "optimum")
COUNTED = ORIGINS[1:-1]
COLUMNS = TABLES["parameters.csv"].names()
# For parameters tuned on the set: Pearson's r of permuted difficulties that are tuned alike.
RETUNED = ["retuned_mean", "retuned_low", "retuned_high", "retuned_quantile"]
EMPTY = "a system has no difficult or no easy hypothesis"
EQUAL = "all systems have the same score, or the same human score"
UNDEFINED = f"{EMPTY}, or {EQUAL}"
# Reasons for no held-out parameters.
NO_OTHER_SETS = "no other set has correlations of this metric"
NO_COMMON_POINT = "every point of the grid lacks a group in some other set"


def thresholds(difficulty: np.ndarray) -> np.ndarray:
    """Return the difficulty at each of QUANTILES over all hypotheses, (quantiles,), ascending;
    difficulties are (systems, segments) and may be infinite."""
    return np.quantile(difficulty, QUANTILES, method="lower")


def quality_of_groups(
    plain: WeightedMetric, difficulty: np.ndarray, orders: np.ndarray
) -> Iterator[np.ndarray]:
    """Yield scores of easy and difficult hypotheses at every threshold, in blocks of draws.

    Parameters
    ----------
    plain : WeightedMetric
        The unweighted metric.
    difficulty : ndarray
        (systems, segments), higher is harder.
    orders : ndarray
        (draws, segments) of int: in a draw, segment i has the difficulties of segment orders[i].

    Yields
    ------
    ndarray
        (at most BLOCK, quantiles, systems, 2), higher is better; NaN where a system has no
        hypothesis in a group.
    """
    from ..compiled.samples import group_sums

    columns = np.ascontiguousarray(plain.columns[:, :, 0])
    # Every draw has the same thresholds, which are its quantiles if segments are permuted. A
    # hypothesis in bin b is difficult at b thresholds.
    bins = np.searchsorted(thresholds(difficulty), difficulty, side="right")
    for start in range(0, len(orders), BLOCK):
        block = orders[start : start + BLOCK]
        systems, _, width = columns.shape
        sums = np.empty((len(block), len(QUANTILES), systems, 2, width))
        group_sums(columns, bins, block, sums)
        # The last column counts hypotheses.
        statistics = sums[..., :-1]
        counts = sums[..., -1]
        yield plain.sign * plain.aggregate(statistics, counts)


def surface(plain: WeightedMetric, difficulty: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """Compute correlations of a weighting in two groups over the grid of thresholds and weights.

    Parameters
    ----------
    plain : WeightedMetric
        The unweighted metric; it is the point of quantile 0 and w = 0.
    difficulty : ndarray
        (systems, segments), higher is harder.
    gold : ndarray
        Human scores, (systems,), higher is better.

    Returns
    -------
    ndarray
        Pearson, Kendall and Spearman correlations, (3, quantiles, w); NaN where a weighted group
        is empty.
    """
    unchanged = np.arange(difficulty.shape[1], dtype=np.int32)[None]
    (block,) = quality_of_groups(plain, difficulty, unchanged)
    groups = block[0]  # the only draw
    by_weight = [combine(groups, shares) for shares in SHARES]
    scores = np.stack(by_weight, axis=1)
    return np.array(correlate(scores, gold))


def best_point(pearson: np.ndarray) -> tuple[int, ...] | None:
    """Find the grid point, (quantile, w) as indices, of the highest mean Pearson r over sets;
    `pearson` is (sets, quantiles, w). Points with NaN in any set are excluded, the first of equal
    points wins; None if no point remains."""
    means = pearson.mean(axis=0)
    if np.isnan(means).all():
        return None
    quantile, w = np.unravel_index(np.nanargmax(means), means.shape)
    return int(quantile), int(w)


def retuned_quality(
    plain: WeightedMetric, difficulty: np.ndarray, gold: np.ndarray, orders: np.ndarray
) -> np.ndarray:
    """Score systems with permuted difficulties, tuned on the human scores in every draw.

    Each draw has the h and w of its highest Pearson r over the grid of `surface` (tuned as in Liu
    et al. 2022, 5.1). r is never below that of the unweighted metric, which is in the grid.

    Parameters
    ----------
    plain : WeightedMetric
        The unweighted metric.
    difficulty : ndarray
        (systems, segments), higher is harder.
    gold : ndarray
        Human scores, (systems,), higher is better.
    orders : ndarray
        Permutations of segments, (draws, segments), as of `nulls.permutations`.

    Returns
    -------
    ndarray
        (draws, systems), higher is better; NaN where no grid point is defined.

    Notes
    -----
    r of w · easy + (1 − w) · difficult follows, but for a factor that all points share, from the
    variances and the covariance of easy and difficult scores and their products with human scores.
    """
    x = np.where(np.ptp(gold) > 0, gold - gold.mean(), np.nan)
    chosen = []
    for groups in quality_of_groups(plain, difficulty, orders):
        r = _grid_correlations(groups, x).reshape(len(groups), -1)
        best = np.argmax(r, axis=1)
        quantile, w = np.divmod(best, len(W))
        draw = np.arange(len(groups))
        scores = combine(groups[draw, quantile], SHARES[w][:, None])
        is_undefined = np.isneginf(r[draw, best])
        chosen.append(np.where(is_undefined[:, None], np.nan, scores))
    return np.concatenate(chosen)


def _grid_correlations(groups: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """Return r at every point of the grid, (draws, quantiles, w), up to a factor that all points
    share; -inf where it is undefined or a weighted group is empty. `groups` has the scores of easy
    and difficult hypotheses, (draws, quantiles, systems, 2), `gold` centred human scores."""
    shifted = groups - groups[:, :, :1]  # exactly 0 for equal systems
    means = shifted.mean(axis=2, keepdims=True)
    centred = np.nan_to_num(shifted - means)
    easy, difficult = np.ascontiguousarray(np.moveaxis(centred, -1, 0))
    easy_product = np.vecdot(easy, gold)[..., None]
    difficult_product = np.vecdot(difficult, gold)[..., None]
    easy_variance = np.vecdot(easy, easy)[..., None]
    covariance = np.vecdot(easy, difficult)[..., None]
    difficult_variance = np.vecdot(difficult, difficult)[..., None]
    product = W * easy_product + (1 - W) * difficult_product
    variance = W**2 * easy_variance
    variance = variance + 2 * W * (1 - W) * covariance
    variance = variance + (1 - W) ** 2 * difficult_variance
    with np.errstate(invalid="ignore", divide="ignore"):
        r = product / np.sqrt(variance)
    is_empty = np.isnan(groups).any(axis=2)
    lacks_group = (is_empty[..., None, :] & (SHARES > 0)).any(axis=-1)
    return np.where(np.isfinite(r) & ~lacks_group, r, -np.inf)


def grid_row(
    point: tuple[int, ...] | None, grid: np.ndarray, ascending: np.ndarray, reason: str
) -> list:
    """Return the values of COLUMNS from `quantile` to `reason` for a grid point.

    Parameters
    ----------
    point : tuple of int or None
        Indices of quantile and w, as of `best_point`.
    grid : ndarray
        Result of `surface`.
    ascending : ndarray
        The set's `thresholds`.
    reason : str
        Why there is no point.

    Returns
    -------
    list
        Quantile, h, w, three correlations and the reason if they are NaN.
    """
    if point is None:
        return [np.nan, np.nan, np.nan, np.nan, np.nan, np.nan, reason]
    quantile, w = point
    correlations = grid[:, quantile, w]
    no_values = UNDEFINED if np.isnan(correlations[0]) else None
    return [QUANTILES[quantile], ascending[quantile], W[w], *correlations, no_values]


def at_equations(
    plain: WeightedMetric,
    difficulty: np.ndarray,
    gold: np.ndarray,
    h: float | None,
    w: float | None,
) -> list:
    """Correlate EE with the parameters of the equations with human scores.

    Parameters
    ----------
    plain : WeightedMetric
        The unweighted metric.
    difficulty : ndarray
        (systems, segments), higher is harder.
    gold : ndarray
        Human scores, (systems,), higher is better.
    h, w : float or None
        Threshold and easy weight; None where an equation is undefined.

    Returns
    -------
    list
        r, τ-b and ρ, and the reason if they are NaN.
    """
    if h is None or w is None:
        return [np.nan, np.nan, np.nan, "the equations are undefined"]
    if not 0 <= w <= 1:
        return [np.nan, np.nan, np.nan, f"Eq. 11 gives w = {w:.3f}, outside [0, 1]"]
    weighted = plain.in_groups(difficulty >= h, w)
    scores = weighted.observed_quality()
    values = [float(value) for value in correlate(scores, gold)]
    reason = None
    if np.isnan(values[0]):
        reason = EMPTY if np.isnan(scores).any() else EQUAL
    return [*values, reason]


class TwoGroups(NamedTuple):
    """A metric under a weighting in two groups, with the difficulty that makes the groups.

    Attributes
    ----------
    key : (metric, weighting)
    plain : WeightedMetric
        Without the weighting of segments, on the counted segments.
    difficulty_name : str
    difficulty : ndarray
        (systems, counted segments), higher is harder.
    weighs_tokens : bool
        Whether `plain` has a weighting of tokens.
    """

    key: Key
    plain: WeightedMetric
    difficulty_name: str
    difficulty: np.ndarray
    weighs_tokens: bool


def map_parameters(
    scores: ScoredSet,
    gold: np.ndarray,
    correlations: pd.DataFrame,
    draws: int,
    seed: int,
    units: Units,
) -> tuple[Content, pd.DataFrame, dict[Key, np.ndarray]]:
    """Correlate a set's weightings in two groups over the grid and at several points (ORIGINS).

    Tuned parameters are compared with permuted difficulties tuned in the same way; all metrics
    share the permutations.

    Parameters
    ----------
    scores : ScoredSet
    gold : ndarray
        Human scores, (systems,), higher is better.
    correlations : DataFrame
        `correlations.csv`, with the correlations of the unweighted metric and of the parameters in
        force.
    draws, seed : int
        Number of permutations, and their seed.
    units : Units
        Units of the segments that count, which are permuted.

    Returns
    -------
    arrays : dict
        Content of `surface.npz`, for metrics with segment scores; empty without any.
    points : DataFrame
        Columns COLUMNS.
    retuned : dict of (metric, weighting) to ndarray
        Result of `retuned_quality`, (draws, systems), where the weighting is tuned on the set.
    """
    of_all = correlations[correlations.subset == "all"].set_index(["metric", "weighting"])
    known = of_all[[*CORRELATIONS, "reason"]].T
    retuned = {}
    keys = []
    ascending = []
    grids = []
    rows: list[list] = []
    for case in _two_group_cases(scores, len(gold)):
        orders = permutations(units, draws, np.random.default_rng(seed))
        quality = retuned_quality(case.plain, case.difficulty, gold, orders)
        if _is_tuned(scores, case.key):
            retuned[case.key] = quality
        if case.weighs_tokens:
            continue
        grid = surface(case.plain, case.difficulty, gold)
        points = _points(scores, case, gold, grid, known)
        rows += _point_rows(scores, case, points, correlate(quality, gold).pearson)
        keys.append(case.key)
        ascending.append(thresholds(case.difficulty))
        grids.append(grid)
    table = pd.DataFrame(rows, columns=COLUMNS)
    if not keys:
        return {}, table, retuned
    arrays = {
        "quantiles": QUANTILES,
        "w": W,
        "thresholds": ascending,
        "correlations": grids,
        "metrics": [metric for metric, _ in keys],
        "systems": len(gold),
        "weightings": [weighting for _, weighting in keys],
    }
    return arrays, table, retuned


def _is_tuned(scores: ScoredSet, key: Key) -> bool:
    """Return whether a key has scores with parameters that are tuned on the set."""
    return scores.weightings[key[1]]["tuned"] and key in scores.keys


def _two_group_cases(scores: ScoredSet, systems: int) -> Iterator[TwoGroups]:
    """Yield metrics of segment scores with each weighting in two groups; with a weighting of tokens
    only if its parameters are tuned on the set."""
    all_systems = np.arange(systems)
    for key in product(scores.plain, scores.weightings):
        metric, weighting = key
        plain = scores.plain[metric]
        segments = scores.weightings[weighting]["parameters"].get("segments")
        if not isinstance(scores.weighting(weighting), EE):
            continue
        if segments != plain.statistics.shape[1]:
            continue
        weighs_tokens = bool(scores.tokens_of(weighting))
        if weighs_tokens and not _is_tuned(scores, key):
            continue
        if weighs_tokens:
            plain = scores.of(all_systems, [key])[key].unweighted()
        else:
            plain = plain.select(segments=scores.counted)
        name = scores.difficulty_of(weighting)
        difficulty = scores.difficulty(name, all_systems)[:, scores.counted]
        yield TwoGroups(key, plain, name, difficulty, weighs_tokens)


def _points(
    scores: ScoredSet, case: TwoGroups, gold: np.ndarray, grid: np.ndarray, known: pd.DataFrame
) -> dict[str, list]:
    """Return values of COLUMNS from `quantile` to `reason` by origin of the parameters (ORIGINS).
    `known` has correlations and reason of all systems, with a column for each key."""
    metric, weighting = case.key
    entry = scores.weightings[weighting]
    parameters = entry["parameters"]
    unscored = [np.nan, np.nan, np.nan, entry["missing"] or None]
    chosen: dict[str, tuple[Any, Any, Any]] = {
        "standard": (np.nan, np.nan, known[baseline(metric, scores.keys)]),
        "in force": (parameters["h"], parameters["w"], known.get(case.key, unscored)),
    }
    if scores.estimator(case.difficulty_name).has_balance:
        h = parameters["equations"]["h"]
        w = parameters["equations"]["w"]
        values = at_equations(case.plain, case.difficulty, gold, h, w)
        chosen["equations"] = (h, w, values)
    points = {}
    for origin, (h, w, values) in chosen.items():
        quantile = np.nan
        if h is not None and not np.isnan(h):
            quantile = (case.difficulty < h).mean()
        points[origin] = [quantile, h, w, *values]
    best = best_point(grid[:1])
    points["optimum"] = grid_row(best, grid, thresholds(case.difficulty), UNDEFINED)
    return points


def _point_rows(
    scores: ScoredSet, case: TwoGroups, points: Mapping[str, list], retuned_r: np.ndarray
) -> Iterator[list]:
    """Yield rows of COLUMNS; tuned parameters are compared with Pearson's r of permuted
    difficulties that are tuned alike, (draws,)."""
    for origin, point in points.items():
        is_tuned = scores.weightings[case.key[1]]["tuned"]
        searched = origin == "optimum" or (origin == "in force" and is_tuned)
        compared = [np.nan] * len(RETUNED)
        if searched:
            r = point[3]
            compared = compare_with_draws(r, np.nan, retuned_r)[:4]
        tuned = "yes" if searched else "no"
        yield [*case.key, case.difficulty_name, origin, *point, tuned, *compared]


def hold_out(
    surfaces: Mapping[str, Mapping[str, Any]],
    points: Mapping[str, pd.DataFrame],
    texts: Mapping[str, Hashable],
) -> pd.DataFrame:
    """Compare parameters chosen on other sets with a set's own.

    Parameters
    ----------
    surfaces, points : mapping of str
        Arrays and table of `map_parameters` by set.
    texts : mapping of str
        What the set's texts are, by set; sets of the same texts are held out together.

    Returns
    -------
    DataFrame
        `held_out.csv`; rows are ordered as ORIGINS.
    """
    # Grid and thresholds by set and then by metric, weighting and difficulty.
    grids: dict[str, dict[tuple, tuple[np.ndarray, np.ndarray]]] = {}
    for name, frame in points.items():
        cases = frame[KEYS].drop_duplicates()
        keys = cases.itertuples(index=False, name=None)
        arrays = surfaces[name]
        pairs = zip(arrays["correlations"], arrays["thresholds"], strict=True)
        grids[name] = dict(zip(keys, pairs, strict=True))
    rows = []
    for name, set_grids in grids.items():
        others = [grids[other] for other in grids if texts[other] != texts[name]]
        for key, (grid, ascending) in set_grids.items():
            pearson = []  # r over the grid, of the other sets with a defined point
            for other in others:
                if key in other:
                    other_grid, _ = other[key]
                    if not np.isnan(other_grid[0]).all():
                        pearson.append(other_grid[0])
            point = None
            reason = NO_OTHER_SETS
            if pearson:
                point = best_point(np.array(pearson))
                reason = NO_COMMON_POINT
            row = grid_row(point, grid, ascending, reason)
            rows.append([name, *key, "held out", *row, "no"])
    held_out = pd.DataFrame(rows, columns=TABLES["held_out.csv"].names(without=RETUNED))
    frames = [frame.assign(set=name) for name, frame in points.items()]
    table = pd.concat([*frames, held_out], ignore_index=True)
    case = table.groupby(["set", *KEYS], sort=False).ngroup()
    origin = table.parameters.map(ORIGINS.index)
    table = table.iloc[np.lexsort([origin, case])]
    return table[TABLES["held_out.csv"].names()].reset_index(drop=True)


def count_wins(frame: pd.DataFrame, statistic: str, origin: str, against: str = "standard") -> str:
    """Describe how often a correlation is higher with parameters of one origin than of another.

    Parameters
    ----------
    frame : DataFrame
        Table of `hold_out`.
    statistic : str
        Column of the correlation.
    origin, against : str
        Two of ORIGINS.

    Returns
    -------
    str
        In how many sets (by the mean difference over metrics and weightings) and in how many cases
        of set, metric and weighting it is higher. Only cases with a value of every origin count; ""
        without any.
    """
    index = ["set", "metric", "weighting"]
    table = frame.pivot(index=index, columns="parameters", values=statistic)
    origins = frame.pivot(index=index, columns="parameters", values="set")
    is_incomplete = (table.isna() & origins.notna()).any(axis=1)
    table = table[~is_incomplete].reindex(columns=ORIGINS)
    gain = (table[origin] - table[against]).dropna()
    if not len(gain):
        return ""
    set_gain = gain.groupby("set").mean()
    higher_sets = (set_gain > 1e-9).sum()
    higher_cases = (gain > 1e-9).sum()
    return f"{higher_sets} of {len(set_gain)} sets, {higher_cases} of {len(gain)} cases"


def describe_held_out(frame: pd.DataFrame) -> Content:
    """Make the variables of the template held_out.md from the table of `hold_out`. `better` (ends
    of sentences) and `counts` (a table) say how often they beat others. `above` says how often
    tuned values exceed the 95 % quantile of permuted difficulties; `cases` has Pearson's r."""
    comparisons = {
        "the unweighted metric": "standard",
        "the equations' parameters": "equations",
        "those in force": "in force",
    }
    better = []
    if frame[frame.parameters == "held out"].pearson.notna().any():
        for name, against in comparisons.items():
            wins = count_wins(frame, "pearson", "held out", against)
            if wins:
                better.append(f"{name} in {wins}")
    above = []
    compared = frame[(frame.tuned == "yes") & frame.retuned_quantile.notna()]
    for origin, rows in compared.groupby("parameters", sort=False):
        high = rows[rows.retuned_quantile > 0.95]
        sets_of_high = high.set.nunique()
        sets = rows.set.nunique()
        above.append([origin, len(high), len(rows), sets_of_high, sets])
    return {
        "better": better,
        "counts": _table_of_counts(frame).to_markdown(index=False),
        "above": above,
        "cases": _table_of_cases(frame).to_markdown(index=False, disable_numparse=True),
        "TUNED": TUNED,
    }


def _table_of_counts(frame: pd.DataFrame) -> pd.DataFrame:
    """Tabulate how often parameters of an origin beat the unweighted metric, by weighting and
    statistic; origins that are tuned on a set have a mark."""
    tuned_origins = set(frame.parameters[frame.tuned == "yes"])
    records = []
    for weighting, rows in frame.groupby("weighting", sort=False):
        for statistic in CORRELATIONS:
            record = {"weighting": weighting, "better than unweighted by": statistic}
            for origin in COUNTED:
                heading = origin + TUNED if origin in tuned_origins else origin
                record[heading] = count_wins(rows, statistic, origin) or "–"
            records.append(record)
    return pd.DataFrame(records)


def _table_of_cases(frame: pd.DataFrame) -> pd.DataFrame:
    """Tabulate Pearson's r by origin of the parameters, a row for every set, metric, weighting."""
    keys = ["set", *KEYS]
    texts = frame.pearson.map("{:.3f}".format, na_action="ignore")
    marks = (frame.tuned == "yes").map({True: TUNED, False: ""})
    frame = frame.assign(text=texts + marks)
    table = frame.pivot(index=keys, columns="parameters", values="text")
    table = table.reindex(columns=ORIGINS)
    best = frame[frame.parameters == "optimum"].set_index(keys).loc[table.index]
    ranges = []
    for low, high in best[["retuned_low", "retuned_high"]].to_numpy():
        ranges.append(np.nan if np.isnan(low) else f"[{low:.3f}, {high:.3f}]")
    table["tuned random"] = ranges
    held_out = frame[frame.parameters == "held out"].set_index(keys)
    chosen = held_out[["quantile", "w"]].map("{:.2f}".format, na_action="ignore")
    table = table.join(chosen.add_prefix("held-out "))
    return table.astype(object).fillna("–").reset_index()


def ablate(
    plains: Mapping[str, WeightedMetric],
    difficulty: np.ndarray,
    gold: np.ndarray,
    h: float,
    w: float,
    thresholds: Mapping[str, float],
    splits: int,
    weighting: str,
    correlations: pd.DataFrame,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Correlate variants of a weighting in two groups with human scores (Liu et al. 2022, Table 4).

    Parameters
    ----------
    plains : mapping of str to WeightedMetric
        Unweighted metrics by name.
    difficulty : ndarray
        (systems, segments), higher is harder.
    gold : ndarray
        Human scores, (systems,).
    h, w : float
        The weighting's threshold of difficulty and weight of the easy group.
    thresholds : mapping of str to float
        Other thresholds by label.
    splits : int
        Number of random splits.
    weighting : str
        Name of the weighting.
    correlations : DataFrame
        `correlations.csv` of the set, with the unweighted metrics and the weighting itself.
    rng : Generator

    Returns
    -------
    DataFrame
        `ablation.csv`. "only easy" and "only difficult" are one group alone; "w/o
        entropy" is the mean over random splits into groups of unchanged size; "w/o difficulty"
        correlates a system's mean difficulty.
    """
    known = observed_values(correlations, CORRELATIONS, "all", len(gold))
    variants = {label: (threshold, w) for label, threshold in thresholds.items()}
    variants["only easy"] = (h, 1.0)
    variants["only difficult"] = (h, 0.0)
    weighteds = {name: plain.in_groups(difficulty >= h, w) for name, plain in plains.items()}
    segments = single_segments(difficulty.shape[1])
    orders = permutations(segments, splits, rng)
    # Liu et al. (2022), Table 4: every system has its own random groups.
    others = further_permutations(segments, orders, rng)
    random = permuted_quality(weighteds, orders, others) if weighteds else {}
    rows = []
    for name, plain in plains.items():
        rows.append([name, "standard", np.nan, np.nan, *known[name, "standard"]])
        rows.append([name, weighting, h, w, *known[name, weighting]])
        for label, (threshold, easy_weight) in variants.items():
            weighted = plain.in_groups(difficulty >= threshold, easy_weight)
            values = correlate(weighted.observed_quality(), gold)
            rows.append([name, label, threshold, easy_weight, *values])
        means = np.mean(correlate(random[name], gold), axis=1)
        rows.append([name, "w/o entropy", np.nan, np.nan, *means])
    without_difficulty = correlate(difficulty.mean(axis=1), gold)
    rows.append(["", "w/o difficulty", np.nan, np.nan, *without_difficulty])
    return pd.DataFrame(rows, columns=TABLES["ablation.csv"].names())
