"""The weightings of texts, by the names of the command line and Python."""

from collections.abc import Callable
from typing import Any

from ..errors import InputError, nearest
from ..weighting import WEIGHTINGS
from ..weighting.base import Weighting
from .settings import DEFAULT_DIFFICULTY, Settings

LABELS = {"groups": "EE", "tokens": "DA"}  # where it is not the name in the registry
JOINT = "-"  # between a weighting of segments and the one of tokens that it is applied over
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
    return _kind(label).unit == "token"


def _kind(label: str) -> type[Weighting]:
    """A weighting of the registry.

    Raises
    ------
    InputError
        There is none of this name.
    """
    known = _registered()
    if label not in known:
        raise InputError(
            f"no weighting {label}{nearest(label, names())}. There are: {', '.join(names())}."
        )
    return WEIGHTINGS[known[label]]


def _registered() -> dict[str, str]:
    """The registry's names of weightings by those of the command line."""
    return {LABELS.get(name, name): name for name in WEIGHTINGS}


def make_weighting(label: str, given: Settings) -> Weighting:
    """A weighting with its settings."""
    settings: dict[str, Callable[[], dict[str, Any]]] = {
        "EE": lambda: {
            "threshold": "mean_plus_2sd" if given.h is None else given.h,
            "easy_weight": easy_weight(given),
        },
        "hardest": lambda: {"share": given.share},
        "proportional": lambda: {"softmax": given.softmax},
    }
    return _kind(label)(**settings.get(label, dict)())


def easy_weight(given: Settings) -> float | str:
    """EE's w: as given; by Eq. 11 for chunk entropy, to which it was fitted; else 0.5."""
    if given.w is not None:
        return given.w
    named = isinstance(given.difficulty, str) and given.difficulty == DEFAULT_DIFFICULTY
    return "liu2022" if named else EASY_WEIGHT
