"""BERTScore (Zhang et al. 2020) from token matches, as bert-score computes it."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from .. import storage
from ..data.evalset import EvaluationSet
from ..embedding import Matches, f_score
from ..errors import Missing
from .base import Metric


class BERTScore(Metric):
    """BERTScore's F, averaged over segments; statistics are F, precision and recall.

    About 0 to 1; rescaled scores can be negative.

    Parameters
    ----------
    idf : bool
        Whether tokens are weighted by their inverse document frequency in the references.
    rescale : bool
        Whether scores are rescaled with the encoder's baseline (`embedding.baselines`).
    """

    reads = "matches"

    def __init__(self, pair: str, *, idf: bool = False, rescale: bool = False) -> None:
        self.idf = idf
        self.rescale = rescale

    def evaluate(
        self, evalset: EvaluationSet, source: str | Path, progress: Callable = iter
    ) -> np.ndarray:
        """Compute F, precision and recall of every hypothesis from token matches.

        Parameters
        ----------
        evalset : EvaluationSet
            Not used.
        source : path
            The file of matches.
        progress : callable
            Not used.

        Returns
        -------
        ndarray of shape (systems, segments, 3)

        Raises
        ------
        Missing
            Scores are to be rescaled, and the encoder has no baseline.
        """
        return self.statistics(storage.read_arrays(source))

    def statistics(self, arrays: dict[str, np.ndarray]) -> np.ndarray:
        """Return F, precision and recall, (systems, segments, 3), computed from token matches;
        raise `Missing` as `evaluate`."""
        baseline = None
        rescaled = "no"
        if self.rescale:
            baseline = arrays["baseline"]
            if np.isnan(baseline).any():
                raise Missing(
                    f"the encoder has no baseline ({arrays['baseline_from']}) to rescale scores "
                    "with; set its `baseline`, or use the metric without `rescale`"
                )
            rescaled = f"yes|baseline:{baseline[2]:.4f}|baseline-from:{arrays['baseline_from']}"
        idf = "yes" if self.idf else "no"
        self.signature = f"{arrays['signature']}|idf:{idf}|rescale:{rescaled}|aggregation:mean"
        return segment_scores(Matches.from_arrays(arrays), idf=self.idf, baseline=baseline)[
            ..., [2, 0, 1]
        ]


def segment_scores(
    matches: Matches, *, idf: bool = False, baseline: Sequence[float] | np.ndarray | None = None
) -> np.ndarray:
    """Compute precision, recall and F of every hypothesis as bert-score does, equal to 1e-5.

    Parameters
    ----------
    matches : Matches
        Best similarities of the tokens of a set.
    idf : bool
        Whether tokens are weighted by their inverse document frequency in the references.
    baseline : sequence of float, optional
        Baseline of precision, recall and F, to which scores are rescaled: (score − baseline) /
        (1 − baseline).

    Returns
    -------
    ndarray of shape (systems, segments, 3)
        About 0 to 1 before rescaling. All are 0 (before rescaling) without tokens on a side; F is 0
        if idf weights sum to 0.

    Notes
    -----
    A best similarity below 0 stays; bert-score sets it to 0 if its batch is padded.
    """
    shape = matches.hypothesis_lengths.shape
    of_reference = of_hypothesis = None
    if idf:  # log((N + 1) / (n + 1)); n of the N references contain the token
        ids = matches.reference_ids
        _, first = np.unique(matches.reference_type, return_index=True)
        types = 1 + max(ids.max(initial=0), matches.hypothesis_ids.max(initial=0))
        weights = np.log((shape[1] + 1) / (np.bincount(ids[first], minlength=types) + 1))
        of_reference = weights[ids]
        of_hypothesis = weights[matches.hypothesis_ids]
    place = matches.hypothesis_place
    segment = matches.reference_segment
    size = matches.hypothesis_lengths.size
    precision = _means(matches.hypothesis_similarity, of_hypothesis, place, size).reshape(shape)
    recall = np.array(
        [_means(row, of_reference, segment, shape[1]) for row in matches.reference_similarity]
    )
    scores = np.where(matches.scoreable[..., None], np.stack([precision, recall], axis=-1), 0.0)
    weightless = np.bincount(place, of_hypothesis, size).reshape(shape) == 0
    weightless |= np.bincount(segment, of_reference, shape[1]) == 0
    f = np.where(weightless, 0.0, f_score(scores[..., 0], scores[..., 1]))
    scores = np.concatenate([scores, f[..., None]], axis=-1)
    return scores if baseline is None else (scores - baseline) / (1 - np.asarray(baseline))


def _means(
    similarity: np.ndarray, weights: np.ndarray | None, owner: np.ndarray, sentences: int
) -> np.ndarray:
    """Return weighted mean similarities, (sentences,); NaN where a sentence's weights sum to 0."""
    total = np.bincount(owner, similarity if weights is None else weights * similarity, sentences)
    with np.errstate(invalid="ignore"):
        return total / np.bincount(owner, weights, sentences)
