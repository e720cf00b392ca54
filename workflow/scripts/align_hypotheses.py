"""Align every hypothesis with the reference; chunk entropy from the links."""

from job import run
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.difficulty.chunk_entropy import align_set


def main(snakemake):
    found = evalset.load(snakemake.input.evalset)
    found.require_texts()
    arrays = align_set(
        found, snakemake.wildcards.aligner, snakemake.params.zero_links, snakemake.threads
    )
    storage.write_arrays(snakemake.output[0], **arrays)


if "snakemake" in globals():
    run(main, snakemake)
