"""numba's `njit` where numba is installed. Elsewhere functions run as Python: the same results, but
some hundred times more slowly."""

from collections.abc import Callable
from typing import Any

import numpy as np

try:
    from numba import njit
except ModuleNotFoundError:

    def njit(**options: Any) -> Callable[[Callable], Callable]:  # type: ignore[no-redef]
        return np.errstate(all="ignore")  # what compiled code does
