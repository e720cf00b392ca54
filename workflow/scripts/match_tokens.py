"""Match the tokens of every hypothesis with those of the reference."""

import os
import tempfile
from contextlib import contextmanager
from itertools import chain

from job import run
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.embedding import encoders, kept
from mt_difficulty.embedding.set_matches import match_set
from mt_difficulty.errors import InputError


@contextmanager
def encoder_folder(settings, folder, found, source):
    """The encoder's folder; one with random weights is made of the set's words, and not kept."""
    if folder:
        if encoders.checksums(settings["name"], folder) != settings["files"]:
            raise InputError(
                f"{folder}: not the files that {source} lists. Delete that list to use these."
            )
        yield folder
        return
    sentences = chain(found.reference, *found.hypotheses)
    with tempfile.TemporaryDirectory() as folder:
        encoders.build_random(
            folder, sentences, settings["hidden_size"], settings["layers"], settings["seed"]
        )
        settings["files"] = encoders.checksums(settings["name"], folder)
        yield folder


def main(snakemake):
    found = evalset.load(snakemake.input.evalset)
    found.require_texts()
    settings = storage.read_json(snakemake.input.encoder)
    os.environ["HF_HUB_OFFLINE"] = "1"  # before transformers is imported
    import torch
    from tqdm import tqdm

    torch.set_num_threads(snakemake.threads)
    title = f"{settings['name']} {found.pair}"
    place = snakemake.params.location
    with encoder_folder(settings, place, found, snakemake.input.encoder) as folder:
        arrays, notices = match_set(
            found,
            settings,
            folder,
            lambda blocks: tqdm(blocks, title, unit="block", disable=None),
            kept.FOLDER if place else None,  # random weights are those of one set
        )
    storage.write_arrays(snakemake.output.matches, **arrays)
    storage.write_json(snakemake.output.notices, {"notices": notices})


if "snakemake" in globals():
    run(main, snakemake)
