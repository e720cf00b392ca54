"""DA weighting (Zhan et al. 2021): tokens that few systems get right weigh more."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..embedding.matches import Matches, f_score
from .base import WeightedMetric, Weighting

CHOICES = {
    "unseen": ("one", "reference"),
    "smoothing": ("none", "softmax"),
    "range": ("open", "unit"),
}


class Tokens(Weighting):
    """The difficulty of reference tokens weighs the tokens that a metric matches (DA, Zhan et al.
    2021).

    The defaults are the paper's.

    Parameters
    ----------
    unseen : {"one", "reference"}
        Weight of a hypothesis token that does not occur in the reference: 1, or the difficulty of
        the reference token that it matches best.
    smoothing : {"none", "softmax"}
        Softmax over the difficulties of a reference, and over the weights of a hypothesis.
    range : {"open", "unit"}
        Whether weighted similarities are averaged as they are, or divided by the sum of their
        weights, so that scores span [0, 1]. In a segment that all systems translate like the
        reference, `unit` divides by rounding errors: it scores 1, or 0 where they cancel, as in the
        authors' program.
    beta : float
        Of the F score; below 1 prefers precision.
    """

    unit = "token"

    def __init__(
        self,
        unseen: str = "one",
        smoothing: str = "none",
        range: str = "open",
        beta: float = 1.0,
    ) -> None:
        for name, value in (("unseen", unseen), ("smoothing", smoothing), ("range", range)):
            if value not in CHOICES[name]:
                raise ValueError(f"{name} {value}: expected {' or '.join(CHOICES[name])}")
        self.unseen, self.smoothing, self.range, self.beta = unseen, smoothing, range, beta

    @property
    def linear(self) -> bool:
        """Whether precision and recall are linear in the difficulties."""
        return self.smoothing == "none" and self.range == "open"

    def with_unseen(self, unseen: str) -> Tokens:
        """The same with another weight of tokens that the reference lacks."""
        return Tokens(unseen, self.smoothing, self.range, self.beta)

    def fit(self, difficulty: np.ndarray, systems: list[str], name: str) -> dict[str, Any]:
        return {"notices": []}

    def apply(
        self, standard: Matches, difficulty: np.ndarray, parameters: dict[str, Any]
    ) -> WeightedMetric:
        """Token-weighted scores from matches, and difficulties (1 or systems, reference tokens)."""
        return WeightedMetric(self.aggregate, segment_scores(standard, difficulty, self))

    def signature(self, parameters: dict[str, Any] | None = None) -> str:
        return (
            f"|DA|unseen:{self.unseen}|smoothing:{self.smoothing}|range:{self.range}"
            f"|beta:{self.beta:g}"
        )

    def aggregate(self, sums: np.ndarray, segments: ArrayLike) -> np.ndarray:
        """F of mean precision and recall (Eq. 5), (..., 2) to (...); NaN without segments."""
        with np.errstate(invalid="ignore", divide="ignore"):
            means = sums / np.asarray(segments)[..., None]
        return f_score(means[..., 0], means[..., 1], self.beta)


def segment_scores(matches: Matches, difficulty: np.ndarray, settings: Tokens) -> np.ndarray:
    """Weighted precision and recall of every hypothesis (Eq. 3 and 4).

    Parameters
    ----------
    matches : Matches
    difficulty : ndarray, (1 or systems, reference tokens)
    settings : Tokens

    Returns
    -------
    ndarray, (systems, segments, 2)
        Precision, recall; 0 where the hypothesis or the reference is empty.
    """
    ends = np.cumsum(matches.hypothesis_lengths.sum(axis=1))
    scores = []
    for system, end in enumerate(ends):
        tokens = slice(end - matches.hypothesis_lengths[system].sum(), end)
        weights = difficulty[system if len(difficulty) > 1 else 0]
        scores.append(_system_scores(matches, system, tokens, weights, settings))
    return np.array(scores)


def _system_scores(
    matches: Matches, system: int, tokens: slice, weights: np.ndarray, settings: Tokens
) -> np.ndarray:
    owner, sizes = matches.reference_segment, matches.reference_lengths
    if settings.smoothing == "softmax":
        weights = _softmax(weights, owner, sizes)
    recall = _mean(weights, matches.reference_similarity[system], owner, sizes, settings)
    # Hypothesis tokens weigh as the reference types that they equal, or as unseen ones.
    types, of_reference = matches.hypothesis_type[tokens], matches.reference_type
    of_types = np.bincount(of_reference, occurrence_weights(of_reference) * weights)
    unseen: float | np.ndarray = 1.0
    if settings.unseen == "reference":
        unseen = np.append(weights, 1.0)[best_token(matches)[tokens]]
    weights = np.where(types >= 0, np.append(of_types, 0.0)[types], unseen)
    sizes = matches.hypothesis_lengths[system]
    owner = np.repeat(np.arange(sizes.size), sizes)
    if settings.smoothing == "softmax":
        weights = _softmax(weights, owner, sizes)
    precision = _mean(weights, matches.hypothesis_similarity[tokens], owner, sizes, settings)
    scores = np.stack([precision, recall], axis=-1)
    return np.where(matches.scoreable[system][:, None], scores, 0.0)


def best_token(matches: Matches) -> np.ndarray:
    """The reference token that every hypothesis token matches best; -1 if there is none."""
    starts = np.cumsum(matches.reference_lengths) - matches.reference_lengths
    segment = matches.hypothesis_place % matches.reference_lengths.size
    position = matches.hypothesis_position
    return np.where(position >= 0, starts[segment] + position, -1)


def occurrence_weights(types: np.ndarray) -> np.ndarray:
    """How much each occurrence counts for its type: a running average, (first + second) / 2,
    then (that + third) / 2, as in the authors' program. (reference tokens,) to the same."""
    order = np.argsort(types, kind="stable")
    counts = np.bincount(types)
    occurrence = np.empty(types.size, dtype=int)
    occurrence[order] = np.arange(types.size) - np.repeat(np.cumsum(counts) - counts, counts)
    later = counts[types] - occurrence
    return 0.5 ** np.where(occurrence == 0, later - 1, later)


def _mean(
    weights: np.ndarray,
    similarity: np.ndarray,
    owner: np.ndarray,
    sizes: np.ndarray,
    settings: Tokens,
) -> np.ndarray:
    """Mean of weighted similarities per sentence. A sum of weights of 0 gives 0."""
    total = np.bincount(owner, weights * similarity, sizes.size)
    divisor = sizes
    if settings.range == "unit":
        divisor = np.bincount(owner, weights, sizes.size)
    return np.divide(total, divisor, out=np.zeros(sizes.size), where=divisor != 0)


def _softmax(weights: np.ndarray, owner: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    powers = np.exp(weights)
    return powers / np.bincount(owner, powers, sizes.size)[owner]
