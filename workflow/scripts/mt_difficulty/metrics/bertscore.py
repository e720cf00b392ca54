"""BERTScore (Zhang et al. 2020) from matched tokens, as bert-score computes it."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from .. import storage
from ..data.evalset import EvaluationSet
from ..embedding.matches import Matches, f_score
from .base import Metric


class BERTScore(Metric):
    """Mean of the segments' F; statistics are F, precision and recall.

    About 0 to 1; rescaled scores can be negative.

    Parameters
    ----------
    idf : bool
        Whether tokens weigh by their inverse document frequency in the references.
    rescale : bool
        Whether to rescale with the baseline of the encoder and the target language, where
        bert-score has one; the signature says so.
    """

    reads = "matches"

    def __init__(self, pair: str, idf: bool = False, rescale: bool = False) -> None:
        self.idf, self.rescale = idf, rescale
        self._signature = ""

    def evaluate(
        self, evalset: EvaluationSet, source: str | Path, progress: Callable = iter
    ) -> np.ndarray:
        """Statistics from a file of matches, (systems, segments, 3).

        Raises
        ------
        Missing
            There are no matches.
        """
        return self.statistics(storage.read_arrays(source))

    def statistics(self, arrays: dict[str, np.ndarray]) -> np.ndarray:
        """Statistics from the arrays of `set_matches.match_set`, (systems, segments, 3)."""
        known = not np.isnan(arrays["baseline"]).any()
        baseline = arrays["baseline"] if self.rescale and known else None
        rescaled = ("yes" if known else "no-baseline") if self.rescale else "no"
        self._signature = (
            f"{arrays['signature']}|idf:{'yes' if self.idf else 'no'}|rescale:{rescaled}"
            "|aggregation:mean"
        )
        return segment_scores(Matches.from_arrays(arrays), self.idf, baseline)[..., [2, 0, 1]]

    @property
    def signature(self) -> str:
        return self._signature


def segment_scores(
    matches: Matches, idf: bool = False, baseline: Sequence[float] | np.ndarray | None = None
) -> np.ndarray:
    """Precision, recall and F of every hypothesis, (systems, segments, 3).

    Equal to bert-score's to 1e-5 in float32. Special tokens are left out of the means, but can be
    what a token matches best; a hypothesis or reference without tokens scores 0 (before rescaling),
    and one whose tokens weigh nothing has an F of 0.
    bert-score takes a best similarity below 0 as 0 where its batch happens to be padded; here it
    stays.

    Parameters
    ----------
    matches : Matches
    idf : bool
    baseline : sequence of 3 floats, optional
        Rescales to (score − baseline) / (1 − baseline).
    """
    shape = matches.hypothesis_lengths.shape
    of_reference, of_hypothesis = _idf(matches) if idf else (None, None)
    place, segment = matches.hypothesis_place, matches.reference_segment
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
    """Weighted means per sentence; NaN for one without weight."""
    total = np.bincount(owner, similarity if weights is None else weights * similarity, sentences)
    with np.errstate(invalid="ignore"):
        return total / np.bincount(owner, weights, sentences)


def _idf(matches: Matches) -> tuple[np.ndarray, np.ndarray]:
    """log((N + 1) / (n + 1)) of every reference and hypothesis token; n of the N references hold
    the token."""
    ids = matches.reference_ids
    _, first = np.unique(matches.reference_type, return_index=True)
    size = 1 + max(ids.max(initial=0), matches.hypothesis_ids.max(initial=0))
    holding = np.bincount(ids[first], minlength=size)
    idf = np.log((matches.reference_lengths.size + 1) / (holding + 1))
    return idf[ids], idf[matches.hypothesis_ids]
