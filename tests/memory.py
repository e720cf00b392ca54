"""Measure the memory that a call takes."""

import tracemalloc
from collections.abc import Callable


def peak_of(call: Callable[[], object]) -> int:
    """Return the largest number of bytes that Python and NumPy hold during a call."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
