"""Greedy token matching (Zhang et al. 2020; Zhan et al. 2021, Eq. 1) of hypotheses with their
reference or, without a reference, with each other."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import storage
from ..data.evalset import Arrays, EvaluationSet
from ..data.language import target_language
from ..errors import InputError
from ..settings import EncoderSettings
from ..storage import Content
from . import Matches, encoders
from .encoding import Encoder, Tokens, one_torch_thread

if TYPE_CHECKING:
    import torch

TRUNCATED = "longer than the encoder takes, truncated"
UNKNOWN = 0.05  # share of unknown tokens above which an encoder does not know the language


def match_set(
    evalset: EvaluationSet,
    settings: EncoderSettings,
    folder: str | Path,
    progress: Callable = iter,
    cache_folder: Path | None = None,
    consensus: bool = False,
) -> tuple[Arrays, list[str]]:
    """Match the tokens of every hypothesis with those of the reference or, with `consensus`, of the
    other systems' hypotheses. The encoder's files are in `folder`; `progress` wraps the list of
    blocks (tqdm); `cache_folder` has earlier matches (`MatchCache`). Returns
    arrays and warnings. The arrays are the fields of `Matches` and bert-score's `baseline` of
    precision, recall and F, (3,), NaN if it has none, or the `similarity` of `match_hypotheses`;
    `systems` and `signature`. Raises `InputError` if loading fails or an embedding is not
    finite."""
    import torch
    import transformers

    encoder = Encoder(folder, settings.layer, settings.device, settings.dtype)
    arrays: Arrays
    try:
        if consensus:
            similarity, truncated = match_hypotheses(encoder, evalset.hypotheses, progress)
            arrays = {"similarity": similarity}
            notices = _counted(TRUNCATED, evalset.systems, truncated)
        else:
            cache = MatchCache(made_with(encoder, settings), cache_folder) if cache_folder else None
            matches = match_tokens(encoder, evalset.reference, evalset.hypotheses, progress, cache)
            language = target_language(evalset.pair)
            baseline = encoders.baseline(settings.model, settings.layer, language)
            arrays = asdict(matches)
            arrays["baseline"] = np.array(baseline or [np.nan] * 3, dtype=np.float32)
            notices = describe(matches, evalset.systems, encoder.tokenizer.unk_token_id)
    except NotFinite as error:
        raise _explain(error, evalset, settings, encoder) from None
    files = hashlib.sha256(repr(sorted(settings.files.items())).encode()).hexdigest()
    arrays["systems"] = evalset.systems
    arrays["signature"] = (
        f"encoder:{settings.name}|layer:{settings.layer}|files:{files[:12]}"
        f"|dtype:{settings.dtype}|device:{encoder.device.type}"
        f"|version:transformers-{transformers.__version__},torch-{torch.__version__.split('+')[0]}"
    )
    return arrays, notices


def made_with(encoder: Encoder, settings: EncoderSettings) -> Content:
    """Return all that embeddings depend on beside the texts: the encoder's files, layer and
    precision, the code, library versions, and the device, which affects last digits."""
    import tokenizers
    import torch
    import transformers

    device = encoder.device
    where = torch.cuda.get_device_name(device) if device.type == "cuda" else platform.machine()
    files = [Path(__file__).with_name(f"{name}.py") for name in ("encoding", "matching")]
    return {
        "files": dict(settings.files),
        "layer": settings.layer,
        "dtype": settings.dtype,
        "code": [hashlib.sha256(file.read_bytes()).hexdigest() for file in files],
        "versions": [library.__version__ for library in (tokenizers, torch, transformers)],
        "device": [where, torch.backends.cpu.get_cpu_capability()],
    }


class NotFinite(Exception):
    """An embedding is not finite. Arguments: the index of the text, side · segments + segment, with
    side 0 for the reference and then the systems, and the token's id."""


def _explain(
    error: NotFinite, evalset: EvaluationSet, settings: EncoderSettings, encoder: Encoder
) -> InputError:
    """Return an `InputError` that names the token with a non-finite embedding, and a remedy."""
    place, number = error.args
    side, segment = divmod(place, len(evalset.reference))
    side_name = f"system {evalset.systems[side - 1]}" if side else "the reference"
    token, dtype = encoder.tokenizer.decode([number]).strip(), settings.dtype
    advice = "Its weights are spoilt: replace them."
    if dtype != "float32":
        advice = f"Numbers beyond {dtype}'s range do this (set dtype: float32), or spoilt weights."
    return InputError(
        f"encoder {settings.name} ({encoder.folder}), layer {settings.layer}, {dtype}: the "
        f"embedding of token {token!r} in segment {segment + 1} of {side_name} is not finite, so "
        f"that it has no similarity to any other. {advice}"
    )


def describe(matches: Matches, systems: list[str], unknown: int | None) -> list[str]:
    """Return warnings on truncated or empty segments and unknown tokens of the reference."""
    places = ["reference", *systems]
    notices = _counted(TRUNCATED, places, matches.truncated)
    lengths = (matches.reference_lengths, *matches.hypothesis_lengths)
    notices += _counted("empty, scored 0", places, [(n == 0).sum() for n in lengths])
    share = np.mean(matches.reference_ids == unknown)
    if share > UNKNOWN:
        notices.append(
            f"the encoder does not know {share:.0%} of the reference's tokens: choose one for this "
            "language"
        )
    return notices


def _counted(what: str, places: list[str], counts: Iterable[int]) -> list[str]:
    """Return [warning] with the number of segments by reference or system, or [] if all are 0."""
    named = [f"{place} {count}" for place, count in zip(places, counts, strict=True) if count]
    return [f"segments {what}: {', '.join(named)}"] * bool(named)


def match_tokens(
    encoder: Encoder,
    reference: list[str],
    hypotheses: list[list[str]],
    progress: Callable = iter,
    cache: MatchCache | None = None,
) -> Matches:
    """Match every hypothesis with its reference. Each distinct sentence is encoded once (again only
    if it recurs under references of too many lengths to hold); memory for embeddings does not grow
    with the set. The maxima of a pair do not depend on other pairs, so pairs in `cache` are not
    matched again. `hypotheses` are systems × segments; `progress` wraps the list of blocks (tqdm).
    Raises `NotFinite` if an embedding is NaN."""
    texts = [[segment.strip() for segment in side] for side in (reference, *hypotheses)]
    sentences, places, sides = np.unique(
        np.array(texts, dtype=object), return_index=True, return_inverse=True
    )
    sides = sides.reshape(1 + len(hypotheses), len(reference))
    tokens = encoder.tokenize(sentences.tolist())
    pairs = np.stack([np.broadcast_to(sides[0], sides[1:].shape), sides[1:]], axis=-1)
    pairs, pair_of = np.unique(pairs.reshape(-1, 2), axis=0, return_inverse=True)
    # Sort pairs by the reference's length, then by reference.
    order = np.lexsort((pairs[:, 0], tokens.lengths[pairs[:, 0]]))
    pairs, pair_of = pairs[order], np.argsort(order)[pair_of.reshape(sides[1:].shape)]
    maxima: list[Any] = cache.matches(sentences, pairs) if cache else [None] * len(pairs)
    new = [i for i, known in enumerate(maxima) if known is None]
    unknown, ahead = pairs[new], iter(new)
    sizes = tokens.lengths[unknown]
    sizes[:, 0] *= np.diff(unknown[:, 0], prepend=-1) != 0  # a reference counts once
    block_of = np.cumsum(sizes.sum(axis=1)) // encoder.block_tokens
    for block, of_block in _by_block(encoder, tokens, places, unknown, block_of, progress):
        if cache:
            cache.add_matches(sentences, block, of_block)
        for of_pair in of_block:
            maxima[next(ahead)] = of_pair
    return _lay_out(tokens, sides, pair_of, maxima)


def _by_block(
    encoder: Encoder,
    tokens: Tokens,
    places: np.ndarray,
    pairs: np.ndarray,
    block_of: np.ndarray,
    progress: Callable,
) -> Iterator[tuple[np.ndarray, list[Maxima]]]:
    """Yield sentence pairs and their `Maxima`, block by block; a block's embeddings are in memory
    with some that later blocks need. `places` has the first text of each sentence. Raises
    `NotFinite` for the first token whose embedding is NaN."""
    import torch

    ids, content = tokens.split("ids"), tokens.split("content")
    ahead = np.bincount(pairs.ravel(), minlength=len(ids))
    blocks = np.split(pairs, np.flatnonzero(np.diff(block_of)) + 1) if len(pairs) else []
    held: dict[int, torch.Tensor] = {}
    for block in progress(blocks):
        held = {i: embedding.clone() for i, embedding in held.items() if ahead[i]}
        if sum(map(len, held.values())) > encoder.block_tokens:
            held = {}
        ahead -= np.bincount(block.ravel(), minlength=len(ids))
        wanted = [sentence for sentence in np.unique(block).tolist() if sentence not in held]
        if wanted:
            embeddings = encoder.encode([ids[i] for i in wanted])
            wrong = torch.cat([embedding[:, 0] for embedding in embeddings]).isnan().cpu().numpy()
            if wrong.any():
                place = np.repeat(places[wanted], tokens.lengths[wanted])[wrong]
                token = np.concatenate([ids[i] for i in wanted])[wrong][place.argmin()]
                raise NotFinite(int(place.min()), int(token))
            held.update(zip(wanted, embeddings, strict=True))
        maxima = []
        with one_torch_thread():
            # One product per pair: in a joint product, other pairs could change the last digits.
            for reference, hypothesis in block.tolist():
                similarity = held[hypothesis] @ held[reference].T
                special = torch.from_numpy(~content[reference]).to(similarity.device)
                position = similarity.masked_fill(special, -2).argmax(dim=1).short()
                maxima.append((similarity.amax(dim=0), similarity.amax(dim=1), position))
        columns = []
        for values in zip(*maxima, strict=True):
            ends = np.cumsum([len(value) for value in values])[:-1]
            columns.append(np.split(torch.cat(values).cpu().numpy(), ends))
        yield block, list(zip(*columns, strict=True))


def _lay_out(
    tokens: Tokens, sides: np.ndarray, pair_of: np.ndarray, maxima: list[Maxima]
) -> Matches:
    """Arrange the `Maxima` of distinct sentence pairs as `Matches` by system and segment."""
    content, ids, offsets = map(tokens.split, ("content", "ids", "offsets"))
    counts = np.array([mask.sum() for mask in content], dtype=np.int32)
    # Positions among a sentence's tokens that are not special; -1 for special tokens.
    ranks = [np.where(mask, np.cumsum(mask) - 1, -1) for mask in content]
    similarity = [
        [maxima[pair][0][content[i]] for pair, i in zip(row, sides[0], strict=True)]
        for row in pair_of
    ]
    pairs = [
        (maxima[pair], reference, hypothesis)
        for row, side in zip(pair_of, sides[1:], strict=True)
        for pair, reference, hypothesis in zip(row, sides[0], side, strict=True)
    ]
    reference_ids = np.concatenate([ids[i][content[i]] for i in sides[0]])
    hypothesis_ids = np.concatenate([ids[i][content[i]] for i in sides[1:].ravel()])
    # A type is a segment and a token.
    base, segments = int(tokens.ids.max(initial=0)) + 1, np.arange(sides.shape[1])
    owner = np.repeat(segments, counts[sides[0]])
    types, reference_type = np.unique(owner * base + reference_ids, return_inverse=True)
    owner = np.repeat(np.tile(segments, len(pair_of)), counts[sides[1:]].ravel())
    wanted = owner * base + hypothesis_ids
    place = np.searchsorted(types, wanted)
    equal = np.append(types, -1)[place] == wanted
    return Matches(
        reference_lengths=counts[sides[0]],
        reference_ids=reference_ids,
        reference_type=reference_type.astype(np.int32),
        reference_offsets=np.concatenate([offsets[i][content[i]] for i in sides[0]]),
        reference_similarity=np.array([np.concatenate(row) for row in similarity]),
        hypothesis_lengths=counts[sides[1:]],
        hypothesis_ids=hypothesis_ids,
        hypothesis_similarity=np.concatenate([best[1][content[h]] for best, _, h in pairs]),
        hypothesis_position=np.concatenate(
            [ranks[r][best[2]][content[h]] for best, r, h in pairs]
        ).astype(np.int16),
        hypothesis_type=np.where(equal, place, -1).astype(np.int32),
        truncated=tokens.truncated[sides].sum(axis=1),
    )


def match_hypotheses(
    encoder: Encoder, hypotheses: list[list[str]], progress: Callable = iter
) -> tuple[np.ndarray, np.ndarray]:
    """Match hypotheses of different systems. Returns similarity, (systems, systems, segments), the
    mean over tokens of the first system's hypothesis of the best cosine similarity with a token of
    the second's (1 on the diagonal and for a hypothesis without tokens), and the number of
    truncated segments per system. Parameters and errors as in `match_tokens`."""
    systems, segments = len(hypotheses), len(hypotheses[0])
    texts = np.array([[text.strip() for text in side] for side in hypotheses], dtype=object)
    sentences, places, sides = np.unique(texts, return_index=True, return_inverse=True)
    sides = sides.reshape(texts.shape)
    tokens = encoder.tokenize(sentences.tolist())
    first, second = np.triu_indices(systems, 1)
    # Sort pairs by segment, so that a segment's embeddings are in memory together.
    sentence_pairs = np.stack([sides[first].T, sides[second].T], axis=-1).reshape(-1, 2)
    pairs, place, pair_of = np.unique(
        np.sort(sentence_pairs, axis=1), axis=0, return_index=True, return_inverse=True
    )
    order = np.argsort(place)
    pairs, segment = pairs[order], place[order] // len(first)
    block_of = (np.cumsum(tokens.lengths[sides].sum(axis=0)) // encoder.block_tokens)[segment]
    content = tokens.split("content")
    means = []
    # `NotFinite` counts the reference as the first side.
    for block, maxima in _by_block(encoder, tokens, places + segments, pairs, block_of, progress):
        for sentences_of_pair, best in zip(block.tolist(), maxima, strict=True):
            parts = [best[side][content[i]] for side, i in enumerate(sentences_of_pair)]
            means.append([part.mean(dtype=float) if part.size else 1.0 for part in parts])
    of_pair = np.array(means)[np.argsort(order)[pair_of.ravel()]]
    swapped = sentence_pairs[:, 0] > sentence_pairs[:, 1]
    of_pair[swapped] = of_pair[swapped][:, ::-1]
    similarity = np.ones((systems, systems, segments))
    similarity[first, second], similarity[second, first] = np.moveaxis(
        of_pair.reshape(segments, len(first), 2), 0, -1
    ).swapaxes(0, 1)
    return similarity, tokens.truncated[sides].sum(axis=1)


# Token matches on disk, by content, a file per reference; a damaged file counts as absent.

FOLDER = Path("data/encoded")  # in the project's folder

# Maxima of a sentence pair, special tokens included: best similarity of each reference token and of
# each hypothesis token, and position of the hypothesis token's best non-special reference token.
Maxima = tuple[np.ndarray, np.ndarray, np.ndarray]


class MatchCache:
    """Disk cache of best token similarities by sentence pair, for one encoder and code version."""

    def __init__(self, made_with: Content, folder: Path = FOLDER) -> None:
        self.folder = folder / _digest(json.dumps(made_with, sort_keys=True))

    def matches(self, texts: np.ndarray, pairs: np.ndarray) -> list[Maxima | None]:
        """Return `Maxima` of `pairs`, (reference, hypothesis) indices in `texts`; None if new."""
        maxima: list[Maxima | None] = []
        for reference, hypotheses in _by_reference(texts, pairs):
            known = self._read(reference)
            maxima += [known.get(_digest(hypothesis)) for hypothesis in hypotheses]
        return maxima

    def add_matches(self, texts: np.ndarray, pairs: np.ndarray, maxima: Iterable[Maxima]) -> None:
        """Cache the `Maxima` of `pairs`, (reference, hypothesis) indices in `texts`."""
        ahead = iter(maxima)
        for reference, hypotheses in _by_reference(texts, pairs):
            known = self._read(reference)
            known |= {_digest(hypothesis): next(ahead) for hypothesis in hypotheses}
            columns = [np.concatenate(column) for column in zip(*known.values(), strict=True)]
            arrays = dict(zip(("reference", "hypothesis", "position"), columns, strict=True))
            arrays["lengths"] = np.array([len(of_pair[1]) for of_pair in known.values()])
            with suppress(OSError):  # a disk that takes nothing is no error
                storage.write_arrays(self._path(reference), names=list(known), **arrays)

    def _read(self, reference: str) -> dict[str, Maxima]:
        """Read a reference's cached `Maxima` by the hash of the hypothesis; empty if none."""
        try:
            arrays = storage.read_arrays(self._path(reference))
        except (OSError, InputError):
            return {}
        ends = np.cumsum(arrays["lengths"])[:-1]
        columns = [np.split(arrays["reference"], len(arrays["lengths"]))]
        columns += [np.split(arrays[name], ends) for name in ("hypothesis", "position")]
        return dict(zip(arrays["names"].tolist(), zip(*columns, strict=True), strict=True))

    def _path(self, reference: str) -> Path:
        name = _digest(reference)
        return self.folder / name[:2] / f"{name[2:]}.npz"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _by_reference(texts: np.ndarray, pairs: np.ndarray) -> Iterator[tuple[str, list[str]]]:
    for reference, group in groupby(pairs.tolist(), key=lambda pair: pair[0]):
        yield texts[reference], [texts[hypothesis] for _, hypothesis in group]
