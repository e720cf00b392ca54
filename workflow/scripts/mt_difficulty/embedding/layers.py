"""Choose an encoder's layer: BERTScore by every layer, in one pass over a sample of texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..errors import InputError
from . import encoders, f_score
from .baselines import random_pairs
from .encoding import Encoder, in_batches, pack

if TYPE_CHECKING:
    import torch

# Segments whose hypotheses are encoded together; embeddings of all references stay in memory.
SEGMENTS = 32


class AllLayers(Encoder):
    """An encoder whose embeddings are those of all layers.

    Parameters
    ----------
    folder : path
    device : {"auto", "cpu", "cuda"}

    Raises
    ------
    InputError
        If the model is incomplete, or its config does not say how many layers it has.
    """

    def __init__(self, folder: str | Path, device: str = "auto") -> None:
        encoders.checked_files(str(folder), folder)
        depth = encoders.depth(folder)
        if depth is None:
            raise InputError(f"encoder {folder}: {encoders.CONFIG} does not say how many layers.")
        super().__init__(folder, depth, device)

    def encode(self, ids: list[np.ndarray]) -> list[torch.Tensor]:
        """Return for each sentence the embeddings of its tokens by every layer, (layers + 1,
        tokens, dimensions), float32, with Euclidean norm 1; the first is that of the vocabulary."""
        import torch

        def embed(batch: np.ndarray) -> torch.Tensor:
            """Return embeddings of sentences of one length, (sentences, layers + 1, tokens, d)."""
            batch_ids = np.stack([ids[i] for i in batch]).astype(np.int64)
            tokens = torch.from_numpy(batch_ids).to(self.device)
            output = self.model(
                input_ids=tokens,
                attention_mask=torch.ones_like(tokens),
                output_hidden_states=True,
            )
            layers = torch.stack(output.hidden_states, dim=1).float()
            return torch.nn.functional.normalize(layers, dim=-1)

        lengths = np.array([len(tokens) for tokens in ids])
        at_once = torch.get_num_threads() if self.device.type == "cpu" else 1
        return in_batches(embed, pack(lengths, self.batch_tokens), at_once)


class LayerScores(NamedTuple):
    """BERTScore by every layer of an encoder.

    Attributes
    ----------
    scores : ndarray
        (layers + 1, systems, segments, 3), precision, recall and F of every hypothesis.
    baselines : ndarray
        (layers + 1, 3), means of random pairs of the references; NaN with fewer than two.
    """

    scores: np.ndarray
    baselines: np.ndarray


def layer_scores(
    encoder: AllLayers,
    reference: Sequence[str],
    hypotheses: Sequence[Sequence[str]],
    progress: Callable = iter,
) -> LayerScores:
    """Compute BERTScore (without idf) and its baseline by every layer.

    Parameters
    ----------
    encoder : AllLayers
    reference : sequence of str
        Segments.
    hypotheses : sequence of sequence of str
        Systems × segments.
    progress : callable
        Wraps the list of blocks of segments (tqdm).

    Returns
    -------
    LayerScores
    """
    reference = [text.strip() for text in reference]
    embedded: dict[str, Embedded] = {}
    scores: list[list[np.ndarray]] = []
    for start in progress(range(0, len(reference), SEGMENTS)):
        block = range(start, min(start + SEGMENTS, len(reference)))
        of_systems = [[system[i].strip() for i in block] for system in hypotheses]
        of_block = embed(encoder, [reference[i] for i in block], *of_systems)
        for column, segment in enumerate(block):
            of_reference = of_block[reference[segment]]
            embedded[reference[segment]] = of_reference
            scores.append(
                [pair_scores(of_block[texts[column]], of_reference) for texts in of_systems]
            )
    baselines = np.full((len(scores[0][0]), 3), np.nan)
    sentences = sorted(filter(None, embedded))
    if len(sentences) > 1:
        pairs = zip(*random_pairs(sentences), strict=True)
        of_pairs = [pair_scores(embedded[first], embedded[second]) for first, second in pairs]
        baselines = np.mean(of_pairs, axis=0)
    return LayerScores(np.transpose(scores, (2, 1, 0, 3)), baselines)


class Embedded(NamedTuple):
    """A sentence's embeddings by every layer, (layers + 1, tokens, dimensions), and which tokens
    are not special, (tokens,)."""

    embeddings: torch.Tensor
    content: torch.Tensor


def embed(encoder: AllLayers, *texts: Sequence[str]) -> dict[str, Embedded]:
    """Return the embeddings of distinct sentences, by sentence."""
    import torch

    sentences = sorted({sentence for sentences in texts for sentence in sentences})
    tokens = encoder.tokenize(sentences)
    embeddings = encoder.encode(tokens.split("ids"))
    content = [torch.from_numpy(mask).to(encoder.device) for mask in tokens.split("content")]
    return {
        sentence: Embedded(*values)
        for sentence, *values in zip(sentences, embeddings, content, strict=True)
    }


def pair_scores(hypothesis: Embedded, reference: Embedded) -> np.ndarray:
    """Return precision, recall and F of a hypothesis by every layer, (layers + 1, 3); 0 if one of
    the sentences has no tokens."""
    layers = len(reference.embeddings)
    if not hypothesis.content.any() or not reference.content.any():
        return np.zeros((layers, 3))
    similarity = hypothesis.embeddings @ reference.embeddings.transpose(1, 2)
    precision = similarity.amax(dim=2)[:, hypothesis.content].double().mean(dim=1).cpu().numpy()
    recall = similarity.amax(dim=1)[:, reference.content].double().mean(dim=1).cpu().numpy()
    return np.column_stack([precision, recall, f_score(precision, recall)])
