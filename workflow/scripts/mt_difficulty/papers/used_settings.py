"""Which of a set's settings an item of a paper uses: a job that reads no others is not run again
when they change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Settings = Mapping[str, Mapping[str, Any]]


def part(weightings: Settings, name: str, weighed: str) -> str:
    """The name of a weighting; of a combined one, that of its weighting of `segments` or `tokens`.

    Parameters
    ----------
    weightings : dict of str to dict
        Settings by name.
    name : str
    weighed : {"segments", "tokens"}
    """
    return weightings[name].get(weighed, name)


def used_settings(settings: Mapping[str, Any], item: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a set's settings that a table or figure uses.

    Parameters
    ----------
    settings : dict
        As from `Plan.score_settings`; of such a part, the part itself.
    item : dict
        Its entry in the paper's file, whose `metric`, `weighting` and `difficulty` count.

    Returns
    -------
    dict
        With the same keys: the metric and its matches, the weighting with what it combines, and
        the difficulties of all. A metric that the set lacks is left out.
    """
    weightings = settings["weightings"]
    named = {item["weighting"]} if "weighting" in item else set()
    named |= {part(weightings, name, kind) for name in named for kind in ("segments", "tokens")}
    difficulties = {weightings[name].get("difficulty") for name in named} | {item.get("difficulty")}
    chosen = {
        "metrics": {item.get("metric")},
        "matches": {item.get("metric")},
        "difficulties": difficulties,
        "weightings": named,
    }
    return {
        key: {name: settings[key][name] for name in settings[key] if name in names}
        for key, names in chosen.items()
    }
