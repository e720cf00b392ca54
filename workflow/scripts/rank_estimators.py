"""Compare difficulty estimators over all sets: leaderboard, pairwise differences, choices of
segments, findings, figures and page."""

import pandas as pd

from job import job
from mt_difficulty import storage
from mt_difficulty.data.evalset import read_tables
from mt_difficulty.errors import Missing
from mt_difficulty.evidence import estimators
from mt_difficulty.figures.over_sets import drawings_of_bench
from mt_difficulty.page import estimators as texts
from mt_difficulty.tables import TABLES
from pages import images, write_findings, write_page
from plotting import draw_plots


def gather(kind, tables, sets):
    """Concatenate the tables of all sets that have one.

    Parameters
    ----------
    kind : str
        Name of the table.
    tables : dict of str to DataFrame
        Tables by set.
    sets : dict of str to (str, str)
        Campaign and language pair by set.

    Returns
    -------
    DataFrame
        With the columns `set`, `campaign` and `pair`.
    """
    frames = []
    for name, table in tables.items():
        campaign, pair = sets[name]
        frames.append(table.assign(set=name, campaign=campaign, pair=pair))
    columns = TABLES[f"<set>/estimators/{kind}.csv"].names()
    empty = pd.DataFrame(columns=["set", "campaign", "pair", *columns])
    return pd.concat(frames or [empty], ignore_index=True)


@job
def main(snakemake):
    sets = snakemake.params.sets
    files = snakemake.input
    output = snakemake.output
    kinds = ("tests", "segments", "selection")
    of_sets = {kind: read_tables(sets, files[kind])[0] for kind in kinds}
    of_sets["values"], absent = read_tables(sets, files["values"])
    if not of_sets["values"]:
        raise Missing("no set has human scores of segments and a source text")
    values = gather("values", of_sets["values"], sets)
    compared = estimators.compare(gather("tests", of_sets["tests"], sets))
    ranked = estimators.leaderboard(values, compared)
    selection = gather("selection", of_sets["selection"], sets)
    chosen = estimators.summarise_selection(selection)
    storage.write_table(output.leaderboard, ranked, TABLES["estimators/leaderboard.csv"])
    storage.write_table(output.comparisons, compared, TABLES["estimators/comparisons.csv"])
    storage.write_table(output.selection, chosen, TABLES["estimators/selection.csv"])
    text = texts.findings(texts.bench_numbers(ranked, compared))
    storage.write_text(output.text, text + "\n")
    draw_plots(output, drawings_of_bench(ranked, chosen, of_sets))
    content = texts.describe(
        text, images(output.svg), ranked, compared, chosen, of_sets["values"], absent
    )
    write_page(snakemake.input, snakemake.output.page, content)
    write_findings(snakemake, texts.TITLE, text)
