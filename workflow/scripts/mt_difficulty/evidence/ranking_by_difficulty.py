"""Whether people rank systems on difficult segments as on the others, and whether a hypothesis's
own difficulty goes with its human score."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..statistics.pearson import Pearson
from .controls import quantile
from .nulls import permutations
from .resampling import interval

SHARE = 0.1
COLUMNS = [
    *("difficulty", "segments", "hardest", "r", "random_mean", "random_low", "random_high"),
    *("random_quantile", "hypotheses", "within_r", "reason"),
]
NO_RANKING = "a system has no human score on the hardest segments, or all have the same"
ALIKE = "the difficulty is the same for all hypotheses of a segment"


class Ranking(NamedTuple):
    """Human rankings by difficulty.

    Attributes
    ----------
    segments, hardest : int
        Segments with human scores, and how many of them are the hardest ones.
    r : float
        Pearson's r between the systems' mean human scores on the hardest segments and on the rest,
        -1 to 1; NaN where a system has no score on either side.
    random : ndarray, (draws,)
        The same for random subsets of as many segments.
    hypotheses : int
        Those with a human score and a finite difficulty.
    within_r : float
        Pearson's r between difficulty and human score of hypotheses, both as differences to the
        segment's mean, -1 to 1; NaN where no segment has different difficulties.
    """

    segments: int
    hardest: int
    r: float
    random: np.ndarray
    hypotheses: int
    within_r: float


def rank_by_difficulty(
    difficulty: np.ndarray, people: np.ndarray, draws: int, rng: np.random.Generator
) -> Ranking:
    """Compare human rankings on the hardest SHARE of the rated segments, by mean difficulty over
    systems (Liu et al. 2022, Eq. 8), with those on the other rated segments.

    Parameters
    ----------
    difficulty : ndarray, (systems, segments)
        Higher is harder; may be infinite.
    people : ndarray, (systems, segments)
        Human scores; NaN where there is none.
    draws : int
        Random subsets.
    rng : numpy.random.Generator
    """
    rated = np.isfinite(people).any(axis=0)
    difficulty, people = difficulty[:, rated], people[:, rated]
    segments = people.shape[1]
    hardest = max(1, int(SHARE * segments))
    order = np.argsort(-difficulty.mean(axis=0), kind="stable")
    ranks = np.empty((1, segments), dtype=int)
    ranks[0, order] = np.arange(segments)
    r = _agreement(people, ranks < hardest)[0]
    random = _agreement(people, permutations(segments, draws, rng) < hardest)
    return Ranking(segments, hardest, r, random, *within_segments(difficulty, people))


def _agreement(people: np.ndarray, inside: np.ndarray) -> np.ndarray:
    """Pearson's r between systems' mean scores on some segments, (draws, segments) of bool, and on
    the others; (draws,)."""
    there = np.isfinite(people)
    scores, counts = np.where(there, people, 0.0).T, there.T.astype(float)
    sums, number = inside.astype(float) @ scores, inside.astype(float) @ counts
    with np.errstate(invalid="ignore", divide="ignore"):
        own = sums / number
        rest = (scores.sum(axis=0) - sums) / (counts.sum(axis=0) - number)
    return np.asarray(Pearson()(own, rest))


def within_segments(difficulty: np.ndarray, people: np.ndarray) -> tuple[int, float]:
    """The number of hypotheses that have both, and Pearson's r between them within segments; arrays
    and NaN are those of `rank_by_difficulty`."""
    there = np.isfinite(people) & np.isfinite(difficulty)
    counts = np.maximum(there.sum(axis=0), 1)
    x, y = (
        np.where(there, values - np.where(there, values, 0.0).sum(axis=0) / counts, 0.0)[there]
        for values in (difficulty, people)
    )
    # Differences to a mean of equal values are rounding.
    if not x.size or np.abs(x).max() <= 1e-12 * np.abs(difficulty[there]).max(initial=0.0):
        return int(there.sum()), np.nan
    return int(there.sum()), float(Pearson()(x, y))


def row(name: str, found: Ranking) -> list:
    """COLUMNS of a difficulty."""
    known = found.random[~np.isnan(found.random)]
    place = [np.nan] * 4
    if known.size:
        place = [known.mean(), *map(float, interval(known)), quantile(found.r, known)]
    reasons = [NO_RANKING] * bool(np.isnan(found.r)) + [ALIKE] * bool(np.isnan(found.within_r))
    head = [name, found.segments, found.hardest, found.r]
    return [*head, *place, found.hypotheses, found.within_r, "; ".join(reasons)]
