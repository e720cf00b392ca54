"""Segments to look at one by one: which ones, and their references in pieces."""

import numpy as np

from ..papers.chunks import cut


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
        known = np.flatnonzero(~np.isnan(values))
        order = known[np.argsort(-values[known], kind="stable")]
        for place, segment in enumerate(order[: counts[name]], 1):
            chosen.setdefault(int(segment), {})[name] = place
    return dict(sorted(chosen.items()))


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
