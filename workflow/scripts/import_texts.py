"""Read and check the texts of one evaluation set."""

from pathlib import Path

from job import job
from mt_difficulty.data import evalset
from mt_difficulty.data.import_set import read_texts
from mt_difficulty.errors import InputError


@job
def main(snakemake):
    params = snakemake.params
    settings = params.settings
    if "unreadable" in params.rated:
        raise InputError(params.rated["unreadable"])
    if "annotations" in params.rated:
        settings = settings._replace(rated=params.rated["annotations"])
    evalset.save(snakemake.output.texts, read_texts(Path(params.location), settings))
