"""The registry of golds: ways in which ratings of annotators become human scores of systems. Each
module of this folder defines one subclass of `Gold`."""

from typing import Any

from ..registry import Registry
from ..settings import GoldSettings
from .base import Gold

# The gold that is used where none is named.
ADJUSTED = "mixed"
GOLDS: Registry[type[Gold]] = Registry(__name__, Gold)


def gold_of(settings: GoldSettings) -> Gold:
    """Make a gold by its settings."""
    return make_gold(settings.type, **settings.arguments)


def make_gold(kind: str, **settings: Any) -> Gold:
    """Make a gold.

    Parameters
    ----------
    kind : str
        Name of its module, such as `mixed`.
    **settings
        Settings of the gold, such as `response="z"` of `mixed`.

    Returns
    -------
    Gold
    """
    return GOLDS[kind](**settings)
