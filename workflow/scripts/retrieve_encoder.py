"""Get an encoder's files from the Hugging Face hub or a folder, and list their checksums."""

from pathlib import Path

from job import job
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.embedding import encoders


@job
def main(snakemake):
    evalset.load(snakemake.input.evalset).require_texts()
    encoder = snakemake.params.encoder
    folder = snakemake.params.location
    if encoder.hub:
        encoders.download(encoder.name, encoder.hub, encoder.revision, Path(folder))
    if folder:
        encoder = encoder._replace(files=encoders.checksums(encoder.name, folder))
    storage.write_json(snakemake.output[0], encoder._asdict())
