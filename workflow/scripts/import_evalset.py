"""Read and check one evaluation set."""

from pathlib import Path

from job import run
from mt_difficulty import evalset, storage


def main(snakemake):
    folder = Path(snakemake.input.folder)
    if (folder / "missing").exists():
        storage.check_present(folder / "missing")
    entry = dict(snakemake.params.entry)
    required = entry.pop("required")
    found = evalset.read_evaluation_set(
        folder, snakemake.wildcards.campaign, texts_required=required, **entry
    )
    evalset.save(snakemake.output[0], found)


if "snakemake" in globals():
    run(main, snakemake)
