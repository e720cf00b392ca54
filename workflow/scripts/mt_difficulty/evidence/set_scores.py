"""What an evaluation set's metrics give under every weighting, from the files of its results."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..data.evalset import EvaluationSet
from ..data.set_files import SetFiles
from ..difficulty import make_estimator
from ..difficulty.base import Estimator
from ..embedding.matches import Matches, rescaled_matches, select
from ..metrics import METRICS
from ..metrics.base import Metric
from ..weighting import make_weighting
from ..weighting.base import WeightedMetric, Weighting, fixed_point
from .counted import MEAN, PLAIN, STANDARD, counted_segments, same_scores
from .subset_scores import LinearScores, linear_scores

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
        self._estimators: dict[str, Estimator] = {
            name: make_estimator(each) for name, each in settings["difficulties"].items()
        }
        self._made: dict[str, Weighting] = {
            name: make_weighting(each) for name, each in settings["weightings"].items()
        }
        self.systems: list[str] = []
        self.plain: dict[str, WeightedMetric] = {}
        self._stored: dict[str, WeightedMetric] = {}
        self._signatures: dict[str, str] = {}
        self.missing: dict[Key, str] = {}
        for name, entry in settings["metrics"].items():
            self._add(name, METRICS[entry["type"]])
        self.parts = self._read_parts()
        self.keys = [
            (metric, weighting)
            for metric in settings["metrics"]
            for weighting in self.of_metric(metric)
            if self._has_scores(metric, weighting)
        ]

    def _add(self, name: str, metric: type[Metric]) -> None:
        file = f"statistics/{name}.npz"
        if reason := self._files.reason(file):
            self.missing |= {(name, weighting): reason for weighting in self.of_metric(name)}
            return
        arrays = self._files.read(file)
        self.systems = [str(system) for system in arrays["systems"]]
        self._signatures[name] = str(arrays["signature"])
        # Rounded as those of all systems, so that a system's score is the same in every subset.
        one = WeightedMetric.standard(metric, fixed_point(arrays["statistics"]))
        self.plain[name] = one
        if "system_scores" in arrays:
            scores = arrays["system_scores"]
            if not same_scores(self._on_counted(one).scores(), scores):
                self._stored[name] = one._replace(statistics=scores[:, None, None])

    def _read_parts(self) -> list[Part]:
        metrics_of: dict[str, list[str]] = {}
        for metric, file in self._settings["matches"].items():
            metrics_of.setdefault(file, []).append(metric)
        return [
            Part(metrics, *rescaled_matches(self._files.read(file)))
            for file, metrics in metrics_of.items()
            if not self._files.reason(file)
        ]

    def of_metric(self, metric: str) -> list[str]:
        """The weightings that apply to a metric: those of tokens to one with token matches."""
        tokens = metric in self._settings["matches"]
        means = [MEAN] if metric in self._stored else []
        return [STANDARD, *means] + [
            name for name, entry in self.weightings.items() if tokens or entry["unit"] != "token"
        ]

    def _has_scores(self, metric: str, weighting: str) -> bool:
        """Whether there are scores; if not, `missing` says why."""
        if (metric, weighting) in self.missing:
            return False
        if weighting in PLAIN:
            return True
        reason = self.weightings[weighting]["missing"]
        if not reason and (name := self._of_segments(weighting)):
            there = self.plain[metric].statistics.shape[1]
            expected = self._files.read(f"difficulty/{name}.npz")["difficulty"].shape[1]
            if there != expected:
                reason = OTHER_SEGMENTS.format(there, expected)
                if there == 1:
                    reason = SYSTEM_SCORES_ONLY.format(weighting)
        if reason:
            self.missing[metric, weighting] = reason
        return not reason

    def _of_segments(self, weighting: str) -> str:
        """The difficulty of segments or hypotheses that a weighting uses; empty if none."""
        if weighting in PLAIN:
            return ""
        entry = self._settings["weightings"][weighting]
        return "" if self._made[weighting].unit == "token" else entry["difficulty"]

    def weighs_segments(self, weighting: str) -> bool:
        """Whether a weighting weighs segments, so that it has no scores of single ones."""
        return bool(self._of_segments(weighting))

    def tokens_of(self, weighting: str) -> str:
        """The weighting of tokens that is, or lies below, a weighting; empty if none."""
        if weighting in PLAIN:
            return ""
        if self._made[weighting].unit == "token":
            return weighting
        return self.weightings[weighting]["over"]

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
        why = Weighting.undefined
        if weighting not in PLAIN:
            why = self._made[weighting].undefined
        return f"{why}: {', '.join(systems)}" * bool(systems)

    @property
    def fixed(self) -> set[str]:
        """Weightings whose weights are the same whatever the systems at hand."""
        return {*PLAIN} | {
            name
            for name in self.weightings
            if not self.tokens_of(name) and not self.depends_on_systems(name)
        }

    def depends_on_systems(self, weighting: str) -> bool:
        """Whether a weighting's difficulty of segments is that of the systems at hand."""
        name = self._of_segments(weighting)
        return bool(name) and self._estimators[name].depends_on_systems

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

    def of(
        self, systems: np.ndarray, keys: Sequence[Key] | None = None, everywhere: bool = False
    ) -> dict[Key, WeightedMetric]:
        """`WeightedMetric` by metric and weighting for some systems, on the segments that count; a
        difficulty that depends on the systems is that of these.

        Parameters
        ----------
        systems : ndarray of int, (n,)
        keys : sequence of (metric, weighting), optional
            Which ones; `keys` by default.
        everywhere : bool
            On all segments, also those that do not count.
        """
        keys, found = self.keys if keys is None else keys, {}
        below = self._below(systems, {self.tokens_of(weighting) for _, weighting in keys})
        for metric, weighting in keys:
            tokens = self.tokens_of(weighting)
            if weighting == STANDARD and metric in self._stored:
                found[metric, weighting] = self._stored[metric].select(systems)
                continue
            one = below[metric, tokens] if tokens else self.plain[metric].select(systems)
            one = self._weigh(one, weighting, systems)
            found[metric, weighting] = one if everywhere else self._on_counted(one)
        return found

    def segment_quality(self, metric: str) -> np.ndarray:
        """Scores of the segments that count, as they were computed or stored, (systems, segments);
        of a metric with system scores alone (systems, 1). Higher is better."""
        statistics = self._files.read(f"statistics/{metric}.npz")["statistics"]
        if statistics.shape[1] == len(self._evalset.reference):
            statistics = statistics[:, self.counted]
        kind = METRICS[self._settings["metrics"][metric]["type"]]
        return kind.segment_scores(statistics) * (1 if kind.higher_is_better else -1)

    def weighs_tokens(self, weighting: str) -> bool:
        """Whether a weighting weighs tokens alone, so that it has segment scores."""
        return bool(self.tokens_of(weighting)) and not self._of_segments(weighting)

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

    def _below(self, systems: np.ndarray, names: set[str]) -> dict[Key, WeightedMetric]:
        """Metrics under weightings of tokens."""
        found: dict[Key, WeightedMetric] = {}
        for part in self.parts:
            matches = select(part.matches, systems)
            for name in filter(None, names):
                of = self._settings["weightings"][name]["difficulty"]
                difficulty = self.token_difficulty(of, part, systems)
                parameters = self.weightings[name]["parameters"]
                one = self._made[name].apply(matches, difficulty, parameters)
                found |= {(metric, name): one for metric in part.metrics}
        return found

    def _weigh(self, one: WeightedMetric, weighting: str, systems: np.ndarray) -> WeightedMetric:
        """A metric under a weighting of segments; as it is for any other."""
        if not (name := self._of_segments(weighting)):
            return one
        parameters = self.weightings[weighting]["parameters"]
        difficulty = self.difficulty(name, systems)
        if np.isnan(difficulty).any():  # of these systems alone, some segments have none
            return one._replace(statistics=np.full_like(one.statistics, np.nan))
        return self._made[weighting].apply(one, difficulty, parameters)

    def quality(self, index: np.ndarray) -> dict[Key, np.ndarray]:
        """Scores of subsets of systems by metric and weighting, as those of `of`.

        Parameters
        ----------
        index : ndarray of int, (subsets, size)

        Returns
        -------
        dict of (metric, weighting) to ndarray, (subsets, size)
            Higher is better.
        """
        found = {key: scores[index] for key, scores in self._fixed_quality.items()}
        for weighting, metrics, scores, leave_one_out in self._linear:
            of_subsets = scores(index, leave_one_out)
            found |= {(metric, weighting): of_subsets for metric in metrics}
        if rest := [key for key in self.keys if key not in found]:
            drawn = [self.of(subset, rest) for subset in index]
            found |= {key: np.array([one[key].observed_quality() for one in drawn]) for key in rest}
        return {key: found[key] for key in self.keys}

    @cached_property
    def _fixed_quality(self) -> dict[Key, np.ndarray]:
        fixed = self.fixed
        keys = [key for key in self.keys if key[1] in fixed]
        of_all = self.of(np.arange(len(self.systems)), keys)
        return {key: one.observed_quality() for key, one in of_all.items()}

    @cached_property
    def _linear(self) -> list[LinearScores]:
        return list(linear_scores(self))

    def groups(self, weighting: str, part: Part) -> WeightedMetric:
        """How a weighting weighs the segments of all systems, of statistics that do not count;
        segments that do not count have the weight 0."""
        lengths = part.matches.hypothesis_lengths
        blank = WeightedMetric.blank(*lengths.shape)
        groups = self._weigh(blank, weighting, np.arange(len(lengths)))
        if len(self.counted) == lengths.shape[1]:
            return groups
        weights = np.ones((*lengths.shape, 1)) if groups.weights is None else groups.weights
        counts = np.zeros((lengths.shape[1], 1))
        counts[self.counted] = 1
        return groups._replace(weights=weights * counts)
