"""Difficulties that a model gives, against plain transformers, one segment at a time."""

import hashlib
import json
import shutil

import numpy as np
import pytest
import torch
from conftest import make_evalset
from safetensors.torch import load_file, save_file
from transformers import AutoConfig, AutoModelForSequenceClassification, AutoTokenizer, BertModel

from mt_difficulty.difficulty import make_estimator
from mt_difficulty.errors import InputError, Missing
from mt_difficulty.settings import DifficultySettings

pytestmark = pytest.mark.usefixtures("one_thread")

CONFIG, SETTINGS, WEIGHTS = "config.json", "tokenizer_config.json", "model.safetensors"
LENGTH = 24
CLOSE = {"rtol": 0, "atol": 1e-5}
SIZES = {
    "hidden_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "initializer_range": 0.5,  # so that segments differ by more than the tolerance
}


def save_classifier(folder, kind, labels=1, **sizes):
    """Put a classifier of random weights into a folder that has a tokenizer."""
    torch.manual_seed(3)
    config = AutoConfig.for_model(kind, num_labels=labels, **SIZES, **sizes)
    AutoModelForSequenceClassification.from_config(config).save_pretrained(folder)
    edit(folder, SETTINGS, model_max_length=LENGTH)
    return folder


def edit(folder, name, **changes):
    """Change keys of a JSON file."""
    content = json.loads((folder / name).read_text())
    (folder / name).write_text(json.dumps(content | changes))


@pytest.fixture(scope="module")
def bert(small_bert, tmp_path_factory):
    folder = shutil.copytree(small_bert, tmp_path_factory.mktemp("models") / "bert")
    return save_classifier(folder, "bert", vocab_size=400, max_position_embeddings=LENGTH + 2)


@pytest.fixture(scope="module")
def roberta(small_roberta, tmp_path_factory):
    folder = shutil.copytree(small_roberta, tmp_path_factory.mktemp("models") / "roberta")
    return save_classifier(folder, "roberta", vocab_size=600, max_position_embeddings=LENGTH + 2)


@pytest.fixture
def copy(bert, tmp_path):
    """A folder to spoil."""
    return shutil.copytree(bert, tmp_path / "model")


@pytest.fixture
def segments(texts):
    """Source segments: some empty, one much longer than the model takes, one twice."""
    return [*texts[:20], "", " \t", " ".join(texts[:12]), texts[0], "  Ja ", *texts[20:40]]


def estimate(folder, segments, threads=1, **options):
    arguments = {"folder": str(folder), "device": "cpu", **options}
    settings = DifficultySettings("model", arguments)
    estimator = make_estimator(settings)
    estimator.threads = threads
    values = estimator.estimate(make_evalset([segments] * 2, segments), folder)
    return values, estimator.signature


def plain(folder, segments):
    """Transformers' own, one segment at a time."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    found = []
    for segment in segments:
        inputs = tokenizer(segment.strip(), truncation=True, return_tensors="pt")
        with torch.inference_mode():
            found.append(model(**inputs).logits.item())
    return np.array(found)


@pytest.mark.parametrize(
    ("kind", "padding"),
    [*((kind, 0) for kind in "bert roberta deberta-v2 modernbert gpt2".split()), ("gpt2", None)],
)
def test_values_are_transformers(request, small_bert, tmp_path, segments, kind, padding):
    if kind == "roberta":
        folder = request.getfixturevalue(kind)
    else:
        folder = shutil.copytree(small_bert, tmp_path / kind)
        save_classifier(folder, kind, vocab_size=400, pad_token_id=padding)
    found, _ = estimate(folder, segments)
    np.testing.assert_allclose(found, plain(folder, segments), **CLOSE)


def test_a_model_of_quality_has_its_sign_turned(bert, segments):
    found, signature = estimate(bert, segments)
    turned, signature_of_turned = estimate(bert, segments, higher_is_harder=False)
    np.testing.assert_array_equal(turned, -found)
    known = hashlib.sha256((bert / WEIGHTS).read_bytes()).hexdigest()
    assert signature == f"model:bert|sha256:{known[:12]}|device:cpu"
    assert signature_of_turned == f"{signature}|sign:turned"


def test_a_tokenizer_that_gives_no_token_for_an_empty_segment(copy):
    edit(copy, "tokenizer.json", post_processor=None)
    edit(copy, SETTINGS, tokenizer_class="PreTrainedTokenizerFast", cls_token=None, sep_token=None)
    np.testing.assert_array_equal(np.isfinite(estimate(copy, ["Ja", "Nein"])[0]), True)
    with pytest.raises(Missing, match=r"^segment 2 is empty: the model gets no token of it$"):
        estimate(copy, ["Ja", "", "Nein"])


# What cannot be used: the way to spoil it, and what the message says.


def pickled(folder):
    weights = AutoModelForSequenceClassification.from_pretrained(folder).state_dict()
    torch.save(weights, folder / "pytorch_model.bin")
    (folder / WEIGHTS).unlink()


def without_head(folder):
    BertModel.from_pretrained(folder).save_pretrained(folder)
    edit(folder, CONFIG, architectures=["BertForSequenceClassification"])


def config(**changes):
    return lambda folder: edit(folder, CONFIG, **changes)


CODE = {"AutoModelForSequenceClassification": "own.Own"}
REFUSED = {
    "no folder": (shutil.rmtree, "no folder {}. It must hold config.json, "),
    "no config": (
        lambda folder: (folder / CONFIG).unlink(),
        "no config.json: put the whole model there. Estimates of a model that is not in the format "
        "of transformers, or that needs code of its own, can be given as a file",
    ),
    "pickled weights": (pickled, "Pickled weights are not loaded, because they can run code"),
    "two labels": (
        lambda folder: save_classifier(folder, "bert", labels=2, vocab_size=400),
        "config.json: expected a model of one number a text (num_labels 1), found 2 labels.",
    ),
    "another head": (
        config(architectures=["BertForMaskedLM"]),
        "expected an architecture named …ForSequenceClassification, found BertForMaskedLM.",
    ),
    "code of its own": (config(auto_map=CODE), "the model needs code of its own (auto_map)"),
    "unknown kind": (config(model_type="nonsense"), "has model type `nonsense` but Transformers"),
    "no head": (without_head, "*.safetensors lack classifier.bias, which config.json asks for."),
    "another size": (
        config(hidden_size=32),
        "*.safetensors cannot be used (ValueError: their shapes are not those",
    ),
}


def refusal(folder, segments):
    with pytest.raises(InputError) as error:
        estimate(folder, segments)
    message = str(error.value)
    assert message.startswith(f"model {folder}: ")
    assert "\n" not in message
    return message


@pytest.mark.parametrize("case", REFUSED)
def test_a_folder_without_a_regressor_is_refused(copy, case, texts):
    spoil, named = REFUSED[case]
    spoil(copy)
    assert named.format(copy) in refusal(copy, texts[:20])


def test_values_that_are_not_finite_are_refused(copy, texts):
    weights = load_file(copy / WEIGHTS)
    weights["classifier.bias"] += torch.inf
    save_file(weights, copy / WEIGHTS, {"format": "pt"})
    assert "its value of source segment 1 is inf, no finite number." in refusal(copy, texts[:2])


@pytest.mark.skipif(not torch.cuda.is_available(), reason="PyTorch sees no GPU")
def test_a_gpus_values_are_the_cpus(bert, segments):
    found, signature = estimate(bert, segments, device="cuda")
    np.testing.assert_allclose(found, estimate(bert, segments)[0], rtol=0, atol=1e-4)
    assert signature.endswith("|device:cuda")
