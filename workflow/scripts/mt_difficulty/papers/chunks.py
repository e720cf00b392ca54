"""The chunks of a hypothesis: its runs of matched tokens, as parts of its text."""

from __future__ import annotations

import re

import numpy as np

from ..data import language
from ..data.evalset import EvaluationSet
from ..difficulty import chunk_entropy

Piece = tuple[str, int]


def units(found: EvaluationSet) -> str:
    """The units that a set is aligned by: words or characters."""
    return language.default_units(found.pair, found.reference)


def hypothesis_tokens(found: EvaluationSet, system: int, segment: int) -> list[str]:
    """A hypothesis in the units that the set is aligned by."""
    return chunk_entropy.tokenize([found.hypotheses[system][segment]], units(found))[0]


def hypothesis_pieces(
    found: EvaluationSet, arrays: dict[str, np.ndarray], system: int, segment: int
) -> list[Piece]:
    """A hypothesis in its chunks.

    Parameters
    ----------
    found : EvaluationSet
    arrays : dict
        `links` and `lengths` as from `chunk_entropy.align_set`.
    system, segment : int
        From 0.

    Returns
    -------
    list of (str, int)
        As from `chunk_pieces`.
    """
    tokens = hypothesis_tokens(found, system, segment)
    chunks = chunks_of(arrays["links"], arrays["lengths"], system, segment)
    return chunk_pieces(found.hypotheses[system][segment], tokens, chunks)


def chunks_of(links: np.ndarray, lengths: np.ndarray, system: int, segment: int) -> np.ndarray:
    """The chunk of every token of a hypothesis, from 0; -1 for a token that is not matched.

    Parameters
    ----------
    links : ndarray, (tokens of all hypotheses,)
        The reference token of each, -1 for none; systems one after the other.
    lengths : ndarray, (systems, segments)
    """
    end = np.cumsum(lengths).reshape(lengths.shape)[system, segment]
    matched = links[end - lengths[system, segment] : end] >= 0
    begins = matched & ~np.concatenate([[False], matched[:-1]])
    return np.where(matched, np.cumsum(begins) - 1, -1)


def chunk_pieces(sentence: str, tokens: list[str], chunks: np.ndarray) -> list[tuple[str, int]]:
    """A sentence cut where chunks begin and end.

    Parameters
    ----------
    sentence : str
    tokens : list of str
        Substrings of the sentence, in order.
    chunks : ndarray of int, (tokens,)
        As from `chunks_of`: -1 for a token that is not matched.

    Returns
    -------
    list of (str, int)
        Texts that join to the sentence, with their chunk; white space between chunks is of none.
    """
    starts, place = [], 0
    for token in tokens:
        place = sentence.index(token, place)
        starts.append(place)
        place += len(token)
    spans: list[tuple[int, int, int]] = []
    for start, token, chunk in zip(starts, tokens, chunks, strict=True):
        end = start + len(token)
        if spans and chunk == spans[-1][2] >= 0:
            spans[-1] = (spans[-1][0], end, int(chunk))
        elif chunk >= 0:
            spans.append((start, end, int(chunk)))
    return cut(sentence, spans, -1)


def mark_chunks(pieces: list[Piece]) -> str:
    """A sentence with brackets around its chunks; `pieces` as from `chunk_pieces`."""
    parts = [f"[{text}]" if chunk >= 0 else text for text, chunk in pieces]
    return re.sub(r"[ \t]+", " ", "".join(parts)).strip(" ")


def cut(sentence: str, spans: list[tuple], nothing: int | None) -> list[tuple]:
    """The sentence's texts in and between spans; those that overlap (bytes of one character)
    are given to the first."""
    pieces, place = [], 0
    for start, end, value in spans:
        start = max(start, place)
        if start > place:
            pieces.append((sentence[place:start], nothing))
        if end > start:
            pieces.append((sentence[start:end], value))
            place = end
    if place < len(sentence):
        pieces.append((sentence[place:], nothing))
    return pieces
