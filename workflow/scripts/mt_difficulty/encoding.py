"""Encoders: the tokens of sentences and their contextual embeddings, as BERTScore uses them."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .encoders import NEEDED
from .errors import InputError

if TYPE_CHECKING:
    import torch

# Tokens a batch on a CPU: its activations stay in the caches.
CPU_TOKENS = 1024
TOKENIZED_AT_ONCE = 1024


class Tokens(NamedTuple):
    """Tokens of sentences, one sentence after the other, with the special ones.

    `ids`, `content` (whether a token takes part in averages), `offsets` (tokens, 2; start and end
    in the sentence's characters), `lengths` (sentences,), `truncated` (sentences,).
    """

    ids: np.ndarray
    content: np.ndarray
    offsets: np.ndarray
    lengths: np.ndarray
    truncated: np.ndarray


class Encoder:
    """A transformer up to and with one layer, and its tokenizer.

    Parameters
    ----------
    folder : path
        Holds configuration, tokenizer and `*.safetensors`.
    layer : int
        Its output is the embedding; the layers above are neither loaded nor computed.
    device : {"auto", "cpu", "cuda"}
    dtype : {"float32", "bfloat16", "float16"}
        Of the transformer; similarities are always computed in float32.

    Raises
    ------
    InputError
        The folder holds no whole model, the layer does not exist, or there is no GPU.
    """

    def __init__(
        self, folder: str | Path, layer: int, device: str = "auto", dtype: str = "float32"
    ) -> None:
        import torch
        from transformers.utils import logging

        logging.set_verbosity_error()
        logging.disable_progress_bar()
        if device == "auto":
            device = "cuda" if torch.cuda.is_available() else "cpu"
        elif device == "cuda" and not torch.cuda.is_available():
            raise InputError("encoder, device cuda: PyTorch sees no GPU. Use `auto` or `cpu`.")
        try:
            config, model, self.tokenizer = _load(folder, layer, getattr(torch, dtype))
        except InputError:
            raise
        except Exception as error:  # whatever transformers makes of a spoilt folder
            reason = next(iter(str(error).splitlines()), type(error).__name__)
            raise InputError(
                f"encoder {folder}: cannot be loaded ({reason}). The folder must hold config.json, "
                "a tokenizer and the weights as safetensors."
            ) from error
        # Of a sequence-to-sequence model bert-score uses the encoder.
        self.model = (model.encoder if hasattr(model, "decoder") else model).eval().to(device)
        self.device = self.model.device
        self.max_length = _max_length(self.tokenizer, config)
        self.batch_tokens = CPU_TOKENS if device == "cpu" else _gpu_tokens(config, dtype)

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
        encoded = self._encode_text(sentences)
        ids, offsets = encoded["input_ids"], encoded["offset_mapping"]
        truncated = np.array([len(tokens) > self.max_length for tokens in ids], dtype=bool)
        for i in np.flatnonzero(truncated):
            cut = self._encode_text([sentences[i]], truncation=True, max_length=self.max_length)
            ids[i], offsets[i] = cut["input_ids"][0], cut["offset_mapping"][0]
        flat = np.array(list(chain.from_iterable(ids)), dtype=np.int32)
        special = [self.tokenizer.cls_token_id, self.tokenizer.sep_token_id]
        return Tokens(
            ids=flat,
            content=~np.isin(flat, [token for token in special if token is not None]),
            offsets=np.array(list(chain.from_iterable(offsets)), dtype=np.int32).reshape(-1, 2),
            lengths=np.array([len(tokens) for tokens in ids], dtype=np.int32),
            truncated=truncated,
        )

    def _encode_text(self, sentences: list[str], **options: Any) -> Any:
        return self.tokenizer(
            sentences,
            return_offsets_mapping=True,
            return_attention_mask=False,
            return_token_type_ids=False,
            verbose=False,
            **options,
        )

    def encode(self, ids: list[np.ndarray]) -> list[torch.Tensor]:
        """Embeddings of length 1 of every token.

        Parameters
        ----------
        ids : list of ndarray, (tokens,)

        Returns
        -------
        list of float32 tensor, (tokens, dimensions)
            On the encoder's device, in the order of `ids`.
        """
        import torch

        lengths = np.array([len(tokens) for tokens in ids])
        ends = np.cumsum(lengths)
        found = None
        with torch.inference_mode():
            for batch in pack(lengths, self.batch_tokens):
                embeddings = self._forward([ids[i] for i in batch], lengths[batch])
                if found is None:
                    found = embeddings.new_empty((ends[-1], embeddings.shape[-1]))
                for row, i in enumerate(batch):
                    found[ends[i] - lengths[i] : ends[i]] = embeddings[row, : lengths[i]]
        return [] if found is None else list(found.split(lengths.tolist()))

    def _forward(self, sentences: list[np.ndarray], lengths: np.ndarray) -> torch.Tensor:
        import torch

        padded = np.full((len(sentences), lengths.max()), self.tokenizer.pad_token_id or 0)
        for row, tokens in enumerate(sentences):
            padded[row, : len(tokens)] = tokens
        mask = np.arange(lengths.max()) < lengths[:, None]
        output = self.model(
            input_ids=torch.from_numpy(padded).to(self.device),
            attention_mask=torch.from_numpy(mask.astype(np.int64)).to(self.device),
        )[0].float()
        return torch.nn.functional.normalize(output, dim=-1)


def pack(lengths: np.ndarray, tokens: int) -> list[np.ndarray]:
    """Batches of sentences of similar length: at most `tokens` tokens each, padding included.

    Parameters
    ----------
    lengths : ndarray, (sentences,)

    Returns
    -------
    list of ndarray
        Indices; a sentence longer than `tokens` is a batch of its own.
    """
    order = np.argsort(lengths, kind="stable")[::-1]
    batches, start = [], 0
    while start < len(order):
        size = max(1, int(tokens // max(1, lengths[order[start]])))
        batches.append(order[start : start + size])
        start += size
    return batches


def _load(folder: str | Path, layer: int, dtype: torch.dtype) -> tuple[Any, Any, Any]:
    """Configuration, model and tokenizer of a folder; the model ends with the layer."""
    from transformers import AutoConfig, AutoModel, AutoTokenizer, T5EncoderModel

    local = {"local_files_only": True, "trust_remote_code": False}
    config = AutoConfig.from_pretrained(folder, **local)
    if not 0 <= layer <= config.num_hidden_layers:
        raise InputError(
            f"encoder {folder}: there is no layer {layer}, only 0 to {config.num_hidden_layers} "
            "(config, encoders: layer)."
        )
    if not any(file for files in map(Path(folder).glob, NEEDED["tokenizer"]) for file in files):
        # transformers would make up a tokenizer that knows no word.
        raise InputError(
            f"encoder {folder}: no tokenizer there ({', '.join(NEEDED['tokenizer'])})."
        )
    config.num_hidden_layers = layer
    if isinstance(getattr(config, "attention_window", None), list):
        config.attention_window = config.attention_window[:layer]
    kind: Any = T5EncoderModel if config.model_type in ("t5", "mt5") else AutoModel
    model, info = kind.from_pretrained(
        folder, config=config, dtype=dtype, use_safetensors=True, output_loading_info=True, **local
    )
    if absent := [key for key in info["missing_keys"] if "pooler" not in key]:
        # transformers would draw them at random.
        raise InputError(f"encoder {folder}: the weights lack {sorted(absent)[0]}.")
    spaced = {"add_prefix_space": True} if _spaced(config) else {}
    return config, model, AutoTokenizer.from_pretrained(folder, **spaced, **local)


def _spaced(config: Any) -> bool:
    """Whether bert-score puts a space before the first word."""
    return config.model_type in ("roberta", "gpt2")


def _max_length(tokenizer: Any, config: Any) -> int:
    """The longest sentence in tokens; some tokenizers know no limit, then the model's counts."""
    positions = getattr(config, "max_position_embeddings", 0)
    if config.model_type in ("roberta", "xlm-roberta", "camembert"):
        positions -= 2  # their positions begin after the padding's
    return (
        min(tokenizer.model_max_length, positions) if positions > 0 else tokenizer.model_max_length
    )


def _gpu_tokens(config: Any, dtype: str) -> int:
    """Tokens a batch that fit half of a GPU's free memory."""
    import torch

    free, _ = torch.cuda.mem_get_info()
    bytes_each = 4 if dtype == "float32" else 2
    # Inside a layer: input, queries, keys, values, output, and four times as wide a middle.
    per_token = 16 * config.hidden_size * bytes_each + 4 * config.hidden_size
    return int(np.clip(free / 2 / per_token, 8192, 262144))
