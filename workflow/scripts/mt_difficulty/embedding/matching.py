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
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .. import storage
from ..data.evalset import Arrays, EvaluationSet
from ..errors import InputError
from ..settings import EncoderSettings
from ..storage import Content
from . import Matches
from .encoding import Encoder, Tokens, one_torch_thread

if TYPE_CHECKING:
    import torch

TRUNCATED = "longer than the encoder takes, truncated"
UNKNOWN = 0.05  # share of unknown tokens above which an encoder does not know the language
FOLDER = Path("data/encoded")  # of the cache, in the project's folder


class Maxima(NamedTuple):
    """Best matches of the tokens of a sentence pair, special tokens included.

    Attributes
    ----------
    reference : ndarray
        (reference tokens,), best similarity of each token with a token of the hypothesis.
    hypothesis : ndarray
        (hypothesis tokens,), best similarity of each token with a token of the reference.
    position : ndarray
        (hypothesis tokens,), position of the most similar reference token that is not special.
    """

    reference: np.ndarray
    hypothesis: np.ndarray
    position: np.ndarray


def match_set(
    evalset: EvaluationSet,
    settings: EncoderSettings,
    folder: str | Path,
    progress: Callable = iter,
    cache_folder: Path | None = None,
    *,
    consensus: bool = False,
) -> tuple[Arrays, list[str]]:
    """Match the tokens of every hypothesis with those of the reference, or of the other systems'
    hypotheses.

    Parameters
    ----------
    evalset : EvaluationSet
    settings : EncoderSettings
    folder : path
        Folder with the encoder's files.
    progress : callable
        Wraps the list of blocks (tqdm).
    cache_folder : Path, optional
        Folder with earlier matches (`MatchCache`).
    consensus : bool
        Whether hypotheses are matched with each other instead of the reference.

    Returns
    -------
    arrays : dict of str to ndarray
        The fields of `Matches`; or, with `consensus`, the `similarity` of `match_hypotheses`. In
        both cases `systems` and `signature`.
    warnings : list of str

    Raises
    ------
    InputError
        If the encoder cannot be loaded, or an embedding is not finite.
    """
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
            arrays = asdict(matches)
            notices = describe(matches, evalset.systems, encoder.tokenizer.unk_token_id)
    except NotFinite as error:
        raise _explain(error, evalset, settings, encoder) from None
    arrays["systems"] = evalset.systems
    arrays["signature"] = _signature(encoder, settings)
    return arrays, notices


def _signature(encoder: Encoder, settings: EncoderSettings) -> str:
    """Return the settings and versions that decide matches, as text."""
    import torch
    import transformers

    files = hashlib.sha256(repr(sorted(settings.files.items())).encode()).hexdigest()
    torch_version = torch.__version__.split("+")[0]
    return (
        f"encoder:{settings.name}|layer:{settings.layer}|files:{files[:12]}"
        f"|dtype:{settings.dtype}|device:{encoder.device.type}"
        f"|version:transformers-{transformers.__version__},torch-{torch_version}"
    )


def made_with(encoder: Encoder, settings: EncoderSettings) -> Content:
    """Return all that embeddings depend on beside the texts: the encoder's files, layer and
    precision, the code, library versions, and the device, which affects last digits."""
    import tokenizers
    import torch
    import transformers

    machine = platform.machine()
    if encoder.device.type == "cuda":
        machine = torch.cuda.get_device_name(encoder.device)
    files = [Path(__file__).with_name(f"{name}.py") for name in ("encoding", "matching")]
    return {
        "files": dict(settings.files),
        "layer": settings.layer,
        "dtype": settings.dtype,
        "code": [hashlib.sha256(file.read_bytes()).hexdigest() for file in files],
        "versions": [library.__version__ for library in (tokenizers, torch, transformers)],
        "device": [machine, torch.backends.cpu.get_cpu_capability()],
    }


class NotFinite(Exception):
    """An embedding is not finite.

    Parameters
    ----------
    text : int
        Index of the text: side · segments + segment, with side 0 for the reference and then the
        systems.
    token : int
        Index of the token in the encoder's vocabulary.
    """

    def __init__(self, text: int, token: int) -> None:
        super().__init__(text, token)
        self.text = text
        self.token = token


def _explain(
    error: NotFinite, evalset: EvaluationSet, settings: EncoderSettings, encoder: Encoder
) -> InputError:
    """Return an `InputError` that names the token with a non-finite embedding, and a remedy."""
    side, segment = divmod(error.text, len(evalset.reference))
    side_name = f"system {evalset.systems[side - 1]}" if side else "the reference"
    token = encoder.tokenizer.decode([error.token]).strip()
    dtype = settings.dtype
    advice = "Its weights are spoilt: replace them."
    if dtype != "float32":
        advice = f"Numbers beyond {dtype}'s range do this (set dtype: float32), or spoilt weights."
    return InputError(
        f"encoder {settings.name} ({encoder.folder}), layer {settings.layer}, {dtype}: the "
        f"embedding of token {token!r} in segment {segment + 1} of {side_name} is not finite, so "
        f"that it has no similarity to any other. {advice}"
    )


def describe(matches: Matches, systems: list[str], unknown: int | None) -> list[str]:
    """Return warnings on truncated or empty segments and unknown tokens of the reference.

    Parameters
    ----------
    matches : Matches
    systems : list of str
    unknown : int or None
        Index of the unknown token in the encoder's vocabulary; None if it has none.

    Returns
    -------
    list of str
    """
    texts = ["reference", *systems]
    notices = _counted(TRUNCATED, texts, matches.truncated)
    empty = [(matches.reference_lengths == 0).sum()]
    empty += [(lengths == 0).sum() for lengths in matches.hypothesis_lengths]
    notices += _counted("empty, scored 0", texts, empty)
    share = np.mean(matches.reference_ids == unknown)
    if share > UNKNOWN:
        notices.append(
            f"the encoder does not know {share:.0%} of the reference's tokens: choose one for this "
            "language"
        )
    return notices


def _counted(problem: str, texts: list[str], counts: Iterable[int]) -> list[str]:
    """Return [warning] with the number of segments by reference or system, or [] if all are 0."""
    named = [f"{text} {count}" for text, count in zip(texts, counts, strict=True) if count]
    if not named:
        return []
    return [f"segments {problem}: {', '.join(named)}"]


# Matches with the reference


def match_tokens(
    encoder: Encoder,
    reference: list[str],
    hypotheses: list[list[str]],
    progress: Callable = iter,
    cache: MatchCache | None = None,
) -> Matches:
    """Match every hypothesis with its reference.

    Parameters
    ----------
    encoder : Encoder
    reference : list of str
        Segments.
    hypotheses : list of list of str
        Systems × segments.
    progress : callable
        Wraps the list of blocks (tqdm).
    cache : MatchCache, optional
        Pairs that are in it are not matched again, since the maxima of a pair do not depend on
        other pairs.

    Returns
    -------
    Matches

    Raises
    ------
    NotFinite
        If an embedding is NaN.

    Notes
    -----
    Each distinct sentence is encoded once, or again if it recurs under references of too many
    lengths to stay in memory. Memory for embeddings does not grow with the set.
    """
    texts = [[segment.strip() for segment in side] for side in (reference, *hypotheses)]
    sentences, first_texts, sentence_of = np.unique(
        np.array(texts, dtype=object), return_index=True, return_inverse=True
    )
    sentence_of = sentence_of.reshape(1 + len(hypotheses), len(reference))
    tokens = encoder.tokenize(sentences.tolist())
    pairs, pair_of = _distinct_pairs(sentence_of, tokens.lengths)

    maxima: list[Maxima | None] = [None] * len(pairs)
    if cache:
        maxima = cache.matches(sentences, pairs)
    new = [index for index, known in enumerate(maxima) if known is None]
    blocks = _reference_blocks(pairs[new], tokens.lengths, encoder.block_tokens)
    computed: list[Maxima] = []
    for block, block_maxima in _match_blocks(encoder, tokens, first_texts, blocks, progress):
        if cache:
            cache.add_matches(sentences, block, block_maxima)
        computed += block_maxima
    for index, pair_maxima in zip(new, computed, strict=True):
        maxima[index] = pair_maxima
    return _lay_out(tokens, sentence_of, pair_of, [known for known in maxima if known is not None])


def _distinct_pairs(sentence_of: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct pairs of reference and hypothesis sentences, (pairs, 2), sorted by the
    reference's length and then by reference; and the index of each hypothesis's pair, (systems,
    segments)."""
    references = np.broadcast_to(sentence_of[0], sentence_of[1:].shape)
    all_pairs = np.stack([references, sentence_of[1:]], axis=-1)
    pairs, pair_of = np.unique(all_pairs.reshape(-1, 2), axis=0, return_inverse=True)
    order = np.lexsort((pairs[:, 0], lengths[pairs[:, 0]]))
    rank = np.argsort(order)
    return pairs[order], rank[pair_of.reshape(references.shape)]


def _reference_blocks(
    pairs: np.ndarray, lengths: np.ndarray, block_tokens: int
) -> list[np.ndarray]:
    """Split pairs, (pairs, 2), into blocks of about `block_tokens` tokens. A reference counts once
    in consecutive pairs."""
    sizes = lengths[pairs]
    is_new_reference = np.diff(pairs[:, 0], prepend=-1) != 0
    sizes[:, 0] *= is_new_reference
    return _split_blocks(pairs, np.cumsum(sizes.sum(axis=1)) // block_tokens)


def _split_blocks(pairs: np.ndarray, block_of: np.ndarray) -> list[np.ndarray]:
    """Split pairs, (pairs, 2), where the number of their block changes."""
    if not len(pairs):
        return []
    return np.split(pairs, np.flatnonzero(np.diff(block_of)) + 1)


def _match_blocks(
    encoder: Encoder,
    tokens: Tokens,
    first_texts: np.ndarray,
    blocks: list[np.ndarray],
    progress: Callable,
) -> Iterator[tuple[np.ndarray, list[Maxima]]]:
    """Yield the sentence pairs of each block and their `Maxima`. The embeddings of a block are in
    memory, with some that later blocks need. `first_texts` has the first text of each sentence.
    Raises `NotFinite` for the first token whose embedding is NaN."""
    content = tokens.split("content")
    uses_left = np.zeros(len(content), dtype=np.int64)
    for block in blocks:
        uses_left += np.bincount(block.ravel(), minlength=len(content))
    embeddings: dict[int, torch.Tensor] = {}
    for block in progress(blocks):
        embeddings = {i: array.clone() for i, array in embeddings.items() if uses_left[i]}
        if sum(map(len, embeddings.values())) > encoder.block_tokens:
            embeddings = {}
        uses_left -= np.bincount(block.ravel(), minlength=len(content))
        absent = [sentence for sentence in np.unique(block).tolist() if sentence not in embeddings]
        if absent:
            embeddings.update(_encode(encoder, tokens, absent, first_texts))
        yield block, _pair_maxima(block, embeddings, content)


def _encode(
    encoder: Encoder, tokens: Tokens, sentences: list[int], first_texts: np.ndarray
) -> dict[int, torch.Tensor]:
    """Return the embeddings of sentences by index. Raises `NotFinite` for the first token whose
    embedding is NaN."""
    import torch

    all_ids = tokens.split("ids")
    ids = [all_ids[sentence] for sentence in sentences]
    embeddings = encoder.encode(ids)
    first_dimension = torch.cat([embedding[:, 0] for embedding in embeddings])
    is_nan = first_dimension.isnan().cpu().numpy()
    if is_nan.any():
        text = np.repeat(first_texts[sentences], tokens.lengths[sentences])[is_nan]
        token = np.concatenate(ids)[is_nan][text.argmin()]
        raise NotFinite(int(text.min()), int(token))
    return dict(zip(sentences, embeddings, strict=True))


def _pair_maxima(
    pairs: np.ndarray, embeddings: dict[int, torch.Tensor], content: list[np.ndarray]
) -> list[Maxima]:
    """Return the `Maxima` of sentence pairs, (pairs, 2). `content` tells for each sentence which
    tokens are not special."""
    import torch

    tensors: dict[str, list[torch.Tensor]] = {name: [] for name in Maxima._fields}
    with one_torch_thread():
        # One product per pair: in a joint product, other pairs could change the last digits.
        for reference, hypothesis in pairs.tolist():
            similarity = embeddings[hypothesis] @ embeddings[reference].T
            is_special = torch.from_numpy(~content[reference]).to(similarity.device)
            position = similarity.masked_fill(is_special, -2).argmax(dim=1).short()
            tensors["reference"].append(similarity.amax(dim=0))
            tensors["hypothesis"].append(similarity.amax(dim=1))
            tensors["position"].append(position)
    # One copy from the device for all pairs, which is faster than one for each.
    arrays = {name: _copy_to_arrays(values) for name, values in tensors.items()}
    return [
        Maxima(*values)
        for values in zip(
            arrays["reference"], arrays["hypothesis"], arrays["position"], strict=True
        )
    ]


def _copy_to_arrays(tensors: list[torch.Tensor]) -> list[np.ndarray]:
    """Return tensors as NumPy arrays in the computer's memory."""
    import torch

    ends = np.cumsum([len(tensor) for tensor in tensors])[:-1]
    return np.split(torch.cat(tensors).cpu().numpy(), ends)


def _lay_out(
    tokens: Tokens, sentence_of: np.ndarray, pair_of: np.ndarray, maxima: list[Maxima]
) -> Matches:
    """Arrange the `Maxima` of distinct sentence pairs as `Matches` by system and segment."""
    content = tokens.split("content")
    counts = np.array([mask.sum() for mask in content], dtype=np.int32)
    ids = [array[mask] for array, mask in zip(tokens.split("ids"), content, strict=True)]
    offsets = [array[mask] for array, mask in zip(tokens.split("offsets"), content, strict=True)]
    # Positions among a sentence's tokens that are not special; -1 for special tokens.
    positions = [np.where(mask, np.cumsum(mask) - 1, -1) for mask in content]

    references = sentence_of[0]
    reference_similarity = []
    hypothesis_similarity = []
    hypothesis_position = []
    for system_pairs, system_sentences in zip(pair_of, sentence_of[1:], strict=True):
        similarity = []
        for pair, reference, hypothesis in zip(
            system_pairs, references, system_sentences, strict=True
        ):
            best = maxima[pair]
            similarity.append(best.reference[content[reference]])
            hypothesis_similarity.append(best.hypothesis[content[hypothesis]])
            position = positions[reference][best.position]
            hypothesis_position.append(position[content[hypothesis]])
        reference_similarity.append(np.concatenate(similarity))

    reference_ids = np.concatenate([ids[sentence] for sentence in references])
    hypothesis_ids = np.concatenate([ids[sentence] for sentence in sentence_of[1:].ravel()])
    # A type is a segment and a token.
    segments = np.arange(sentence_of.shape[1])
    base = int(tokens.ids.max(initial=0)) + 1
    reference_segment = np.repeat(segments, counts[references])
    hypothesis_segment = np.repeat(np.tile(segments, len(pair_of)), counts[sentence_of[1:]].ravel())
    types, reference_type = np.unique(reference_segment * base + reference_ids, return_inverse=True)
    sought = hypothesis_segment * base + hypothesis_ids
    candidate = np.searchsorted(types, sought)
    is_type = np.append(types, -1)[candidate] == sought
    return Matches(
        reference_lengths=counts[references],
        reference_ids=reference_ids,
        reference_type=reference_type.astype(np.int32),
        reference_offsets=np.concatenate([offsets[sentence] for sentence in references]),
        reference_similarity=np.array(reference_similarity),
        hypothesis_lengths=counts[sentence_of[1:]],
        hypothesis_ids=hypothesis_ids,
        hypothesis_similarity=np.concatenate(hypothesis_similarity),
        hypothesis_position=np.concatenate(hypothesis_position).astype(np.int16),
        hypothesis_type=np.where(is_type, candidate, -1).astype(np.int32),
        truncated=tokens.truncated[sentence_of].sum(axis=1),
    )


# Matches of hypotheses with each other


def match_hypotheses(
    encoder: Encoder, hypotheses: list[list[str]], progress: Callable = iter
) -> tuple[np.ndarray, np.ndarray]:
    """Match hypotheses of different systems.

    Parameters
    ----------
    encoder : Encoder
    hypotheses : list of list of str
        Systems × segments.
    progress : callable
        Wraps the list of blocks (tqdm).

    Returns
    -------
    similarity : ndarray
        (systems, systems, segments), mean over the tokens of the first system's hypothesis of the
        best cosine similarity with a token of the second's; 1 on the diagonal, and for a hypothesis
        without tokens.
    truncated : ndarray
        (systems,), number of truncated segments.

    Raises
    ------
    NotFinite
        If an embedding is NaN.
    """
    systems = len(hypotheses)
    segments = len(hypotheses[0])
    texts = np.array([[text.strip() for text in side] for side in hypotheses], dtype=object)
    sentences, first_texts, sentence_of = np.unique(texts, return_index=True, return_inverse=True)
    sentence_of = sentence_of.reshape(texts.shape)
    tokens = encoder.tokenize(sentences.tolist())
    first, second = np.triu_indices(systems, 1)
    # Sort pairs by segment, so that a segment's embeddings are in memory together.
    all_pairs = np.stack([sentence_of[first].T, sentence_of[second].T], axis=-1).reshape(-1, 2)
    pairs, first_index, pair_of = np.unique(
        np.sort(all_pairs, axis=1), axis=0, return_index=True, return_inverse=True
    )
    order = np.argsort(first_index)
    segment = first_index[order] // len(first)
    tokens_up_to_segment = np.cumsum(tokens.lengths[sentence_of].sum(axis=0))
    block_of = (tokens_up_to_segment // encoder.block_tokens)[segment]
    blocks = _split_blocks(pairs[order], block_of)

    content = tokens.split("content")
    means = []
    # `NotFinite` counts the reference as the first side.
    texts_of_sides = first_texts + segments
    for block, maxima in _match_blocks(encoder, tokens, texts_of_sides, blocks, progress):
        for pair, best in zip(block.tolist(), maxima, strict=True):
            first_mean = _mean_similarity(best.reference[content[pair[0]]])
            second_mean = _mean_similarity(best.hypothesis[content[pair[1]]])
            means.append([first_mean, second_mean])

    rank = np.argsort(order)
    pair_means = np.array(means)[rank[pair_of.ravel()]]
    swapped = all_pairs[:, 0] > all_pairs[:, 1]
    pair_means[swapped] = pair_means[swapped][:, ::-1]
    pair_means = pair_means.reshape(segments, len(first), 2)
    similarity = np.ones((systems, systems, segments))
    similarity[first, second] = pair_means[:, :, 0].T
    similarity[second, first] = pair_means[:, :, 1].T
    return similarity, tokens.truncated[sentence_of].sum(axis=1)


def _mean_similarity(similarities: np.ndarray) -> float:
    """Return the mean of tokens' similarities; 1 without tokens."""
    return similarities.mean(dtype=float) if similarities.size else 1.0


# Matches on disk


class MatchCache:
    """Disk cache of best token similarities by sentence pair, for one encoder and code version. It
    has a file per reference; a damaged file counts as absent.

    Parameters
    ----------
    made_with : dict
        All that embeddings depend on beside the texts (`made_with`).
    folder : Path
    """

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
        """Cache the best matches of sentence pairs.

        Parameters
        ----------
        texts : ndarray
            (sentences,) of str.
        pairs : ndarray
            (pairs, 2), indices of reference and hypothesis in `texts`, sorted by reference.
        maxima : iterable of Maxima
            Of each pair.
        """
        new_maxima = iter(maxima)
        for reference, hypotheses in _by_reference(texts, pairs):
            known = self._read(reference)
            for hypothesis in hypotheses:
                known[_digest(hypothesis)] = next(new_maxima)
            entries = list(known.values())
            with suppress(OSError):  # matches are computed even if the disk is full
                storage.write_arrays(
                    self._path(reference),
                    names=list(known),
                    reference=np.concatenate([entry.reference for entry in entries]),
                    hypothesis=np.concatenate([entry.hypothesis for entry in entries]),
                    position=np.concatenate([entry.position for entry in entries]),
                    lengths=np.array([len(entry.hypothesis) for entry in entries]),
                )

    def _read(self, reference: str) -> dict[str, Maxima]:
        """Read a reference's cached `Maxima` by the hash of the hypothesis; empty if none."""
        try:
            arrays = storage.read_arrays(self._path(reference))
        except (OSError, InputError):
            return {}
        lengths = arrays["lengths"]
        ends = np.cumsum(lengths)[:-1]
        columns = [
            np.split(arrays["reference"], len(lengths)),
            np.split(arrays["hypothesis"], ends),
            np.split(arrays["position"], ends),
        ]
        maxima = [Maxima(*values) for values in zip(*columns, strict=True)]
        return dict(zip(arrays["names"].tolist(), maxima, strict=True))

    def _path(self, reference: str) -> Path:
        """Return the file with the matches of a reference."""
        name = _digest(reference)
        return self.folder / name[:2] / f"{name[2:]}.npz"


def _digest(text: str) -> str:
    """Return a short hash of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _by_reference(texts: np.ndarray, pairs: np.ndarray) -> Iterator[tuple[str, list[str]]]:
    """Yield each reference of consecutive pairs, and its hypotheses."""
    for reference, group in groupby(pairs.tolist(), key=lambda pair: pair[0]):
        yield texts[reference], [texts[hypothesis] for _, hypothesis in group]
