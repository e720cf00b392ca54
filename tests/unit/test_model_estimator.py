"""Difficulties that a model gives, against plain transformers, one segment at a time."""

import hashlib
import json
import shutil

import numpy as np
import pytest
import small_run
import torch
from conftest import make_evalset
from transformers import AutoConfig, AutoModelForSequenceClassification, AutoTokenizer, BertModel

from mt_difficulty import storage
from mt_difficulty.difficulty import make_estimator
from mt_difficulty.embedding.regressor import Regressor
from mt_difficulty.errors import InputError, Missing

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
    settings = {"type": "model", "folder": str(folder), "device": "cpu", **options}
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


@pytest.mark.parametrize("name", ["bert", "roberta"])
def test_values_are_transformers(request, name, segments):
    folder = request.getfixturevalue(name)
    found, _ = estimate(folder, segments)
    expected = plain(folder, segments)
    assert found.shape == (len(segments),)
    assert found.dtype == np.float64
    assert np.ptp(expected) > 0.1
    np.testing.assert_allclose(found, expected, **CLOSE)


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("deberta-v2", {"pad_token_id": 0}),
        ("modernbert", {"pad_token_id": 0}),
        ("gpt2", {"pad_token_id": 0}),
        ("gpt2", {"pad_token_id": None}),
    ],
)
def test_values_of_other_models_are_transformers(small_bert, tmp_path, segments, kind, options):
    folder = shutil.copytree(small_bert, tmp_path / kind)
    save_classifier(folder, kind, vocab_size=400, **options)
    found, _ = estimate(folder, segments)
    np.testing.assert_allclose(found, plain(folder, segments), **CLOSE)


def test_values_do_not_depend_on_the_order_of_segments(bert, segments):
    found, _ = estimate(bert, segments)
    order = np.random.default_rng(1).permutation(len(segments))
    again, _ = estimate(bert, [segments[i] for i in order])
    assert again.tobytes() == found[order].tobytes()
    assert segments[0] == segments[23]
    assert found[0] == found[23]


def test_values_have_the_same_bytes_with_any_number_of_threads(bert, segments):
    one, two, five = (estimate(bert, segments, threads)[0].tobytes() for threads in (1, 2, 5))
    assert one == two == five


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
    assert np.isfinite(estimate(copy, ["Ja", "Nein"])[0]).all()
    with pytest.raises(Missing, match=r"^segment 2 is empty: the model gets no token of it$"):
        estimate(copy, ["Ja", "", "Nein"])


# What cannot be used; each way is told before the run but for those that need transformers


def pickled(folder):
    weights = AutoModelForSequenceClassification.from_pretrained(folder).state_dict()
    torch.save(weights, folder / "pytorch_model.bin")
    (folder / WEIGHTS).unlink()


def without_head(folder):
    BertModel.from_pretrained(folder).save_pretrained(folder)
    edit(folder, CONFIG, architectures=["BertForSequenceClassification"])


REFUSED = {
    "no folder": (shutil.rmtree, "no folder {}. It must hold config.json, "),
    "no config": (
        lambda folder: (folder / CONFIG).unlink(),
        "no config.json: put the whole model there. Estimates of a model that is not in the format "
        "of transformers, or that needs code of its own, can be given as a file (difficulties, "
        "type: file).",
    ),
    "pickled weights": (
        pickled,
        "Pickled weights (pytorch_model.bin) are not loaded, because they can run code: where you "
        "trust them, convert them with transformers (from_pretrained, then save_pretrained).",
    ),
    "two labels": (
        lambda folder: save_classifier(folder, "bert", labels=2, vocab_size=400),
        "config.json: expected a model of one number a text (num_labels 1), found 2 labels.",
    ),
    "another head": (
        lambda folder: edit(folder, CONFIG, architectures=["BertForMaskedLM"]),
        "config.json: expected an architecture named …ForSequenceClassification, found "
        "BertForMaskedLM. Estimates of a model that is not",
    ),
    "code of its own": (
        lambda folder: edit(
            folder, CONFIG, auto_map={"AutoModelForSequenceClassification": "own.Own"}
        ),
        "config.json: the model needs code of its own (auto_map), which is not run. Estimates of",
    ),
}
REFUSED_WHEN_LOADED = {
    "unknown kind": (
        lambda folder: edit(folder, CONFIG, model_type="nonsense"),
        "has no model of model_type nonsense, and code of the model's own is not run. Estimates of",
    ),
    "no head": (without_head, "*.safetensors lack classifier.bias, which config.json asks for."),
    "another size": (
        lambda folder: edit(folder, CONFIG, hidden_size=32),
        "*.safetensors cannot be used (ValueError: their shapes are not those",
    ),
}


def check_message(error, folder, named):
    message = str(error)
    assert message.startswith(f"model {folder}: ")
    assert named.format(folder) in message
    assert "\n" not in message


@pytest.mark.parametrize("case", REFUSED | REFUSED_WHEN_LOADED)
def test_a_folder_without_a_regressor_is_refused(copy, case, texts):
    spoil, named = (REFUSED | REFUSED_WHEN_LOADED)[case]
    spoil(copy)
    with pytest.raises(InputError) as error:
        estimate(copy, texts[:20])
    check_message(error.value, copy, named)


def test_values_that_are_not_finite_are_refused(copy, texts):
    from safetensors.torch import load_file, save_file

    weights = load_file(copy / WEIGHTS)
    weights["classifier.bias"] += torch.inf
    save_file(weights, copy / WEIGHTS, {"format": "pt"})
    with pytest.raises(InputError) as error:
        estimate(copy, texts[:2])
    check_message(error.value, copy, "its value of source segment 1 is inf, no finite number.")


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_gpu_that_is_not_there(bert):
    with pytest.raises(InputError, match=r"^model, device cuda: PyTorch sees no GPU"):
        Regressor(bert, "cuda")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="PyTorch sees no GPU")
def test_a_gpus_values_are_the_cpus(bert, segments):
    found, signature = estimate(bert, segments, device="cuda")
    np.testing.assert_allclose(found, estimate(bert, segments)[0], rtol=0, atol=1e-4)
    assert signature.endswith("|device:cuda")


# Before a run, and in one


def test_a_job_writes_the_models_difficulty(bert, tmp_path, monkeypatch, texts):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(bert.parent))
    systems = dict.fromkeys(["ash", "elm", "oak"], texts[:5])
    small_run.write_own_files(tmp_path / "own", texts[:5], systems)
    mine = {"mine": {"type": "model", "folder": "~/bert", "device": "cpu"}}
    plan = small_run.plan_run("own", "results", {"chrF": "chrf"}, difficulties=mine)
    (name,) = plan.sets
    assert plan.model_folder(name, "mine") == str(bert)
    assert plan.model_folder(name, "length") is None
    small_run.read_own_set(plan, name)
    small_run.estimate(plan, name, "mine")
    found = storage.read_arrays(plan.difficulty_file(name, "mine"))
    expected, signature = estimate(bert, texts[:5])
    np.testing.assert_array_equal(found["difficulty"], [expected] * 3)
    assert (str(found["information"]), str(found["signature"])) == ("source", signature)
