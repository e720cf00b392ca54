"""Surroundings in which libraries take the code paths of other processors."""

import numpy as np

# What NumPy finds here beyond its baseline, in its own names.
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
# Those that this machine can be.
PROCESSORS = {"Prescott": OLD}
if "X86_V3" in FOUND:
    AVX2 = ("avx2", "AVX2", "haswell", ("X86_V3",))
    PROCESSORS["Haswell"] = surroundings("Haswell", *AVX2, threads=2)
    PROCESSORS["Zen"] = surroundings("Zen", *AVX2)
if "X86_V4" in FOUND:
    AVX512 = ("avx512", "AVX512_CORE", "skylake-avx512", ("X86_V3", "X86_V4"))
    PROCESSORS["SkylakeX"] = surroundings("SkylakeX", *AVX512, threads=2)
