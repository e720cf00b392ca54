"""Write the pages of the papers: their tables and figures, cell by cell."""

from job import job
from mt_difficulty import storage
from mt_difficulty.data.evalset import read_set
from mt_difficulty.page import index
from pages import read_analysis, write_page


@job
def main(snakemake):
    params, sources = snakemake.params, snakemake.input
    files = list(map(str, sources.files))
    ledger = storage.read_table(sources.audit[0])
    sets = [index.describe_set(read_set(name, sources.summaries)) for name in params.sets]
    sets = [summary for summary in sets if "absent" not in summary]
    for (name, paper), page in zip(params.papers.items(), snakemake.output.pages, strict=True):
        paper_files = read_set(f"papers/{name}", files)
        analysis = read_analysis(paper, files)
        content = index.describe_paper(name, paper, paper_files, ledger, sets, analysis)
        write_page(sources, page, content)
