"""Folders of encoders that are spoilt, incomplete or meant to mislead: a message that names the
file, or the same scores as before; never other scores in silence, a traceback, or a job that hangs.
"""

import json
import os
import pickle
import re
import shutil
import socket

import numpy as np
import pytest
import torch
import yaml
from conftest import make_evalset
from safetensors.torch import load_file, save_file

from mt_difficulty.cli import main
from mt_difficulty.embedding import encoders
from mt_difficulty.embedding.set_matches import match_set
from mt_difficulty.errors import InputError
from mt_difficulty.metrics.bertscore import BERTScore

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
    """A folder to spoil, with one beside it and one inside of it."""
    (tmp_path / "beside").mkdir()
    shutil.copy(small_bert / WEIGHTS, tmp_path / "beside")
    folder = shutil.copytree(small_bert, tmp_path / "encoder")
    shutil.copytree(small_bert, folder / "sub")
    return folder


def evaluate(folder, **settings):
    """Scores and signature, as a job or the command line makes them."""
    settings = {"name": "mine", "model": "mine", "layer": 2, "dtype": "float32", **settings}
    settings |= {"device": "cpu", "files": encoders.checksums("mine", folder)}
    arrays, _ = match_set(make_evalset(SYSTEMS, REFERENCE), settings, folder)
    return BERTScore("en-de").statistics(arrays), str(arrays["signature"])


@pytest.fixture(scope="module")
def expected(small_bert):
    return evaluate(small_bert)


# Ways to spoil a folder


def put(name, content):
    return lambda folder: (folder / name).write_bytes(content)


def remove(*names):
    return lambda folder: [(folder / name).unlink() for name in names]


def edit(name, **changes):
    """Change keys of a JSON file."""

    def spoil(folder):
        content = json.loads((folder / name).read_text())
        (folder / name).write_text(json.dumps(content | changes))

    return spoil


def drop(name, key):
    def spoil(folder):
        content = json.loads((folder / name).read_text())
        del content[key]
        (folder / name).write_text(json.dumps(content))

    return spoil


def cut(name, size):
    return lambda folder: os.truncate(folder / name, size)


def reweigh(change):
    """Change the dictionary of weights."""

    def spoil(folder):
        weights = load_file(folder / WEIGHTS)
        save_file(change(weights), folder / WEIGHTS, {"format": "pt"})

    return spoil


def index(shard, name=INDEX):
    """Name a file by an index of weights, in the place of the weights."""

    def spoil(folder):
        weights = load_file(folder / WEIGHTS)
        torch.save(weights, folder / "pytorch_model.bin")
        (folder / WEIGHTS).rename(folder / "other.safetensors")
        target = shard.format(folder=folder)
        content = {"metadata": {}, "weight_map": dict.fromkeys(weights, target)}
        (folder / name).write_text(json.dumps(content))

    return spoil


class Harmful:
    """Leaves a trace where it is unpickled."""

    def __reduce__(self):
        return os.mkdir, ("unpickled",)


PICKLED = pickle.dumps(Harmful())


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


# What is refused: the way to spoil it, and the file or words that the message names.
REFUSED = {
    # Weights that are not safetensors of the folder
    "index names pickled weights": (index("pytorch_model.bin"), "*.safetensors"),
    "index names what is not there": (index("gone.safetensors"), "*.safetensors"),
    "pickled weights alone": (
        lambda folder: (put("pytorch_model.bin", PICKLED)(folder), remove(WEIGHTS)(folder)),
        "no safetensors",
    ),
    # Weights that would be other ones
    "adapter": (put("adapter_config.json", b"{}"), "adapter_config.json"),
    "quantization_config": (edit(CONFIG, quantization_config={"quant_method": "gptq"}), CONFIG),
    "8-bit weights": (
        reweigh(lambda weights: {**weights, WORDS: weights[WORDS].to(torch.int8)}),
        WEIGHTS,
    ),
    # Files that are no files
    "dangling link": (
        lambda folder: (remove(WEIGHTS)(folder), (folder / WEIGHTS).symlink_to("gone")),
        "no safetensors",
    ),
    # Files that are cut off or of another kind
    "no config": (remove(CONFIG), CONFIG),
    "no tokenizer": (
        remove(TOKENIZER, "vocab.txt"),
        "no tokenizer",
    ),
    "tokenizer cut off": (cut(TOKENIZER, 1000), "tokenizer"),
    "weights cut off": (cut(WEIGHTS, 50_000), WEIGHTS),
    # Config, weights and tokenizer that do not belong together
    "weights without a layer": (
        reweigh(lambda weights: {k: v for k, v in weights.items() if "layer.1." not in k}),
        "lack encoder.layer.1.",
    ),
    "config of another kind": (edit(CONFIG, model_type="distilbert"), "*.safetensors"),
    "config of an unknown kind": (edit(CONFIG, model_type="nonsense"), CONFIG),
    "config of code that is not run": (
        edit(CONFIG, model_type="own", auto_map={"AutoConfig": "own.OwnConfig"}),
        CONFIG,
    ),
    "fewer layers than asked for": (edit(CONFIG, num_hidden_layers=1), "no layer 2, only 0 to 1"),
    "tokenizer of a larger vocabulary": (
        lambda folder: (
            reweigh(lambda weights: {**weights, WORDS: weights[WORDS][:60].clone()})(folder),
            edit(CONFIG, vocab_size=60)(folder),
        ),
        "embeddings of 60 tokens",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_spoilt_folder_is_refused(folder, case, monkeypatch, tmp_path):
    spoil, named = REFUSED[case]
    spoil(folder)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as error:
        evaluate(folder)
    message = str(error.value)
    assert message.startswith(("encoder mine", f"encoder {folder}"))
    assert str(folder) in message
    assert named in message
    assert re.search(r"\.( [A-Z(].*)?$", message)
    assert "\n" not in message
    assert not (tmp_path / "unpickled").exists()


# What changes nothing: files that are not the model's, or that say what is not asked of them


def link_all(folder):
    """The layout of the hub's cache: names are links to files kept elsewhere."""
    (folder.parent / "blobs").mkdir()
    for number, path in enumerate(sorted(folder.glob("*.*"))):
        path.rename(folder.parent / "blobs" / str(number))
        path.symlink_to(f"../blobs/{number}")


UNREAD = {  # beside the model: the signature is the same
    "pickled weights beside": put("pytorch_model.bin", PICKLED),
    "code beside": put("modeling_own.py", b"raise SystemExit"),
    "links to the hub's cache": link_all,
}
HARMLESS = {  # in the model's files, so that the signature tells
    "shards": shard,
    "extra weights": reweigh(lambda weights: {**weights, "head.weight": torch.zeros(3, 3)}),
    "no pooler": reweigh(
        lambda weights: {key: value for key, value in weights.items() if "pooler" not in key}
    ),
    "more layers in the weights": edit(CONFIG, num_hidden_layers=2),
    "huge model_max_length": edit(SETTINGS, model_max_length=10**30),
    "no model_max_length": drop(SETTINGS, "model_max_length"),
}


@pytest.mark.parametrize("case", UNREAD | HARMLESS)
def test_what_is_not_asked_for_changes_no_score(folder, case, expected, monkeypatch, tmp_path):
    (UNREAD | HARMLESS)[case](folder)
    monkeypatch.chdir(tmp_path)
    scores, signature = evaluate(folder)
    np.testing.assert_array_equal(scores, expected[0])
    assert (signature == expected[1]) == (case in UNREAD)
    assert not (tmp_path / "unpickled").exists()


# Tokenizers that add no special tokens, as GPT-2's


def bare(folder):
    """Leave out the tokens at the start and the end of a sentence."""
    content = json.loads((folder / TOKENIZER).read_text())
    (folder / TOKENIZER).write_text(json.dumps(content | {"post_processor": None}))
    edit(SETTINGS, tokenizer_class="PreTrainedTokenizerFast", cls_token=None, sep_token=None)(
        folder
    )


def test_a_tokenizer_without_special_tokens_scores_empty_segments_0(folder, monkeypatch):
    bare(folder)
    monkeypatch.setattr(f"{__name__}.SYSTEMS", [[*SYSTEMS[0], "Ja"], ["", "", "", ""]])
    monkeypatch.setattr(f"{__name__}.REFERENCE", [*REFERENCE, " "])
    scores, _ = evaluate(folder)
    assert (scores[0, :3] > 0).all()
    assert (scores[0, 3] == 0).all()
    assert (scores[1] == 0).all()


# The command line


def test_the_command_line_refuses_without_a_traceback(folder, capsys, tmp_path):
    spoil, named = REFUSED["weights cut off"]
    spoil(folder)
    for name, lines in zip(["ref.txt", "a.txt", "b.txt"], [REFERENCE, *SYSTEMS], strict=True):
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    texts = ["--ref", tmp_path / "ref.txt", "--hyp", tmp_path / "a.txt", tmp_path / "b.txt"]
    options = ["--lang", "de", "--metric", "bertscore", "--encoder", folder, "--layer", 2]
    capsys.readouterr()  # progress bars of the model that was made
    assert main([str(argument) for argument in ["score", *texts, *options]]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert re.match("ERROR: (--)?encoder ", err)
    assert named in err


# A run


def all_nan(folder):
    reweigh(lambda weights: {**weights, WORDS: weights[WORDS].fill_(torch.nan)})(folder)


@pytest.mark.slow
def test_a_run_ends_with_the_message(project, folder):
    all_nan(folder)
    config = {
        "results": "results/spoilt",
        "archive": "data/demo/archive",
        "papers": [],
        "evaluation_sets": [
            {"campaign": "demo", "pair": "en-de", "reference": "refA", "gold": "mqm"}
        ],
        "metrics": {"BERTScore": {"type": "bertscore"}},
        "encoders": {"mine": {"folder": str(folder), "layer": 2, "device": "cpu"}},
        "substitute_encoders": {"de": "mine"},
    }
    (project.root / "spoilt.yaml").write_text(yaml.safe_dump(config))
    matches = "results/spoilt/demo/en-de/matches/mine.npz"
    output = project.snakemake(matches, "--configfile", "spoilt.yaml", fails=True)
    assert "ERROR: encoder mine" in output
    assert "is not finite, so that it has no similarity" in output
    assert "Traceback" not in output
    assert not (project.root / matches).exists()
