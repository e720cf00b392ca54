"""Chunk entropy against a loop written from Eq. 2 and 3, and the paper's Table 1."""

from itertools import groupby
from math import inf, log10

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_difficulty.difficulty.aligners import exact
from mt_difficulty.difficulty.chunk_entropy import chunk_entropy


def entropy_by_hand(matched, zero_links):
    chunks = [len(list(run)) for is_matched, run in groupby(matched) if is_matched]
    if not chunks:
        return zero_links
    return -sum(c / sum(chunks) * log10(c / sum(chunks)) for c in chunks)


hypotheses = st.lists(st.lists(st.booleans(), max_size=12), max_size=8)


@given(hypotheses)
def test_equals_the_papers_sum(matched):
    flat = np.array([token for hypothesis in matched for token in hypothesis], dtype=bool)
    lengths = np.array([len(hypothesis) for hypothesis in matched], dtype=int)
    expected = [entropy_by_hand(hypothesis, inf) for hypothesis in matched]
    np.testing.assert_allclose(chunk_entropy(flat, lengths, "infinite"), expected, atol=1e-12)


@pytest.mark.parametrize(("name", "value"), [("zero", 0.0), ("infinite", inf)])
def test_no_link_follows_the_named_convention(name, value):
    entropy = chunk_entropy(np.zeros(3, dtype=bool), np.array([2, 0, 1]), name)
    assert entropy.tolist() == [value] * 3


@pytest.mark.parametrize(
    ("hypothesis", "published"),  # Liu et al. 2022, Table 1
    [
        ("A tiger stays in the woods", 0.0),
        ("A sheep stays in the woods", 0.217),
        ("A stays sheep in the woods", 0.292),
    ],
)
def test_table_1(hypothesis, published):
    links = exact.align(["A tiger stays in the woods".split()], [[hypothesis.split()]])[0]
    entropy = chunk_entropy(links >= 0, np.array([len(hypothesis.split())]))
    assert round(entropy[0], 3) == published


words = st.lists(st.sampled_from("abcd"), max_size=6)


@given(st.lists(st.tuples(words, words), max_size=5))
def test_exact_links_every_token_to_its_first_occurrence(segments):
    reference, system = [r for r, _ in segments], [h for _, h in segments]
    links = exact.align(reference, [system])[0]
    expected = [r.index(token) if token in r else -1 for r, h in segments for token in h]
    assert links.tolist() == expected
