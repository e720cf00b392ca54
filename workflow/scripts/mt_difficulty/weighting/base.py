"""Scores under a weighting: statistics × weights → sums per group → `aggregate` → combined score.
Also the base class of weightings."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from ..errors import Missing
from ..metrics.base import Metric

STANDARD = "standard"
# The mean of a stored metric's segment scores, if the archive's system scores differ from it.
MEAN = "standard (mean)"
PLAIN = (STANDARD, MEAN)
# Warnings are given below this number of effective segments (docs/statistics.md),
FEWEST = 100
# or up to this number of a system's hypotheses in a group.
SMALL_GROUP = 10
# A warning names at most this number of systems.
NAMED = 5


class WeightedMetric(NamedTuple):
    """A metric's statistics and weights for some systems and segments.

    Parameters
    ----------
    aggregate : callable
        Computes scores, (...), from sums of weighted statistics, (..., k), and of weights, (...).
    statistics : ndarray of shape (systems, segments, k)
        The metric's statistics of hypotheses.
    weights : ndarray of shape (systems, segments, groups), optional
        At least 0; None means one group of equal weights, the standard weighting.
    shares : ndarray of shape (groups,)
        Shares of the groups' scores in the combined score.
    higher_is_better : bool
        Whether higher scores are better.

    Notes
    -----
    A score is Σ_g share_g · aggregate(Σ_i weight_ig · statistics_i).
    """

    aggregate: Callable
    statistics: np.ndarray
    weights: np.ndarray | None = None
    shares: np.ndarray = np.ones(1)
    higher_is_better: bool = True

    @classmethod
    def standard(cls, metric: type[Metric] | Metric, statistics: np.ndarray) -> Self:
        return cls(metric.aggregate, statistics, higher_is_better=metric.higher_is_better)

    @classmethod
    def blank(cls, systems: int, segments: int) -> Self:
        """Return a placeholder metric, scores all NaN, for computing a weighting's weights only."""
        return cls(lambda sums, weights: weights * np.nan, np.zeros((systems, segments, 1)))

    def unweighted(self) -> Self:
        return self._replace(weights=None, shares=np.ones(1))

    def in_groups(self, difficult: np.ndarray, easy_weight: float) -> Self:
        """Split hypotheses into an easy and a difficult group, `difficult` (systems, segments) of
        bool, with shares w = `easy_weight` and 1 − w (Liu et al. 2022, Eq. 7)."""
        weights = np.stack([~difficult, difficult], axis=-1).astype(float)
        return self._replace(weights=weights, shares=np.array([easy_weight, 1 - easy_weight]))

    @property
    def sign(self) -> int:
        """The factor that makes higher scores better: −1 for error rates such as TER, else 1."""
        return 1 if self.higher_is_better else -1

    @property
    def terms(self) -> np.ndarray:
        """Each hypothesis's k rounded metric statistics, then a 1: (systems, segments, k + 1)."""
        exact = fixed_point(self.statistics)
        return np.concatenate([exact, np.ones_like(exact[..., :1])], axis=-1)

    @property
    def columns(self) -> np.ndarray:
        """Weighted statistics followed by the weight, (systems, segments, groups, k + 1): the
        values that are summed over segments."""
        terms = self.terms[:, :, None]
        return terms if self.weights is None else fixed_point(self.weights[..., None] * terms)

    def quality(self, sums: np.ndarray) -> np.ndarray:
        """Compute scores from sums of `columns`, (..., groups, k + 1) to (...), with the sign that
        makes higher better. NaN where a group with a nonzero share is empty."""
        return self.sign * combine(self.aggregate(sums[..., :-1], sums[..., -1]), self.shares)

    def scores(self) -> np.ndarray:
        """Return system scores, (systems,), on the metric's own scale (TER: lower is better)."""
        return self.sign * self.observed_quality()

    def observed_quality(self) -> np.ndarray:
        """Return system scores without resampling segments, (systems,); higher is better."""
        weights = self.weights
        if weights is not None and ((weights == 0) | (weights == 1)).all():
            # The sums are those of `columns`, as products with 0 and 1 are exact.
            return self.quality(np.swapaxes(weights, 1, 2) @ self.terms)
        return self.quality(self.columns.sum(axis=1))

    def quality_without_each_segment(self) -> np.ndarray:
        """Return system scores with one segment left out, (systems, segments); higher is better."""
        columns = self.columns
        return self.quality(columns.sum(axis=1, keepdims=True) - columns)

    def influence(self) -> np.ndarray:
        """Return each segment's jackknife contribution to the score, (systems, segments), higher is
        better: (n − 1) / n · (score − score without the segment). If the score is a mean over n
        segments, this is (segment score − mean) / n."""
        segments = self.statistics.shape[1]
        without = self.quality_without_each_segment()
        return (self.observed_quality()[:, None] - without) * (segments - 1) / segments

    @property
    def segment_scale(self) -> tuple[float, float]:
        """Mean and SD of hypotheses' unweighted scores, higher is better; an SD of 0 becomes 1."""
        alone = self.unweighted()
        scores = alone.quality(alone.columns)
        return scores.mean(), scores.std() or 1.0

    def inverted(self, difficulty: np.ndarray) -> Self:
        """Invert the weighting, as a control. Groups exchange their shares; with one group, the
        easiest segment gets the weight of the hardest, and so on. Equally difficult segments get
        the mean of their weights."""
        if len(self.shares) > 1 or self.weights is None:
            return self._replace(shares=self.shares[::-1])
        weights = np.empty_like(self.weights)
        for of_system, inverted, values in zip(self.weights, weights, difficulty, strict=True):
            order = np.argsort(values, kind="stable")
            reversed_weights = of_system[order[::-1], 0]
            group = np.cumsum(np.diff(values[order], prepend=values[order[:1]]) != 0)
            means = np.bincount(group, reversed_weights) / np.bincount(group)
            inverted[order, 0] = means[group]
        return self._replace(weights=weights)

    def segment_shares(self) -> np.ndarray:
        """Compute each segment's share in its system's score, (systems, segments): Σ_g share_g ·
        weight_ig / Σ_i weight_ig. NaN where a group with a nonzero share is empty."""
        weights = np.ones((*self.statistics.shape[:2], 1)) if self.weights is None else self.weights
        with np.errstate(invalid="ignore", divide="ignore"):
            return combine(weights / weights.sum(axis=1, keepdims=True), self.shares)

    def effective_segments(self) -> np.ndarray:
        """Kish's effective number of segments, (systems,); NaN if a group with a share is empty."""
        if self.weights is None:
            return np.full(len(self.statistics), float(self.statistics.shape[1]))
        with np.errstate(invalid="ignore", divide="ignore"):
            share = self.segment_shares()
            return share.sum(axis=1) ** 2 / (share**2).sum(axis=1)

    def select(
        self, systems: np.ndarray | slice = slice(None), segments: np.ndarray | slice = slice(None)
    ) -> Self:
        """Return this metric restricted to the given systems and segments (indices or slices)."""
        weights = self.weights
        all_systems = np.arange(len(self.statistics))
        if (
            isinstance(systems, np.ndarray)
            and systems.dtype == all_systems.dtype
            and np.array_equal(systems, all_systems)
        ):
            systems = slice(None)  # a slice makes no copy
        return self._replace(
            statistics=self.statistics[systems][:, segments],
            weights=None if weights is None else weights[systems][:, segments],
        )


class Resamples(NamedTuple):
    """Bootstrap resamples of a set's segments, with the data to refit a weighting on each.

    Parameters
    ----------
    difficulty : ndarray of shape (systems, segments)
        Difficulties of hypotheses; higher is harder.
    terms : ndarray of shape (systems, segments, k)
        Terms that are weighted and summed over segments.
    counts : ndarray of shape (resamples, segments)
        How often a segment is drawn.
    totals : ndarray of shape (resamples, systems, k)
        Sums of terms without weights.
    systems : sequence of str
        Names of the systems.
    """

    difficulty: np.ndarray
    terms: np.ndarray
    counts: np.ndarray
    totals: np.ndarray
    systems: Sequence[str]


def combine(group_scores: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Compute Σ_g share_g · score_g, (..., groups) to (...); groups with share 0 may be NaN. Shares
    are (groups,) or, if they differ between scores, (..., groups)."""
    used_groups = np.flatnonzero(shares.any(axis=tuple(range(shares.ndim - 1))))
    terms = []
    for group in used_groups:
        term = shares[..., group] * group_scores[..., group]
        if shares.ndim > 1:
            term = np.where(shares[..., group] == 0, 0.0, term)
        terms.append(term)
    return sum(terms[1:], terms[0])


def fixed_point(values: np.ndarray) -> np.ndarray:
    """Round values, (systems, segments, ...), to multiples of the smallest power of two that makes
    sums over segments, and differences of two sums, exact in any order: equal on every processor.
    The error is at most segments · 2^-50 of the largest value along the first two axes."""
    highest = np.max(values, axis=(0, 1), initial=0.0)
    lowest = np.min(values, axis=(0, 1), initial=0.0)
    largest = np.maximum(highest, -lowest)
    bits = 51 - np.ceil(np.log2(max(1, values.shape[1])))
    exponent = np.ceil(np.log2(np.where(largest > 0, largest, 1.0))) - bits
    unit = 2.0 ** np.maximum(exponent, -1074)  # the smallest float
    units = values / unit
    np.round(units, out=units)
    units *= unit
    return units


def effective_segments(weighted: WeightedMetric) -> np.ndarray:
    """Return Kish's effective number of segments, (systems,); NaN if only system scores exist."""
    if weighted.statistics.shape[1] == 1:
        return np.full(len(weighted.statistics), np.nan)
    return weighted.effective_segments()


def effective_number(weights: np.ndarray, systems: Sequence[str]) -> dict[str, float]:
    """Return Kish's effective number of segments by system, from weights, (systems, segments)."""
    number = weights.sum(axis=1) ** 2 / (weights**2).sum(axis=1)
    return dict(zip(systems, number.tolist(), strict=True))


def notices(name: str, weighted: WeightedMetric, systems: list[str]) -> Iterator[str]:
    """Yield warnings on systems with few effective segments or few hypotheses in a group.

    Parameters
    ----------
    name : str
        Name of the weighting.
    weighted : WeightedMetric
        A metric under the weighting.
    systems : list of str
        Names of the systems.

    Yields
    ------
    str
    """

    def listed(numbers: np.ndarray, is_chosen: np.ndarray) -> str:
        """Name the chosen systems with their numbers, the lowest first."""
        order = [index for index in np.argsort(numbers, kind="stable") if is_chosen[index]]
        text = ", ".join(f"{systems[index]} {numbers[index]:.0f}" for index in order[:NAMED])
        unnamed = len(order) - NAMED
        if unnamed == 1:
            text += " and 1 more system"
        elif unnamed > 1:
            text += f" and {unnamed} more systems"
        return text

    effective = effective_segments(weighted)
    segments = weighted.statistics.shape[1]
    bound = min(FEWEST, segments // 2)
    has_few = effective < bound
    if has_few.any():
        yield (
            f"{name} leaves fewer than {bound} effective segments (Kish) of {segments}: "
            f"{listed(effective, has_few)}."
        )
    if weighted.weights is not None and len(weighted.shares) > 1:
        has_weight = weighted.weights[..., weighted.shares > 0] > 0
        sizes = has_weight.sum(axis=1).min(axis=1)
        is_small = (sizes > 0) & (sizes <= SMALL_GROUP)
        if is_small.any():
            yield (
                f"{name} has a group of 1 to {SMALL_GROUP} hypotheses, which can reorder systems "
                f"by chance: {listed(sizes, is_small)}."
            )


# Fitted parameters as JSON values: numbers by name, `notices`, and `<name>_from`, their origin.
Parameters = dict[str, Any]


class Weighting(ABC):
    """A way in which difficulty enters a score: `fit` estimates parameters from a set's difficulty,
    `apply` computes the weights. The constructor takes the config's settings.

    Attributes
    ----------
    unit : {"segment", "token"}
        What is weighted; token weightings need a metric that reads matches.
    parts : dict of str to str
        Settings that name other weightings to apply instead, and the unit of each.
    undefined : str
        Why a system has no score.
    """

    unit: ClassVar[str] = "segment"
    parts: ClassVar[dict[str, str]] = {}
    undefined: ClassVar[str] = "the score is undefined"

    def fit(self, difficulty: np.ndarray, systems: list[str], name: str) -> Parameters:
        """Estimate parameters from the difficulty of a set.

        Parameters
        ----------
        difficulty : ndarray of shape (systems, segments)
            Difficulties of hypotheses of all systems; higher is harder.
        systems : list of str
            Names of the systems.
        name : str
            Name of the difficulty in notices.

        Returns
        -------
        dict
            Parameters as JSON values; `notices` has a list of warnings.
        """
        return {"notices": []}

    @abstractmethod
    def apply(
        self, standard: Any, difficulty: np.ndarray, parameters: Parameters
    ) -> WeightedMetric:
        """Apply the weighting to a metric.

        Parameters
        ----------
        standard : WeightedMetric or Matches
            The unweighted metric; of a weighting of tokens, the token matches.
        difficulty : ndarray of shape (systems, segments) or (1 or systems, reference tokens)
            Difficulties for the same systems; higher is harder.
        parameters : dict
            From `fit`.

        Returns
        -------
        WeightedMetric

        Raises
        ------
        Missing
            A parameter is undefined.
        """

    def fitted(self, difficulty: np.ndarray, systems: Sequence[str]) -> WeightedMetric:
        """Fit the weighting to a difficulty, (systems, segments), and return its weights as a
        metric without scores. Raises `Missing` where the weighting has no parameters."""
        parameters = self.fit(difficulty, list(systems), "difficulty")
        return self.apply(WeightedMetric.blank(*difficulty.shape), difficulty, parameters)

    def resampled_sums(self, resamples: Resamples) -> tuple[np.ndarray, np.ndarray]:
        """Fit a weighting of segments to every bootstrap resample: sums of weighted terms,
        (resamples, systems, groups, k), and shares, (resamples, groups); NaN where the weighting
        has no parameters. Subclasses may have a faster way."""
        difficulty, terms, counts, _, systems = resamples
        fits = {}
        for row, drawn in enumerate(counts.astype(int)):
            segments = np.repeat(np.arange(len(drawn)), drawn)
            with suppress(Missing):
                fit = self.fitted(difficulty[:, segments], systems)
                sums = np.swapaxes(np.asarray(fit.weights), 1, 2) @ terms[:, segments]
                fits[row] = sums, fit.shares
        groups = max((len(shares) for _, shares in fits.values()), default=1)
        sums = np.full((len(counts), len(terms), groups, terms.shape[2]), np.nan)
        shares = np.full((len(counts), groups), np.nan)
        for row, of_row in fits.items():
            sums[row], shares[row] = of_row
        return sums, shares

    @abstractmethod
    def signature(self, parameters: Parameters) -> str:
        """Return the weighting's type and parameters as text, to append to a metric's signature."""
