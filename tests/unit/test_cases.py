"""Rankings and case studies built from results made up for the purpose."""

import numpy as np
import pytest

from mt_difficulty.papers import case_studies, tables

COLUMNS = [
    {"label": "TER", "metric": "TER", "weighting": "standard", "higher_is_better": False},
    {"label": "DA", "metric": "B", "weighting": "DA", "higher_is_better": True},
]
RANKING = {
    "digits": 4,
    "size": 2,
    "columns": [COLUMNS[0] | {"scale": 0.01}, COLUMNS[1]],
    "rows": [
        {"label": "a", "system": "a", "published": [0.46, -1, 0.2, 0], "human": 0.3},
        {"label": "b", "system": "b", "published": [0.45, 1, 0.1, 0], "human": 0.2},
    ],
    "sums": [2, 0],
}
SCORES = {("TER", "standard"): {"a": 46.0, "b": 45.0}, ("B", "DA"): {"a": 0.2, "b": 0.1}}
GOLD = {"a": 0.3, "b": 0.2}


def by_place(found):
    return {(cell.row, cell.column): cell for cell in found}


def test_rank_differences_follow_each_metrics_direction():
    found = by_place(tables.ranking_cells("t", RANKING, SCORES, GOLD, {}, {"B": "encoder tiny"}))
    assert found["a", "TER"].reproduced == pytest.approx(0.46)
    assert [found[s, "TER ΔRank"].reproduced for s in "ab"] == [-1, 1]  # lower TER is better
    assert [found[s, "DA ΔRank"].reproduced for s in "ab"] == [0, 0]
    assert found["sum(|ΔRank|)", "TER ΔRank"].reproduced == 2
    assert found["sum(|ΔRank|)", "TER ΔRank"].published == 2
    assert found["a", "HUMAN"].reproduced == 0.3
    assert found["a", "DA"].substitute == "encoder tiny"
    assert found["a", "TER"].substitute == ""


def test_a_score_that_is_missing_has_its_reason():
    reasons = {("B", "DA"): "needs an encoder"}
    scores = {("TER", "standard"): SCORES["TER", "standard"]}
    found = by_place(tables.ranking_cells("t", RANKING, scores, GOLD, reasons, {}))
    for place in (("a", "DA"), ("a", "DA ΔRank"), ("sum(|ΔRank|)", "DA ΔRank")):
        assert np.isnan(found[place].reproduced)
        assert found[place].reason == "needs an encoder"
    assert found["a", "TER ΔRank"].reproduced == -1


def test_a_system_that_is_not_among_the_best_has_its_reason():
    scores = {("TER", "standard"): {"a": 46.0}, ("B", "DA"): {"a": 0.2}}
    found = by_place(tables.ranking_cells("t", RANKING, scores, {"a": 0.3}, {}, {}))
    for column in ("TER", "DA ΔRank", "HUMAN"):
        assert found["b", column].reason == "b is not among the best 2 of this archive"
    assert np.isnan(found["sum(|ΔRank|)", "TER ΔRank"].reproduced)
    assert "b is not among" in found["sum(|ΔRank|)", "TER ΔRank"].reason
    assert found["a", "TER"].reason == ""


def test_a_column_of_ours_needs_no_published_numbers():
    table = RANKING | {"columns": [*RANKING["columns"], COLUMNS[1] | {"label": "ours"}]}
    found = by_place(tables.ranking_cells("t", table, SCORES, GOLD, {}, {}))
    assert found["a", "ours"].reproduced == 0.2
    assert np.isnan(found["a", "ours"].published)
    assert np.isnan(found["sum(|ΔRank|)", "ours ΔRank"].published)


CASE = {
    "labels": ["BERTScore", "EE-BERTScore", "entropy"],
    "rows": [{"label": "A", "system": "s", "segment": 3, "published": [*[0.1] * 6, 0.2]}],
}


def test_contributions_are_shares_of_the_system_score():
    # The caption's example of Liu et al., Table 6: 0.689 × 0.65 / 180 / 0.801 = 0.311 %.
    values = {
        ("s", 3): {
            "BERTScore": (0.689, 0.828, 1 / 1997),
            "EE-BERTScore": (0.689, 0.801, 0.65 / 180),
            "entropy": 0.642,
        }
    }
    found = by_place(case_studies.case_cells("t", CASE, values, {}, ""))
    assert round(found["A", "EE-BERTScore contribution %"].reproduced, 3) == 0.311
    assert round(found["A", "BERTScore contribution %"].reproduced, 3) == 0.042
    assert found["A", "entropy"].reproduced == 0.642


def test_a_case_without_encoder_keeps_its_entropy():
    reasons = {"BERTScore": "needs an encoder", "EE-BERTScore": "needs an encoder"}
    found = by_place(case_studies.case_cells("t", CASE, {("s", 3): {"entropy": 0.2}}, reasons, ""))
    assert found["A", "entropy"].reproduced == 0.2
    assert found["A", "EE-BERTScore system"].reason == "needs an encoder"
    assert np.isnan(found["A", "EE-BERTScore system"].reproduced)


def test_one_absent_system_leaves_the_others_cells():
    rows = [CASE["rows"][0], CASE["rows"][0] | {"label": "B", "system": "gone"}]
    values = {("s", 3): {"entropy": 0.2}}
    found = by_place(
        case_studies.case_cells("t", CASE | {"rows": rows}, values, {"gone": "not ranked"}, "")
    )
    assert found["A", "entropy"].reproduced == 0.2
    assert found["A", "entropy"].reason == ""
    assert {found["B", c].reason for c in ("entropy", "BERTScore segment")} == {"not ranked"}


@pytest.mark.parametrize(
    ("links", "expected"),
    [
        ([4, 0, -1, 2], "[a b] c [d]"),
        ([-1, 1, 2, -1], "a [b c] d"),
        ([-1, -1, -1, -1], "a b c d"),
        ([1, 1, 1, 1], "[a b c d]"),
    ],
)
def test_chunks_are_in_brackets(links, expected):
    # The second system's second segment; the others' links are not looked at.
    lengths = np.array([[2, 1], [1, 4]])
    of_tokens = case_studies.chunks_of(np.array([0, 0, 0, 0, *links]), lengths, 1, 1)
    pieces = case_studies.chunk_pieces(" a b \tc d ", "a b c d".split(), of_tokens)
    assert case_studies.mark_chunks(pieces) == expected


def test_words_with_a_difficult_token_are_bold():
    offsets = np.array([[0, 3], [4, 9], [9, 12], [13, 16]])
    difficult = np.array([False, False, True, False])
    assert (
        case_studies.mark_difficult("der Bodensol der", offsets, difficult)
        == "der **Bodensol** der"
    )
    none = case_studies.mark_difficult("a a", offsets[:0], difficult[:0])
    assert none == "a a"
