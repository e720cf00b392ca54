"""The registry of weightings, which define how difficulty enters a score. Each module of this
folder defines one subclass of `Weighting`."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..registry import Registry
from .base import Weighting

WEIGHTINGS: Registry[type[Weighting]] = Registry(__name__, Weighting)
Settings = Mapping[str, Mapping[str, Any]]


class Parts(NamedTuple):
    """Names of a weighting's segment weighting and token weighting; "" for one that it lacks."""

    segments: str
    tokens: str


def parts(name: str, weightings: Settings) -> Parts:
    """Return the names of a weighting's segment and token weighting; "" for one that it lacks."""
    settings = weightings[name]
    kind = WEIGHTINGS[settings["type"]]
    if kind.parts:
        return Parts(settings["segments"], settings["tokens"])
    return Parts("", name) if kind.unit == "token" else Parts(name, "")


def difficulty_of(name: str, weightings: Settings) -> str:
    """Return the name of a weighting's difficulty; of a combined one, of its segment weighting."""
    segments, tokens = parts(name, weightings)
    return weightings[segments or tokens]["difficulty"]


def make_weighting(settings: Mapping[str, Any]) -> Weighting:
    """Make the weighting of a config entry: `type` is its class, all other keys but `difficulty`
    are arguments."""
    arguments = {key: value for key, value in settings.items() if key not in ("type", "difficulty")}
    return WEIGHTINGS[settings["type"]](**arguments)
