"""A set's difficulties and weightings, as the pages show them."""

from __future__ import annotations

from typing import Any

from ..data.set_files import SetFiles
from ..evidence import labels
from .report_tables import DASH, Mark, number

# Parameters of weightings in words, those that a reader looks for first.
TERMS = {
    "h": "threshold h",
    "w": "easy weight w",
    "effective_segments": "effective segments of a system",
    "difficult_hypotheses": "difficult hypotheses of a system",
}
# What a fit says of the set, not of the weighting.
SIZES = ("systems", "segments")


def read(files: SetFiles, settings: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What `weightings.json` has of the `difficulties` and the `weightings` of a set, by name, in
    the order of their settings."""
    found = files.read("weightings.json")
    kinds = ("difficulties", "weightings")
    return {kind: {name: found[kind][name] for name in settings[kind]} for kind in kinds}


def describe(files: SetFiles, settings: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """What the page shows of a set's difficulties and weightings.

    Parameters
    ----------
    files : SetFiles
    settings : dict
        As `outputs.page_settings` makes them.

    Returns
    -------
    dict
        `difficulties`: what `weightings.json` has of each, and its name. `weightings`: labels, and
        of all but the standard one type, unit, notices, the fitted parameters in words, and
        `missing`, the reason why there is none.
    """
    found, systems = read(files, settings), files.read("evalset.json").systems
    weightings = []
    for label in labels.as_data(found["weightings"]):
        entry = found["weightings"].get(label["name"], {})
        more = {key: entry.get(key, "") for key in ("type", "unit", "missing")}
        parameters = in_words(entry.get("parameters", {}), systems)
        weightings.append(
            label | more | {"parameters": parameters, "notices": entry.get("notices", [])}
        )
    difficulties = [{"name": name, **entry} for name, entry in found["difficulties"].items()]
    return {"difficulties": difficulties, "weightings": weightings}


def of_gold(described: dict[str, list[dict[str, Any]]]) -> dict[str, Mark]:
    """The weightings that use human scores, in one way or the other, with their marks; `described`
    as from `describe`."""
    marks = {
        each["name"]: Mark(each["uses_gold"], each["tuned"]) for each in described["weightings"]
    }
    return {name: mark for name, mark in marks.items() if any(mark)}


def in_words(parameters: dict[str, Any], systems: list[str]) -> str:
    """Fitted parameters as a text: numbers, where they come from, and the range of what every
    system has one of.

    Parameters
    ----------
    parameters : dict
        As in `weightings.json`; None is a number that is undefined.
    systems : list of str
    """
    order = [*TERMS, *(key for key in parameters if key not in TERMS and key not in SIZES)]
    parts = []
    for key in order:
        if key in parameters and (value := _value(parameters[key], systems)):
            origin = parameters.get(f"{key}_from")
            term = TERMS.get(key, key.replace("_", " "))
            parts.append(f"{term} {value} ({origin})" if origin else f"{term} {value}")
    return "; ".join(parts)


def _value(value: Any, systems: list[str]) -> str:
    """A number, or the range of those of the systems; empty for anything else."""
    if value is None:
        return "undefined"
    if isinstance(value, dict) and value and set(value) == set(systems):
        ends = [_value(end, []) for end in (min(value.values()), max(value.values()))]
        return ends[0] if ends[0] == ends[1] else f"{ends[0]} {DASH} {ends[1]}"
    return number(value) if isinstance(value, (int, float)) else ""
