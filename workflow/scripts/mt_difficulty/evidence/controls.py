"""Controls of difficulty weighting: where a weighting's statistics stand among those of its nulls,
and whether people rank systems on difficult segments as on the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..data.evalset import EvaluationSet
from ..difficulty.length import Length
from ..embedding.matches import select
from ..errors import Missing
from ..statistics import evaluate, of_scores
from ..statistics.pearson import Pearson
from ..weighting.groups import Groups
from .counted import PLAIN, baseline
from .nulls import (
    NULLS,
    Nulls,
    TokenScores,
    length_deciles,
    permutations,
    place,
    quantile,
    segment_nulls,
    token_nulls,
)
from .parameters import retuned_quality
from .resampling import interval
from .set_scores import Key, SetScores
from .subsets import best_systems

COLUMNS = [
    *("metric", "weighting", "subset", "size", "statistic", "value", "standard", "tuned"),
    *("null", "mean", "low", "high", "quantile", "gain_over_plain_share", "draws", "reason"),
]
UNDEFINED = "under this null all systems have the same score, or a system has none"
SHARE = 0.1  # of the segments, the hardest ones
RANKING_COLUMNS = [
    *("difficulty", "segments", "hardest", "r", "random_mean", "random_low", "random_high"),
    *("random_quantile", "hypotheses", "within_r", "reason"),
]
NO_RANKING = "a system has no human score on the hardest segments, or all have the same"
ALIKE = "the difficulty is the same for all hypotheses of a segment"


def control(
    scores: SetScores,
    evalset: EvaluationSet,
    correlations: pd.DataFrame,
    missing: Mapping[Key, str],
    statistics: Sequence[str],
    tops: Sequence[int],
    draws: int,
    seed: int,
) -> Iterator[list]:
    """Rows of `controls.csv`, COLUMNS: every weighting of a set with human scores among its nulls,
    over all systems and, by `tops`, the best ones. `correlations` is `correlations.csv`, `missing`
    says why others have no scores."""
    gold, statistics = np.array(evalset.gold), of_scores(statistics)
    none = np.full(len(statistics), np.nan)
    index = correlations.set_index(["metric", "weighting", "subset", "size"]).index
    values = dict(zip(index, correlations[statistics].to_numpy(), strict=True))
    undefined = dict(zip(index, correlations.reason, strict=True))
    labels = dict.fromkeys([*(key[:2] for key in values), *missing])
    deciles, without_length = None, ""
    try:
        deciles = length_deciles(Length().estimate(evalset))
    except Missing as reason:
        without_length = str(reason)
    retuned = _retuned(scores, gold, draws, seed)
    parts = [("all", np.arange(len(gold)))]
    parts += [("top", best_systems(gold, size)) for size in tops if size < len(gold)]
    for subset, systems in parts:
        size, of_subset = len(systems), _nulls_of(scores, systems, deciles, draws, seed)
        random = np.random.default_rng(seed).standard_normal((draws, size))
        for metric, weighting in labels:
            if weighting in PLAIN:
                continue
            key = metric, weighting
            drawn: Nulls = of_subset.get(key, {})
            if drawn and without_length:
                drawn["permuted_length"] = without_length
            if key in retuned:
                drawn["retuned"] = retuned[key][:, systems]
            drawn = {null: drawn[null] for null in NULLS if null in drawn} | {"random": random}
            for row in describe(
                values.get((*key, subset, size), none),
                values.get((*baseline(metric, labels), subset, size), none),
                scores.weightings[weighting]["tuned"],
                drawn,
                gold[systems],
                statistics,
                missing.get(key, undefined.get((*key, subset, size))),
            ):
                yield [*key, subset, size, *row]


def _nulls_of(
    scores: SetScores, systems: np.ndarray, deciles: np.ndarray | None, draws: int, seed: int
) -> dict[Key, Nulls]:
    """Scores of some systems under the nulls, but for `retuned`, by metric and weighting. Every
    weighting has the same draws, whatever others there are."""
    weighted = scores.of(systems)
    found: dict[Key, Nulls] = {}
    for name, entry in scores.weightings.items():
        own = {key: one for key, one in weighted.items() if key[1] == name}
        if not own:
            continue
        of, weighting = scores.difficulty_of(name), scores.weighting(name)
        rng = np.random.default_rng(seed)
        if weighting.unit == "token":
            for part in scores.parts:
                difficulty = scores.token_difficulty(of, part, systems)
                matches, parameters = select(part.matches, systems), entry["parameters"]
                one = TokenScores(matches, weighting, parameters, difficulty, scores.counted)
                drawn = token_nulls(one, draws, rng, deciles)
                found |= {(metric, name): drawn for metric in part.metrics}
        else:
            difficulty = scores.difficulty(of, systems)[:, scores.counted]
            counted = None if deciles is None else deciles[scores.counted]
            found |= segment_nulls(own, difficulty, draws, rng, counted)
    return found


def _retuned(scores: SetScores, gold: np.ndarray, draws: int, seed: int) -> dict[Key, np.ndarray]:
    """Scores of all systems with permuted difficulties and parameters that are searched again, by
    metric and weighting: of weightings in two groups that are tuned on the set."""
    everything, found = np.arange(len(gold)), {}
    for name, entry in scores.weightings.items():
        in_groups = isinstance(scores.weighting(name), Groups)
        if not (entry["tuned"] and in_groups) or entry["missing"]:
            continue
        difficulty = scores.difficulty(scores.difficulty_of(name), everything)[:, scores.counted]
        places = permutations(difficulty.shape[1], draws, np.random.default_rng(seed))
        keys = [key for key in scores.keys if key[1] == name]
        for key, one in scores.of(everything, keys).items():
            found[key] = retuned_quality(one.unweighted(), difficulty, gold, places)
    return found


def describe(
    values: Sequence[float],
    standard: Sequence[float],
    tuned: bool,
    nulls: Nulls,
    gold: np.ndarray,
    statistics: Sequence[str],
    missing: str | None = None,
) -> Iterator[list]:
    """Where the statistics of a weighting stand among its nulls: from `statistic` on, COLUMNS, for
    every statistic and null; NaN where there is nothing to compare.

    Parameters
    ----------
    values, standard : sequence of float, (statistics,)
        Of the weighting and of the unweighted metric.
    tuned : bool
        Whether the weighting's parameters were chosen with human scores of the set.
    nulls : dict of str to ndarray or str
        By name, scores of systems, or why there are none.
    gold : ndarray, (systems,)
    statistics : sequence of str
        Of the registry; those that read scores.
    missing : str, optional
        Why a value is NaN.
    """
    drawn = {
        null: evaluate(statistics, scores, gold)
        for null, scores in nulls.items()
        if not isinstance(scores, str)
    }
    for i, statistic in enumerate(statistics):
        for null, scores in nulls.items():
            draws = drawn[null][:, i] if null in drawn else np.empty(0)
            numbers = place(values[i], standard[i], draws)
            reason = scores if isinstance(scores, str) else None
            if null in drawn and np.isnan(numbers[0]):
                reason = UNDEFINED
            head = [statistic, values[i], standard[i], "yes" if tuned else "no", null]
            yield [*head, *numbers, missing if np.isnan(values[i]) else reason]


class Ranking(NamedTuple):
    """Human rankings by difficulty, of so many rated `segments`, of which so many are the
    `hardest`.

    `r` is Pearson's, between the systems' mean human scores on the hardest segments and on the
    rest, NaN where a system has no score on either side, and `random`, (draws,), that of random
    subsets of as many segments. `within_r` is between difficulty and human score of so many
    `hypotheses` that have both, as differences to the segment's mean; NaN where no segment has
    different difficulties."""

    segments: int
    hardest: int
    r: float
    random: np.ndarray
    hypotheses: int
    within_r: float

    def row(self, name: str) -> list[Any]:
        """RANKING_COLUMNS of a difficulty."""
        known = self.random[~np.isnan(self.random)]
        numbers = [np.nan] * 4
        if known.size:
            numbers = [known.mean(), *map(float, interval(known)), quantile(self.r, known)]
        reasons = [NO_RANKING] * bool(np.isnan(self.r)) + [ALIKE] * bool(np.isnan(self.within_r))
        head = [name, self.segments, self.hardest, self.r]
        return [*head, *numbers, self.hypotheses, self.within_r, "; ".join(reasons)]


def rank_by_difficulty(
    difficulty: np.ndarray, people: np.ndarray, draws: int, rng: np.random.Generator
) -> Ranking:
    """Compare human rankings on the hardest SHARE of the rated segments, by mean difficulty over
    systems (Liu et al. 2022, Eq. 8), with those on the other rated segments. Difficulties, which
    may be infinite, and human scores, NaN where there is none, are (systems, segments)."""
    rated = np.isfinite(people).any(axis=0)
    difficulty, people = difficulty[:, rated], people[:, rated]
    segments = people.shape[1]
    hardest = max(1, int(SHARE * segments))
    ranks = np.empty((1, segments), dtype=int)
    ranks[0, np.argsort(-difficulty.mean(axis=0), kind="stable")] = np.arange(segments)
    there = np.isfinite(people)
    scores, counts = np.where(there, people, 0.0).T, there.T.astype(float)

    def agreement(inside: np.ndarray) -> np.ndarray:
        """r of mean scores on some segments, (draws, segments) of bool, and on the others."""
        sums, number = inside.astype(float) @ scores, inside.astype(float) @ counts
        with np.errstate(invalid="ignore", divide="ignore"):
            rest = (scores.sum(axis=0) - sums) / (counts.sum(axis=0) - number)
            return np.asarray(Pearson()(sums / number, rest))

    r = agreement(ranks < hardest)[0]
    random = agreement(permutations(segments, draws, rng) < hardest)
    return Ranking(segments, hardest, r, random, *within_segments(difficulty, people))


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
