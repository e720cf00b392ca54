"""Difficulty-aware machine translation evaluation: arrays in, arrays out.

The public interface is `score`, `estimate_difficulty`, `select_segments`, `load_set`,
`load_folder`, `correlate`, and the error `InputError`; modules are imported when one is used.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .api import estimate_difficulty, score, select_segments
    from .errors import InputError
    from .interface.sets import LoadedSet, correlate, load_folder, load_set
    from .interface.tables import Scores

__version__ = "0.1.0"
_MODULES = {
    "InputError": "errors",
    "correlate": "interface.sets",
    "LoadedSet": "interface.sets",
    "Scores": "interface.tables",
    "load_folder": "interface.sets",
    "load_set": "interface.sets",
}
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

    module = import_module(f".{_MODULES.get(name, 'api')}", __name__)
    return getattr(module, name)
