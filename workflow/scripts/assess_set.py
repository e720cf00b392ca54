"""Make one set's tables of intervals and tests: of correlations and gains, between its systems, and
between all metrics as in the WMT metrics task. Compare each weighting's correlations with those of
its nulls and over a grid of parameters."""

import numpy as np
import pandas as pd

from job import job
from mt_difficulty import storage
from mt_difficulty.data.evalset import NO_GOLD, read_set
from mt_difficulty.errors import Missing
from mt_difficulty.evidence import gains, metric_table
from mt_difficulty.evidence.nulls import control
from mt_difficulty.evidence.parameters import map_parameters
from mt_difficulty.evidence.units import units_of_set
from mt_difficulty.scores import ScoredSet
from mt_difficulty.tables import TABLES
from mt_difficulty.weighting.fitted import with_difficulty


def write_tests(files, scores, params, output):
    """Write intervals and tests."""
    evalset = files.optional("evalset.json")
    whole = gains.WholeSet(
        scores,
        evalset,
        files.optional("correlations.csv"),
        files.missing_scores(),
        params.statistics,
        params.significance["resamples"],
        params.seed,
        params.significance["unit"],
    )
    comparisons, intervals = gains.system_tables(whole, files.read("system_scores.csv"))
    significance = pd.DataFrame(columns=gains.COLUMNS)
    agreement = pd.DataFrame(columns=metric_table.COLUMNS)
    tests = pd.DataFrame(columns=metric_table.TESTS)
    if evalset and evalset.gold:  # without the set there are no rows, as in the scores
        significance = gains.significance(
            whole,
            params.significance["top"],
            params.random_subsets["sizes"],
            params.significance["draws"],
            params.printed,
        )
        agreement, tests = metric_table.agreement_tables(whole)
    written = [
        (output.significance, significance, "significance.csv"),
        (output.agreement, agreement, "agreement.csv"),
        (output.comparisons, comparisons, "system_comparisons.csv"),
        (output.intervals, intervals, "system_intervals.csv"),
    ]
    for path, frame, file in written:
        storage.write_table(path, with_difficulty(frame, scores.weightings), TABLES[file])
    storage.write_table(output.tests, tests, TABLES["metric_tests.csv"])
    storage.write_text(output.ranks, metric_table.rank_tables(agreement, tests))
    if evalset and not evalset.gold:
        for path in (output.significance, output.agreement, output.tests, output.ranks):
            storage.write_missing(path, NO_GOLD)


def write_nulls(files, scores, params, output):
    """Write comparisons with nulls, and correlations over parameters."""
    evalset = files.read("evalset.json")
    correlations = files.read("correlations.csv")
    evalset.require_gold()
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
        params.significance["top"],
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


@job
def main(snakemake):
    params, output = snakemake.params, snakemake.output
    files = read_set(params.name, snakemake.input.files)
    scores = ScoredSet(files, params.settings)
    write_tests(files, scores, params, output)
    try:
        write_nulls(files, scores, params, output)
    except Missing as missing:
        for path in (output.controls, output.surface, output.points):
            storage.write_missing(path, str(missing))
