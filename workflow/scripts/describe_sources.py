"""Readability of a set's source text, its domains and its documents."""

from job import run
from mt_difficulty import complexity, evalset, storage


def main(snakemake):
    found = evalset.load(snakemake.input.evalset)
    found.require_texts()
    storage.write_table(snakemake.output[0], complexity.describe(found))


if "snakemake" in globals():
    run(main, snakemake)
