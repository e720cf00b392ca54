"""Transformer models: `Encoder` returns token embeddings, `Regressor` one number per text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from ..errors import InputError, Missing
from . import encoders
from .encoders import CONFIG, shorten

if TYPE_CHECKING:
    import torch

# Tokens per batch: enough to keep the device busy, and to waste little of a block's last batches.
CPU_TOKENS = 256
GPU_TOKENS = 2048
BATCHES = 128  # batches of a block of sentences, whose embeddings are in memory at the same time
TOKENIZED_AT_ONCE = 1024
# Models that number positions from the padding id on.
AFTER_PADDING = ("roberta", "xlm-roberta", "camembert", "longformer", "mpnet")
MODEL = "model"  # what messages call a regressor
KIND = "ForSequenceClassification"  # ends the names of architectures with such a head
AS_FILE = (
    "Estimates of a model that is not in the format of transformers, or that needs code of its "
    "own, can be given as a file (difficulties, type: file)."
)
LOCAL: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}


class Tokens(NamedTuple):
    """Tokens of several sentences, special tokens included; arrays join all sentences.

    Attributes
    ----------
    ids : ndarray
        (tokens,), index of the token in the encoder's vocabulary.
    content : ndarray
        (tokens,) of bool, whether a token takes part in averages.
    offsets : ndarray
        (tokens, 2), start and end in the sentence's characters.
    lengths : ndarray
        (sentences,), tokens of each sentence.
    truncated : ndarray
        (sentences,) of bool, whether a sentence was longer than the encoder's limit.
    """

    ids: np.ndarray
    content: np.ndarray
    offsets: np.ndarray
    lengths: np.ndarray
    truncated: np.ndarray

    def split(self, name: str) -> list[np.ndarray]:
        """Return the field `name`, such as `ids`, split into one array per sentence."""
        return np.split(getattr(self, name), np.cumsum(self.lengths)[:-1])


class Transformer:
    """A transformers model in a local folder, with its tokenizer, on a device.

    Pickled weights and code in the folder are not loaded.

    Parameters
    ----------
    folder : path
    device : {"auto", "cpu", "cuda"}

    Raises
    ------
    InputError
        If the model is incomplete, or there is no GPU for `cuda`.
    """

    role: ClassVar[str] = "encoder"  # what messages call it
    unused = ""  # in names of weights that may be lacking

    def __init__(self, folder: str | Path, device: str) -> None:
        import torch
        from transformers import AutoConfig
        from transformers.utils import logging

        logging.set_verbosity_error()
        logging.disable_progress_bar()
        if device == "cuda" and not torch.cuda.is_available():
            raise InputError(f"{self.role}, device cuda: PyTorch sees no GPU. Use `auto` or `cpu`.")
        if device == "auto":
            device = "cuda" if torch.cuda.is_available() else "cpu"
        self.folder = folder
        self.device = torch.device(device)
        self.batch_tokens = CPU_TOKENS if device == "cpu" else GPU_TOKENS
        self.check()
        with _using(folder, CONFIG, self.role):
            self.config: Any = AutoConfig.from_pretrained(folder, **LOCAL)

    def check(self) -> None:
        """Raise `InputError` for missing or damaged model files, before the model is loaded."""
        encoders.checked_files(str(self.folder), self.folder)

    def load(self, kind: Any, dtype: torch.dtype, **tokenizer_options: Any) -> None:
        """Load the model and its tokenizer from the folder.

        Parameters
        ----------
        kind : type
            Class of transformers, such as `AutoModel`.
        dtype : torch.dtype
            Type of the weights.
        **tokenizer_options
            Options of the tokenizer.

        Raises
        ------
        InputError
            If files are damaged, or do not belong to one model of text.
        """
        from transformers import AutoTokenizer

        with _using(self.folder, "*.safetensors", self.role):
            model = self._load_weights(kind, dtype)
        with _using(self.folder, "tokenizer.json or another file of the tokenizer", self.role):
            self.tokenizer = AutoTokenizer.from_pretrained(
                self.folder, **tokenizer_options, **LOCAL
            )
        # bert-score uses the encoder of a sequence-to-sequence model.
        if self.role != MODEL and hasattr(model, "decoder"):
            model = model.encoder
        self.model = model.eval().to(self.device)
        with _using(self.folder, "model and tokenizer", self.role):
            self.embedded = len(self.model.get_input_embeddings().weight)
            self.max_length = self._longest_text()

    def _load_weights(self, kind: Any, dtype: torch.dtype) -> Any:
        """Return the model with all its weights, an instance of the transformers class `kind`."""
        options = {"use_safetensors": True, "output_loading_info": True, "dtype": dtype}
        try:
            model, info = kind.from_pretrained(self.folder, config=self.config, **options, **LOCAL)
        except RuntimeError as error:
            if "ignore_mismatched_sizes" in str(error):  # is all that transformers says
                raise ValueError("their shapes are not those that config.json asks for") from error
            raise
        if model.main_input_name != "input_ids":
            raise InputError(
                f"{self.role} {self.folder}: config.json is of a model of "
                f"{model.main_input_name}, not of text (model_type {self.config.model_type}). "
                "Name a folder with a text encoder."
            )
        missing = info["missing_keys"]
        if self.unused:
            missing = [name for name in missing if self.unused not in name]
        if missing:  # transformers would draw them at random
            raise InputError(
                f"{self.role} {self.folder}: *.safetensors lack {sorted(missing)[0]}, which "
                "config.json asks for. Put weights and config.json of one model there."
            )
        return model

    def _longest_text(self) -> int:
        """Return the number of tokens to which texts are truncated."""
        longest = int(self.tokenizer.model_max_length)
        # Some tokenizers have no limit; the model's positions are then the limit.
        positions = getattr(self.config, "max_position_embeddings", 0)
        if self.config.model_type in AFTER_PADDING:
            positions -= 2
        return min(longest, positions) if positions > 0 else longest

    def check_embedded(self, ids: np.ndarray) -> None:
        """Raise `InputError` if a token id has no embedding in the model."""
        if ids.max(initial=0) >= self.embedded:
            raise InputError(
                f"{self.role} {self.folder}: its tokenizer gives token {ids.max()}, but its "
                f"weights have embeddings of {self.embedded} tokens: they belong to different "
                "models."
            )


class Encoder(Transformer):
    """A transformer up to one of its layers, whose output is the token embedding.

    Parameters
    ----------
    folder : path
    layer : int
        Index of the layer; 0 is the embedding of the vocabulary.
    device : {"auto", "cpu", "cuda"}
    dtype : {"float32", "float16", "bfloat16"}
        Type of the transformer's numbers; similarities are float32.

    Raises
    ------
    InputError
        If the model is incomplete or has no such layer, or there is no GPU for `cuda`.
    """

    unused = "pooler"

    def __init__(
        self, folder: str | Path, layer: int, device: str = "auto", dtype: str = "float32"
    ) -> None:
        import torch
        from transformers import AutoModel, T5EncoderModel

        super().__init__(folder, device)
        self.block_tokens = BATCHES * self.batch_tokens
        config = self.config
        with _using(folder, CONFIG, self.role):
            if not 0 <= layer <= config.num_hidden_layers:
                raise InputError(
                    f"encoder {folder}: there is no layer {layer}, only 0 to "
                    f"{config.num_hidden_layers} (config, encoders: layer)."
                )
            config.num_hidden_layers = layer
            if isinstance(getattr(config, "attention_window", None), list):
                config.attention_window = config.attention_window[:layer]
        kind: Any = T5EncoderModel if config.model_type in ("t5", "mt5") else AutoModel
        tokenizer_options = {}
        if config.model_type in ("roberta", "gpt2"):
            # bert-score puts a space before the first word.
            tokenizer_options["add_prefix_space"] = True
        self.load(kind, getattr(torch, dtype), **tokenizer_options)
        with _using(folder, "model and tokenizer", self.role):
            self.encode([self.tokenize(["a"]).ids])

    def tokenize(self, sentences: list[str]) -> Tokens:
        """Tokenize sentences without leading and trailing white space, as bert-score does.

        `content` is False for the special tokens [CLS] and [SEP]. Sentences longer than the
        encoder's limit are truncated.
        """
        if len(sentences) > TOKENIZED_AT_ONCE:  # lists are many times the size of arrays
            starts = range(0, len(sentences), TOKENIZED_AT_ONCE)
            parts = [self.tokenize(sentences[i : i + TOKENIZED_AT_ONCE]) for i in starts]
            return Tokens(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
        sentences = [sentence.strip() for sentence in sentences]
        tokenize = partial(
            self.tokenizer,
            return_offsets_mapping=True,
            return_attention_mask=False,
            return_token_type_ids=False,
            verbose=False,
        )
        encoded = tokenize(sentences)
        ids = encoded["input_ids"]
        offsets = encoded["offset_mapping"]
        truncated = np.array([len(tokens) > self.max_length for tokens in ids], dtype=bool)
        for i in np.flatnonzero(truncated):
            shorter = tokenize([sentences[i]], truncation=True, max_length=self.max_length)
            ids[i] = shorter["input_ids"][0]
            offsets[i] = shorter["offset_mapping"][0]
        # A tokenizer without [CLS] and [SEP] gives no token of an empty sentence.
        empty = np.array([not tokens for tokens in ids], dtype=bool)
        for i in np.flatnonzero(empty):
            ids[i] = [0]
            offsets[i] = [(0, 0)]

        all_ids = np.array(list(chain.from_iterable(ids)), dtype=np.int32)
        all_offsets = np.array(list(chain.from_iterable(offsets)), dtype=np.int32).reshape(-1, 2)
        self.check_embedded(all_ids)
        lengths = np.array([len(tokens) for tokens in ids], dtype=np.int32)
        special = [self.tokenizer.cls_token_id, self.tokenizer.sep_token_id]
        is_special = np.isin(all_ids, [token for token in special if token is not None])
        return Tokens(
            ids=all_ids,
            content=~is_special & ~np.repeat(empty, lengths),
            offsets=all_offsets,
            lengths=lengths,
            truncated=truncated,
        )

    def encode(self, ids: list[np.ndarray]) -> list[torch.Tensor]:
        """Return for each sentence the embeddings of its tokens, (tokens, dimensions), float32 on
        the encoder's device, with Euclidean norm 1; NaN where the norm is not finite. A batch holds
        sentences of equally many tokens, so results do not depend on padding (`pack`)."""
        import torch

        def embed(batch: np.ndarray) -> torch.Tensor:
            """Return the embeddings of sentences of one length, (sentences, tokens, dimensions)."""
            batch_ids = np.stack([ids[i] for i in batch]).astype(np.int64)
            tokens = torch.from_numpy(batch_ids).to(self.device)
            output = self.model(input_ids=tokens, attention_mask=torch.ones_like(tokens))[0].float()
            # As torch.nn.functional.normalize, which gives zeros where a length overflows.
            norms = output.norm(dim=-1, keepdim=True).clamp_min(1e-12)
            return output / norms.masked_fill(~norms.isfinite(), torch.nan)

        lengths = np.array([len(tokens) for tokens in ids])
        at_once = torch.get_num_threads() if self.device.type == "cpu" else 1
        # On a GPU the last digits may depend on the size of a batch.
        batches = pack(lengths, self.batch_tokens, fill=self.device.type != "cpu")
        return in_batches(embed, batches, at_once)


class Regressor(Transformer):
    """A transformers regression model (sequence classification with one label), in float32.

    Parameters
    ----------
    folder : path
    device : {"auto", "cpu", "cuda"}
    """

    role = MODEL

    def __init__(self, folder: str | Path, device: str = "auto") -> None:
        import torch
        from transformers import AutoModelForSequenceClassification

        super().__init__(folder, device)
        self.load(AutoModelForSequenceClassification, torch.float32)
        if self.config.pad_token_id is None:  # transformers then takes one text at a time
            self.batch_tokens = 1
        with _using(folder, "model and tokenizer", MODEL):
            self.tokenizer.model_max_length = self.max_length
            self.predict(["a"])

    def check(self) -> None:
        check_regressor(self.folder)

    def predict(self, texts: list[str], threads: int = 1) -> np.ndarray:
        """Return the model's prediction for every text, float64, (texts,); it can be NaN or
        infinite. Texts are stripped and truncated. A batch holds texts of one length, without
        padding, and is computed on one thread (`pack`): predictions depend neither on threads nor
        on the order of texts, and on the other texts only in the last digits; equal texts have
        equal predictions. Raises `Missing` for a text without tokens."""
        import torch

        texts = [text.strip() for text in texts]
        distinct = sorted(set(texts))
        inputs = dict(self.tokenizer(distinct, truncation=True, verbose=False))
        self.check_embedded(np.array(list(chain.from_iterable(inputs["input_ids"])), dtype=int))
        lengths = np.array([len(tokens) for tokens in inputs["input_ids"]])
        if not lengths.all():
            empty = texts.index(distinct[lengths.argmin()])
            raise Missing(f"segment {empty + 1} is empty: the model gets no token of it")

        def predict(batch: np.ndarray) -> torch.Tensor:
            tensors = {}
            for key, values in inputs.items():
                rows = [values[i] for i in batch]
                tensors[key] = torch.tensor(rows, device=self.device)
            return self.model(**tensors).logits  # (texts, 1)

        at_once = threads if self.device.type == "cpu" else 1
        predicted = in_batches(predict, pack(lengths, self.batch_tokens), at_once)
        numbers = dict(zip(distinct, predicted, strict=True))
        return np.array([numbers[text].item() for text in texts])


def check_regressor(folder: str | Path) -> None:
    """Raise `InputError` as `encoders.checked_files` does, and where the model predicts more than
    one number or needs its own code. PyTorch and transformers are not imported."""
    config = Path(folder, CONFIG)
    if Path(folder).is_dir() and not config.exists():
        raise InputError(f"{MODEL} {folder}: no {CONFIG}: put the whole model there. {AS_FILE}")
    encoders.checked_files(str(folder), folder, MODEL)
    with _using(folder, CONFIG, MODEL):
        problem = _regressor_problem(json.loads(config.read_text(encoding="utf-8")))
        if problem:
            raise InputError(f"{MODEL} {folder}: {CONFIG}: {problem}")


def _regressor_problem(config: dict[str, Any]) -> str:
    """Return why a model with this config.json is no regressor; empty if it is one."""
    if f"AutoModel{KIND}" in (config.get("auto_map") or {}):
        return f"the model needs code of its own (auto_map), which is not run. {AS_FILE}"
    architectures = ", ".join(config.get("architectures") or ["none"])
    if not architectures.endswith(KIND):
        return f"expected an architecture named …{KIND}, found {architectures}. {AS_FILE}"
    names = config.get("id2label")  # transformers writes no names of two labels
    labels = config.get("num_labels", 2) if names is None else len(names)
    if labels != 1:
        return (
            f"expected a model of one number a text (num_labels 1), found {labels} labels. "
            "Name a folder with a regressor."
        )
    return ""


@contextmanager
def _using(folder: str | Path, what: str, role: str) -> Iterator[None]:
    """Within the block, convert any exception into an `InputError` with the folder and `what`."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        message = (
            f"{role} {folder}: {what} cannot be used ({shorten(error)}). The folder must hold "
            "config.json, a tokenizer and the weights as safetensors, all of one model."
        )
        if role == MODEL:
            message += f" {AS_FILE}"
        raise InputError(message) from error


def in_batches(
    compute: Callable[[np.ndarray], torch.Tensor], batches: list[np.ndarray], at_once: int
) -> list[torch.Tensor]:
    """Compute batches of sentences in parallel, each on one thread.

    Parameters
    ----------
    compute : callable
        Maps the indices of a batch of sentences to a tensor whose first axis is the sentences.
    batches : list of ndarray
        Indices of sentences (see `pack`).
    at_once : int
        Number of batches that are computed at the same time.

    Returns
    -------
    list of torch.Tensor
        One tensor per sentence, in the sentences' order.
    """
    import torch

    def on_thread(batch: np.ndarray) -> torch.Tensor:
        with torch.inference_mode():  # of the thread that enters it
            return compute(batch)

    rows: dict[int, torch.Tensor] = {}
    # PyTorch's number of threads must be set in each new thread.
    pool = ThreadPoolExecutor(at_once, initializer=torch.set_num_threads, initargs=(1,))
    with one_torch_thread(), pool:
        for batch, computed in zip(batches, pool.map(on_thread, batches), strict=True):
            # Copy, because a view would keep its whole batch in memory.
            for i, row in zip(batch.tolist(), computed, strict=True):
                rows[i] = row.clone()
    return [rows[i] for i in range(len(rows))]


@contextmanager
def one_torch_thread() -> Iterator[None]:
    """Limit PyTorch to one thread in the block, so that results do not vary with thread count."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def pack(lengths: np.ndarray, tokens: int, *, fill: bool = False) -> list[np.ndarray]:
    """Pack sentences into batches of equal length.

    Parameters
    ----------
    lengths : ndarray
        (sentences,), tokens of each sentence.
    tokens : int
        Tokens of a batch, at most; a longer sentence is a batch of its own.
    fill : bool
        Whether the last batch of a length is filled by repeating its first sentence. Batches of
        fewer than four tokens a sentence always are.

    Returns
    -------
    list of ndarray
        Indices of the sentences of each batch.

    Notes
    -----
    Products of matrices with fewer rows differ in the last digits; full batches keep them equal.
    """
    batches = []
    for length in np.unique(lengths):
        sentences = np.flatnonzero(lengths == length)
        size = max(1, tokens // max(1, int(length)))
        added = -len(sentences) % size if fill or length < 4 else 0
        filled = np.concatenate([sentences, np.repeat(sentences[:1], added)])
        batches += np.split(filled, range(size, len(sentences), size))
    return batches
