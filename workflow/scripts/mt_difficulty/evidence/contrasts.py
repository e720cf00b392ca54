"""Contrasts of a study on one evaluation set: how much better one weighting agrees with people than
another, with the joint bootstrap and nulls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from ..data.evalset import EvaluationSet
from ..errors import Missing
from ..weighting import make_weighting
from ..weighting.base import WeightedMetric, Weighting
from . import nulls
from .counted import STANDARD
from .joint import OUTCOMES, Joint, Sample, fitted, linear_influence, observed_outcomes, sample_of
from .resampling import interval
from .set_scores import SYSTEM_SCORES_ONLY, SetScores

OTHER = "other"  # tier of metrics that the study names in none
MEAN = "mean"  # of a tier's metrics
# Rows of effects: KEYS and what `Effect` has.
KEYS = ["contrast", "metric", "tier", "weighting", "against", "statistic"]
VALUES = ["value", "plain", "effect", "error", "low", "high", "effect_with_outliers"]
EFFECTS = [*KEYS, *VALUES, "effective_segments", "uses_gold", "reason"]
NULL_DRAWS = ["contrast", "tier", "null", "statistic", "draw", "effect"]
PAIRS = ["contrast", "metric", "tier", "system", "other", "gap", "agrees_plain", "agrees"]
UNDEFINED = "constant or undefined scores, here or in more than 5 % of the resamples"
NAN_DIFFICULTY = "the difficulty has no value for {} of {} segments"


class Scored(NamedTuple):
    """A metric under a weighting: on the sample, and on its resamples.

    Attributes
    ----------
    weighted : WeightedMetric
        On the scored segments.
    values : ndarray, (outcomes,)
    draws : ndarray, (resamples, outcomes)
    reason : str
        Why there is none of these.
    """

    weighted: WeightedMetric | None
    values: np.ndarray
    draws: np.ndarray
    reason: str = ""


class SetContrasts:
    """The contrasts of a study on one set.

    Parameters
    ----------
    scores : SetScores
    found : EvaluationSet
    weightings : dict of str to dict
        Settings by name, those with parameters from elsewhere too.
    study : dict
        The study's part of the config.
    absent : dict of str to str
        Why weightings of the study have no settings in this set, by name.
    seed : int

    Raises
    ------
    Missing
        The set has no human scores, no texts, or too few systems.
    """

    def __init__(
        self,
        scores: SetScores,
        found: EvaluationSet,
        weightings: Mapping[str, Mapping[str, Any]],
        study: Mapping[str, Any],
        absent: Mapping[str, str],
        seed: int,
    ) -> None:
        self._scores, self._found, self._weightings = scores, found, weightings
        self._absent = absent
        self._study, self._seed = study, seed
        systems = np.arange(len(found.systems))
        inliers = [i for i, name in enumerate(found.systems) if name not in found.outliers]
        self.sample = sample_of(found, np.array(inliers))
        self._with_outliers = sample_of(found, systems) if len(inliers) < len(systems) else None
        self.joint = Joint(self.sample, study["resamples"], seed)
        self._made: dict[str, dict[str, Scored]] = {}

    @property
    def metrics(self) -> list[str]:
        """Metrics that have scores."""
        return list(self._scores.plain)

    def tier(self, metric: str) -> str:
        """The first tier of the study that names a metric by pattern."""
        for tier, patterns in self._study["tiers"].items():
            if any(fnmatchcase(metric, pattern) for pattern in patterns):
                return tier
        return OTHER

    def effects(self) -> tuple[list[list], list[list]]:
        """Rows of EFFECTS: of every contrast and metric, and of the means over a tier's metrics."""
        rows, of_tiers = [], []
        for name, contrast in self._study["contrasts"].items():
            weighting, against = contrast["weighting"], contrast.get("against", STANDARD)
            one, other = self._scored(weighting), self._scored(against)
            head, gold = (name, weighting, against), self._uses_gold(weighting)
            tiers: dict[str, list[str]] = {}
            for metric in one:
                rows += self._rows(head, metric, one[metric], other[metric], gold)
                if np.isfinite(one[metric].draws - other[metric].draws).any():
                    tiers.setdefault(self.tier(metric), []).append(metric)
            for tier, metrics in tiers.items():
                of_tiers += self._tier_rows(head, tier, metrics, one, other, gold)
        return rows, of_tiers

    def _scored(self, weighting: str) -> dict[str, Scored]:
        """Every metric under a weighting, computed once."""
        if weighting not in self._made:
            self._made[weighting] = dict(self._score(weighting))
        return self._made[weighting]

    def _score(self, weighting: str) -> Iterator[tuple[str, Scored]]:
        if weighting in self._absent:
            yield from ((metric, self._none(self._absent[weighting])) for metric in self.metrics)
            return
        bases, reasons = self._bases(weighting, self.sample)
        for metric, reason in reasons.items():
            yield metric, self._none(reason)
        if not bases:
            return
        try:
            weighted = self._weigh(weighting, bases, self.sample)
        except Missing as reason:
            yield from ((metric, self._none(str(reason))) for metric in bases)
            return
        quality = self._resampled(weighting, bases, weighted)
        for metric, one in weighted.items():
            scores, influence = linear_influence(one)
            values = observed_outcomes(self.sample, scores, influence)
            yield metric, Scored(one, values, self.joint.outcomes(quality[metric], influence))

    def _bases(
        self, weighting: str, sample: Sample
    ) -> tuple[dict[str, WeightedMetric], dict[str, str]]:
        """Metrics on the sample before segments are weighed, and why others have none."""
        bases, reasons, total = {}, {}, len(self._found.reference)
        of_tokens = self._of_tokens(weighting)
        for metric, plain in self._scores.plain.items():
            if plain.statistics.shape[1] != total:
                reasons[metric] = SYSTEM_SCORES_ONLY.format("a study")
            elif not of_tokens:
                bases[metric] = plain.select(sample.systems, sample.segments)
            elif (key := (metric, weighting)) in self._scores.keys:
                one = self._scores.of(sample.systems, [key], everywhere=True)[key]
                bases[metric] = one.unweighted().select(segments=sample.segments)
            else:
                reasons[metric] = self._scores.missing.get(key, f"{weighting} needs token matches")
        return bases, reasons

    def _of_tokens(self, weighting: str) -> bool:
        """Whether tokens are weighed, alone or below a weighting of segments."""
        return weighting in self._scores.weightings and bool(self._scores.tokens_of(weighting))

    def _weighs_segments(self, weighting: str) -> bool:
        return weighting != STANDARD and self._make(weighting).unit != "token"

    def _make(self, weighting: str) -> Weighting:
        settings = self._weightings[weighting]
        return make_weighting(settings)

    def _uses_gold(self, weighting: str) -> bool:
        of = self._weightings.get(weighting, {}).get("difficulty")
        return bool(of) and self._scores.difficulties[of]["uses_gold"]

    def _difficulty(self, weighting: str, systems: np.ndarray) -> np.ndarray:
        """The difficulty of a weighting of segments, (systems, segments). Raises `Missing`."""
        name = self._weightings[weighting]["difficulty"]
        if reason := self._scores.difficulties[name]["missing"]:
            raise Missing(reason)
        difficulty = self._scores.difficulty(name, systems)
        if unknown := int(np.isnan(difficulty).any(axis=0).sum()):
            raise Missing(NAN_DIFFICULTY.format(unknown, difficulty.shape[1]))
        return difficulty

    def _weigh(
        self, weighting: str, bases: dict[str, WeightedMetric], sample: Sample
    ) -> dict[str, WeightedMetric]:
        """Metrics under a weighting that is fitted to the systems of a sample."""
        if not self._weighs_segments(weighting):
            return bases
        difficulty = self._difficulty(weighting, sample.systems)
        names = [self._found.systems[system] for system in sample.systems]
        weights, shares = fitted(self._make(weighting), difficulty, sample, names)
        return {
            metric: one._replace(weights=weights, shares=shares) for metric, one in bases.items()
        }

    def _resampled(
        self, weighting: str, bases: dict[str, WeightedMetric], weighted: dict[str, WeightedMetric]
    ) -> dict[str, np.ndarray]:
        """Scores on the resamples by metric, (resamples, systems)."""
        if not self._weighs_segments(weighting):
            return {metric: self.joint.quality(one) for metric, one in weighted.items()}
        systems = self.sample.systems
        names = [self._found.systems[system] for system in systems]
        difficulty = self._difficulty(weighting, systems)
        return self.joint.refitted(self._make(weighting), difficulty, bases, names)

    def _none(self, reason: str) -> Scored:
        values = np.full(len(OUTCOMES), np.nan)
        return Scored(None, values, np.full((1, len(OUTCOMES)), np.nan), reason)

    def _rows(
        self, head: tuple[str, str, str], metric: str, one: Scored, other: Scored, gold: bool
    ) -> Iterator[list]:
        name, weighting, against = head
        size = np.nan
        if one.weighted is not None:
            size = float(one.weighted.effective_segments().mean())
        outlying = self._with_outliers_effect(weighting, against, metric)
        draws = one.draws - other.draws
        for i, statistic in enumerate(OUTCOMES):
            effect = one.values[i] - other.values[i]
            error, low, high = _spread(draws[:, i])
            reason = one.reason or other.reason
            reason = reason or UNDEFINED * bool(np.isnan([effect, error]).any())
            yield [
                *(name, metric, self.tier(metric), weighting, against, statistic),
                *(one.values[i], other.values[i], effect, error, low, high, outlying[i]),
                *(size, gold, reason),
            ]

    def _tier_rows(
        self,
        head: tuple[str, str, str],
        tier: str,
        metrics: list[str],
        one: dict[str, Scored],
        other: dict[str, Scored],
        gold: bool,
    ) -> Iterator[list]:
        name, weighting, against = head
        values = np.mean([one[metric].values for metric in metrics], axis=0)
        plain = np.mean([other[metric].values for metric in metrics], axis=0)
        draws = np.mean([one[metric].draws - other[metric].draws for metric in metrics], axis=0)
        outlying = [self._with_outliers_effect(weighting, against, metric) for metric in metrics]
        sizes = [one[metric].weighted.effective_segments().mean() for metric in metrics]
        for i, statistic in enumerate(OUTCOMES):
            effect = values[i] - plain[i]
            error, low, high = _spread(draws[:, i])
            reason = UNDEFINED * bool(np.isnan([effect, error]).any())
            yield [
                *(name, MEAN, tier, weighting, against, statistic),
                *(values[i], plain[i], effect, error, low, high),
                *(np.mean(outlying, axis=0)[i], np.mean(sizes), gold, reason),
            ]

    def _with_outliers_effect(self, weighting: str, against: str, metric: str) -> np.ndarray:
        """The effect among all ranked systems, (outcomes,); NaN where none is an outlier."""
        sample, found = self._with_outliers, []
        if sample is None:
            return np.full(len(OUTCOMES), np.nan)
        for each in (weighting, against):
            bases, _ = self._bases(each, sample)
            try:
                one = self._weigh(each, {metric: bases[metric]}, sample)[metric]
            except (KeyError, Missing):
                return np.full(len(OUTCOMES), np.nan)
            found.append(observed_outcomes(sample, *linear_influence(one)))
        return found[0] - found[1]

    def null_draws(self, draws: int) -> Iterator[list]:
        """Rows of NULL_DRAWS: effects of weights at random places, as means over a tier's metrics.

        Every null keeps the sizes of the weights; see `nulls.NULLS`. Weightings of tokens have none.
        """
        for name, contrast in self._study["contrasts"].items():
            weighting, against = contrast["weighting"], contrast.get("against", STANDARD)
            if not contrast.get("nulls") or self._of_tokens(weighting):
                continue
            one, other = self._scored(weighting), self._scored(against)
            usable = [metric for metric in one if not (one[metric].reason or other[metric].reason)]
            for null in contrast["nulls"] if usable else ():
                yield from self._draws_of(name, null, draws, one, other, usable)

    def _draws_of(
        self,
        name: str,
        null: str,
        draws: int,
        one: dict[str, Scored],
        other: dict[str, Scored],
        metrics: Sequence[str],
    ) -> Iterator[list]:
        rng = np.random.default_rng([self._seed, 5])
        tiers = {metric: self.tier(metric) for metric in metrics}
        weights = list(self._null_weights(null, draws, one[metrics[0]].weighted, rng))
        for draw, (drawn, shares) in enumerate(weights):
            effects: dict[str, list[np.ndarray]] = {}
            for metric in metrics:
                moved = other[metric].weighted.unweighted()._replace(weights=drawn, shares=shares)
                values = observed_outcomes(self.sample, *linear_influence(moved))
                effects.setdefault(tiers[metric], []).append(values - other[metric].values)
            for tier, found in effects.items():
                for statistic, effect in zip(OUTCOMES, np.mean(found, axis=0), strict=True):
                    yield [name, tier, null, statistic, draw, effect]

    def _null_weights(
        self, null: str, draws: int, weighted: WeightedMetric, rng: np.random.Generator
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Weights and shares of a null."""
        segments = len(self.sample.segments)
        if null == "random_subset":
            size = max(1, round(float(weighted.effective_segments().mean())))
            for _ in range(draws):
                inside = np.zeros((len(weighted.weights), segments, 1))
                inside[:, rng.choice(segments, size, replace=False)] = 1
                yield inside, np.ones(1)
            return
        groups = None
        if null == "permuted_length":
            groups = nulls.length_deciles(self._lengths())[self.sample.segments]
        for places in nulls.permutations(segments, draws, rng, groups):
            yield weighted.weights[:, places], weighted.shares

    def _lengths(self) -> np.ndarray:
        """Characters of the source, or of the reference where the set has no source."""
        texts = self._found.source or self._found.reference
        return np.array([len("".join(text.split())) for text in texts])

    def pair_rows(self) -> Iterator[list]:
        """Rows of PAIRS: whether a metric ranks two systems as people do, for contrasts that are
        primary."""
        gold, names = self.sample.gold, [self._found.systems[i] for i in self.sample.systems]
        first, second = np.triu_indices(len(gold), 1)
        gap, spread = gold[first] - gold[second], gold.std()
        for name, contrast in self._study["contrasts"].items():
            if not contrast.get("primary"):
                continue
            weighting, against = contrast["weighting"], contrast.get("against", STANDARD)
            one, other = self._scored(weighting), self._scored(against)
            for metric in one:
                if one[metric].reason or other[metric].reason:
                    continue
                agrees = [
                    _agreement(each[metric].weighted.observed_quality(), gap, first, second)
                    for each in (other, one)
                ]
                tier = self.tier(metric)
                for i, (a, b) in enumerate(zip(first, second, strict=True)):
                    yield [
                        *(name, metric, tier, names[a], names[b], abs(gap[i]) / spread),
                        *(agrees[0][i], agrees[1][i]),
                    ]


def _agreement(
    quality: np.ndarray, gap: np.ndarray, first: np.ndarray, second: np.ndarray
) -> np.ndarray:
    """1 where scores order two systems as people do, 0 where they do not, 1/2 for ties."""
    return (1 + np.sign(quality[first] - quality[second]) * np.sign(gap)) / 2


def _spread(draws: np.ndarray) -> tuple[float, float, float]:
    """Standard error and 95 % percentile interval; NaN where too few draws are defined."""
    low, high = interval(draws)
    if np.isnan(low):
        return np.nan, np.nan, np.nan
    return float(np.nanstd(draws, ddof=1)), float(low), float(high)


def nulls_of(study: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Contrasts and the nulls that they are compared with."""
    return [
        pair
        for name, each in study["contrasts"].items()
        for pair in product([name], each.get("nulls", ()))
    ]
