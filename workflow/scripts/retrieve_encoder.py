"""Put an encoder's files where jobs find them: from the hub or a folder."""

from pathlib import Path

from job import run
from mt_difficulty import encoders, evalset, storage


def retrieve(name, encoder):
    """The encoder's folder, with its files in it; None for one that is made on the spot."""
    if "folder" in encoder:
        return Path(encoder["folder"])
    if "hub" not in encoder:
        return None
    folder = encoders.hub_folder(name, encoder["revision"])
    encoders.download(name, encoder["hub"], encoder["revision"], folder)
    return folder


def main(snakemake):
    evalset.load(snakemake.input.evalset).require_texts()
    name, encoder = snakemake.wildcards.encoder, dict(snakemake.params.encoder)
    encoder |= {"name": name}
    if folder := retrieve(name, encoder):
        encoder |= {"folder": str(folder), "files": encoders.checksums(name, folder)}
    storage.write_json(snakemake.output[0], encoder)


if "snakemake" in globals():
    run(main, snakemake)
