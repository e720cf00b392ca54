"""Where encoders come from: bert-score's defaults, the hub, a local folder, or random weights."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import tempfile
import textwrap
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from importlib.metadata import distribution
from pathlib import Path

from ..errors import InputError, Missing

CONFIG = "config.json"
FLOATS = {"F64", "F32", "F16", "BF16"}
WHOLE = ".whole"  # beside a download's files: all have arrived
# What an encoder consists of; pickled weights and other frameworks' are left where they are.
PATTERNS = ("*.safetensors", "*.json", "*.txt", "*.model")
NEEDED = {
    CONFIG: [CONFIG],
    "tokenizer": ["tokenizer.json", "vocab.txt", "vocab.json", "*.model"],
    "safetensors": ["*.safetensors"],
}


def default_model(language: str) -> str:
    """bert-score's model for a target language. Importing PyTorch with it takes seconds."""
    from bert_score.utils import lang2model

    return lang2model[language]


def default_layer(model: str) -> int | None:
    """bert-score's layer of a model; None for a model that it does not know."""
    from bert_score.utils import model2layers

    return model2layers.get(model)


def baseline(model: str, layer: int, language: str) -> tuple[float, ...] | None:
    """bert-score's rescaling baseline of precision, recall and F; None where it has none."""
    folder = Path(str(distribution("bert-score").locate_file("bert_score/rescale_baseline")))
    path = folder / language / f"{model}.tsv"
    if not path.is_file():
        return None
    with open(path, encoding="utf-8") as file:
        rows = {int(row["LAYER"]): row for row in csv.DictReader(file)}
    return tuple(float(rows[layer][key]) for key in "PRF") if layer in rows else None


def hub_folder(name: str, revision: str) -> Path:
    """Where an encoder of the hub is kept, below the project's root."""
    return Path("data/encoders") / f"{name}-{revision.replace('/', '-')}"


def download(name: str, hub: str, revision: str, folder: Path) -> None:
    """Fetch an encoder from the hub into a folder; files that are whole already are left alone.

    Raises `Missing` where the hub has no safetensors of it, `InputError` where it breaks off."""
    from huggingface_hub import HfApi, hf_hub_download

    if arrived(folder):
        return
    try:
        info = HfApi().model_info(hub, revision=revision)
        files = [file.rfilename for file in info.siblings or [] if _wanted(file.rfilename)]
        if not any(file.endswith(".safetensors") for file in files):
            raise Missing(
                f"{hub} at revision {revision} has no safetensors, and pickled weights are not "
                f"loaded; name a revision that has them, or a folder with the converted model "
                f"(config, encoders, {name})"
            )
        for file in files:
            hf_hub_download(hub, file, revision=info.sha, local_dir=folder)
    except Missing:
        raise
    except Exception as error:  # whatever the hub's client raises
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise InputError(
            f"encoder {name}: {hub} at revision {revision} could not be fetched ({reason}), and "
            f"{folder} does not hold it. Two ways out: leave neural metrics out (make paper "
            f"NEURAL=no), or name a folder that holds the model (config, encoders, {name}: folder)."
        ) from error
    (folder / WHOLE).touch()


def arrived(folder: Path) -> bool:
    """Whether all files of a download are there."""
    return (folder / WHOLE).exists()


def _wanted(file: str) -> bool:
    return "/" not in file and any(fnmatch(file, pattern) for pattern in PATTERNS)


def files_of(folder: str | Path) -> list[Path]:
    """An encoder's files among those of a folder, sorted."""
    found = (path for path in Path(folder).glob("*") if _wanted(path.name))
    return sorted(path for path in found if path.is_file())


def whole(name: str, folder: str | Path, role: str = "encoder") -> list[Path]:
    """An encoder's files, sorted, or those of another model, which messages call `role`.

    Raises
    ------
    InputError
        The folder has no configuration, no tokenizer or no safetensors; one of these is damaged; or
        it holds an adapter or quantized weights.
    """
    from safetensors import safe_open

    files = files_of(folder)
    for what, patterns in NEEDED.items():
        if not any(fnmatch(file.name, pattern) for file in files for pattern in patterns):
            there = f"no {what} in {folder}" if Path(folder).is_dir() else f"no folder {folder}"
            pickles = sorted(path.name for path in Path(folder).glob("pytorch_model*.bin"))
            convert = (
                f" Pickled weights ({pickles[0]}) are not loaded, because they can run code: where "
                "you trust them, convert them with transformers (from_pretrained, then "
                "save_pretrained)."
                if pickles and not any(Path(folder).glob("*.safetensors"))
                else ""
            )
            raise InputError(
                f"{role} {name}: {there}. It must hold config.json, a tokenizer "
                f"({', '.join(NEEDED['tokenizer'])}) and the weights as *.safetensors: copy the "
                f"whole model, or name another folder.{convert}"
            )
    for file in files:
        quantized = False
        try:
            if file.suffix == ".safetensors":
                with safe_open(file, "numpy") as weights:
                    # Masks and positions, which are integers, are not called weights.
                    names = [key for key in sorted(weights.keys()) if key.endswith("weight")]
                    types = {weights.get_slice(key).get_dtype() for key in names}
                quantized = not types <= FLOATS
            elif file.suffix == ".json":
                content = json.loads(file.read_text(encoding="utf-8"))
                quantized = file.name == CONFIG and bool(content.get("quantization_config"))
        except Exception as error:  # whatever the readers of a spoilt file raise
            raise InputError(
                f"{role} {name}: {file}: cannot be read ({shorten(error)}). Put the model's own "
                "file there."
            ) from error
        if quantized:
            raise InputError(
                f"{role} {name}: {file}: quantized weights are not loaded. Name a folder with the "
                "model as it was before."
            )
        if file.name == "adapter_config.json":
            raise InputError(
                f"{role} {name}: {file}: an adapter (PEFT) is not applied. Merge it into the model "
                "(merge_and_unload), save that, and name its folder."
            )
    return files


def shorten(error: Exception) -> str:
    """What an error is, in one line."""
    return textwrap.shorten(f"{type(error).__name__}: {error}", 200, placeholder="…")


@contextmanager
def only(files: Iterable[Path]) -> Iterator[str]:
    """Yield a folder of links to these files, so that nothing but what `checksums` covers is found
    there."""
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            os.symlink(file.resolve(), os.path.join(folder, file.name))
        yield folder


def checksums(name: str, folder: str | Path) -> dict[str, str]:
    """SHA-256 of an encoder's files, by file; raises InputError as `whole` does."""
    sums = {}
    for path in whole(name, folder):
        with open(path, "rb") as file:
            sums[path.name] = hashlib.file_digest(file, "sha256").hexdigest()
    return sums


@contextmanager
def model_folder(
    settings: dict, folder: str | None, sentences: Iterable[str], source: str
) -> Iterator[str]:
    """The folder of an encoder whose checksums are listed in `source` (`InputError` where the files
    are others); one with random weights, which has none, is made of a set's words, and not kept."""
    if folder:
        if checksums(settings["name"], folder) != settings["files"]:
            raise InputError(
                f"{folder}: not the files that {source} lists. Delete that list to use these."
            )
        yield folder
        return
    with tempfile.TemporaryDirectory() as made:
        build_random(made, sentences, settings["hidden_size"], settings["layers"], settings["seed"])
        settings["files"] = checksums(settings["name"], made)
        yield made


def build_random(
    folder: str | Path, sentences: Iterable[str], hidden_size: int, layers: int, seed: int
) -> None:
    """Make an encoder with random weights whose vocabulary is the sentences' words.

    It knows equal tokens from different ones, and nothing of what they mean: enough to try the
    pipeline, to test and to time it.
    """
    import numpy as np
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast
    from transformers.utils import logging

    logging.disable_progress_bar()
    normalizer = normalizers.BertNormalizer(lowercase=False)
    splitter = pre_tokenizers.BertPreTokenizer()
    words = {
        word
        for sentence in sentences
        for word, _ in splitter.pre_tokenize_str(normalizer.normalize_str(sentence))
    }
    special = {f"{kind}_token": f"[{kind.upper()}]" for kind in ("pad", "unk", "cls", "sep")}
    known = [*special.values(), *sorted(words - set(special.values()))]
    vocabulary = {word: i for i, word in enumerate(known)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizer, splitter
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_max_length=512, **special
    ).save_pretrained(folder)

    model = BertModel(
        BertConfig(
            vocab_size=len(vocabulary),
            hidden_size=hidden_size,
            num_hidden_layers=layers,
            num_attention_heads=1 if hidden_size % 64 else hidden_size // 64,
            intermediate_size=4 * hidden_size,
        )
    )
    # Uniform weights in exact steps, about as wide as BERT's: every processor draws the same,
    # whereas PyTorch's normal numbers differ in the last digit.
    rng = np.random.default_rng(seed)
    with torch.no_grad():
        for weight in model.parameters():
            if weight.dim() > 1:
                drawn = rng.random(tuple(weight.shape), dtype=np.float32) - np.float32(0.5)
                weight.copy_(torch.from_numpy(drawn / 16))
        # Embeddings of positions are a quarter as wide as those of tokens.
        model.embeddings.position_embeddings.weight *= 0.25
    model.save_pretrained(folder)
