"""What an evaluation set's metrics give under every weighting, from the files of its results."""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import storage
from ..embedding.matching import Matches
from ..errors import Missing
from ..metrics import METRICS
from ..metrics.base import Metric
from ..weighting import tokens as token_weighting
from ..weighting.base import WeightedMetric, combine, fixed_point
from .subset_scores import SubsetScores
from .subsets import best_systems

if TYPE_CHECKING:
    import pandas as pd

    from ..data.evalset import EvaluationSet


class SetScores:
    """The weightings of a set, for any of its systems.

    Parameters
    ----------
    files : object
        Of results: `entropy`, `difficulty`, and by metric `statistics` and `matches`. What is
        missing gives no scores; the set's missing.csv has the reason.
    settings : object
        `metrics`, `neural` (the metrics of `matches`) and `DA`.

    Attributes
    ----------
    matches : list of (list of str, Matches)
        With the metrics that share them: those of one encoder do.
    DA : token_weighting.Tokens
    """

    def __init__(self, files: Any, settings: Any) -> None:
        self.DA = token_weighting.Tokens(**settings.DA)
        self.difficult: np.ndarray | None = None
        self.w = 1.0
        with suppress(Missing):
            found = storage.read_json(files.difficulty)
            if found["h"] is not None and found["w"] is not None:
                entropy = storage.read_arrays(files.entropy)["entropy"]
                self.difficult, self.w = entropy >= found["h"], found["w"]
        self.plain: dict[tuple[str, str], WeightedMetric] = {}
        self.matches: list[tuple[list[str], Matches]] = []
        for (name, entry), file in zip(settings.metrics.items(), files.statistics, strict=True):
            with suppress(Missing):
                self._add(name, METRICS[entry["type"]], storage.read_arrays(file)["statistics"])
        for file in dict.fromkeys(files.matches):
            names = [
                n for n, own in zip(settings.neural, files.matches, strict=True) if own == file
            ]
            with suppress(Missing):
                arrays = storage.read_arrays(file)
                self.matches.append((names, token_weighting.rescaled_matches(arrays)[0]))

    def _add(self, name: str, metric: type[Metric], statistics: np.ndarray) -> None:
        # Rounded as those of all systems, so that a system's score is the same in every subset.
        one = WeightedMetric.standard(metric, fixed_point(statistics))
        self.plain[name, "standard"] = one
        if self.difficult is not None and statistics.shape[1] == self.difficult.shape[1]:
            self.plain[name, "EE"] = one.in_groups(self.difficult, self.w)

    def of(self, systems: np.ndarray) -> dict[tuple[str, str], WeightedMetric]:
        """`WeightedMetric` by metric and weighting for some systems; token difficulty is that of
        these."""
        found = {key: one.select(systems) for key, one in self.plain.items()}
        for names, matches in self.matches:
            part = token_weighting.select(matches, systems)
            found |= _named(names, self._of_tokens(part, systems))
        return found

    def quality(self, index: np.ndarray) -> dict[tuple[str, str], np.ndarray]:
        """Scores of subsets of systems by metric and weighting: those of `of` without its segments.

        Parameters
        ----------
        index : ndarray of int, (subsets, size)

        Returns
        -------
        dict of (metric, weighting) to ndarray, (subsets, size)
            Higher is better. A metric's weightings stand together.
        """
        found = {key: scores[index] for key, scores in self._plain_quality.items()}
        for (names, _), scores in zip(self.matches, self._subset_scores, strict=True):
            found |= _named(names, self._of_subsets(scores, index))
        metrics = [name for name, _ in found]
        return dict(sorted(found.items(), key=lambda item: metrics.index(item[0][0])))

    @cached_property
    def _plain_quality(self) -> dict[tuple[str, str], np.ndarray]:
        return {key: one.observed_quality() for key, one in self.plain.items()}

    @cached_property
    def _subset_scores(self) -> list[SubsetScores]:
        groups = None
        if self.difficult is not None:
            everything = np.ones_like(self.difficult)
            groups = np.array([everything, ~self.difficult, self.difficult])
        return [SubsetScores(matches, self.DA, groups) for _, matches in self.matches]

    def _of_subsets(self, scores: SubsetScores, index: np.ndarray) -> dict[str, np.ndarray]:
        of_groups = scores(index)
        found = {"DA": of_groups[0]}
        if self.difficult is not None:
            found["EE-DA"] = combine(
                np.moveaxis(of_groups[1:], 0, -1), np.array([self.w, 1 - self.w])
            )
        return found | {"DA-LOO": scores(index, leave_one_out=True)[0]}

    def _of_tokens(self, matches: Matches, systems: np.ndarray) -> dict[str, WeightedMetric]:
        found = {}
        for weighting, others in (("DA", False), ("DA-LOO", True)):
            difficulty = token_weighting.token_difficulty(matches.reference_similarity, others)
            scores = token_weighting.segment_scores(matches, difficulty, self.DA)
            found[weighting] = WeightedMetric(self.DA.aggregate, scores)
        if self.difficult is not None:
            difficult = self.difficult[systems]
            found["EE-DA"] = found["DA"].in_groups(difficult, self.w)
        return found


def _named(names: list[str], by_weighting: dict[str, Any]) -> dict[tuple[str, str], Any]:
    """The same for all metrics of an encoder."""
    return {(name, weighting): one for name in names for weighting, one in by_weighting.items()}


def best_first(
    found: EvaluationSet, scores: pd.DataFrame, types: dict[str, str]
) -> tuple[str, np.ndarray]:
    """What systems are ordered by, and their indices, the best first: human scores, or without any
    the first metric that has scores.

    Parameters
    ----------
    found : EvaluationSet
    scores : DataFrame
        As in `system_scores.csv`.
    types : dict of str to str
        Of the metrics.
    """
    if found.gold:
        return "human score", best_systems(found.gold)
    scores = scores[scores.weighting == "standard"]
    if scores.empty:
        return "name", np.arange(len(found.systems))
    metric = scores.metric.iloc[0]
    values = scores[scores.metric == metric].set_index("system").score[found.systems]
    sign = 1 if METRICS[types[metric]].higher_is_better else -1
    return metric, best_systems(sign * values.to_numpy())
