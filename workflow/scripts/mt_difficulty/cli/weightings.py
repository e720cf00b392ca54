"""The weightings that --weighting names, with the settings of the command line."""

import argparse
from collections.abc import Callable
from typing import Any

from ..weighting import WEIGHTINGS
from ..weighting.base import Weighting

LABELS = {"groups": "EE", "tokens": "DA"}  # where it is not the name in the registry
JOINT = "-"  # between a weighting of segments and the one of tokens that it is applied over
DEFAULT_DIFFICULTY = "chunk_entropy"
EASY_WEIGHT = 0.5  # where Eq. 11 does not apply


def names() -> list[str]:
    """The weightings of the command line: those of the registry, and those of segments over those
    of tokens, such as EE-DA."""
    labels = list(_registered())
    tokens = [label for label in labels if of_tokens(label)]
    segments = [label for label in labels if label not in tokens]
    return labels + [f"{one}{JOINT}{other}" for one in segments for other in tokens]


def parts(label: str) -> tuple[str, str]:
    """The weighting of segments and the one of tokens that a name stands for; empty for none."""
    *segments, last = label.split(JOINT)
    if of_tokens(last):
        return "".join(segments), last
    return label, ""


def of_tokens(label: str) -> bool:
    """Whether a weighting of the registry weighs tokens."""
    return WEIGHTINGS[_registered()[label]].unit == "token"


def _registered() -> dict[str, str]:
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
        "proportional": lambda: {"softmax": arguments.softmax},
    }
    return WEIGHTINGS[_registered()[label]](**settings.get(label, dict)())


def easy_weight(arguments: argparse.Namespace) -> float | str:
    """EE's w: as given; by Eq. 11 for chunk entropy, to which it was fitted; else 0.5."""
    w = getattr(arguments, "w", None)
    if w is not None:
        return w
    return "liu2022" if arguments.difficulty == DEFAULT_DIFFICULTY else EASY_WEIGHT
