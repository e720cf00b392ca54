"""One segment in which an entropy of chunks is explained by two hypotheses of many and of few
chunks."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data.evalset import EvaluationSet
from ..data.set_files import SetFiles
from ..papers import case_studies as chunks

# Tokens of a hypothesis that is read at one look: of words, and of characters.
SHORT = {"words": (8, 25), "characters": (15, 60)}


def explain(found: EvaluationSet, files: SetFiles, names: list[str]) -> dict[str, Any] | None:
    """The segment whose short hypotheses differ most in the first difficulty that has chunks.

    Parameters
    ----------
    found : EvaluationSet
    files : SetFiles
    names : list of str
        Of the set's difficulties.

    Returns
    -------
    dict or None
        `difficulty`, `segment` (from 1), `shortest` and `longest` in tokens, `source`, `reference`,
        `languages`, and `hypotheses`, that of many chunks first: system, `pieces` as from
        `chunk_pieces`, `sizes` of its chunks, their `terms` -n/N log10(n/N), which add up to
        `sum`. None where no difficulty has chunks, or no two hypotheses are short enough and
        differ.
    """
    if not (found.source and found.reference):
        return None
    for name in names:
        arrays = files.optional(f"difficulty/{name}.npz") or {}
        if {"links", "lengths", "difficulty"} <= arrays.keys():
            return _explain(found, name, arrays)
    return None


def _explain(
    found: EvaluationSet, name: str, arrays: dict[str, np.ndarray]
) -> dict[str, Any] | None:
    units = "words" if chunks.units(found) == "words" else "characters"
    shortest, longest = SHORT[units]
    lengths, difficulty = arrays["lengths"], arrays["difficulty"]
    short = (lengths >= shortest) & (lengths <= longest) & np.isfinite(difficulty)
    most = np.where(short, difficulty, -np.inf).max(axis=0)
    least = np.where(short, difficulty, np.inf).min(axis=0)
    spread = most - least  # -inf without a short hypothesis
    segment = int(spread.argmax())
    if not spread[segment] > 0:
        return None
    order = [int(np.where(short[:, segment], difficulty[:, segment], -np.inf).argmax())]
    order.append(int(np.where(short[:, segment], difficulty[:, segment], np.inf).argmin()))
    source, target = found.pair.split("-")[:2]
    return {
        "difficulty": name,
        "segment": segment + 1,
        "segments": len(found.reference),
        "shortest": shortest,
        "longest": longest,
        "units": units,
        "source": found.source[segment],
        "reference": found.reference[segment],
        "languages": [source, target],
        "hypotheses": [_hypothesis(found, arrays, system, segment) for system in order],
    }


def _hypothesis(
    found: EvaluationSet, arrays: dict[str, np.ndarray], system: int, segment: int
) -> dict[str, Any]:
    of_tokens = chunks.chunks_of(arrays["links"], arrays["lengths"], system, segment)
    sizes = np.bincount(of_tokens[of_tokens >= 0])
    shares = sizes / max(1, sizes.sum())
    return {
        "system": found.systems[system],
        "pieces": list(map(list, chunks.hypothesis_pieces(found, arrays, system, segment))),
        "tokens": int(arrays["lengths"][system, segment]),
        "sizes": sizes.tolist(),
        "terms": (-shares * np.log10(shares)).round(6).tolist(),
        "sum": float(arrays["difficulty"][system, segment]),
    }
