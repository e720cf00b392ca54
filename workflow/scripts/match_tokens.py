"""Match the tokens of every hypothesis with those of the reference."""

from functools import partial
from itertools import chain

from encoding import match
from job import run
from mt_difficulty.data import evalset
from mt_difficulty.embedding import kept
from mt_difficulty.embedding.set_matches import match_set


def main(snakemake):
    found = evalset.load(snakemake.input.evalset)
    found.require_reference()
    # Random weights are those of one set.
    folder = kept.FOLDER if snakemake.params.location else None
    sentences = chain(found.reference, *found.hypotheses)
    match(snakemake, found.pair, sentences, partial(match_set, found, kept=folder))


if "snakemake" in globals():
    run(main, snakemake)
