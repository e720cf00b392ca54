"""Rebuild one table of a paper, each published cell beside ours."""

import pandas as pd

from job import run
from mt_difficulty import storage
from mt_difficulty.papers import kinds, layout
from mt_difficulty.papers.tuned import mark_tuned
from paper_inputs import read_inputs


def main(snakemake):
    item, table = snakemake.wildcards.table, snakemake.params.table
    cells, texts = kinds.make_table(item, table, read_inputs(snakemake))
    cells = mark_tuned(cells, table, snakemake.params.tuned)
    frame, notes = layout.layout(cells, texts), layout.notes(cells)
    caption = table["caption"]
    storage.write_table(snakemake.output.cells, pd.DataFrame(cells))
    storage.write_table(snakemake.output.csv, frame)
    storage.write_text(snakemake.output.md, layout.to_markdown(frame, caption, notes))
    storage.write_text(snakemake.output.tex, layout.to_latex(frame, caption, item, notes))


if "snakemake" in globals():
    run(main, snakemake)
