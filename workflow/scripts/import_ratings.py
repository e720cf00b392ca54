"""Read and check the error spans that raters marked in a set's hypotheses."""

from pathlib import Path

from job import run
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.data.ratings import read_ratings
from mt_difficulty.errors import Missing

NONE = "the set has no error spans (.seg.rating files)"


def main(snakemake):
    if not snakemake.params.content:
        raise Missing(NONE)
    found = evalset.load(snakemake.input.evalset)
    found.require_texts()
    folder, segments = Path(snakemake.params.location), len(found.reference)
    ratings = read_ratings(
        folder, found.pair, found.gold_name, found.systems, segments, found.canary
    )
    storage.write_json(snakemake.output[0], ratings)


if "snakemake" in globals():
    run(main, snakemake)
