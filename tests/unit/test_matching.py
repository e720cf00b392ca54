"""Matches against full similarity matrices, one pair of sentences at a time; notices."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from mt_difficulty.embedding.encoding import Encoder
from mt_difficulty.embedding.matching import describe, match_tokens

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
    """Ids of the reference's tokens, and by system and segment ids and full similarity matrices."""
    tokenizer = AutoTokenizer.from_pretrained(folder, add_prefix_space=True)
    model = AutoModel.from_pretrained(folder).eval()

    def embed(sentence):
        ids = tokenizer([sentence.strip()], return_tensors="pt").input_ids
        with torch.inference_mode():
            states = model(ids, output_hidden_states=True).hidden_states[LAYER][0]
        return ids[0, 1:-1].tolist(), torch.nn.functional.normalize(states, dim=-1).numpy()

    reference = [embed(sentence) for sentence in REFERENCE]
    pairs = []
    for system in HYPOTHESES:
        rows = zip(reference, map(embed, system), strict=True)
        pairs.append([(ids, vectors @ other.T) for (_, other), (ids, vectors) in rows])
    return {"reference": [ids for ids, _ in reference], "pairs": pairs}


@pytest.fixture(scope="module")
def matches(encoder):
    return match_tokens(encoder, REFERENCE, HYPOTHESES)


def by_sentence(values, lengths):
    """Values of tokens by sentence; those of hypotheses by system and segment."""
    parts = np.split(values, np.cumsum(lengths.ravel())[:-1])
    systems = lengths.shape[0] if lengths.ndim > 1 else 1
    rows = [parts[i * len(REFERENCE) : (i + 1) * len(REFERENCE)] for i in range(systems)]
    return rows if lengths.ndim > 1 else parts


# Every array


def test_similarities(matches, expected):
    for system, row in enumerate(expected["pairs"]):
        best = np.concatenate([similarity.max(axis=0)[1:-1] for _, similarity in row])
        found, case = matches.reference_similarity[system], f"system {system}"
        np.testing.assert_allclose(found, best, **CLOSE, err_msg=case)
    rows = [similarity.max(axis=1)[1:-1] for row in expected["pairs"] for _, similarity in row]
    np.testing.assert_allclose(matches.hypothesis_similarity, np.concatenate(rows), **CLOSE)
    assert matches.reference_similarity.dtype == matches.hypothesis_similarity.dtype == np.float32


def test_hypothesis_positions(matches, expected):
    found = by_sentence(matches.hypothesis_position, matches.hypothesis_lengths)
    for system, row in enumerate(expected["pairs"]):
        for segment, (_, similarity) in enumerate(row):
            case, inside = f"system {system}, segment {segment}", similarity[1:-1, 1:-1]
            if inside.shape[1] == 0:
                np.testing.assert_array_equal(found[system][segment], -1, err_msg=case)
                continue
            # Similarities that are equal but for rounding may take either place.
            chosen = np.take_along_axis(inside, found[system][segment][:, None].astype(int), 1)
            np.testing.assert_allclose(chosen[:, 0], inside.max(axis=1), **CLOSE, err_msg=case)


def test_types(matches, expected):
    types = by_sentence(matches.reference_type, matches.reference_lengths)
    number = {}
    for segment, ids in enumerate(expected["reference"]):
        for token, kind in zip(ids, types[segment], strict=True):
            assert number.setdefault((segment, token), kind) == kind, (segment, token)
    assert sorted(number.values()) == list(range(len(number)))
    found = by_sentence(matches.hypothesis_type, matches.hypothesis_lengths)
    for system, row in enumerate(expected["pairs"]):
        for segment, (ids, _) in enumerate(row):
            kinds = [number.get((segment, token), -1) for token in ids]
            assert found[system][segment].tolist() == kinds, (system, segment)


def test_offsets(matches, encoder):
    offsets = by_sentence(matches.reference_offsets, matches.reference_lengths)
    ids = by_sentence(matches.reference_ids, matches.reference_lengths)
    for sentence, spans, tokens in zip(REFERENCE, offsets, ids, strict=True):
        for (start, end), token in zip(spans, tokens, strict=True):
            text = encoder.tokenizer.decode([token]).removeprefix("##").strip()
            assert sentence.strip()[start:end] == text, sentence


def test_truncated_segments_are_counted(encoder, texts):
    long = " ".join(texts[:12])
    systems = [["Ja", long, long, "Ja"], ["Ja"] * 4, [long] * 4]
    found = match_tokens(encoder, ["Ja", long, "Ja", long], systems)
    assert found.truncated.tolist() == [2, 2, 0, 4]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="PyTorch sees no GPU")
@pytest.mark.parametrize(("dtype", "atol"), [("float32", 1e-5), ("bfloat16", 0.05)])
def test_a_gpus_matches_are_the_cpus(folder, matches, dtype, atol):
    found = match_tokens(Encoder(folder, LAYER, "cuda", dtype), REFERENCE, HYPOTHESES)
    close = {"rtol": 0, "atol": atol}
    for name in ("reference_similarity", "hypothesis_similarity"):
        of_gpu, of_cpu = getattr(found, name), getattr(matches, name)
        np.testing.assert_allclose(of_gpu, of_cpu, **close, err_msg=name)
    np.testing.assert_array_equal(found.hypothesis_type, matches.hypothesis_type)


def test_notices(matches):
    truncated = replace(matches, truncated=np.array([0, 0, 3, 0]))
    assert describe(truncated, ["ash", "elm", "oak"], None) == [
        "segments longer than the encoder takes, truncated: elm 3",
        "segments empty, scored 0: reference 2, ash 2, elm 2, oak 2",
    ]
    ids = np.ones_like(matches.reference_ids)
    ids[: len(ids) // 4 + 1] = 7
    unknown = describe(replace(matches, reference_ids=ids), ["ash", "elm", "oak"], 7)
    assert unknown[-1].startswith("the encoder does not know 2")
