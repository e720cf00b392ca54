"""Matching of hypotheses with each other, for sets without a reference."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .embedder import Embedder
from .encoding import one_torch_thread
from .matching import match_block

if TYPE_CHECKING:
    from .encoding import Encoder


class Consensus(NamedTuple):
    """How hypotheses match each other.

    Attributes
    ----------
    similarity : ndarray, (systems, systems, segments)
        Mean over the tokens of the first system's hypothesis of the best cosine similarity with a
        token of the second one's; 1 for a hypothesis without tokens, and on the diagonal.
    truncated : ndarray of int, (systems,)
        Truncated segments.
    """

    similarity: np.ndarray
    truncated: np.ndarray


def match_hypotheses(
    encoder: Encoder, hypotheses: list[list[str]], progress: Callable = iter
) -> Consensus:
    """Match every hypothesis with those of the other systems.

    Each distinct sentence of a segment is encoded once, and each pair compared once for both
    directions; what is held at a time does not grow with the number of segments.

    Parameters
    ----------
    encoder : Encoder
    hypotheses : list of list of str
        Systems × segments.
    progress : callable
        Wraps the list of blocks (tqdm).

    Raises
    ------
    NotFinite
        An embedding is NaN.
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
            means.append([_mean(best[side][keep[side]]) for side in (0, 1)])
    of_pair = np.array(means)[np.argsort(order)[pair_of.ravel()]]
    swapped = own[:, 0] > own[:, 1]
    of_pair[swapped] = of_pair[swapped][:, ::-1]
    similarity = np.ones((systems, systems, segments))
    similarity[first, second], similarity[second, first] = np.moveaxis(
        of_pair.reshape(segments, len(first), 2), 0, -1
    ).swapaxes(0, 1)
    return Consensus(similarity, tokens.truncated[sides].sum(axis=1))


def _mean(best: np.ndarray) -> float:
    return float(best.mean(dtype=float)) if best.size else 1.0
