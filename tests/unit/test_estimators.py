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
from mt_difficulty.data.evalset import NO_REFERENCE, read_evaluation_set
from mt_difficulty.difficulty import ESTIMATORS, make_estimator
from mt_difficulty.difficulty.aligners import exact
from mt_difficulty.difficulty.base import Estimator
from mt_difficulty.difficulty.chunk_entropy import align_set, chunk_entropy
from mt_difficulty.errors import InputError, Missing
from mt_difficulty.evidence import truth
from mt_difficulty.metrics import make_metric

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


def test_chunk_entropy_is_that_of_aligned_texts():
    same = make_set(reference=["a b c d", "a b c d"], hypotheses=[["a b c d", "d b x a"]] * 3)
    found = estimate("chunk_entropy", found=same, aligner="exact")
    # `d b` and `a` are its chunks: shares of 2/3 and 1/3.
    entropy = -(2 / 3 * np.log10(2 / 3) + 1 / 3 * np.log10(1 / 3))
    np.testing.assert_allclose(found, [[0, entropy]] * 3)


@given(seeds, st.booleans())
def test_means_are_over_the_systems_at_hand(seed, leave_one_out):
    rng = np.random.default_rng(seed)
    values, systems = rng.random((6, 4)), rng.permutation(6)[:4]
    options = {"difficulty": "x", "leave_one_out": leave_one_out}
    found = estimate("mean", values, systems=systems, **options)
    for row, own in enumerate(systems):
        others = [s for s in systems if s != own or not leave_one_out]
        np.testing.assert_allclose(found[row], values[others].mean(axis=0))


def test_human_difficulty_is_that_of_the_others():
    found = estimate("human")
    np.testing.assert_allclose(found, [[1.0, 14.0], [1.5, 15.0], [0.5, 4.0]])
    np.testing.assert_allclose(estimate("human", systems=np.array([2, 0])), [[1, 5], [2, 25]])


def test_without_human_scores_of_others_there_is_no_difficulty():
    found = estimate("human", found=make_set(segment_gold=[[1.0, 2.0], [3.0, None], [4.0, None]]))
    np.testing.assert_array_equal(found, [[-3.5, np.nan], [-2.5, -2.0], [-2.0, -2.0]])
    with pytest.raises(Missing, match="no human scores of segments"):
        estimate("human", found=make_set(segment_gold=[]))


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
    for row, own in enumerate(systems):
        part = scores[[s for s in systems if s != own or not leave_one_out]]
        for segment, column in enumerate(part.T):
            expected = crowd_statistic(statistic, column, part.mean(axis=1))
            assert found[row, segment] == pytest.approx(expected, abs=1e-9)


def test_disagreement_is_chrf_between_hypotheses():
    chrf, systems = CHRF(), np.array([2, 0])
    for chosen in (ALL, systems):
        found = estimate("disagreement", systems=chosen)
        for segment in range(2):
            scores = [
                chrf.sentence_score(HYPOTHESES[a][segment], [HYPOTHESES[b][segment]]).score
                for a, b in itertools.permutations(chosen, 2)
            ]
            np.testing.assert_allclose(found[:, segment], 1 - np.mean(scores) / 100, atol=1e-9)
    assert (estimate("disagreement", systems=ALL[:1]) == 0).all()


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


ESTIMATES = "segment\tnote\tdifficulty\n2\tx\t0.5\n1\ty\t-1e1\n"


def read_file(folder, text, **options):
    (folder / "estimates.tsv").write_text(text)
    options = {"file": "estimates.tsv", **options}
    return estimate("file", folder / "estimates.tsv", **options)


def test_estimates_of_a_file_may_stand_in_any_order_and_turn_their_sign(tmp_path):
    assert read_file(tmp_path, ESTIMATES).tolist() == [[-10.0, 0.5]] * 3
    turned = read_file(tmp_path, ESTIMATES, higher_is_harder=False)
    assert turned.tolist() == [[10.0, -0.5]] * 3


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("2\tx\t0.5", "2\tx\t1e300", r"line 2: expected a difficulty of at most ±1e\+100"),
        ("2\tx\t0.5", "3\tx\t0.5", r"line 2: expected a segment from 1 to 2, found `3`"),
        ("2\tx\t0.5", "1\tx\t0.5", r"line 3: a second estimate of segment 1\."),
        ("2\tx\t0.5", "2\t0.5", r"line 2: expected 3 fields .* found 2"),
        ("segment\t", "number\t", r"line 1: Expected a header"),
    ],
)
def test_odd_lines_of_a_file_are_refused(tmp_path, old, new, message):
    with pytest.raises(InputError, match=rf"estimates\.tsv.*{message}"):
        read_file(tmp_path, ESTIMATES.replace(old, new))


@given(seeds, st.booleans())
def test_token_dissimilarity_is_eq_2(seed, leave_one_out):
    class Matches:
        reference_similarity = np.random.default_rng(seed).random((5, 7)).astype(np.float32)

    systems = np.array([3, 0, 4])
    found = estimate("token_dissimilarity", Matches, systems=systems, leave_one_out=leave_one_out)
    for row, own in enumerate(systems):
        others = [s for s in systems if s != own or not leave_one_out]
        expected = 1 - Matches.reference_similarity[others].mean(axis=0, dtype=float)
        np.testing.assert_allclose(found[row], expected, atol=1e-12)


def test_the_mean_of_the_others_is_infinite_where_one_of_them_is():
    values = np.array([[np.inf, 1, np.inf], [1, 1, np.inf], [3, 1, 2]])
    mean = ESTIMATORS["mean"]
    found = mean("x", leave_one_out=True).difficulty(values, ALL)
    expected = [[2, 1, np.inf], [np.inf, 1, np.inf], [np.inf, 1, np.inf]]
    np.testing.assert_array_equal(found, expected)
    found = mean("x").difficulty(values, ALL)
    np.testing.assert_array_equal(found, [[np.inf, 1, np.inf]] * 3)


def test_an_estimator_with_too_few_values_is_named():
    class Short(Estimator):
        signature = "short"

        def estimate(self, evalset, source=None):
            return np.arange(len(evalset.reference) - 1.0)

    message = "difficulty Short: `estimate` gave 1 values; expected one for each of 2 segments"
    with pytest.raises(InputError, match=message):
        difficulty.estimate(Short(), make_set(), None)


def entropy_by_hand(matched, zero_links):
    chunks = [len(list(run)) for is_matched, run in groupby(matched) if is_matched]
    if not chunks:
        return zero_links
    return -sum(c / sum(chunks) * log10(c / sum(chunks)) for c in chunks)


match_lists = st.lists(st.lists(st.booleans(), max_size=12), max_size=8)


@given(match_lists)
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


short_texts = st.lists(st.sampled_from("abcd"), max_size=6)


@given(st.lists(st.tuples(short_texts, short_texts), max_size=5))
def test_exact_links_every_token_to_its_first_occurrence(segments):
    reference, system = [r for r, _ in segments], [h for _, h in segments]
    links = exact.align(reference, [system])[0]
    expected = [r.index(token) if token in r else -1 for r, h in segments for token in h]
    assert links.tolist() == expected


words = st.lists(st.sampled_from("abcd"), min_size=0, max_size=6).map(" ".join)
hypotheses = st.integers(1, 5).flatmap(
    lambda size: st.lists(st.lists(words, min_size=size, max_size=size), min_size=2, max_size=4)
)


@pytest.mark.parametrize("aligner", ["exact", "fast_align"])
@given(texts=hypotheses, data=st.data())
def test_consensus_entropy_is_the_mean_with_each_other_system_as_reference(aligner, texts, data):
    found = make_evalset(texts, texts[0])
    order = data.draw(st.permutations(range(len(texts))))
    systems = np.array(order[: data.draw(st.integers(2, len(texts)))])
    estimator = make_estimator({"type": "consensus_entropy", "aligner": aligner})
    values = estimator.estimate(replace(found, reference=[""] * len(texts[0])), None)
    result = estimator.difficulty(values, systems)
    for row, own in enumerate(systems):
        alone = [
            align_set(make_evalset([texts[own]], texts[other]), aligner)["entropy"][0]
            for other in systems
            if other != own
        ]
        np.testing.assert_allclose(result[row], np.mean(alone, axis=0), atol=1e-12)
    assert not estimator.difficulty(values, systems[:1]).any()


@pytest.fixture(scope="module")
def encoder(small_bert):
    from mt_difficulty.embedding.encoding import Encoder

    return Encoder(small_bert, 2, device="cpu")


TEXTS = [
    ["Das Haus ist klein .", "Ja", "", "Um den See"],
    ["Das Haus ist klein .", "Nein , nein", "Etwas", "Um den See herum"],
    ["Ein kleines Haus", "Ja", "", "  Den See  "],
]


def test_hypotheses_match_as_with_each_other_as_reference(encoder):
    from mt_difficulty.embedding.matching import match_hypotheses, match_tokens

    found = match_hypotheses(encoder, TEXTS)
    assert found.similarity.shape == (3, 3, 4)
    for own, other in np.ndindex(3, 3):
        if own == other:
            assert (found.similarity[own, own] == 1).all()
            continue
        matches = match_tokens(encoder, TEXTS[other], [TEXTS[own]])
        sizes = matches.hypothesis_lengths[0]
        parts = np.split(matches.hypothesis_similarity, np.cumsum(sizes)[:-1])
        means = [part.mean() if part.size else 1.0 for part in parts]
        np.testing.assert_allclose(found.similarity[own, other], means, atol=1e-6)
    assert found.truncated.tolist() == [0, 0, 0]


def test_dissimilarity_is_that_of_the_systems_at_hand():
    similarity = np.random.default_rng(1).random((4, 4, 5))
    estimator = make_estimator({"type": "consensus_dissimilarity", "metric": "BERTScore"})
    values = estimator.estimate(make_evalset([["a"] * 5] * 4, [""] * 5), similarity)
    result = estimator.difficulty(values, np.array([3, 0, 2]))
    np.testing.assert_allclose(result[1], 1 - similarity[0, [2, 3]].mean(axis=0))


# Sets without a reference


@pytest.mark.parametrize("kind", ["bleu", "chrf", "ter", "meteor", "wnm"])
def test_metrics_that_need_a_reference_have_no_scores(kind):
    found = replace(make_evalset([["a b"]] * 3, [""]), reference_name="")
    metric = make_metric("x", "en-de", {"type": kind})
    for act in (metric.check_inputs, metric.evaluate):
        with pytest.raises(Missing, match=NO_REFERENCE):
            act(found, "")
    with pytest.raises(Missing, match=NO_REFERENCE):
        ESTIMATORS["chunk_entropy"]().estimate(found, None)


def test_a_set_of_the_archive_without_reference(real):
    with_reference, found = (
        read_evaluation_set(real / "wmt23", "wmt23", "en-de", reference, "mqm")
        for reference in ("refA", "")
    )
    texts = {"reference_name": "", "reference": [""] * len(found.source)}
    assert replace(with_reference, **texts) == found


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
