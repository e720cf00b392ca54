"""Which of a set's settings an item of a paper uses: a job that reads no others is not run again
when they change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..weighting import make_weighting


def of_tokens(weightings: Mapping[str, Mapping[str, Any]], name: str) -> str:
    """The weighting, of settings by name, that a weighting of segments lies over; any other is
    its own."""
    return weightings[name].get("over", name)


def weighs_tokens(weightings: Mapping[str, Mapping[str, Any]], name: str) -> bool:
    """Whether a weighting is one of tokens, or lies over one; parameters as of `of_tokens`."""
    return make_weighting(weightings[of_tokens(weightings, name)]).unit == "token"


def used_settings(settings: Mapping[str, Any], item: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a set's settings (as from `Plan.score_settings`; of such a part, the part
    itself) that a table or figure uses, by the `metric`, `weighting` and `difficulty` of its
    entry: the metric, the weighting with the one that it lies over, their difficulties, and the
    metric's matches unless the weighting is of segments alone. A metric that the set lacks is
    left out."""
    weightings = settings["weightings"]
    named = {item["weighting"]} if "weighting" in item else set()
    read = {item.get("metric")} if all(weighs_tokens(weightings, name) for name in named) else set()
    named |= {of_tokens(weightings, name) for name in named}
    difficulties = {weightings[name]["difficulty"] for name in named} | {item.get("difficulty")}
    chosen = {
        "metrics": {item.get("metric")},
        "matches": read,
        "difficulties": difficulties,
        "weightings": named,
    }
    return {
        key: {name: settings[key][name] for name in settings[key] if name in names}
        for key, names in chosen.items()
    }
