"""What is wrong with a file of an encoder's folder, before transformers reads it."""

import json
import textwrap
from pathlib import Path

CONFIG = "config.json"
INDEX = ".safetensors.index.json"  # ends the name of a list of which file holds which weight
FLOATS = ("F64", "F32", "F16", "BF16")
OBJECTS = (CONFIG, "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json")


def shorten(error: Exception) -> str:
    """What an error is, in one line."""
    return textwrap.shorten(f"{type(error).__name__}: {error}", 200, placeholder="…")


def problem_of(file: Path, names: set[str]) -> str | None:
    """Why a file of an encoder that consists of `names` cannot be used, and what to do."""
    if not file.is_file():  # opening a FIFO would wait for ever
        return "not a regular file. Put the model's own file there."
    if file.name == "adapter_config.json":
        return (
            "an adapter (PEFT) is not applied. Merge it into the model (merge_and_unload), save "
            "that, and name its folder."
        )
    stray = quantized = None
    if file.suffix == ".safetensors":
        quantized = _quantized_weight(file)
    elif file.name in OBJECTS or file.name.endswith(INDEX):
        content = _read_object(file)
        stray = _stray_file(content, names)
        quantized = "quantization_config" if content.get("quantization_config") else None
    if stray:
        return (
            f"it names {stray}, which is no file of this folder, or weights that are no "
            "safetensors. Put all files of the model into the folder."
        )
    return quantized and (
        f"quantized weights ({quantized}) are not loaded. Name a folder with the model as it was "
        "before."
    )


def _stray_file(content: dict, names: set[str]) -> str | None:
    """A file that transformers would read because this content names it, and should not."""
    shards = set(map(str, content.get("weight_map", {}).values()))
    others = set(map(str, content.get("fast_tokenizer_files") or []))
    others.add(str(content.get("transformers_weights") or CONFIG))
    weights = {name for name in names if name.endswith(".safetensors")}
    return min((shards - weights) | (others - names), default=None)


def _quantized_weight(file: Path) -> str | None:
    """A weight with less than 16 bits a number; masks and positions, which are integers, are not
    called weights."""
    from safetensors import safe_open

    with safe_open(file, "numpy") as weights:
        names = [name for name in sorted(weights.keys()) if name.endswith("weight")]
        types = [weights.get_slice(name).get_dtype() for name in names]
    found = (name for name, kind in zip(names, types, strict=True) if kind not in FLOATS)
    return next(found, None)


def _read_object(path: Path) -> dict:
    found = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(found, dict):
        raise ValueError("expected a JSON object")
    return found
