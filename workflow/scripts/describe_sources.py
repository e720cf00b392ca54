"""Readability of a set's source text, its domains and its documents."""

from job import run
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.difficulty import readability


def main(snakemake):
    found = evalset.load(snakemake.input.evalset)
    found.require_texts()
    storage.write_table(snakemake.output[0], readability.describe(found))


if "snakemake" in globals():
    run(main, snakemake)
