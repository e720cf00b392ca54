"""Read and check one evaluation set."""

from pathlib import Path

from job import run
from mt_difficulty import storage
from mt_difficulty.data import download, evalset, own_files
from mt_difficulty.errors import InputError, Missing


def read(snakemake):
    """The set, from own files or from the archive."""
    campaign, entry = snakemake.wildcards.campaign, dict(snakemake.params.entry)
    folder = Path(snakemake.params.location)
    if "texts_required" not in entry:
        return own_files.read_own_files(folder, campaign, **entry)
    try:
        folder = download.find_campaign(folder)
    except Missing as missing:
        if entry["texts_required"]:
            raise InputError(str(missing)) from None
        raise
    return evalset.read_evaluation_set(folder, campaign, **entry)


def main(snakemake):
    evalset.save(snakemake.output.evalset, read(snakemake))
    entry = snakemake.params.entry
    protocol = {name: entry.get(name) for name in ("reference", "gold", "segments")}
    storage.write_json(snakemake.output.protocol, protocol)


if "snakemake" in globals():
    run(main, snakemake)
