"""Difficulties of the segments that a page shows: values, thresholds, and texts cut by them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..data.evalset import EvaluationSet
from ..papers.case_studies import MARKED_SHARE
from .report_tables import marked
from .segment_view import difficulty_pieces

if TYPE_CHECKING:
    from ..embedding.matches import Matches
    from ..evidence.set_scores import SetScores


class Difficulty(NamedTuple):
    """A difficulty of the segments of a set.

    `values` (systems, segments) are the means over the reference's tokens where the unit is the
    token. They can be infinite or NaN.
    """

    name: str
    unit: str
    uses_gold: bool
    values: np.ndarray

    @property
    def label(self) -> str:
        """The name, marked where it uses human scores."""
        return marked(self.name, self.uses_gold)

    @property
    def means(self) -> np.ndarray:
        """Means over systems, (segments,)."""
        with np.errstate(invalid="ignore"):
            return self.values.mean(axis=0)

    @property
    def digits(self) -> int:
        """How many digits tell values apart."""
        return digits_of(self.values)


def digits_of(values: np.ndarray) -> int:
    """How many digits tell values apart: 1 where some are above 5, else 3."""
    return 1 if np.abs(values[np.isfinite(values)]).max(initial=0) > 5 else 3


def read_difficulties(
    described: dict[str, Any], scores: SetScores, systems: int
) -> list[Difficulty]:
    """The difficulties that are there, of those `described` as in `weightings.json`; those of
    tokens with the matches of the first encoder."""
    found = []
    for name, entry in described.items():
        if entry["missing"] or (entry["unit"] == "token" and not scores.parts):
            continue
        if entry["unit"] == "token":
            values = _means_over_tokens(scores, name, systems)
        else:
            values = scores.difficulty(name, np.arange(systems))
        found.append(Difficulty(name, entry["unit"], entry["uses_gold"], values))
    return found


def _means_over_tokens(scores: SetScores, name: str, systems: int) -> np.ndarray:
    """Mean difficulty of each reference's tokens, (systems, segments); NaN without tokens."""
    part = scores.parts[0]
    sizes = part.matches.reference_lengths
    owner = np.repeat(np.arange(sizes.size), sizes)
    values = scores.token_difficulty(name, part, np.arange(systems))
    with np.errstate(invalid="ignore"):
        means = np.array([np.bincount(owner, row, sizes.size) / sizes for row in values])
    return np.broadcast_to(means, (systems, sizes.size))


def thresholds(
    weightings: dict[str, Any], difficulties: list[Difficulty]
) -> dict[str, tuple[int, np.ndarray]]:
    """The weightings that have a threshold h: the place of their difficulty among `difficulties`,
    and whether each hypothesis is difficult, (systems, segments) of bool."""
    places = {one.name: place for place, one in enumerate(difficulties)}
    return {
        name: (place, difficulties[place].values >= h)
        for name, entry in weightings.items()
        if (h := entry["parameters"].get("h")) is not None
        and (place := places.get(entry["difficulty"])) is not None
    }


def reference_tokens(
    found: EvaluationSet,
    scores: SetScores,
    difficulties: list[Difficulty],
    settings: dict[str, Any],
) -> dict[str, Any] | None:
    """References in tokens with their difficulty, the first of the set's; None without any.

    Returns
    -------
    dict or None
        `name` of the encoder; `difficulty`; `hard`, from which a token is of the set's most
        difficult, `low` and `high`, all in hundredths; `of` each segment the lengths in characters
        and the difficulties in hundredths, by turns, of the reference's pieces, None for what is no
        token.
    """
    first = next((one for one in difficulties if one.unit == "token"), None)
    if first is None or not scores.parts[0].matches.reference_lengths.any():
        return None
    part, matches = scores.parts[0], scores.parts[0].matches
    everything = np.arange(len(found.systems))
    difficulty = scores.token_difficulty(first.name, part, everything).mean(axis=0)
    file = settings["matches"][part.metrics[0]]
    low, hard = np.quantile(difficulty, [0.05, 1 - MARKED_SHARE])
    return {
        "name": file.removeprefix("matches/").removesuffix(".npz"),
        "difficulty": first.label,
        "of": list(_pieces(found.reference, matches, difficulty)),
    } | {
        name: round(100 * float(value))
        for name, value in (("low", low), ("hard", hard), ("high", difficulty.max()))
    }


def _pieces(
    reference: list[str], matches: Matches, difficulty: np.ndarray
) -> Iterator[list[int | None]]:
    """Lengths and difficulties of every reference's pieces."""
    ends = np.cumsum(matches.reference_lengths)
    for text, end, size in zip(reference, ends, matches.reference_lengths, strict=True):
        own, stripped = slice(end - size, end), text.strip()
        pieces = difficulty_pieces(stripped, matches.reference_offsets[own], difficulty[own])
        # White space before the first token is part of the reference, not of what was encoded.
        before = len(text) - len(text.lstrip())
        yield [
            part
            for piece, value in [(text[:before], None), *pieces]
            for part in (len(piece), None if value is None else round(100 * value))
            if piece
        ]
