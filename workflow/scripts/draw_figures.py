"""Redraw the figures of a paper; the numbers printed in them become cells."""

import pandas as pd

from job import job
from mt_difficulty import storage
from mt_difficulty.figures import results
from mt_difficulty.papers import make_cell, read_inputs
from mt_difficulty.tables import TABLES
from plotting import figure


@job
def main(snakemake):
    params, output = snakemake.params, snakemake.output
    files = zip(params.figures.items(), output.cells, output.svg, output.pdf, strict=True)
    for (item, printed), cells, svg, pdf in files:
        inputs = read_inputs(snakemake.input.files, params.paper, params.inputs[item])
        side, size = results.panels(printed)
        with figure(svg, pdf, side, side, size) as axes:
            value, reason = results.draw(axes, printed, inputs)
        marks = results.marks_of(printed, inputs)
        numbers = [
            make_cell(item, printed.kind, label, published, 3, value, reason, **marks)
            for label, published in results.printed_numbers(printed).items()
        ]
        table = TABLES["cells/<item>.csv"]
        storage.write_table(cells, pd.DataFrame(numbers, columns=table.names()), table)
