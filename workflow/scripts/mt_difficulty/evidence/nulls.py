"""Null distributions of a weighting's gain: what keeps everything but the difficulty's information,
with parameters that are searched again where the value's own were searched on the same gold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import numpy as np

from ..statistics.pearson import Pearson
from ..weighting.base import WeightedMetric, combine
from .kernels import group_sums
from .subsets import correlate
from .surface import W, thresholds

Key = TypeVar("Key")

NULLS = {
    "shuffled": "Difficulties of hypotheses are permuted within each system separately; those of "
    "segments with the same permutation for all systems. The parameters do not change.",
    "permuted": "Difficulties are permuted at random: over segments with the same permutation for "
    "all systems, over tokens in the whole set. The parameters do not change.",
    "retuned": "Difficulties are permuted with the same permutation for all systems, then h and w "
    "are searched again: the point of highest Pearson's r on all systems of the set, over the same "
    "grid of quantiles and w.",
    "permuted_length": "Difficulties are permuted within deciles of source length, with the same "
    "permutation of segments for all systems. The parameters do not change.",
    "constant": "Every token has the mean difficulty. (For a difficulty of segments this is the "
    "unweighted metric, which has no row.)",
    "random_subset": "The unweighted metric on a random subset of segments, the same for all "
    "systems, drawn without replacement. Its size is Kish's effective number of segments, averaged "
    "over systems.",
    "swapped": "Weights of easy and difficult segments are exchanged: w and 1 − w for two groups; "
    "for one group the easiest segment gets the weight of the hardest, and so on; a token's "
    "difficulty d becomes 1 − d.",
    "random": "Normally distributed random scores of systems instead of the metric's.",
}
# Of weightings of tokens: the same with the other weight of tokens that the reference lacks.
OTHER_UNSEEN = {
    "real": "The real difficulties",
    "constant": "A constant difficulty",
    "permuted": "Permuted difficulties",
}
NULLS |= {
    f"{null}_unseen_{unseen}": f"{text}, with `unseen: {unseen}`."
    for null, text in OTHER_UNSEEN.items()
    for unseen in ("one", "reference")
}
DECILES = 10
# Draws of `retuned` that are held at a time.
BLOCK = 16


def permutations(
    segments: int, draws: int, rng: np.random.Generator, groups: np.ndarray | None = None
) -> np.ndarray:
    """Random orders of places.

    Parameters
    ----------
    segments, draws : int
    rng : numpy.random.Generator
    groups : ndarray of int, (segments,), optional
        Places change within each group only.

    Returns
    -------
    ndarray of int, (draws, segments)
    """
    places = np.tile(np.arange(segments, dtype=np.int32), (draws, 1))
    for group in [slice(None)] if groups is None else [groups == g for g in np.unique(groups)]:
        places[:, group] = rng.permuted(places[:, group], axis=1)
    return places


def length_deciles(lengths: np.ndarray) -> np.ndarray:
    """Ten groups of equal size (but for one segment) by ascending length, (segments,) to the same,
    0 to 9; of equal lengths the earlier segment is the shorter one."""
    ranks = np.empty(len(lengths), dtype=int)
    ranks[np.argsort(lengths, kind="stable")] = np.arange(len(lengths))
    return ranks * DECILES // max(len(lengths), 1)


def permuted_quality(
    weighteds: Mapping[Key, WeightedMetric], places: np.ndarray
) -> dict[Key, np.ndarray]:
    """Scores when the weights of segments change places alike for all systems.

    Parameters
    ----------
    weighteds : dict to WeightedMetric
        Of the same systems and segments. Those that share weights cost one gathering of these.
    places : ndarray of int, (draws, segments)
        From `permutations`: segment i gets the weights of segment places[i].

    Returns
    -------
    dict to ndarray, (draws, systems)
        Higher is better; NaN for a system of which a weighted group is empty.
    """
    found: dict[Key, np.ndarray] = {}
    for keys in _sharing_weights(weighteds):
        columns = [weighteds[key].unweighted().columns[:, :, 0] for key in keys]
        together = np.concatenate(columns, axis=-1)
        sums = _moved_sums(together, weighteds[keys[0]].weights, places)
        ends = np.cumsum([own.shape[-1] for own in columns])[:-1]
        for key, own in zip(keys, np.split(sums, ends, axis=-1), strict=True):
            found[key] = weighteds[key].quality(own)
    return {key: found[key] for key in weighteds}


def shuffled_quality(
    weighteds: Mapping[Key, WeightedMetric], draws: int, rng: np.random.Generator
) -> dict[Key, np.ndarray]:
    """Scores when the weights of segments change places within each system on its own: for weights
    in groups, when these are drawn at random, sizes kept (Liu et al. 2022, Table 4, "w/o
    entropy"). Parameters, shapes and NaN are those of `permuted_quality`."""
    systems, segments = 0, 0
    for one in weighteds.values():  # all of the same systems and segments
        systems, segments = one.statistics.shape[:2]
    found = {key: np.empty((draws, systems)) for key in weighteds}
    places = permutations(segments, draws, rng)
    for system in range(systems):
        places = places if system == 0 else rng.permuted(places, axis=1)
        own = {key: one.select(slice(system, system + 1)) for key, one in weighteds.items()}
        for key, scores in permuted_quality(own, places).items():
            found[key][:, system] = scores[:, 0]
    return found


def _sharing_weights(weighteds: Mapping[Key, WeightedMetric]) -> list[list[Key]]:
    """The keys, those of the same weights together."""
    parts: list[list[Key]] = []
    for key, one in weighteds.items():
        alike = (part for part in parts if _same(weighteds[part[0]].weights, one.weights))
        if (part := next(alike, None)) is None:
            parts.append([key])
        else:
            part.append(key)
    return parts


def _same(one: np.ndarray | None, other: np.ndarray | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other)


def _moved_sums(columns: np.ndarray, weights: np.ndarray | None, places: np.ndarray) -> np.ndarray:
    """Weighted sums of columns, (draws, systems, groups, columns)."""
    if weights is None:
        weights = np.ones((*columns.shape[:2], 1))
    sums = np.empty((len(places), len(columns), weights.shape[2], columns.shape[2]))
    # Of groups that share out the segments, the first is what the others leave.
    shared_out = weights.shape[2] > 1 and bool((weights.sum(axis=2) == 1).all())
    for system, own in enumerate(weights):
        for group in range(int(shared_out), own.shape[1]):
            weight = np.ascontiguousarray(own[:, group])
            sums[:, system, group] = weight[places] @ columns[system]
        if shared_out:
            sums[:, system, 0] = columns[system].sum(axis=0) - sums[:, system, 1:].sum(axis=1)
    return sums


def effective_size(weighted: WeightedMetric) -> int:
    """Kish's effective number of segments, averaged over systems and rounded; at least 1, 0 where
    it is undefined."""
    mean = weighted.effective_segments().mean()
    return 0 if np.isnan(mean) else max(1, round(float(mean)))


def subset_quality(
    plains: Mapping[Key, WeightedMetric], size: int, draws: int, rng: np.random.Generator
) -> dict[Key, np.ndarray]:
    """Scores on random subsets of segments, the same for all systems and metrics.

    Parameters
    ----------
    plains : dict to WeightedMetric
        Unweighted metrics of the same segments.
    size : int
        Segments of a subset, drawn without replacement.
    draws : int
    rng : numpy.random.Generator

    Returns
    -------
    dict to ndarray, (draws, systems)
        Higher is better.
    """
    found: dict[Key, np.ndarray] = {}
    inside: np.ndarray | None = None
    for key, one in plains.items():
        if inside is None:
            places = permutations(one.statistics.shape[1], draws, rng)
            inside = (places < size).astype(float)
        columns = np.moveaxis(one.columns, 1, 0)
        sums = inside @ columns.reshape(len(columns), -1)
        found[key] = one.quality(sums.reshape(draws, *columns.shape[1:]))
    return found


def retuned(
    plain: WeightedMetric, difficulty: np.ndarray, gold: np.ndarray, places: np.ndarray
) -> np.ndarray:
    """Correlations of EE with permuted difficulties whose h and w are searched on the same gold.

    Parameters are those of `retuned_quality`.

    Returns
    -------
    ndarray, (draws, 3)
        The highest Pearson r of the grid, and Kendall's τ-b and Spearman's ρ at its point, in
        [-1, 1]; NaN where no point of the grid is defined.
    """
    return np.stack(correlate(retuned_quality(plain, difficulty, gold, places), gold), axis=-1)


def retuned_quality(
    plain: WeightedMetric, difficulty: np.ndarray, gold: np.ndarray, places: np.ndarray
) -> np.ndarray:
    """Scores in two groups of segments by permuted difficulties, at the h and w of the highest
    Pearson r over the grid of `surface` (Liu et al. 2022, 5.1, searched likewise).

    Parameters
    ----------
    plain : WeightedMetric
        The unweighted metric.
    difficulty : ndarray, (systems, segments)
        May be infinite.
    gold : ndarray, (systems,)
    places : ndarray of int, (draws, segments)
        From `permutations`: segment i gets the difficulties of segment places[i].

    Returns
    -------
    ndarray, (draws, systems)
        Higher is better; NaN where no point of the grid is defined. The grid contains the plain
        metric (the quantile 0, w = 0), so that r is never below its r.
    """
    columns = np.ascontiguousarray(plain.columns[:, :, 0])
    # A permutation keeps the quantiles of all difficulties, and so the thresholds.
    ascending = thresholds(difficulty)
    bins = np.searchsorted(ascending, difficulty, side="right")
    found = np.full((len(places), len(columns)), np.nan)
    for start in range(0, len(places), BLOCK):
        block = places[start : start + BLOCK]
        sums = np.empty((len(block), len(ascending), len(columns), 2, columns.shape[2]))
        group_sums(columns, bins, block, sums)
        scores = _balanced(plain, sums)
        r = Pearson()(scores, gold)
        best = np.argmax(np.where(np.isnan(r), -np.inf, r), axis=1)
        every = np.arange(len(block))
        defined = ~np.isnan(r[every, best])
        found[start : start + BLOCK][defined] = scores[every, best][defined]
    return found


def _balanced(plain: WeightedMetric, sums: np.ndarray) -> np.ndarray:
    """Scores at every threshold and w, (draws, thresholds · w, systems), in the grid's order."""
    groups = plain.sign * plain.aggregate(sums[..., :-1], sums[..., -1])
    scores = np.stack([combine(groups, np.array([w, 1 - w])) for w in W], axis=2)
    return scores.reshape(len(sums), -1, sums.shape[2])
