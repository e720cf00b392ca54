"""Encoders: the tokens of sentences and their contextual embeddings, as BERTScore uses them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import InputError
from . import encoders
from .encoders import shorten

if TYPE_CHECKING:
    import torch

# Tokens a batch: few enough to leave little of a block's last batches empty, enough to keep the
# device busy.
CPU_TOKENS, GPU_TOKENS = 256, 2048
BATCHES = 128  # of a block of sentences, whose embeddings are held at a time
TOKENIZED_AT_ONCE = 1024
SHORTEST = 3  # a token between [CLS] and [SEP]
# Models whose positions begin after the padding's.
AFTER_PADDING = ("roberta", "xlm-roberta", "camembert", "longformer", "mpnet")


class Tokens(NamedTuple):
    """Tokens of sentences, one sentence after the other, with the special ones."""

    ids: np.ndarray
    content: np.ndarray  # whether a token takes part in averages
    offsets: np.ndarray  # (tokens, 2), start and end in the sentence's characters
    lengths: np.ndarray  # (sentences,)
    truncated: np.ndarray  # (sentences,)


class Encoder:
    """A transformer up to and with one layer, and its tokenizer.

    The layer's output is the embedding; those above are neither loaded nor computed. `dtype` is the
    transformer's; similarities are always computed in float32. Raises `InputError` where the folder
    holds no whole model, the layer does not exist, or there is no GPU.
    """

    def __init__(
        self, folder: str | Path, layer: int, device: str = "auto", dtype: str = "float32"
    ) -> None:
        import torch

        device = choose_device(device)
        self.folder = folder
        config, model, self.tokenizer = _load(folder, layer, getattr(torch, dtype))
        # Of a sequence-to-sequence model bert-score uses the encoder.
        self.model = (model.encoder if hasattr(model, "decoder") else model).eval().to(device)
        self.device = self.model.device
        self.batch_tokens = CPU_TOKENS if device == "cpu" else GPU_TOKENS
        self.block_tokens = BATCHES * self.batch_tokens
        with using(folder, "model and tokenizer"):
            self.max_length = max_length(self.tokenizer, config)
            self.embedded = len(self.model.get_input_embeddings().weight)
            self.encode([self.tokenize(["a"]).ids])

    def tokenize(self, sentences: list[str]) -> Tokens:
        """Tokens of sentences, stripped of white space at their ends, as bert-score does.

        Special tokens, whose `content` is False, are the tokenizer's [CLS] and [SEP]. What is
        longer than the encoder takes is truncated.
        """
        # The tokenizer's Python lists are many times the size of arrays.
        parts = [
            self._tokenize_some(sentences[start : start + TOKENIZED_AT_ONCE])
            for start in range(0, max(1, len(sentences)), TOKENIZED_AT_ONCE)
        ]
        return Tokens(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def _tokenize_some(self, sentences: list[str]) -> Tokens:
        sentences = [sentence.strip() for sentence in sentences]
        asked: dict[str, Any] = {"return_offsets_mapping": True, "verbose": False}
        asked |= {"return_attention_mask": False, "return_token_type_ids": False}
        encoded = self.tokenizer(sentences, **asked)
        ids, offsets = encoded["input_ids"], encoded["offset_mapping"]
        truncated = np.array([len(tokens) > self.max_length for tokens in ids], dtype=bool)
        for i in np.flatnonzero(truncated):
            asked |= {"truncation": True, "max_length": self.max_length}
            cut = self.tokenizer([sentences[i]], **asked)
            ids[i], offsets[i] = cut["input_ids"][0], cut["offset_mapping"][0]
        empty = np.array([not tokens for tokens in ids], dtype=bool)
        for i in np.flatnonzero(empty):  # by a tokenizer without [CLS] and [SEP]
            ids[i], offsets[i] = [0], [(0, 0)]
        flat = np.array(list(chain.from_iterable(ids)), dtype=np.int32)
        check_embedded(flat, self.embedded, self.folder)
        lengths = np.array([len(tokens) for tokens in ids], dtype=np.int32)
        special = [self.tokenizer.cls_token_id, self.tokenizer.sep_token_id]
        special = [token for token in special if token is not None]
        return Tokens(
            ids=flat,
            content=~np.isin(flat, special) & ~np.repeat(empty, lengths),
            offsets=np.array(list(chain.from_iterable(offsets)), dtype=np.int32).reshape(-1, 2),
            lengths=lengths,
            truncated=truncated,
        )

    def encode(self, ids: list[np.ndarray]) -> list[torch.Tensor]:
        """Embeddings of length 1 of every token; NaN as a whole where the length is not finite.

        A sentence's embeddings do not depend on the sentences beside it: a batch holds sentences
        of one length, without padding, and has always as many of them (see `pack`). Products of
        matrices of another shape differ in their last digits.

        Returns
        -------
        list of float32 tensor, (tokens, dimensions)
            On the encoder's device, in the order of `ids`.
        """
        import torch

        def embed(batch: np.ndarray) -> torch.Tensor:
            alike = np.stack([ids[i] for i in batch]).astype(np.int64)
            tokens = torch.from_numpy(alike).to(self.device)
            output = self.model(input_ids=tokens, attention_mask=torch.ones_like(tokens))[0].float()
            # As torch.nn.functional.normalize does, but where a length overflows that gives zeros.
            norms = output.norm(dim=-1, keepdim=True).clamp_min(1e-12)
            return output / norms.masked_fill(~norms.isfinite(), torch.nan)

        lengths = np.array([len(tokens) for tokens in ids])
        at_once = torch.get_num_threads() if self.device.type == "cpu" else 1
        return in_batches(embed, pack(lengths, self.batch_tokens), at_once)


def choose_device(device: str, role: str = "encoder") -> str:
    """The device, which is not `auto`; raises InputError where there is no GPU to be had.
    transformers prints nothing from now on but errors."""
    import torch
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cuda" and not torch.cuda.is_available():
        raise InputError(f"{role}, device cuda: PyTorch sees no GPU. Use `auto` or `cpu`.")
    return device


def in_batches(
    compute: Callable[[np.ndarray], torch.Tensor], batches: list[np.ndarray], at_once: int
) -> list[torch.Tensor]:
    """What is computed of each sentence, in the order of the sentences.

    `compute` gives for the indices of a batch, as from `pack`, a tensor whose first axis is its
    sentences; `at_once` batches are computed at a time, each on one thread.
    """
    import torch

    def one(batch: np.ndarray) -> torch.Tensor:
        with torch.inference_mode():  # of the thread that enters it
            return compute(batch)

    found: dict[int, torch.Tensor] = {}
    with one_torch_thread():
        # A new thread has PyTorch's default number of threads until it is set there.
        pool = ThreadPoolExecutor(at_once, initializer=torch.set_num_threads, initargs=(1,))
        with pool:
            for batch, computed in zip(batches, pool.map(one, batches), strict=True):
                # Copies: a view would keep the sentences that fill up its batch.
                rows = zip(batch.tolist(), computed, strict=True)
                found |= {i: row.clone() for i, row in rows}
    return [found[i] for i in range(len(found))]


@contextmanager
def one_torch_thread() -> Iterator[int]:
    """PyTorch uses one thread inside; yields how many it had.

    With several, some processors give a sentence other last digits at another place of its batch.
    """
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield threads
    finally:
        torch.set_num_threads(threads)


def pack(lengths: np.ndarray, tokens: int) -> list[np.ndarray]:
    """Indices of batches of sentences of one length, at most `tokens` tokens each, or one sentence.

    How many sentences a batch has depends on their length alone: the last batch of a length is
    filled up with its first sentence.
    """
    batches = []
    for length in np.unique(lengths):
        alike = np.flatnonzero(lengths == length)
        size = max(1, tokens // max(1, int(length)))
        fill = np.repeat(alike[:1], -len(alike) % size)
        batches += np.split(np.concatenate([alike, fill]), range(size, len(alike), size))
    return batches


def check_embedded(
    ids: np.ndarray, embedded: int, folder: str | Path, role: str = "encoder"
) -> None:
    """Raise `InputError` for a token that has no embedding."""
    if ids.max(initial=0) >= embedded:
        raise InputError(
            f"{role} {folder}: its tokenizer gives token {ids.max()}, but its weights have "
            f"embeddings of {embedded} tokens: they belong to different models."
        )


@contextmanager
def using(
    folder: str | Path, what: str, links: str | None = None, role: str = "encoder"
) -> Iterator[None]:
    """Turn whatever transformers raises into an `InputError` that names this part of a folder."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        reason = shorten(error).replace(links or str(folder), str(folder))
        raise InputError(
            f"{role} {folder}: {what} cannot be used ({reason}). The folder must hold "
            "config.json, a tokenizer and the weights as safetensors, all of one model."
        ) from error


def _load(folder: str | Path, layer: int, dtype: torch.dtype) -> tuple[Any, Any, Any]:
    """Configuration, model and tokenizer of a folder; the model ends with the layer."""
    from transformers import AutoConfig, AutoModel, AutoTokenizer, T5EncoderModel

    local: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    with encoders.only(encoders.whole(str(folder), folder)) as links:
        with using(folder, "config.json", links):
            config = AutoConfig.from_pretrained(links, **local)
            if not 0 <= layer <= config.num_hidden_layers:
                raise InputError(
                    f"encoder {folder}: there is no layer {layer}, only 0 to "
                    f"{config.num_hidden_layers} (config, encoders: layer)."
                )
            config.num_hidden_layers = layer
            if isinstance(getattr(config, "attention_window", None), list):
                config.attention_window = config.attention_window[:layer]
        with using(folder, "*.safetensors", links):
            kind: Any = T5EncoderModel if config.model_type in ("t5", "mt5") else AutoModel
            model = load_model(kind, config, folder, links, "pooler", dtype=dtype, **local)
        with using(folder, "tokenizer.json or another file of the tokenizer", links):
            # bert-score puts a space before the first word.
            spaced = {"add_prefix_space": True} if config.model_type in ("roberta", "gpt2") else {}
            tokenizer = AutoTokenizer.from_pretrained(links, **spaced, **local)
    return config, model, tokenizer


def load_model(
    kind: Any,
    config: Any,
    folder: str | Path,
    links: str,
    unused: str | None = None,
    role: str = "encoder",
    **options: Any,
) -> Any:
    """Load a model of a class of transformers from a folder of links to its checked files; weights
    with `unused` in their names may be lacking."""
    try:
        model, info = kind.from_pretrained(
            links, config=config, use_safetensors=True, output_loading_info=True, **options
        )
    except RuntimeError as error:
        if "ignore_mismatched_sizes" in str(error):  # is all that transformers says
            raise ValueError("their shapes are not those that config.json asks for") from error
        raise
    if model.main_input_name != "input_ids":
        raise InputError(
            f"{role} {folder}: config.json is of a model of {model.main_input_name}, not of text "
            f"(model_type {config.model_type}). Name a folder with a text encoder."
        )
    if absent := [key for key in info["missing_keys"] if not unused or unused not in key]:
        # transformers would draw them at random.
        raise InputError(
            f"{role} {folder}: *.safetensors lack {sorted(absent)[0]}, which config.json asks "
            "for. Put weights and config.json of one model there."
        )
    return model


def max_length(tokenizer: Any, config: Any) -> int:
    """The longest sentence in tokens; some tokenizers know no limit, then the model's counts."""
    positions = getattr(config, "max_position_embeddings", 0)
    if config.model_type in AFTER_PADDING:
        positions -= 2
    longest = int(tokenizer.model_max_length)
    if longest < SHORTEST:
        raise ValueError(f"model_max_length {longest} in tokenizer_config.json: expected 3 or more")
    return min(longest, positions) if positions > 0 else longest
