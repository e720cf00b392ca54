"""Correlations of weightings in two groups over all thresholds and balances, and at their own;
tuned ones beside random difficulties that are tuned likewise."""

import numpy as np

from job import run
from mt_difficulty import storage
from mt_difficulty.data.set_files import read_set
from mt_difficulty.evidence.parameters import map_parameters
from mt_difficulty.evidence.set_scores import SetScores


def main(snakemake):
    params, output = snakemake.params, snakemake.output
    files = read_set(params.name, snakemake.input.files)
    found = files.read("evalset.json")
    found.require_gold()
    scores, gold = SetScores(files, params.settings), np.array(found.gold)
    arrays, points = map_parameters(scores, gold, params.draws, params.seed)
    storage.write_arrays(output.surface, **arrays)
    storage.write_table(output.points, points)


if "snakemake" in globals():
    run(main, snakemake)
