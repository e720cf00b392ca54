"""Read the human scores of one evaluation set and check them against its texts; write the set with
its human scores, and the error spans behind them."""

from pathlib import Path

from job import job
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.data.import_set import read_error_spans, read_gold
from mt_difficulty.errors import Missing


@job
def main(snakemake):
    output = snakemake.output
    settings = snakemake.params.settings
    folder = Path(snakemake.params.location)
    rated = read_gold(folder, evalset.load(snakemake.input.texts), settings)
    evalset.save(output.evalset, rated)
    try:
        storage.write_json(output.ratings, read_error_spans(folder, rated, settings))
    except Missing as missing:
        storage.write_missing(output.ratings, str(missing))
