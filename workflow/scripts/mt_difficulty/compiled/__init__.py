"""Loops that numba compiles. Slices, broadcasting and most NumPy functions take seconds to compile:
callers allocate arrays, and compiled functions loop."""

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from ..caches import temporary_cache

Array = np.ndarray


def njit(**options: Any) -> Callable[[Callable], Any]:
    """Return `numba.njit` with options. With `cache`, functions are compiled once, and kept where
    numba finds a place: in NUMBA_CACHE_DIR, beside their module, in the user's cache; else in a
    temporary cache; and if there is none, they are compiled in every run."""

    def compiled(function: Callable) -> Any:
        try:
            return numba.njit(**options)(function)
        except RuntimeError as error:
            if "no locator available" not in str(error):
                raise
        settings: Any = numba.config
        given = settings.CACHE_DIR
        try:
            settings.CACHE_DIR = str(temporary_cache("numba") or "")
            return numba.njit(**options)(function)
        except RuntimeError:
            return numba.njit(**(options | {"cache": False}))(function)
        finally:
            settings.CACHE_DIR = given

    return compiled
