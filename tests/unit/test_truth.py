"""Finding what is known to be difficult."""

from types import SimpleNamespace

import numpy as np
import pytest

from mt_difficulty.evidence import truth


def test_share_of_hard_segments_among_the_highest():
    means = np.array([0.1, 0.9, 0.2, 0.8, 0.0])
    assert truth.found_share(means, [1, 3]) == 1
    assert truth.found_share(means, [1, 4]) == 0.5


def test_missed_tokens_by_words_and_by_characters():
    systems = [["a b", "c"], ["b x", "d"]]
    found = truth.missed_share(["a b", "c d"], systems, "en-de")
    assert [values.tolist() for values in found] == [[0.5, 0.0], [0.5, 0.5]]
    found = truth.missed_share(["这是"], [["是不"], ["这 是"]], "en-zh")
    assert found[0].tolist() == [0.5, 0.0]


def test_separation_is_the_share_of_pairs_in_order():
    missed = [np.array([0.9, 0.1]), np.array([0.5, 0.5])]
    # Hard 0.9 and 0.5 against 0.1 and 0.5: three pairs in order, one tie.
    assert truth.separation(missed, {0: [0], 1: [1]}) == pytest.approx(3.5 / 4)


@pytest.mark.parametrize(
    ("pair", "reference", "offsets", "difficulty", "expected"),
    [
        (
            "en-de",
            " das  Haus.",
            [[0, 3], [5, 7], [7, 9], [9, 10]],
            [0.1, 0.2, 0.4, 0.3],
            [0.1, 0.4],
        ),
        ("en-zh", "这 是。", [[0, 1], [2, 3], [3, 4]], [0.1, 0.2, 0.3], [0.1, 0.2, 0.3]),
    ],
)
def test_a_units_difficulty_is_its_tokens_highest(pair, reference, offsets, difficulty, expected):
    matches = SimpleNamespace(
        reference_lengths=np.array([len(offsets)]), reference_offsets=np.array(offsets)
    )
    (found,) = truth.unit_difficulty([reference], matches, np.array(difficulty), pair)
    assert found.tolist() == expected
