"""The index of a run: its findings, sets and papers."""

from contextlib import suppress

from job import run
from mt_difficulty import storage
from mt_difficulty.data.set_files import read_set
from mt_difficulty.errors import Missing
from mt_difficulty.page import index
from pages import write_page


def read_or_none(files):
    """The one table of a list; None where the list is empty, or the table could not be made."""
    with suppress(Missing):
        return storage.read_table(files[0]) if files else None


def main(snakemake):
    params, files = snakemake.params, list(map(str, snakemake.input.files))
    content = index.describe(
        [read_set(name, files) for name in params.sets],
        params.papers,
        read_or_none(snakemake.input.audit),
        read_or_none(snakemake.input.held_out),
        params.synthetic,
    )
    write_page(snakemake, content | {"synthetic": params.synthetic})


if "snakemake" in globals():
    run(main, snakemake)
