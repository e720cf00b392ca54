"""The one path to a score: statistics × weights → sums of groups → `aggregate` → combined score;
and what every weighting provides."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

if TYPE_CHECKING:
    from ..metrics.base import Metric


class WeightedMetric(NamedTuple):
    """A metric under a weighting, on some systems and segments.

    A score is Σ_g share_g · aggregate(Σ_i weight_ig · statistics_i). Resamples multiply the
    weights, subsets are slices, and the score without a segment subtracts that segment's sums.

    Attributes
    ----------
    aggregate : callable
        Sums (..., k) and sums of weights (...) to scores (...).
    statistics : ndarray, (systems, segments, k)
    weights : ndarray, (systems, segments, groups), optional
        0 or more; None for one group of equal weights, the standard weighting.
    shares : ndarray, (groups,)
        Share of every group's score in the combined score.
    higher_is_better : bool
    """

    aggregate: Callable
    statistics: np.ndarray
    weights: np.ndarray | None = None
    shares: np.ndarray = np.ones(1)
    higher_is_better: bool = True

    @classmethod
    def standard(cls, metric: type[Metric] | Metric, statistics: np.ndarray) -> Self:
        """A metric (or its class) under the standard weighting."""
        return cls(metric.aggregate, statistics, higher_is_better=metric.higher_is_better)

    def unweighted(self) -> Self:
        """The same statistics under the standard weighting."""
        return self._replace(weights=None, shares=np.ones(1))

    def in_groups(self, difficult: np.ndarray, easy_weight: float) -> Self:
        """The same statistics in an easy and a difficult group (Liu et al. 2022, Eq. 7).

        Parameters
        ----------
        difficult : ndarray of bool, (systems, segments)
        easy_weight : float
            The share w of the easy group; 1 − w is that of the difficult one.
        """
        weights = np.stack([~difficult, difficult], axis=-1).astype(float)
        return self._replace(weights=weights, shares=np.array([easy_weight, 1 - easy_weight]))

    @property
    def sign(self) -> int:
        """Between scores and quality, of which higher is better: 1 or −1."""
        return 1 if self.higher_is_better else -1

    @classmethod
    def blank(cls, systems: int, segments: int) -> Self:
        """No scores: what a weighting can be applied to where only its weights are asked for."""
        return cls(
            lambda sums, weights: np.full(weights.shape, np.nan), np.zeros((systems, segments, 1))
        )

    @property
    def terms(self) -> np.ndarray:
        """Statistics and, last, 1, (systems, segments, k + 1), in `fixed_point`."""
        exact = fixed_point(self.statistics)
        return np.concatenate([exact, np.ones_like(exact[..., :1])], axis=-1)

    @property
    def columns(self) -> np.ndarray:
        """What is summed over segments, (systems, segments, groups, k + 1): weighted statistics
        and, last, the weight."""
        counted = self.terms[:, :, None]
        return counted if self.weights is None else fixed_point(self.weights[..., None] * counted)

    def quality(self, sums: np.ndarray) -> np.ndarray:
        """Scores from sums of `columns`, (..., groups, k + 1) to (...), higher is better.

        NaN where a group with a share is empty; a group of share 0 need not exist.
        """
        return self.sign * combine(self.aggregate(sums[..., :-1], sums[..., -1]), self.shares)

    def scores(self) -> np.ndarray:
        """Scores on the segments as they are, (systems,), on the metric's own scale."""
        return self.sign * self.observed_quality()

    def observed_quality(self) -> np.ndarray:
        """Scores on the segments as they are, (systems,), higher is better."""
        return self.quality(self.columns.sum(axis=1))

    def quality_without_each_segment(self) -> np.ndarray:
        """Scores on all segments but one, (systems, segments), higher is better.

        The weights stay what they are. NaN where a group with a share has no other segment.
        """
        columns = self.columns
        return self.quality(columns.sum(axis=1, keepdims=True) - columns)

    def influence(self) -> np.ndarray:
        """What each segment adds to a score, to first order, (systems, segments), higher is better.

        The jackknife's: (n − 1) / n · (score − score without the segment); of a mean over n
        segments (score of the segment − mean) / n. NaN where a score is.
        """
        segments = self.statistics.shape[1]
        without = self.quality_without_each_segment()
        return (self.observed_quality()[:, None] - without) * (segments - 1) / segments

    @property
    def segment_scale(self) -> tuple[float, float]:
        """Mean and standard deviation of the quality of single segments; 1 where it is constant."""
        alone = self.unweighted()
        scores = alone.quality(alone.columns)
        return scores.mean(), scores.std() or 1.0

    def inverted(self, difficulty: np.ndarray) -> Self:
        """What is easy weighs as what is difficult should, and the other way round: groups exchange
        their shares; in one group the easiest segment gets the hardest one's weight, and so on.

        Parameters
        ----------
        difficulty : ndarray, (systems, segments)
        """
        if len(self.shares) > 1 or self.weights is None:
            return self._replace(shares=self.shares[::-1])
        order = np.argsort(difficulty, axis=1, kind="stable")[..., None]
        weights = np.empty_like(self.weights)
        ascending = np.take_along_axis(self.weights, order, axis=1)
        np.put_along_axis(weights, order, ascending[:, ::-1], axis=1)
        return self._replace(weights=weights)

    def effective_segments(self) -> np.ndarray:
        """Kish's effective number of segments, (systems,): (Σ v)² / Σ v² of the segments' weights v
        in a system's score; NaN where a group with a share is empty."""
        if self.weights is None:
            return np.full(len(self.statistics), float(self.statistics.shape[1]))
        with np.errstate(invalid="ignore", divide="ignore"):
            share = combine(self.weights / self.weights.sum(axis=1, keepdims=True), self.shares)
            return share.sum(axis=1) ** 2 / (share**2).sum(axis=1)

    def select(
        self, systems: np.ndarray | slice = slice(None), segments: np.ndarray | slice = slice(None)
    ) -> Self:
        """The same of some systems and segments."""
        weights = self.weights
        return self._replace(
            statistics=self.statistics[systems][:, segments],
            weights=None if weights is None else weights[systems][:, segments],
        )


def combine(group_scores: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Σ_g share_g · score_g, (..., groups) to (...); a group of share 0 need not have a score."""
    used = np.flatnonzero(shares)
    parts = [shares[group] * group_scores[..., group] for group in used]
    return sum(parts[1:], parts[0])


def fixed_point(values: np.ndarray) -> np.ndarray:
    """Values as multiples of a power of two: of the smallest that keeps sums over segments exact.

    Sums over as many segments as there are, and differences of two such sums, are exact in any
    order: a score does not depend on the processor or the number of threads, and equal scores stay
    equal. Rounding is by at most segments · 2^-50 of the largest value of each kind: of 2,000
    segments 2e-12.

    Parameters
    ----------
    values : ndarray, (systems, segments, ...)
        Every entry of the further axes is a kind.
    """
    largest = np.abs(values).max(axis=(0, 1), initial=0.0)
    bits = 51 - np.ceil(np.log2(max(1, values.shape[1])))
    exponent = np.ceil(np.log2(np.where(largest > 0, largest, 1.0))) - bits
    unit = 2.0 ** np.maximum(exponent, -1074)  # the smallest float
    return np.round(values / unit) * unit


class Weighting(ABC):
    """How difficulty enters a score: parameters that are fitted to a set's difficulty, and the
    weights that follow from both.

    Parameters
    ----------
    settings : keyword arguments
        The weighting's own, as in the config.

    Attributes
    ----------
    unit : {"segment", "token"}
        What it weighs. Weights of tokens need a metric that reads token matches.
    undefined : str
        Why a system has no score.
    """

    unit: ClassVar[str] = "segment"
    undefined: ClassVar[str] = "the score is undefined"

    @abstractmethod
    def fit(self, difficulty: np.ndarray, systems: list[str], name: str) -> dict[str, Any]:
        """Parameters for a set, and what is odd about them.

        Parameters
        ----------
        difficulty : ndarray, (systems, segments)
            Of all systems; higher is harder.
        systems : list of str
        name : str
            Of the difficulty, for sentences.

        Returns
        -------
        dict
            For JSON; `notices` are sentences. A parameter that is NaN leaves no weights.
        """

    @abstractmethod
    def apply(
        self, standard: Any, difficulty: np.ndarray, parameters: dict[str, Any]
    ) -> WeightedMetric:
        """A metric under this weighting.

        Parameters
        ----------
        standard : WeightedMetric or Matches
            The metric under the standard weighting, of the systems at hand; for a weighting of
            tokens their matches.
        difficulty : ndarray, (systems, segments) or (1 or systems, reference tokens)
            Of these systems.
        parameters : dict
            From `fit`.

        Raises
        ------
        Missing
            A parameter is undefined.
        """

    def summary(self, parameters: dict[str, Any]) -> str:
        """Parameters from `fit` for people; empty where there are none to tell."""
        return ""

    @abstractmethod
    def signature(self, parameters: dict[str, Any]) -> str:
        """What the weighting adds to a metric's signature; that of the difficulty follows."""
