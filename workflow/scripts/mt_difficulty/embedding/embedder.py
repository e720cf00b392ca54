"""Embeddings of the sentences that a block of pairs needs: computed, or kept by earlier runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import torch

    from .encoding import Encoder, Tokens
    from .kept import Kept


class NotFinite(Exception):
    """An embedding is not finite: that of `token` (its number) of the text at `place`, which is
    side · segments + segment; side 0 is the reference."""

    def __init__(self, place: int, token: int) -> None:
        super().__init__(place, token)
        self.place, self.token = place, token


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
        """Embeddings by sentence: the block's, and few that later blocks need."""
        held = {i: self.held[i].clone() for i in self.held if self.uses[i]}
        if sum(len(embedding) for embedding in held.values()) > self.encoder.block_tokens:
            held = {}
        self.held = held
        wanted = [sentence for sentence in np.unique(block).tolist() if sentence not in held]
        for sentence in self.references.intersection(wanted):
            self._recall(sentence)
        self._encode([sentence for sentence in wanted if sentence not in held])
        self.uses -= np.bincount(block.ravel(), minlength=len(self.uses))
        return held

    def _recall(self, sentence: int) -> None:
        import torch

        embedding = self.kept.embedding(self.texts[sentence]) if self.kept else None
        if embedding is not None:
            # A copy, because PyTorch's own memory is aligned.
            self.held[sentence] = torch.from_numpy(embedding).to(self.encoder.device, copy=True)

    def _encode(self, sentences: list[int]) -> None:
        ids = [self.ids[sentence] for sentence in sentences]
        embeddings = self.encoder.encode(ids)
        _check_finite(embeddings, ids, self.places[sentences])
        self.held.update(zip(sentences, embeddings, strict=True))
        if self.kept:
            for sentence in self.references.intersection(sentences):
                embedding = self.held[sentence].cpu().numpy()
                self.kept.add_embedding(self.texts[sentence], embedding)


def _check_finite(
    embeddings: list[torch.Tensor], ids: list[np.ndarray], places: np.ndarray
) -> None:
    """Raise `NotFinite` for the first token in the first place whose embedding is NaN."""
    import torch

    if not embeddings:
        return
    wrong = torch.cat([embedding[:, 0] for embedding in embeddings]).isnan().cpu().numpy()
    if wrong.any():
        place = np.repeat(places, [len(tokens) for tokens in ids])[wrong]
        token = np.concatenate(ids)[wrong][place.argmin()]
        raise NotFinite(int(place.min()), int(token))
