"""The contrasts of a study on one set: how much better one weighting agrees with people than
another, beside nulls, and pair by pair of systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import numpy as np

from ..difficulty.length import Length
from ..statistics import evaluate
from ..weighting.base import WeightedMetric
from . import nulls
from .counted import STANDARD
from .joint import OUTCOMES, linear_influence, observed_outcomes
from .parameters import retuned, surface
from .resampling import interval
from .soft_accuracy import MINIMUM_SEGMENTS
from .study_scores import Scored, StudyScores

MEAN = "mean"  # of a tier's metrics
EFFECTS = [
    *("contrast", "metric", "tier", "weighting", "against", "statistic"),
    *("value", "plain", "effect", "error", "low", "high", "effect_with_outliers"),
    *("effective_segments", "uses_gold", "reason"),
]
NULL_DRAWS = ["contrast", "tier", "null", "statistic", "draw", "effect"]
PAIRS = ["contrast", "metric", "tier", "system", "other", "gap", "agrees_plain", "agrees"]
SUBMISSIONS = ["metric", "statistic", "value"]
TUNED = ["contrast", "metric", "statistic", "plain", "value"]
TUNED += ["null_mean", "null_low", "null_high", "quantile"]
# 95 % intervals are effect ± NORMAL standard errors. In simulated sets (200 each of 20
# designs, bench/study_coverage.py) they hold the expected effect on soft pairwise accuracy in 93 to
# 100 %, in the mean 97 %; percentile intervals do in 98 to 100 %, basic ones in 81 to 92 %.
NORMAL = 1.96
NO_PEOPLE = f"fewer than {MINIMUM_SEGMENTS} segments have a human score of every system"
UNDEFINED = "constant or undefined scores, here or in more than 5 % of the resamples"


class Contrast(NamedTuple):
    """A contrast and the metrics that have scores on both sides, by tier, in the study's order."""

    name: str
    weighting: str
    against: str
    entry: Mapping[str, Any]
    tiers: dict[str, list[str]]


def contrasts(scores: StudyScores, study: Mapping[str, Any]) -> list[Contrast]:
    """The contrasts of a study, computed on a set."""
    found = []
    for name, entry in study["contrasts"].items():
        sides = entry["weighting"], entry.get("against", STANDARD)
        for weighting in sides:
            scores.score(weighting)
        tiers = {
            tier: [one for one in metrics if all((side, one) in scores.scored for side in sides)]
            for tier, metrics in scores.tiers.items()
        }
        tiers = {tier: metrics for tier, metrics in tiers.items() if metrics}
        found.append(Contrast(name, *sides, entry, tiers))
    return found


def effect_rows(scores: StudyScores, contrast: Contrast) -> Iterator[list]:
    """Rows of EFFECTS of every metric, and of the means over each tier's metrics; of a tier without
    scores, why the first metric has none."""
    sides = contrast.weighting, contrast.against
    gold = scores.uses_gold(contrast.weighting)
    groups = [(metric, scores.tier(metric), [metric]) for metric in scores.metrics]
    groups += [(MEAN, tier, contrast.tiers.get(tier, of)) for tier, of in scores.tiers.items()]
    for name, tier, metrics in groups:
        head = contrast.name, name, tier, *sides
        reasons = [scores.reasons.get((side, metrics[0]), "") for side in sides]
        if reason := next(filter(None, reasons), ""):
            for statistic in OUTCOMES:
                yield [*head, statistic, *[np.nan] * 8, gold, reason]
            continue
        for statistic, *values, reason in _effects(scores, contrast, metrics):
            yield [*head, statistic, *values, gold, reason]


def _effects(scores: StudyScores, contrast: Contrast, metrics: list[str]) -> Iterator[list]:
    """Of the mean over some metrics EFFECTS from `statistic` on, without `uses_gold`."""
    one, other = _sides(scores, contrast, metrics)
    values, plain = (np.mean([side.values for side in sides], axis=0) for sides in (one, other))
    draws = _draws(one, other)
    size = np.mean([side.weighted.effective_segments().mean() for side in one])
    outlying = np.mean(
        [
            scores.with_outliers(contrast.weighting, metric)
            - scores.with_outliers(contrast.against, metric)
            for metric in metrics
        ],
        axis=0,
    )
    for i, statistic in enumerate(OUTCOMES):
        effect, error = values[i] - plain[i], _error(draws[:, i])
        ends = effect - NORMAL * error, effect + NORMAL * error
        reason = ""
        if statistic == OUTCOMES[0] and scores.sample.people is None:
            reason = NO_PEOPLE
        elif np.isnan([effect, error]).any():
            reason = UNDEFINED
        yield [
            *(statistic, values[i], plain[i], effect, error, *ends, outlying[i]),
            *(size, reason),
        ]


def tier_draws(scores: StudyScores, known: Sequence[Contrast]) -> dict[str, np.ndarray]:
    """What the errors of tiers' mean effects are computed from: the effects on every resample.

    Returns
    -------
    dict of str to ndarray
        `contrast`, `tier` and `statistic` name the rows of `draws`, (rows, resamples), of single
        precision.
    """
    names, found = [], []
    for contrast in known:
        for tier, metrics in contrast.tiers.items():
            names += [(contrast.name, tier, statistic) for statistic in OUTCOMES]
            found.append(_draws(*_sides(scores, contrast, metrics)).T)
    columns = np.array(names, dtype=str).reshape(-1, 3).T
    draws = np.concatenate(found or [np.empty((0, len(scores.joint.counts)))])
    named = dict(zip(("contrast", "tier", "statistic"), columns, strict=True))
    return named | {"draws": draws.astype(np.float32)}


def _draws(one: list[Scored], other: list[Scored]) -> np.ndarray:
    """Effects on the resamples, means over metrics, (resamples, outcomes)."""
    return np.mean([a.draws - b.draws for a, b in zip(one, other, strict=True)], axis=0)


def _sides(
    scores: StudyScores, contrast: Contrast, metrics: list[str]
) -> tuple[list[Scored], list[Scored]]:
    one = [scores.scored[contrast.weighting, metric] for metric in metrics]
    return one, [scores.scored[contrast.against, metric] for metric in metrics]


def _error(draws: np.ndarray) -> float:
    """Standard error of an effect; NaN where too few draws are defined."""
    return float(np.nanstd(draws, ddof=1)) if np.isfinite(interval(draws)[0]) else np.nan


def null_rows(scores: StudyScores, contrast: Contrast, draws: int) -> Iterator[list]:
    """Rows of NULL_DRAWS: effects of weights at random places, as means over a tier's metrics; a
    weighting of tokens has none.

    Weights are those that were fitted: a permutation that is alike for all systems leaves the mean
    difficulties of segments, and with them what Eq. 9 and 11 read, as they are.
    """
    if scores.weighs_tokens(contrast.weighting) or not contrast.tiers:
        return
    first = next(iter(contrast.tiers.values()))[0]
    weighted = scores.scored[contrast.weighting, first].weighted
    for null in contrast.entry.get("nulls", ()):
        rng = np.random.default_rng([scores.seed, 5, scores.texts])
        for draw, (weights, shares) in enumerate(_null_weights(scores, null, weighted, draws, rng)):
            for tier, metrics in contrast.tiers.items():
                effects = []
                for other in _sides(scores, contrast, metrics)[1]:
                    moved = other.weighted._replace(weights=weights, shares=shares)
                    found = observed_outcomes(scores.sample, *linear_influence(moved))
                    effects.append(found - other.values)
                for statistic, effect in zip(OUTCOMES, np.mean(effects, axis=0), strict=True):
                    yield [contrast.name, tier, null, statistic, draw, effect]


def _null_weights(
    scores: StudyScores,
    null: str,
    weighted: WeightedMetric,
    draws: int,
    rng: np.random.Generator,
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Weights, (systems, segments, groups), and shares of every draw of a null."""
    own, segments = np.asarray(weighted.weights), len(scores.sample.segments)
    if null == "random_subset":
        size = nulls.effective_size(weighted)
        for _ in range(draws):
            inside = np.zeros((len(own), segments, 1))
            inside[:, rng.choice(segments, size, replace=False)] = 1
            yield inside, np.ones(1)
        return
    groups = None
    if null == "permuted_length":
        if not scores.found.source:
            return
        groups = nulls.length_deciles(Length().estimate(scores.found)[scores.sample.segments])
    for places in nulls.permutations(segments, draws, rng, groups):
        yield own[:, places], weighted.shares


def pair_rows(scores: StudyScores, contrast: Contrast) -> Iterator[list]:
    """Rows of PAIRS of a contrast that is primary: whether a metric ranks two systems as people do.

    `gap` is the difference of human scores in standard deviations over systems; agreement is 1, 0,
    or 1/2 for equal scores.
    """
    if not contrast.entry.get("primary"):
        return
    gold, systems = scores.sample.gold, scores.systems
    first, second = np.triu_indices(len(gold), 1)
    gap = gold[first] - gold[second]
    for tier, metrics in contrast.tiers.items():
        sides = zip(metrics, *_sides(scores, contrast, metrics), strict=True)
        for metric, one, other in sides:
            agrees = [
                _agreement(each.weighted.observed_quality(), gap, first, second)
                for each in (other, one)
            ]
            for i, (a, b) in enumerate(zip(first, second, strict=True)):
                yield [
                    *(contrast.name, metric, tier, systems[a], systems[b]),
                    *(abs(gap[i]) / gold.std(), agrees[0][i], agrees[1][i]),
                ]


def _agreement(
    quality: np.ndarray, gap: np.ndarray, first: np.ndarray, second: np.ndarray
) -> np.ndarray:
    """1 where scores order two systems as people do, 0 where they do not, 1/2 for ties."""
    return (1 + np.sign(quality[first] - quality[second]) * np.sign(gap)) / 2


def submission_rows(scores: StudyScores, patterns: list[str]) -> Iterator[list]:
    """Rows of SUBMISSIONS: statistics of the system scores that the archive has of metrics which a
    study shows beside its contrasts."""
    for metric in scores.metrics:
        if any(fnmatchcase(metric, pattern) for pattern in patterns):
            for statistic, value in zip(OUTCOMES[1:], scores.archived(metric), strict=True):
                yield [metric, statistic, value]


def tuned_rows(scores: StudyScores, contrast: Contrast, draws: int) -> Iterator[list]:
    """Rows of TUNED of a primary contrast of two groups: what a search of h and w on the set's own
    human scores reaches, beside what it reaches with difficulties at random places.

    Of the tier that comes first, whose metrics are few and computed from texts.
    """
    found = scores.groups_of(contrast.weighting) if contrast.entry.get("primary") else None
    if found is None:
        return
    for metric in next(iter(contrast.tiers.values()), []):
        plain = scores.scored[contrast.weighting, metric].weighted.unweighted()
        difficulty = found[:, scores.sample.segments]
        rng = np.random.default_rng([scores.seed, 6, scores.texts])
        places = nulls.permutations(difficulty.shape[1], draws, rng)
        drawn = retuned(plain, difficulty, scores.sample.gold, places)[:, 0]
        grid = surface(plain, difficulty, scores.sample.gold)[0]
        low, high = interval(drawn)
        standard = evaluate(["pearson"], plain.observed_quality(), scores.sample.gold)[0]
        yield [
            *(contrast.name, metric, "pearson", standard, np.nanmax(grid)),
            *(np.nanmean(drawn), float(low), float(high), nulls.quantile(np.nanmax(grid), drawn)),
        ]
