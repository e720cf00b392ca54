"""Pearson's correlation r of segment scores with human scores."""

from .base import SegmentCorrelation
from .pearson import Pearson


class SegmentPearson(SegmentCorrelation):
    """Pearson's r of segment scores, −1 to 1, over all scores or averaged over segments or systems.
    Groups with constant metric or human scores are left out."""

    symbol = "r"
    description = "Pearson's correlation of segment scores with human scores"
    correlation = Pearson
