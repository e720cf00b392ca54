"""The weightings that --weighting names, with the settings of the command line."""

import argparse
from collections.abc import Callable
from typing import Any

from ..weighting import WEIGHTINGS
from ..weighting.base import Weighting

LABELS = {"groups": "EE", "tokens": "DA"}  # where it is not the name in the registry
DEFAULT_DIFFICULTY = "chunk_entropy"
EASY_WEIGHT = 0.5  # where Eq. 11 does not apply


def names() -> dict[str, str]:
    """The registry's names of weightings by those of the command line."""
    return {LABELS.get(name, name): name for name in WEIGHTINGS}


def make_weighting(label: str, arguments: argparse.Namespace) -> Weighting:
    """A weighting with the settings of the command line."""
    settings: dict[str, Callable[[], dict[str, Any]]] = {
        "EE": lambda: {
            "threshold": "mean_plus_2sd" if arguments.h is None else arguments.h,
            "easy_weight": easy_weight(arguments),
        },
        "hardest": lambda: {"share": arguments.share},
    }
    return WEIGHTINGS[names()[label]](**settings.get(label, dict)())


def easy_weight(arguments: argparse.Namespace) -> float | str:
    """EE's w: as given; by Eq. 11 for chunk entropy, to which it was fitted; else 0.5."""
    w = getattr(arguments, "w", None)
    if w is not None:
        return w
    return "liu2022" if arguments.difficulty == DEFAULT_DIFFICULTY else EASY_WEIGHT
