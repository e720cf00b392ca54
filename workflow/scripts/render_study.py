"""Draw the figures and write the page of a study."""

from pathlib import Path

from job import job
from mt_difficulty import storage
from mt_difficulty.figures.over_sets import drawings_of_study
from mt_difficulty.page import study
from pages import images, write_findings, write_page
from plotting import draw_plots


@job
def main(snakemake):
    params, files = snakemake.params, snakemake.input
    tables = {Path(file).stem: storage.read_table(file) for file in files.tables}
    draw_plots(snakemake.output, drawings_of_study(tables, params.contrast))
    text = Path(files.text).read_text(encoding="utf-8")
    shown = images(snakemake.output.svg)
    registration = storage.read_json(files.registration)
    content = study.describe(params.study, text, shown, tables, registration)
    write_page(snakemake.input, snakemake.output.page, content)
    write_findings(snakemake, params.study.title, text)
