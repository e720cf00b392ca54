"""Segments to look at one by one: which ones, and their sentences in pieces."""

import numpy as np


def choose_segments(
    rankings: dict[str, np.ndarray], counts: dict[str, int]
) -> dict[int, dict[str, int]]:
    """The first segments of each ranking, each once.

    Parameters
    ----------
    rankings : dict of str to ndarray, (segments,)
        The higher, the earlier; NaN never.
    counts : dict of str to int
        How many of each ranking.

    Returns
    -------
    dict of int to dict of str to int
        The segments from 0 in order, each with its place, from 1, in the rankings that chose it.
    """
    chosen: dict[int, dict[str, int]] = {}
    for name, values in rankings.items():
        order = np.argsort(np.where(np.isnan(values), np.inf, -values), kind="stable")
        for place, segment in enumerate(order[: min(counts[name], (~np.isnan(values)).sum())], 1):
            chosen.setdefault(int(segment), {})[name] = place
    return dict(sorted(chosen.items()))


def chunk_pieces(sentence: str, tokens: list[str], chunks: np.ndarray) -> list[tuple[str, int]]:
    """A sentence cut where chunks begin and end.

    Parameters
    ----------
    sentence : str
    tokens : list of str
        Substrings of the sentence, in order.
    chunks : ndarray of int, (tokens,)
        As from `cases.chunks_of`: -1 for a token that is not matched.

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
    return _cut(sentence, spans, -1)


def difficulty_pieces(
    sentence: str, offsets: np.ndarray, difficulty: np.ndarray, digits: int = 2
) -> list[tuple[str, float | None]]:
    """A reference cut into its tokens, each with its difficulty.

    Parameters
    ----------
    sentence : str
        Stripped.
    offsets : ndarray of int, (tokens, 2)
    difficulty : ndarray, (tokens,)

    Returns
    -------
    list of (str, float or None)
        Texts that join to the sentence; None for what belongs to no token.
    """
    spans = [
        (max(start, 0), end, round(float(value), digits))
        for (start, end), value in zip(offsets.tolist(), difficulty, strict=True)
    ]
    return _cut(sentence, spans, None)


def _cut(sentence: str, spans: list[tuple], nothing: int | None) -> list[tuple]:
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
