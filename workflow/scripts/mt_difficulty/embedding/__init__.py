"""Best matches (`Matches`) between tokens of hypotheses and references, by encoder embeddings."""

from dataclasses import dataclass, fields, replace
from typing import Self

import numpy as np


@dataclass(frozen=True)
class Matches:
    """Best cosine similarities of all tokens of an evaluation set. Special tokens have no entry,
    but can be best matches. Arrays concatenate the tokens of segments, hypotheses' tokens system by
    system. A *type* is a distinct token of a segment's reference, numbered through the set. A
    position is that of the most similar reference token that is not special."""

    reference_lengths: np.ndarray  # (segments,)
    reference_ids: np.ndarray  # (reference tokens,)
    reference_type: np.ndarray  # (reference tokens,)
    reference_offsets: np.ndarray  # (reference tokens, 2), in the stripped reference's characters
    reference_similarity: np.ndarray  # (systems, reference tokens), float32
    hypothesis_lengths: np.ndarray  # (systems, segments)
    hypothesis_ids: np.ndarray  # (hypothesis tokens,)
    hypothesis_similarity: np.ndarray  # (hypothesis tokens,), float32
    hypothesis_position: np.ndarray  # (hypothesis tokens,), in the segment's reference; -1 for none
    hypothesis_type: np.ndarray  # (hypothesis tokens,), the type that it equals; -1 for none
    truncated: np.ndarray  # (1 + systems,), truncated segments of reference and systems

    @classmethod
    def from_arrays(cls, arrays: dict[str, np.ndarray]) -> Self:
        """Build a `Matches` from a dict of arrays by field name; other entries are ignored."""
        return cls(**{field.name: arrays[field.name] for field in fields(cls)})

    @property
    def scoreable(self) -> np.ndarray:
        """Boolean mask, (systems, segments): hypothesis and reference both have tokens."""
        return (self.hypothesis_lengths > 0) & (self.reference_lengths > 0)

    @property
    def reference_segment(self) -> np.ndarray:
        """Array with the segment index of each reference token."""
        return np.repeat(np.arange(self.reference_lengths.size), self.reference_lengths)

    @property
    def hypothesis_place(self) -> np.ndarray:
        """Each hypothesis token's hypothesis: system index × number of segments + segment index."""
        return np.repeat(np.arange(self.hypothesis_lengths.size), self.hypothesis_lengths.ravel())


def select(matches: Matches, systems: np.ndarray) -> Matches:
    """Return the token matches of only the systems with the indices `systems`, in this order."""
    starts = np.cumsum([0, *matches.hypothesis_lengths.sum(axis=1)])
    tokens = np.concatenate([np.arange(starts[s], starts[s + 1]) for s in systems])
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


def rescaled_matches(arrays: dict[str, np.ndarray]) -> tuple[Matches, str]:
    """Return matches as DA uses them, and a signature. Where bert-score has an F baseline b for
    encoder and language, similarities s become (s − b) / (1 − b), as in the authors' program."""
    matches, baseline = Matches.from_arrays(arrays), np.float64(arrays["baseline"][2])
    if np.isnan(baseline):
        return matches, f"{arrays['signature']}|rescale:no"
    matches = replace(
        matches,
        reference_similarity=(matches.reference_similarity - baseline) / (1 - baseline),
        hypothesis_similarity=(matches.hypothesis_similarity - baseline) / (1 - baseline),
    )
    return matches, f"{arrays['signature']}|rescale:token"


def f_score(precision: np.ndarray, recall: np.ndarray, beta: float = 1.0) -> np.ndarray:
    """Return F_β of precision and recall (β > 1 favours recall); 0 where both are 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        score = (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
    return np.where((precision == 0) & (recall == 0), 0.0, score)
