"""Embeddings that are not finite are an error that names the token, and never a score."""

import shutil

import numpy as np
import pytest
from conftest import make_evalset
from safetensors.torch import load_file, save_file

from mt_difficulty.embedding import encoders
from mt_difficulty.embedding.encoding import Encoder
from mt_difficulty.embedding.matching import match_set
from mt_difficulty.errors import InputError
from mt_difficulty.settings import EncoderSettings

pytestmark = pytest.mark.usefixtures("one_thread")

LAYER = 2
REFERENCE = ["Ja", "Der Lauf um den See beginnt am Montag.", "In diesem Jahr", ""]
SYSTEMS = [
    ["Ja", "Der Lauf beginnt am See.", "In dem Jahr", "Ja"],
    ["Ja", "Am Montag beginnt der Lauf.", "In diesem Jahr, 16 Uhr", ""],
]
WORDS = "embeddings.word_embeddings.weight"
LAST = f"encoder.layer.{LAYER - 1}.output.LayerNorm.weight"


@pytest.fixture
def folder(small_bert, tmp_path):
    return shutil.copytree(small_bert, tmp_path / "encoder")


def spoil(folder, name, change):
    """Change a weight in its place."""
    weights = load_file(folder / "model.safetensors")
    change(weights[name])
    save_file(weights, folder / "model.safetensors", {"format": "pt"})


def match(folder, dtype="float32"):
    files = encoders.checksums("mine", folder)
    settings = EncoderSettings("mine", "mine", LAYER, dtype, "cpu", files=files)
    return match_set(make_evalset(SYSTEMS, REFERENCE), settings, folder)[0]


def refusal(folder, dtype="float32"):
    with pytest.raises(InputError) as error:
        match(folder, dtype)
    message = str(error.value)
    assert message.startswith(f"encoder mine ({folder}), layer {LAYER}, {dtype}: the embedding of")
    assert ("dtype: float32" in message) == (dtype != "float32")
    return message


@pytest.mark.parametrize("value", [np.nan, -np.inf])
@pytest.mark.parametrize(
    ("text", "place"),
    [("Montag", "segment 2 of the reference"), ("16", "segment 3 of system S1")],
)
def test_the_first_token_that_is_not_finite_is_named(folder, value, text, place):
    """Attention spreads it over the sentence, so that the sentence's first token is named."""
    number = int(Encoder(folder, LAYER, device="cpu").tokenize([text]).ids[1])
    spoil(folder, WORDS, lambda rows: rows[number].fill_(value))
    assert f"token '[CLS]' in {place} is not finite" in refusal(folder)


def test_an_overflow_of_float16_is_an_error_and_float32_is_not(folder, small_bert):
    spoil(folder, LAST, lambda weight: weight.fill_(60_000))
    assert "range" in refusal(folder, "float16")
    for encoder, dtype in ((folder, "float32"), (folder, "bfloat16"), (small_bert, "float16")):
        finite = np.isfinite(match(encoder, dtype)["reference_similarity"])
        np.testing.assert_array_equal(finite, True, err_msg=dtype)
