"""What an evaluation set's metrics give under every weighting, from the files of its results, for
all systems and for subsets of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..data.evalset import EvaluationSet
from ..data.set_files import SetFiles
from ..difficulty import make_estimator
from ..difficulty.base import Estimator
from ..difficulty.token_dissimilarity import TokenDissimilarity
from ..embedding.matches import Matches, rescaled_matches, select
from ..metrics import METRICS
from ..weighting import make_weighting
from ..weighting.base import WeightedMetric, Weighting, combine, fixed_point
from ..weighting.tokens import Tokens, best_token, occurrence_weights
from .counted import MEAN, PLAIN, STANDARD, counted_segments, same_scores

Key = tuple[str, str]
SYSTEM_SCORES_ONLY = "only system scores are stored; {} needs segment scores"
OTHER_SEGMENTS = "the metric has scores of {} segments, the difficulty of {}"


class Part(NamedTuple):
    """Metrics that share token matches, and these as weightings of tokens use them."""

    metrics: list[str]
    matches: Matches
    signature: str


class SetScores:
    """The metrics of a set under its weightings, for any of its systems.

    Parameters
    ----------
    files : SetFiles
        `weightings.json`, and where they exist `statistics/<metric>.npz`, `difficulty/<name>.npz`
        and token matches.
    settings : dict
        `metrics`, `difficulties` and `weightings`, by name; `matches`, the file of matches by
        metric.

    Attributes
    ----------
    systems : list of str
    difficulties, weightings : dict of str to dict
        As in `weightings.json`.
    plain : dict of str to WeightedMetric
        The metrics that have scores, on all segments, each of the same weight.
    parts : list of Part
    keys : list of (metric, weighting)
        Those that have scores; a metric's weightings stand together.
    missing : dict of (metric, weighting) to str
        Why others have none.
    """

    def __init__(self, files: SetFiles, settings: dict[str, Any]) -> None:
        self._files, self._settings = files, settings
        described = files.read("weightings.json")
        self.difficulties, self.weightings = described["difficulties"], described["weightings"]
        self._estimators = {
            name: make_estimator(each) for name, each in settings["difficulties"].items()
        }
        self._made = {name: make_weighting(each) for name, each in settings["weightings"].items()}
        self.systems: list[str] = []
        self.plain: dict[str, WeightedMetric] = {}
        self.keys: list[Key] = []
        self.missing: dict[Key, str] = {}
        self._stored: dict[str, WeightedMetric] = {}
        self._signatures: dict[str, str] = {}
        for metric, entry in settings["metrics"].items():
            absent = files.reason(file := f"statistics/{metric}.npz")
            if not absent:
                self._add(metric, METRICS[entry["type"]], files.read(file))
            # Weightings of tokens apply to metrics with token matches.
            tokens = metric in settings["matches"]
            names = [STANDARD, *[MEAN] * (metric in self._stored)]
            names += [n for n, one in self.weightings.items() if tokens or one["unit"] != "token"]
            for name in names:
                if reason := absent or self._without_scores(metric, name):
                    self.missing[metric, name] = reason
                else:
                    self.keys.append((metric, name))
        metrics_of: dict[str, list[str]] = {}
        for metric, file in settings["matches"].items():
            metrics_of.setdefault(file, []).append(metric)
        self.parts = [
            Part(metrics, *rescaled_matches(files.read(file)))
            for file, metrics in metrics_of.items()
            if not files.reason(file)
        ]

    def _add(self, name: str, metric: Any, arrays: dict[str, np.ndarray]) -> None:
        self.systems = [str(system) for system in arrays["systems"]]
        self._signatures[name] = str(arrays["signature"])
        # Rounded as those of all systems, so that a system's score is the same in every subset.
        one = WeightedMetric.standard(metric, fixed_point(arrays["statistics"]))
        self.plain[name] = one
        if "system_scores" in arrays:
            scores = arrays["system_scores"]
            if not same_scores(self._on_counted(one).scores(), scores):
                self._stored[name] = one._replace(statistics=scores[:, None, None])

    def _without_scores(self, metric: str, weighting: str) -> str:
        """Why a metric that is there has no scores under a weighting; empty where it has."""
        if weighting in PLAIN:
            return ""
        reason = self.weightings[weighting]["missing"]
        if not reason and (name := self._of_segments(weighting)):
            there = self.plain[metric].statistics.shape[1]
            expected = self._files.read(f"difficulty/{name}.npz")["difficulty"].shape[1]
            if there != expected:
                few = SYSTEM_SCORES_ONLY.format(weighting)
                reason = few if there == 1 else OTHER_SEGMENTS.format(there, expected)
        return reason

    def _of_segments(self, weighting: str) -> str:
        """The difficulty of segments or hypotheses that a weighting uses; empty if none."""
        if weighting in PLAIN or self._made[weighting].unit == "token":
            return ""
        return self.difficulty_of(weighting)

    def difficulty_of(self, weighting: str) -> str:
        """The name of the difficulty that a weighting, not `standard`, uses itself."""
        return self._settings["weightings"][weighting]["difficulty"]

    def tokens_of(self, weighting: str) -> str:
        """The weighting of tokens that is, or lies below, a weighting; empty if none."""
        if weighting in PLAIN:
            return ""
        token = self._made[weighting].unit == "token"
        return weighting if token else self.weightings[weighting]["over"]

    def weighs_segments(self, weighting: str) -> bool:
        """Whether a weighting weighs segments, so that it has no scores of single ones."""
        return bool(self._of_segments(weighting))

    def weighs_tokens(self, weighting: str) -> bool:
        """Whether a weighting weighs tokens alone, so that it has segment scores."""
        return bool(self.tokens_of(weighting)) and not self._of_segments(weighting)

    def _depends_on_systems(self, weighting: str) -> bool:
        """Whether a weighting's difficulty of segments is that of the systems at hand."""
        name = self._of_segments(weighting)
        return bool(name) and self._estimators[name].depends_on_systems

    @property
    def fixed(self) -> set[str]:
        """Weightings whose weights are the same whatever the systems at hand."""
        return {*PLAIN} | {
            name
            for name in self.weightings
            if not self.tokens_of(name) and not self._depends_on_systems(name)
        }

    @property
    def signatures(self) -> dict[Key, str]:
        """Settings and versions behind the scores."""
        of_matches = {metric: part.signature for part in self.parts for metric in part.metrics}
        found = {}
        for metric, weighting in self.keys:
            found[metric, weighting] = self._signatures[metric]
            if weighting not in PLAIN:
                entry = self.weightings[weighting]
                base = of_matches if entry["unit"] == "token" else self._signatures
                found[metric, weighting] = base[metric] + entry["signature"]
        return found

    def without_score(self, weighting: str, scores: np.ndarray) -> str:
        """Why systems have no score under a weighting, (systems,); empty where all have one."""
        systems = [s for s, score in zip(self.systems, scores, strict=True) if np.isnan(score)]
        why = (Weighting if weighting in PLAIN else self._made[weighting]).undefined
        return f"{why}: {', '.join(systems)}" * bool(systems)

    def estimator(self, difficulty: str) -> Estimator:
        """The estimator of a difficulty."""
        return self._estimators[difficulty]

    def weighting(self, name: str) -> Weighting:
        """A weighting with its settings."""
        return self._made[name]

    def difficulty(self, name: str, systems: np.ndarray) -> np.ndarray:
        """A difficulty of segments or hypotheses for some systems, (n, segments)."""
        arrays = self._files.read(f"difficulty/{name}.npz")
        if "values" in arrays:
            return self._estimators[name].difficulty(arrays["values"], systems)
        return arrays["difficulty"][systems]

    def token_difficulty(self, name: str, part: Part, systems: np.ndarray) -> np.ndarray:
        """A difficulty of reference tokens for some systems, (1 or n, reference tokens); one row
        where it is the same for all."""
        estimator = self._estimators[name]
        values = estimator.estimate(self._evalset, part.matches)
        found = estimator.difficulty(values, systems)
        return found[:1] if (found == found[:1]).all() else found

    @cached_property
    def _evalset(self) -> EvaluationSet:
        return self._files.read("evalset.json")

    @cached_property
    def counted(self) -> np.ndarray:
        """Indices of the segments that count (`counted_segments`)."""
        return counted_segments(self._evalset)

    def _on_counted(self, one: WeightedMetric) -> WeightedMetric:
        """The same on the segments that count; of system scores alone there are none to choose."""
        segments = one.statistics.shape[1]
        if segments != len(self._evalset.reference) or len(self.counted) == segments:
            return one
        return one.select(segments=self.counted)

    def segment_quality(self, metric: str) -> np.ndarray:
        """Scores of the segments that count, as they were computed or stored, (systems, segments);
        of a metric with system scores alone (systems, 1). Higher is better."""
        statistics = self._files.read(f"statistics/{metric}.npz")["statistics"]
        if statistics.shape[1] == len(self._evalset.reference):
            statistics = statistics[:, self.counted]
        kind = METRICS[self._settings["metrics"][metric]["type"]]
        return kind.segment_scores(statistics) * (1 if kind.higher_is_better else -1)

    def of(
        self, systems: np.ndarray, keys: Sequence[Key] | None = None, everywhere: bool = False
    ) -> dict[Key, WeightedMetric]:
        """`WeightedMetric` by metric and weighting, `keys` by default, for some systems, of int, on
        the segments that count, or on all of them (`everywhere`); a difficulty that depends on the
        systems is that of these."""
        keys = self.keys if keys is None else keys
        of_tokens: dict[Key, WeightedMetric] = {}
        names = set(filter(None, (self.tokens_of(weighting) for _, weighting in keys)))
        for part in self.parts if names else ():
            matches = select(part.matches, systems)
            for name in names:
                difficulty = self.token_difficulty(self.difficulty_of(name), part, systems)
                parameters = self.weightings[name]["parameters"]
                one = self._made[name].apply(matches, difficulty, parameters)
                of_tokens |= {(metric, name): one for metric in part.metrics}
        found = {}
        for metric, weighting in keys:
            tokens = self.tokens_of(weighting)
            if weighting == STANDARD and metric in self._stored:
                found[metric, weighting] = self._stored[metric].select(systems)
                continue
            one = of_tokens[metric, tokens] if tokens else self.plain[metric].select(systems)
            one = self._weigh(one, weighting, systems)
            found[metric, weighting] = one if everywhere else self._on_counted(one)
        return found

    def _weigh(self, one: WeightedMetric, weighting: str, systems: np.ndarray) -> WeightedMetric:
        """A metric under a weighting of segments; as it is for any other."""
        if not (name := self._of_segments(weighting)):
            return one
        difficulty = self.difficulty(name, systems)
        if np.isnan(difficulty).any():  # of these systems alone, some segments have none
            return one._replace(statistics=np.full_like(one.statistics, np.nan))
        parameters = self.weightings[weighting]["parameters"]
        return self._made[weighting].apply(one, difficulty, parameters)

    def quality(self, index: np.ndarray) -> dict[Key, np.ndarray]:
        """Scores of subsets of systems, of int, (subsets, size), in the same shape by metric and
        weighting, as those of `of`; higher is better."""
        found = {key: scores[index] for key, scores in self._fixed_quality.items()}
        for keys, scores, leave_one_out in self._linear:
            of_subsets = scores(index, leave_one_out)
            found |= dict.fromkeys(keys, of_subsets)
        if rest := [key for key in self.keys if key not in found]:
            drawn = [self.of(subset, rest) for subset in index]
            found |= {key: np.array([one[key].observed_quality() for one in drawn]) for key in rest}
        return {key: found[key] for key in self.keys}

    @cached_property
    def _fixed_quality(self) -> dict[Key, np.ndarray]:
        """Scores of all systems, which are those of every subset."""
        fixed = self.fixed
        keys = [key for key in self.keys if key[1] in fixed]
        of_all = self.of(np.arange(len(self.systems)), keys)
        return {key: one.observed_quality() for key, one in of_all.items()}

    @cached_property
    def _linear(self) -> list[tuple[list[Key], SubsetScores, bool]]:
        """Metrics under weightings of tokens that are linear in DA's difficulty, their scores, and
        whether a system's difficulty is that of the other systems."""
        found = []
        for name, entry in self.weightings.items():
            tokens = self.tokens_of(name)
            if not tokens or entry["missing"] or self._depends_on_systems(name):
                continue
            settings = self._made[tokens]
            estimator = self._estimators[self.weightings[tokens]["difficulty"]]
            if not isinstance(settings, Tokens) or not settings.linear:
                continue
            if not isinstance(estimator, TokenDissimilarity):
                continue
            for part in self.parts:
                lengths = part.matches.hypothesis_lengths
                blank = WeightedMetric.blank(*lengths.shape)
                groups = self._weigh(blank, name, np.arange(len(lengths)))
                weights = groups.weights
                if len(self.counted) < lengths.shape[1]:  # the others have the weight 0
                    weights = np.ones((*lengths.shape, 1)) if weights is None else weights
                    counts = np.zeros((lengths.shape[1], 1))
                    counts[self.counted] = 1
                    weights = weights * counts
                one = SubsetScores(part.matches, settings, weights, groups.shares)
                keys = [(m, name) for m in part.metrics if (m, name) in self.keys]
                found.append((keys, one, estimator.leave_one_out))
        return found


class SubsetScores:
    """System scores for any subsets of systems, where difficulty is that of the subset.

    With linear settings, precision and recall are c(s) − the mean over the subset's systems s' of
    K(s', s): all subsets cost one product of matrices, K.

    Parameters
    ----------
    matches : Matches
    settings : Tokens
        Linear ones.
    weights : ndarray, (systems, segments, groups), optional
        Of the segments of every system in groups that are scored apart, such as EE's easy and
        difficult ones; one group of equal weights by default.
    shares : ndarray, (groups,), optional
        Share of every group's score in the combined score.
    """

    def __init__(
        self,
        matches: Matches,
        settings: Tokens,
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
            # A token's share in the scored system's sum, were its weight 1.
            inside = slopes * group[:, matches.reference_segment]
            outside = (fixed * group).sum(axis=1)
            outside = np.stack([outside, np.zeros_like(outside)], axis=1)
            constant.append(inside.sum(axis=-1).T + outside)
            # Every number is a sum of its own, so that equal systems have equal scores; a product
            # of BLAS gives them different last digits on some processors.
            shared.append(np.einsum("jt,kst->jsk", similarity, inside))
        # c, (groups, systems, 2), and K, (groups, systems, systems, 2), summed over the segments of
        # each group; of K by the system in the difficulty, then by the scored one.
        self.constant, self.shared = np.array(constant), np.array(shared)

    def __call__(self, index: np.ndarray, leave_one_out: bool = False) -> np.ndarray:
        """Scores of subsets, of int, (subsets, size), in the same shape; NaN where a group of a
        system is empty. With `leave_one_out` a system's difficulties come from the subset's other
        systems."""
        shared = self.shared[:, index[:, :, None], index[:, None, :]].sum(axis=2)
        size = index.shape[1]
        if leave_one_out:
            shared, size = shared - self.shared[:, index, index], size - 1
        sums = self.constant[:, index] - shared / size
        of_groups = self.settings.aggregate(sums, self.sums_of_weights[:, index])
        return combine(np.moveaxis(of_groups, 0, -1), self.shares)


def coefficients(matches: Matches, settings: Tokens) -> tuple[np.ndarray, np.ndarray]:
    """How much the weight of every reference token moves precision and recall, (systems,
    reference tokens, 2), and what of the precision depends on none, (systems, segments)."""
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
