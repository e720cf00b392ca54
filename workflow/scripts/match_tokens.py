"""Match the tokens of every hypothesis with those of the reference."""

import hashlib
import os
import tempfile
from contextlib import contextmanager
from dataclasses import asdict
from itertools import chain

import numpy as np

from job import run
from mt_difficulty import encoders, evalset, storage
from mt_difficulty.encoding import Encoder
from mt_difficulty.language import target_language
from mt_difficulty.matching import match_tokens

UNKNOWN = 0.05  # share of unknown tokens above which an encoder does not know the language


def describe(matches, systems, unknown):
    """What is odd about a set's sentences, for the summary; `unknown` is the unknown token's id."""
    empty = [matches.reference_lengths, *matches.hypothesis_lengths]
    notices = []
    for what, counts in (
        ("longer than the encoder takes, truncated", matches.truncated),
        ("empty, scored 0", [(lengths == 0).sum() for lengths in empty]),
    ):
        places = zip(("reference", *systems), counts, strict=True)
        found = [f"{place} {count}" for place, count in places if count]
        notices += [f"segments {what}: {', '.join(found)}"] * bool(found)
    share = np.mean(matches.reference_ids == unknown)
    if share > UNKNOWN:
        notices.append(
            f"the encoder does not know {share:.0%} of the reference's tokens: choose one for this "
            "language"
        )
    return notices


@contextmanager
def encoder_folder(settings, found):
    """The encoder's folder; one with random weights is made of the set's words, and not kept."""
    if "folder" in settings:
        yield settings["folder"]
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
    import transformers
    from tqdm import tqdm

    torch.set_num_threads(snakemake.threads)
    name, layer, dtype = (settings[key] for key in ("name", "layer", "dtype"))
    with encoder_folder(settings, found) as folder:
        encoder = Encoder(folder, layer, settings["device"], dtype)
        matches = match_tokens(
            encoder,
            found.reference,
            found.hypotheses,
            lambda blocks: tqdm(blocks, f"{name} {found.pair}", unit="block", disable=None),
        )
    unknown = encoder.tokenizer.unk_token_id
    baseline = encoders.baseline(settings["model"], layer, target_language(found.pair))
    files = hashlib.sha256(repr(sorted(settings["files"].items())).encode()).hexdigest()
    storage.write_arrays(
        snakemake.output.matches,
        **asdict(matches),
        systems=found.systems,
        baseline=np.array(baseline or [np.nan] * 3, dtype=np.float32),
        signature=f"encoder:{name}|layer:{layer}|files:{files[:12]}|dtype:{dtype}"
        f"|device:{encoder.device.type}"
        f"|version:transformers-{transformers.__version__},torch-{torch.__version__.split('+')[0]}",
    )
    storage.write_json(
        snakemake.output.notices, {"notices": describe(matches, found.systems, unknown)}
    )


if "snakemake" in globals():
    run(main, snakemake)
