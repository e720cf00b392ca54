"""Matches against full similarity matrices, one pair of sentences at a time."""

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from mt_difficulty.embedding.encoding import Encoder
from mt_difficulty.embedding.matches import Matches
from mt_difficulty.embedding.matching import match_tokens

pytestmark = pytest.mark.usefixtures("one_thread")

LAYER = 2
CLOSE = {"rtol": 0, "atol": 1e-6}

REFERENCE = [
    "Der Lauf um den See beginnt am Montag.",
    "",
    "In diesem Jahr haben 831 Kinder am Kurs in Lindental teilgenommen.",
    "Ja",
    " \t",
    "Der Lauf um den See beginnt am Montag.",  # twice
    "Der Lauf um den See, der Lauf um den Hof",
]
HYPOTHESES = [
    # Itself, something for nothing, nothing for something, spaces at the ends.
    [REFERENCE[0], "etwas", "", "Ja", "", f" {REFERENCE[0]} ", "Der See"],
    ["Um den See", "", "831 Kinder, 831 Kinder", "Nein", "Der Lauf", "\u00a0", REFERENCE[6]],
    ["Um den See", " ", REFERENCE[0], "Ja", "", "Um den See", "Der Lauf um den Hof, der See!"],
]


@pytest.fixture(scope="module", params=["bert", "roberta"])
def folder(request):
    return request.getfixturevalue(f"small_{request.param}")


@pytest.fixture(scope="module")
def encoder(folder):
    return Encoder(folder, LAYER, device="cpu")


@pytest.fixture(scope="module")
def expected(folder):
    """Every array of `Matches` but the numbers of types, from loops over pairs and tokens."""
    tokenizer = AutoTokenizer.from_pretrained(folder, add_prefix_space=True)
    model = AutoModel.from_pretrained(folder).eval()

    def embed(sentence):
        ids = tokenizer([sentence.strip()], return_tensors="pt").input_ids
        with torch.inference_mode():
            states = model(ids, output_hidden_states=True).hidden_states[LAYER][0]
        return ids[0, 1:-1].tolist(), torch.nn.functional.normalize(states, dim=-1).numpy()

    found = {"reference": [embed(sentence) for sentence in REFERENCE], "pairs": []}
    for system in HYPOTHESES:
        row = []
        for (_, reference), sentence in zip(found["reference"], system, strict=True):
            ids, hypothesis = embed(sentence)
            row.append((ids, hypothesis @ reference.T))
        found["pairs"].append(row)
    return found


@pytest.fixture(scope="module")
def matches(encoder):
    return match_tokens(encoder, REFERENCE, HYPOTHESES)


def by_sentence(values, lengths):
    return np.split(values, np.cumsum(lengths)[:-1])


def of_hypotheses(matches, name):
    """An array of hypothesis tokens as systems × segments."""
    values = by_sentence(getattr(matches, name), matches.hypothesis_lengths.ravel())
    segments = len(matches.reference_lengths)
    return [values[i : i + segments] for i in range(0, len(values), segments)]


def same(one, other):
    """Whether matches are equal, similarities to 1e-6."""
    for name in Matches.__dataclass_fields__:
        kind = {"atol": 1e-6} if "similarity" in name else {"atol": 0}
        np.testing.assert_allclose(
            getattr(one, name), getattr(other, name), rtol=0, **kind, err_msg=name
        )


# Every array


def test_reference_similarities(matches, expected):
    for system, row in enumerate(expected["pairs"]):
        best = np.concatenate([similarity.max(axis=0)[1:-1] for _, similarity in row])
        np.testing.assert_allclose(matches.reference_similarity[system], best, **CLOSE)
    assert matches.reference_similarity.dtype == np.float32


def test_hypothesis_similarities(matches, expected):
    rows = [similarity.max(axis=1)[1:-1] for row in expected["pairs"] for _, similarity in row]
    np.testing.assert_allclose(matches.hypothesis_similarity, np.concatenate(rows), **CLOSE)
    assert matches.hypothesis_similarity.dtype == np.float32


def test_hypothesis_positions(matches, expected):
    found = of_hypotheses(matches, "hypothesis_position")
    compared = 0
    for system, row in enumerate(expected["pairs"]):
        for segment, (_, similarity) in enumerate(row):
            inside = similarity[1:-1, 1:-1]
            if inside.shape[1] == 0:
                assert (found[system][segment] == -1).all()
                continue
            # Similarities that are equal but for rounding may take either place.
            chosen = np.take_along_axis(inside, found[system][segment][:, None].astype(int), 1)
            np.testing.assert_allclose(chosen[:, 0], inside.max(axis=1), **CLOSE)
            compared += len(inside)
    assert compared > 90


def test_types(matches, expected):
    types = by_sentence(matches.reference_type, matches.reference_lengths)
    number = {}
    for segment, (ids, _) in enumerate(expected["reference"]):
        for token, kind in zip(ids, types[segment], strict=True):
            assert number.setdefault((segment, token), kind) == kind
    assert sorted(number.values()) == list(range(len(number)))
    found = of_hypotheses(matches, "hypothesis_type")
    for system, row in enumerate(expected["pairs"]):
        for segment, (ids, _) in enumerate(row):
            assert found[system][segment].tolist() == [
                number.get((segment, token), -1) for token in ids
            ]


def test_offsets(matches, encoder):
    offsets = by_sentence(matches.reference_offsets, matches.reference_lengths)
    ids = by_sentence(matches.reference_ids, matches.reference_lengths)
    for sentence, spans, tokens in zip(REFERENCE, offsets, ids, strict=True):
        for (start, end), token in zip(spans, tokens, strict=True):
            text = encoder.tokenizer.decode([token]).removeprefix("##").strip()
            assert sentence.strip()[start:end] == text


def test_truncated_segments_are_counted(encoder, texts):
    long = " ".join(texts[:12])
    found = match_tokens(
        encoder, ["Ja", long, "Ja", long], [["Ja", long, long, "Ja"], ["Ja"] * 4, [long] * 4]
    )
    assert found.truncated.tolist() == [2, 2, 0, 4]
    assert found.reference_lengths.max() == 62


# Sentences


def test_a_systems_matches_do_not_depend_on_the_others(encoder, matches):
    for number, system in enumerate(HYPOTHESES):
        alone = match_tokens(encoder, REFERENCE, [system])
        np.testing.assert_allclose(
            alone.reference_similarity[0], matches.reference_similarity[number], **CLOSE
        )
        place = matches.hypothesis_place // len(REFERENCE) == number
        np.testing.assert_allclose(
            alone.hypothesis_similarity, matches.hypothesis_similarity[place], **CLOSE
        )
        assert (alone.hypothesis_type == matches.hypothesis_type[place]).all()


class Opposed:
    """An encoder to which hypotheses, marked by an exclamation mark, are the reverse."""

    def __init__(self, encoder):
        self.encoder, self.tokenize = encoder, encoder.tokenize
        self.block_tokens = encoder.block_tokens
        (self.mark,) = encoder.tokenizer.convert_tokens_to_ids(["!"])

    def encode(self, ids):
        signs = [-1.0 if self.mark in sentence else 1.0 for sentence in ids]
        return [
            torch.tensor([[sign, 0.0]]).expand(len(sentence), 2)
            for sign, sentence in zip(signs, ids, strict=True)
        ]


def test_a_best_similarity_below_0_stays(encoder):
    """Also where hypotheses are padded to the length of another."""
    found = match_tokens(
        Opposed(encoder), ["Der Lauf", "Ja"], [["Ja!", "Nein!"], ["Der Lauf um den See!", "Ja!"]]
    )
    assert (found.reference_similarity == -1).all()
    assert (found.hypothesis_similarity == -1).all()


# Work and memory


@pytest.mark.parametrize("size", [1, 20, 60])
def test_small_blocks_give_the_same(encoder, matches, monkeypatch, size):
    monkeypatch.setattr(encoder, "block_tokens", size)
    seen = []

    def progress(blocks):
        seen.extend(blocks)
        return blocks

    same(match_tokens(encoder, REFERENCE, HYPOTHESES, progress), matches)
    assert len(seen) > 2
    pairs = {
        (reference.strip(), hypothesis.strip())
        for system in HYPOTHESES
        for reference, hypothesis in zip(REFERENCE, system, strict=True)
    }
    assert sum(len(block) for block in seen) == len(pairs) < 21


@pytest.mark.skipif(not torch.cuda.is_available(), reason="PyTorch sees no GPU")
@pytest.mark.parametrize(("dtype", "atol"), [("float32", 1e-5), ("bfloat16", 0.05)])
def test_a_gpus_matches_are_the_cpus(folder, matches, dtype, atol):
    found = match_tokens(Encoder(folder, LAYER, "cuda", dtype), REFERENCE, HYPOTHESES)
    for name in ("reference_similarity", "hypothesis_similarity"):
        np.testing.assert_allclose(getattr(found, name), getattr(matches, name), rtol=0, atol=atol)
    np.testing.assert_array_equal(found.hypothesis_type, matches.hypothesis_type)
