"""Subsets of systems, and statistics over them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..metrics import METRICS
from ..statistics import STATISTICS, evaluate
from ..statistics.base import Statistic, constant, defined

if TYPE_CHECKING:
    import pandas as pd

    from ..data.evalset import EvaluationSet

# By metric and weighting, (subsets, size).
Scores = dict[tuple[str, str], np.ndarray]


def best_systems(gold: ArrayLike, count: int | None = None) -> np.ndarray:
    """Indices of the `count` best systems by gold (all), best first; ties in given order."""
    return np.argsort(-np.asarray(gold), kind="stable")[:count]


def top_subsets(gold: ArrayLike) -> list[np.ndarray]:
    """Indices of the K best systems by gold for K = n … 3, best first."""
    best = best_systems(gold)
    return [best[:k] for k in range(len(best), 2, -1)]


def random_subsets(systems: int, size: int, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Random subsets without replacement, (draws, size), each in ascending order.

    Parameters
    ----------
    systems : int
    rng : numpy.random.Generator
    """
    return np.sort(rng.random((draws, systems)).argsort(axis=1)[:, :size], axis=1)


def system_subsets(
    gold: np.ndarray, sizes: list[int], draws: int, rng: np.random.Generator
) -> list[tuple[str, np.ndarray]]:
    """All systems, every top-K and random-n subsets.

    Parameters
    ----------
    gold : ndarray, (systems,)
    sizes : list of int
        Sizes n of random subsets; those beyond the number of systems are left out.
    draws : int
    rng : numpy.random.Generator

    Returns
    -------
    list of (kind, index)
        The kind is all, top (best system first) or random; the index is of int, (subsets, size).
    """
    groups = [("all", np.arange(len(gold))[None])] if len(gold) else []
    groups += [("top", subset[None]) for subset in top_subsets(gold)]
    return groups + [
        ("random", random_subsets(len(gold), size, draws, rng))
        for size in sizes
        if size <= len(gold)
    ]


def correlate_subsets(
    scored: list[tuple[str, np.ndarray, Scores]], gold: np.ndarray, statistics: Sequence[str]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Statistics over subsets of systems.

    Parameters
    ----------
    scored : list of (kind, index, scores)
        Kind and index as from `system_subsets`, with the subsets' scores; higher is better.
    gold : ndarray, (systems,)
    statistics : sequence of str
        Of the registry; those that read scores.

    Returns
    -------
    mean, spread : DataFrame
        metric, weighting, subset (all, top, random), size, draws, and per statistic the mean
        and the standard deviation over the draws where it is defined; `draws` counts the subsets
        in which neither side is constant or undefined. `mean` says in `reason` why there are none,
        or of which statistics some are undefined.
    """
    import pandas as pd

    means, spreads = [], []
    for subset, index, found in scored:
        people = gold[index]
        for label, scores in found.items():
            kept = evaluate(statistics, scores, people)[defined(scores, people)]
            head = [*label, subset, index.shape[1], len(kept)]
            mean, deviation = _moments(kept)
            reason = _undefined(statistics, kept) if len(kept) else _why(scores, people)
            means.append([*head, *mean, reason])
            spreads.append([*head, *deviation])
    columns = ["metric", "weighting", "subset", "size", "draws", *statistics]
    spread = pd.DataFrame(spreads, columns=columns)
    return pd.DataFrame(means, columns=[*columns, "reason"]), spread


def _undefined(statistics: Sequence[str], values: np.ndarray) -> str:
    """Of which statistics, (draws, statistics), how many are NaN; empty where none is."""
    counts = zip(statistics, np.isnan(values).sum(axis=0), strict=True)
    found = [f"{name} in {count} of {len(values)} draws" for name, count in counts if count]
    return f"undefined: {', '.join(found)}" * bool(found)


def _moments(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of the columns, NaN left aside; NaN of none, and the deviation of
    one."""
    there = ~np.isnan(values)
    count = there.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(there, values, 0).sum(axis=0) / count
        squares = np.where(there, values - mean, 0) ** 2
        return mean, np.sqrt(squares.sum(axis=0) / np.maximum(count - 1, 0))


def _why(scores: np.ndarray, gold: np.ndarray) -> str:
    """The first reason why statistics of some subsets are undefined."""
    reasons = {
        "a system has no score": np.isnan(scores).any(-1),
        "all human scores are equal": constant(gold),
        "all systems have the same score": constant(scores),
    }
    found = (reason for reason, there in reasons.items() if there.any())
    return next(found, "the correlation is undefined")


def subset_means(
    statistics: Sequence[str], scores: np.ndarray, gold: np.ndarray, subsets: np.ndarray
) -> np.ndarray:
    """Means of statistics over subsets of systems, for many resamples.

    Those that a compiled function gives come from it, the others from their own functions.

    Parameters
    ----------
    statistics : sequence of str
        Of the registry; those that read scores.
    scores, gold : ndarray, (resamples, systems)
        Higher is better; `gold` may be (systems,).
    subsets : ndarray of int, (subsets, size)

    Returns
    -------
    ndarray, (resamples, statistics)
        Subsets with constant or undefined scores or gold are left aside; NaN without any other.
    """
    from ..statistics.compiled import subset_means as compiled

    found = np.empty((len(scores), len(statistics)))
    if set(statistics) & set(compiled.STATISTICS):
        together = compiled.mean_correlations(scores, gold, subsets)
    for i, name in enumerate(statistics):
        if name in compiled.STATISTICS:
            found[:, i] = together[:, compiled.STATISTICS.index(name)]
        else:
            found[:, i] = plain_means(STATISTICS[name](), scores, gold, subsets)
    return found


def plain_means(
    statistic: Statistic, scores: np.ndarray, gold: np.ndarray, subsets: np.ndarray
) -> np.ndarray:
    """Means of one statistic by its own function, (resamples,); otherwise as `subset_means`."""
    total, count = np.zeros(len(scores)), np.zeros(len(scores))
    for subset in subsets:
        own, people = scores[:, subset], gold[..., subset]
        values = statistic(own, people)
        kept = defined(own, people) & np.isfinite(values)
        total += np.where(kept, values, 0)
        count += kept
    with np.errstate(invalid="ignore"):
        return total / count


def top_scores(
    scored: list[tuple[str, np.ndarray, Scores]], systems: list[str], lower_is_better: set[str]
) -> pd.DataFrame:
    """Scores of the K best systems by gold, for every K from 3, as scored among themselves.

    Parameters
    ----------
    scored : list of (kind, index, scores)
        As for `correlate_subsets`.
    systems : list of str
    lower_is_better : set of str
        Metrics whose own scores are the negative ones.

    Returns
    -------
    DataFrame
        metric, weighting, size, system, score; the best system first.
    """
    import pandas as pd

    rows = [
        (*label, index.size, systems[system], -value if label[0] in lower_is_better else value)
        for kind, index, found in scored
        if kind == "top"
        for label, scores in found.items()
        for system, value in zip(index[0], scores[0], strict=True)
    ]
    return pd.DataFrame(rows, columns=["metric", "weighting", "size", "system", "score"])


def best_first(
    found: EvaluationSet, scores: pd.DataFrame, types: dict[str, str]
) -> tuple[str, np.ndarray]:
    """What systems are ordered by, and their indices, the best first: human scores, or without any
    the first metric that has scores.

    Parameters
    ----------
    found : EvaluationSet
    scores : DataFrame
        As in `system_scores.csv`.
    types : dict of str to str
        Of the metrics.
    """
    if found.gold:
        return "human score", best_systems(found.gold)
    scores = scores[scores.weighting == "standard"]
    if scores.empty:
        return "name", np.arange(len(found.systems))
    metric = scores.metric.iloc[0]
    values = scores[scores.metric == metric].set_index("system").score[found.systems]
    sign = 1 if METRICS[types[metric]].higher_is_better else -1
    return metric, best_systems(sign * values.to_numpy())
