"""What encoders have computed is kept: nothing is encoded twice, nothing damaged is trusted."""

import multiprocessing
import os
import signal
import time

import numpy as np
import pytest
import torch
from conftest import make_evalset

from mt_difficulty.embedding import encoders, set_matches
from mt_difficulty.embedding.encoding import Encoder
from mt_difficulty.embedding.kept import Kept
from mt_difficulty.embedding.matches import Matches
from mt_difficulty.embedding.matching import match_tokens

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
        one if i % 3 else other for i, (one, other) in enumerate(zip(half, reference, strict=True))
    ]
    return [half, mixed, texts[40:72], [*texts[41:72], "Ja"]]


def match(encoder, reference, systems, kept=None):
    """Matches, and the sentences that were encoded."""
    counting = Counting(encoder)
    return match_tokens(counting, reference, systems, kept=kept), counting.encoded


def assert_same(one, other):
    """Matches are equal to the last bit."""
    for name in Matches.__dataclass_fields__:
        one_array, other_array = getattr(one, name), getattr(other, name)
        assert one_array.dtype == other_array.dtype, name
        assert one_array.tobytes() == other_array.tobytes(), name


@pytest.fixture
def kept(tmp_path):
    return Kept({"encoder": 1}, tmp_path / "kept")


def test_the_same_texts_again_encode_nothing(encoder, reference, systems, kept):
    plain, encoded = match(encoder, reference, systems)
    first, again = match(encoder, reference, systems, kept)
    assert set(again) == set(encoded)
    assert_same(first, plain)
    second, none = match(encoder, reference, systems, kept)
    assert none == []
    assert_same(second, plain)


@pytest.mark.parametrize("new", range(4))
def test_a_new_system_encodes_its_new_sentences_only(encoder, reference, systems, kept, new):
    match(encoder, reference, systems[:new] + systems[new + 1 :], kept)
    found, encoded = match(encoder, reference, systems, kept)
    assert_same(found, match(encoder, reference, systems)[0])
    others = systems[:new] + systems[new + 1 :]
    pairs = {pair for system in others for pair in zip(reference, system, strict=True)}
    fresh = {h for r, h in zip(reference, systems[new], strict=True) if (r, h) not in pairs}
    expected = set(match(encoder, sorted(fresh), [sorted(fresh)])[1])
    assert set(encoded) == expected - set(match(encoder, reference, [reference])[1])


def test_a_damaged_entry_is_computed_again(encoder, reference, systems, kept):
    plain, _ = match(encoder, reference, systems, kept)
    before = sorted(path for path in kept.folder.rglob("*") if path.is_file())
    for number, path in enumerate(before):
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data if number % 2 else data[: len(data) // 2])
    found, encoded = match(encoder, reference, systems, kept)
    assert len(encoded) > 30
    assert_same(found, plain)
    assert match(encoder, reference, systems, kept)[1] == []


def work(folder, text, limit=10**9):
    kept = Kept({"encoder": 1}, folder, limit)
    for number in range(10**6):
        kept.add_embedding(f"{text} {number % 40}", np.full((5, 64), number % 40, np.float32))


def begin(*arguments):
    process = multiprocessing.get_context("fork").Process(target=work, args=arguments)
    process.start()
    return process


def test_jobs_at_once_and_a_kill_leave_whole_entries(tmp_path):
    processes = [begin(tmp_path, "x") for _ in range(2)]
    kept, seen = Kept({"encoder": 1}, tmp_path), 0
    until = time.monotonic() + 1
    while time.monotonic() < until:
        number = seen % 40
        found = kept.embedding(f"x {number}")
        assert found is None or (found == number).all()
        seen += found is not None
    for process in processes:
        os.kill(process.pid, signal.SIGKILL)
        process.join()
    assert seen > 40
    for number in range(40):
        found = kept.embedding(f"x {number}")
        assert found is None or (found == number).all()


def size(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def test_what_was_used_least_recently_goes_first(tmp_path):
    limit = 20 * 1500
    kept, array = Kept({}, tmp_path, limit), np.zeros((5, 64), np.float32)
    (tmp_path / "left by a job that was killed.part").write_bytes(bytes(5000))
    os.utime(tmp_path / "left by a job that was killed.part", (1, 1))
    for number in range(60):
        kept.add_embedding(str(number), array)
        assert kept.embedding("0") is not None  # used all the time
        assert size(tmp_path) <= 1.1 * limit + 1500
    assert kept.embedding("1") is None
    assert kept.embedding("59") is not None
    assert not list(tmp_path.glob("*.part"))


def test_a_disk_that_takes_nothing_is_no_error(encoder, reference, systems, tmp_path):
    (tmp_path / "file").write_text("no folder")
    found, _ = match(encoder, reference, systems, Kept({}, tmp_path / "file"))
    assert_same(found, match(encoder, reference, systems)[0])


def test_a_sets_arrays_are_the_same_with_and_without(small_bert, reference, systems, tmp_path):
    settings = {
        "name": "mine",
        "model": "mine",
        "layer": LAYER,
        "dtype": "float32",
        "device": "cpu",
    }
    settings["files"] = encoders.checksums("mine", small_bert)
    found = make_evalset(systems, reference)
    plain, notices = set_matches.match_set(found, settings, small_bert)
    for _ in range(2):
        arrays, given = set_matches.match_set(found, settings, small_bert, kept=tmp_path)
        assert given == notices
        assert all(
            np.asarray(arrays[key]).tobytes() == np.asarray(plain[key]).tobytes() for key in plain
        )


@pytest.mark.parametrize("change", [{"layer": 1}, {"dtype": "bfloat16"}, {"files": {"x": "y"}}])
def test_settings_have_entries_of_their_own(encoder, change):
    settings = {"files": {}, "layer": LAYER, "dtype": "float32"}
    known = set_matches.made_with(encoder, settings)
    assert set_matches.made_with(encoder, settings | change) != known


# The reasons why pairs and sentences can be kept apart.


def test_embeddings_do_not_depend_on_the_number_of_threads(small_bert, texts):
    encoder = Encoder(small_bert, LAYER, device="cpu")
    tokens = encoder.tokenize(texts)
    ids = np.split(tokens.ids, np.cumsum(tokens.lengths)[:-1])
    found = []
    for threads in (1, 2, 5):
        torch.set_num_threads(threads)
        found.append(encoder.encode(ids))
        assert torch.get_num_threads() == threads
    torch.set_num_threads(1)
    assert len(found[0]) == len(texts)
    for one, *others in zip(*found, strict=True):
        assert all(torch.equal(one, other) for other in others)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_sentences_embeddings_do_not_depend_on_the_others(small_bert, texts, threads):
    torch.set_num_threads(threads)
    encoder = Encoder(small_bert, LAYER, device="cpu")
    tokens = encoder.tokenize(texts)
    ids = np.split(tokens.ids, np.cumsum(tokens.lengths)[:-1])
    together = encoder.encode(ids)
    backwards = encoder.encode(ids[::-1])[::-1]
    for i, sentence in enumerate(ids):
        assert torch.equal(together[i], backwards[i])
        if i % 10 == 0:
            assert torch.equal(together[i], encoder.encode([sentence])[0])
    torch.set_num_threads(1)
