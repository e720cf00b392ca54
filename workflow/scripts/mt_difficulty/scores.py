"""Compute system scores of an evaluation set under every metric and weighting (`ScoredSet`)."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from .data.evalset import EvaluationSet, SetFiles
from .difficulty import make_estimator
from .difficulty.base import Estimator
from .difficulty.token_dissimilarity import TokenDissimilarity
from .embedding import Matches, rescaled_matches, select
from .metrics import METRICS, metric_settings
from .metrics.base import Metric
from .settings import DifficultySettings, ScoreSettings, WeightingSettings
from .weighting import Parts, difficulty_of, make_weighting, parts
from .weighting.base import MEAN, PLAIN, STANDARD, WeightedMetric, Weighting, combine, fixed_point
from .weighting.DA import DA, best_token, occurrence_weights

Key = tuple[str, str]
SYSTEM_SCORES_ONLY = (
    "only system scores are stored, or the set has one segment: no segments to resample"
)
# Means and stored scores that differ by at most this share of their range are equal: six digits.
SAME = 1e-5


def settings_of(entries: Mapping[str, Any]) -> ScoreSettings:
    """Return the settings of a set's scores from their entries (`ScoreSettings.entries`)."""
    difficulties = entries["difficulties"].items()
    weightings = entries["weightings"].items()
    return ScoreSettings(
        metrics={name: metric_settings(entry) for name, entry in entries["metrics"].items()},
        difficulties={name: DifficultySettings.of(entry) for name, entry in difficulties},
        weightings={name: WeightingSettings.of(entry) for name, entry in weightings},
        matches=entries["matches"],
    )


class Part(NamedTuple):
    """Metrics that share an encoder.

    Parameters
    ----------
    metrics : list of str
        Names of the metrics.
    matches : Matches
        Token matches by the encoder.
    signature : str
        The signature of these matches.
    """

    metrics: list[str]
    matches: Matches
    signature: str


class ScoredSet:
    """Scores of a set under all metrics and weightings, for any subset of its systems.

    Parameters
    ----------
    files : SetFiles
        `evalset.json`, `weightings.json` and, where they exist, `statistics/<metric>.npz`,
        `difficulty/<name>.npz` and token matches: results of a run, or their equivalent in memory
        (`texts.score_texts`).
    settings : ScoreSettings
        Metrics, difficulties and weightings.

    Attributes
    ----------
    difficulties, weightings : dict of str to dict
        Entries of `weightings.json` by name.
    systems : list of str
        Names of the systems.
    plain : dict of str to WeightedMetric
        The unweighted metrics that have scores, on all segments.
    keys : list of (str, str)
        The pairs (metric, weighting) that have scores, grouped by metric.
    missing : dict of (str, str) to str
        The reason for each other pair.
    no_segments : dict of str to str
        Why a metric has scores of systems alone, if its files say more than that.
    parts : list of Part
        Metrics with token matches, by encoder.
    """

    def __init__(self, files: SetFiles, settings: ScoreSettings) -> None:
        self._files = files
        self._settings = settings
        described = files.read("weightings.json")
        self.difficulties = described["difficulties"]
        self.weightings = described["weightings"]
        self._estimators = {
            name: make_estimator(entry) for name, entry in settings.difficulties.items()
        }
        self._weightings = {
            name: make_weighting(entry) for name, entry in settings.weightings.items()
        }
        self._parts = {name: parts(name, settings.weightings) for name in self._weightings}
        self._parts |= dict.fromkeys(PLAIN, Parts("", ""))
        self.systems: list[str] = []
        self.plain: dict[str, WeightedMetric] = {}
        self.keys: list[Key] = []
        self.missing: dict[Key, str] = {}
        self.no_segments: dict[str, str] = {}
        # System scores of the archive that differ from means of segment scores.
        self._stored: dict[str, WeightedMetric] = {}
        self._signatures: dict[str, str] = {}
        # The systems whose difficulties were read last, and these difficulties.
        self._last_systems = np.empty(0, int)
        self._last_difficulties: dict[str, np.ndarray] = {}
        for metric in settings.metrics:
            absent = files.reason(f"statistics/{metric}.npz")
            if not absent:
                self._add_metric(metric, files.read(f"statistics/{metric}.npz"))
            self._add_keys(metric, absent)
        self.parts = self._read_parts()

    def _add_metric(self, metric: str, arrays: Mapping[str, np.ndarray]) -> None:
        """Add a metric with its statistics of segments and, if stored, its scores of systems."""
        self.systems = [str(system) for system in arrays["systems"]]
        self._signatures[metric] = str(arrays["signature"])
        if "no_segments" in arrays:
            self.no_segments[metric] = str(arrays["no_segments"])
        # Statistics are rounded before systems are selected, so that a system's score is the same
        # in every subset.
        statistics = fixed_point(arrays["statistics"])
        plain = WeightedMetric.standard(METRICS[self._settings.metrics[metric].type], statistics)
        self.plain[metric] = plain
        stored = arrays.get("system_scores")
        if stored is None:
            return
        # The archive's scores of systems stand for means that differ beyond rounding.
        scale = max(np.ptp(stored), SAME * np.abs(stored).max())
        difference = np.abs(self._on_counted(plain).scores() - stored).max()
        if not difference <= SAME * scale:  # also if it is NaN
            self._stored[metric] = WeightedMetric(
                Metric.aggregate,
                stored[:, None, None],
                higher_is_better=plain.higher_is_better,
            )

    def _add_keys(self, metric: str, absent: str) -> None:
        """Add the keys of a metric, or the reasons why it has no scores under a weighting. `absent`
        is the reason why it has no scores at all."""
        names = [STANDARD]
        if metric in self._stored:
            names.append(MEAN)
        for name, entry in self.weightings.items():
            # Token weightings apply only to metrics with token matches.
            if metric in self._settings.matches or entry["unit"] != "token":
                names.append(name)
        for name in names:
            reason = absent or self._without_scores(metric, name)
            if reason:
                self.missing[metric, name] = reason
            else:
                self.keys.append((metric, name))

    def _read_parts(self) -> list[Part]:
        """Read the token matches of each encoder that has any."""
        metrics_by_file: dict[str, list[str]] = {}
        for metric, file in self._settings.matches.items():
            metrics_by_file.setdefault(file, []).append(metric)
        return [
            Part(metrics, *rescaled_matches(self._files.read(file)))
            for file, metrics in metrics_by_file.items()
            if not self._files.reason(file)
        ]

    def _without_scores(self, metric: str, weighting: str) -> str:
        """Return the reason why a metric has no scores under a weighting, "" if it has scores."""
        if weighting not in PLAIN and self.weightings[weighting]["missing"]:
            return self.weightings[weighting]["missing"]
        name = self.segment_difficulty(weighting)
        if not name:
            return ""
        segments = self.plain[metric].statistics.shape[1]
        expected = self._files.read(f"difficulty/{name}.npz")["difficulty"].shape[1]
        if segments == 1 < expected:
            why = self.no_segments.get(metric, "only system scores are stored")
            return f"{why}; {weighting} needs segment scores"
        if segments != expected:
            return f"the metric has scores of {segments} segments, the difficulty of {expected}"
        return ""

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
        names = set(PLAIN)
        for name in self.weightings:
            if not (self.tokens_of(name) or self._depends_on_systems(name)):
                names.add(name)
        return names

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
        systems = [
            system for system, score in zip(self.systems, scores, strict=True) if np.isnan(score)
        ]
        if not systems:
            return ""
        undefined = Weighting.undefined
        if weighting not in PLAIN:
            undefined = self.weighting(weighting).undefined
        return f"{undefined}: {', '.join(systems)}"

    def estimator(self, difficulty: str) -> Estimator:
        """Return the difficulty estimator that the config names `difficulty`."""
        return self._estimators[difficulty]

    def weighting(self, name: str) -> Weighting:
        """Return the weighting `name`; if it joins a segment and a token weighting, the former."""
        segments, tokens = self._parts[name]
        return self._weightings[segments or tokens]

    def difficulty(self, name: str, systems: np.ndarray) -> np.ndarray:
        """Return estimator `name`'s difficulty for n systems, (n, segments); higher is harder."""
        # The difficulties of the last systems are kept: many metrics and weightings read the same.
        if not np.array_equal(systems, self._last_systems):
            self._last_systems = systems.copy()
            self._last_difficulties = {}
        if name not in self._last_difficulties:
            arrays = self._files.read(f"difficulty/{name}.npz")
            if "values" in arrays:
                difficulty = self._estimators[name].difficulty(arrays["values"], systems)
            else:
                difficulty = arrays["difficulty"][systems]
            self._last_difficulties[name] = difficulty
        return self._last_difficulties[name]

    def token_difficulty(self, name: str, part: Part, systems: np.ndarray) -> np.ndarray:
        """Estimate a difficulty of reference tokens.

        Parameters
        ----------
        name : str
            Name of the difficulty.
        part : Part
            Token matches that it is estimated from.
        systems : ndarray of int
            Indices of n systems.

        Returns
        -------
        ndarray of shape (n or 1, reference tokens)
            Higher is harder; one row if the difficulty is the same for all systems.
        """
        estimator = self._estimators[name]
        values = estimator.estimate(self._evalset, part.matches)
        difficulty = estimator.difficulty(values, systems)
        is_shared = (difficulty == difficulty[:1]).all()
        return difficulty[:1] if is_shared else difficulty

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
        self, systems: np.ndarray, keys: Sequence[Key] | None = None, *, everywhere: bool = False
    ) -> dict[Key, WeightedMetric]:
        """Apply weightings to the metrics.

        Parameters
        ----------
        systems : ndarray of int
            Indices of systems. Difficulties that depend on the systems are computed for these.
        keys : sequence of (str, str), optional
            Pairs (metric, weighting); by default all.
        everywhere : bool
            Whether scores are on all segments, not on the counted ones alone.

        Returns
        -------
        dict of (str, str) to WeightedMetric
        """
        keys = self.keys if keys is None else keys
        by_tokens = self._weigh_tokens(systems, keys)
        scores = {}
        for metric, weighting in keys:
            if weighting == STANDARD and metric in self._stored:
                scores[metric, weighting] = self._stored[metric].select(systems)
                continue
            tokens = self.tokens_of(weighting)
            base = by_tokens[metric, tokens] if tokens else self.plain[metric].select(systems)
            weighted = self._weigh(base, weighting, systems)
            scores[metric, weighting] = weighted if everywhere else self._on_counted(weighted)
        return scores

    def _weigh_tokens(self, systems: np.ndarray, keys: Sequence[Key]) -> dict[Key, WeightedMetric]:
        """Return metrics under the token weightings that `keys` use."""
        names = set(filter(None, (self.tokens_of(weighting) for _, weighting in keys)))
        if not names:
            return {}
        by_tokens: dict[Key, WeightedMetric] = {}
        for part in self.parts:
            matches = select(part.matches, systems)
            for name in names:
                difficulty = self.token_difficulty(self.difficulty_of(name), part, systems)
                parameters = self.weightings[name]["parameters"]
                weighted = self._weightings[name].apply(matches, difficulty, parameters)
                for metric in part.metrics:
                    by_tokens[metric, name] = weighted
        return by_tokens

    def _weigh(self, metric: WeightedMetric, weighting: str, systems: np.ndarray) -> WeightedMetric:
        """Add a weighting's segment weights to a metric; return it unchanged if there are none."""
        name = self.segment_difficulty(weighting)
        if not name:
            return metric
        difficulty = self.difficulty(name, systems)
        # Estimated from these systems alone, some segments have no difficulty.
        if np.isnan(difficulty).any():
            return metric._replace(statistics=np.full_like(metric.statistics, np.nan))
        parameters = self.weightings[weighting]["parameters"]
        return self.weighting(weighting).apply(metric, difficulty, parameters)

    def quality(self, index: np.ndarray) -> dict[Key, np.ndarray]:
        """Return scores for subsets of systems by (metric, weighting); higher is better. `index`
        has system indices, (subsets, size); scores have this shape."""
        quality = {key: scores[index] for key, scores in self._fixed_quality.items()}
        for keys, subset_scores, leave_one_out in self._linear:
            of_subsets = subset_scores(index, leave_one_out=leave_one_out)
            for key in keys:
                quality[key] = of_subsets
        # The weights of the other weightings are computed for each subset.
        refitted = [key for key in self.keys if key not in quality]
        if refitted:
            weighted = [self.of(subset, refitted) for subset in index]
            for key in refitted:
                quality[key] = np.array([by_key[key].observed_quality() for by_key in weighted])
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
            weighting = self._weightings[tokens]
            estimator = self._estimators[self.weightings[tokens]["difficulty"]]
            if not isinstance(weighting, DA) or not weighting.linear:
                continue
            if not isinstance(estimator, TokenDissimilarity):
                continue
            for part in self.parts:
                weights, shares = self._segment_weights(name, part)
                scores = SubsetScores(part.matches, weighting, weights, shares)
                keys = [(metric, name) for metric in part.metrics if (metric, name) in self.keys]
                linear.append((keys, scores, estimator.leave_one_out))
        return linear

    def _segment_weights(self, weighting: str, part: Part) -> tuple[np.ndarray, np.ndarray]:
        """Return the segment weights of a weighting, (systems, segments, groups), and the shares of
        the groups. Segments that are not counted have the weight 0."""
        systems, segments = part.matches.hypothesis_lengths.shape
        blank = WeightedMetric.blank(systems, segments)
        weighted = self._weigh(blank, weighting, np.arange(systems))
        weights = weighted.weights
        if weights is None:
            weights = np.ones((systems, segments, 1))
        is_counted = np.isin(np.arange(segments), self.counted)
        return weights * is_counted[:, None], weighted.shares


def counted_segments(evalset: EvaluationSet) -> np.ndarray:
    """Return the ascending indices of the segments from which system scores are computed: with
    `segments: rated`, those with a human score of at least one ranked system; with `segments: all`,
    or without human scores of segments, all."""
    segments = np.arange(len(evalset.reference))
    if evalset.segments == "all" or not evalset.segment_gold:
        return segments
    is_rated = np.isfinite(np.array(evalset.segment_gold, dtype=float)).any(axis=0)
    return segments[is_rated] if is_rated.any() else segments


def describe_counted(evalset: EvaluationSet) -> str:
    """Return a sentence on the segments from which system scores are computed; empty where human
    scores of segments are complete or do not exist."""
    segments = len(evalset.reference)
    counted = len(counted_segments(evalset))
    if not evalset.segment_gold:
        return ""
    gold = np.array(evalset.segment_gold, dtype=float)
    complete = int(np.isfinite(gold).all(axis=0).sum())
    if complete == segments:
        return ""
    note = f"; {complete} have one of every system"
    if evalset.segments == "all" and counted == segments:
        return f"scores over all {segments} segments, as the set is read{note}"
    if complete == counted:
        note = ""
    return f"scores over the {counted} of {segments} segments with human scores{note}"


def baseline(metric: str, keys: Container[Key]) -> Key:
    """Return the unweighted (metric, weighting) with which weightings are compared: MEAN if stored
    system scores differ from the mean of segment scores, else STANDARD."""
    return (metric, MEAN if (metric, MEAN) in keys else STANDARD)


class SubsetScores:
    """System scores under a linear DA weighting for subsets of systems, with difficulty computed
    from the subset.

    Parameters
    ----------
    matches : Matches
        Token matches of all systems.
    settings : DA
        The weighting; its `linear` is true.
    weights : ndarray of shape (systems, segments, groups), optional
        Segment weights (`WeightedMetric`); by default one group of equal weights.
    shares : ndarray of shape (groups,), optional
        Shares of the groups' scores (`WeightedMetric`); by default 1.

    Notes
    -----
    The sums of precision and recall of a system s are c(s) − the mean of K(s', s) over the subset's
    systems s', so that c and K are computed once.
    """

    def __init__(
        self,
        matches: Matches,
        settings: DA,
        weights: np.ndarray | None = None,
        shares: np.ndarray | None = None,
    ) -> None:
        self.settings = settings
        self.shares = np.ones(1) if shares is None else shares
        if weights is None:
            weights = np.ones((*matches.hypothesis_lengths.shape, 1))
        groups = np.moveaxis(fixed_point(weights), -1, 0)
        self.sums_of_weights = groups.sum(axis=2)
        similarity = matches.reference_similarity.astype(float)
        slopes, fixed = coefficients(matches, settings)
        slopes = np.ascontiguousarray(np.moveaxis(slopes, -1, 0))
        constant = []
        shared = []
        for group in groups:
            # Contribution of a token of weight 1 to the scored system's sum.
            inside = slopes * group[:, matches.reference_segment]
            outside = (fixed * group).sum(axis=1)
            outside = np.stack([outside, np.zeros_like(outside)], axis=1)
            constant.append(inside.sum(axis=-1).T + outside)
            # einsum computes every number separately, so that equal systems have equal scores; with
            # BLAS, their last digits differ on some processors.
            shared.append(np.einsum("jt,kst->jsk", similarity, inside))
        # c, (groups, systems, 2), summed over the segments of each group.
        self.constant = np.array(constant)
        # K, (groups, systems, systems, 2). The first system axis is the system in the difficulty,
        # the second the scored one.
        self.shared = np.array(shared)

    def __call__(self, index: np.ndarray, *, leave_one_out: bool = False) -> np.ndarray:
        """Return scores for subsets of systems, (subsets, size); NaN where a group is empty.
        `index` has system indices in this shape. With `leave_one_out`, the difficulty for a system
        is computed from the subset's other systems."""
        shared = self.shared[:, index[:, :, None], index[:, None, :]].sum(axis=2)
        size = index.shape[1]
        if leave_one_out:
            shared = shared - self.shared[:, index, index]
            size -= 1
        sums = self.constant[:, index] - shared / size
        of_groups = self.settings.aggregate(sums, self.sums_of_weights[:, index])
        return combine(np.moveaxis(of_groups, 0, -1), self.shares)


def coefficients(matches: Matches, settings: DA) -> tuple[np.ndarray, np.ndarray]:
    """Return the coefficients of every reference token's weight in precision and recall, (systems,
    reference tokens, 2), and the constant term of precision, (systems, segments)."""
    systems, segments = matches.hypothesis_lengths.shape
    tokens = matches.reference_type.size
    # For each hypothesis token, its share in the precision if its weight is 1.
    hypothesis = matches.hypothesis_place
    system = hypothesis // segments
    share = matches.hypothesis_similarity / matches.hypothesis_lengths.ravel()[hypothesis]
    share = np.where(matches.scoreable.ravel()[hypothesis], share, 0.0)

    share_of_segment = matches.scoreable / np.maximum(matches.reference_lengths, 1)
    recall = matches.reference_similarity * share_of_segment[:, matches.reference_segment]

    # A hypothesis token of a type in the reference has the weights of the tokens of this type.
    types = matches.hypothesis_type
    is_seen = types >= 0
    number_of_types = matches.reference_type.max(initial=-1) + 1
    by_type = np.bincount(
        system[is_seen] * number_of_types + types[is_seen],
        share[is_seen],
        systems * number_of_types,
    ).reshape(systems, number_of_types)
    precision = by_type[:, matches.reference_type] * occurrence_weights(matches.reference_type)

    # The others have the weight of their best match, or a constant weight.
    is_constant = ~is_seen
    if settings.unseen == "reference":
        best = best_token(matches)
        has_best = ~is_seen & (best >= 0)
        precision += np.bincount(
            system[has_best] * tokens + best[has_best], share[has_best], systems * tokens
        ).reshape(systems, tokens)
        is_constant = ~is_seen & (best < 0)
    constant = np.bincount(hypothesis[is_constant], share[is_constant], systems * segments)
    return np.stack([precision, recall], axis=-1), constant.reshape(systems, segments)
