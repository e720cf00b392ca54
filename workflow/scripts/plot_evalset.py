"""Plot one evaluation set: top-K curves, correlations over the parameters of weightings, its
difficulties, and one hard segment."""

from job import job
from mt_difficulty.data.evalset import read_set
from mt_difficulty.figures.results import plots_of_set
from plotting import draw_plots


@job
def main(snakemake):
    params = snakemake.params
    files = read_set(params.name, snakemake.input.files)
    draw_plots(snakemake.output, plots_of_set(files, params.metric, params.settings))
