"""Tokens and embeddings against plain transformers, one sentence at a time."""

import shutil

import numpy as np
import pytest
import torch
from conftest import SMALL
from transformers import AutoConfig, AutoModel, AutoTokenizer

from mt_difficulty.embedding.encoding import Encoder, Regressor
from mt_difficulty.errors import InputError

pytestmark = pytest.mark.usefixtures("one_thread")

LAYER = 2
CLOSE = {"rtol": 0, "atol": 1e-6}
SENTENCES = [
    "Der Lauf um den See beginnt am Montag um 16 Uhr.",
    "",
    " \t ",
    "  Über 831 Kinder\u00a0–  wirklich? ",
    "Ja",
    "日本 ♞ Żółw",
]


@pytest.fixture(params=["bert", "roberta"])
def folder(request):
    return request.getfixturevalue(f"small_{request.param}")


@pytest.fixture
def encoder(folder):
    return Encoder(folder, LAYER, device="cpu")


def plain_ids(folder, sentence, **options):
    """What transformers makes of a sentence; a RoBERTa gets a space before the first word."""
    sentence = sentence.strip()
    space = " " if "roberta" in folder.name and sentence else ""
    return AutoTokenizer.from_pretrained(folder)(space + sentence, **options)["input_ids"]


def plain_embeddings(folder, ids, layer=LAYER):
    model = AutoModel.from_pretrained(folder).eval()
    with torch.inference_mode():
        states = model(torch.tensor([ids]), output_hidden_states=True).hidden_states
    return torch.nn.functional.normalize(states[layer][0], dim=-1)


def encode(encoder, sentences):
    return encoder.encode(encoder.tokenize(sentences).split("ids"))


def test_a_long_sentence_is_truncated_as_transformers_does(encoder, folder, texts):
    sentences = [" ".join(texts[:12]), texts[0], " ".join(texts[20:40])]
    tokens = encoder.tokenize(sentences)
    assert tokens.truncated.tolist() == [True, False, True]
    assert tokens.lengths[0] == tokens.lengths[2] == 64
    found = [ids.tolist() for ids in tokens.split("ids")]
    assert found == [plain_ids(folder, sentence, truncation=True) for sentence in sentences]
    encoded = encode(encoder, sentences)
    for sentence, ids, embeddings in zip(sentences, found, encoded, strict=True):
        expected = plain_embeddings(folder, ids)
        np.testing.assert_allclose(embeddings, expected, **CLOSE, err_msg=sentence)


@pytest.mark.parametrize("layer", [0, 1, 2, 3])
def test_embeddings_are_the_layers_of_length_1(folder, layer):
    encoder = Encoder(folder, layer, device="cpu")
    assert len(encoder.model.encoder.layer) == layer
    for sentence, embeddings in zip(SENTENCES, encode(encoder, SENTENCES), strict=True):
        expected = plain_embeddings(folder, plain_ids(folder, sentence), layer)
        assert embeddings.dtype == torch.float32, sentence
        np.testing.assert_allclose(embeddings, expected, **CLOSE, err_msg=sentence)
        np.testing.assert_allclose(embeddings.norm(dim=-1), 1, **CLOSE, err_msg=sentence)


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind",
    [
        *("albert", "bart", "deberta-v2", "distilbert", "electra", "mpnet", "t5", "xlm"),
        "longformer",
        "xlnet",
    ],
)
def test_layers_of_other_models_are_bert_scores(kind, small_bert, tmp_path, texts):
    from bert_score.utils import get_model

    folder = shutil.copytree(small_bert, tmp_path / kind)  # for the tokenizer
    sizes = {"max_position_embeddings": 66} if kind != "xlnet" else {"d_head": 8}
    sizes |= {"vocab_size": 400, "pad_token_id": 0, "decoder_layers": 1, **SMALL}
    torch.manual_seed(3)
    AutoModel.from_config(AutoConfig.for_model(kind, **sizes)).save_pretrained(folder)
    encoder = Encoder(folder, LAYER, device="cpu")
    ids = encoder.tokenize(texts[:3]).split("ids")
    model = get_model(str(folder), LAYER)
    for sentence, embeddings in zip(ids, encoder.encode(ids), strict=True):
        with torch.inference_mode():
            expected = model(torch.tensor(sentence[None].astype(int)))[0][0]
        expected = torch.nn.functional.normalize(expected, dim=-1)
        np.testing.assert_allclose(embeddings, expected, **CLOSE, err_msg=f"ids {sentence}")


@pytest.mark.parametrize("layer", [-1, 4])
def test_a_layer_that_does_not_exist(small_bert, layer):
    with pytest.raises(InputError, match=f"there is no layer {layer}, only 0 to 3"):
        Encoder(small_bert, layer, device="cpu")


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_gpu_that_is_not_there(small_bert):
    with pytest.raises(InputError, match="device cuda: PyTorch sees no GPU"):
        Encoder(small_bert, LAYER, "cuda")
    with pytest.raises(InputError, match="device cuda: PyTorch sees no GPU"):
        Regressor(small_bert, "cuda")
    assert Encoder(small_bert, LAYER, device="auto").device.type == "cpu"
