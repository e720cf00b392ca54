"""How weightings are named and drawn."""

import pandas as pd

from mt_difficulty.evidence import labels


def entry(difficulty, unit="segment", uses_gold=False, tuned=False):
    return {
        "unit": unit,
        "difficulty": difficulty,
        "description": f"By {difficulty}.",
        "uses_gold": uses_gold,
        "tuned": tuned,
    }


WEIGHTINGS = {
    "hard": entry("human", uses_gold=True),
    "EE": entry("chunk_entropy"),
    "DA": entry("tokens", "token"),
}


def test_the_standard_weighting_comes_first_and_the_others_in_their_order():
    found = labels.describe(WEIGHTINGS)
    assert [label.name for label in found] == ["standard", "hard", "EE", "DA"]
    assert [label.kind for label in found] == ["standard", "segments", "segments", "tokens"]
    assert [label.filled for label in found] == [False, True, True, True]
    assert [label.shown for label in found] == [True, True, True, False]
    assert [label.uses_gold for label in found] == [False, True, False, False]


def test_every_line_looks_different():
    found = labels.describe({str(number): entry("length") for number in range(8)})
    assert len({label.dash for label in found}) == len({label.line for label in found}) == 9


def test_a_table_names_the_difficulty_after_the_weighting():
    frame = pd.DataFrame({"metric": "m", "weighting": ["EE", "standard"], "score": [1, 2]})
    found = labels.with_difficulty(frame, WEIGHTINGS)
    assert found.columns.tolist() == ["metric", "weighting", "difficulty", "score"]
    assert found.difficulty.tolist() == ["chunk_entropy", ""]
    assert labels.with_difficulty(frame[:0], WEIGHTINGS).empty
