"""Greedy matching of tokens (Zhang et al. 2020; Zhan et al. 2021, Eq. 1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from .embedder import Embedder
from .encoding import one_torch_thread
from .matches import Matches

if TYPE_CHECKING:
    import torch

    from .encoding import Encoder, Tokens
    from .kept import Kept, Maxima


def match_tokens(
    encoder: Encoder,
    reference: list[str],
    hypotheses: list[list[str]],
    progress: Callable = iter,
    kept: Kept | None = None,
) -> Matches:
    """Match every hypothesis with its reference.

    Each distinct sentence is encoded once (again only if it recurs under references of many
    lengths, and there are too many of these to hold). What is held at a time does not grow with
    the number of segments or systems; only maxima are kept. A pair's maxima do not depend on the
    other pairs, so that those of an earlier run can be taken as they are.

    Parameters
    ----------
    encoder : Encoder
    reference : list of str
        Segments.
    hypotheses : list of list of str
        Systems × segments.
    progress : callable
        Wraps the list of blocks (tqdm).
    kept : Kept, optional
        What earlier runs of this encoder have computed, and what later ones will find.

    Returns
    -------
    Matches

    Raises
    ------
    NotFinite
        An embedding is NaN: a similarity with it would be none.
    """
    texts = [[segment.strip() for segment in side] for side in (reference, *hypotheses)]
    sentences, places, sides = np.unique(
        np.array(texts, dtype=object), return_index=True, return_inverse=True
    )
    sides = sides.reshape(1 + len(hypotheses), len(reference))
    tokens = encoder.tokenize(sentences.tolist())
    pairs = np.stack([np.broadcast_to(sides[0], sides[1:].shape), sides[1:]], axis=-1)
    pairs, pair_of = np.unique(pairs.reshape(-1, 2), axis=0, return_inverse=True)
    pair_of = pair_of.reshape(sides[1:].shape)
    # Pairs of one length and one reference are neighbours.
    order = np.lexsort((pairs[:, 0], tokens.lengths[pairs[:, 0]]))
    pairs = pairs[order]
    maxima = _match_pairs(encoder, sentences, tokens, places, pairs, progress, kept)
    flat = [np.concatenate(values) for values in zip(*maxima, strict=True)]
    return _lay_out(tokens, sides, np.argsort(order)[pair_of], pairs, *flat)


def _match_pairs(
    encoder: Encoder,
    texts: np.ndarray,
    tokens: Tokens,
    places: np.ndarray,
    pairs: np.ndarray,
    progress: Callable,
    kept: Kept | None,
) -> list[Maxima]:
    """Maxima of all pairs of reference and hypothesis; `places` are those of the sentences (see
    `NotFinite`)."""
    known = kept.matches(texts, pairs) if kept else [None] * len(pairs)
    unknown = pairs[[maxima is None for maxima in known]]
    starts = np.cumsum(tokens.lengths) - tokens.lengths
    embedder = Embedder(encoder, texts, tokens, places, unknown, kept)
    found: list[Maxima] = []
    for block in progress(_split(unknown, tokens.lengths, encoder.block_tokens)):
        held = embedder.hold(block)
        with one_torch_thread():
            maxima = match_block(block, held, tokens.content, starts)
        if kept:
            kept.add_matches(texts, block, maxima)
        found += maxima
    ahead = iter(found)
    return [next(ahead) if maxima is None else maxima for maxima in known]


def _split(pairs: np.ndarray, lengths: np.ndarray, tokens: int) -> list[np.ndarray]:
    """Blocks of pairs with about as many tokens; none without pairs."""
    if not len(pairs):
        return []
    first = np.ones(len(pairs), dtype=bool)
    first[1:] = pairs[1:, 0] != pairs[:-1, 0]
    block_of = np.cumsum(lengths[pairs[:, 1]] + first * lengths[pairs[:, 0]]) // tokens
    return np.split(pairs, np.flatnonzero(np.diff(block_of)) + 1)


def match_block(
    block: np.ndarray, held: dict[int, torch.Tensor], content: np.ndarray, token_starts: np.ndarray
) -> list[Maxima]:
    """Maxima of pairs whose embeddings are held.

    One product a pair: those of several differ in their last digits with the pairs beside them.
    """
    import torch

    found = []
    for reference, hypothesis in block.tolist():
        similarity = held[hypothesis] @ held[reference].T
        start = token_starts[reference]
        special = torch.from_numpy(~content[start : start + similarity.shape[1]])
        inside = similarity.masked_fill(special.to(similarity.device), -2)
        found.append((similarity.amax(dim=0), similarity.amax(dim=1), inside.argmax(dim=1).short()))
    columns = []
    for values in zip(*found, strict=True):
        ends = np.cumsum([len(value) for value in values])[:-1]
        columns.append(np.split(torch.cat(values).cpu().numpy(), ends))
    return list(zip(*columns, strict=True))


def _lay_out(
    tokens: Tokens,
    sides: np.ndarray,
    pair_of: np.ndarray,
    pairs: np.ndarray,
    reference_best: np.ndarray,
    hypothesis_best: np.ndarray,
    position: np.ndarray,
) -> Matches:
    """Maxima of distinct pairs, put in the order of `Matches`."""
    lengths, content, starts = tokens.lengths, tokens.content, _starts(tokens.lengths)
    counts = np.bincount(np.repeat(np.arange(len(lengths)), lengths), content, len(lengths))
    counts = counts.astype(np.int32)
    segments = np.arange(sides.shape[1])

    where = ragged(starts[sides[0]], lengths[sides[0]])
    keep = content[where]
    reference, pair_starts = where[keep], _starts(lengths[pairs[:, 0]])
    similarity = [
        reference_best[ragged(pair_starts[row], lengths[sides[0]])[keep]] for row in pair_of
    ]

    sizes = lengths[sides[1:]].ravel()
    where = ragged(starts[sides[1:]].ravel(), sizes)
    keep = content[where]
    hypothesis, pair_starts = where[keep], _starts(lengths[pairs[:, 1]])
    value = ragged(pair_starts[pair_of].ravel(), sizes)[keep]
    segment = np.repeat(np.tile(segments, len(pair_of)), sizes)[keep]
    # The best match as a place among the reference's tokens of content.
    best = starts[sides[0]][segment] + position[value]
    rank = np.cumsum(content)[best] - 1 - _starts(counts)[sides[0]][segment]

    base = int(tokens.ids.max(initial=0)) + 1
    owner = np.repeat(segments, counts[sides[0]])
    types, reference_type = np.unique(owner * base + tokens.ids[reference], return_inverse=True)
    wanted = segment * base + tokens.ids[hypothesis]
    place = np.searchsorted(types, wanted)
    equal = np.append(types, -1)[place] == wanted
    return Matches(
        reference_lengths=counts[sides[0]],
        reference_ids=tokens.ids[reference],
        reference_type=reference_type.astype(np.int32),
        reference_offsets=tokens.offsets[reference],
        reference_similarity=np.array(similarity),
        hypothesis_lengths=counts[sides[1:]],
        hypothesis_ids=tokens.ids[hypothesis],
        hypothesis_similarity=hypothesis_best[value],
        hypothesis_position=np.where(content[best], rank, -1).astype(np.int16),
        hypothesis_type=np.where(equal, place, -1).astype(np.int32),
        truncated=tokens.truncated[sides].sum(axis=1),
    )


def ragged(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Indices start, start + 1, …, one run of the given length after the other."""
    return np.repeat(starts - _starts(lengths), lengths) + np.arange(lengths.sum())


def _starts(lengths: np.ndarray) -> np.ndarray:
    return np.cumsum(lengths) - lengths
