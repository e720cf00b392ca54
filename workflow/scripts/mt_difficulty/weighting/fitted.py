"""Fit and describe an evaluation set's difficulties and weightings; labels for plots."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..data.evalset import SetFiles
from ..difficulty import ESTIMATORS, make_estimator
from ..embedding import without_baseline
from ..errors import Missing
from ..settings import Difficulties, Weightings
from ..storage import Content
from . import WEIGHTINGS, make_weighting, parts
from .base import PLAIN, STANDARD, WeightedMetric, Weighting, notices

if TYPE_CHECKING:
    import pandas as pd

# Marks results whose parameters were chosen with human scores of the same set.
TUNED = "§"
TUNED_NOTE = (
    f"{TUNED} made with parameters, such as h and w, that were chosen with human scores of the "
    "same set."
)
# Line styles of the weightings, in the config's order: dashes and gaps in line widths; () is solid.
LINES: tuple[tuple[float, ...], ...] = (
    (),
    (6.4, 1.6, 1, 1.6),
    (1, 1.65),
    (5, 1, 1, 1, 1, 1),
    (8.0, 1.5),
    (2.0, 1.0),
    (8.0, 1.5, 3.0, 1.5),
    (3.0, 1.2, 1.0, 1.2),
)
SHOWN = 2  # number of weightings that charts show first, beside the standard one


def describe(
    files: SetFiles,
    systems: list[str],
    difficulties: Difficulties,
    weightings: Weightings,
    tuned: Collection[str] = (),
    matches: Collection[str] = (),
) -> dict[str, Content]:
    """Make `weightings.json`: a set's difficulties and weightings, by name.

    Parameters
    ----------
    files : SetFiles
        `difficulty/<name>.npz` of segments and hypotheses.
    systems : list of str
        Names of the systems.
    difficulties : mapping of str to DifficultySettings
        Settings of difficulties by name.
    weightings : mapping of str to WeightingSettings
        Settings of weightings by name.
    tuned : collection of str
        Weightings whose parameters, or those of a part, were chosen with human scores of this set.
    matches : collection of str
        Files of token matches, for warnings about encoders without a baseline.

    Returns
    -------
    dict
        `difficulties`: type, unit, description, `depends_on_systems`, `uses_gold`, signature and
        `missing`, the reason why there is none. `weightings`: type, unit, difficulty (of a combined
        weighting: its parts', joined by +), description, `uses_gold`, parameters, notices,
        signature, `missing` and `tuned`.
    """
    known = {
        name: _describe_difficulty(files, systems, name, difficulties) for name in difficulties
    }
    warnings = list(filter(None, (_without_baseline(files, file) for file in matches)))
    fitted: dict[str, Content] = {}
    # Combined weightings, which have no difficulty of their own, come after their parts.
    for name in sorted(weightings, key=lambda name: not weightings[name].difficulty):
        settings = weightings[name]
        weighting = make_weighting(settings)
        entry: Content = {
            "type": settings.type,
            "unit": weighting.unit,
            "difficulty": settings.difficulty,
            "description": _description(WEIGHTINGS[settings.type], settings.arguments),
            "uses_gold": False,
            "parameters": {},
            "notices": [],
            "signature": "",
            "missing": "",
            "tuned": name in tuned,
        }
        if weighting.parts:
            segments, tokens = parts(name, weightings)
            _combine(entry, fitted[segments], fitted[tokens])
        else:
            _fit(entry, name, weighting, known[settings.difficulty], files, systems)
            if weighting.unit == "token":
                entry["notices"] += warnings
        fitted[name] = entry
    return {"difficulties": known, "weightings": {name: fitted[name] for name in weightings}}


def _without_baseline(files: SetFiles, file: str) -> str:
    """Return a warning if the encoder of a file of token matches has no baseline; else ""."""
    arrays = files.optional(file)
    return without_baseline(arrays) if arrays else ""


def _describe_difficulty(
    files: SetFiles, systems: list[str], name: str, difficulties: Difficulties
) -> Content:
    """Return the entry of a difficulty."""
    settings = difficulties[name]
    estimator = make_estimator(settings)
    missing = signature = ""
    if estimator.unit == "token":
        signature = estimator.signature
    else:
        missing = files.reason(f"difficulty/{name}.npz")
        if not missing:
            arrays = files.read(f"difficulty/{name}.npz")
            signature = str(arrays.get("signature", ""))
            absent = np.isnan(arrays["difficulty"]).sum()
            if absent:
                missing = f"{absent} of {arrays['difficulty'].size} hypotheses have no difficulty"
    if not missing and len(systems) < 2 and getattr(estimator, "leave_one_out", False):
        missing = "there is no other system"
    return {
        "type": settings.type,
        "unit": estimator.unit,
        "description": _description(ESTIMATORS[settings.type], settings.arguments),
        "depends_on_systems": estimator.depends_on_systems,
        "uses_gold": uses_gold(name, difficulties),
        "signature": signature,
        "missing": missing,
    }


def _combine(entry: Content, segments: Content, tokens: Content) -> None:
    """Complete the entry of a combined weighting from those of its parts."""
    entry["difficulty"] = f"{segments['difficulty']}+{tokens['difficulty']}"
    entry["uses_gold"] = segments["uses_gold"] or tokens["uses_gold"]
    entry["parameters"] = segments["parameters"]
    entry["notices"] = list(tokens["notices"])
    entry["signature"] = tokens["signature"] + segments["signature"]
    entry["missing"] = segments["missing"] or tokens["missing"]


def _fit(
    entry: Content,
    name: str,
    weighting: Weighting,
    difficulty: Content,
    files: SetFiles,
    systems: list[str],
) -> None:
    """Complete the entry of weighting `name` by fitting it to its difficulty, of which `difficulty`
    is the entry."""
    entry["uses_gold"] = difficulty["uses_gold"]
    entry["missing"] = difficulty["missing"]
    if entry["missing"]:
        return
    values = np.empty((len(systems), 0))  # of tokens: each metric has its own
    if weighting.unit != "token":
        values = files.read(f"difficulty/{entry['difficulty']}.npz")["difficulty"]
    parameters = weighting.fit(values, systems, entry["difficulty"].replace("_", " "))
    if weighting.unit != "token":
        try:
            blank = weighting.apply(WeightedMetric.blank(*values.shape), values, parameters)
            parameters["notices"] += notices(name, blank, systems)
        except Missing as reason:
            entry["missing"] = str(reason)
    signatures = weighting.signature(parameters), difficulty["signature"]
    entry["notices"] = parameters.pop("notices")
    entry["parameters"] = parameters
    entry["signature"] = "|".join(filter(None, signatures))


def uses_gold(name: str, difficulties: Difficulties) -> bool:
    """Return whether estimator `name`, or an estimator that it builds on, uses human scores."""
    estimator = make_estimator(difficulties[name])
    if estimator.reads == "difficulty":
        return uses_gold(difficulties[name].difficulty, difficulties)
    return estimator.uses_gold


def _description(member: type, arguments: Mapping[str, Any]) -> str:
    """Return the first paragraph of a class's docstring, and its arguments in a config."""
    text = (inspect.getdoc(member) or "").split("\n\n")[0]
    description = " ".join(text.split())
    stated = [f"{key}: {value}" for key, value in arguments.items() if key != "difficulty"]
    return f"{description} ({', '.join(stated)})" if stated else description


class WeightingLabel(NamedTuple):
    """Name, description and plot style of a weighting.

    Parameters
    ----------
    name : str
        Name of the weighting.
    difficulty : str
        Name of its difficulty; empty for the unweighted metric.
    description : str
        What the weighting does.
    dash : tuple of float
        Lengths of dashes and gaps in line widths; () for a solid line.
    uses_gold : bool
        Whether its difficulty uses human scores of the set.
    shown : bool
        Whether it is drawn before the reader selects weightings.
    filled : bool
        Whether markers are filled, not hollow.
    tuned : bool
        Whether its parameters were chosen with human scores of the set.
    """

    name: str
    difficulty: str
    description: str
    dash: tuple[float, ...]
    uses_gold: bool = False
    shown: bool = True
    filled: bool = True
    tuned: bool = False

    @property
    def mark(self) -> str:
        """The mark § if the weighting was tuned on the set's human scores, else an empty text."""
        return TUNED if self.tuned else ""


def labels(weightings: Mapping[str, Content]) -> list[WeightingLabel]:
    """Return labels with plot styles, first for the unweighted metric, then for each weighting."""
    labels = [
        WeightingLabel(
            STANDARD,
            difficulty="",
            description="The unweighted metric: all segments have the same weight.",
            dash=(3.7, 1.6),
            filled=False,
        )
    ]
    for index, (name, entry) in enumerate(weightings.items()):
        labels.append(
            WeightingLabel(
                name,
                entry["difficulty"],
                entry["description"],
                LINES[index % len(LINES)],
                uses_gold=entry["uses_gold"],
                shown=index < SHOWN,
                tuned=entry["tuned"],
            )
        )
    return labels


def with_difficulty(frame: pd.DataFrame, weightings: Mapping[str, Content]) -> pd.DataFrame:
    """Return a copy with a column `difficulty`: the name of the weighting's estimator, or ""."""
    difficulties = dict.fromkeys(PLAIN, "")
    for name, entry in weightings.items():
        difficulties[name] = entry["difficulty"]
    frame = frame.copy()
    position = list(frame).index("weighting") + 1
    frame.insert(position, "difficulty", frame.weighting.map(difficulties).astype(str))
    return frame
