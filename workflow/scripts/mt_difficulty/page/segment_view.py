"""Segments to look at one by one: which ones, and their references in pieces."""

import numpy as np

from ..papers.case_studies import cut


def ranked(values: np.ndarray) -> list[int]:
    """Segments from 0 whose value is known, the highest first; of equal ones the earlier."""
    known = np.flatnonzero(~np.isnan(values))
    return known[np.argsort(-values[known], kind="stable")].tolist()


def choose_segments(rankings: dict[str, np.ndarray], counts: dict[str, int]) -> list[int]:
    """The first segments of each ranking, each once, in order.

    Parameters
    ----------
    rankings : dict of str to ndarray, (segments,)
        The higher, the earlier; NaN never.
    counts : dict of str to int
        How many of each ranking.

    Returns
    -------
    list of int
        From 0.
    """
    first = [ranked(values)[: counts[name]] for name, values in rankings.items()]
    return sorted(set().union(*first))


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
    return cut(sentence, spans, None)
