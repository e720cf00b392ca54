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
from ..weighting.base import WeightedMetric
from .counted import notices

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
    """
    found = {name: _difficulty(files, name, difficulties, len(systems)) for name in difficulties}
    fitted: dict[str, dict[str, Any]] = {}
    for name in sorted(weightings, key=lambda name: "over" in weightings[name]):  # after the others
        entry = _fit(name, files, systems, weightings[name], found)
        if entry["over"]:
            below = fitted[entry["over"]]
            entry |= {
                "unit": below["unit"],
                "description": f"{entry['description']} Over {entry['over']}'s segment scores.",
                "difficulty": f"{entry['difficulty']}+{below['difficulty']}",
                "uses_gold": entry["uses_gold"] or below["uses_gold"],
                "signature": below["signature"] + entry["signature"],
                "missing": entry["missing"] or below["missing"],
            }
        fitted[name] = entry | {"tuned": name in tuned}
    return {"difficulties": found, "weightings": {name: fitted[name] for name in weightings}}


def _difficulty(files: SetFiles, name: str, difficulties: Settings, systems: int) -> dict[str, Any]:
    """The entry of a difficulty of a set of so many systems."""
    estimator = make_estimator(difficulties[name])
    missing, signature = "", ""
    if estimator.unit == "token":
        signature = estimator.signature
    elif not (missing := files.reason(f"difficulty/{name}.npz")):
        arrays = files.read(f"difficulty/{name}.npz")
        signature = str(arrays.get("signature", ""))
        if absent := np.isnan(arrays["difficulty"]).sum():
            missing = f"{absent} of {arrays['difficulty'].size} hypotheses have no difficulty"
    if not missing and systems < 2 and getattr(estimator, "leave_one_out", False):
        missing = "there is no other system"
    return {
        "type": difficulties[name]["type"],
        "unit": estimator.unit,
        "description": _description(ESTIMATORS[difficulties[name]["type"]], difficulties[name]),
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


def _description(member: type, settings: Mapping[str, Any]) -> str:
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
) -> dict[str, Any]:
    """The entry of a weighting, without what it lies over."""
    weighting, name = make_weighting(settings), settings["difficulty"]
    of = difficulties[name]
    entry: dict[str, Any] = {
        "type": settings["type"],
        "unit": weighting.unit,
        "difficulty": name,
        "over": settings.get("over", ""),
        "description": _description(WEIGHTINGS[settings["type"]], settings),
        "uses_gold": of["uses_gold"],
        "parameters": {},
        "summary": "",
        "notices": [],
        "signature": "",
        "missing": of["missing"],
    }
    if entry["missing"]:
        return entry
    values = np.empty((len(systems), 0))  # of tokens: each metric has its own
    if weighting.unit != "token":
        values = files.read(f"difficulty/{name}.npz")["difficulty"]
    parameters = weighting.fit(values, systems, name.replace("_", " "))
    if weighting.unit != "token":
        try:
            one = weighting.apply(WeightedMetric.blank(*values.shape), values, parameters)
            parameters["notices"] += notices(label, one, systems)
        except Missing as reason:
            entry["missing"] = str(reason)
    entry["summary"] = weighting.summary(parameters)
    entry["notices"] = parameters.pop("notices")
    entry["parameters"] = parameters
    signature = weighting.signature(parameters)
    entry["signature"] = "|".join([signature, *filter(None, [of["signature"]])])
    return entry
