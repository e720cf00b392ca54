"""Readability of sources, and scores that are normalised by it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_difficulty.data.evalset import EvaluationSet
from mt_difficulty.difficulty import readability

# Counted by hand. English dictionaries leave out points next to a word's ends.
GERMAN = {
    "Entwicklung": 3,
    "Maschine": 3,
    "Schwierigkeit": 3,
    "Bewertung": 3,
    "Regierung": 3,
    "Wörterbuch": 3,
    "Gemeinschaft": 3,
    "lang": 1,
    "Freundin": 2,
    "Sprachen": 2,
}
ENGLISH = {
    "translation": 3,
    "difficulty": 4,
    "government": 3,
    "president": 3,
    "million": 2,
    "system": 2,
    "the": 1,
    "machine": 2,
    "because": 2,
    "banana": 3,
    "any": 2,
    "area": 3,
}


def source(segments, pair="en-de", **labels):
    return EvaluationSet(
        campaign="wmt99",
        pair=pair,
        reference_name="refA",
        gold_name="mqm",
        systems=[],
        gold=[],
        source=segments,
        **labels,
    )


def test_german_syllables_are_those_counted_by_hand():
    assert readability.syllables(list(GERMAN), "de").tolist() == list(GERMAN.values())


def test_english_syllables_are_underestimated_never_by_more_than_two():
    found, truth = readability.syllables(list(ENGLISH), "en"), np.array(list(ENGLISH.values()))
    assert (found <= truth).all()
    assert (found >= truth - 2).all()
    assert (found < truth).sum() == 3  # banana, any, area


def test_case_and_a_capital_change_no_syllables():
    words = [*GERMAN, *(word.upper() for word in GERMAN if "ß" not in word)]
    found = readability.syllables(words, "de")
    assert (found[: len(GERMAN)] == found[len(GERMAN) :]).all()


@pytest.mark.parametrize(
    ("text", "sentences", "words"),
    [
        ("", 0, 0),
        ("– …", 0, 0),
        ("1999", 1, 0),
        ("One sentence", 1, 2),
        ("First. Second! Third?", 3, 3),
        ("Mr. Smith went to the U.S. Army in 1999.", 1, 9),
        ("He didn't stay! “Why?” She asked.", 3, 6),
        ("“Leave.” He went... Then nothing.", 3, 5),
        ("To Bob. And then", 2, 4),
        ("Guten Tag. Es ist vier Uhr. Ja.", 3, 7),
        ("He met Mr. Al J. Gore. We left Co. A.", 2, 10),
        ("It cost 3.5 million. and so on", 1, 6),
        ("Straße 12, don’t-care", 1, 3),
    ],
)
def test_sentences_and_words_are_those_counted_by_hand(text, sentences, words):
    assert readability.count([text], "en-de")[0, :2].tolist() == [sentences, words]


def test_vowel_signs_are_parts_of_words():
    # हिन्दी में: two words, five marks that are no letters.
    sentences, words, syllables = readability.count(["हिन्दी में"], "hi-en")[0]
    assert (sentences, words) == (1, 2)
    assert np.isnan(syllables)


def test_readability_follows_the_papers_formulas():
    # 2 sentences, 10 words, 16 syllables: ASL 5, ASW 1.6.
    found = readability.readability(np.array([2.0]), np.array([10.0]), np.array([16.0]))
    assert found.ASL == 5
    assert found.ASW == 1.6
    assert found.FRE[0] == pytest.approx(206.835 - 5.075 - 135.36)
    assert found.FKGL[0] == pytest.approx(1.95 + 18.88 - 15.59)


@pytest.mark.parametrize(
    ("pair", "reason"),
    [
        ("zh-en", "zh is written without spaces"),
        ("th_TH-en", "th is written without spaces"),
        ("fi-en", "no hyphenation dictionary for fi"),
        ("gu-en", "no hyphenation dictionary for gu"),
    ],
)
def test_languages_that_cannot_be_counted_say_so(pair, reason):
    frame = readability.describe(source(["一 二", "Yksi kaksi."], pair))
    assert reason in frame.reason[0]
    assert frame[["syllables", "ASW", "FRE", "FKGL"]].isna().all().all()
    assert frame.ASL.isna().all() == ("without spaces" in reason)


@pytest.mark.parametrize("code", "cs de en es et fr hr is lt lv pl pt ro ru uk zu".split())
def test_languages_of_wmt_with_a_dictionary_are_counted(code):
    assert readability.without_syllables(f"{code}-en", ["two words"]) == ""


def test_levels_are_sums_over_their_segments_in_archive_order():
    found = source(
        ["One two.", "Three.", "Four five six.", "Seven."],
        domains=["b", "b", "a", "b"],
        documents=["z", "y", "x", "z"],
    )
    frame = readability.describe(found)
    assert list(zip(frame.level, frame.name, strict=True)) == [
        ("campaign", "wmt99"),
        *(("domain", name) for name in "ba"),
        *(("document", name) for name in "zyx"),
    ]
    assert frame.words.tolist() == [7, 4, 3, 3, 1, 3]
    assert frame.segments.tolist() == [4, 3, 1, 2, 1, 1]
    assert (frame.reason == "").all()


words = st.text(alphabet="abcdeiou äß'’.!? \n12", max_size=40)


@given(st.lists(words, min_size=1, max_size=8), st.data())
def test_counts_of_a_text_do_not_depend_on_how_it_is_grouped(segments, data):
    labels = [data.draw(st.sampled_from("abc")) for _ in segments]
    counts = readability.count(segments, "de-en")
    alone = np.concatenate([readability.count([segment], "de-en") for segment in segments])
    np.testing.assert_array_equal(counts, alone)
    _, members = readability.membership(labels)
    np.testing.assert_array_equal((members @ counts).sum(axis=0), counts.sum(axis=0))
    assert (counts[:, 2] >= counts[:, 1]).all()
    assert (counts[counts[:, 1] > 0, 0] >= 1).all()


positive = st.floats(0.1, 10)


@given(positive, positive, positive, st.sampled_from([1, 2]))
def test_normalising_to_itself_and_back_changes_nothing(score, asw, reference, power):
    assert readability.normalise(score, asw, asw, power) == pytest.approx(score)
    there = readability.normalise(score, asw, reference, power)
    assert readability.normalise(there, reference, asw, power) == pytest.approx(score)


def test_a_harder_text_gains_by_normalising():
    # Babych et al., Table 4: BLEU of the whitepaper, S1.
    assert readability.normalise(0.1874, 2, 1.86, 2) == pytest.approx(0.217, abs=0.0005)
    assert readability.normalise(0.3257, 1.608, 1.86, 2) == pytest.approx(0.243, abs=0.0005)


def test_a_text_without_words_says_so():
    evalset = EvaluationSet(
        "wmt99", "en-de", "refA", "mqm", [], [], source=["", "A word."], documents=["1", "2"]
    )
    found = readability.describe(evalset).set_index("name")
    assert found.reason.tolist() == ["", "the text has no words", ""]
    assert found.ASW.isna().tolist() == [False, True, False]
