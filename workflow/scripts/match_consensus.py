"""Match the tokens of every hypothesis with those of the other systems' hypotheses."""

import os
from itertools import chain

from job import run
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.embedding.encoders import model_folder
from mt_difficulty.embedding.set_matches import match_consensus


def main(snakemake):
    found = evalset.load(snakemake.input.evalset)
    found.require_texts()
    settings = storage.read_json(snakemake.input.encoder)
    os.environ["HF_HUB_OFFLINE"] = "1"  # before transformers is imported
    import torch
    from tqdm import tqdm

    torch.set_num_threads(snakemake.threads)
    title = f"{settings['name']} {found.pair} consensus"
    place, sentences = snakemake.params.location, chain(*found.hypotheses)
    with model_folder(settings, place, sentences, snakemake.input.encoder) as folder:
        arrays, notices = match_consensus(
            found, settings, folder, lambda blocks: tqdm(blocks, title, unit="block", disable=None)
        )
    storage.write_arrays(snakemake.output.matches, **arrays)
    storage.write_json(snakemake.output.notices, {"notices": notices})


if "snakemake" in globals():
    run(main, snakemake)
