"""Write the index of a run: its findings, sets and papers."""

from contextlib import suppress
from pathlib import Path

from job import job
from mt_difficulty import storage
from mt_difficulty.data.evalset import read_set
from mt_difficulty.errors import Missing
from mt_difficulty.page import index
from pages import read_analysis, write_page


def read_or_none(files):
    """Read the only table of a list; None if the list is empty or the table was not made."""
    with suppress(Missing):
        return storage.read_table(files[0]) if files else None


@job
def main(snakemake):
    params, sources = snakemake.params, snakemake.input
    results = Path(snakemake.output.page).parent
    outdated = set(map(Path, storage.outdated(params.made_from)))
    outdated |= {page.with_name("report.json") for page in outdated}

    def current(files):
        return [str(file) for file in files if Path(file) not in outdated]

    files = current(sources.files)
    audit = current(sources.audit)
    held_out = read_or_none(current(sources.held_out))
    if held_out is not None and not set(held_out.set) <= set(params.sets):
        held_out = None  # of an earlier run with other sets
    pages = {paper: results / "papers" / paper / "report.html" for paper in params.papers}
    papers = [paper for paper, page in pages.items() if page.exists() and page not in outdated]
    content = index.describe(
        [read_set(name, files) for name in params.sets],
        {paper: params.papers[paper] for paper in papers},
        read_or_none(audit),
        held_out,
        {paper: read_analysis(params.papers[paper], files) for paper in papers},
    )
    shown = map(Path, (*sources.files, *sources.held_out, *sources.audit))
    older = [str(path.relative_to(results)) for path in shown if path in outdated]
    content |= {"synthetic": params.synthetic, "older": older}
    write_page(sources, snakemake.output.page, content)
