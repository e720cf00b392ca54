"""The difficulties and weightings of an evaluation set: fitted, described, and read again."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from ..data.set_files import SetFiles
from ..difficulty import ESTIMATORS, make_estimator
from ..errors import Missing
from ..weighting import WEIGHTINGS, make_weighting
from ..weighting.base import WeightedMetric, Weighting
from . import effective

Settings = Mapping[str, Mapping[str, Any]]
# What entries hold beside a member's own settings.
NO_SETTINGS = ("type", "difficulty", "over")


def describe(
    files: SetFiles,
    systems: list[str],
    difficulties: Settings,
    weightings: Settings,
    tuned: Collection[str] = (),
) -> dict[str, Any]:
    """What `weightings.json` holds: the set's difficulties, and its weightings with parameters
    that are fitted to them.

    Parameters
    ----------
    files : SetFiles
        `difficulty/<name>.npz` of the difficulties of segments and hypotheses.
    systems : list of str
    difficulties, weightings : dict of str to dict
        Settings by name.
    tuned : collection of str
        Weightings whose parameters were chosen with human scores of this set, or that lie over
        such a one.

    Returns
    -------
    dict
        `difficulties`: by name type, unit, description, depends_on_systems, uses_gold, signature,
        and in `missing` why there is none. `weightings`: by name type, unit, difficulty, over,
        description, uses_gold, tuned, signature, parameters, summary (of these, for people),
        notices, missing.
    """
    found = {
        name: describe_difficulty(files, name, difficulties, len(systems)) for name in difficulties
    }
    fitted: dict[str, dict[str, Any]] = {}
    for name in sorted(weightings, key=lambda name: "over" in weightings[name]):  # after the others
        fitted[name] = _fit(name, files, systems, weightings[name], found, fitted)
        fitted[name]["tuned"] = name in tuned
    return {"difficulties": found, "weightings": {name: fitted[name] for name in weightings}}


def describe_difficulty(
    files: SetFiles, name: str, difficulties: Settings, systems: int
) -> dict[str, Any]:
    """What is known of a difficulty of a set of so many systems."""
    estimator = make_estimator(difficulties[name])
    missing, signature = "", ""
    if estimator.unit == "token":
        signature = estimator.signature
    else:
        missing = files.reason(f"difficulty/{name}.npz")
        arrays = {} if missing else files.read(f"difficulty/{name}.npz")
        signature = str(arrays.get("signature", ""))
        if not missing and (absent := np.isnan(arrays["difficulty"]).sum()):
            missing = f"{absent} of {arrays['difficulty'].size} hypotheses have no difficulty"
    if not missing and systems < 2 and getattr(estimator, "leave_one_out", False):
        missing = "there is no other system"
    return {
        "type": difficulties[name]["type"],
        "unit": estimator.unit,
        "description": description(ESTIMATORS[difficulties[name]["type"]], difficulties[name]),
        "depends_on_systems": estimator.depends_on_systems,
        "uses_gold": uses_gold(name, difficulties),
        "signature": signature,
        "missing": missing,
    }


def uses_gold(name: str, difficulties: Settings) -> bool:
    """Whether a difficulty, or the one that it is made from, is estimated from human scores."""
    estimator = make_estimator(difficulties[name])
    if estimator.reads == "difficulty":
        return uses_gold(difficulties[name]["difficulty"], difficulties)
    return estimator.uses_gold


def description(member: type, settings: Mapping[str, Any]) -> str:
    """The first paragraph of a member's docstring, and the settings that an entry gives."""
    text = " ".join((inspect.getdoc(member) or "").split("\n\n")[0].split())
    given = [f"{key}: {value}" for key, value in settings.items() if key not in NO_SETTINGS]
    return text + f" ({', '.join(given)})" * bool(given)


def _fit(
    label: str,
    files: SetFiles,
    systems: list[str],
    settings: Mapping[str, Any],
    difficulties: Mapping[str, Mapping[str, Any]],
    fitted: Mapping[str, Mapping[str, Any]],
) -> dict[str, Any]:
    """The entry of a weighting."""
    weighting, name = make_weighting(settings), settings["difficulty"]
    of = difficulties[name]
    entry: dict[str, Any] = {
        "type": settings["type"],
        "unit": weighting.unit,
        "difficulty": name,
        "over": settings.get("over", ""),
        "description": description(WEIGHTINGS[settings["type"]], settings),
        "uses_gold": of["uses_gold"],
        "parameters": {},
        "summary": "",
        "notices": [],
        "signature": "",
        "missing": of["missing"],
    }
    if not entry["missing"]:
        _fit_parameters(label, entry, weighting, files, systems)
        entry["signature"] = "|".join(
            [weighting.signature(entry["parameters"]), *filter(None, [of["signature"]])]
        )
    if entry["over"]:
        below = fitted[entry["over"]]
        entry |= {
            "unit": below["unit"],
            "description": f"{entry['description']} Over {entry['over']}'s segment scores.",
            "difficulty": f"{name}+{below['difficulty']}",
            "uses_gold": entry["uses_gold"] or below["uses_gold"],
            "signature": below["signature"] + entry["signature"],
            "missing": entry["missing"] or below["missing"],
        }
    return entry


def _fit_parameters(
    name: str, entry: dict[str, Any], weighting: Weighting, files: SetFiles, systems: list[str]
) -> None:
    """Parameters, notices, and why there are no weights, for an entry."""
    values = np.empty((len(systems), 0))  # of tokens: each metric has its own
    if weighting.unit != "token":
        values = files.read(f"difficulty/{entry['difficulty']}.npz")["difficulty"]
    parameters = weighting.fit(values, systems, entry["difficulty"].replace("_", " "))
    if weighting.unit != "token":
        try:
            one = weighting.apply(WeightedMetric.blank(*values.shape), values, parameters)
            parameters["notices"] += effective.notices(name, one, systems)
        except Missing as reason:
            entry["missing"] = str(reason)
    entry["summary"] = weighting.summary(parameters)
    entry["notices"] = parameters.pop("notices")
    entry["parameters"] = parameters
