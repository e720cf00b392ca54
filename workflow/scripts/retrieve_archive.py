"""Download the WMT archive."""

from pathlib import Path

from job import run
from mt_difficulty import archive


def main(snakemake):
    archive.download(
        snakemake.params.urls, Path(snakemake.output[0]), sha256=snakemake.params.sha256 or None
    )


if "snakemake" in globals():
    run(main, snakemake)
