"""Download the WMT archive."""

from pathlib import Path

from job import job
from mt_difficulty.data.download import download


@job
def main(snakemake):
    download(snakemake.params.urls, Path(snakemake.output[0]), snakemake.params.sha256 or None)
