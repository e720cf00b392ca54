"""Chunk entropy of an evaluation set: its texts split, aligned with the reference, and measured."""

import numpy as np

from ..data import language
from ..data.evalset import EvaluationSet
from .aligners import ALIGNERS, fast_align
from .entropy import chunk_entropy


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
