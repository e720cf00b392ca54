"""The page of a study."""

from pathlib import Path

from job import run
from mt_difficulty import storage
from mt_difficulty.page import study_page
from mt_difficulty.page.template import image
from pages import write_findings, write_page


def main(snakemake):
    params, files = snakemake.params, snakemake.input
    tables = {kind: storage.read_table(files[kind]) for kind in study_page.TABLES}
    images = {Path(file).stem: image(Path(file).read_text(encoding="utf-8")) for file in files.svg}
    text = Path(files.text).read_text(encoding="utf-8")
    registration = storage.read_json(files.registration)
    content = study_page.describe(params.study, text, images, tables, registration)
    write_page(snakemake, content)
    write_findings(snakemake, content["title"], text)


if "snakemake" in globals():
    run(main, snakemake)
