"""Embeddings that are not finite are an error that names the token, and never a score."""

import shutil

import numpy as np
import pytest
from conftest import make_evalset
from safetensors.torch import load_file, save_file

from mt_difficulty import cli
from mt_difficulty.embedding import encoders
from mt_difficulty.embedding.encoding import Encoder
from mt_difficulty.embedding.matches import Matches
from mt_difficulty.embedding.set_matches import match_set
from mt_difficulty.errors import InputError
from mt_difficulty.metrics import bertscore

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


def spoil_token(folder, text, value):
    """Make the row of a text's first token this value; return the token."""
    encoder = Encoder(folder, LAYER, device="cpu")
    number = int(encoder.tokenize([text]).ids[1])
    spoil(folder, WORDS, lambda rows: rows[number].fill_(value))
    return encoder.tokenizer.decode([number])


def match(folder, dtype="float32", reference=REFERENCE, systems=SYSTEMS):
    settings = {"name": "mine", "model": "mine", "layer": LAYER, "dtype": dtype, "device": "cpu"}
    settings["files"] = encoders.checksums("mine", folder)
    return match_set(make_evalset(systems, reference), settings, folder)[0]


def refusal(folder, dtype="float32", **texts):
    with pytest.raises(InputError) as error:
        match(folder, dtype, **texts)
    message = str(error.value)
    assert message.startswith(f"encoder mine ({folder}), layer {LAYER}, {dtype}: the embedding of")
    assert ("dtype: float32" in message) == (dtype != "float32")
    return message


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("Montag", "segment 2 of the reference"),
        ("dem", "segment 3 of system S0"),
        ("16", "segment 3 of system S1"),
    ],
)
def test_the_first_token_that_is_not_finite_is_named(folder, value, text, place):
    """Attention spreads it over the sentence, so that the sentence's first token is named."""
    spoil_token(folder, text, value)
    assert f"token '[CLS]' in {place} is not finite" in refusal(folder)


def test_an_overflow_of_float16_is_an_error_and_float32_is_not(folder, small_bert):
    spoil(folder, LAST, lambda weight: weight.fill_(60_000))
    assert "range" in refusal(folder, "float16")
    for dtype in ("float32", "bfloat16"):
        assert np.isfinite(match(folder, dtype)["reference_similarity"]).all()
    assert np.isfinite(match(small_bert, "float16")["reference_similarity"]).all()


def test_embeddings_of_0_are_like_nothing(folder):
    spoil(folder, LAST, lambda weight: weight.zero_())
    spoil(folder, LAST.replace("weight", "bias"), lambda bias: bias.zero_())
    arrays = match(folder)
    assert (arrays["reference_similarity"] == 0).all()
    assert (bertscore.segment_scores(Matches.from_arrays(arrays)) == 0).all()


@pytest.mark.parametrize("weighting", [[], ["--weighting", "EE", "DA"]])
def test_the_command_line_gives_no_score(folder, tmp_path, capsys, weighting):
    spoil_token(folder, "Montag", np.nan)
    paths = [tmp_path / name for name in ("ref.txt", "a.txt", "b.txt")]
    for path, lines in zip(paths, [REFERENCE, *SYSTEMS], strict=True):
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    ref, *hypotheses = map(str, paths)
    options = ["--lang", "de", "--metric", "bertscore", *weighting]
    options += ["--encoder", str(folder), "--layer", str(LAYER)]
    assert cli.main(["score", "--ref", ref, "--hyp", *hypotheses, *options]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[-1].startswith("ERROR: encoder encoder (")
    assert "segment 2 of the reference is not finite" in err


# The metric


def matches_of(similarity):
    """One token a segment, in a reference and one system."""
    size = len(similarity)
    ids, values = np.arange(size, dtype=np.int32), np.array(similarity, dtype=np.float32)
    return Matches(
        reference_lengths=np.ones(size, dtype=int),
        reference_ids=ids,
        reference_type=ids,
        reference_offsets=np.zeros((size, 2), dtype=int),
        reference_similarity=values[None],
        hypothesis_lengths=np.ones((1, size), dtype=int),
        hypothesis_ids=ids,
        hypothesis_similarity=values,
        hypothesis_position=np.zeros(size, dtype=int),
        hypothesis_type=ids,
        truncated=np.zeros(2, dtype=int),
    )


def test_precision_and_recall_of_0_give_an_f_of_0_and_nan_gives_none():
    (scores,) = bertscore.segment_scores(matches_of([0.5, 0.0, np.nan]))
    np.testing.assert_array_equal(scores, [[0.5] * 3, [0.0] * 3, [np.nan] * 3])


def test_nan_is_not_taken_for_a_token_without_weight():
    """The one token of all references weighs nothing; that gives an F of 0, as in bert-score."""
    scores = bertscore.segment_scores(matches_of([0.5]), idf=True)
    np.testing.assert_array_equal(scores, [[[np.nan, np.nan, 0.0]]])
    (scores,) = bertscore.segment_scores(matches_of([0.5, np.nan]), idf=True)
    np.testing.assert_array_equal(scores[:, 2], [0.5, np.nan])
