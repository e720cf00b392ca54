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
CPU_TOKENS, GPU_TOKENS = 256, 2048
BATCHES = 128  # of a block of sentences, whose embeddings are held at a time
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
    """Tokens of several sentences, special tokens included; arrays join all sentences."""

    ids: np.ndarray
    content: np.ndarray  # whether a token takes part in averages
    offsets: np.ndarray  # (tokens, 2), start and end in the sentence's characters
    lengths: np.ndarray  # (sentences,)
    truncated: np.ndarray  # (sentences,)

    def split(self, name: str) -> list[np.ndarray]:
        """Return the field `name`, such as `ids`, split into one array per sentence."""
        return np.split(getattr(self, name), np.cumsum(self.lengths)[:-1])


class Transformer:
    """A transformers model in a local folder, with its tokenizer, on a device.

    Pickled weights and code in the folder are not loaded. Raises `InputError` where the model is
    incomplete, or there is no GPU.
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
        self.folder, self.device = folder, torch.device(device)
        self.batch_tokens = CPU_TOKENS if device == "cpu" else GPU_TOKENS
        self.check()
        with _using(folder, CONFIG, self.role):
            self.config: Any = AutoConfig.from_pretrained(folder, **LOCAL)

    def check(self) -> None:
        """Raise `InputError` for missing or damaged model files, before the model is loaded."""
        encoders.whole(str(self.folder), self.folder)

    def load(self, kind: Any, dtype: torch.dtype, **tokenizer_options: Any) -> None:
        """Load the model, as the transformers class `kind`, and its tokenizer from the folder."""
        from transformers import AutoTokenizer

        with _using(self.folder, "*.safetensors", self.role):
            options = {"use_safetensors": True, "output_loading_info": True, "dtype": dtype}
            try:
                model, info = kind.from_pretrained(
                    self.folder, config=self.config, **options, **LOCAL
                )
            except RuntimeError as error:
                if "ignore_mismatched_sizes" in str(error):  # is all that transformers says
                    raise ValueError(
                        "their shapes are not those that config.json asks for"
                    ) from error
                raise
            if model.main_input_name != "input_ids":
                raise InputError(
                    f"{self.role} {self.folder}: config.json is of a model of "
                    f"{model.main_input_name}, not of text (model_type {self.config.model_type}). "
                    "Name a folder with a text encoder."
                )
            absent = [x for x in info["missing_keys"] if not self.unused or self.unused not in x]
            if absent:  # transformers would draw them at random
                raise InputError(
                    f"{self.role} {self.folder}: *.safetensors lack {sorted(absent)[0]}, which "
                    "config.json asks for. Put weights and config.json of one model there."
                )
        with _using(self.folder, "tokenizer.json or another file of the tokenizer", self.role):
            self.tokenizer = AutoTokenizer.from_pretrained(
                self.folder, **tokenizer_options, **LOCAL
            )
        # bert-score uses the encoder of a sequence-to-sequence model.
        encodes = self.role != MODEL and hasattr(model, "decoder")
        self.model = (model.encoder if encodes else model).eval().to(self.device)
        with _using(self.folder, "model and tokenizer", self.role):
            self.embedded = len(self.model.get_input_embeddings().weight)
            # Some tokenizers have no limit; the model's positions are then the limit.
            positions = getattr(self.config, "max_position_embeddings", 0)
            positions -= 2 * (self.config.model_type in AFTER_PADDING)
            self.max_length = int(self.tokenizer.model_max_length)
            if positions > 0:
                self.max_length = min(self.max_length, positions)

    def check_embedded(self, ids: np.ndarray) -> None:
        """Raise `InputError` if a token id has no embedding in the model."""
        if ids.max(initial=0) >= self.embedded:
            raise InputError(
                f"{self.role} {self.folder}: its tokenizer gives token {ids.max()}, but its "
                f"weights have embeddings of {self.embedded} tokens: they belong to different "
                "models."
            )


class Encoder(Transformer):
    """A transformer up to one of its layers, whose output is the token embedding. `dtype` is the
    transformer's; similarities are float32. Raises `InputError` also without the layer."""

    unused = "pooler"

    def __init__(
        self, folder: str | Path, layer: int, device: str = "auto", dtype: str = "float32"
    ) -> None:
        import torch
        from transformers import AutoModel, T5EncoderModel

        super().__init__(folder, device)
        config, self.block_tokens = self.config, BATCHES * self.batch_tokens
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
        # bert-score puts a space before the first word.
        spaced = {"add_prefix_space": True} if config.model_type in ("roberta", "gpt2") else {}
        self.load(kind, getattr(torch, dtype), **spaced)
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
        ids, offsets = encoded["input_ids"], encoded["offset_mapping"]
        truncated = np.array([len(tokens) > self.max_length for tokens in ids], dtype=bool)
        for i in np.flatnonzero(truncated):
            cut = tokenize([sentences[i]], truncation=True, max_length=self.max_length)
            ids[i], offsets[i] = cut["input_ids"][0], cut["offset_mapping"][0]
        empty = np.array([not tokens for tokens in ids], dtype=bool)
        for i in np.flatnonzero(empty):  # by a tokenizer without [CLS] and [SEP]
            ids[i], offsets[i] = [0], [(0, 0)]
        flat = np.array(list(chain.from_iterable(ids)), dtype=np.int32)
        self.check_embedded(flat)
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
        """Return for each sentence the embeddings of its tokens, (tokens, dimensions), float32 on
        the encoder's device, with Euclidean norm 1; NaN where the norm is not finite. A batch holds
        sentences of equally many tokens, so results do not depend on padding (`pack`)."""
        import torch

        def embed(batch: np.ndarray) -> torch.Tensor:
            alike = np.stack([ids[i] for i in batch]).astype(np.int64)
            tokens = torch.from_numpy(alike).to(self.device)
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
    """A transformers regression model (sequence classification with one label), in float32."""

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
            rows = {key: [values[i] for i in batch] for key, values in inputs.items()}
            tensors = {key: torch.tensor(row, device=self.device) for key, row in rows.items()}
            return self.model(**tensors).logits  # (texts, 1)

        at_once = threads if self.device.type == "cpu" else 1
        predicted = in_batches(predict, pack(lengths, self.batch_tokens), at_once)
        numbers = dict(zip(distinct, predicted, strict=True))
        return np.array([numbers[text].item() for text in texts])


def check_regressor(folder: str | Path) -> None:
    """Raise `InputError` as `encoders.whole` does, and where the model predicts more than one
    number or needs its own code. PyTorch and transformers are not imported."""
    config = Path(folder, CONFIG)
    if Path(folder).is_dir() and not config.exists():
        raise InputError(f"{MODEL} {folder}: no {CONFIG}: put the whole model there. {AS_FILE}")
    encoders.whole(str(folder), folder, MODEL)
    with _using(folder, CONFIG, MODEL):
        settings = json.loads(config.read_text(encoding="utf-8"))
        architectures = ", ".join(settings.get("architectures") or ["none"])
        names = settings.get("id2label")  # transformers writes no names of two labels
        labels = settings.get("num_labels", 2) if names is None else len(names)
        problem = ""
        if f"AutoModel{KIND}" in (settings.get("auto_map") or {}):
            problem = f"the model needs code of its own (auto_map), which is not run. {AS_FILE}"
        elif not architectures.endswith(KIND):
            problem = f"expected an architecture named …{KIND}, found {architectures}. {AS_FILE}"
        elif labels != 1:
            problem = (
                f"expected a model of one number a text (num_labels 1), found {labels} labels. "
                "Name a folder with a regressor."
            )
        if problem:
            raise InputError(f"{MODEL} {folder}: {CONFIG}: {problem}")


@contextmanager
def _using(folder: str | Path, what: str, role: str) -> Iterator[None]:
    """Within the block, convert any exception into an `InputError` with the folder and `what`."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        raise InputError(
            f"{role} {folder}: {what} cannot be used ({shorten(error)}). The folder must hold "
            "config.json, a tokenizer and the weights as safetensors, all of one model."
            + f" {AS_FILE}"
            * (role == MODEL)
        ) from error


def in_batches(
    compute: Callable[[np.ndarray], torch.Tensor], batches: list[np.ndarray], at_once: int
) -> list[torch.Tensor]:
    """Compute batches of sentences; return one tensor per sentence, in the sentences' order.

    `compute` maps a batch of sentence indices (see `pack`) to a tensor whose first axis is the
    sentences. `at_once` batches are computed in parallel, each on one thread.
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
            rows |= {i: row.clone() for i, row in zip(batch.tolist(), computed, strict=True)}
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


def pack(lengths: np.ndarray, tokens: int, fill: bool = False) -> list[np.ndarray]:
    """Return batches, arrays of indices of sentences of equal length: at most `tokens` tokens, or
    one sentence. The last batch of a length is filled by repeating its first sentence if `fill`, or
    for fewer than four tokens: products of fewer rows differ in the last digits."""
    batches = []
    for length in np.unique(lengths):
        alike = np.flatnonzero(lengths == length)
        size = max(1, tokens // max(1, int(length)))
        added = np.repeat(alike[:1], -len(alike) % size if fill or length < 4 else 0)
        batches += np.split(np.concatenate([alike, added]), range(size, len(alike), size))
    return batches
