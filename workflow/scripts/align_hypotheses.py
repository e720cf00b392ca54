"""Align every hypothesis with the reference; chunk entropy from the links."""

import numpy as np

from job import run
from mt_difficulty import evalset, language, storage
from mt_difficulty.aligners import ALIGNERS, fast_align
from mt_difficulty.entropy import chunk_entropy


def tokenize(segments, units):
    """Tokens to align; words are split as fast_align splits them, at spaces and tabs only."""
    if units == "words":
        return [fast_align.tokens(segment) for segment in segments]
    return language.tokenize(segments, units)


def main(snakemake):
    found = evalset.load(snakemake.input.evalset)
    found.require_texts()
    units = language.default_units(found.pair)
    reference = tokenize(found.reference, units)
    hypotheses = [tokenize(system, units) for system in found.hypotheses]
    align = ALIGNERS[snakemake.wildcards.aligner]
    links = np.concatenate(align(reference, hypotheses, snakemake.threads))
    lengths = np.array([[len(tokens) for tokens in system] for system in hypotheses])
    storage.write_arrays(
        snakemake.output[0],
        entropy=chunk_entropy(links >= 0, lengths, snakemake.params.zero_links),
        links=links,
        lengths=lengths.astype(np.int32),
        systems=found.systems,
        signature=f"align:{snakemake.wildcards.aligner}|tok:{units}"
        f"|zero-links:{snakemake.params.zero_links}",
    )


if "snakemake" in globals():
    run(main, snakemake)
