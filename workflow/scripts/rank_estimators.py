"""Difficulty estimators over all sets: a leaderboard, differences of pairs, and what they say."""

import pandas as pd

from job import run
from mt_difficulty import storage
from mt_difficulty.data.set_files import read_tables
from mt_difficulty.errors import Missing
from mt_difficulty.evidence import estimators, findings, selection

NO_SETS = "no set has human scores of segments and a source text"


def gather(files, sets, columns):
    """The rows of all sets that have a table, with `set`, `campaign` and `pair`."""
    frames = []
    for name, frame in read_tables(sets, files)[0].items():
        campaign, pair = sets[name]
        frames.append(frame.assign(set=name, campaign=campaign, pair=pair))
    if not frames:
        return pd.DataFrame(columns=["set", "campaign", "pair", *columns])
    return pd.concat(frames, ignore_index=True)


def main(snakemake):
    sets, output = snakemake.params.sets, snakemake.output
    values = gather(snakemake.input["values"], sets, estimators.COLUMNS)
    if values.empty:
        raise Missing(NO_SETS)
    comparisons = estimators.compare(gather(snakemake.input.tests, sets, estimators.TEST_COLUMNS))
    ranked = estimators.leaderboard(values, comparisons)
    storage.write_table(output.leaderboard, ranked)
    storage.write_table(output.comparisons, comparisons)
    rows = gather(snakemake.input.selection, sets, selection.COLUMNS)
    chosen = selection.summarise(rows)
    storage.write_table(output.selection, chosen)
    text = findings.bench_findings(ranked, comparisons, chosen)
    storage.write_text(output.text, text + "\n")


if "snakemake" in globals():
    run(main, snakemake)
