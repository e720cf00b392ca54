"""The figures of a study."""

from job import run
from mt_difficulty import storage
from mt_difficulty.figures.study import drawings
from plotting import draw_plots


def main(snakemake):
    tables = {kind: storage.read_table(file) for kind, file in snakemake.input.items()}
    draw_plots(snakemake.output, drawings(tables, snakemake.params.contrast))


if "snakemake" in globals():
    run(main, snakemake)
