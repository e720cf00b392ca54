"""Chunk entropy of a hypothesis aligned with its reference (Yu et al. 2015; Liu et al. 2022)."""

from collections.abc import Iterator
from decimal import Decimal
from sys import intern

import numpy as np

from ..data import language
from ..data.evalset import EvaluationSet
from ..errors import check_choice
from .aligners import ALIGNERS, split_line
from .base import Estimator

DIGITS = 12
ZERO_LINKS = {"zero": 0.0, "infinite": np.inf}


def chunk_entropy(matched: np.ndarray, lengths: np.ndarray, zero_links: str = "zero") -> np.ndarray:
    """Compute the entropy, base 10, of the division of a hypothesis's matched tokens into chunks
    (longest runs of matched tokens).

    Parameters
    ----------
    matched : ndarray
        (tokens,) of bool, whether a token is linked; the tokens of all hypotheses, concatenated.
    lengths : ndarray
        Number of tokens of each hypothesis, in any shape.
    zero_links : {"zero", "infinite"}
        The entropy without a matched token.

    Returns
    -------
    ndarray
        In the shape of `lengths`; 0 for one chunk, higher is harder.

    Notes
    -----
    The entropy is −Σ n/N log10 (n/N) over chunks of n of N matched tokens, computed as
    log10 N − (Σ n log10 n) / N.
    """
    sizes = lengths.ravel()
    hypothesis = np.repeat(np.arange(sizes.size), sizes)
    continues_chunk = np.zeros(matched.size, dtype=bool)
    continues_chunk[1:] = matched[:-1] & (hypothesis[1:] == hypothesis[:-1])
    starts_chunk = matched & ~continues_chunk
    chunk_of_token = np.cumsum(starts_chunk)[matched] - 1
    chunk_sizes = np.bincount(chunk_of_token, minlength=np.count_nonzero(starts_chunk))
    totals = np.bincount(hypothesis[matched], minlength=sizes.size)
    parts = np.bincount(hypothesis[starts_chunk], chunk_sizes * _log10(chunk_sizes), sizes.size)
    entropy = np.full(sizes.size, ZERO_LINKS[zero_links])
    has_links = totals > 0
    entropy[has_links] = _log10(totals[has_links]) - parts[has_links] / totals[has_links]
    # Rounding makes the entropy independent of the order of chunks.
    return np.round(entropy, DIGITS).reshape(lengths.shape) + 0.0  # -0.0 becomes 0.0


def _log10(counts: np.ndarray) -> np.ndarray:
    """Return correctly rounded log10 of positive integers. NumPy's last digit varies between
    processors, so that equal difficulties on one processor could differ on another."""
    distinct, index = np.unique(counts, return_inverse=True)
    logarithms = [float(Decimal(int(count)).log10()) for count in distinct]
    return np.array(logarithms)[index]


def tokenize(segments: list[str], units: str) -> list[list[str]]:
    """Split each segment into tokens to align: `words` (at spaces and tabs) or `characters`. Equal
    tokens are one string in memory."""
    if units == "words":
        tokens: Iterator[list[str]] = map(split_line, segments)
    else:
        tokens = (language.tokenize([segment], units)[0] for segment in segments)
    return [list(map(intern, segment_tokens)) for segment_tokens in tokens]


def align_set(
    evalset: EvaluationSet, aligner: str = "fast_align", zero_links: str = "zero", threads: int = 1
) -> dict:
    """Align every hypothesis with the reference.

    Parameters
    ----------
    evalset : EvaluationSet
    aligner : {"fast_align", "exact"}
    zero_links : {"zero", "infinite"}
        Entropy of a hypothesis without links.
    threads : int
        Number of threads; results do not depend on it.

    Returns
    -------
    dict
        `entropy`, (systems, segments); `links`, (tokens,), index of the linked reference token or
        -1, concatenated over systems; `lengths` in tokens, (systems, segments); `systems`;
        `signature`.
    """
    units = language.default_units(evalset.pair, evalset.reference)
    reference = tokenize(evalset.reference, units)
    hypotheses = [tokenize(system, units) for system in evalset.hypotheses]
    links = np.concatenate(ALIGNERS[aligner](reference, hypotheses, threads))
    lengths = np.array([[len(tokens) for tokens in system] for system in hypotheses])
    return {
        "entropy": chunk_entropy(links >= 0, lengths, zero_links),
        "links": links,
        "lengths": lengths.astype(np.int32),
        "systems": evalset.systems,
        "signature": f"align:{aligner}|tok:{units}|zero-links:{zero_links}",
    }


class ChunkEntropy(Estimator):
    """Entropy of a hypothesis's chunks, base 10; 0 is one chunk.

    Parameters
    ----------
    aligner : {"fast_align", "exact"}
        Aligner of hypothesis and reference tokens; `exact` links equal tokens.
    zero_links : {"zero", "infinite"}
        Entropy of a hypothesis without links: 0 as in the authors' program, or +inf as in the
        paper's text.
    """

    information = "reference"
    unit = "hypothesis"
    has_balance = True

    def __init__(self, aligner: str = "fast_align", zero_links: str = "zero") -> None:
        check_choice("aligner", aligner, ALIGNERS)
        check_choice("zero_links", zero_links, ZERO_LINKS)
        self.aligner = aligner
        self.zero_links = zero_links

    def estimate(self, evalset: EvaluationSet, source: None = None) -> np.ndarray:
        evalset.require_reference()
        aligned = align_set(evalset, self.aligner, self.zero_links, self.threads)
        self.signature = aligned["signature"]
        self.details = {name: aligned[name] for name in ("links", "lengths")}
        return aligned["entropy"]
