"""Write a set's page, the data of its segments, and the set's summary for the index."""

from job import job
from mt_difficulty import storage
from mt_difficulty.data.evalset import read_set
from mt_difficulty.page import segments, set_page
from pages import write_page


@job
def main(snakemake):
    params = snakemake.params
    set_files = read_set(params.name, list(map(str, snakemake.input.files)))
    page, summary = set_page.describe(
        set_files, params.settings, params.statistics, params.captions
    )
    packed = segments.packed(page["segments"])
    storage.write_text(snakemake.output.segments, f'receiveSegments("{packed}");\n')
    write_page(snakemake.input, snakemake.output.page, page | {"synthetic": params.synthetic})
    storage.write_json(snakemake.output.summary, summary)
