"""Read and check one evaluation set; keep what does not depend on human scores."""

from import_evalset import read
from job import run
from mt_difficulty.data import evalset


def main(snakemake):
    evalset.save(snakemake.output[0], evalset.without_gold(read(snakemake)))


if "snakemake" in globals():
    run(main, snakemake)
