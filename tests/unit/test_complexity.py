"""Readability of sources, and scores that are normalised by it, against counts by hand, other
libraries and direct computation."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from conftest import make_evalset
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mt_difficulty.difficulty import readability
from mt_difficulty.evidence import complexity
from mt_difficulty.metrics import METRICS

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
    return make_evalset([], segments, pair, **labels)


def test_german_syllables_are_those_counted_by_hand():
    assert readability.syllables(list(GERMAN), "de").tolist() == list(GERMAN.values())


def test_english_syllables_are_underestimated_never_by_more_than_two():
    found, truth = readability.syllables(list(ENGLISH), "en"), np.array(list(ENGLISH.values()))
    assert (found <= truth).all()
    assert (found >= truth - 2).all()
    assert (found < truth).sum() == 3  # banana, any, area


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


RNG = np.random.default_rng(5)
SOURCE = [
    "The cat sat. The dog ran away.",
    "International organisations negotiate agreements.",
    "A government representative explained the situation.",
    "We saw him.",
    "Complicated institutional regulations persist.",
    "They are old friends.",
]
DOCUMENTS = ["x", "x", "y", "y", "z", "w"]
STATISTICS = {
    "BLEU": RNG.integers(1, 9, (3, 6, 10)).astype(float),
    "TER": RNG.random((3, 6, 2)) + 0.1,
    "chrF": RNG.random((3, 6, 1)),
    "system only": RNG.random((3, 1, 1)),
    "z": RNG.random((3, 6, 1)) - 0.5,
}
TYPES = {"BLEU": "bleu", "TER": "ter", "chrF": "chrf", "system only": "stored", "z": "stored"}


def evaluation_set(campaign="wmt98", source=SOURCE, pair="en-de", documents=DOCUMENTS):
    labels = {"documents": list(documents), "domains": ["news"] * len(source)}
    found = make_evalset([source] * 3, source, pair, **labels)
    return replace(found, campaign=campaign, systems=["A", "B", "C"])


def scored(found):
    metrics = {name: METRICS[kind] for name, kind in TYPES.items()}
    name = f"{found.campaign}/{found.pair}"
    described = readability.describe(found)
    return complexity.score_texts(name, found, described, metrics, STATISTICS)


@pytest.fixture(scope="module")
def scores():
    other = evaluation_set("wmt99", SOURCE[1:4] * 2)
    return pd.concat([scored(evaluation_set()), scored(other)], ignore_index=True)


@pytest.fixture(scope="module")
def types(scores):
    return complexity.text_types(scores)


@pytest.fixture(scope="module")
def normalised(scores, types):
    return complexity.normalised_scores(scores, types, {"en-de": "wmt99/en-de"})


def one(frame, **where):
    for column, value in where.items():
        frame = frame[frame[column] == value]
    assert len(frame) == 1
    return frame.iloc[0]


def test_a_documents_score_is_that_of_its_segments(scores):
    for metric, kind in TYPES.items():
        if metric == "system only":
            continue
        for system in range(3):
            part = STATISTICS[metric][system, 2:4]
            expected = METRICS[kind].aggregate(part.sum(axis=0), np.array(2))
            row = one(
                scores,
                level="document",
                group="wmt98/en-de",
                text="y",
                metric=metric,
                system="ABC"[system],
            )
            assert row.score == pytest.approx(float(expected))
            assert row.quality == pytest.approx(float(-expected if metric == "TER" else expected))


def test_correlations_are_scipys(types):
    found = complexity.correlate(types)
    for metric in ("BLEU", "TER", "z"):
        own = types[(types.group == "wmt98/en-de") & (types.metric == metric)]
        for parameter in readability.PARAMETERS:
            expected = stats.pearsonr(own[parameter], own.quality)
            row = one(found, group="wmt98/en-de", metric=metric, parameter=parameter)
            assert row.texts == 4
            assert (row.r, row.p) == pytest.approx((expected.statistic, expected.pvalue))


def test_the_reference_is_the_wanted_text_or_the_one_in_the_middle(normalised):
    asw = pd.Series({"hard": 2.0, "middle": 1.86, "easy": 1.608})  # Babych et al., Table 3
    assert complexity.reference_text(asw) == "middle"
    assert complexity.reference_text(asw, "easy") == "easy"
    assert complexity.reference_text(asw, "elsewhere") == "middle"
    assert set(normalised.reference[normalised.level == "campaign"]) == {"wmt99/en-de"}


def test_normalised_scores_follow_the_papers_formula(normalised):
    own = normalised[(normalised.group == "wmt98/en-de") & (normalised.metric == "BLEU")]
    reference = own.ASW[own.text == own.reference].iloc[0]
    np.testing.assert_allclose(own.normalised_1, own.score * own.ASW / reference)
    np.testing.assert_allclose(own.normalised_2, own.score * (own.ASW / reference) ** 2)


def test_spread_is_the_sample_standard_deviation(normalised):
    found = complexity.spread(normalised)
    own = normalised[(normalised.group == "wmt98/en-de") & (normalised.metric == "chrF")]
    own = own[own.system == "B"]
    row = one(found, group="wmt98/en-de", metric="chrF", system="B", power=2)
    assert row.texts == 4
    assert row.raw == pytest.approx(np.std(own.score, ddof=1))
    assert row.normalised == pytest.approx(np.std(own.normalised_2, ddof=1))
    assert row.ratio == pytest.approx(row.raw / row.normalised)
    relative = stats.variation(own.score, ddof=1) / stats.variation(own.normalised_2, ddof=1)
    assert row.relative_ratio == pytest.approx(relative)
