"""Find, download and check encoders (transformers models); build one with random weights."""

import csv
import json
import tempfile
import textwrap
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from importlib.metadata import distribution
from pathlib import Path

from ..data.download import checksum
from ..errors import InputError, Missing
from ..settings import EncoderSettings

CONFIG = "config.json"
INDEX = ".safetensors.index.json"  # end of the name of a file that lists the files of weights
# Names of the number of layers in the configs of model families.
DEPTHS = ("num_hidden_layers", "num_layers", "n_layers", "n_layer")
FLOATS = {"F64", "F32", "F16", "BF16"}
COMPLETE = ".whole"  # marker file in a folder whose download is complete
CHOOSE_LAYER = (
    "To choose one by human scores of another set: mt-difficulty layers SET --encoder FOLDER."
)
# Files of an encoder. Pickled weights and those of other frameworks are not among them.
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


def depth(folder: str | Path) -> int | None:
    """Return the number of a model's layers as its config.json states it; None if it does not."""
    config = json.loads(Path(folder, CONFIG).read_text(encoding="utf-8"))
    depths = [config[key] for key in DEPTHS if isinstance(config.get(key), int)]
    return depths[0] if depths else None


def baseline(model: str, layer: int, language: str) -> tuple[float, ...] | None:
    """Return bert-score's baselines by which similarities are rescaled.

    Parameters
    ----------
    model : str
        Name of the model.
    layer : int
        Layer of the embeddings.
    language : str
        Code of the language.

    Returns
    -------
    tuple of float or None
        Baselines of precision, recall and F; None if bert-score has none.
    """
    folder = Path(str(distribution("bert-score").locate_file("bert_score/rescale_baseline")))
    path = folder / language / f"{model}.tsv"
    if not path.is_file():
        return None
    with open(path, encoding="utf-8") as file:
        rows = {int(row["LAYER"]): row for row in csv.DictReader(file)}
    if layer not in rows:
        return None
    return tuple(float(rows[layer][key]) for key in "PRF")


def hub_folder(name: str, revision: str) -> Path:
    """Return the folder to download an encoder into: `data/encoders/<name>-<revision>`."""
    return Path("data/encoders") / f"{name}-{revision.replace('/', '-')}"


def download(name: str, hub: str, revision: str, folder: Path) -> None:
    """Download an encoder from the hub into a folder, unless it is complete already.

    Parameters
    ----------
    name : str
        Name of the encoder in the config, for messages.
    hub : str
        Name of the model on the hub.
    revision : str
        Commit, branch or tag of the model.
    folder : Path

    Raises
    ------
    InputError
        If the download fails.
    Missing
        If the hub has no safetensors weights of the model.
    """
    from huggingface_hub import HfApi, hf_hub_download

    if arrived(folder):
        return
    try:
        info = HfApi().model_info(hub, revision=revision)
        all_files = [file.rfilename for file in info.siblings or []]
        files = [file for file in all_files if _is_of_model(file)]
        has_weights = any(file.endswith(".safetensors") for file in files)
        if has_weights:
            for file in files:
                hf_hub_download(hub, file, revision=info.sha, local_dir=folder)
    except Exception as error:  # whatever the hub's client raises
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise InputError(
            f"encoder {name}: {hub} at revision {revision} could not be fetched ({reason}), and "
            f"{folder} does not hold it. Two ways out: leave neural metrics out (make paper "
            f"NEURAL=no), or name a folder that holds the model (config, encoders, {name}: folder)."
        ) from error
    if not has_weights:
        raise Missing(
            f"{hub} at revision {revision} has no safetensors, and pickled weights are not loaded; "
            f"name a revision that has them, or a folder with the converted model (config, "
            f"encoders, {name})"
        )
    (folder / COMPLETE).touch()


def arrived(folder: Path) -> bool:
    """Return whether the encoder download into this folder has been completed."""
    return (folder / COMPLETE).exists()


def _is_of_model(file: str) -> bool:
    """Return whether a file name is that of weights, configuration or tokenizer."""
    return "/" not in file and any(fnmatch(file, pattern) for pattern in PATTERNS)


def files_of(folder: str | Path) -> list[Path]:
    """Return the model files in a folder, sorted: weights, configuration and tokenizer."""
    paths = Path(folder).glob("*")
    return sorted(path for path in paths if _is_of_model(path.name) and path.is_file())


def checked_files(name: str, folder: str | Path, role: str = "encoder") -> list[Path]:
    """Check the files of a model, and list them.

    Parameters
    ----------
    name : str
        Name of the model, for messages.
    folder : path
    role : str
        What messages call the model.

    Returns
    -------
    list of Path
        Weights, configuration and tokenizer, sorted.

    Raises
    ------
    InputError
        If the configuration, tokenizer or safetensors weights are missing or damaged, or the folder
        holds an adapter or quantized weights.
    """
    files = files_of(folder)
    names = {file.name for file in files}
    for part, patterns in NEEDED.items():
        if not any(fnmatch(file, pattern) for file in names for pattern in patterns):
            raise InputError(f"{role} {name}: {_missing_part(part, Path(folder))}")
    for file in files:
        problem = _problem_of(file, names)
        if problem:
            raise InputError(f"{role} {name}: {file}: {problem}")
    return files


def _missing_part(part: str, folder: Path) -> str:
    """Return the error text for a folder without one of the parts of a model (NEEDED)."""
    missing = f"no {part} in {folder}" if folder.is_dir() else f"no folder {folder}"
    convert = ""
    if part == "safetensors" and any(folder.glob("pytorch_model*.bin")):
        convert = (
            " Pickled weights are not loaded, because they can run code: where you trust them, "
            "convert them with transformers (from_pretrained, then save_pretrained)."
        )
    return (
        f"{missing}. It must hold config.json, a tokenizer "
        f"({', '.join(NEEDED['tokenizer'])}) and the weights as *.safetensors: copy the whole "
        f"model, or name another folder.{convert}"
    )


def _problem_of(file: Path, names: Collection[str]) -> str:
    """Return what is wrong with a model's file; empty if it is as it should be. `names` are those
    of all files of the model."""
    from safetensors import safe_open

    is_quantized = False
    shards: set[str] = set()
    unreadable = ""
    try:
        if file.suffix == ".safetensors":
            with safe_open(file, "numpy") as weights:
                # Names of integer tensors (masks, positions) do not end in `weight`.
                keys = [key for key in sorted(weights.keys()) if key.endswith("weight")]
                types = {weights.get_slice(key).get_dtype() for key in keys}
            is_quantized = not types <= FLOATS
        elif file.suffix == ".json":
            content = json.loads(file.read_text("utf-8"))
            if file.name == CONFIG:
                is_quantized = bool(content.get("quantization_config"))
            if file.name.endswith(INDEX):
                shards = set(content["weight_map"].values())
    except Exception as error:  # whatever the readers of a damaged file raise
        unreadable = f"cannot be read ({shorten(error)}). Put the model's own file there."
    missing_shards = sorted(shards.difference(names))
    if missing_shards:
        return f"{missing_shards[0]} is no file in safetensors here. Put it there."
    if is_quantized:
        return "quantized weights are not loaded. Name a folder with the model before that."
    if file.name == "adapter_config.json":
        return (
            "an adapter (PEFT) is not applied. Merge it into the model (merge_and_unload), "
            "save that, and name its folder."
        )
    return unreadable


def shorten(error: Exception) -> str:
    """Return an exception's type and message as one line of at most 200 characters."""
    return textwrap.shorten(f"{type(error).__name__}: {error}", 200, placeholder="…")


def checksums(name: str, folder: str | Path) -> dict[str, str]:
    """Return an encoder's SHA-256 by file name; `InputError` if a file is missing or damaged."""
    return {path.name: checksum(path) for path in checked_files(name, folder)}


@contextmanager
def model_folder(
    settings: EncoderSettings, folder: str | None, sentences: Iterable[str], source: str
) -> Iterator[tuple[EncoderSettings, str]]:
    """Yield an encoder's settings with checksums of its files, and its folder.

    Parameters
    ----------
    settings : EncoderSettings
    folder : str or None
        Folder of the model. Without one, a temporary encoder with random weights is built.
    sentences : iterable of str
        Sentences whose words are the vocabulary of the encoder with random weights.
    source : str
        File that lists the checksums in `settings`, for messages.

    Yields
    ------
    tuple of EncoderSettings and str

    Raises
    ------
    InputError
        If the files of the folder are not those that `source` lists.
    """
    if folder:
        if checksums(settings.name, folder) != settings.files:
            raise InputError(
                f"{folder}: not the files that {source} lists. Delete that list to use these."
            )
        yield settings, folder
        return
    with tempfile.TemporaryDirectory() as temporary:
        build_random(temporary, sentences, settings.hidden_size, settings.layers, settings.seed)
        yield settings._replace(files=checksums(settings.name, temporary)), temporary


def build_random(
    folder: str | Path, sentences: Iterable[str], hidden_size: int, layers: int, seed: int
) -> None:
    """Write an encoder with random weights whose vocabulary is the words of the sentences. It
    distinguishes equal from different tokens, which is enough for trials, tests and timing.

    Parameters
    ----------
    folder : path
    sentences : iterable of str
    hidden_size : int
        Dimensions of an embedding.
    layers : int
    seed : int
        Seed of the random weights.
    """
    from transformers.utils import logging

    logging.disable_progress_bar()
    vocabulary_size = _write_word_tokenizer(folder, sentences)
    _write_random_model(folder, vocabulary_size, hidden_size, layers, seed)


def _write_word_tokenizer(folder: str | Path, sentences: Iterable[str]) -> int:
    """Write a tokenizer whose tokens are the words of the sentences; return their number."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    normalizer = normalizers.BertNormalizer(lowercase=False)
    splitter = pre_tokenizers.BertPreTokenizer()
    words = set()
    for sentence in sentences:
        for word, _ in splitter.pre_tokenize_str(normalizer.normalize_str(sentence)):
            words.add(word)
    special = {f"{kind}_token": f"[{kind.upper()}]" for kind in ("pad", "unk", "cls", "sep")}
    tokens = [*special.values(), *sorted(words - set(special.values()))]
    vocabulary = {token: number for number, token in enumerate(tokens)}

    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = splitter
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=512, **special)
    fast.save_pretrained(folder)
    return len(vocabulary)


def _write_random_model(
    folder: str | Path, vocabulary_size: int, hidden_size: int, layers: int, seed: int
) -> None:
    """Write a BERT model with random weights."""
    import numpy as np
    import torch
    from transformers import BertConfig, BertModel

    config = BertConfig(
        vocab_size=vocabulary_size,
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
