"""Meta-evaluation: system-level correlation of metrics with human scores, vectorised."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    import pandas as pd

STATISTICS = ("pearson", "kendall", "spearman")
# By metric and weighting, (subsets, size).
Scores = dict[tuple[str, str], np.ndarray]


class Correlations(NamedTuple):
    """Pearson r, Kendall τ-b and Spearman ρ, in [-1, 1]; NaN where one side is constant."""

    pearson: np.ndarray
    kendall: np.ndarray
    spearman: np.ndarray


def correlate(scores: ArrayLike, gold: ArrayLike) -> Correlations:
    """Correlate scores with gold over the last axis.

    Parameters
    ----------
    scores, gold : ndarray, (..., systems)
        Broadcast against each other; for both, higher is better.

    Returns
    -------
    Correlations
        Arrays of the leading shape; NaN where scores or gold are constant or NaN.
    """
    from .subset_means import order_products

    scores, gold = np.broadcast_arrays(np.asarray(scores, float), np.asarray(gold, float))
    undefined = np.isnan(scores).any(-1) | np.isnan(gold).any(-1) | _constant(scores, gold)
    scores, gold = np.where(np.isnan(scores), 0, scores), np.where(np.isnan(gold), 0, gold)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        products = [_products(_centred(scores), _centred(gold)), *order_products(scores, gold)]
        values = [xy / np.sqrt(xx * yy) for xy, xx, yy in products]
    # A mean can be too large for a float.
    undefined = [undefined | ~np.isfinite(value) for value in values]
    found = np.where(undefined, np.nan, np.clip(values, -1, 1))
    return Correlations(*(value[()] for value in found))


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


def _centred(values: np.ndarray) -> np.ndarray:
    """Centred, and divided by a power of two so that squares are neither infinite nor 0."""
    centred = values - values.mean(-1, keepdims=True)
    return np.ldexp(centred, -np.frexp(np.abs(centred).max(-1, keepdims=True))[1])


def _products(a: np.ndarray, b: np.ndarray) -> list[np.ndarray]:
    return [(one * other).sum(-1) for one, other in ((a, b), (a, a), (b, b))]


def _constant(*arrays: np.ndarray) -> np.ndarray:
    return np.any([values.max(-1) == values.min(-1) for values in arrays], axis=0)


def row_label(row: Mapping[str, Any]) -> str:
    """A row's own label, or `EE-BLEU` for the EE weighting of BLEU, `BLEU` for the standard one."""
    if "label" in row:
        return row["label"]
    return (
        row["metric"] if row["weighting"] == "standard" else f"{row['weighting']}-{row['metric']}"
    )


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
    scored: list[tuple[str, np.ndarray, Scores]], gold: np.ndarray
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Correlations over subsets of systems.

    Parameters
    ----------
    scored : list of (kind, index, scores)
        Kind and index as from `system_subsets`, with the subsets' scores; higher is better.
    gold : ndarray, (systems,)

    Returns
    -------
    mean, spread : DataFrame
        metric, weighting, subset (all, top, random), size, draws, and per statistic the mean
        and the standard deviation over the draws where it is defined; `draws` counts these.
        `mean` says in `reason` why there are none.
    """
    import pandas as pd

    means, spreads = [], []
    for subset, index, found in scored:
        for label, scores in found.items():
            rows = np.stack(correlate(scores, gold[index]), axis=-1)
            kept = rows[np.isfinite(rows).all(axis=-1)]
            head = [*label, subset, index.shape[1], len(kept)]
            none = [np.nan] * len(STATISTICS)
            values = [*kept.mean(axis=0), ""] if len(kept) else [*none, _why(scores, gold[index])]
            means.append([*head, *values])
            spreads.append([*head, *(kept.std(axis=0, ddof=1) if len(kept) > 1 else none)])
    columns = ["metric", "weighting", "subset", "size", "draws", *STATISTICS]
    spread = pd.DataFrame(spreads, columns=columns)
    return pd.DataFrame(means, columns=[*columns, "reason"]), spread


def _why(scores: np.ndarray, gold: np.ndarray) -> str:
    """The first reason why correlations of some subsets are undefined."""
    reasons = {
        "a system has no score": np.isnan(scores).any(-1),
        "all human scores are equal": _constant(gold),
        "all systems have the same score": _constant(scores),
    }
    found = (reason for reason, there in reasons.items() if there.any())
    return next(found, "the correlation is undefined")


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
