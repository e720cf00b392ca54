"""Surroundings in which libraries take the code paths of other processors."""

import numpy as np

# Beyond its baseline; the names are those of this version of NumPy on this machine.
FOUND = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])


def surroundings(blas, aten, onednn, numba, numpy, threads=1):
    """Environment variables; `numpy` is which of NumPy's own extensions are left."""
    return {
        "ATEN_CPU_CAPABILITY": aten,
        "ONEDNN_MAX_CPU_ISA": onednn,
        "MKL_CBWR": {"default": "COMPATIBLE", "avx2": "AVX2"}.get(aten, "AUTO"),
        "OPENBLAS_CORETYPE": blas,
        "NPY_DISABLE_CPU_FEATURES": " ".join(name for name in FOUND if name not in numpy),
        "NUMBA_CPU_NAME": numba,
        "NUMBA_CPU_FEATURES": "",
        "OMP_NUM_THREADS": str(threads),
        "OPENBLAS_NUM_THREADS": str(threads),
    }


OLD = surroundings("Prescott", "default", "SSE41", "generic", ())
AVX2 = ("X86_V3", "AVX2", "FMA3")
PROCESSORS = {
    "Prescott": OLD,
    "Haswell": surroundings("Haswell", "avx2", "AVX2", "haswell", AVX2, 2),
    "Zen": surroundings("Zen", "avx2", "AVX2", "znver1", AVX2),
    "SkylakeX": surroundings("SkylakeX", "avx512", "AVX512_CORE", "skylake-avx512", FOUND, 2),
}
