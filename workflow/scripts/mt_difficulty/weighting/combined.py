"""Combine a weighting of segments with a weighting of tokens, such as EE with DA."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from .base import Parameters, WeightedMetric, Weighting


class Combined(Weighting):
    """A weighting of segments, applied to the segment scores of a weighting of tokens.

    The two weightings are applied one after the other, without further parameters or weights.

    Parameters
    ----------
    segments, tokens : str
        Names of a weighting of segments and a weighting of tokens.
    """

    unit = "token"
    parts: ClassVar[dict[str, str]] = {"segments": "segment", "tokens": "token"}

    def __init__(self, segments: str, tokens: str) -> None:
        self.segments = segments
        self.tokens = tokens

    def apply(
        self, standard: WeightedMetric, difficulty: np.ndarray, parameters: Parameters
    ) -> WeightedMetric:
        """Return the metric as it is.

        Parameters
        ----------
        standard : WeightedMetric
            The unweighted metric.
        difficulty : ndarray of shape (systems, segments)
            Not used.
        parameters : dict
            Not used.

        Returns
        -------
        WeightedMetric
        """
        return standard

    def signature(self, parameters: Parameters) -> str:
        return ""
