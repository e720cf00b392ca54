"""Best matches (`Matches`) between tokens of hypotheses and references, by encoder embeddings."""

from dataclasses import dataclass, fields, replace
from typing import Self

import numpy as np


@dataclass(frozen=True)
class Matches:
    """Best cosine similarities of all tokens of an evaluation set.

    Special tokens have no entry, but can be best matches. Arrays concatenate the tokens of
    segments, hypotheses' tokens system by system. A *type* is a distinct token of a segment's
    reference, numbered through the set.

    Attributes
    ----------
    reference_lengths : ndarray
        (segments,), tokens of each reference.
    reference_ids, reference_type : ndarray
        (reference tokens,), index in the encoder's vocabulary, and type.
    reference_offsets : ndarray
        (reference tokens, 2), start and end in the characters of the stripped reference.
    reference_similarity : ndarray
        (systems, reference tokens), float32, best similarity with a token of the hypothesis.
    hypothesis_lengths : ndarray
        (systems, segments), tokens of each hypothesis.
    hypothesis_ids : ndarray
        (hypothesis tokens,), index in the encoder's vocabulary.
    hypothesis_similarity : ndarray
        (hypothesis tokens,), float32, best similarity with a token of the reference.
    hypothesis_position : ndarray
        (hypothesis tokens,), position of the most similar token of the segment's reference that is
        not special; -1 for none.
    hypothesis_type : ndarray
        (hypothesis tokens,), the type that the token equals; -1 for none.
    truncated : ndarray
        (1 + systems,), number of truncated segments of the reference and of each system.
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
        """Array with the hypothesis of each hypothesis token, as system index × number of segments
        + segment index."""
        return np.repeat(np.arange(self.hypothesis_lengths.size), self.hypothesis_lengths.ravel())


def select(matches: Matches, systems: np.ndarray) -> Matches:
    """Return the token matches of only the systems with the indices `systems`, in this order."""
    starts = np.cumsum([0, *matches.hypothesis_lengths.sum(axis=1)])
    tokens = np.concatenate([np.arange(starts[s], starts[s + 1]) for s in systems])
    reference_and_systems = [0, *(np.asarray(systems) + 1)]
    return replace(
        matches,
        reference_similarity=matches.reference_similarity[systems],
        hypothesis_lengths=matches.hypothesis_lengths[systems],
        hypothesis_ids=matches.hypothesis_ids[tokens],
        hypothesis_similarity=matches.hypothesis_similarity[tokens],
        hypothesis_position=matches.hypothesis_position[tokens],
        hypothesis_type=matches.hypothesis_type[tokens],
        truncated=matches.truncated[reference_and_systems],
    )


def rescaled_matches(arrays: dict[str, np.ndarray]) -> tuple[Matches, str]:
    """Return matches as DA uses them, and a signature. With a baseline b of F, similarities s
    become (s − b) / (1 − b), as in the authors' program; without, they stay as they are."""
    matches = Matches.from_arrays(arrays)
    baseline = np.float64(arrays["baseline"][2])
    if np.isnan(baseline):
        return matches, f"{arrays['signature']}|rescale:no"
    matches = replace(
        matches,
        reference_similarity=(matches.reference_similarity - baseline) / (1 - baseline),
        hypothesis_similarity=(matches.hypothesis_similarity - baseline) / (1 - baseline),
    )
    origin = arrays["baseline_from"]
    rescaled = f"rescale:token|baseline:{baseline:.4f}|baseline-from:{origin}"
    return matches, f"{arrays['signature']}|{rescaled}"


def without_baseline(arrays: dict[str, np.ndarray]) -> str:
    """Return a warning that DA's similarities are not rescaled; "" if there is a baseline."""
    if not np.isnan(arrays["baseline"]).any():
        return ""
    encoder = str(arrays["signature"]).partition("|")[0].removeprefix("encoder:")
    return (
        f"encoder {encoder} has no baseline ({arrays['baseline_from']}): token weightings such as "
        "DA weigh similarities that are not rescaled, other than in Zhan et al. (2021). Hypothesis "
        "tokens that the reference lacks can then count for most of a score, and bad translations "
        "rank first. Set the encoder's baseline (computed, or a number)."
    )


def f_score(precision: np.ndarray, recall: np.ndarray, beta: float = 1.0) -> np.ndarray:
    """Return F_β of precision and recall.

    Parameters
    ----------
    precision, recall : ndarray
        Of the same shape, −1 to 1; higher is better.
    beta : float
        Weight of recall; more than 1 favours recall.

    Returns
    -------
    ndarray
        (1 + β²) · precision · recall / (β² · precision + recall); 0 where both are 0.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        score = (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
    return np.where((precision == 0) & (recall == 0), 0.0, score)
