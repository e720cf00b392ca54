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
LISTED, BY_DEVIATION = "without outliers", "without outliers (MAD)"
# Factor from MAD to a normal standard deviation; outliers are further than FURTHEST of these.
SCALE, FURTHEST = 1.483, 2.5
# Arrays of Pearson's r, Kendall's τ-b and Spearman's ρ; NaN where a variable is constant.
Correlations = namedtuple("Correlations", "pearson kendall spearman")
CORRELATIONS = Correlations._fields


def correlate(scores: ArrayLike, gold: ArrayLike) -> Correlations:
    """Correlate scores with gold over the last axis, (..., systems) each; for both, higher is
    better. NaN where scores or gold are constant or NaN."""
    return Correlations(*(statistic()(scores, gold) for statistic in (Pearson, Kendall, Spearman)))


def row_label(row: Mapping[str, Any]) -> str:
    """Return a row's label: "weighting-metric", or the metric alone if it is unweighted."""
    plain = row["weighting"] == "standard"
    return row["metric"] if plain else f"{row['weighting']}-{row['metric']}"


def best_systems(gold: ArrayLike, count: int | None = None) -> np.ndarray:
    """Return indices of systems, best human score first; only the first `count` if it is given."""
    return np.argsort(-np.asarray(gold), kind="stable")[:count]


def random_subsets(systems: int, size: int, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Draw random subsets of `size` systems, (draws, size): ascending, distinct system indices."""
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
    """Return the subsets of systems for which statistics are computed: all systems, the K best by
    human score for every K from 3, `draws` random subsets of each of `sizes`, and without outliers;
    none without human scores."""
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

    means, spreads, top = [], [], []
    for label, index, left_out in subsets:
        subset_gold, size, of_keys = gold[index], index.shape[1], scores.quality(index)
        every = np.array([*of_keys.values()]).reshape(-1, *index.shape)
        evaluated, whole = evaluate(statistics, every, subset_gold), defined(every, subset_gold)
        for i, ((metric, weighting), quality) in enumerate(of_keys.items()):
            values = evaluated[i, whole[i]]
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
        return "all systems have the same score" if constant(quality).any() else UNDEFINED
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
    """Return the statistics of a subset of systems in `correlations.csv`, (statistics,), by metric
    and weighting."""
    rows = correlations[(correlations.subset == subset) & (correlations["size"] == size)]
    keys = zip(rows.metric, rows.weighting, strict=True)
    return dict(zip(keys, rows[[*statistics]].to_numpy(float), strict=True))


def subset_means(
    statistics: Sequence[str], scores: np.ndarray, gold: np.ndarray, subsets: np.ndarray
) -> np.ndarray:
    """Average statistics over subsets of systems, (subsets, size) of int, on every resample:
    (resamples, statistics). Scores and gold are (resamples, systems), higher is better; gold may be
    (systems,). Subsets with constant or undefined scores or gold are skipped; NaN if none remains.
    Compiled functions are used where available."""
    from ..compiled import samples as compiled

    means = np.empty((len(scores), len(statistics)))
    if set(statistics) & set(compiled.STATISTICS):
        together = compiled.mean_correlations(scores, gold, subsets)
    for i, name in enumerate(statistics):
        if name in compiled.STATISTICS:
            means[:, i] = together[:, compiled.STATISTICS.index(name)]
            continue
        total, count = np.zeros((2, len(scores)))
        for subset in subsets:
            chosen, subset_gold = scores[:, subset], gold[..., subset]
            values = STATISTICS[name]()(chosen, subset_gold)
            known = defined(chosen, subset_gold) & np.isfinite(values)
            total += np.where(known, values, 0)
            count += known
        with np.errstate(invalid="ignore"):
            means[:, i] = total / count
    return means


def best_first(
    evalset: EvaluationSet, scores: pd.DataFrame, types: dict[str, str]
) -> tuple[str, np.ndarray]:
    """Order systems, best first: the criterion's name and the indices. The criterion is the human
    score, else the first metric of `scores` (`system_scores.csv`); `types` has types of metrics."""
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
    """Yield subsets of systems without outliers: label, indices of the remaining systems, and names
    of the outliers: those that the archive lists (LISTED), or with |score − median| > 2.5 · 1.483 ·
    median |score − median| (BY_DEVIATION; Mathur et al. 2020). Omits subsets that lack outliers or
    leave fewer than three systems, and BY_DEVIATION if the MAD is 0."""
    distance = np.abs(gold - np.median(gold))
    furthest = FURTHEST * SCALE * np.median(distance)
    by_deviation = (distance > furthest) & (furthest > 0)
    for subset, outlying in ((LISTED, np.isin(systems, [*listed])), (BY_DEVIATION, by_deviation)):
        chosen = np.flatnonzero(~outlying)
        if outlying.any() and len(chosen) >= 3:
            yield subset, chosen, ", ".join(np.array(systems)[outlying].tolist())
