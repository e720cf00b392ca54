"""Compute system scores of an evaluation set under every metric and weighting (`ScoredSet`)."""

from __future__ import annotations

from collections.abc import Container, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from .data.evalset import EvaluationSet, SetFiles
from .difficulty import make_estimator
from .difficulty.base import Estimator
from .difficulty.token_dissimilarity import TokenDissimilarity
from .embedding import Matches, rescaled_matches, select
from .metrics import METRICS
from .metrics.base import Metric
from .settings import ScoreSettings
from .weighting import Parts, difficulty_of, make_weighting, parts
from .weighting.base import MEAN, PLAIN, STANDARD, WeightedMetric, Weighting, combine, fixed_point
from .weighting.DA import DA, best_token, occurrence_weights

Key = tuple[str, str]
SYSTEM_SCORES_ONLY = (
    "only system scores are stored, or the set has one segment: no segments to resample"
)
# Means and stored scores that differ by at most this share of their range are equal: six digits.
SAME = 1e-5


class Part(NamedTuple):
    """Metrics that share an encoder, its token matches, and the signature of these matches."""

    metrics: list[str]
    matches: Matches
    signature: str


class ScoredSet:
    """Scores of a set under all metrics and weightings, for any subset of its systems.

    `files` has `evalset.json`, `weightings.json` and, where they exist, `statistics/<metric>.npz`,
    `difficulty/<name>.npz` and token matches: results of a run, or their equivalent in memory
    (`texts.score_texts`).

    `difficulties` and `weightings` are those of `weightings.json`, by name; `plain` has the
    unweighted metrics that have scores, on all segments; `keys` the pairs (metric, weighting) that
    have scores, grouped by metric; `missing` the reason for each other pair; `no_segments` why a
    metric has scores of systems alone, where its files say more than that."""

    def __init__(self, files: SetFiles, settings: ScoreSettings) -> None:
        self._files, self._settings = files, settings
        described = files.read("weightings.json")
        self.difficulties, self.weightings = described["difficulties"], described["weightings"]
        self._estimators = {x: make_estimator(y) for x, y in settings.difficulties.items()}
        self._weightings = {x: make_weighting(y) for x, y in settings.weightings.items()}
        self._parts = {name: parts(name, settings.weightings) for name in self._weightings}
        self._parts |= dict.fromkeys(PLAIN, Parts("", ""))
        self.systems: list[str] = []
        self.plain: dict[str, WeightedMetric] = {}
        self.keys: list[Key] = []
        self.missing: dict[Key, str] = {}
        self.no_segments: dict[str, str] = {}
        self._stored: dict[str, WeightedMetric] = {}
        self._last, self._known = np.empty(0, int), dict[str, np.ndarray]()
        self._signatures: dict[str, str] = {}
        for metric, entry in settings.metrics.items():
            absent = files.reason(file := f"statistics/{metric}.npz")
            if not absent:
                arrays = files.read(file)
                self.systems = [str(system) for system in arrays["systems"]]
                self._signatures[metric] = str(arrays["signature"])
                if "no_segments" in arrays:
                    self.no_segments[metric] = str(arrays["no_segments"])
                # Round before systems are selected, so that a system's score is the same in every
                # subset.
                statistics = fixed_point(arrays["statistics"])
                plain = WeightedMetric.standard(METRICS[entry.type], statistics)
                self.plain[metric] = plain
                if (stored := arrays.get("system_scores")) is not None:
                    # The archive's scores of systems stand for means that differ beyond rounding.
                    scale = max(np.ptp(stored), SAME * np.abs(stored).max())
                    apart = np.abs(self._on_counted(plain).scores() - stored).max()
                    if not apart <= SAME * scale:
                        self._stored[metric] = WeightedMetric(
                            Metric.aggregate,
                            stored[:, None, None],
                            higher_is_better=plain.higher_is_better,
                        )
            # Token weightings apply only to metrics with token matches.
            tokens = metric in settings.matches
            names = [STANDARD, *[MEAN] * (metric in self._stored)]
            names += [n for n, w in self.weightings.items() if tokens or w["unit"] != "token"]
            for name in names:
                if reason := absent or self._without_scores(metric, name):
                    self.missing[metric, name] = reason
                else:
                    self.keys.append((metric, name))
        metrics_of: dict[str, list[str]] = {}
        for metric, file in settings.matches.items():
            metrics_of.setdefault(file, []).append(metric)
        self.parts = [
            Part(metrics, *rescaled_matches(files.read(file)))
            for file, metrics in metrics_of.items()
            if not files.reason(file)
        ]

    def _without_scores(self, metric: str, weighting: str) -> str:
        """Return the reason why a metric has no scores under a weighting, "" if it has scores."""
        reason = "" if weighting in PLAIN else self.weightings[weighting]["missing"]
        if not reason and (name := self.segment_difficulty(weighting)):
            there = self.plain[metric].statistics.shape[1]
            expected = self._files.read(f"difficulty/{name}.npz")["difficulty"].shape[1]
            if there == 1 < expected:
                why = self.no_segments.get(metric, "only system scores are stored")
                reason = f"{why}; {weighting} needs segment scores"
            elif there != expected:
                reason = f"the metric has scores of {there} segments, the difficulty of {expected}"
        return reason

    def difficulty_of(self, weighting: str) -> str:
        """Return the name of a weighting's difficulty; for a combined weighting, the difficulty of
        its segment weighting. Not for `standard`."""
        return difficulty_of(weighting, self._settings.weightings)

    def segment_difficulty(self, weighting: str) -> str:
        """Return the name of the estimator behind segment weights; "" if there are none."""
        return self.difficulty_of(weighting) if self._parts[weighting].segments else ""

    def tokens_of(self, weighting: str) -> str:
        """Return the name of the token weighting that `weighting` is or contains; "" if none."""
        return self._parts[weighting].tokens

    def _depends_on_systems(self, weighting: str) -> bool:
        """Return whether the weighting's segment difficulty changes with the subset of systems."""
        name = self.segment_difficulty(weighting)
        return bool(name) and self._estimators[name].depends_on_systems

    @property
    def fixed(self) -> set[str]:
        """The names of weightings whose weights are the same in every subset of systems."""
        free = [name for name in self.weightings if not self.tokens_of(name)]
        return {*PLAIN, *(name for name in free if not self._depends_on_systems(name))}

    @property
    def signatures(self) -> dict[Key, str]:
        """The signature, a text of settings and versions, of each score by (metric, weighting)."""
        of_matches = {metric: part.signature for part in self.parts for metric in part.metrics}
        signatures = {}
        for metric, weighting in self.keys:
            signatures[metric, weighting] = self._signatures[metric]
            if weighting not in PLAIN:
                entry = self.weightings[weighting]
                base = of_matches if entry["unit"] == "token" else self._signatures
                signatures[metric, weighting] = base[metric] + entry["signature"]
        return signatures

    def without_score(self, weighting: str, scores: np.ndarray) -> str:
        """Return why, and for which systems, `scores`, (systems,), are NaN; "" if none are NaN."""
        systems = [s for s, score in zip(self.systems, scores, strict=True) if np.isnan(score)]
        why = (Weighting if weighting in PLAIN else self.weighting(weighting)).undefined
        return f"{why}: {', '.join(systems)}" * bool(systems)

    def estimator(self, difficulty: str) -> Estimator:
        """Return the difficulty estimator that the config names `difficulty`."""
        return self._estimators[difficulty]

    def weighting(self, name: str) -> Weighting:
        """Return the weighting `name`; if it joins a segment and a token weighting, the former."""
        segments, tokens = self._parts[name]
        return self._weightings[segments or tokens]

    def difficulty(self, name: str, systems: np.ndarray) -> np.ndarray:
        """Return estimator `name`'s difficulty for n systems, (n, segments); higher is harder."""
        # Kept for the last systems: many metrics and weightings read one difficulty.
        if not np.array_equal(systems, self._last):
            self._last, self._known = systems.copy(), {}
        if name not in self._known:
            arrays = self._files.read(f"difficulty/{name}.npz")
            if "values" in arrays:
                of_systems = self._estimators[name].difficulty(arrays["values"], systems)
            else:
                of_systems = arrays["difficulty"][systems]
            self._known[name] = of_systems
        return self._known[name]

    def token_difficulty(self, name: str, part: Part, systems: np.ndarray) -> np.ndarray:
        """Return a difficulty of reference tokens for n systems, (n, reference tokens), or (1,
        reference tokens) where it is equal for all."""
        estimator = self._estimators[name]
        difficulty = estimator.difficulty(estimator.estimate(self._evalset, part.matches), systems)
        return difficulty[:1] if (difficulty == difficulty[:1]).all() else difficulty

    @cached_property
    def _evalset(self) -> EvaluationSet:
        return self._files.read("evalset.json")

    @cached_property
    def counted(self) -> np.ndarray:
        """Ascending indices, (counted,), of segments from which system scores are computed."""
        return counted_segments(self._evalset)

    def _on_counted(self, metric: WeightedMetric) -> WeightedMetric:
        """Restrict a metric with segment scores to the segments `counted`; return others as is."""
        segments = metric.statistics.shape[1]
        if segments != len(self._evalset.reference) or len(self.counted) == segments:
            return metric
        return metric.select(segments=self.counted)

    def segment_quality(self, metric: str) -> np.ndarray:
        """Return segment scores on the counted segments, (systems, segments), or (systems, 1) for a
        metric with system scores only. Higher is better."""
        statistics = self._files.read(f"statistics/{metric}.npz")["statistics"]
        if statistics.shape[1] == len(self._evalset.reference):
            statistics = statistics[:, self.counted]
        kind = METRICS[self._settings.metrics[metric].type]
        return kind.segment_quality(statistics)

    def of(
        self, systems: np.ndarray, keys: Sequence[Key] | None = None, everywhere: bool = False
    ) -> dict[Key, WeightedMetric]:
        """Return the `WeightedMetric` of each (metric, weighting) in `keys`, by default of all.
        `systems` are indices; difficulties that depend on the systems are computed for these
        systems. Scores are on the counted segments or, with `everywhere`, on all segments."""
        keys = self.keys if keys is None else keys
        of_tokens: dict[Key, WeightedMetric] = {}
        names = set(filter(None, (self.tokens_of(weighting) for _, weighting in keys)))
        for part in self.parts if names else ():
            matches = select(part.matches, systems)
            for name in names:
                difficulty = self.token_difficulty(self.difficulty_of(name), part, systems)
                parameters = self.weightings[name]["parameters"]
                weighted = self._weightings[name].apply(matches, difficulty, parameters)
                of_tokens |= {(metric, name): weighted for metric in part.metrics}
        scores = {}
        for metric, weighting in keys:
            tokens = self.tokens_of(weighting)
            if weighting == STANDARD and metric in self._stored:
                scores[metric, weighting] = self._stored[metric].select(systems)
                continue
            below = of_tokens[metric, tokens] if tokens else self.plain[metric].select(systems)
            weighted = self._weigh(below, weighting, systems)
            scores[metric, weighting] = weighted if everywhere else self._on_counted(weighted)
        return scores

    def _weigh(self, metric: WeightedMetric, weighting: str, systems: np.ndarray) -> WeightedMetric:
        """Add a weighting's segment weights to a metric; return it unchanged if there are none."""
        if not (name := self.segment_difficulty(weighting)):
            return metric
        difficulty = self.difficulty(name, systems)
        if np.isnan(difficulty).any():  # of these systems alone, some segments have none
            return metric._replace(statistics=np.full_like(metric.statistics, np.nan))
        parameters = self.weightings[weighting]["parameters"]
        return self.weighting(weighting).apply(metric, difficulty, parameters)

    def quality(self, index: np.ndarray) -> dict[Key, np.ndarray]:
        """Return scores for subsets of systems by (metric, weighting); higher is better. `index`
        has system indices, (subsets, size); scores have this shape."""
        quality = {key: scores[index] for key, scores in self._fixed_quality.items()}
        for keys, scores, leave_one_out in self._linear:
            quality |= dict.fromkeys(keys, scores(index, leave_one_out))
        if by_subset := [key for key in self.keys if key not in quality]:
            drawn = [self.of(subset, by_subset) for subset in index]
            for key in by_subset:
                quality[key] = np.array([of[key].observed_quality() for of in drawn])
        return {key: quality[key] for key in self.keys}

    @cached_property
    def _fixed_quality(self) -> dict[Key, np.ndarray]:
        """System scores, (systems,), by key, of weightings that all subsets of systems share."""
        fixed = self.fixed
        keys = [key for key in self.keys if key[1] in fixed]
        of_all = self.of(np.arange(len(self.systems)), keys)
        return {key: weighted.observed_quality() for key, weighted in of_all.items()}

    @cached_property
    def _linear(self) -> list[tuple[list[Key], SubsetScores, bool]]:
        """Keys whose DA weighting is linear in the difficulty, with their `SubsetScores`, and
        whether a system's difficulty is computed without it (leave-one-out)."""
        linear = []
        for name, entry in self.weightings.items():
            tokens = self.tokens_of(name)
            if not tokens or entry["missing"] or self._depends_on_systems(name):
                continue
            settings = self._weightings[tokens]
            estimator = self._estimators[self.weightings[tokens]["difficulty"]]
            if not isinstance(settings, DA) or not isinstance(estimator, TokenDissimilarity):
                continue
            for part in self.parts if settings.linear else ():
                lengths = part.matches.hypothesis_lengths
                blank = WeightedMetric.blank(*lengths.shape)
                groups = self._weigh(blank, name, np.arange(len(lengths)))
                weights = np.ones((*lengths.shape, 1)) if groups.weights is None else groups.weights
                counted = np.isin(np.arange(lengths.shape[1]), self.counted)
                weights = weights * counted[:, None]  # the others have the weight 0
                scores = SubsetScores(part.matches, settings, weights, groups.shares)
                keys = [(m, name) for m in part.metrics if (m, name) in self.keys]
                linear.append((keys, scores, estimator.leave_one_out))
        return linear


def counted_segments(evalset: EvaluationSet) -> np.ndarray:
    """Return the ascending indices of the segments from which system scores are computed: with
    `segments: rated`, those with a human score of at least one ranked system; with `segments: all`,
    or without human scores of segments, all."""
    everything = np.arange(len(evalset.reference))
    if evalset.segments == "all" or not evalset.segment_gold:
        return everything
    rated = np.isfinite(np.array(evalset.segment_gold, dtype=float)).any(axis=0)
    return everything[rated] if rated.any() else everything


def describe_counted(evalset: EvaluationSet) -> str:
    """Return a sentence on the segments from which system scores are computed; empty where human
    scores of segments are complete or do not exist."""
    segments, counted = len(evalset.reference), len(counted_segments(evalset))
    gold = np.array(evalset.segment_gold or [[0.0] * segments], dtype=float)
    if (by_all := int(np.isfinite(gold).all(axis=0).sum())) == segments:
        return ""
    every = f"; {by_all} have one of every system"
    if evalset.segments == "all" and counted == segments:
        return f"scores over all {segments} segments, as the set is read{every}"
    every *= by_all != counted
    return f"scores over the {counted} of {segments} segments with human scores{every}"


def baseline(metric: str, keys: Container[Key]) -> Key:
    """Return the unweighted (metric, weighting) with which weightings are compared: MEAN if stored
    system scores differ from the mean of segment scores, else STANDARD."""
    return (metric, MEAN if (metric, MEAN) in keys else STANDARD)


class SubsetScores:
    """System scores under a linear DA weighting for subsets of systems, with difficulty computed
    from the subset: sums of precision and recall are c(s) − the mean of K(s', s) over the subset's
    systems s', so that c and K are computed once. `weights`, (systems, segments, groups),
    by default one group of equal weights, and `shares` are as in `WeightedMetric`."""

    def __init__(
        self,
        matches: Matches,
        settings: DA,
        weights: np.ndarray | None = None,
        shares: np.ndarray | None = None,
    ) -> None:
        self.settings, self.shares = settings, np.ones(1) if shares is None else shares
        if weights is None:
            weights = np.ones((*matches.hypothesis_lengths.shape, 1))
        groups = np.moveaxis(fixed_point(weights), -1, 0)
        self.sums_of_weights = groups.sum(axis=2)
        similarity = matches.reference_similarity.astype(float)
        slopes, fixed = coefficients(matches, settings)
        slopes = np.ascontiguousarray(np.moveaxis(slopes, -1, 0))
        constant, shared = [], []
        for group in groups:
            # Contribution of a token of weight 1 to the scored system's sum.
            inside = slopes * group[:, matches.reference_segment]
            outside = (fixed * group).sum(axis=1)
            outside = np.stack([outside, np.zeros_like(outside)], axis=1)
            constant.append(inside.sum(axis=-1).T + outside)
            # einsum computes every number separately, so that equal systems have equal scores; with
            # BLAS, their last digits differ on some processors.
            shared.append(np.einsum("jt,kst->jsk", similarity, inside))
        # c, (groups, systems, 2), and K, (groups, systems, systems, 2), summed over the segments of
        # each group. K's first system axis is the system in the difficulty, the second the scored.
        self.constant, self.shared = np.array(constant), np.array(shared)

    def __call__(self, index: np.ndarray, leave_one_out: bool = False) -> np.ndarray:
        """Return scores for subsets of systems, (subsets, size); NaN where a group is empty.
        `index` has system indices in this shape. With `leave_one_out`, the difficulty for a system
        is computed from the subset's other systems."""
        shared = self.shared[:, index[:, :, None], index[:, None, :]].sum(axis=2)
        size = index.shape[1]
        if leave_one_out:
            shared, size = shared - self.shared[:, index, index], size - 1
        sums = self.constant[:, index] - shared / size
        of_groups = self.settings.aggregate(sums, self.sums_of_weights[:, index])
        return combine(np.moveaxis(of_groups, 0, -1), self.shares)


def coefficients(matches: Matches, settings: DA) -> tuple[np.ndarray, np.ndarray]:
    """Return the coefficients of every reference token's weight in precision and recall, (systems,
    reference tokens, 2), and the constant term of precision, (systems, segments)."""
    systems, segments = matches.hypothesis_lengths.shape
    scoreable = matches.scoreable
    tokens, types = matches.reference_type.size, matches.hypothesis_type
    place = matches.hypothesis_place
    share = matches.hypothesis_similarity / matches.hypothesis_lengths.ravel()[place]
    share = np.where(scoreable.ravel()[place], share, 0.0)
    system, seen = place // segments, types >= 0
    recall = (
        matches.reference_similarity
        * (scoreable / np.maximum(matches.reference_lengths, 1))[:, matches.reference_segment]
    )
    kinds = matches.reference_type.max(initial=-1) + 1
    by_type = np.bincount(system[seen] * kinds + types[seen], share[seen], systems * kinds)
    precision = by_type.reshape(systems, kinds)[:, matches.reference_type] * occurrence_weights(
        matches.reference_type
    )
    fixed = ~seen
    if settings.unseen == "reference":
        best = best_token(matches)
        from_best = ~seen & (best >= 0)
        precision += np.bincount(
            system[from_best] * tokens + best[from_best], share[from_best], systems * tokens
        ).reshape(systems, tokens)
        fixed = ~seen & (best < 0)
    constant = np.bincount(place[fixed], share[fixed], systems * segments)
    return np.stack([precision, recall], axis=-1), constant.reshape(systems, segments)
