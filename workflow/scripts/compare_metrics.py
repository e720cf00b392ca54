"""The statistics of the WMT metrics task, and tests between all metrics under all weightings."""

import numpy as np
import pandas as pd

from job import run
from mt_difficulty import storage
from mt_difficulty.data.set_files import read_set
from mt_difficulty.evidence.labels import with_difficulty
from mt_difficulty.evidence.metric_table import COLUMNS, TESTS, Agreement, rank_tables
from mt_difficulty.evidence.set_scores import SetScores


def main(snakemake):
    params, output, tables = snakemake.params, snakemake.output, ([], [])
    files = read_set(params.name, snakemake.input.files)
    scores = SetScores(files, params.settings)
    if found := files.optional("evalset.json"):  # else no rows, as in the scores
        found.require_gold()
        agreement = Agreement(scores, found, params.statistics, params.resamples, params.seed)
        tables = agreement.rows(files.missing_scores())
    values, tests = (
        pd.DataFrame(rows, columns=names)
        for rows, names in zip(tables, (COLUMNS, TESTS), strict=True)
    )
    # A threshold that is rounded down would tie fewer scores.
    exact = ["" if np.isnan(epsilon) else repr(float(epsilon)) for epsilon in values.epsilon]
    table = with_difficulty(values.assign(epsilon=exact), scores.weightings)
    storage.write_table(output.agreement, table)
    storage.write_table(output.tests, tests)
    storage.write_text(output.ranks, rank_tables(values, tests))


if "snakemake" in globals():
    run(main, snakemake)
