"""Thresholds h and easy weights w of weightings in two groups: correlations over a grid, at values
chosen on a set or on other sets, and with permuted difficulties tuned alike; ablations."""

from collections.abc import Hashable, Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from ..scores import Key, ScoredSet, baseline
from ..storage import Content
from ..tables import TABLES
from ..weighting.base import WeightedMetric, combine
from ..weighting.EE import EE
from ..weighting.fitted import TUNED
from .nulls import permutations, permuted_quality, place
from .subsets import CORRELATIONS, correlate, observed_values

# One grid for all sets and difficulties, so that the best point transfers between sets.
QUANTILES = np.round(np.arange(50) * 0.02, 2)
W = np.round(np.arange(21) * 0.05, 2)
SHARES = np.stack([W, 1 - W], axis=1)  # of easy and of difficult hypotheses
# Block size: permuted difficulties that are searched at a time.
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
# Reasons for no held-out parameters: without other sets, and with them.
NO_POINT = (
    "no other set has correlations of this metric",
    "every point of the grid lacks a group in some other set",
)


def thresholds(difficulty: np.ndarray) -> np.ndarray:
    """Return the difficulty at each of QUANTILES over all hypotheses, (quantiles,), ascending;
    difficulties are (systems, segments) and may be infinite."""
    return np.quantile(difficulty, QUANTILES, method="lower")


def quality_of_groups(
    plain: WeightedMetric, difficulty: np.ndarray, places: np.ndarray
) -> Iterator[np.ndarray]:
    """Yield scores of easy and difficult hypotheses at every threshold, higher is better, in blocks
    of draws: (BLOCK, quantiles, systems, 2), NaN where a system has none. In a draw, segment i has
    the difficulties of segment places[i]."""
    from ..compiled.samples import group_sums

    columns = np.ascontiguousarray(plain.columns[:, :, 0])
    # Permutations keep the quantiles. A hypothesis in bin b is difficult at b thresholds.
    bins = np.searchsorted(thresholds(difficulty), difficulty, side="right")
    for start in range(0, len(places), BLOCK):
        block = places[start : start + BLOCK]
        sums = np.empty((len(block), len(QUANTILES), len(columns), 2, columns.shape[2]))
        group_sums(columns, bins, block, sums)
        yield plain.sign * plain.aggregate(sums[..., :-1], sums[..., -1])


def surface(plain: WeightedMetric, difficulty: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """Compute Pearson, Kendall and Spearman correlations over the grid, (3, quantiles, w), between
    gold, (systems,), and scores in two groups by `difficulty`, (systems, segments); NaN where a
    weighted group is empty. The point of quantile 0 and w = 0 is the unweighted metric, `plain`."""
    in_place = np.arange(difficulty.shape[1], dtype=np.int32)[None]
    ((groups,),) = quality_of_groups(plain, difficulty, in_place)
    return np.array(correlate(np.stack([combine(groups, of_w) for of_w in SHARES], axis=1), gold))


def best_point(pearson: np.ndarray) -> tuple[int, ...] | None:
    """Find the grid point, (quantile, w) as indices, of the highest mean Pearson r over sets;
    `pearson` is (sets, quantiles, w). Points with NaN in any set are excluded, the first of equal
    points wins; None if no point remains."""
    means = pearson.mean(axis=0)
    if np.isnan(means).all():
        return None
    return tuple(int(i) for i in np.unravel_index(np.nanargmax(means), means.shape))


def retuned_quality(
    plain: WeightedMetric, difficulty: np.ndarray, gold: np.ndarray, places: np.ndarray
) -> np.ndarray:
    """Score systems with permuted difficulties, (draws, systems), each draw at the h and w of its
    highest Pearson r over the grid of `surface` (tuned as in Liu et al. 2022, 5.1). NaN where no
    grid point is defined. r is never below that of the unweighted metric, which is in the grid.
    `places` comes from `nulls.permutations`."""
    chosen, x = [], np.where(np.ptp(gold) > 0, gold - gold.mean(), np.nan)
    for groups in quality_of_groups(plain, difficulty, places):
        # r of w · easy + (1 − w) · difficult, but for a factor, from variances and covariance.
        shifted = groups - groups[:, :, :1]  # exactly 0 for equal systems
        centred = np.nan_to_num(shifted - shifted.mean(axis=2, keepdims=True))
        easy, difficult = np.ascontiguousarray(np.moveaxis(centred, -1, 0))
        pairs = ((easy, x), (difficult, x), (easy, easy), (easy, difficult), (difficult, difficult))
        with_x, and_x, of_easy, of_both, of_difficult = (np.vecdot(*y)[..., None] for y in pairs)
        variance = W**2 * of_easy + 2 * W * (1 - W) * of_both + (1 - W) ** 2 * of_difficult
        with np.errstate(invalid="ignore", divide="ignore"):
            r = (W * with_x + (1 - W) * and_x) / np.sqrt(variance)
        empty = np.isnan(groups).any(axis=2)[..., None, :] & (SHARES > 0)
        r = np.where(np.isfinite(r) & ~empty.any(axis=-1), r, -np.inf).reshape(len(r), -1)
        best = np.argmax(r, axis=1)
        quantile, w = np.divmod(best, len(W))
        scores = combine(groups[np.arange(len(r)), quantile], SHARES[w][:, None])
        chosen.append(np.where(np.isneginf(r.max(axis=1))[:, None], np.nan, scores))
    return np.concatenate(chosen)


def grid_row(
    point: tuple[int, ...] | None, grid: np.ndarray, ascending: np.ndarray, reason: str
) -> list:
    """Return the values of COLUMNS from `quantile` to `reason` for a point of a `surface`;
    `ascending` are the set's thresholds, `reason` says why there is no point."""
    if point is None:
        return [*[np.nan] * 6, reason]
    quantile, w = point
    why = UNDEFINED if np.isnan(grid[0, quantile, w]) else None
    return [QUANTILES[quantile], ascending[quantile], W[w], *grid[:, quantile, w], why]


def at_equations(
    plain: WeightedMetric,
    difficulty: np.ndarray,
    gold: np.ndarray,
    h: float | None,
    w: float | None,
) -> list:
    """Return EE's r, τ-b and ρ at threshold h and easy weight w, and the reason if they are NaN."""
    if h is None or w is None:
        return [*[np.nan] * 3, "the equations are undefined"]
    if not 0 <= w <= 1:
        return [*[np.nan] * 3, f"Eq. 11 gives w = {w:.3f}, outside [0, 1]"]
    scores = plain.in_groups(difficulty >= h, w).observed_quality()
    values = list(map(float, correlate(scores, gold)))
    reason = EMPTY if np.isnan(scores).any() else EQUAL
    return [*values, reason if np.isnan(values[0]) else None]


def map_parameters(
    scores: ScoredSet, gold: np.ndarray, correlations: pd.DataFrame, draws: int, seed: int
) -> tuple[Content, pd.DataFrame, dict[Key, np.ndarray]]:
    """Compute correlations of a set's weightings in two groups over the grid and at several points
    (ORIGINS), and compare tuned parameters with permuted difficulties tuned in the same way, which
    all metrics share. `correlations` (`correlations.csv`) has the correlations of the unweighted
    metric and of the parameters in force. Returns the arrays of `surface.npz`, for metrics with
    segment scores, empty without any; the points (COLUMNS);
    and `retuned_quality`, (draws, systems), by metric and weighting tuned on the set."""
    everything, retuned, keys, ascending, grids = np.arange(len(gold)), {}, [], [], []
    rows: list[list] = []
    of_all = correlations[correlations.subset == "all"].set_index(["metric", "weighting"])
    known = of_all[[*CORRELATIONS, "reason"]].T
    for key in product(scores.plain, scores.weightings):
        metric, weighting = key
        whole, entry = scores.plain[metric], scores.weightings[weighting]
        parameters, tuned = entry["parameters"], entry["tuned"] and key in scores.keys
        same_segments = parameters.get("segments") == whole.statistics.shape[1]
        over = scores.tokens_of(weighting)
        if not isinstance(scores.weighting(weighting), EE) or not same_segments:
            continue
        if over and not tuned:
            continue
        plain = whole.select(segments=scores.counted)
        if over:  # the scores of a weighting of tokens
            plain = scores.of(everything, [key])[key].unweighted()
        name = scores.difficulty_of(weighting)
        difficulty = scores.difficulty(name, everything)[:, scores.counted]
        places = permutations(difficulty.shape[1], draws, np.random.default_rng(seed))
        quality = retuned_quality(plain, difficulty, gold, places)
        if tuned:
            retuned[key] = quality
        if over:
            continue

        keys.append(key)
        ascending.append(thresholds(difficulty))
        grids.append(surface(plain, difficulty, gold))
        in_force = known.get(key, [np.nan] * 3 + [entry["missing"] or None])
        points = {
            "standard": (np.nan, np.nan, known[baseline(metric, scores.keys)]),
            "in force": (parameters["h"], parameters["w"], in_force),
        }
        if scores.estimator(name).has_balance:
            h, w = (parameters["equations"][symbol] for symbol in ("h", "w"))
            points["equations"] = h, w, at_equations(plain, difficulty, gold, h, w)
        of_points = {}
        for origin, (h, w, values) in points.items():
            below = np.nan if h is None or np.isnan(h) else (difficulty < h).mean()
            of_points[origin] = [below, h, w, *values]
        best = best_point(grids[-1][:1])
        of_points["optimum"] = grid_row(best, grids[-1], ascending[-1], UNDEFINED)
        r = correlate(quality, gold).pearson
        for origin, point in of_points.items():
            searched = origin == "optimum" or (origin == "in force" and entry["tuned"])
            stands = place(point[3], np.nan, r)[:4] if searched else [np.nan] * 4
            rows.append([*key, name, origin, *point, "yes" if searched else "no", *stands])
    arrays = {
        **{"quantiles": QUANTILES, "w": W, "thresholds": ascending, "correlations": grids},
        **{"metrics": [metric for metric, _ in keys], "systems": len(gold)},
        "weightings": [weighting for _, weighting in keys],
    }
    return arrays if keys else {}, pd.DataFrame(rows, columns=COLUMNS), retuned


def hold_out(
    surfaces: Mapping[str, Mapping[str, Any]],
    points: Mapping[str, pd.DataFrame],
    texts: Mapping[str, Hashable],
) -> pd.DataFrame:
    """Compare parameters chosen on other sets with a set's own (`held_out.csv`); rows are ordered
    as ORIGINS. `surfaces` and `points` are results of
    `map_parameters` by set; sets with the same `texts` are held out together."""
    # By set and then by metric, weighting and difficulty.
    grids = {}
    for name, frame in points.items():
        keys = frame[KEYS].drop_duplicates().itertuples(index=False, name=None)
        arrays = surfaces[name]["correlations"], surfaces[name]["thresholds"]
        grids[name] = dict(zip(keys, zip(*arrays, strict=True), strict=True))
    frames = [frame.assign(set=name) for name, frame in points.items()]
    rows = []
    for name, of_set in grids.items():
        for key, (grid, ascending) in of_set.items():
            # Sets without any defined point are ignored.
            pearson_grids = [
                elsewhere[key][0][0]
                for other_set, elsewhere in grids.items()
                if texts[other_set] != texts[name] and key in elsewhere
            ]
            pearson_grids = [pearson for pearson in pearson_grids if not np.isnan(pearson).all()]
            point = best_point(np.array(pearson_grids)) if pearson_grids else None
            row = grid_row(point, grid, ascending, NO_POINT[bool(pearson_grids)])
            rows.append([name, *key, "held out", *row, "no"])
    columns = TABLES["held_out.csv"].names()
    held_out = pd.DataFrame(rows, columns=TABLES["held_out.csv"].names(without=RETUNED))
    table = pd.concat([*frames, held_out], ignore_index=True)
    case = table.groupby(["set", *KEYS], sort=False).ngroup()
    order = np.lexsort([table.parameters.map(ORIGINS.index), case])
    return table.iloc[order][columns].reset_index(drop=True)


def count_wins(frame: pd.DataFrame, statistic: str, origin: str, against: str = "standard") -> str:
    """Describe how often a correlation is higher with parameters of one of ORIGINS than of
    `against`: in how many sets (mean difference over metrics and weightings) and in how many cases
    of set, metric, weighting. Only cases with a value of every origin count; "" without any."""
    index = ["set", "metric", "weighting"]
    table = frame.pivot(index=index, columns="parameters", values=statistic)
    origins = frame.pivot(index=index, columns="parameters", values="set")
    table = table[~(table.isna() & origins.notna()).any(axis=1)].reindex(columns=ORIGINS)
    gain = (table[origin] - table[against]).dropna()
    sets = gain.groupby("set").mean() > 1e-9
    counts = f"{sets.sum()} of {len(sets)} sets, {(gain > 1e-9).sum()} of {len(gain)} cases"
    return counts * bool(len(gain))


def describe_held_out(frame: pd.DataFrame) -> Content:
    """Make the variables of the template held_out.md from the table of `hold_out`. `better` (ends
    of sentences) and `counts` (a table) say how often they beat others. `above` says how often
    tuned values exceed the 95 % quantile of permuted difficulties; `cases` has Pearson's r."""
    names = ("the unweighted metric", "the equations' parameters", "those in force")
    origins = zip(names, ("standard", "equations", "in force"), strict=True)
    wins = {name: count_wins(frame, "pearson", "held out", origin) for name, origin in origins}
    tuned = frame.tuned == "yes"
    marked = set(frame.parameters[tuned])
    counts = pd.DataFrame(
        [
            {"weighting": weighting, "better than unweighted by": statistic}
            | {
                origin + TUNED * (origin in marked): count_wins(rows, statistic, origin) or "–"
                for origin in COUNTED
            }
            for weighting, rows in frame.groupby("weighting", sort=False)
            for statistic in CORRELATIONS
        ]
    )
    above = []
    compared = frame[tuned & frame.retuned_quantile.notna()]
    for origin, rows in compared.groupby("parameters", sort=False):
        high = rows[rows.retuned_quantile > 0.95]
        above.append([origin, len(high), len(rows), high.set.nunique(), rows.set.nunique()])

    keys = ["set", *KEYS]
    texts = frame.pearson.map("{:.3f}".format, na_action="ignore")
    frame = frame.assign(text=texts + tuned.map({True: TUNED, False: ""}))
    table = frame.pivot(index=keys, columns="parameters", values="text").reindex(columns=ORIGINS)
    best = frame[frame.parameters == "optimum"].set_index(keys).loc[table.index]
    table["tuned random"] = [
        np.nan if np.isnan(low) else f"[{low:.3f}, {high:.3f}]"
        for low, high in best[["retuned_low", "retuned_high"]].to_numpy()
    ]
    held_out = frame[frame.parameters == "held out"].set_index(keys)
    chosen = held_out[["quantile", "w"]].map("{:.2f}".format, na_action="ignore")
    table = table.join(chosen.add_prefix("held-out ")).astype(object).fillna("–").reset_index()
    there = held_out.pearson.notna().any()
    return {
        "better": [f"{name} in {text}" for name, text in wins.items() if text and there],
        "counts": counts.to_markdown(index=False),
        "above": above,
        "cases": table.to_markdown(index=False, disable_numparse=True),
        "TUNED": TUNED,
    }


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
    variants = {label: (value, w) for label, value in thresholds.items()}
    variants |= {"only easy": (h, 1.0), "only difficult": (h, 0.0)}
    weighteds = {name: plain.in_groups(difficulty >= h, w) for name, plain in plains.items()}
    places = permutations(difficulty.shape[1], splits, rng)
    random = permuted_quality(weighteds, places, rng) if weighteds else {}
    rows = []
    for name, plain in plains.items():
        rows.append([name, "standard", np.nan, np.nan, *known[name, "standard"]])
        rows.append([name, weighting, h, w, *known[name, weighting]])
        for label, (threshold, easy) in variants.items():
            scores = plain.in_groups(difficulty >= threshold, easy).observed_quality()
            rows.append([name, label, threshold, easy, *correlate(scores, gold)])
        means = np.mean(correlate(random[name], gold), axis=1)
        rows.append([name, "w/o entropy", np.nan, np.nan, *means])
    without_difficulty = correlate(difficulty.mean(axis=1), gold)
    rows.append(["", "w/o difficulty", np.nan, np.nan, *without_difficulty])
    return pd.DataFrame(rows, columns=TABLES["ablation.csv"].names())
