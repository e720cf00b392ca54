"""DA weighting (Zhan et al. 2021): tokens that few systems translate correctly weigh more."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..embedding import Matches, f_score
from ..errors import check_choice
from .base import Parameters, WeightedMetric, Weighting

CHOICES = {
    "unseen": ("one", "reference"),
    "smoothing": ("none", "softmax"),
    "range": ("open", "unit"),
}


class DA(Weighting):
    """The difficulty of reference tokens weighs the tokens that a metric matches (DA, Zhan et al.
    2021).

    Parameters
    ----------
    unseen : {"one", "reference"}
        Weight of a hypothesis token that does not occur in the reference: 1, or the difficulty of
        the reference token that it matches best.
    smoothing : {"none", "softmax"}
        Softmax over the difficulties of a reference, and over the weights of a hypothesis.
    range : {"open", "unit"}
        Divisor of the sum of weighted similarities: the number of tokens (`open`), or the sum of
        weights (`unit`), so that scores span [0, 1]. If all systems equal the reference, `unit`
        divides rounding errors and gives 1, or 0 where they cancel, as in the authors' program.
    beta : float
        β of the F score; values below 1 give precision more weight.
    """

    unit = "token"

    def __init__(
        self, unseen: str = "one", smoothing: str = "none", range: str = "open", beta: float = 1.0
    ) -> None:
        self.unseen = unseen
        self.smoothing = smoothing
        self.range = range
        self.beta = beta
        for name, known in CHOICES.items():
            check_choice(name, getattr(self, name), known)

    @property
    def linear(self) -> bool:
        """Whether precision and recall are linear functions of the token difficulties."""
        return self.smoothing == "none" and self.range == "open"

    def apply(
        self, standard: Matches, difficulty: np.ndarray, parameters: Parameters
    ) -> WeightedMetric:
        """Weigh the tokens.

        Parameters
        ----------
        standard : Matches
            Token matches.
        difficulty : ndarray of shape (1 or systems, reference tokens)
            Difficulties of tokens; higher is harder.
        parameters : dict
            Not used.

        Returns
        -------
        WeightedMetric
        """
        return WeightedMetric(self.aggregate, segment_scores(standard, difficulty, self))

    def signature(self, parameters: Parameters | None = None) -> str:
        settings = f"unseen:{self.unseen}|smoothing:{self.smoothing}|range:{self.range}"
        return f"|DA|{settings}|beta:{self.beta:g}"

    def aggregate(self, sums: np.ndarray, segments: ArrayLike) -> np.ndarray:
        """Return F (Eq. 5) of precision and recall, `sums` (..., 2) / `segments`; NaN for 0."""
        with np.errstate(invalid="ignore", divide="ignore"):
            means = sums / np.asarray(segments)[..., None]
        return f_score(means[..., 0], means[..., 1], self.beta)


def segment_scores(matches: Matches, difficulty: np.ndarray, settings: DA) -> np.ndarray:
    """Compute weighted precision and recall (Eq. 3 and 4).

    Parameters
    ----------
    matches : Matches
        Token matches.
    difficulty : ndarray of shape (1 or systems, reference tokens)
        Difficulties of tokens; higher is harder.
    settings : DA
        The weighting.

    Returns
    -------
    ndarray of shape (systems, segments, 2)
        Precision and recall; 0 where hypothesis or reference is empty.
    """
    reference_types = matches.reference_type
    best = best_token(matches)
    occurrence = occurrence_weights(reference_types)
    scores = []
    for system, end in enumerate(np.cumsum(matches.hypothesis_lengths.sum(axis=1))):
        lengths = matches.reference_lengths
        segments = matches.reference_segment
        weights = difficulty[system if len(difficulty) > 1 else 0]
        weights = _smooth(weights, segments, lengths, settings)
        similarity = matches.reference_similarity[system]
        recall = _weighted_means(similarity, weights, segments, lengths, settings)

        # A hypothesis token has the weight of the equal reference type, or else `unseen`.
        weights_of_types = np.append(np.bincount(reference_types, occurrence * weights), 0.0)
        lengths = matches.hypothesis_lengths[system]
        segments = np.repeat(np.arange(lengths.size), lengths)
        tokens = slice(end - lengths.sum(), end)
        unseen: float | np.ndarray = 1.0
        if settings.unseen == "reference":
            unseen = np.append(weights, 1.0)[best[tokens]]
        types = matches.hypothesis_type[tokens]
        weights = np.where(types >= 0, weights_of_types[types], unseen)
        weights = _smooth(weights, segments, lengths, settings)
        similarity = matches.hypothesis_similarity[tokens]
        precision = _weighted_means(similarity, weights, segments, lengths, settings)

        both = np.stack([precision, recall], axis=-1)
        scores.append(np.where(matches.scoreable[system][:, None], both, 0.0))
    return np.array(scores)


def _smooth(
    weights: np.ndarray, segments: np.ndarray, lengths: np.ndarray, settings: DA
) -> np.ndarray:
    """Apply the weighting's smoothing to the weights of tokens, (tokens,), within each sentence."""
    if settings.smoothing == "none":
        return weights
    powers = np.exp(weights)
    return powers / np.bincount(segments, powers, lengths.size)[segments]


def _weighted_means(
    similarity: np.ndarray,
    weights: np.ndarray,
    segments: np.ndarray,
    lengths: np.ndarray,
    settings: DA,
) -> np.ndarray:
    """Return each sentence's weighted mean of token similarities, (segments,); 0 where the divisor
    is 0. `similarity`, `weights` and `segments` are of tokens."""
    sums = np.bincount(segments, weights * similarity, lengths.size)
    divisor = lengths
    if settings.range == "unit":
        divisor = np.bincount(segments, weights, lengths.size)
    return np.divide(sums, divisor, out=np.zeros(lengths.size), where=divisor != 0)


def best_token(matches: Matches) -> np.ndarray:
    """Return each hypothesis token's best match, an index into all reference tokens; -1 if none."""
    starts = np.cumsum(matches.reference_lengths) - matches.reference_lengths
    segment = matches.hypothesis_place % matches.reference_lengths.size
    position = matches.hypothesis_position
    return np.where(position >= 0, starts[segment] + position, -1)


def occurrence_weights(types: np.ndarray) -> np.ndarray:
    """Return the share of each reference token in the weight of its type, (reference tokens,).
    Weights are averaged in turn, ((first + second) / 2 + third) / 2, as in the authors' program."""
    order = np.argsort(types, kind="stable")
    counts = np.bincount(types)
    occurrence = np.empty(types.size, dtype=int)
    occurrence[order] = np.arange(types.size) - np.repeat(np.cumsum(counts) - counts, counts)
    later = counts[types] - occurrence
    return 0.5 ** np.where(occurrence == 0, later - 1, later)
