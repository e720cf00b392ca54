"""Say how far difficulties and gains agree across references."""

from job import run
from mt_difficulty import storage
from mt_difficulty.data.set_files import read_set
from mt_difficulty.evidence import reference_findings


def main(snakemake):
    tables = snakemake.input.agreement + snakemake.input.survival
    sets = {name: read_set(name, tables) for name in snakemake.params.groups}
    storage.write_text(snakemake.output[0], reference_findings.describe(sets))


if "snakemake" in globals():
    run(main, snakemake)
