"""The metrics of a set under the weightings of a study, on its sample and on joint resamples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from ..data.evalset import EvaluationSet
from ..errors import Missing
from ..statistics import evaluate
from ..weighting import make_weighting
from ..weighting.base import WeightedMetric, Weighting
from ..weighting.groups import Groups
from .counted import STANDARD
from .joint import (
    OUTCOMES,
    Joint,
    Sample,
    fitted,
    inliers,
    linear_influence,
    observed_outcomes,
    sample_of,
)
from .set_scores import SYSTEM_SCORES_ONLY, SetScores

OTHER = "other"  # tier of metrics that the study names in none
NAN_DIFFICULTY = "the difficulty has no value for {} of {} segments"
UNDEFINED = "{}: {} of {} systems"
NO_MATCHES = "a weighting of tokens needs token matches, which only metrics with an encoder have"


class Scored(NamedTuple):
    """A metric under a weighting.

    Attributes
    ----------
    weighted : WeightedMetric
        On the scored segments.
    values : ndarray, (outcomes,)
        OUTCOMES.
    draws : ndarray, (resamples, outcomes)
        The same on the resamples.
    """

    weighted: WeightedMetric
    values: np.ndarray
    draws: np.ndarray


class StudyScores:
    """What a study needs of one set; every weighting is computed once.

    Parameters
    ----------
    scores : SetScores
    found : EvaluationSet
    weightings : dict of str to dict
        Settings by name, those with parameters from elsewhere too.
    absent : dict of str to str
        Why other weightings of the study have no settings in this set.
    study : dict
        The study's part of the config.
    seed : int

    Attributes
    ----------
    texts : int
        A number of the campaign and pair: draws of nulls are the same for sets of the same texts,
        and of others not.
    sample : Sample
        Without the systems that the official toolkit lists as outliers.
    joint : Joint
    scored : dict of (weighting, metric) to Scored
        Those of weightings that were asked for (`score`).
    reasons : dict of (weighting, metric) to str
        Why others have none.

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
        absent: Mapping[str, str],
        study: Mapping[str, Any],
        seed: int,
    ) -> None:
        self._scores, self.found, self._weightings = scores, found, weightings
        self._absent, self._study, self.seed = absent, study, seed
        self.texts = crc32(f"{found.campaign}/{found.pair}".encode())
        self.sample = sample_of(found, inliers(found))
        self.joint = Joint(self.sample, study["resamples"], seed)
        self.scored: dict[tuple[str, str], Scored] = {}
        self.reasons: dict[tuple[str, str], str] = {}
        self._outlying: dict[str, dict[str, np.ndarray]] = {}
        self._done: set[str] = set()

    @property
    def metrics(self) -> list[str]:
        """Metrics that have scores."""
        return list(self._scores.plain)

    @property
    def systems(self) -> list[str]:
        """The systems of the sample."""
        return [self.found.systems[system] for system in self.sample.systems]

    @property
    def tiers(self) -> dict[str, list[str]]:
        """Metrics that have scores by the study's tiers; others are in no tier."""
        found: dict[str, list[str]] = {tier: [] for tier in self._study["tiers"]}
        for metric in self.metrics:
            found.setdefault(self.tier(metric), []).append(metric)
        return {tier: of for tier, of in found.items() if of and tier != OTHER}

    def tier(self, metric: str) -> str:
        """The first tier of the study that names a metric by pattern."""
        for tier, patterns in self._study["tiers"].items():
            if any(fnmatchcase(metric, pattern) for pattern in patterns):
                return tier
        return OTHER

    def score(self, weighting: str) -> None:
        """Compute every metric under a weighting."""
        if weighting in self._done:
            return
        self._done.add(weighting)
        if weighting in self._absent:
            reasons = dict.fromkeys(self.metrics, self._absent[weighting])
            self.reasons |= {(weighting, metric): reasons[metric] for metric in reasons}
            return
        bases, reasons = self._bases(weighting, self.sample)
        try:
            weighted = self._weigh(weighting, bases, self.sample)
            quality = self._resampled(weighting, bases, weighted)
        except Missing as reason:
            reasons |= dict.fromkeys(bases, str(reason))
            weighted = {}
        self.reasons |= {(weighting, metric): reason for metric, reason in reasons.items()}
        for metric, one in weighted.items():
            scores, influence = linear_influence(one)
            if np.isnan(scores).any():
                self.reasons[weighting, metric] = self._undefined(weighting, scores)
                continue
            values = observed_outcomes(self.sample, scores, influence)
            draws = self.joint.outcomes(quality[metric], influence)
            self.scored[weighting, metric] = Scored(one, values, draws)

    def uses_gold(self, weighting: str) -> bool:
        """Whether a weighting's difficulty is estimated from human scores."""
        name = self._weightings.get(weighting, {}).get("difficulty")
        return bool(name) and bool(self._scores.difficulties[name]["uses_gold"])

    def groups_of(self, weighting: str) -> np.ndarray | None:
        """The difficulty, (systems, segments), of a weighting in two groups of segments that has
        scores; None of any other."""
        scored = any(of == weighting for of, _ in self.scored)
        if not scored or not isinstance(self._of_segments(weighting), Groups):
            return None
        return self._difficulty(weighting, self.sample.systems)

    def weighs_tokens(self, weighting: str) -> bool:
        """Whether tokens are weighed, alone or below a weighting of segments."""
        return weighting in self._scores.weightings and bool(self._scores.tokens_of(weighting))

    def with_outliers(self, weighting: str, metric: str) -> np.ndarray:
        """OUTCOMES among all ranked systems, outliers too; NaN where none is an outlier."""
        if weighting not in self._outlying:
            self._outlying[weighting] = dict(self._score_with_outliers(weighting))
        return self._outlying[weighting].get(metric, np.full(len(OUTCOMES), np.nan))

    def _score_with_outliers(self, weighting: str) -> Iterator[tuple[str, np.ndarray]]:
        if len(self.systems) == len(self.found.systems):
            return
        sample = sample_of(self.found, np.arange(len(self.found.systems)))
        bases, _ = self._bases(weighting, sample)
        with suppress(Missing):
            for metric, one in self._weigh(weighting, bases, sample).items():
                yield metric, observed_outcomes(sample, *linear_influence(one))

    def archived(self, metric: str) -> np.ndarray:
        """Outcomes but the first of the system scores that the archive has, (outcomes - 1,)."""
        key = (metric, STANDARD)
        quality = self._scores.of(self.sample.systems, [key])[key].observed_quality()
        return evaluate(OUTCOMES[1:], quality, self.sample.gold)

    def _bases(
        self, weighting: str, sample: Sample
    ) -> tuple[dict[str, WeightedMetric], dict[str, str]]:
        """Metrics on a sample before segments are weighed, and why others have none."""
        bases, reasons = {}, {}
        of_tokens, total = self.weighs_tokens(weighting), len(self.found.reference)
        for metric, plain in self._scores.plain.items():
            key = metric, weighting
            if plain.statistics.shape[1] != total:
                reasons[metric] = SYSTEM_SCORES_ONLY.format("a study")
            elif not of_tokens:
                bases[metric] = plain.select(sample.systems, sample.segments)
            elif key in self._scores.keys:
                one = self._scores.of(sample.systems, [key], everywhere=True)[key]
                bases[metric] = one.unweighted().select(segments=sample.segments)
            else:
                reasons[metric] = self._scores.missing.get(key, NO_MATCHES)
        return bases, reasons

    def _weigh(
        self, weighting: str, bases: dict[str, WeightedMetric], sample: Sample
    ) -> dict[str, WeightedMetric]:
        """Metrics under a weighting that is fitted to the systems of a sample."""
        if not bases or (made := self._of_segments(weighting)) is None:
            return bases
        difficulty = self._difficulty(weighting, sample.systems)
        names = [self.found.systems[system] for system in sample.systems]
        weights, shares = fitted(made, difficulty, sample, names)
        return {
            metric: one._replace(weights=weights, shares=shares) for metric, one in bases.items()
        }

    def _resampled(
        self,
        weighting: str,
        bases: dict[str, WeightedMetric],
        weighted: dict[str, WeightedMetric],
    ) -> dict[str, np.ndarray]:
        """Scores on the resamples by metric, (resamples, systems)."""
        if not bases or (made := self._of_segments(weighting)) is None:
            return {metric: self.joint.quality(one) for metric, one in weighted.items()}
        difficulty = self._difficulty(weighting, self.sample.systems)
        return self.joint.refitted(made, difficulty, bases, self.systems)

    def _undefined(self, weighting: str, scores: np.ndarray) -> str:
        """Why systems have no score under a weighting, (systems,)."""
        why = (self._of_segments(weighting) or Weighting).undefined
        return UNDEFINED.format(why, np.isnan(scores).sum(), scores.size)

    def _of_segments(self, weighting: str) -> Weighting | None:
        """A weighting of segments; None for the standard one and those of tokens."""
        if weighting == STANDARD:
            return None
        own = {k: v for k, v in self._weightings[weighting].items() if k != "over"}
        made = make_weighting(own)
        return None if made.unit == "token" else made

    def _difficulty(self, weighting: str, systems: np.ndarray) -> np.ndarray:
        """The difficulty of a weighting of segments, (systems, segments); NaN for segments that are
        not scored and have none. Raises `Missing`."""
        name = self._name(weighting)
        reason = self._scores.difficulties[name]["missing"]
        if reason and self._scores.estimator(name).uses_gold:
            difficulty = self._of_scored(weighting, systems)
        elif reason:
            raise Missing(reason)
        else:
            difficulty = self._scores.difficulty(name, systems)
        unknown = np.isnan(difficulty[:, self.sample.segments]).any(axis=0)
        if unknown.any():
            raise Missing(NAN_DIFFICULTY.format(unknown.sum(), unknown.size))
        return difficulty

    def _of_scored(self, weighting: str, systems: np.ndarray) -> np.ndarray:
        """A difficulty that is estimated from human scores, of the segments that have one of every
        system."""
        estimator, found = self._scores.estimator(self._name(weighting)), self.found
        people = np.array(found.segment_gold, dtype=float)
        if not people.size:
            raise Missing(self._scores.difficulties[self._name(weighting)]["missing"])
        rated = replace(found, segment_gold=people[:, self.sample.segments].tolist())
        difficulty = np.full((len(systems), len(found.reference)), np.nan)
        values = estimator.estimate(rated, None)
        difficulty[:, self.sample.segments] = estimator.difficulty(values, systems)
        return difficulty

    def _name(self, weighting: str) -> str:
        return self._weightings[weighting]["difficulty"]
