"""Which segments are shown, and sentences in pieces."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_difficulty.page.segment_view import choose_segments, difficulty_pieces, ranked
from mt_difficulty.papers.case_studies import chunk_pieces


def test_segments_are_the_first_of_each_ranking():
    rankings = {
        "entropy": np.array([0.1, 0.9, 0.5, 0.9]),
        "EE": np.array([np.nan, 0.0, 0.3, np.nan]),
    }
    assert [ranked(values) for values in rankings.values()] == [[1, 3, 2, 0], [2, 1]]
    assert choose_segments(rankings, {"entropy": 2, "EE": 1}) == [1, 2, 3]
    assert choose_segments(rankings, {"entropy": 1, "EE": 4}) == [1, 2]


def test_nothing_is_chosen_by_what_is_not_known():
    assert choose_segments({"entropy": np.array([np.nan, np.inf])}, {"entropy": 5}) == [1]
    assert ranked(np.array([np.nan, -np.inf, 0.0])) == [2, 1]


@pytest.mark.parametrize(
    ("sentence", "tokens", "chunks", "expected"),
    [
        ("a b c d", "a b c d".split(), [0, 0, -1, 1], [("a b", 0), (" c ", -1), ("d", 1)]),
        ("  a  b ", ["a", "b"], [0, 0], [("  ", -1), ("a  b", 0), (" ", -1)]),
        ("这 是不", ["这", "是", "不"], [-1, 0, 1], [("这 ", -1), ("是", 0), ("不", 1)]),
        ("a a", ["a", "a"], [-1, -1], [("a a", -1)]),
        ("", [], [], []),
    ],
)
def test_chunks_are_pieces_of_the_sentence(sentence, tokens, chunks, expected):
    assert chunk_pieces(sentence, tokens, np.array(chunks, dtype=int)) == expected


@given(st.lists(st.tuples(st.sampled_from(["a", "bb", "🙂", "ab"]), st.booleans()), max_size=12))
def test_pieces_join_to_the_sentence(words):
    tokens = [word for word, _ in words]
    matched = np.array([known for _, known in words], dtype=bool)
    chunks = np.where(matched, np.cumsum(np.diff(matched, prepend=False) & matched) - 1, -1)
    pieces = chunk_pieces(" ".join(tokens), tokens, chunks)
    assert "".join(text for text, _ in pieces) == " ".join(tokens)
    assert [chunk for _, chunk in pieces if chunk >= 0] == list(range(chunks.max(initial=-1) + 1))


def test_tokens_of_a_reference_keep_their_difficulty():
    # Both tokens of the second word share a character, as bytes of one may.
    offsets, difficulty = np.array([[0, 3], [4, 6], [5, 8]]), np.array([0.123, 0.5, 0.75])
    found = difficulty_pieces("der Haus!", offsets, difficulty)
    assert found == [("der", 0.12), (" ", None), ("Ha", 0.5), ("us", 0.75), ("!", None)]
    assert difficulty_pieces("x", offsets[:0], difficulty[:0]) == [("x", None)]
