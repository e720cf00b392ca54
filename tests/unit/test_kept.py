"""Token matches that are kept: no pair is matched twice, nothing damaged is trusted."""

import pytest
import torch

from mt_difficulty.embedding import Matches
from mt_difficulty.embedding.encoding import Encoder
from mt_difficulty.embedding.matching import MatchCache, match_tokens

pytestmark = pytest.mark.usefixtures("one_thread")

LAYER = 2


class Counting:
    """An encoder that notes the sentences it encodes."""

    def __init__(self, encoder):
        self.encoder, self.encoded = encoder, []
        self.tokenize, self.device = encoder.tokenize, encoder.device
        self.block_tokens = 300  # several blocks

    def encode(self, ids):
        self.encoded += [self.encoder.tokenizer.decode(sentence[1:-1]) for sentence in ids]
        return self.encoder.encode(ids)


@pytest.fixture(scope="module")
def encoder(small_bert):
    return Encoder(small_bert, LAYER, device="cpu")


@pytest.fixture(scope="module")
def reference(texts):
    return [*texts[:30], "", texts[0]]


@pytest.fixture(scope="module")
def systems(texts, reference):
    """Systems with sentences of their own, some in common, and the reference's own."""
    half = [" ".join(text.split()[::-1]) for text in reference]
    mixed = [
        turned if i % 3 else text
        for i, (turned, text) in enumerate(zip(half, reference, strict=True))
    ]
    return [half, mixed, texts[40:72], [*texts[41:72], "Ja"]]


def match(encoder, reference, systems, cache=None):
    """Matches, and the sentences that were encoded."""
    counting = Counting(encoder)
    return match_tokens(counting, reference, systems, cache=cache), counting.encoded


def assert_same(first, second):
    """Matches are equal to the last bit."""
    for name in Matches.__dataclass_fields__:
        first_array, second_array = getattr(first, name), getattr(second, name)
        assert first_array.dtype == second_array.dtype, name
        assert first_array.tobytes() == second_array.tobytes(), name


def test_the_same_texts_again_encode_nothing(encoder, reference, systems, tmp_path):
    cache = MatchCache({}, tmp_path)
    plain, encoded = match(encoder, reference, systems)
    first, again = match(encoder, reference, systems, cache)
    assert set(again) == set(encoded)
    assert_same(first, plain)
    second, none = match(encoder, reference, systems, cache)
    assert none == []
    assert_same(second, plain)


@pytest.mark.parametrize("new", [0, 3])
def test_a_new_system_encodes_its_new_pairs_only(encoder, reference, systems, tmp_path, new):
    cache, others = MatchCache({}, tmp_path), systems[:new] + systems[new + 1 :]
    match(encoder, reference, others, cache)
    found, encoded = match(encoder, reference, systems, cache)
    assert_same(found, match(encoder, reference, systems)[0])
    known = {pair for system in others for pair in zip(reference, system, strict=True)}
    fresh = [pair for pair in zip(reference, systems[new], strict=True) if pair not in known]
    sentences = [sentence for pair in fresh for sentence in pair]
    assert set(encoded) == set(match(encoder, sentences, [sentences])[1])


def test_a_damaged_entry_is_computed_again(encoder, reference, systems, tmp_path):
    cache = MatchCache({}, tmp_path)
    plain, _ = match(encoder, reference, systems, cache)
    for number, path in enumerate(sorted(tmp_path.rglob("*.npz"))):
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data if number % 2 else data[: len(data) // 2])
    found, encoded = match(encoder, reference, systems, cache)
    assert len(encoded) > 30
    assert_same(found, plain)
    assert match(encoder, reference, systems, cache)[1] == []
    # A disk that takes nothing is no error.
    (tmp_path / "file").write_text("no folder")
    assert_same(match(encoder, reference, systems, MatchCache({}, tmp_path / "file"))[0], plain)


# The reason why pairs can be kept apart.


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_a_sentences_embeddings_depend_neither_on_others_nor_on_threads(encoder, texts, threads):
    ids = encoder.tokenize(texts).split("ids")
    expected = encoder.encode(ids)
    torch.set_num_threads(threads)
    together, backwards = encoder.encode(ids), encoder.encode(ids[::-1])[::-1]
    assert torch.get_num_threads() == threads
    for i, sentence in enumerate(ids):
        case = f"sentence {i}"
        assert torch.equal(together[i], expected[i]), case
        assert torch.equal(backwards[i], expected[i]), case
        if i % 10 == 0:
            assert torch.equal(encoder.encode([sentence])[0], expected[i]), case
    torch.set_num_threads(1)
