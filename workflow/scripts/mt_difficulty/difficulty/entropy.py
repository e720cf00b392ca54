"""Chunk entropy (Yu et al. 2015; Liu et al. 2022, Eq. 3)."""

import numpy as np

ZERO_LINKS = {"zero": 0.0, "infinite": np.inf}


def chunk_entropy(matched: np.ndarray, lengths: np.ndarray, zero_links: str = "zero") -> np.ndarray:
    """Entropy of how a hypothesis's matched tokens are divided into chunks, base 10.

    A chunk is a longest run of matched tokens. 0 is one chunk, higher is more difficult.

    Parameters
    ----------
    matched : ndarray of bool, (tokens,)
        Whether each token of all hypotheses, one after the other, is matched.
    lengths : ndarray of int, (hypotheses,) or any shape
        Tokens of each hypothesis.
    zero_links : {"zero", "infinite"}
        Entropy of a hypothesis without a matched token: 0 as in the authors' program, or
        +inf as in the paper's text.

    Returns
    -------
    ndarray of float, shape of `lengths`
    """
    sizes = lengths.ravel()
    hypothesis = np.repeat(np.arange(sizes.size), sizes)
    follows = np.zeros(matched.size, dtype=bool)
    follows[1:] = matched[:-1] & (hypothesis[1:] == hypothesis[:-1])
    starts = matched & ~follows
    chunk = np.cumsum(starts)[matched] - 1
    chunk_sizes = np.bincount(chunk, minlength=np.count_nonzero(starts))
    chunk_hypothesis = hypothesis[starts]
    totals = np.bincount(hypothesis[matched], minlength=sizes.size)
    share = chunk_sizes / totals[chunk_hypothesis]
    entropy = np.bincount(
        chunk_hypothesis, weights=-share * np.log10(share), minlength=sizes.size
    ).astype(float)
    entropy[totals == 0] = ZERO_LINKS[zero_links]
    return entropy.reshape(lengths.shape) + 0.0  # -0.0 becomes 0.0
