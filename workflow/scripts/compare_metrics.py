"""The statistics of the WMT metrics task, and tests between all metrics under all weightings."""

import numpy as np
import pandas as pd

from job import run
from mt_difficulty import storage
from mt_difficulty.data.set_files import read_set
from mt_difficulty.evidence.agreement import COLUMNS, Agreement
from mt_difficulty.evidence.agreement_tests import COLUMNS as TESTS
from mt_difficulty.evidence.labels import with_difficulty
from mt_difficulty.evidence.rank_tables import rank_tables
from mt_difficulty.evidence.set_scores import SetScores


def main(snakemake):
    params, tables = snakemake.params, ([], [])
    files = read_set(params.name, snakemake.input.files)
    scores = SetScores(files, params.settings)
    if found := files.optional("evalset.json"):  # else no rows, as in the scores
        found.require_gold()
        missing = {
            (row.metric, row.weighting): row.reason
            for row in files.read("missing.csv").itertuples()
        }
        agreement = Agreement(scores, found, params.statistics, params.resamples, params.seed)
        tables = agreement.rows(missing)
    values = pd.DataFrame(tables[0], columns=COLUMNS)
    # A threshold that is rounded down would tie fewer scores.
    exact = ["" if np.isnan(epsilon) else repr(float(epsilon)) for epsilon in values.epsilon]
    storage.write_table(
        snakemake.output.agreement, with_difficulty(values.assign(epsilon=exact), scores.weightings)
    )
    tests = pd.DataFrame(tables[1], columns=TESTS)
    storage.write_table(snakemake.output.tests, tests)
    storage.write_text(snakemake.output.ranks, rank_tables(values, tests))


if "snakemake" in globals():
    run(main, snakemake)
