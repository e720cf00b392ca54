"""Compare a weighting's correlations with those of its nulls and over a grid of parameters."""

import numpy as np

from job import job
from mt_difficulty import storage
from mt_difficulty.data.evalset import read_set
from mt_difficulty.evidence.nulls import control
from mt_difficulty.evidence.parameters import map_parameters
from mt_difficulty.evidence.units import units_of_set
from mt_difficulty.scores import ScoredSet
from mt_difficulty.tables import TABLES


@job
def main(snakemake):
    params, output = snakemake.params, snakemake.output
    files = read_set(params.name, snakemake.input.files)
    evalset = files.read("evalset.json")
    correlations = files.read("correlations.csv")
    evalset.require_gold()
    scores = ScoredSet(files, params.settings)
    units = units_of_set(evalset, scores.counted, params.significance["unit"])
    draws = params.controls["draws"]
    gold = np.array(evalset.gold)
    arrays, points, retuned = map_parameters(scores, gold, correlations, draws, params.seed, units)
    table = control(
        scores,
        evalset,
        correlations,
        files.missing_scores(),
        retuned,
        params.statistics,
        params.top,
        draws,
        params.seed,
        units,
    )
    storage.write_table(output.controls, table, TABLES["controls.csv"])
    if arrays:
        storage.write_arrays(output.surface, **arrays)
        storage.write_table(output.points, points, TABLES["parameters.csv"])
    else:
        for path in (output.surface, output.points):
            storage.write_missing(path, "no metric has segment scores in two groups")
