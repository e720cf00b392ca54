"""Loops that numba compiles. Slices, broadcasting and most NumPy functions take seconds to compile:
callers allocate arrays, and compiled functions loop."""

import numpy as np
from numba import njit as njit

Array = np.ndarray
