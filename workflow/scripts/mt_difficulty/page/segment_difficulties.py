"""Difficulties of the segments that a page shows: values, thresholds, and texts cut by them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..data.evalset import EvaluationSet
from ..data.set_files import SetFiles
from ..papers import cases
from ..papers.chunks import hypothesis_pieces
from .report_charts import rounded
from .report_tables import marked, number
from .segment_view import difficulty_pieces

if TYPE_CHECKING:
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


def numbers(values: list[float], digits: list[int]) -> list[Any]:
    """Rounded numbers for JSON: None for NaN, and an infinite one as a text."""
    return [
        number(value) if np.isinf(value) else rounded(value, places)
        for value, places in zip(values, digits, strict=True)
    ]


def hypothesis_cut(
    found: EvaluationSet, files: SetFiles, difficulties: list[Difficulty]
) -> tuple[str, Callable[[int, int], list[tuple[str, int]]]]:
    """The label of the first difficulty that keeps links, and what cuts a hypothesis, given its
    system and segment, into their chunks; without one "", and hypotheses in one piece."""
    for one in difficulties:
        arrays = files.optional(f"difficulty/{one.name}.npz") or {}
        if {"links", "lengths"} <= arrays.keys():
            return one.label, partial(hypothesis_pieces, found, arrays)

    def whole(system: int, segment: int) -> list[tuple[str, int]]:
        text = found.hypotheses[system][segment]
        return [(text, -1)] if text else []

    return "", whole


def reference_cut(
    found: EvaluationSet,
    scores: SetScores,
    difficulties: list[Difficulty],
    settings: dict[str, Any],
) -> tuple[Callable[[int], list], dict[str, Any] | None]:
    """What cuts a segment's reference into tokens with their difficulty, the first of the set's,
    and what the page must know of it; without any the reference in one piece, and None."""
    first = next((one for one in difficulties if one.unit == "token"), None)
    if first is None or not scores.parts[0].matches.reference_lengths.any():
        return lambda segment: [(found.reference[segment], None)], None
    part, matches = scores.parts[0], scores.parts[0].matches
    everything = np.arange(len(found.systems))
    difficulty = scores.token_difficulty(first.name, part, everything).mean(axis=0)
    ends = np.cumsum(matches.reference_lengths)

    def pieces(segment: int) -> list[tuple[str, float | None]]:
        own = slice(ends[segment] - matches.reference_lengths[segment], ends[segment])
        text = found.reference[segment].strip()
        return difficulty_pieces(text, matches.reference_offsets[own], difficulty[own])

    return pieces, {
        "name": settings["matches"][part.metrics[0]].removeprefix("matches/").removesuffix(".npz"),
        "difficulty": first.label,
        "hard": round(float(np.quantile(difficulty, 1 - cases.MARKED_SHARE)), 2),
        "low": float(np.quantile(difficulty, 0.05)),
        "high": float(difficulty.max()),
    }
