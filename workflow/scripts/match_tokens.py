"""Match the tokens of every hypothesis with those of the reference, or of the other hypotheses."""

import os
from itertools import chain

from job import job, progress
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.embedding import baselines, matching
from mt_difficulty.embedding.encoders import model_folder
from mt_difficulty.settings import EncoderSettings


@job
def main(snakemake):
    os.environ["HF_HUB_OFFLINE"] = "1"  # before transformers is imported
    texts = evalset.load(snakemake.input.evalset)
    location = snakemake.params.location
    consensus = snakemake.params.consensus
    settings = EncoderSettings(**storage.read_json(snakemake.input.encoder))
    title = f"{settings.name} {texts.pair}"
    sentences = list(chain(*texts.hypotheses))
    if consensus:
        texts.require_texts()
        title += " consensus"
    else:
        texts.require_reference()
        sentences += texts.reference
    import torch

    torch.set_num_threads(snakemake.threads)
    # An encoder with random weights has the vocabulary of this set.
    with model_folder(settings, location, sentences, snakemake.input.encoder) as (encoder, folder):
        cache = matching.FOLDER if location else None
        arrays, notices = matching.match_set(
            texts, encoder, folder, progress(title, "blocks"), cache, consensus=consensus
        )
        if not consensus:
            shown = progress(f"{title} baseline", "blocks")
            baseline = baselines.find(encoder, texts, folder, shown, cache)
            arrays |= baseline.arrays()
            notices += baseline.notices
    storage.write_arrays(snakemake.output.matches, **arrays)
    storage.write_json(snakemake.output.notices, {"notices": notices})
