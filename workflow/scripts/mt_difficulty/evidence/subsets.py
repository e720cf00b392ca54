"""Correlate metric scores with human scores of systems, over all systems and over subsets."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..metrics import METRICS
from ..statistics import STATISTICS, evaluate
from ..statistics.base import constant, defined
from ..statistics.kendall import Kendall
from ..statistics.pearson import Pearson
from ..statistics.spearman import Spearman
from ..tables import TABLES

if TYPE_CHECKING:
    import pandas as pd

    from ..data.evalset import EvaluationSet
    from ..scores import ScoredSet

UNDEFINED = "the correlation is undefined"
LISTED = "without outliers"
BY_DEVIATION = "without outliers (MAD)"
# Factor from MAD to a normal standard deviation.
SCALE = 1.483
# Outliers are more than this number of standard deviations from the median.
FURTHEST = 2.5
# Arrays of Pearson's r, Kendall's τ-b and Spearman's ρ; NaN where a variable is constant.
Correlations = namedtuple("Correlations", "pearson kendall spearman")
CORRELATIONS = Correlations._fields


def correlate(scores: ArrayLike, gold: ArrayLike) -> Correlations:
    """Correlate scores with gold over the last axis, (..., systems) each; for both, higher is
    better. NaN where scores or gold are constant or NaN."""
    return Correlations(
        pearson=Pearson()(scores, gold),
        kendall=Kendall()(scores, gold),
        spearman=Spearman()(scores, gold),
    )


def row_label(row: Mapping[str, Any]) -> str:
    """Return a row's label: "weighting-metric", or the metric alone if it is unweighted."""
    plain = row["weighting"] == "standard"
    return row["metric"] if plain else f"{row['weighting']}-{row['metric']}"


def best_systems(gold: ArrayLike, count: int | None = None) -> np.ndarray:
    """Return indices of systems, best human score first; only the first `count` if it is given."""
    return np.argsort(-np.asarray(gold), kind="stable")[:count]


def random_subsets(systems: int, size: int, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Draw random subsets of systems.

    Parameters
    ----------
    systems : int
        Number of systems.
    size : int
        Number of systems in a subset.
    draws : int
        Number of subsets.
    rng : Generator

    Returns
    -------
    ndarray
        (draws, size): ascending, distinct system indices.
    """
    return np.sort(rng.random((draws, systems)).argsort(axis=1)[:, :size], axis=1)


class SystemSubsets(NamedTuple):
    """Subsets of the systems of a set, of one kind and size.

    Attributes
    ----------
    label : str
        all, top, random, or one of the kinds without outliers.
    systems : ndarray
        (subsets, size), indices of systems.
    left_out : str
        Names of the outliers that are left out.
    """

    label: str
    systems: np.ndarray
    left_out: str = ""


def system_subsets(
    evalset: EvaluationSet, sizes: Sequence[int], draws: int, seed: int
) -> list[SystemSubsets]:
    """Return the subsets of systems for which statistics are computed.

    Parameters
    ----------
    evalset : EvaluationSet
    sizes : sequence of int
        Sizes of random subsets; those above the number of systems are ignored.
    draws : int
        Number of random subsets of each size.
    seed : int

    Returns
    -------
    list of SystemSubsets
        All systems, the K best by human score for every K from 3, random subsets, and the systems
        without outliers; empty without human scores.
    """
    gold = np.array(evalset.gold)
    if not len(gold):
        return []
    subsets = [SystemSubsets("all", np.arange(len(gold))[None])]
    for count in range(len(gold), 2, -1):
        subsets.append(SystemSubsets("top", best_systems(gold, count)[None]))
    rng = np.random.default_rng(seed)
    for size in sizes:
        if size <= len(gold):
            subsets.append(SystemSubsets("random", random_subsets(len(gold), size, draws, rng)))
    for label, chosen, left_out in without_outliers(evalset.systems, gold, evalset.outliers):
        subsets.append(SystemSubsets(label, chosen[None], left_out))
    return subsets


def correlation_tables(
    scores: ScoredSet,
    gold: np.ndarray,
    statistics: Sequence[str],
    subsets: Sequence[SystemSubsets],
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Compute statistics of system scores for each metric and weighting over subsets of systems.

    Every other table that has these statistics takes them from here (`observed_values`).

    Parameters
    ----------
    scores : ScoredSet
    gold : ndarray
        Human scores, (systems,), higher is better.
    statistics : sequence of str
        Names of statistics of system scores.
    subsets : sequence of SystemSubsets
        As of `system_subsets`.

    Returns
    -------
    tuple of DataFrame
        `correlations.csv`; `correlation_spread.csv`, the standard deviation over the draws where a
        statistic is defined; and `top_scores.csv`, scores of the K best systems, computed without
        the other systems.
    """
    import pandas as pd

    means = []
    spreads = []
    top = []
    for label, index, left_out in subsets:
        subset_gold = gold[index]
        size = index.shape[1]
        qualities = scores.quality(index)
        every = np.array(list(qualities.values())).reshape(-1, *index.shape)
        evaluated = evaluate(statistics, every, subset_gold)
        is_defined = defined(every, subset_gold)
        for i, ((metric, weighting), quality) in enumerate(qualities.items()):
            values = evaluated[i, is_defined[i]]
            head = [metric, weighting, label, size, len(values)]
            reason = _why_undefined(statistics, values, quality, subset_gold)
            mean, spread = _mean_and_spread(values)
            means.append([*head, *mean, reason, left_out])
            spreads.append([*head, *spread, left_out])
            if label == "top":
                sign = scores.plain[metric].sign
                for system, value in zip(index[0], quality[0], strict=True):
                    top.append([metric, weighting, size, scores.systems[system], sign * value])
    # The difficulty is added later (`with_difficulty`).
    columns = {
        name: TABLES[name].names(statistics, without=["difficulty"])
        for name in ("correlations.csv", "correlation_spread.csv", "top_scores.csv")
    }
    return (
        pd.DataFrame(means, columns=columns["correlations.csv"]),
        pd.DataFrame(spreads, columns=columns["correlation_spread.csv"]),
        pd.DataFrame(top, columns=columns["top_scores.csv"]),
    )


def _mean_and_spread(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and standard deviation over draws, (statistics,), of `values`, (draws,
    statistics), where they are defined."""
    known = np.isfinite(values)
    counts = known.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(known, values, 0).sum(axis=0) / counts
        squares = np.where(known, np.square(values - mean), 0).sum(axis=0)
        spread = np.sqrt(squares / np.where(counts > 1, counts - 1, np.nan))
    return mean, spread


def _why_undefined(
    statistics: Sequence[str], values: np.ndarray, quality: np.ndarray, gold: np.ndarray
) -> str:
    """Return why statistics are undefined, in all or in some draws; empty if they are defined.

    `values` are those of draws without constant or missing scores, (draws, statistics); `quality`
    and `gold` are scores of all draws, (draws, systems).
    """
    total = len(values)
    if not total:
        if np.isnan(quality).any():
            return "a system has no score"
        if constant(gold).any():
            return "all human scores are equal"
        if constant(quality).any():
            return "all systems have the same score"
        return UNDEFINED
    counts = np.isfinite(values).sum(axis=0)
    partly = [
        f"{name} in {total - count} of {total} draws"
        for name, count in zip(statistics, counts, strict=True)
        if count < total
    ]
    return f"undefined: {', '.join(partly)}" if partly else ""


def observed_values(
    correlations: pd.DataFrame, statistics: Sequence[str], subset: str, size: int
) -> dict[tuple[str, str], np.ndarray]:
    """Look up the statistics of a subset of systems in `correlations.csv`.

    Parameters
    ----------
    correlations : DataFrame
        `correlations.csv`.
    statistics : sequence of str
        Names of statistics of system scores.
    subset : str
        Kind of subset, such as "top".
    size : int
        Number of systems in the subset.

    Returns
    -------
    dict of (metric, weighting) to ndarray
        (statistics,) by metric and weighting.
    """
    rows = correlations[(correlations.subset == subset) & (correlations["size"] == size)]
    keys = zip(rows.metric, rows.weighting, strict=True)
    return dict(zip(keys, rows[[*statistics]].to_numpy(float), strict=True))


def subset_means(
    statistics: Sequence[str], scores: np.ndarray, gold: np.ndarray, subsets: np.ndarray
) -> np.ndarray:
    """Average statistics over subsets of systems, on every resample.

    Compiled functions are used where available.

    Parameters
    ----------
    statistics : sequence of str
        Names of statistics of system scores.
    scores : ndarray
        (resamples, systems), higher is better.
    gold : ndarray
        Human scores, (resamples, systems) or (systems,), higher is better.
    subsets : ndarray
        Indices of systems, (subsets, size).

    Returns
    -------
    ndarray
        (resamples, statistics). Subsets with constant or undefined scores or human scores are
        skipped; NaN if none remains.
    """
    from ..compiled import samples as compiled

    means = np.empty((len(scores), len(statistics)))
    if set(statistics) & set(compiled.STATISTICS):
        compiled_means = compiled.mean_correlations(scores, gold, subsets)
    for i, name in enumerate(statistics):
        if name in compiled.STATISTICS:
            means[:, i] = compiled_means[:, compiled.STATISTICS.index(name)]
            continue
        total = np.zeros(len(scores))
        count = np.zeros(len(scores))
        for subset in subsets:
            subset_scores = scores[:, subset]
            subset_gold = gold[..., subset]
            values = STATISTICS[name]()(subset_scores, subset_gold)
            known = defined(subset_scores, subset_gold) & np.isfinite(values)
            total += np.where(known, values, 0)
            count += known
        with np.errstate(invalid="ignore"):
            means[:, i] = total / count
    return means


def best_first(
    evalset: EvaluationSet, scores: pd.DataFrame, types: dict[str, str]
) -> tuple[str, np.ndarray]:
    """Order systems, best first, by human score or else by the first metric.

    Parameters
    ----------
    evalset : EvaluationSet
    scores : DataFrame
        `system_scores.csv`.
    types : dict of str
        Types of metrics by name.

    Returns
    -------
    tuple of str and ndarray
        Name of the criterion, and indices of systems.
    """
    if evalset.gold:
        return "human score", best_systems(evalset.gold)
    scores = scores[scores.weighting == "standard"]
    if scores.empty:
        return "name", np.arange(len(evalset.systems))
    metric = scores.metric.iloc[0]
    values = scores[scores.metric == metric].set_index("system").score[evalset.systems]
    sign = 1 if METRICS[types[metric]].higher_is_better else -1
    return metric, best_systems(sign * values.to_numpy())


def without_outliers(
    systems: Sequence[str], gold: np.ndarray, listed: Collection[str]
) -> Iterator[tuple[str, np.ndarray, str]]:
    """Yield subsets of systems without outliers.

    Parameters
    ----------
    systems : sequence of str
        Names of the systems.
    gold : ndarray
        Human scores, (systems,).
    listed : collection of str
        Outliers that the archive lists.

    Yields
    ------
    label : str
        LISTED for the listed outliers; BY_DEVIATION for systems with |score − median| > 2.5 · 1.483
        · median |score − median| (Mathur et al. 2020).
    index : ndarray
        Indices of the remaining systems.
    left_out : str
        Names of the outliers.

    Notes
    -----
    Omits subsets that lack outliers or leave fewer than three systems, and BY_DEVIATION if the MAD
    is 0.
    """
    distance = np.abs(gold - np.median(gold))
    furthest = FURTHEST * SCALE * np.median(distance)
    by_deviation = (distance > furthest) & (furthest > 0)
    by_list = np.isin(systems, list(listed))
    for label, is_outlier in ((LISTED, by_list), (BY_DEVIATION, by_deviation)):
        remaining = np.flatnonzero(~is_outlier)
        if is_outlier.any() and len(remaining) >= 3:
            yield label, remaining, ", ".join(np.array(systems)[is_outlier].tolist())
