"""Unpack one campaign of the archive."""

from pathlib import Path

from job import run
from mt_difficulty import storage
from mt_difficulty.data import archive
from mt_difficulty.errors import InputError, Missing


def main(snakemake):
    folder = Path(snakemake.output[0])
    try:
        location = Path(snakemake.params.location)
        archive.unpack_campaign(location, snakemake.wildcards.campaign, folder)
    except Missing as missing:
        if snakemake.params.required:
            raise InputError(str(missing)) from None
        storage.write_missing(folder / "missing", str(missing))


if "snakemake" in globals():
    run(main, snakemake)
