"""Greedy matching of tokens (Zhang et al. 2020; Zhan et al. 2021, Eq. 1): of hypotheses with their
reference, or, for sets without one, with each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .encoding import one_torch_thread
from .matches import Matches

if TYPE_CHECKING:
    import torch

    from .encoding import Encoder, Tokens
    from .kept import Kept, Maxima


class NotFinite(Exception):
    """An embedding is not finite. Its arguments: the place of the text, which is side · segments +
    segment (side 0 is the reference), and the number of the token."""


class Embedder:
    """Embeddings of the sentences of one block of `pairs` after the other."""

    def __init__(
        self,
        encoder: Encoder,
        texts: np.ndarray,
        tokens: Tokens,
        places: np.ndarray,
        pairs: np.ndarray,
        kept: Kept | None,
    ) -> None:
        self.encoder, self.texts, self.places, self.kept = encoder, texts, places, kept
        self.ids = np.split(tokens.ids, np.cumsum(tokens.lengths)[:-1])
        self.uses = np.bincount(pairs.ravel(), minlength=len(texts))  # ahead
        self.references = frozenset(pairs[:, 0].tolist())
        self.held: dict[int, torch.Tensor] = {}

    def hold(self, block: np.ndarray) -> dict[int, torch.Tensor]:
        """Embeddings by sentence: the block's, and few that later blocks need. Raises `NotFinite`
        for the first token in the first place whose embedding is NaN."""
        import torch

        held = {i: self.held[i].clone() for i in self.held if self.uses[i]}
        if sum(len(embedding) for embedding in held.values()) > self.encoder.block_tokens:
            held = {}
        self.held = held
        wanted = [sentence for sentence in np.unique(block).tolist() if sentence not in held]
        for sentence in self.references.intersection(wanted):
            embedding = self.kept.embedding(self.texts[sentence]) if self.kept else None
            if embedding is not None:  # a copy, because PyTorch's own memory is aligned
                held[sentence] = torch.from_numpy(embedding).to(self.encoder.device, copy=True)
        self.uses -= np.bincount(block.ravel(), minlength=len(self.uses))
        sentences = [sentence for sentence in wanted if sentence not in held]
        if not sentences:
            return held
        ids = [self.ids[sentence] for sentence in sentences]
        embeddings = self.encoder.encode(ids)
        wrong = torch.cat([embedding[:, 0] for embedding in embeddings]).isnan().cpu().numpy()
        if wrong.any():
            place = np.repeat(self.places[sentences], [len(tokens) for tokens in ids])[wrong]
            token = np.concatenate(ids)[wrong][place.argmin()]
            raise NotFinite(int(place.min()), int(token))
        held.update(zip(sentences, embeddings, strict=True))
        if self.kept:
            for sentence in self.references.intersection(sentences):
                self.kept.add_embedding(self.texts[sentence], held[sentence].cpu().numpy())
        return held


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
    other pairs, so that those of an earlier run (`kept`) can be taken as they are. `hypotheses` are
    systems × segments; `progress` wraps the list of blocks (tqdm).

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
    known = kept.matches(sentences, pairs) if kept else [None] * len(pairs)
    unknown = pairs[[maxima is None for maxima in known]]
    embedder = Embedder(encoder, sentences, tokens, places, unknown, kept)
    ahead: list[Maxima] = []
    for block in progress(_blocks(unknown, tokens.lengths, encoder.block_tokens)):
        held = embedder.hold(block)
        with one_torch_thread():
            found = match_block(block, held, tokens.content, _starts(tokens.lengths))
        if kept:
            kept.add_matches(sentences, block, found)
        ahead += found
    new = iter(ahead)
    maxima = [next(new) if each is None else each for each in known]
    flat = [np.concatenate(values) for values in zip(*maxima, strict=True)]
    return _lay_out(tokens, sides, np.argsort(order)[pair_of], pairs, *flat)


def _blocks(pairs: np.ndarray, lengths: np.ndarray, tokens: int) -> list[np.ndarray]:
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


class Consensus(NamedTuple):
    """How hypotheses match each other.

    `similarity` (systems, systems, segments) is the mean over the tokens of the first system's
    hypothesis of the best cosine similarity with a token of the second one's; 1 for a hypothesis
    without tokens, and on the diagonal.
    """

    similarity: np.ndarray
    truncated: np.ndarray  # segments, (systems,)


def match_hypotheses(
    encoder: Encoder, hypotheses: list[list[str]], progress: Callable = iter
) -> Consensus:
    """Match every hypothesis with those of the other systems.

    Each distinct sentence of a segment is encoded once, and each pair compared once for both
    directions; what is held at a time does not grow with the number of segments. Parameters and
    errors as of `match_tokens`.
    """
    systems, segments = len(hypotheses), len(hypotheses[0])
    texts = np.array([[text.strip() for text in side] for side in hypotheses], dtype=object)
    sentences, places, sides = np.unique(texts, return_index=True, return_inverse=True)
    sides = sides.reshape(texts.shape)
    tokens = encoder.tokenize(sentences.tolist())
    first, second = np.triu_indices(systems, 1)
    # One segment after the other, so that its sentences are held together.
    own = np.stack([sides[first].T, sides[second].T], axis=-1).reshape(-1, 2)
    pairs, place, pair_of = np.unique(
        np.sort(own, axis=1), axis=0, return_index=True, return_inverse=True
    )
    order = np.argsort(place)
    pairs, segment = pairs[order], place[order] // len(first)
    block_of = np.cumsum(tokens.lengths[sides].sum(axis=0)) // encoder.block_tokens
    blocks = np.split(pairs, np.flatnonzero(np.diff(block_of[segment])) + 1)
    # `NotFinite` counts the reference as the first side.
    embedder = Embedder(encoder, sentences, tokens, places + segments, pairs, None)
    starts = np.cumsum(tokens.lengths) - tokens.lengths
    means = []
    for block in progress(blocks):
        held = embedder.hold(block)
        with one_torch_thread():
            found = match_block(block, held, tokens.content, starts)
        for sentence, best in zip(block.tolist(), found, strict=True):
            keep = [tokens.content[starts[i] :][: tokens.lengths[i]] for i in sentence]
            sides_best = [best[side][keep[side]] for side in (0, 1)]
            means.append([x.mean(dtype=float) if x.size else 1.0 for x in sides_best])
    of_pair = np.array(means)[np.argsort(order)[pair_of.ravel()]]
    swapped = own[:, 0] > own[:, 1]
    of_pair[swapped] = of_pair[swapped][:, ::-1]
    similarity = np.ones((systems, systems, segments))
    similarity[first, second], similarity[second, first] = np.moveaxis(
        of_pair.reshape(segments, len(first), 2), 0, -1
    ).swapaxes(0, 1)
    return Consensus(similarity, tokens.truncated[sides].sum(axis=1))
