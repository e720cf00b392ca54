"""The page of a paper: its tables and figures, cell by cell."""

from job import run
from mt_difficulty import storage
from mt_difficulty.data.set_files import read_set
from mt_difficulty.page import index, paper_page
from pages import write_page


def main(snakemake):
    params, files = snakemake.params, list(map(str, snakemake.input.files))
    sets = [index.describe_set(read_set(name, snakemake.input.summaries)) for name in params.sets]
    content = paper_page.describe(
        params.name,
        params.paper,
        read_set(f"papers/{params.name}", files),
        storage.read_table(snakemake.input.audit[0]),
        index.marks([one for one in sets if "absent" not in one]),
    )
    write_page(snakemake, content)


if "snakemake" in globals():
    run(main, snakemake)
