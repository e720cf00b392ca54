"""Chunk entropy (Yu et al. 2015; Liu et al. 2022, Eq. 3): how a hypothesis's matched tokens are
divided into chunks."""

from decimal import Decimal

import numpy as np

from ..data import language
from ..data.evalset import EvaluationSet
from .aligners import ALIGNERS, fast_align
from .base import Estimator

DIGITS = 12
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
    # The sum of -n/N log10 n/N over chunks of n of N matched tokens.
    parts = np.bincount(chunk_hypothesis, chunk_sizes * _log10(chunk_sizes), sizes.size)
    entropy = np.full(sizes.size, ZERO_LINKS[zero_links])
    there = totals > 0
    entropy[there] = _log10(totals[there]) - parts[there] / totals[there]
    # Chunks of the same sizes have one entropy, in whatever order they stand.
    return np.round(entropy, DIGITS).reshape(lengths.shape) + 0.0  # -0.0 becomes 0.0


def _log10(counts: np.ndarray) -> np.ndarray:
    """log10 of whole numbers, rounded correctly: NumPy's differs between processors in the last
    digit, and what is equally difficult on one of them would not be on another."""
    distinct, place = np.unique(counts, return_inverse=True)
    return np.array([float(Decimal(int(count)).log10()) for count in distinct])[place]


def tokenize(segments: list[str], units: str) -> list[list[str]]:
    """Tokens to align; words are split as fast_align splits them, at spaces and tabs only."""
    if units == "words":
        return [fast_align.tokens(segment) for segment in segments]
    return language.tokenize(segments, units)


def align_set(
    evalset: EvaluationSet, aligner: str = "fast_align", zero_links: str = "zero", threads: int = 1
) -> dict:
    """Align every hypothesis with the reference; chunk entropy from the links (Eq. 3).

    Parameters
    ----------
    evalset : EvaluationSet
    aligner : {"fast_align", "exact"}
    zero_links : {"zero", "infinite"}
        Entropy of a hypothesis without links.
    threads : int
        Links do not depend on it.

    Returns
    -------
    dict
        `entropy` (systems, segments), higher is more difficult; `links` (tokens,) as the aligner
        gives them, one system after the other; `lengths` (systems, segments) in tokens; `systems`;
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
        Links a hypothesis's tokens with those of the reference; `exact` links equal tokens.
    zero_links : {"zero", "infinite"}
        Entropy of a hypothesis without links: 0 as in the authors' program, or +inf as in the
        paper's text.
    """

    information = "reference"
    unit = "hypothesis"
    has_balance = True

    def __init__(self, aligner: str = "fast_align", zero_links: str = "zero") -> None:
        for name, value, known in (
            ("aligner", aligner, ALIGNERS),
            ("zero_links", zero_links, ZERO_LINKS),
        ):
            if value not in known:
                raise ValueError(f"{name} {value}: expected one of {', '.join(known)}")
        self.aligner, self.zero_links = aligner, zero_links
        self._signature = ""

    def estimate(self, evalset: EvaluationSet, source: None = None) -> np.ndarray:
        evalset.require_reference()
        found = align_set(evalset, self.aligner, self.zero_links, self.threads)
        self._signature = found["signature"]
        self.details = {name: found[name] for name in ("links", "lengths")}
        return found["entropy"]

    @property
    def signature(self) -> str:
        return self._signature
