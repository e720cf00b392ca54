"""Folders of encoders that are spoilt, incomplete or meant to mislead: a message that names the
file, or the same scores as before; never other scores in silence, a traceback, or a job that hangs.
"""

import json
import os
import pickle
import shutil
import socket

import numpy as np
import pytest
import torch
from conftest import make_evalset
from safetensors.torch import load_file, save_file

from mt_difficulty.embedding import encoders
from mt_difficulty.embedding.matching import match_set
from mt_difficulty.errors import InputError
from mt_difficulty.metrics.bertscore import BERTScore
from mt_difficulty.settings import EncoderSettings

pytestmark = pytest.mark.usefixtures("one_thread", "no_network")

REFERENCE = ["Der Lauf um den See beginnt am Montag.", "In diesem Jahr haben Kinder gefehlt.", "Ja"]
SYSTEMS = [
    ["Der Lauf beginnt am Montag.", "In dem Jahr haben 831 Kinder gefehlt.", "Ja"],
    ["Am See beginnt der Lauf.", REFERENCE[1], "Nein"],
]
CONFIG, TOKENIZER, WEIGHTS = "config.json", "tokenizer.json", "model.safetensors"
SETTINGS, INDEX = "tokenizer_config.json", "model.safetensors.index.json"
WORDS = "embeddings.word_embeddings.weight"


@pytest.fixture
def no_network(monkeypatch):
    def refuse(*_):
        raise AssertionError("connects to the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture
def folder(small_bert, tmp_path):
    """A folder to spoil."""
    return shutil.copytree(small_bert, tmp_path / "encoder")


def evaluate(folder, systems=SYSTEMS, reference=REFERENCE):
    """Scores and signature, as a job or the command line makes them."""
    files = encoders.checksums("mine", folder)
    settings = EncoderSettings("mine", "mine", 2, device="cpu", files=files)
    arrays, _ = match_set(make_evalset(systems, reference), settings, folder)
    return BERTScore("en-de").statistics(arrays), str(arrays["signature"])


# Ways to spoil a folder


def put(name, content):
    return lambda folder: (folder / name).write_bytes(content)


def remove(*names):
    return lambda folder: [(folder / name).unlink() for name in names]


def cut(name, size):
    return lambda folder: os.truncate(folder / name, size)


def edit(name, **changes):
    """Change keys of a JSON file."""

    def spoil(folder):
        content = json.loads((folder / name).read_text()) | changes
        (folder / name).write_text(json.dumps(content))

    return spoil


def reweigh(change):
    """Change the dictionary of weights."""

    def spoil(folder):
        save_file(change(load_file(folder / WEIGHTS)), folder / WEIGHTS, {"format": "pt"})

    return spoil


def index_pickled(folder):
    """Name pickled weights by an index, in the place of the weights."""
    weights = load_file(folder / WEIGHTS)
    torch.save(weights, folder / "pytorch_model.bin")
    (folder / WEIGHTS).rename(folder / "other.safetensors")
    content = {"metadata": {}, "weight_map": dict.fromkeys(weights, "pytorch_model.bin")}
    (folder / INDEX).write_text(json.dumps(content))


def shard(folder):
    """Spread the weights over two files."""
    weights = load_file(folder / WEIGHTS)
    (folder / WEIGHTS).unlink()
    names = [f"model-0000{number}-of-00002.safetensors" for number in (1, 2)]
    places = {key: names[number % 2] for number, key in enumerate(weights)}
    for name in names:
        part = {key: value for key, value in weights.items() if places[key] == name}
        save_file(part, folder / name, {"format": "pt"})
    (folder / INDEX).write_text(json.dumps({"metadata": {}, "weight_map": places}))


class Harmful:
    """Leaves a trace where it is unpickled."""

    def __reduce__(self):
        return os.mkdir, ("unpickled",)


PICKLED = put("pytorch_model.bin", pickle.dumps(Harmful()))


def only_pickled(folder):
    PICKLED(folder)
    remove(WEIGHTS)(folder)


def fewer_words(folder):
    reweigh(lambda x: {**x, WORDS: x[WORDS][:60].clone()})(folder)
    edit(CONFIG, vocab_size=60)(folder)


OWN_CODE = {"model_type": "own", "auto_map": {"AutoConfig": "own.OwnConfig"}}
# What is refused: the way to spoil it, and the file or words that the message names.
REFUSED = {
    # Weights that are not safetensors of the folder, or would be other ones
    "index names pickled weights": (index_pickled, "pytorch_model.bin is no file in"),
    "pickled weights alone": (only_pickled, "no safetensors"),
    "adapter": (put("adapter_config.json", b"{}"), "adapter_config.json"),
    "quantization_config": (edit(CONFIG, quantization_config={"quant_method": "gptq"}), CONFIG),
    "8-bit weights": (reweigh(lambda x: {**x, WORDS: x[WORDS].to(torch.int8)}), WEIGHTS),
    # Files that are missing or cut off
    "no config": (remove(CONFIG), CONFIG),
    "no tokenizer": (remove(TOKENIZER, "vocab.txt"), "no tokenizer"),
    "tokenizer cut off": (cut(TOKENIZER, 1000), "tokenizer"),
    "weights cut off": (cut(WEIGHTS, 50_000), WEIGHTS),
    # Config, weights and tokenizer that do not belong together
    "weights without a layer": (
        reweigh(lambda x: {key: x[key] for key in x if "layer.1." not in key}),
        "lack encoder.layer.1.",
    ),
    "config of an unknown kind": (edit(CONFIG, model_type="nonsense"), CONFIG),
    "config of code that is not run": (edit(CONFIG, **OWN_CODE), CONFIG),
    "fewer layers than asked for": (edit(CONFIG, num_hidden_layers=1), "no layer 2, only 0 to 1"),
    "tokenizer of a larger vocabulary": (fewer_words, "embeddings of 60 tokens"),
}


@pytest.mark.parametrize(("spoil", "named"), REFUSED.values(), ids=REFUSED)
def test_a_spoilt_folder_is_refused(folder, spoil, named, monkeypatch, tmp_path):
    spoil(folder)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as error:
        evaluate(folder)
    message = str(error.value)
    assert message.startswith(("encoder mine", f"encoder {folder}"))
    assert str(folder) in message
    assert named in message
    assert "\n" not in message
    assert not (tmp_path / "unpickled").exists()


# What changes nothing, and whether the signature is the same: that of files beside the model is.
HARMLESS = {
    "pickled weights beside": (PICKLED, True),
    "code beside": (put("modeling_own.py", b"raise SystemExit"), True),
    "shards": (shard, False),
    "extra weights": (reweigh(lambda x: {**x, "head.weight": torch.zeros(3, 3)}), False),
    "huge model_max_length": (edit(SETTINGS, model_max_length=10**30), False),
}


@pytest.mark.parametrize(("spoil", "same"), HARMLESS.values(), ids=HARMLESS)
def test_what_is_not_asked_for_changes_no_score(folder, spoil, same, small_bert, monkeypatch):
    expected, signature = evaluate(small_bert)
    spoil(folder)
    monkeypatch.chdir(folder.parent)
    scores, changed = evaluate(folder)
    np.testing.assert_array_equal(scores, expected)
    assert (changed == signature) == same
    assert not (folder.parent / "unpickled").exists()


def test_a_tokenizer_without_special_tokens_scores_empty_segments_0(folder):
    """As GPT-2's, which adds no tokens at the start and the end of a sentence."""
    edit(TOKENIZER, post_processor=None)(folder)
    bare = {"tokenizer_class": "PreTrainedTokenizerFast", "cls_token": None, "sep_token": None}
    edit(SETTINGS, **bare)(folder)
    scores, _ = evaluate(folder, [[*SYSTEMS[0], "Ja"], ["", "", "", ""]], [*REFERENCE, " "])
    assert scores[0, :3].min() > 0
    np.testing.assert_array_equal(scores[0, 3], 0)
    np.testing.assert_array_equal(scores[1], 0)
