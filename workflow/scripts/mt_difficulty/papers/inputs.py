"""What a table or a figure of a paper is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..data.evalset import EvaluationSet
from ..data.set_files import SetFiles
from ..difficulty import make_estimator
from ..embedding.matches import Matches, rescaled_matches
from ..errors import Missing
from ..evidence.set_scores import SetScores
from .used_settings import used_settings


@dataclass(frozen=True)
class Inputs:
    """Results by set, and what the paper and the run say of them.

    `sets` are the result files of each set, `own` those of the paper itself. `systems` says how
    many systems the paper had of a set, `types` the type of each metric, `left_out` why a metric
    is not in this run, `substitutes`, by set and metric, which encoder took the place of the
    paper's. `settings` has by set the settings of its metrics, difficulties and weightings, as
    from `Plan.score_settings`. `printed` are the paper's own inputs, `graph` the workflow's rules.
    """

    sets: dict[str, SetFiles]
    own: SetFiles = field(default_factory=lambda: SetFiles(""))
    systems: dict[str, int] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    substitutes: dict[str, dict[str, str]] = field(default_factory=dict)
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)
    printed: dict[str, Any] = field(default_factory=dict)
    graph: Any = None

    def note(self, name: str) -> str:
        """A remark on every number of a set, where its systems are not the paper's."""
        there, expected = len(self.sets[name].read("evalset.json").systems), self.systems[name]
        differ = there != expected
        return f"{there} systems in this archive, {expected} in the paper" * differ

    def missing(self, name: str) -> dict[tuple[str, str], str]:
        """Why scores of a set do not exist, by metric and weighting."""
        return self.sets[name].missing_scores()

    def reason(self, name: str, metric: str, weighting: str) -> str:
        """Why a metric has no scores under a weighting; empty where it has."""
        return self.left_out.get(metric) or self.missing(name).get((metric, weighting), "")

    def parameters(self, name: str, weighting: str) -> dict[str, Any]:
        """The parameters of a weighting, and what is odd about them. Raises `Missing` without a
        set or a difficulty."""
        entry = self.sets[name].read("weightings.json")["weightings"][weighting]
        if not entry["parameters"]:
            raise Missing(entry["missing"])
        return entry["parameters"] | {"notices": entry["notices"]}

    def scores(self, name: str, item: Mapping[str, Any]) -> SetScores:
        """The scores of an item's metric, plain and under its weighting."""
        settings, files = used_settings(self.settings[name], item), self.sets[name]
        known = files.read("weightings.json")
        known = {
            key: {each: entry for each, entry in known[key].items() if each in settings[key]}
            for key in ("difficulties", "weightings")
        }
        return SetScores(
            replace(files, contents=files.contents | {"weightings.json": known}), settings
        )

    def matches(self, name: str, metric: str) -> Matches:
        """The token matches of a metric, as weightings of tokens use them. Raises `Missing`."""
        if metric in self.left_out:
            raise Missing(self.left_out[metric])
        file = self.settings[name]["matches"][metric]
        return rescaled_matches(self.sets[name].read(file))[0]

    def substitute(self, name: str, metric: str) -> str:
        """Which encoder took the place of the paper's; empty for the paper's own."""
        return self.substitutes.get(name, {}).get(metric, "")


def read_or_reason(files: SetFiles, file: str) -> tuple[Any, str]:
    """A file's content and no reason, or None and the reason why it is missing."""
    try:
        return files.read(file), ""
    except Missing as reason:
        return None, str(reason)


def token_difficulty(
    found: EvaluationSet, matches: Matches, settings: Mapping[str, Any]
) -> np.ndarray:
    """A difficulty of the reference's tokens, from its settings, among the systems of the
    matches, (tokens,); where it is another one for every system, the mean over them."""
    estimator = make_estimator(settings)
    values = estimator.estimate(found, matches)
    return estimator.difficulty(values, np.arange(len(values))).mean(axis=0)
