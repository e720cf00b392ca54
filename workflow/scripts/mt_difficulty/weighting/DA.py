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
        self.unseen, self.smoothing, self.range, self.beta = unseen, smoothing, range, beta
        for name, known in CHOICES.items():
            check_choice(name, getattr(self, name), known)

    @property
    def linear(self) -> bool:
        """Whether precision and recall are linear functions of the token difficulties."""
        return self.smoothing == "none" and self.range == "open"

    def apply(
        self, standard: Matches, difficulty: np.ndarray, parameters: Parameters
    ) -> WeightedMetric:
        """Return the metric with tokens weighted by difficulty, (1 or systems, tokens)."""
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
    """Compute weighted precision and recall (Eq. 3 and 4), (systems, segments, 2), from
    difficulties (1 or systems, reference tokens); 0 where hypothesis or reference is empty."""

    def smooth(weights: np.ndarray) -> np.ndarray:
        if settings.smoothing == "none":
            return weights
        powers = np.exp(weights)
        return powers / np.bincount(owner, powers, sizes.size)[owner]

    def mean(similarity: np.ndarray) -> np.ndarray:
        """Return each sentence's weighted mean of token similarities; 0 where the divisor is 0."""
        total = np.bincount(owner, weights * similarity, sizes.size)
        divisor = np.bincount(owner, weights, sizes.size) if settings.range == "unit" else sizes
        return np.divide(total, divisor, out=np.zeros(sizes.size), where=divisor != 0)

    of_reference, best = matches.reference_type, best_token(matches)
    occurrence = occurrence_weights(of_reference)
    ends, scores = np.cumsum(matches.hypothesis_lengths.sum(axis=1)), []
    for system, end in enumerate(ends):
        owner, sizes = matches.reference_segment, matches.reference_lengths
        weights = smooth(difficulty[system if len(difficulty) > 1 else 0])
        recall = mean(matches.reference_similarity[system])
        # A hypothesis token has the weight of the equal reference type, or else `unseen`.
        sizes = matches.hypothesis_lengths[system]
        owner, tokens = np.repeat(np.arange(sizes.size), sizes), slice(end - sizes.sum(), end)
        of_types = np.append(np.bincount(of_reference, occurrence * weights), 0.0)
        unseen: float | np.ndarray = 1.0
        if settings.unseen == "reference":
            unseen = np.append(weights, 1.0)[best[tokens]]
        types = matches.hypothesis_type[tokens]
        weights = smooth(np.where(types >= 0, of_types[types], unseen))
        both = np.stack([mean(matches.hypothesis_similarity[tokens]), recall], axis=-1)
        scores.append(np.where(matches.scoreable[system][:, None], both, 0.0))
    return np.array(scores)


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
