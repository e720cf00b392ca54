"""Fit the weightings of an evaluation set to its difficulties."""

from contextlib import suppress

from job import run
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.data.set_files import read_set
from mt_difficulty.errors import Missing
from mt_difficulty.evidence import set_weightings


def main(snakemake):
    params, wildcards = snakemake.params, snakemake.wildcards
    systems = []
    with suppress(Missing):  # the difficulties say so, too
        systems = evalset.load(snakemake.input.evalset).systems
    files = read_set(f"{wildcards.campaign}/{wildcards.pair}", snakemake.input.difficulties)
    found = set_weightings.describe(
        files, systems, params.difficulties, params.weightings, params.tuned
    )
    storage.write_json(snakemake.output[0], found, sort_keys=False)  # the config's order


if "snakemake" in globals():
    run(main, snakemake)
