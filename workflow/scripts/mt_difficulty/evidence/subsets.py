"""Correlations of system scores with human scores: over all systems, subsets of them, and without
outliers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..metrics import METRICS
from ..statistics import STATISTICS, evaluate
from ..statistics.base import Statistic, constant, defined
from ..statistics.kendall import Kendall
from ..statistics.pearson import Pearson
from ..statistics.spearman import Spearman

if TYPE_CHECKING:
    import pandas as pd

    from ..data.evalset import EvaluationSet

# By metric and weighting, (subsets, size).
Scores = dict[tuple[str, str], np.ndarray]
UNDEFINED = "the correlation is undefined"
LISTED, BY_DEVIATION = "without outliers", "without outliers (MAD)"
# Scales the MAD to a normal distribution's standard deviation, and how many of them are too far.
SCALE, FURTHEST = 1.483, 2.5


class Correlations(NamedTuple):
    """Pearson r, Kendall τ-b and Spearman ρ, in [-1, 1]; NaN where one side is constant."""

    pearson: np.ndarray
    kendall: np.ndarray
    spearman: np.ndarray


CORRELATIONS = Correlations._fields


def correlate(scores: ArrayLike, gold: ArrayLike) -> Correlations:
    """Correlate scores with gold over the last axis, (..., systems) each; for both, higher is
    better. NaN where scores or gold are constant or NaN."""
    return Correlations(*(statistic()(scores, gold) for statistic in (Pearson, Kendall, Spearman)))


def row_label(row: Mapping[str, Any]) -> str:
    """A row's own label, or `EE-BLEU` for the EE weighting of BLEU, `BLEU` for the standard one."""
    if "label" in row:
        return row["label"]
    if row["weighting"] == "standard":
        return row["metric"]
    return f"{row['weighting']}-{row['metric']}"


def best_systems(gold: ArrayLike, count: int | None = None) -> np.ndarray:
    """Indices of the `count` best systems by gold (all), best first; ties in given order."""
    return np.argsort(-np.asarray(gold), kind="stable")[:count]


def random_subsets(systems: int, size: int, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Random subsets of systems without replacement, (draws, size), each in ascending order."""
    return np.sort(rng.random((draws, systems)).argsort(axis=1)[:, :size], axis=1)


def system_subsets(
    gold: np.ndarray, sizes: list[int], draws: int, rng: np.random.Generator
) -> list[tuple[str, np.ndarray]]:
    """All systems, the K best ones by gold for K = n … 3, and random subsets.

    Parameters
    ----------
    gold : ndarray, (systems,)
    sizes : list of int
        Of random subsets; those beyond the number of systems are left out.
    draws : int
    rng : numpy.random.Generator

    Returns
    -------
    list of (kind, index)
        The kind is all, top (best system first) or random; the index is of int, (subsets, size).
    """
    groups = [("all", np.arange(len(gold))[None])]
    groups += [("top", best_systems(gold, k)[None]) for k in range(len(gold), 2, -1)]
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
            reason = "" if len(kept) else _why(scores, people)
            absent = zip(statistics, np.isnan(kept).sum(axis=0), strict=True)
            if partly := [f"{name} in {n} of {len(kept)} draws" for name, n in absent if n]:
                reason = f"undefined: {', '.join(partly)}"
            means.append([*head, *mean, reason])
            spreads.append([*head, *deviation])
    columns = ["metric", "weighting", "subset", "size", "draws", *statistics]
    spread = pd.DataFrame(spreads, columns=columns)
    return pd.DataFrame(means, columns=[*columns, "reason"]), spread


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
    if np.isnan(scores).any():
        return "a system has no score"
    if constant(gold).any():
        return "all human scores are equal"
    return "all systems have the same score" if constant(scores).any() else UNDEFINED


def subset_means(
    statistics: Sequence[str], scores: np.ndarray, gold: np.ndarray, subsets: np.ndarray
) -> np.ndarray:
    """Means of statistics over subsets of systems, for many resamples. Those that a compiled
    function gives come from it, the others from their own functions.

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
    """Scores of the K best systems by gold, for every K from 3, as scored among themselves: metric,
    weighting, size, system, score; the best system first. `scored` is as for `correlate_subsets`;
    of metrics in `lower_is_better` the scores are the negative ones."""
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
    the first metric that has scores in `system_scores.csv`; `types` are those of the metrics."""
    if found.gold:
        return "human score", best_systems(found.gold)
    scores = scores[scores.weighting == "standard"]
    if scores.empty:
        return "name", np.arange(len(found.systems))
    metric = scores.metric.iloc[0]
    values = scores[scores.metric == metric].set_index("system").score[found.systems]
    sign = 1 if METRICS[types[metric]].higher_is_better else -1
    return metric, best_systems(sign * values.to_numpy())


def deviates(gold: np.ndarray) -> np.ndarray:
    """Where |score − median| > 2.5 MAD, MAD = 1.483 · median |score − median|, (systems,) of bool
    (the WMT metrics task of 2020, Mathur et al. 2020).

    Nothing deviates where the MAD is 0: more than half of the systems have the same score.
    """
    distance = np.abs(gold - np.median(gold))
    mad = SCALE * np.median(distance)
    return distance > FURTHEST * mad if mad else np.zeros(len(gold), dtype=bool)


def without_outliers(
    systems: Sequence[str], gold: np.ndarray, listed: Collection[str]
) -> Iterator[tuple[str, np.ndarray, str]]:
    """The systems without those that the archive lists as outliers, and without those that deviate:
    LISTED or BY_DEVIATION, the indices of those that remain, and the names of the others. Nothing
    where there are none, or fewer than three others."""
    for subset, outlying in (
        (LISTED, np.isin(systems, list(listed))),
        (BY_DEVIATION, deviates(gold)),
    ):
        chosen = np.flatnonzero(~outlying)
        if outlying.any() and len(chosen) >= 3:
            yield subset, chosen, ", ".join(np.array(systems)[outlying].tolist())
