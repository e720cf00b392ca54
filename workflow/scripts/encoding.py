"""What the jobs of encoders do alike."""

import os

from mt_difficulty import storage
from mt_difficulty.embedding.encoders import model_folder


def match(snakemake, what, sentences, compute):
    """Match a set with the job's encoder, and write matches and notices.

    Parameters
    ----------
    what : str
        After the encoder's name, for the bar of progress.
    sentences : iterable of str
        That an encoder with random weights is made of.
    compute : callable
        Gives arrays and notices from the encoder's settings and folder, and what wraps the blocks.
    """
    settings = storage.read_json(snakemake.input.encoder)
    os.environ["HF_HUB_OFFLINE"] = "1"  # before transformers is imported
    import torch
    from tqdm import tqdm

    torch.set_num_threads(snakemake.threads)
    title, place = f"{settings['name']} {what}", snakemake.params.location
    with model_folder(settings, place, sentences, snakemake.input.encoder) as folder:
        arrays, notices = compute(
            settings, folder, lambda blocks: tqdm(blocks, title, unit="block", disable=None)
        )
    storage.write_arrays(snakemake.output.matches, **arrays)
    storage.write_json(snakemake.output.notices, {"notices": notices})
