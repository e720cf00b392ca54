"""Put WordNet 3.0 where METEOR finds it."""

from job import run
from mt_difficulty.data import wordnet


def main(snakemake):
    wordnet.retrieve(snakemake.output[0])


if "snakemake" in globals():
    run(main, snakemake)
