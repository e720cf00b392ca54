"""Get an encoder's files from the Hugging Face hub or a folder, and list their checksums."""

from pathlib import Path

from job import job
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.embedding import encoders


@job
def main(snakemake):
    evalset.load(snakemake.input.evalset).require_texts()
    name, folder = snakemake.wildcards.encoder, snakemake.params.location
    encoder = dict(snakemake.params.encoder) | {"name": name}
    if "hub" in encoder:
        encoders.download(name, encoder["hub"], encoder["revision"], Path(folder))
    if folder:
        encoder["files"] = encoders.checksums(name, folder)
    storage.write_json(snakemake.output[0], encoder)
