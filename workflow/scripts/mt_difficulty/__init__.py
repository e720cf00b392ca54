"""Difficulty-aware machine translation evaluation: arrays in, arrays out.

The public interface is `score`, `estimate_difficulty`, `select_segments`, `load_set`,
`load_folder`, `correlate`, and the error `InputError`; modules are imported when one is used.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .errors import InputError
    from .interface.python import (
        LoadedSet,
        Scores,
        correlate,
        estimate_difficulty,
        load_folder,
        load_set,
        score,
        select_segments,
    )

__version__ = "0.1.0"
__all__ = [
    "InputError",
    "LoadedSet",
    "Scores",
    "correlate",
    "estimate_difficulty",
    "load_folder",
    "load_set",
    "score",
    "select_segments",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module = "errors" if name == "InputError" else "interface.python"
    return getattr(import_module(f".{module}", __name__), name)
