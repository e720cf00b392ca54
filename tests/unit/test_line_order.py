"""Overlap of lines, other orders of them, and the stretch that fits better elsewhere."""

import itertools

import numpy as np
import pytest

from mt_difficulty.data.line_order import (
    best_stretch,
    describe_shift,
    document_orders,
    grams,
    overlap,
    shifted,
)


def test_overlap_is_the_share_of_common_trigrams():
    assert grams("ab cd") == {"abc", "bcd"}  # white space is no character of it
    assert overlap(grams("abcd"), grams("abce")) == 2 * 1 / 4
    assert overlap(grams("same text"), grams("sametext")) == 1
    assert grams("ab") == {"ab"}
    assert grams(" \n") == frozenset()
    assert overlap(grams(""), grams("")) == 0


def test_a_stretch_is_that_of_the_largest_sum():
    rng = np.random.default_rng(1)
    for _ in range(50):
        gains = rng.normal(size=12)
        ranges = itertools.combinations(range(13), 2)
        best = max(gains[first:end].sum() for first, end in ranges)
        gain, first, end = best_stretch(gains)
        assert gain == pytest.approx(max(best, 0))
        assert gains[first:end].sum() == pytest.approx(gain)
    assert best_stretch(np.array([-1.0, -2.0])) == (0, 0, 0)


def test_documents_are_sorted_as_text_and_as_numbers():
    documents = ["d10", "d10", "d9", "e1"]
    found = {name: order.tolist() for name, order in document_orders(documents, []).items()}
    assert found == {  # sorted as text they are in the given order
        "documents sorted by name, numbers by value": [2, 0, 1, 3],
        "documents in reverse order": [3, 2, 0, 1],
    }
    within = document_orders(documents, ["news", "news", "news", "ads"])
    assert within["documents sorted by name within domains"].tolist() == [3, 0, 1, 2]
    assert document_orders(["one", "one"], []) == {}
    assert document_orders([], []) == {}


@pytest.mark.parametrize(
    ("shift", "expected"), [(1, [2, 3, 0]), (-2, [0, 0, 1]), (3, [0, 0, 0]), (0, [1, 2, 3])]
)
def test_columns_are_moved(shift, expected):
    assert shifted(np.array([[1, 2, 3]]), shift).tolist() == [expected]


def test_columns_moved_further_than_there_are_leave_none():
    assert not shifted(np.array([[1, 2]]), 3).any()
    assert not shifted(np.array([[1, 2]]), -3).any()


def test_shifts_are_described():
    assert describe_shift(1, 0, 9, 9) == "all lines are moved down by 1 line"
    assert describe_shift(-2, 4, 1200, 1300) == "lines 5 to 1,200 are moved up by 2 lines"
