"""A study: contrasts of weightings on one set, how much better one weighting agrees with people
than another, beside nulls and pair by pair of systems; and the sets' results side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

import numpy as np

from ..data.evalset import EvaluationSet
from ..difficulty.length import Length
from ..errors import Missing
from ..statistics import evaluate
from ..weighting import make_weighting
from ..weighting.base import WeightedMetric, Weighting
from ..weighting.groups import Groups
from . import nulls
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
from .parameters import retuned, surface
from .resampling import interval
from .set_scores import SYSTEM_SCORES_ONLY, SetScores
from .soft_accuracy import MINIMUM_SEGMENTS

if TYPE_CHECKING:
    import pandas as pd

PRIMARY = OUTCOMES[0]
EVERY_PHASE = "all"
MEAN = "mean"  # of a tier's metrics
OTHER = "other"  # tier of metrics that the study names in none
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
NOT_OF_SET = "{} is not among the set's weightings"
NO_PEOPLE = f"fewer than {MINIMUM_SEGMENTS} segments have a human score of every system"
UNDEFINED = "constant or undefined scores, here or in more than 5 % of the resamples"
NO_SCORE = "{}: {} of {} systems"
NAN_DIFFICULTY = "the difficulty has no value for {} of {} segments"
NO_MATCHES = "a weighting of tokens needs token matches, which only metrics with an encoder have"


def study_weightings(
    weightings: Mapping[str, Mapping[str, Any]],
    elsewhere: Mapping[str, Mapping[str, Any]],
    study: Mapping[str, Any],
) -> tuple[dict[str, Mapping[str, Any]], dict[str, str]]:
    """Settings of a set's weightings, those with parameters from elsewhere too, and why the set
    lacks others of the study. `elsewhere` has, by weighting, `threshold` and `easy_weight` as
    chosen for the set's campaign, or why there are none (`missing`)."""
    known, absent = dict(weightings), {}
    for name, base in study.get("elsewhere", {}).items():
        chosen = elsewhere[name]
        if base not in weightings:
            absent[name] = NOT_OF_SET.format(base)
        elif chosen["missing"]:
            absent[name] = chosen["missing"]
        else:
            parameters = {key: chosen[key] for key in ("threshold", "easy_weight")}
            known[name] = {**weightings[base], **parameters}
    for contrast in study["contrasts"].values():
        for name in (contrast["weighting"], contrast.get("against", STANDARD)):
            if name not in (STANDARD, *known, *absent):
                absent[name] = NOT_OF_SET.format(name)
    return known, absent


class Scored(NamedTuple):
    """A metric under a weighting on the scored segments, its OUTCOMES, (outcomes,), and those on
    the resamples, (resamples, outcomes)."""

    weighted: WeightedMetric
    values: np.ndarray
    draws: np.ndarray


class StudyScores:
    """What a study needs of one set; every weighting is computed once.

    Parameters
    ----------
    scores : SetScores
    found : EvaluationSet
    weightings, absent : dict of str
        As from `study_weightings`.
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
        if reason := self._absent.get(weighting):
            self.reasons |= {(weighting, metric): reason for metric in self.metrics}
            return
        bases, reasons = self._bases(weighting, self.sample)
        made, weighted, quality = self._of_segments(weighting), bases, {}
        if bases and made is not None:
            try:
                weighted = self._weigh(weighting, bases, self.sample)
                difficulty = self._difficulty(weighting, self.sample.systems)
                quality = self.joint.refitted(made, difficulty, bases, self.systems)
            except Missing as missing:
                reasons |= dict.fromkeys(bases, str(missing))
                weighted = {}
        self.reasons |= {(weighting, metric): reason for metric, reason in reasons.items()}
        for metric, one in weighted.items():
            scores, influence = linear_influence(one)
            if np.isnan(scores).any():
                why, absent = (made or Weighting).undefined, np.isnan(scores).sum()
                self.reasons[weighting, metric] = NO_SCORE.format(why, absent, scores.size)
                continue
            values = observed_outcomes(self.sample, scores, influence)
            drawn = self.joint.quality(one) if made is None else quality[metric]
            draws = self.joint.outcomes(drawn, influence)
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
            found = self._outlying[weighting] = {}
            if len(self.systems) < len(self.found.systems):
                sample = sample_of(self.found, np.arange(len(self.found.systems)))
                bases, _ = self._bases(weighting, sample)
                with suppress(Missing):
                    for name, one in self._weigh(weighting, bases, sample).items():
                        found[name] = observed_outcomes(sample, *linear_influence(one))
        return self._outlying[weighting].get(metric, np.full(len(OUTCOMES), np.nan))

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
        name, segments = self._weightings[weighting]["difficulty"], self.sample.segments
        reason, people = self._scores.difficulties[name]["missing"], self.found.segment_gold
        if not reason:
            difficulty = self._scores.difficulty(name, systems)
        elif people and self._scores.estimator(name).uses_gold:
            # Of the segments that have a human score of every system.
            estimator = self._scores.estimator(name)
            of_sample = np.array(people, dtype=float)[:, segments].tolist()
            values = estimator.estimate(replace(self.found, segment_gold=of_sample), None)
            difficulty = np.full((len(systems), len(self.found.reference)), np.nan)
            difficulty[:, segments] = estimator.difficulty(values, systems)
        else:
            raise Missing(reason)
        unknown = np.isnan(difficulty[:, segments]).any(axis=0)
        if unknown.any():
            raise Missing(NAN_DIFFICULTY.format(unknown.sum(), unknown.size))
        return difficulty


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


def contrast_tables(
    scores: StudyScores, known: Sequence[Contrast], study: Mapping[str, Any]
) -> dict[str, pd.DataFrame]:
    """Tables of a set's contrasts by name: `effects`, `nulls`, `tuned`, `pairs`, `submissions`."""
    import pandas as pd

    draws = study["nulls"]
    tables = {
        "effects": (EFFECTS, [effect_rows(scores, one) for one in known]),
        "nulls": (NULL_DRAWS, [null_rows(scores, one, draws) for one in known]),
        "tuned": (TUNED, [tuned_rows(scores, one, draws) for one in known]),
        "pairs": (PAIRS, [pair_rows(scores, one) for one in known]),
        "submissions": (SUBMISSIONS, [submission_rows(scores, study.get("submissions", []))]),
    }
    frames = {
        name: pd.DataFrame([row for part in parts for row in part], columns=columns)
        for name, (columns, parts) in tables.items()
    }
    sample = scores.sample
    frames["effects"] = frames["effects"].assign(
        gold=scores.found.gold_label, systems=len(sample.systems), segments=len(sample.segments)
    )
    return frames


def effect_rows(scores: StudyScores, contrast: Contrast) -> Iterator[list]:
    """Rows of EFFECTS of every metric, and of the means over each tier's metrics; of a tier without
    scores, why the first metric has none."""
    names = contrast.weighting, contrast.against
    gold = scores.uses_gold(contrast.weighting)
    groups = [(metric, scores.tier(metric), [metric]) for metric in scores.metrics]
    groups += [(MEAN, tier, contrast.tiers.get(tier, of)) for tier, of in scores.tiers.items()]
    for name, tier, metrics in groups:
        head = contrast.name, name, tier, *names
        absent = [scores.reasons.get((side, metrics[0]), "") for side in names]
        if reason := next(filter(None, absent), ""):
            for statistic in OUTCOMES:
                yield [*head, statistic, *[np.nan] * 8, gold, reason]
            continue
        sides = _sides(scores, contrast, metrics)
        values, plain = (np.mean([side.values for side in of], axis=0) for of in sides)
        draws = _draws(*sides)
        size = np.mean([side.weighted.effective_segments().mean() for side in sides[0]])
        one, other = (
            np.mean([scores.with_outliers(side, metric) for metric in metrics], axis=0)
            for side in names
        )
        for i, statistic in enumerate(OUTCOMES):
            effect, error = values[i] - plain[i], np.nan
            if np.isfinite(interval(draws[:, i])[0]):  # enough draws are defined
                error = float(np.nanstd(draws[:, i], ddof=1))
            reason = UNDEFINED if np.isnan([effect, error]).any() else ""
            if statistic == PRIMARY and scores.sample.people is None:
                reason = NO_PEOPLE
            ends = effect - NORMAL * error, effect + NORMAL * error
            numbers = values[i], plain[i], effect, error, *ends, one[i] - other[i], size
            yield [*head, statistic, *numbers, gold, reason]


def tier_draws(scores: StudyScores, known: Sequence[Contrast]) -> dict[str, np.ndarray]:
    """What the errors of tiers' mean effects are computed from: `draws`, (rows, resamples), the
    effects on every resample, whose rows `contrast`, `tier` and `statistic` name."""
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


def null_rows(scores: StudyScores, contrast: Contrast, draws: int) -> Iterator[list]:
    """Rows of NULL_DRAWS: effects of weights at random places, as means over a tier's metrics; a
    weighting of tokens has none. Weights are those that were fitted: a permutation that is alike
    for all systems leaves the mean difficulties of segments, and with them what Eq. 9 and 11
    read, as they are."""
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
    """Rows of PAIRS of a contrast that is primary: whether a metric ranks two systems as people
    do (1, 0, or 1/2 for equal scores). `gap` is the difference of human scores in standard
    deviations over systems."""
    if not contrast.entry.get("primary"):
        return
    gold, systems = scores.sample.gold, scores.systems
    first, second = np.triu_indices(len(gold), 1)
    gap = gold[first] - gold[second]
    for tier, metrics in contrast.tiers.items():
        for metric, one, other in zip(metrics, *_sides(scores, contrast, metrics), strict=True):
            quality = (side.weighted.observed_quality() for side in (other, one))
            plain, weighted = (
                (1 + np.sign(each[first] - each[second]) * np.sign(gap)) / 2 for each in quality
            )
            for i, (a, b) in enumerate(zip(first, second, strict=True)):
                head = contrast.name, metric, tier, systems[a], systems[b]
                yield [*head, abs(gap[i]) / gold.std(), plain[i], weighted[i]]


def submission_rows(scores: StudyScores, patterns: list[str]) -> Iterator[list]:
    """Rows of SUBMISSIONS: statistics of the system scores that the archive has of metrics which a
    study shows beside its contrasts."""
    for metric in scores.metrics:
        if any(fnmatchcase(metric, pattern) for pattern in patterns):
            for statistic, value in zip(OUTCOMES[1:], scores.archived(metric), strict=True):
                yield [metric, statistic, value]


def tuned_rows(scores: StudyScores, contrast: Contrast, draws: int) -> Iterator[list]:
    """Rows of TUNED of a primary contrast of two groups: what a search of h and w on the set's
    own human scores reaches, beside what it reaches with difficulties at random places. Of the
    tier that comes first, whose metrics are few and computed from texts."""
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


class SetFacts(NamedTuple):
    """What a study says of a set; `phase` is development or confirmation, and `gold` names the
    human scores of systems and, where they differ, of segments."""

    campaign: str
    pair: str
    reference: str
    gold: str
    phase: str


def gather(tables: Mapping[str, pd.DataFrame], facts: Mapping[str, SetFacts]) -> pd.DataFrame:
    """Tables of sets as one, with `set` and the fields of `SetFacts` before their columns; of no
    rows where all of them have none."""
    import pandas as pd

    parts = [
        pd.DataFrame({"set": name, **facts[name]._asdict()}, index=table.index).join(table)
        for name, table in tables.items()
    ]
    filled = [part for part in parts if len(part)]
    return pd.concat(filled or parts[:1] or [pd.DataFrame()], ignore_index=True)


def overall(pooled: pd.DataFrame) -> pd.DataFrame:
    """Rows of `synthesis.pool` of the primary outcome over the sets of all phases."""
    return pooled[(pooled["statistic"] == PRIMARY) & (pooled["phase"] == EVERY_PHASE)]


def submissions_table(
    effects: pd.DataFrame, submissions: pd.DataFrame, contrast: str
) -> pd.DataFrame:
    """Metrics that others submitted ("as submitted") beside the unweighted metrics ("standard")
    of the same sets and those under the weighting of a contrast: set, metric, weighting,
    statistic, value."""
    import pandas as pd

    own = submissions.assign(weighting="as submitted")
    beside = effects[effects.set.isin(own.set) & effects.statistic.isin(own.statistic)]
    beside = beside[beside.metric != MEAN]
    plain = beside[beside.against == STANDARD].assign(weighting=STANDARD, value=beside.plain)
    plain = plain[plain.value.notna()].drop_duplicates(["set", "metric", "statistic"])
    columns = ["set", "metric", "weighting", "statistic", "value"]
    weighted = beside[beside.contrast == contrast]
    found = pd.concat([own[columns], plain[columns], weighted[columns]])
    return found[found.value.notna()].sort_values(["set", "statistic"], kind="stable")
