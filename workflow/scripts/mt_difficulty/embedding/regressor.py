"""Regressors: models in the transformers format that give a text one real number."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError, Missing
from . import encoders
from .encoders import CONFIG
from .encoding import (
    CPU_TOKENS,
    GPU_TOKENS,
    check_embedded,
    choose_device,
    in_batches,
    load_model,
    max_length,
    pack,
    using,
)

if TYPE_CHECKING:
    import torch

MODEL = "model"  # what messages call a regressor
KIND = "ForSequenceClassification"  # ends the names of architectures with such a head
AS_FILE = (
    "Estimates of a model that is not in the format of transformers, or that needs code of its "
    "own, can be given as a file (difficulties, type: file)."
)


class Regressor:
    """A transformer with a head of one number, and its tokenizer; computed in float32.

    The folder holds configuration, tokenizer and `*.safetensors` of a model for sequence
    classification with one label; neither pickles nor code are loaded. Raises `InputError` where it
    holds no whole regressor, or there is no GPU.
    """

    def __init__(self, folder: str | Path, device: str = "auto") -> None:
        device = choose_device(device, MODEL)
        self.folder = folder
        config, model, self.tokenizer = _load(folder)
        self.model = model.eval().to(device)
        self.device = self.model.device
        self.batch_tokens = CPU_TOKENS if device == "cpu" else GPU_TOKENS
        if config.pad_token_id is None:  # transformers then takes one text at a time
            self.batch_tokens = 1
        with using(folder, "model and tokenizer", role=MODEL):
            self.tokenizer.model_max_length = max_length(self.tokenizer, config)
            self.embedded = len(self.model.get_input_embeddings().weight)
            self.predict(["a"])

    def predict(self, texts: list[str], threads: int = 1) -> np.ndarray:
        """The model's number for every text, which is stripped of white space at its ends and
        truncated to what tokenizer and model take.

        A batch holds texts of one length, without padding, and is computed on one thread (see
        `pack`): numbers depend neither on the threads nor on the order of the texts, and on the
        other texts in their last digits alone. Equal texts have equal numbers.

        Returns
        -------
        ndarray of float64, (texts,)
            NaN or infinite where the model gives that.

        Raises
        ------
        Missing
            A text is empty, and the tokenizer gives it no token, special ones included.
        """
        import torch

        texts = [text.strip() for text in texts]
        distinct = sorted(set(texts))
        inputs = dict(self.tokenizer(distinct, truncation=True, verbose=False))
        ids = np.concatenate([np.array(tokens, dtype=int) for tokens in inputs["input_ids"]])
        check_embedded(ids, self.embedded, self.folder, MODEL)
        lengths = np.array([len(tokens) for tokens in inputs["input_ids"]])
        if not lengths.all():
            empty = texts.index(distinct[lengths.argmin()])
            raise Missing(f"segment {empty + 1} is empty: the model gets no token of it")

        def predict(batch: np.ndarray) -> torch.Tensor:
            rows = {key: [of[i] for i in batch] for key, of in inputs.items()}
            tensors = {key: torch.tensor(each, device=self.device) for key, each in rows.items()}
            return self.model(**tensors).logits  # (texts, 1)

        at_once = threads if self.device.type == "cpu" else 1
        numbers = in_batches(predict, pack(lengths, self.batch_tokens), at_once)
        found = dict(zip(distinct, numbers, strict=True))
        return np.array([found[text].item() for text in texts])


def whole(folder: str | Path) -> list[Path]:
    """A regressor's files, sorted; PyTorch and transformers are not imported. Raises `InputError`
    as `encoders.whole`, and where the model gives no single number or needs code of its own."""
    config = Path(folder, CONFIG)
    if Path(folder).is_dir() and not config.exists():
        raise InputError(f"{MODEL} {folder}: no {CONFIG}: put the whole model there. {AS_FILE}")
    files = encoders.whole(str(folder), folder, MODEL)
    with using(folder, CONFIG, role=MODEL):
        settings = json.loads(config.read_text(encoding="utf-8"))
        architectures = ", ".join(settings.get("architectures") or ["none"])
        names = settings.get("id2label")  # transformers writes no names of two labels
        labels = settings.get("num_labels", 2) if names is None else len(names)
        own_code = f"AutoModel{KIND}" in (settings.get("auto_map") or {})
    if own_code:
        problem = f"the model needs code of its own (auto_map), which is not run. {AS_FILE}"
    elif not architectures.endswith(KIND):
        problem = f"expected an architecture named …{KIND}, found {architectures}. {AS_FILE}"
    elif labels != 1:
        problem = (
            f"expected a model of one number a text (num_labels 1), found {labels} labels. Name a "
            "folder with a regressor."
        )
    else:
        return files
    raise InputError(f"{MODEL} {folder}: {CONFIG}: {problem}")


def _load(folder: str | Path) -> tuple[Any, Any, Any]:
    """Configuration, model and tokenizer of a folder."""
    import torch
    import transformers
    from transformers import AutoConfig, AutoTokenizer

    local: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    with encoders.only(whole(folder)) as links:
        kind = json.loads(Path(folder, CONFIG).read_text(encoding="utf-8")).get("model_type")
        if kind not in transformers.CONFIG_MAPPING:
            raise InputError(
                f"{MODEL} {folder}: {CONFIG}: transformers {transformers.__version__} has no model "
                f"of model_type {kind}, and code of the model's own is not run. {AS_FILE}"
            )
        with using(folder, CONFIG, links, MODEL):
            config = AutoConfig.from_pretrained(links, **local)
        with using(folder, "*.safetensors", links, MODEL):
            regressor = transformers.AutoModelForSequenceClassification
            options = {"dtype": torch.float32, **local}
            model = load_model(regressor, config, folder, links, role=MODEL, **options)
        with using(folder, "tokenizer.json or another file of the tokenizer", links, MODEL):
            tokenizer = AutoTokenizer.from_pretrained(links, **local)
    return config, model, tokenizer
