"""Rebuild one table of a paper, each published cell beside ours."""

import pandas as pd

from job import run
from mt_difficulty import storage
from mt_difficulty.papers import cells as printing
from mt_difficulty.papers.tables import make_table
from paper_inputs import read_inputs


def main(snakemake):
    item, table, output = snakemake.wildcards.table, snakemake.params.table, snakemake.output
    cells, texts = make_table(item, table, read_inputs(snakemake))
    cells = printing.mark_tuned(cells, table, snakemake.params.tuned)
    frame, notes = printing.layout(cells, texts), printing.notes(cells)
    caption = table["caption"]
    storage.write_table(output.cells, pd.DataFrame(cells))
    storage.write_table(output.csv, frame)
    storage.write_text(output.md, printing.to_markdown(frame, caption, notes))
    storage.write_text(output.tex, printing.to_latex(frame, caption, item, notes))


if "snakemake" in globals():
    run(main, snakemake)
