"""Match the tokens of every hypothesis with those of the reference, or of the other hypotheses."""

import os
from itertools import chain

from job import job, progress
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.embedding import matching
from mt_difficulty.embedding.encoders import model_folder
from mt_difficulty.settings import EncoderSettings


@job
def main(snakemake):
    os.environ["HF_HUB_OFFLINE"] = "1"  # before transformers is imported
    texts, place = evalset.load(snakemake.input.evalset), snakemake.params.location
    settings = EncoderSettings(**storage.read_json(snakemake.input.encoder))
    sentences, title = list(chain(*texts.hypotheses)), f"{settings.name} {texts.pair}"
    if consensus := snakemake.params.consensus:
        texts.require_texts()
        title += " consensus"
    else:
        texts.require_reference()
        sentences += texts.reference
    import torch

    torch.set_num_threads(snakemake.threads)
    # Random weights are made of a set's words, and those of one set.
    with model_folder(settings, place, sentences, snakemake.input.encoder) as (encoder, folder):
        cache = matching.FOLDER if place else None
        arrays, notices = matching.match_set(
            texts, encoder, folder, progress(title, "blocks"), cache, consensus
        )
    storage.write_arrays(snakemake.output.matches, **arrays)
    storage.write_json(snakemake.output.notices, {"notices": notices})
