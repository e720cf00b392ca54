"""Match the tokens of every hypothesis with those of the other systems' hypotheses."""

from functools import partial
from itertools import chain

from encoding import match
from job import run
from mt_difficulty.data import evalset
from mt_difficulty.embedding.set_matches import match_consensus


def main(snakemake):
    found = evalset.load(snakemake.input.evalset)
    found.require_texts()
    what = f"{found.pair} consensus"
    match(snakemake, what, chain(*found.hypotheses), partial(match_consensus, found))


if "snakemake" in globals():
    run(main, snakemake)
