"""The page of the bench of difficulty estimators."""

from pathlib import Path

from job import run
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.errors import Missing
from mt_difficulty.page import estimator_page
from mt_difficulty.page.template import image
from pages import write_findings, write_page


def main(snakemake):
    files, values, segments, absent = snakemake.input, {}, {}, {}
    for place, name in enumerate(snakemake.params.sets):
        try:
            values[name] = storage.read_table(files["values"][place])
            rows = storage.read_table(files.segments[place])
            segments[name] = rows, evalset.load(files.texts[place])
        except Missing as reason:
            absent[name] = str(reason)
    images = {Path(file).stem: image(Path(file).read_text(encoding="utf-8")) for file in files.svg}
    storage.check_present(files.text)
    text = Path(files.text).read_text(encoding="utf-8")
    content = estimator_page.describe(
        text,
        images,
        storage.read_table(files.leaderboard),
        storage.read_table(files.comparisons),
        storage.read_table(files.selection),
        values,
        segments,
        absent,
    )
    write_page(snakemake, content)
    write_findings(snakemake, estimator_page.TITLE, text)


if "snakemake" in globals():
    run(main, snakemake)
