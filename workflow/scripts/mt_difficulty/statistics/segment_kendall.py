"""Kendall's rank correlation τ-b of segment scores with human scores."""

from .base import SegmentCorrelation
from .kendall import Kendall


class SegmentKendall(SegmentCorrelation):
    """Kendall's τ-b of segment scores, −1 to 1 (Kendall 1945), over all scores or averaged over
    segments or systems. Groups with constant metric or human scores are left out."""

    symbol = "τ"
    description = "Kendall's τ-b of segment scores with human scores"
    correlation = Kendall
