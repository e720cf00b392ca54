"""How systems rank on the hardest share of the segments, beside random subsets of the same size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..evidence.nulls import permutations
from ..evidence.resampling import interval, resampled_scores
from ..statistics.pearson import Pearson
from ..weighting.base import WeightedMetric
from .report_charts import rounded
from .segment_difficulties import Difficulty

SHARES = (1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.15, 0.1, 0.05, 0.02, 0.01)
LEAST = 5  # segments
DRAWS = 1000
SEED = 2022


class Scores(NamedTuple):
    """What ranks systems: its label, and a function of subsets, (subsets, segments) of bool, to
    scores (subsets, systems), higher is better."""

    label: str
    of: Any


def describe(
    difficulties: list[Difficulty],
    metrics: dict[str, WeightedMetric],
    people: np.ndarray | None,
    gold: np.ndarray,
    order: np.ndarray,
) -> dict[str, Any] | None:
    """Rankings of the systems on the hardest segments.

    Parameters
    ----------
    difficulties : list of Difficulty
        Of the segments that count; segments rank by their mean over systems, and those whose mean
        is NaN come last.
    metrics : dict of str to WeightedMetric
        By label, of the same segments.
    people : ndarray, (systems, segments), optional
        Human scores of the same segments, NaN where there is none.
    gold : ndarray, (systems,) or empty
        The set's human scores of systems.
    order : ndarray of int, (systems,)
        In which the page shows systems.

    Returns
    -------
    dict or None
        `shares` and `counts`, how many segments each keeps; `draws`; `difficulties`, their labels;
        `scores`: of each metric, and of people, `label`; `ranks` [difficulty][share][system], 1 is
        the best, None where a system has no score; `r` [difficulty][share] with the set's human
        scores; `random` [share][system] the ends of the 95 % interval of the ranks on random
        subsets, `random_r` [share] that of r. None without difficulties or metrics.
    """
    if not difficulties or not (metrics or people is not None):
        return None
    segments = difficulties[0].values.shape[1]
    counts = {max(1, round(share * segments)): share for share in reversed(SHARES)}
    counts = {count: share for count, share in counts.items() if count >= LEAST} or {segments: 1}
    sizes = np.array(sorted(counts, reverse=True))
    random = permutations(segments, DRAWS, np.random.default_rng(SEED))
    places = np.array([_places(one.means) for one in difficulties])
    return {
        "shares": [counts[size] for size in sizes.tolist()],
        "counts": sizes.tolist(),
        "draws": DRAWS,
        "difficulties": [one.label for one in difficulties],
        "scores": [
            {"label": scores.label} | _rankings(scores, places, random, sizes, gold, order)
            for scores in _all_scores(metrics, people)
        ],
    }


def _places(means: np.ndarray) -> np.ndarray:
    """Places of segments by difficulty, from 0, the hardest first; unknown ones last."""
    found = np.empty(len(means), dtype=int)
    found[np.argsort(-np.where(np.isnan(means), -np.inf, means), kind="stable")] = np.arange(
        len(means)
    )
    return found


def _all_scores(metrics: dict[str, WeightedMetric], people: np.ndarray | None) -> Iterator[Scores]:
    """People first, then metrics."""
    if people is not None:
        there = np.isfinite(people)
        values, known = np.where(there, people, 0.0).T, there.T.astype(float)

        def human(inside: np.ndarray) -> np.ndarray:
            with np.errstate(invalid="ignore", divide="ignore"):
                return (inside @ values) / (inside @ known)

        yield Scores("human", human)
    for label, one in metrics.items():
        yield Scores(label, lambda inside, one=one: resampled_scores(one, inside))


def _rankings(
    scores: Scores,
    places: np.ndarray,
    random: np.ndarray,
    sizes: np.ndarray,
    gold: np.ndarray,
    order: np.ndarray,
) -> dict[str, list]:
    """Ranks and r on the hardest segments and on random ones, of every size."""
    found: dict[str, list] = {"ranks": [], "r": [], "random": [], "random_r": []}
    for size in sizes:
        hardest, drawn = (scores.of((each < size).astype(float)) for each in (places, random))
        found["ranks"].append(_ranks(hardest[:, order]))
        found["random"].append(rounded(np.transpose(interval(_ranks(drawn[:, order]))), 0))
        if gold.size:
            found["r"].append(Pearson()(hardest, gold))
            found["random_r"].append(rounded(interval(Pearson()(drawn, gold)[:, None]), 3))
    ranks = np.moveaxis(np.array(found["ranks"]), 0, 1)
    found["random_r"] = [[low[0], high[0]] for low, high in found["random_r"]]
    return found | {"ranks": rounded(ranks, 0), "r": rounded(np.transpose(found["r"]), 3)}


def _ranks(quality: np.ndarray) -> np.ndarray:
    """Ranks of systems, (subsets, systems) to the same: 1 and how many score higher; NaN where a
    system has no score."""
    higher = (quality[:, None, :] > quality[:, :, None]).sum(axis=2)
    return np.where(np.isnan(quality), np.nan, 1.0 + higher)
