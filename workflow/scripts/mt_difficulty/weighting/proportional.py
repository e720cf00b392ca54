"""Weights that grow with difficulty."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..difficulty.base import deviation
from ..errors import Missing
from .base import WeightedMetric, Weighting


class Proportional(Weighting):
    """Weights proportional to a power of difficulty, or to its exponential.

    Parameters
    ----------
    power : float, optional
        Weights are difficulty^power; for difficulties of 0 or more.
    softmax : float, optional
        Weights are exp(softmax · difficulty / σ), σ the standard deviation of the set's difficulty.
        One of the two is given; without either, power is 1.
    """

    def __init__(self, power: float | None = None, softmax: float | None = None) -> None:
        if power is not None and softmax is not None:
            raise ValueError("power and softmax: expected one of them")
        self.softmax = softmax
        self.power = 1.0 if power is None else power

    def fit(self, difficulty: np.ndarray, systems: list[str], name: str) -> dict[str, Any]:
        parameters: dict[str, Any] = {"sigma": np.nan, "undefined": ""}
        if not np.isfinite(difficulty).all():
            parameters["undefined"] = f"{name} is infinite for some hypotheses."
            return parameters | {"notices": [parameters["undefined"]]}
        parameters["sigma"] = deviation(difficulty)
        if self.softmax is None and (difficulty < 0).any():
            parameters["undefined"] = (
                f"{name} is below 0 for some hypotheses; a power needs 0 or more: use softmax."
            )
        elif self.softmax is not None and parameters["sigma"] == 0:
            parameters["undefined"] = f"{name} is the same for all hypotheses."
        parameters["notices"] = [parameters["undefined"]] * bool(parameters["undefined"])
        if not parameters["undefined"]:
            weights = self._weights(difficulty, parameters["sigma"])
            size = weights.sum(axis=1) ** 2 / (weights**2).sum(axis=1)
            parameters["effective_segments"] = dict(zip(systems, size.tolist(), strict=True))
        return parameters

    def apply(
        self, standard: WeightedMetric, difficulty: np.ndarray, parameters: dict[str, Any]
    ) -> WeightedMetric:
        if parameters["undefined"]:
            raise Missing(parameters["undefined"])
        weights = self._weights(difficulty, parameters["sigma"])
        return standard._replace(weights=weights[..., None], shares=np.ones(1))

    def _weights(self, difficulty: np.ndarray, sigma: float) -> np.ndarray:
        """Weights of which the largest of a system is 1; a system whose hypotheses all have
        difficulty 0 has equal ones."""
        if self.softmax is not None:
            powers = self.softmax * (difficulty / sigma)
            return np.exp(powers - powers.max(axis=1, keepdims=True))
        largest = difficulty.max(axis=1, keepdims=True)
        shares = np.divide(difficulty, largest, out=np.ones(difficulty.shape), where=largest > 0)
        return shares**self.power

    def summary(self, parameters: dict[str, Any]) -> str:
        if parameters["undefined"]:
            return ""
        sizes = parameters["effective_segments"].values()
        low, high = f"{min(sizes):.1f}", f"{max(sizes):.1f}"
        return f"effective segments of a system: {low}" + f" to {high}" * (low != high)

    def signature(self, parameters: dict[str, Any]) -> str:
        how = f"power:{self.power:g}" if self.softmax is None else f"softmax:{self.softmax:g}"
        return f"|proportional|{how}"
