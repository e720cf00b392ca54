"""Find, download and check encoders (transformers models); build one with random weights."""

import csv
import json
import tempfile
import textwrap
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from importlib.metadata import distribution
from pathlib import Path

from ..data.download import checksum
from ..errors import InputError, Missing
from ..settings import EncoderSettings

CONFIG, INDEX = "config.json", ".safetensors.index.json"
FLOATS = {"F64", "F32", "F16", "BF16"}
WHOLE = ".whole"  # beside a download's files: all have arrived
# What an encoder consists of; pickled weights and other frameworks' are left where they are.
PATTERNS = ("*.safetensors", "*.json", "*.txt", "*.model")
NEEDED = {
    CONFIG: [CONFIG],
    "tokenizer": ["tokenizer.json", "vocab.txt", "vocab.json", "*.model"],
    "safetensors": ["*.safetensors"],
}


def default_layer(model: str) -> int | None:
    """Return the index of bert-score's default layer for a model; None for an unknown model."""
    from bert_score.utils import model2layers

    return model2layers.get(model)


def baseline(model: str, layer: int, language: str) -> tuple[float, ...] | None:
    """Return bert-score's baselines (precision, recall, F) to rescale by; None if it has none."""
    folder = Path(str(distribution("bert-score").locate_file("bert_score/rescale_baseline")))
    path = folder / language / f"{model}.tsv"
    if not path.is_file():
        return None
    with open(path, encoding="utf-8") as file:
        rows = {int(row["LAYER"]): row for row in csv.DictReader(file)}
    return tuple(float(rows[layer][key]) for key in "PRF") if layer in rows else None


def hub_folder(name: str, revision: str) -> Path:
    """Return the folder to download an encoder into: `data/encoders/<name>-<revision>`."""
    return Path("data/encoders") / f"{name}-{revision.replace('/', '-')}"


def download(name: str, hub: str, revision: str, folder: Path) -> None:
    """Download an encoder from the hub into a folder, unless it is complete already. Raises
    `Missing` where the hub has no safetensors weights, `InputError` where the download fails."""
    from huggingface_hub import HfApi, hf_hub_download

    if arrived(folder):
        return
    try:
        info = HfApi().model_info(hub, revision=revision)
        files = [file.rfilename for file in info.siblings or [] if _wanted(file.rfilename)]
        if there := any(file.endswith(".safetensors") for file in files):
            for file in files:
                hf_hub_download(hub, file, revision=info.sha, local_dir=folder)
    except Exception as error:  # whatever the hub's client raises
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise InputError(
            f"encoder {name}: {hub} at revision {revision} could not be fetched ({reason}), and "
            f"{folder} does not hold it. Two ways out: leave neural metrics out (make paper "
            f"NEURAL=no), or name a folder that holds the model (config, encoders, {name}: folder)."
        ) from error
    if not there:
        raise Missing(
            f"{hub} at revision {revision} has no safetensors, and pickled weights are not loaded; "
            f"name a revision that has them, or a folder with the converted model (config, "
            f"encoders, {name})"
        )
    (folder / WHOLE).touch()


def arrived(folder: Path) -> bool:
    """Return whether the encoder download into this folder has been completed."""
    return (folder / WHOLE).exists()


def _wanted(file: str) -> bool:
    return "/" not in file and any(fnmatch(file, pattern) for pattern in PATTERNS)


def files_of(folder: str | Path) -> list[Path]:
    """Return the model files in a folder, sorted: weights, configuration and tokenizer."""
    return sorted(path for path in Path(folder).glob("*") if _wanted(path.name) and path.is_file())


def whole(name: str, folder: str | Path, role: str = "encoder") -> list[Path]:
    """Check the files of a model and list them, sorted; messages call it `role`. Raises
    `InputError` where the configuration, tokenizer or safetensors are missing or damaged, or the
    folder holds an adapter or quantized weights."""
    from safetensors import safe_open

    files = files_of(folder)
    names = {file.name for file in files}
    for what, patterns in NEEDED.items():
        if any(fnmatch(file, pattern) for file in names for pattern in patterns):
            continue
        there = f"no {what} in {folder}" if Path(folder).is_dir() else f"no folder {folder}"
        convert = ""
        if what == "safetensors" and any(Path(folder).glob("pytorch_model*.bin")):
            convert = (
                " Pickled weights are not loaded, because they can run code: where you trust them, "
                "convert them with transformers (from_pretrained, then save_pretrained)."
            )
        raise InputError(
            f"{role} {name}: {there}. It must hold config.json, a tokenizer "
            f"({', '.join(NEEDED['tokenizer'])}) and the weights as *.safetensors: copy the whole "
            f"model, or name another folder.{convert}"
        )
    for file in files:
        problem, quantized, shards = "", False, set()
        try:
            if file.suffix == ".safetensors":
                with safe_open(file, "numpy") as weights:
                    # Names of integer tensors (masks, positions) do not end in `weight`.
                    keys = [key for key in sorted(weights.keys()) if key.endswith("weight")]
                    types = {weights.get_slice(key).get_dtype() for key in keys}
                quantized = not types <= FLOATS
            elif file.suffix == ".json":
                content = json.loads(file.read_text("utf-8"))
                quantized = file.name == CONFIG and bool(content.get("quantization_config"))
                shards = {*content["weight_map"].values()} if file.name.endswith(INDEX) else set()
        except Exception as error:  # whatever the readers of a spoilt file raise
            problem = f"cannot be read ({shorten(error)}). Put the model's own file there."
        if strange := sorted(shards - names):
            problem = f"{strange[0]} is no file in safetensors here. Put it there."
        elif quantized:
            problem = "quantized weights are not loaded. Name a folder with the model before that."
        elif file.name == "adapter_config.json":
            problem = (
                "an adapter (PEFT) is not applied. Merge it into the model (merge_and_unload), "
                "save that, and name its folder."
            )
        if problem:
            raise InputError(f"{role} {name}: {file}: {problem}")
    return files


def shorten(error: Exception) -> str:
    """Return an exception's type and message as one line of at most 200 characters."""
    return textwrap.shorten(f"{type(error).__name__}: {error}", 200, placeholder="…")


def checksums(name: str, folder: str | Path) -> dict[str, str]:
    """Return an encoder's SHA-256 by file name; `InputError` if a file is missing or damaged."""
    return {path.name: checksum(path) for path in whole(name, folder)}


@contextmanager
def model_folder(
    settings: EncoderSettings, folder: str | None, sentences: Iterable[str], source: str
) -> Iterator[tuple[EncoderSettings, str]]:
    """Yield an encoder's settings with checksums of its files, and its folder. Raises `InputError`
    where the files are not those that `source` lists. Without a folder, build a temporary encoder
    with random weights."""
    if folder:
        if checksums(settings.name, folder) != settings.files:
            raise InputError(
                f"{folder}: not the files that {source} lists. Delete that list to use these."
            )
        yield settings, folder
        return
    with tempfile.TemporaryDirectory() as random:
        build_random(random, sentences, settings.hidden_size, settings.layers, settings.seed)
        yield settings._replace(files=checksums(settings.name, random)), random


def build_random(
    folder: str | Path, sentences: Iterable[str], hidden_size: int, layers: int, seed: int
) -> None:
    """Write an encoder with random weights whose vocabulary is the words of the sentences. It
    distinguishes equal from different tokens, which is enough for trials, tests and timing."""
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
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=512, **special)
    fast.save_pretrained(folder)

    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=hidden_size,
        num_hidden_layers=layers,
        num_attention_heads=1 if hidden_size % 64 else hidden_size // 64,
        intermediate_size=4 * hidden_size,
    )
    model = BertModel(config)
    # Uniform weights in exact steps, about as wide as BERT's, are equal on all processors; the
    # last digits of PyTorch's normal random numbers are not.
    rng = np.random.default_rng(seed)
    with torch.no_grad():
        for weight in model.parameters():
            if weight.dim() > 1:
                drawn = rng.random(tuple(weight.shape), dtype=np.float32) - np.float32(0.5)
                weight.copy_(torch.from_numpy(drawn / 16))
        # Embeddings of positions are a quarter as wide as those of tokens.
        model.embeddings.position_embeddings.weight *= 0.25
    model.save_pretrained(folder)
