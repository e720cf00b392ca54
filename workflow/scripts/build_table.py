"""Rebuild one table of a paper: each published value with ours and, for correlations, intervals and
tests."""

import pandas as pd

from job import job
from mt_difficulty import papers, storage
from mt_difficulty.papers import read_inputs, tables
from mt_difficulty.settings.protocol import CorrelationTable
from mt_difficulty.tables import TABLES


@job
def main(snakemake):
    paper, item = snakemake.wildcards.paper, snakemake.wildcards.table
    output = snakemake.output
    table = snakemake.params.tables[item]
    inputs = read_inputs(snakemake.input.files, paper, snakemake.params.inputs)
    cells, texts = tables.make_table(item, table, inputs)
    frame = papers.layout(cells, texts)
    notes = papers.notes(cells)
    if isinstance(table, CorrelationTable):
        notes += tables.level_notes(table, inputs)
    storage.write_table(output.cells, pd.DataFrame(cells), TABLES["cells/<item>.csv"])
    storage.write_table(output.csv, frame, TABLES["<item>.csv"])
    markdown = papers.to_markdown(frame, table.caption, papers.READING, notes=notes)
    storage.write_text(output.md, markdown)
    storage.write_text(output.tex, papers.to_latex(frame, table.caption, item, notes))
    if isinstance(table, CorrelationTable):
        statistics = tables.statistics_rows(table, inputs)
        storage.write_table(output.statistics, statistics, TABLES["<item>_statistics.csv"])
