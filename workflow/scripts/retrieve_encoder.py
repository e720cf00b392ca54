"""Put an encoder's files where jobs find them: from the hub or a folder."""

from pathlib import Path

from job import run
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.embedding import encoders


def main(snakemake):
    evalset.load(snakemake.input.evalset).require_texts()
    name, folder = snakemake.wildcards.encoder, snakemake.params.location
    encoder = dict(snakemake.params.encoder) | {"name": name}
    if "hub" in encoder:
        encoders.download(name, encoder["hub"], encoder["revision"], Path(folder))
    if folder:
        encoder["files"] = encoders.checksums(name, folder)
    storage.write_json(snakemake.output[0], encoder)


if "snakemake" in globals():
    run(main, snakemake)
