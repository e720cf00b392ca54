"""Token matches: what is kept of every hypothesis and its reference."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Self

import numpy as np


@dataclass(frozen=True)
class Matches:
    """Best cosine similarities of all tokens of an evaluation set; special tokens are left out,
    but can be what a token matches best.

    Reference tokens stand one segment after the other; hypothesis tokens one system after the
    other and in it one segment after the other. A *type* is a distinct token of one segment's
    reference; types are numbered through the set.

    Attributes
    ----------
    reference_lengths : ndarray of int, (segments,)
    reference_ids, reference_type : ndarray of int, (reference tokens,)
    reference_offsets : ndarray of int, (reference tokens, 2)
        Start and end in the characters of the stripped reference.
    reference_similarity : ndarray of float32, (systems, reference tokens)
    hypothesis_lengths : ndarray of int, (systems, segments)
    hypothesis_ids, hypothesis_similarity : ndarray, (hypothesis tokens,)
    hypothesis_position : ndarray of int, (hypothesis tokens,)
        Which token of the segment's reference, special ones aside, matches best; -1 if there is
        none. Where a special token matches better, the similarity is that one's.
    hypothesis_type : ndarray of int, (hypothesis tokens,)
        The reference type that the token equals; -1 if there is none.
    truncated : ndarray of int, (1 + systems,)
        Truncated segments of the reference and of each system.
    """

    reference_lengths: np.ndarray
    reference_ids: np.ndarray
    reference_type: np.ndarray
    reference_offsets: np.ndarray
    reference_similarity: np.ndarray
    hypothesis_lengths: np.ndarray
    hypothesis_ids: np.ndarray
    hypothesis_similarity: np.ndarray
    hypothesis_position: np.ndarray
    hypothesis_type: np.ndarray
    truncated: np.ndarray

    @classmethod
    def from_arrays(cls, arrays: dict[str, np.ndarray]) -> Self:
        """Matches from named arrays, further ones left aside."""
        return cls(**{field.name: arrays[field.name] for field in fields(cls)})

    @property
    def scoreable(self) -> np.ndarray:
        """Which hypotheses have tokens, and a reference that has, (systems, segments)."""
        return (self.hypothesis_lengths > 0) & (self.reference_lengths > 0)

    @property
    def reference_segment(self) -> np.ndarray:
        """Segment of every reference token."""
        return np.repeat(np.arange(self.reference_lengths.size), self.reference_lengths)

    @property
    def hypothesis_place(self) -> np.ndarray:
        """system · segments + segment of every hypothesis token."""
        return np.repeat(np.arange(self.hypothesis_lengths.size), self.hypothesis_lengths.ravel())


def select(matches: Matches, systems: np.ndarray) -> Matches:
    """The matches of some systems, in the given order."""
    ends = np.cumsum(matches.hypothesis_lengths.sum(axis=1))
    starts = ends - matches.hypothesis_lengths.sum(axis=1)
    tokens = np.concatenate([np.arange(starts[s], ends[s]) for s in systems])
    return replace(
        matches,
        reference_similarity=matches.reference_similarity[systems],
        hypothesis_lengths=matches.hypothesis_lengths[systems],
        hypothesis_ids=matches.hypothesis_ids[tokens],
        hypothesis_similarity=matches.hypothesis_similarity[tokens],
        hypothesis_position=matches.hypothesis_position[tokens],
        hypothesis_type=matches.hypothesis_type[tokens],
        truncated=matches.truncated[[0, *(np.asarray(systems) + 1)]],
    )


def rescale(matches: Matches, baseline: np.float64) -> Matches:
    """Similarities s as (s − b) / (1 − b), in float64, as the authors' program does with
    BERTScore's F baseline b."""
    return replace(
        matches,
        reference_similarity=(matches.reference_similarity - baseline) / (1 - baseline),
        hypothesis_similarity=(matches.hypothesis_similarity - baseline) / (1 - baseline),
    )


def rescaled_matches(arrays: dict[str, np.ndarray]) -> tuple[Matches, str]:
    """Matches as DA uses them, rescaled where the encoder has a baseline for the language, and the
    signature of matches and rescaling."""
    matches, (_, _, baseline) = Matches.from_arrays(arrays), arrays["baseline"]
    if np.isnan(baseline):
        return matches, f"{arrays['signature']}|rescale:no"
    return rescale(matches, np.float64(baseline)), f"{arrays['signature']}|rescale:token"


def f_score(precision: np.ndarray, recall: np.ndarray, beta: float = 1.0) -> np.ndarray:
    """F_β; 0 where precision and recall are."""
    with np.errstate(invalid="ignore", divide="ignore"):
        score = (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
    return np.where((precision == 0) & (recall == 0), 0.0, score)
