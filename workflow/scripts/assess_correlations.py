"""How sure every correlation is, and which systems a metric tells apart."""

import numpy as np
import pandas as pd

from job import run
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.data.set_files import read_set
from mt_difficulty.evidence import gain_table
from mt_difficulty.evidence.gains import bootstrap
from mt_difficulty.evidence.labels import with_difficulty
from mt_difficulty.evidence.set_scores import SetScores


def main(snakemake):
    params, tables = snakemake.params, ([], [], [])
    files = read_set(params.name, snakemake.input.files)
    scores, resamples = SetScores(files, params.settings), params.significance["resamples"]
    found = files.optional("evalset.json")  # without there are no rows, as in the scores
    if found and found.gold:
        tables = gain_table.assess(
            scores,
            found,
            files.missing_scores(),
            params.statistics,
            params.significance["top"],
            resamples,
            params.sizes,
            params.significance["draws"],
            params.printed,
            params.seed,
        )
    elif found:  # systems and their pairs need no human score
        weighted = scores.of(np.arange(len(scores.systems)))
        drawn = bootstrap(weighted, resamples, params.seed)
        tables = None, *gain_table.system_rows(drawn, weighted, scores.systems)
    columns = (gain_table.COLUMNS, gain_table.COMPARISONS, gain_table.INTERVALS)
    for path, names, rows in zip(snakemake.output, columns, tables, strict=True):
        if rows is None:
            storage.write_missing(path, evalset.NO_GOLD)
        else:
            frame = pd.DataFrame(rows, columns=names)
            storage.write_table(path, with_difficulty(frame, scores.weightings))


if "snakemake" in globals():
    run(main, snakemake)
