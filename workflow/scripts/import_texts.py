"""Read and check the texts of one evaluation set."""

from pathlib import Path

from job import job
from mt_difficulty.data import evalset
from mt_difficulty.data.import_set import read_texts


@job
def main(snakemake):
    params = snakemake.params
    evalset.save(snakemake.output.texts, read_texts(Path(params.location), params.settings))
