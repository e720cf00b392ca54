"""Matches of an evaluation set with one encoder: what to store of them, and what is odd."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..data.evalset import EvaluationSet
from ..data.language import target_language
from ..errors import InputError
from . import encoders
from .kept import Kept
from .matches import Matches
from .matching import NotFinite, match_hypotheses, match_tokens

if TYPE_CHECKING:
    from .encoding import Encoder

UNKNOWN = 0.05  # share of unknown tokens above which an encoder does not know the language
SPARE = 0.01  # share of embeddings that a model's own tokenizer may leave unused


def match_set(
    evalset: EvaluationSet,
    settings: dict,
    folder: str | Path,
    progress: Callable = iter,
    kept: Path | None = None,
) -> tuple[dict, list[str]]:
    """Match the tokens of every hypothesis with those of the reference.

    `settings` are the encoder's `name`, `model` (bert-score's name for it), `layer`, `dtype`,
    `device` and the checksums of its `files`, which are in `folder`. `progress` wraps the list of
    blocks (tqdm); `kept` is the folder of what encoders have computed (see the module).

    Returns
    -------
    arrays : dict
        The fields of `Matches`, with `systems`, `signature` and `baseline`: bert-score's of
        precision, recall and F, (3,), NaN where it has none.
    notices : list of str

    Raises
    ------
    InputError
        The encoder cannot be loaded, or gives a token no finite embedding.
    """
    from .encoding import Encoder

    encoder = Encoder(folder, settings["layer"], settings["device"], settings["dtype"])
    with _naming_tokens(evalset, settings, encoder):
        known = Kept(made_with(encoder, settings), kept) if kept else None
        matches = match_tokens(encoder, evalset.reference, evalset.hypotheses, progress, known)
    baseline = encoders.baseline(
        settings["model"], settings["layer"], target_language(evalset.pair)
    )
    arrays = asdict(matches) | _made_by(encoder, settings, evalset)
    arrays["baseline"] = np.array(baseline or [np.nan] * 3, dtype=np.float32)
    notices = describe(matches, evalset.systems, encoder.tokenizer.unk_token_id)
    return arrays, notices + describe_tokenizer(len(encoder.tokenizer), encoder.embedded)


def match_consensus(
    evalset: EvaluationSet, settings: dict, folder: str | Path, progress: Callable = iter
) -> tuple[dict, list[str]]:
    """Match every hypothesis with those of the other systems; nothing of it is kept for other runs.

    Parameters and errors as of `match_set`. The arrays are `similarity` (systems, systems,
    segments), see `Consensus`, `systems` and `signature`; with them come notices.
    """
    from .encoding import Encoder

    encoder = Encoder(folder, settings["layer"], settings["device"], settings["dtype"])
    with _naming_tokens(evalset, settings, encoder):
        found = match_hypotheses(encoder, evalset.hypotheses, progress)
    counts = zip(evalset.systems, found.truncated, strict=True)
    notices = _describe_places("longer than the encoder takes, truncated", counts)
    arrays = {"similarity": found.similarity} | _made_by(encoder, settings, evalset)
    return arrays, notices


@contextmanager
def _naming_tokens(evalset: EvaluationSet, settings: dict, encoder: Encoder) -> Iterator[None]:
    """Raise `InputError` for a token without a finite embedding."""
    try:
        yield
    except NotFinite as error:
        place, number = error.args
        side, segment = divmod(place, len(evalset.reference))
        side_name = f"system {evalset.systems[side - 1]}" if side else "the reference"
        token = encoder.tokenizer.decode([number]).strip()
        advice = "Its weights are spoilt: replace them."
        if settings["dtype"] != "float32":
            advice = (
                f"Numbers beyond {settings['dtype']}'s range do this (set dtype: float32), and so "
                "do spoilt weights."
            )
        raise InputError(
            f"encoder {settings['name']} ({encoder.folder}), layer {settings['layer']}, "
            f"{settings['dtype']}: the embedding of token {token!r} in segment {segment + 1} of "
            f"{side_name} is not finite, so that it has no similarity to any other. {advice}"
        ) from None


def _made_by(encoder: Encoder, settings: dict, evalset: EvaluationSet) -> dict:
    """The systems, and what says how their matches were made."""
    import torch
    import transformers

    layer, dtype = settings["layer"], settings["dtype"]
    files = hashlib.sha256(repr(sorted(settings["files"].items())).encode()).hexdigest()
    return {
        "systems": evalset.systems,
        "signature": f"encoder:{settings['name']}|layer:{layer}|files:{files[:12]}|dtype:{dtype}"
        f"|device:{encoder.device.type}"
        f"|version:transformers-{transformers.__version__},torch-{torch.__version__.split('+')[0]}",
    }


def made_with(encoder: Encoder, settings: dict) -> dict:
    """What an encoder's numbers depend on beside the texts: its files, layer and precision, the
    code, the libraries, and the device, whose last digits differ from another's."""
    import tokenizers
    import torch
    import transformers

    device = encoder.device
    where = torch.cuda.get_device_name(device) if device.type == "cuda" else platform.machine()
    return {key: settings[key] for key in ("files", "layer", "dtype")} | {
        "code": [
            hashlib.sha256(Path(__file__).with_name(f"{name}.py").read_bytes()).hexdigest()
            for name in ("encoding", "kept", "matching")
        ],
        "versions": [library.__version__ for library in (tokenizers, torch, transformers)],
        "device": [where, torch.backends.cpu.get_cpu_capability()],
    }


def describe_tokenizer(tokens: int, embedded: int) -> list[str]:
    """A doubt whether tokenizer and weights are of one model, from how many tokens each has."""
    if tokens >= (1 - SPARE) * embedded:
        return []
    return [
        f"the tokenizer has {tokens:,} tokens and the weights have embeddings of {embedded:,}: "
        "check that it is the model's own"
    ]


def _describe_places(what: str, counts: Iterable[tuple[str, int]]) -> list[str]:
    """A sentence on segments of the reference or of systems, if there are any."""
    found = [f"{place} {count}" for place, count in counts if count]
    return [f"segments {what}: {', '.join(found)}"] * bool(found)


def describe(matches: Matches, systems: list[str], unknown: int | None) -> list[str]:
    """What is odd about a set's sentences, for the summary; `unknown` is the unknown token's id."""
    empty = [matches.reference_lengths, *matches.hypothesis_lengths]
    notices = []
    for what, counts in (
        ("longer than the encoder takes, truncated", matches.truncated),
        ("empty, scored 0", [(lengths == 0).sum() for lengths in empty]),
    ):
        notices += _describe_places(what, zip(("reference", *systems), counts, strict=True))
    share = np.mean(matches.reference_ids == unknown)
    if share > UNKNOWN:
        notices.append(
            f"the encoder does not know {share:.0%} of the reference's tokens: choose one for this "
            "language"
        )
    return notices
