"""Put an encoder's files where jobs find them: from the hub, a folder, or made on the spot."""

from pathlib import Path

from job import run
from mt_difficulty import encoders, evalset, storage
from mt_difficulty.errors import Missing


def texts_of(files):
    """The sentences of the sets that have texts."""
    found = []
    for file in files:
        try:
            found.append(evalset.load(file))
        except Missing:
            continue
    return [
        segment
        for found_set in found
        for side in (found_set.reference, *found_set.hypotheses)
        for segment in side
    ]


def retrieve(name, encoder, made, texts, seed):
    """The encoder's folder, with its files in it."""
    if "folder" in encoder:
        return Path(encoder["folder"])
    if "hub" in encoder:
        folder = Path("data/encoders") / f"{name}-{encoder['revision'].replace('/', '-')}"
        encoders.download(name, encoder["hub"], encoder["revision"], folder)
        return folder
    encoders.build_random(made, texts, encoder["hidden_size"], encoder["layers"], seed)
    return made


def main(snakemake):
    name, encoder = snakemake.wildcards.encoder, dict(snakemake.params.encoder)
    texts = texts_of(snakemake.input.evalsets)
    if not texts:
        raise Missing(f"no evaluation set with texts needs encoder {name}")
    made = Path(snakemake.output[0]).with_suffix("")
    folder = retrieve(name, encoder, made, texts, snakemake.params.seed)
    storage.write_json(
        snakemake.output[0],
        encoder | {"name": name, "folder": str(folder), "files": encoders.describe(folder)},
    )


if "snakemake" in globals():
    run(main, snakemake)
