"""Where a weighting's correlations stand among those of its nulls."""

import pandas as pd

from job import run
from mt_difficulty import storage
from mt_difficulty.data.set_files import read_set
from mt_difficulty.evidence import controls
from mt_difficulty.evidence.labels import with_difficulty
from mt_difficulty.evidence.set_scores import SetScores


def main(snakemake):
    params, rows = snakemake.params, []
    files = read_set(params.name, snakemake.input.files)
    scores = SetScores(files, params.settings)
    if found := files.optional("evalset.json"):  # else no rows, as in the scores
        found.require_gold()
        rows = controls.control(
            scores,
            found,
            files.read("correlations.csv"),
            files.missing_scores(),
            params.statistics,
            params.top,
            params.draws,
            params.seed,
        )
    frame = pd.DataFrame(rows, columns=controls.COLUMNS)
    storage.write_table(snakemake.output[0], with_difficulty(frame, scores.weightings))


if "snakemake" in globals():
    run(main, snakemake)
