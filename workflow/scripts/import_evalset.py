"""Read and check one evaluation set."""

from pathlib import Path

from job import run
from mt_difficulty import storage
from mt_difficulty.data import evalset, own_files


def read(snakemake):
    """The set, from own files or from the archive."""
    campaign, entry = snakemake.wildcards.campaign, dict(snakemake.params.entry)
    required = entry.pop("required")
    if snakemake.params.location:
        return own_files.read_own_files(snakemake.params.location, campaign, **entry)
    folder = Path(snakemake.input.folder)
    if (folder / "missing").exists():
        storage.check_present(folder / "missing")
    return evalset.read_evaluation_set(folder, campaign, texts_required=required, **entry)


def main(snakemake):
    evalset.save(snakemake.output[0], read(snakemake))


if "snakemake" in globals():
    run(main, snakemake)
