"""The registry of weightings, how difficulty enters a score: a new one is a file here with one
subclass of `Weighting`."""

from collections.abc import Mapping
from typing import Any

from ..registry import Registry, class_of
from .base import Weighting

WEIGHTINGS: Registry[type[Weighting]] = Registry(__name__, class_of(Weighting))

# What a config entry says that is not the weighting's own.
OF_THE_PLAN = ("type", "difficulty", "over")


def make_weighting(settings: Mapping[str, Any]) -> Weighting:
    """The weighting that a config entry names.

    Parameters
    ----------
    settings : dict
        Its `type`, what the type's constructor takes, `difficulty`, and `over`, the weighting of
        tokens whose segment scores it weighs.
    """
    own = {key: value for key, value in settings.items() if key not in OF_THE_PLAN}
    return WEIGHTINGS[settings["type"]](**own)
