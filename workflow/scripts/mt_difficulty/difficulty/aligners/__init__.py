"""The registry of aligners: each links hypothesis tokens to reference tokens.

An aligner is `align(reference, hypotheses, threads) -> links`, see `exact.align`.
"""

from . import exact, fast_align

ALIGNERS = {"exact": exact.align, "fast_align": fast_align.align}
