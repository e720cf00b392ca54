"""Make WordNet 3.0 available to NLTK, or report that it is missing."""

from pathlib import Path

from job import job
from mt_difficulty import storage
from mt_difficulty.data import download


@job
def main(snakemake):
    path = Path(snakemake.output[0])
    download.find_wordnet(path.parent)
    storage.write_text(path, "found\n")
