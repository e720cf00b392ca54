"""Difficulty-aware machine translation evaluation: arrays in, arrays out.

The public interface is `score`, `estimate_difficulty`, `select_segments`, `load_set`,
`load_folder`, `correlate`, `correlate_sets`, `annotations`, and the error `InputError`; modules are
imported when one is used."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .api import (
        LoadedSet,
        Scores,
        correlate,
        estimate_difficulty,
        load_folder,
        load_set,
        score,
        select_segments,
    )
    from .errors import InputError
    from .scoring.annotating import annotations
    from .scoring.judging import correlate_sets

__version__ = "0.1.0"
# Others are in .api.
_MODULES = {
    "InputError": ".errors",
    "annotations": ".scoring.annotating",
    "correlate_sets": ".scoring.judging",
}
__all__ = ["InputError", "LoadedSet", "Scores", "correlate", "correlate_sets"]
__all__ += [
    "annotations",
    "estimate_difficulty",
    "load_folder",
    "load_set",
    "score",
    "select_segments",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        nearest = import_module(".errors", __name__).nearest
        raise AttributeError(
            f"module {__name__!r} has no attribute {name!r}{nearest(name, __all__)}"
        )
    return getattr(import_module(_MODULES.get(name, ".api"), __name__), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
