"""Correlate metric scores with human scores of systems, over all systems and over subsets."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..metrics import METRICS
from ..statistics import STATISTICS, evaluate
from ..statistics.base import constant, defined
from ..statistics.kendall import Kendall
from ..statistics.pearson import Pearson
from ..statistics.spearman import Spearman

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
    """Return a row's label; without one, "weighting-metric", or the metric alone if unweighted."""
    plain = row.get("weighting") == "standard"
    return row.get("label") or (row["metric"] if plain else f"{row['weighting']}-{row['metric']}")


def best_systems(gold: ArrayLike, count: int | None = None) -> np.ndarray:
    """Return indices of systems, best human score first; only the first `count` if it is given."""
    return np.argsort(-np.asarray(gold), kind="stable")[:count]


def random_subsets(systems: int, size: int, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Draw random subsets of `size` systems, (draws, size): ascending, distinct system indices."""
    return np.sort(rng.random((draws, systems)).argsort(axis=1)[:, :size], axis=1)


def correlate_set(
    scores: ScoredSet,
    evalset: EvaluationSet | None,
    statistics: Sequence[str],
    sizes: Sequence[int],
    draws: int,
    seed: int,
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Compute statistics of system scores for each metric and weighting over all systems, the best
    ones by gold, `draws` random subsets of each of `sizes`, and without outliers; no rows without
    human scores. Returns `correlations.csv` and `correlation_spread.csv`, mean and standard
    deviation of every statistic over the draws where it is defined, and `top_scores.csv`, scores of
    the K best systems for every K from 3, computed without the other systems."""
    import pandas as pd

    gold = np.array(evalset.gold if evalset else [])
    groups = [("all", np.arange(len(gold))[None], "")] if evalset else []
    groups += [("top", best_systems(gold, k)[None], "") for k in range(len(gold), 2, -1)]
    rng = np.random.default_rng(seed)
    for size in [size for size in sizes if size <= len(gold)]:
        groups.append(("random", random_subsets(len(gold), size, draws, rng), ""))
    if evalset:
        for subset, chosen, left_out in without_outliers(evalset.systems, gold, evalset.outliers):
            groups.append((subset, chosen[None], left_out))
    means, spreads, top = [], [], []
    for subset, index, left_out in groups:
        subset_gold, size, of_keys = gold[index], index.shape[1], scores.quality(index)
        every = np.array([*of_keys.values()]).reshape(-1, *index.shape)
        evaluated, whole = evaluate(statistics, every, subset_gold), defined(every, subset_gold)
        for i, ((metric, weighting), quality) in enumerate(of_keys.items()):
            values = evaluated[i, whole[i]]
            known, total = np.isfinite(values), len(values)
            counts = known.sum(axis=0)
            head = [metric, weighting, subset, size, total]
            absent = [(x, total - n) for x, n in zip(statistics, counts, strict=True) if n < total]
            partly = [f"{name} in {n} of {total} draws" for name, n in absent]
            reason = f"undefined: {', '.join(partly)}" * bool(partly)
            if not total and np.isnan(quality).any():
                reason = "a system has no score"
            elif not total and constant(subset_gold).any():
                reason = "all human scores are equal"
            elif not total:
                same = constant(quality).any()
                reason = "all systems have the same score" if same else UNDEFINED
            with np.errstate(invalid="ignore", divide="ignore"):
                mean = np.where(known, values, 0).sum(axis=0) / counts
                squares = np.where(known, np.square(values - mean), 0).sum(axis=0)
                spread = np.sqrt(squares / np.where(counts > 1, counts - 1, np.nan))
            means.append([*head, *mean, reason, left_out])
            spreads.append([*head, *spread, left_out])
            if subset == "top":
                sign = scores.plain[metric].sign
                for system, value in zip(index[0], quality[0], strict=True):
                    top.append([metric, weighting, size, scores.systems[system], sign * value])
    columns = ["metric", "weighting", "subset", "size", "draws", *statistics]
    return (
        pd.DataFrame(means, columns=[*columns, "reason", "left_out"]),
        pd.DataFrame(spreads, columns=[*columns, "left_out"]),
        pd.DataFrame(top, columns=["metric", "weighting", "size", "system", "score"]),
    )


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
