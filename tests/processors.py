"""Environment variables with which libraries take the code paths of an old processor."""

import numpy as np

# What NumPy finds here beyond its baseline, in its own names.
FOUND = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
OLD = {
    "ATEN_CPU_CAPABILITY": "default",
    "ONEDNN_MAX_CPU_ISA": "SSE41",
    "MKL_CBWR": "COMPATIBLE",
    "OPENBLAS_CORETYPE": "Prescott",
    "NPY_DISABLE_CPU_FEATURES": " ".join(FOUND),
    "NUMBA_CPU_NAME": "generic",
    "NUMBA_CPU_FEATURES": "",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}
