"""Weighting of segments by a power of their difficulty, or by its exponential."""

from __future__ import annotations

import numpy as np

from ..difficulty.base import deviation
from ..errors import Missing
from .base import Parameters, Resamples, WeightedMetric, Weighting, effective_number


class Proportional(Weighting):
    """Weights proportional to a power of difficulty, or to its exponential.

    Parameters
    ----------
    power : float, optional
        Weights are difficulty^power; difficulties must be 0 or more.
    softmax : float, optional
        Weights are exp(softmax · difficulty / σ); σ is the standard deviation of the set's
        difficulty. Set `power` or `softmax`, not both; the default is power 1.
    """

    def __init__(self, power: float | None = None, softmax: float | None = None) -> None:
        if power is not None and softmax is not None:
            raise ValueError("power and softmax: expected one of them")
        self.softmax = softmax
        self.power = 1.0 if power is None else power

    def fit(self, difficulty: np.ndarray, systems: list[str], name: str) -> Parameters:
        """Compute the standard deviation σ of the difficulty.

        Parameters
        ----------
        difficulty : ndarray of shape (systems, segments)
            Difficulties of hypotheses; higher is harder.
        systems : list of str
            Names of the systems.
        name : str
            Name of the difficulty in notices.

        Returns
        -------
        dict
            `sigma`; `undefined`, the reason why there are no weights, if any; `notices`; and
            `effective_segments` by system if there are weights.
        """
        sigma = deviation(difficulty) if np.isfinite(difficulty).all() else np.nan
        undefined = ""
        if np.isnan(sigma):
            undefined = f"{name} is infinite for some hypotheses."
        elif self.softmax is None and (difficulty < 0).any():
            undefined = (
                f"{name} is below 0 for some hypotheses; a power needs 0 or more: use softmax."
            )
        elif self.softmax is not None and sigma == 0:
            undefined = f"{name} is the same for all hypotheses."
        parameters: Parameters = {"sigma": sigma, "undefined": undefined}
        if undefined:
            return parameters | {"notices": [undefined]}
        effective = effective_number(self._weights(difficulty, sigma), systems)
        return parameters | {"notices": [], "effective_segments": effective}

    def apply(
        self, standard: WeightedMetric, difficulty: np.ndarray, parameters: Parameters
    ) -> WeightedMetric:
        """Weigh the hypotheses.

        Parameters
        ----------
        standard : WeightedMetric
            The unweighted metric.
        difficulty : ndarray of shape (systems, segments)
            Difficulties of hypotheses; higher is harder.
        parameters : dict
            From `fit`.

        Returns
        -------
        WeightedMetric

        Raises
        ------
        Missing
            There are no weights.
        """
        if parameters["undefined"]:
            raise Missing(parameters["undefined"])
        weights = self._weights(difficulty, parameters["sigma"])
        return standard._replace(weights=weights[..., None], shares=np.ones(1))

    def resampled_sums(self, resamples: Resamples) -> tuple[np.ndarray, np.ndarray]:
        difficulty, terms, counts, totals, _ = resamples
        if self.softmax is not None:
            return super().resampled_sums(resamples)
        is_undefined = ~(np.isfinite(difficulty) & (difficulty >= 0)).all(axis=0)
        weights = self._weights(np.where(is_undefined, 0.0, difficulty), np.nan)
        # If all segments of a resample have the weight 0, they count equally.
        sums = totals.copy()
        for system, (of_hypotheses, of_system) in enumerate(zip(weights, terms, strict=True)):
            largest = np.where(counts > 0, of_hypotheses, 0.0).max(axis=1, keepdims=True)
            weighted = counts @ (of_hypotheses[:, None] * of_system)
            np.divide(weighted, largest, out=sums[:, system], where=largest > 0)
        shares = np.where(counts[:, is_undefined].any(axis=1), np.nan, 1.0)
        return sums[:, :, None], shares[:, None]

    def _weights(self, difficulty: np.ndarray, sigma: float) -> np.ndarray:
        """Compute weights, (systems, segments), scaled to a maximum of 1 per system; equal weights
        where all difficulties of a system are 0."""
        if self.softmax is not None:
            powers = self.softmax * (difficulty / sigma)
            return np.exp(powers - powers.max(axis=1, keepdims=True))
        largest = difficulty.max(axis=1, keepdims=True)
        shares = np.divide(difficulty, largest, out=np.ones(difficulty.shape), where=largest > 0)
        return shares**self.power

    def signature(self, parameters: Parameters) -> str:
        how = f"power:{self.power:g}" if self.softmax is None else f"softmax:{self.softmax:g}"
        return f"|proportional|{how}"
