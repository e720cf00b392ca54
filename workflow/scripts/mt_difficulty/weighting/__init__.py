"""The registry of weightings, which define how difficulty enters a score. Each module of this
folder defines one subclass of `Weighting`."""

from typing import NamedTuple

from ..registry import Registry
from ..settings import Weightings, WeightingSettings
from .base import Weighting

WEIGHTINGS: Registry[type[Weighting]] = Registry(__name__, Weighting)


class Parts(NamedTuple):
    """Names of a weighting's segment weighting and token weighting.

    Attributes
    ----------
    segments, tokens : str
        Names of weightings; empty for one that it lacks.
    """

    segments: str
    tokens: str


def parts(name: str, weightings: Weightings) -> Parts:
    """Return the names of a weighting's segment and token weighting; "" for one that it lacks."""
    settings = weightings[name]
    kind = WEIGHTINGS[settings.type]
    if kind.parts:
        return Parts(settings.arguments["segments"], settings.arguments["tokens"])
    if kind.unit == "token":
        return Parts(segments="", tokens=name)
    return Parts(segments=name, tokens="")


def difficulty_of(name: str, weightings: Weightings) -> str:
    """Return the name of a weighting's difficulty; of a combined one, of its segment weighting."""
    segments, tokens = parts(name, weightings)
    return weightings[segments or tokens].difficulty


def make_weighting(settings: WeightingSettings) -> Weighting:
    """Make the weighting of a config's entry."""
    return WEIGHTINGS[settings.type](**settings.arguments)
