"""Let NLTK find WordNet 3.0, or say that it is not there."""

from pathlib import Path

from job import run
from mt_difficulty import storage
from mt_difficulty.data import download


def main(snakemake):
    path = Path(snakemake.output[0])
    download.find_wordnet(path.parent)
    storage.write_text(path, "found\n")


if "snakemake" in globals():
    run(main, snakemake)
