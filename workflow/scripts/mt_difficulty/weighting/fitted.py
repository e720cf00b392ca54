"""Fit and describe an evaluation set's difficulties and weightings; labels for plots."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..data.evalset import SetFiles
from ..difficulty import ESTIMATORS, make_estimator
from ..errors import Missing
from ..settings import Difficulties, Weightings
from ..storage import Content
from . import WEIGHTINGS, make_weighting, parts
from .base import PLAIN, STANDARD, WeightedMetric, notices

if TYPE_CHECKING:
    import pandas as pd

# Marks results whose parameters were chosen with human scores of the same set.
TUNED = "§"
TUNED_NOTE = (
    f"{TUNED} made with parameters, such as h and w, that were chosen with human scores of the "
    "same set."
)
# Line styles of the weightings, in the config's order: dashes and gaps in line widths; in words.
LINES: tuple[tuple[tuple[float, ...], str], ...] = (
    ((), "solid"),
    ((6.4, 1.6, 1, 1.6), "dash-dotted"),
    ((1, 1.65), "dotted"),
    ((5, 1, 1, 1, 1, 1), "dash-dot-dotted"),
    ((8.0, 1.5), "long-dashed"),
    ((2.0, 1.0), "short-dashed"),
    ((8.0, 1.5, 3.0, 1.5), "long-short-dashed"),
    ((3.0, 1.2, 1.0, 1.2), "short-dash-dotted"),
)
SHOWN = 2  # weightings in charts before anyone chooses, beside the standard one


def describe(
    files: SetFiles,
    systems: list[str],
    difficulties: Difficulties,
    weightings: Weightings,
    tuned: Collection[str] = (),
) -> dict[str, Content]:
    """Make `weightings.json`: a set's difficulties and weightings, by name. Difficulties have type,
    unit, description, `depends_on_systems`, `uses_gold`, signature and `missing`, the reason why
    there is none. Weightings have type, unit, difficulty (of a combined weighting: its parts',
    joined by +), description, `uses_gold`, parameters, notices, signature, `missing` and `tuned`:
    whether the parameters, or those of a part, were chosen with human scores of this set. `files`
    has `difficulty/<name>.npz` of segments and hypotheses."""
    known: dict[str, Content] = {}
    for name, settings in difficulties.items():
        estimator, missing, signature = make_estimator(settings), "", ""
        if estimator.unit == "token":
            signature = estimator.signature
        elif not (missing := files.reason(f"difficulty/{name}.npz")):
            arrays = files.read(f"difficulty/{name}.npz")
            signature = str(arrays.get("signature", ""))
            if absent := np.isnan(arrays["difficulty"]).sum():
                missing = f"{absent} of {arrays['difficulty'].size} hypotheses have no difficulty"
        if not missing and len(systems) < 2 and getattr(estimator, "leave_one_out", False):
            missing = "there is no other system"
        known[name] = {
            "type": settings.type,
            "unit": estimator.unit,
            "description": _description(ESTIMATORS[settings.type], settings.arguments),
            "depends_on_systems": estimator.depends_on_systems,
            "uses_gold": uses_gold(name, difficulties),
            "signature": signature,
            "missing": missing,
        }
    fitted: dict[str, Content] = {}
    # A combined weighting, which comes after its parts, has no difficulty of its own.
    for name, chosen in sorted(weightings.items(), key=lambda item: not item[1].difficulty):
        weighting = make_weighting(chosen)
        description = _description(WEIGHTINGS[chosen.type], chosen.arguments)
        entry: Content = {
            "type": chosen.type,
            "unit": weighting.unit,
            "difficulty": chosen.difficulty,
            "description": description,
            "uses_gold": False,
            "parameters": {},
            "notices": [],
            "signature": "",
            "missing": "",
            "tuned": name in tuned,
        }
        fitted[name] = entry
        if weighting.parts:
            segments, tokens = (fitted[part] for part in parts(name, weightings))
            entry["difficulty"] = f"{segments['difficulty']}+{tokens['difficulty']}"
            entry["uses_gold"] = segments["uses_gold"] or tokens["uses_gold"]
            entry["parameters"] = segments["parameters"]
            entry["signature"] = tokens["signature"] + segments["signature"]
            entry["missing"] = segments["missing"] or tokens["missing"]
            continue
        difficulty, about = entry["difficulty"], known[entry["difficulty"]]
        entry |= {"uses_gold": about["uses_gold"], "missing": about["missing"]}
        if entry["missing"]:
            continue
        values = np.empty((len(systems), 0))  # of tokens: each metric has its own
        if weighting.unit != "token":
            values = files.read(f"difficulty/{difficulty}.npz")["difficulty"]
        parameters = weighting.fit(values, systems, difficulty.replace("_", " "))
        if weighting.unit != "token":
            try:
                blank = weighting.apply(WeightedMetric.blank(*values.shape), values, parameters)
                parameters["notices"] += notices(name, blank, systems)
            except Missing as reason:
                entry["missing"] = str(reason)
        signatures = weighting.signature(parameters), about["signature"]
        entry["notices"] = parameters.pop("notices")
        entry |= {"parameters": parameters, "signature": "|".join(filter(None, signatures))}
    return {"difficulties": known, "weightings": {name: fitted[name] for name in weightings}}


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
    """Name, description and plot style of a weighting. `dash` has the lengths of dashes and gaps in
    line widths, () for a solid line; `line` describes it in words. `shown`: drawn before the reader
    selects weightings. `filled`: markers are filled, not hollow."""

    name: str
    difficulty: str
    description: str
    dash: tuple[float, ...]
    line: str
    uses_gold: bool = False
    shown: bool = True
    filled: bool = True
    tuned: bool = False

    @property
    def mark(self) -> str:
        """The mark § if the weighting was tuned on the set's human scores, else an empty text."""
        return TUNED * self.tuned


def labels(weightings: Mapping[str, Content]) -> list[WeightingLabel]:
    """Return labels with plot styles, first for the unweighted metric, then for each weighting."""
    plain = "The unweighted metric: all segments have the same weight."
    known = [WeightingLabel(STANDARD, "", plain, (3.7, 1.6), "dashed", filled=False)]
    for place, (name, entry) in enumerate(weightings.items()):
        about = name, entry["difficulty"], entry["description"]
        label = WeightingLabel(*about, *LINES[place % len(LINES)], entry["uses_gold"])
        known.append(label._replace(tuned=entry["tuned"], shown=place < SHOWN))
    return known


def with_difficulty(frame: pd.DataFrame, weightings: Mapping[str, Content]) -> pd.DataFrame:
    """Return a copy with a column `difficulty`: the name of the weighting's estimator, or ""."""
    of = dict.fromkeys(PLAIN, "") | {name: x["difficulty"] for name, x in weightings.items()}
    frame = frame.copy()
    place = list(frame).index("weighting") + 1
    frame.insert(place, "difficulty", frame.weighting.map(of).astype(str))
    return frame
