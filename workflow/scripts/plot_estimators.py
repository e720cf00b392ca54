"""The figures of the bench of difficulty estimators."""

import pandas as pd

from job import run
from mt_difficulty import storage
from mt_difficulty.data.set_files import read_tables
from mt_difficulty.errors import Missing
from mt_difficulty.figures.estimators import drawings
from plotting import draw_plots


def read_or_empty(file):
    """A table, or one without rows where there is none."""
    try:
        return storage.read_table(file)
    except Missing:
        return pd.DataFrame(columns=["statistic", "value", "difficulty"])


def main(snakemake):
    given = snakemake.input
    of_sets = {
        kind: read_tables(snakemake.params.sets, given[kind])[0]
        for kind in ("values", "by_system", "segments")
    }
    tables = map(read_or_empty, (given.leaderboard, given.selection))
    draw_plots(snakemake.output, drawings(*tables, of_sets))


if "snakemake" in globals():
    run(main, snakemake)
