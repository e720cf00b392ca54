"""Texts of all segments for the page, and what is known of their parts: links, difficulties of
reference tokens, and errors that raters marked."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data.evalset import EvaluationSet
from ..data.set_files import SetFiles
from .segment_difficulties import Difficulty

# The code point that stands for a token without link; that of reference token n is n + 1 higher.
NO_LINK = 48


def texts(found: EvaluationSet, order: np.ndarray) -> list[list[str]]:
    """Of each segment source, reference and hypotheses, in the order of the page: what is alike
    stands together, and packs well. Without sources, theirs are empty."""
    source = found.source or [""] * len(found.reference)
    return [
        list(each)
        for each in zip(
            source, found.reference, *(found.hypotheses[system] for system in order), strict=True
        )
    ]


def places(names: list[str]) -> dict[str, Any] | None:
    """Documents or domains: `names` in order of appearance, and `of` each segment its place among
    them; None where there are no two."""
    distinct = {name: place for place, name in enumerate(dict.fromkeys(names))}
    if len(distinct) < 2:
        return None
    return {"names": list(distinct), "of": [distinct[name] for name in names]}


def links(
    found: EvaluationSet, files: SetFiles, difficulties: list[Difficulty], order: np.ndarray
) -> dict[str, Any] | None:
    """The links of the first difficulty that keeps them.

    Returns
    -------
    dict or None
        `label` of the difficulty; `links`, for each segment one text for each system, in the order
        of the page, with a character for each token of the hypothesis, see NO_LINK. None where no
        difficulty keeps links.
    """
    for one in difficulties:
        arrays = files.optional(f"difficulty/{one.name}.npz") or {}
        if {"links", "lengths"} <= arrays.keys():
            written = _written(arrays["links"], arrays["lengths"])
            rows = [[written[system][i] for system in order] for i in range(len(found.reference))]
            return {"label": one.label, "links": rows}
    return None


def _written(links: np.ndarray, lengths: np.ndarray) -> list[list[str]]:
    """Links of every system's hypotheses as texts."""
    text = "".join(map(chr, (links + NO_LINK + 1).tolist()))
    ends = np.cumsum(lengths.ravel())
    starts = (ends - lengths.ravel()).reshape(lengths.shape).tolist()
    return [
        [text[start:end] for start, end in zip(*row, strict=True)]
        for row in zip(starts, ends.reshape(lengths.shape).tolist(), strict=True)
    ]


def errors(found: EvaluationSet, files: SetFiles, order: np.ndarray) -> dict[str, Any] | None:
    """Errors that raters marked in hypotheses.

    Returns
    -------
    dict or None
        `raters`, `severities` and `categories`, the names of those that occur; `of`, for each
        segment a list for each rating: place of the system on the page, of the rater, and errors
        `[start, end, severity, category, whether it is in the source]`, with offsets of characters
        and places of names. None of a set without ratings.
    """
    ratings = files.optional("ratings.json")
    if not ratings:
        return None
    names: dict[str, dict[str, int]] = {"raters": {}, "severities": {}, "categories": {}}

    def place(kind: str, name: str | None) -> int:
        return names[kind].setdefault(name or "", len(names[kind]))

    rows: list[list[list]] = [[] for _ in found.reference]
    for at, system in enumerate(order):
        for rater, of_systems in sorted(ratings.items()):
            for segment, marked in enumerate(of_systems.get(found.systems[system], [])):
                if marked is not None:
                    spans = [
                        [
                            error["start"],
                            error["end"],
                            place("severities", error.get("severity")),
                            place("categories", error.get("category")),
                            int(error.get("is_source_error", False)),
                        ]
                        for error in marked
                    ]
                    rows[segment].append([at, place("raters", rater), spans])
    return {kind: list(found) for kind, found in names.items()} | {"of": rows}
