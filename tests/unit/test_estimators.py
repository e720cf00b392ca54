"""Difficulty estimators, against loops, other libraries, the paper's Table 1 and what is known by
construction."""

import itertools
from dataclasses import replace
from itertools import groupby
from math import inf, log10
from types import SimpleNamespace

import numpy as np
import pytest
from conftest import make_evalset
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import CHRF

from mt_difficulty import difficulty
from mt_difficulty.difficulty import ESTIMATORS
from mt_difficulty.difficulty.aligners import exact
from mt_difficulty.difficulty.chunk_entropy import align_set, chunk_entropy
from mt_difficulty.errors import InputError, Missing
from mt_difficulty.evidence import truth
from mt_difficulty.metrics import base

SYSTEMS = ["ash", "elm", "oak"]
SOURCE = [
    "The house is small.",
    "Photosynthesis notwithstanding, verdant chloroplasts proliferate.",
]
HYPOTHESES = [
    ["Das Haus ist klein.", "Trotz Photosynthese vermehren sich grüne Chloroplasten."],
    ["Das Haus ist klein.", "Grün wuchern die Chloroplasten."],
    ["Das Haus ist sehr klein.", "Es ist grün."],
]
ALL = np.arange(3)
seeds = st.integers(0, 10**6)


def make_set(**changed):
    fields = {"systems": SYSTEMS, "gold": [1.0, 2.0, 3.0], "source": SOURCE}
    fields["segment_gold"] = [[-1.0, -5.0], [0.0, -3.0], [-2.0, -25.0]]
    return replace(make_evalset(HYPOTHESES, HYPOTHESES[0]), **fields | changed)


def estimate(kind, source=None, found=None, systems=ALL, **options):
    """Difficulty of the systems at hand, (n, segments)."""
    estimator = ESTIMATORS[kind](**options)
    return estimator.difficulty(estimator.estimate(found or make_set(), source), systems)


def others_of(systems, leave_one_out):
    """The systems that each one's difficulty is made of."""
    return [[s for s in systems if s != system or not leave_one_out] for system in systems]


@given(seeds, st.booleans())
def test_means_are_over_the_systems_at_hand(seed, leave_one_out):
    rng = np.random.default_rng(seed)
    values, systems = rng.random((6, 4)), rng.permutation(6)[:4]
    options = {"difficulty": "x", "leave_one_out": leave_one_out}
    found = estimate("mean", values, systems=systems, **options)
    expected = [values[others].mean(axis=0) for others in others_of(systems, leave_one_out)]
    np.testing.assert_allclose(found, expected)


def test_means_are_infinite_where_one_of_them_is():
    values = np.array([[np.inf, 1, np.inf], [1, 1, np.inf], [3, 1, 2]])
    found = estimate("mean", values, difficulty="x", leave_one_out=True)
    expected = [[2, 1, np.inf], [np.inf, 1, np.inf], [np.inf, 1, np.inf]]
    np.testing.assert_array_equal(found, expected)
    found = estimate("mean", values, difficulty="x")
    np.testing.assert_array_equal(found, [[np.inf, 1, np.inf]] * 3)


def crowd_statistic(statistic, scores, overall):
    """Of one segment, from its scores and the systems' mean scores."""
    if statistic == "mean":
        return -scores.mean()
    if statistic == "variance":
        return scores.var()
    return np.corrcoef(scores, overall)[0, 1] if np.ptp(scores) else 0.0


@given(seeds, st.sampled_from(["mean", "variance", "consistency"]), st.booleans())
def test_crowd_statistics_are_those_of_numpy(seed, statistic, leave_one_out):
    rng = np.random.default_rng(seed)
    scores, systems = rng.random((6, 5)), rng.permutation(6)[:4]
    scores[:, 0] = 0.5  # all systems alike
    options = {"metric": "m", "statistic": statistic, "leave_one_out": leave_one_out}
    found = estimate("crowd", scores, systems=systems, **options)
    expected = []
    for others in others_of(systems, leave_one_out):
        part = scores[others]
        means = part.mean(axis=1)
        expected.append([crowd_statistic(statistic, column, means) for column in part.T])
    assert found == pytest.approx(np.array(expected), abs=1e-9)


@pytest.mark.parametrize("chosen", [ALL, np.array([2, 0])], ids=["all systems", "two systems"])
def test_disagreement_is_chrf_between_hypotheses(chosen):
    found = estimate("disagreement", systems=chosen)
    for segment in range(2):
        texts = [HYPOTHESES[system][segment] for system in chosen]
        pairs = itertools.permutations(texts, 2)
        scores = [CHRF().sentence_score(one, [other]).score for one, other in pairs]
        expected, case = 1 - np.mean(scores) / 100, f"segment index {segment}"
        np.testing.assert_allclose(found[:, segment], expected, atol=1e-9, err_msg=case)


def test_one_system_alone_has_no_disagreement():
    np.testing.assert_array_equal(estimate("disagreement", systems=ALL[:1]), 0)


def test_disagreement_is_computed_in_blocks(monkeypatch):
    expected = estimate("disagreement")
    monkeypatch.setattr(base, "BLOCK", 1)
    np.testing.assert_array_equal(estimate("disagreement"), expected)


def test_lengths_are_those_of_the_source():
    assert estimate("length")[0].tolist() == [float(len(text.replace(" ", ""))) for text in SOURCE]
    assert estimate("length", count="words")[1].tolist() == [4.0, 5.0]
    with pytest.raises(Missing, match="zh is written without spaces"):
        estimate("length", found=make_set(pair="zh-en"), count="words")


def test_rarity_is_the_mean_over_words():
    from wordfreq import zipf_frequency

    found = estimate("rarity", found=make_set(source=["The house", "", "xqzzv"]))
    expected = 8 - (zipf_frequency("the", "en") + zipf_frequency("house", "en")) / 2
    np.testing.assert_allclose(found[0], [expected, 0.0, 8.0])


def test_stored_scores_turn_their_sign(tmp_path):
    folder = tmp_path / "metric-scores/en-de"
    folder.mkdir(parents=True)
    lines = [f"{system} {value}\n" for system in SYSTEMS for value in (0.5, -1.25)]
    (folder / "QE-src.seg.score").write_text("".join(lines))
    assert estimate("stored", tmp_path, name="QE").tolist() == [[-0.5, 1.25]] * 3
    (folder / "QE-src.seg.score").unlink()
    (folder / "QE-src.sys.score").write_text("".join(f"{system} 1\n" for system in SYSTEMS))
    with pytest.raises(Missing, match="QE scores of systems only"):
        estimate("stored", tmp_path, name="QE")


@given(seeds, st.booleans())
def test_token_dissimilarity_is_eq_2(seed, leave_one_out):
    class Matches:
        reference_similarity = np.random.default_rng(seed).random((5, 7)).astype(np.float32)

    systems = np.array([3, 0, 4])
    found = estimate("token_dissimilarity", Matches, systems=systems, leave_one_out=leave_one_out)
    expected = [
        1 - Matches.reference_similarity[others].mean(axis=0, dtype=float)
        for others in others_of(systems, leave_one_out)
    ]
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_an_estimator_with_too_few_values_is_named():
    class Short(difficulty.base.Estimator):
        signature = "short"

        def estimate(self, evalset, source=None):
            return np.arange(len(evalset.reference) - 1.0)

    message = "difficulty Short: `estimate` gave 1 values; expected one for each of 2 segments"
    with pytest.raises(InputError, match=message):
        difficulty.estimate(Short(), make_set(), None)


def entropy_by_hand(matched, without_link):
    chunks = [len(list(run)) for is_matched, run in groupby(matched) if is_matched]
    shares = [chunk / sum(chunks) for chunk in chunks]
    return -sum(p * log10(p) for p in shares) if chunks else without_link


match_lists = st.lists(st.lists(st.booleans(), max_size=12), max_size=8)


@given(match_lists, st.sampled_from([("infinite", inf), ("zero", 0.0)]))
def test_equals_the_papers_sum(matched, convention):
    """Without a link it is that of a named convention."""
    flat = np.array([token for hypothesis in matched for token in hypothesis], dtype=bool)
    lengths = np.array([len(hypothesis) for hypothesis in matched], dtype=int)
    expected = [entropy_by_hand(hypothesis, convention[1]) for hypothesis in matched]
    np.testing.assert_allclose(chunk_entropy(flat, lengths, convention[0]), expected, atol=1e-12)


@pytest.mark.parametrize(
    ("hypothesis", "published"),  # Liu et al. 2022, Table 1
    [
        ("A tiger stays in the woods", 0.0),
        ("A sheep stays in the woods", 0.217),
        ("A stays sheep in the woods", 0.292),
    ],
)
def test_table_1(hypothesis, published):
    links = exact(["A tiger stays in the woods".split()], [[hypothesis.split()]])[0]
    entropy = chunk_entropy(links >= 0, np.array([len(hypothesis.split())]))
    assert round(entropy[0], 3) == published


@pytest.mark.parametrize("aligner", ["exact", "fast_align"])
@given(seeds)
def test_consensus_entropy_is_the_mean_with_each_other_system_as_reference(aligner, seed):
    rng = np.random.default_rng(seed)
    texts = [[" ".join(rng.choice([*"abcd"], n)) for n in rng.integers(0, 7, 5)] for _ in range(4)]
    found = replace(make_evalset(texts, texts[0]), reference=[""] * 5)
    systems, options = rng.permutation(4)[:3], {"aligner": aligner}
    result = estimate("consensus_entropy", found=found, systems=systems, **options)
    expected = []
    for others in others_of(systems, True):
        (system,) = set(systems) - set(others)
        pairs = (make_evalset([texts[system]], texts[other]) for other in others)
        alone = [align_set(pair, aligner)["entropy"][0] for pair in pairs]
        expected.append(np.mean(alone, axis=0))
    np.testing.assert_allclose(result, expected, atol=1e-12)
    alone = estimate("consensus_entropy", found=found, systems=systems[:1], **options)
    np.testing.assert_array_equal(alone, 0)


@pytest.fixture(scope="module")
def encoder(small_bert):
    from mt_difficulty.embedding.encoding import Encoder

    return Encoder(small_bert, 2, device="cpu")


def test_hypotheses_match_as_with_each_other_as_reference(encoder):
    from mt_difficulty.embedding.matching import match_hypotheses, match_tokens

    texts = [
        ["Das Haus ist klein .", "Ja", "", "Um den See"],
        ["Das Haus ist klein .", "Nein , nein", "Etwas", "Um den See herum"],
        ["Ein kleines Haus", "Ja", "", "  Den See  "],
    ]
    similarity, truncated = match_hypotheses(encoder, texts)
    np.testing.assert_array_equal(similarity[range(3), range(3)], 1)
    for system, other in itertools.permutations(range(3), 2):
        matches = match_tokens(encoder, texts[other], [texts[system]])
        ends = np.cumsum(matches.hypothesis_lengths[0])[:-1]
        parts = np.split(matches.hypothesis_similarity, ends)
        means = [part.mean() if part.size else 1.0 for part in parts]
        case = f"system {system} against {other}"
        np.testing.assert_allclose(similarity[system, other], means, atol=1e-6, err_msg=case)
    assert truncated.tolist() == [0, 0, 0]


def test_missed_tokens_by_words_and_by_characters():
    found = truth.missed_share(["a b", "c d"], [["a b", "c"], ["b x", "d"]], "en-de")
    assert [values.tolist() for values in found] == [[0.5, 0.0], [0.5, 0.5]]
    found = truth.missed_share(["这是"], [["是不"], ["这 是"]], "en-zh")
    assert found[0].tolist() == [0.5, 0.0]
    # Hard 0.9 and 0.5 against 0.1 and 0.5: three pairs in order, one tie.
    missed = [np.array([0.9, 0.1]), np.array([0.5, 0.5])]
    assert truth.separation(missed, {0: [0], 1: [1]}) == pytest.approx(3.5 / 4)


@pytest.mark.parametrize(
    ("pair", "reference", "offsets", "values", "expected"),
    [
        ("en-de", " das  Haus.", [0, 5, 7, 9], [0.1, 0.2, 0.4, 0.3], [0.1, 0.4]),
        ("en-zh", "这 是。", [0, 2, 3], [0.1, 0.2, 0.3], [0.1, 0.2, 0.3]),
    ],
)
def test_a_units_difficulty_is_its_tokens_highest(pair, reference, offsets, values, expected):
    places = np.array(offsets)[:, None]
    matches = SimpleNamespace(reference_lengths=np.array([len(places)]), reference_offsets=places)
    (found,) = truth.unit_difficulty([reference], matches, np.array(values), pair)
    assert found.tolist() == expected
