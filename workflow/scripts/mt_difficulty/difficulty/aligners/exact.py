"""Eq. 2 of Liu et al. 2022 read literally: a token is matched if it occurs in the reference."""

import numpy as np


def align(
    reference: list[list[str]], hypotheses: list[list[list[str]]], threads: int = 1
) -> list[np.ndarray]:
    """Link every hypothesis token to its first occurrence in the reference.

    Parameters
    ----------
    reference : list of list of str
        Tokens of each segment.
    hypotheses : list of list of list of str
        Systems × segments × tokens.
    threads : int
        Not used: one dictionary look-up a token.

    Returns
    -------
    list of ndarray of int32
        Per system, over its tokens in order: index of the reference token, -1 for none.
    """
    first = [{token: i for i, token in reversed(list(enumerate(tokens)))} for tokens in reference]
    return [
        np.array(
            [
                places.get(token, -1)
                for places, tokens in zip(first, system, strict=True)
                for token in tokens
            ],
            dtype=np.int32,
        )
        for system in hypotheses
    ]
