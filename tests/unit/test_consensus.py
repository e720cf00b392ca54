"""Difficulty of sets without a reference: hypotheses against each other."""

from dataclasses import replace

import numpy as np
import pytest
from conftest import make_evalset
from hypothesis import given
from hypothesis import strategies as st

from mt_difficulty.data.evalset import NO_REFERENCE, read_evaluation_set
from mt_difficulty.difficulty import ESTIMATORS, make_estimator
from mt_difficulty.difficulty.chunk_entropy import align_set
from mt_difficulty.errors import Missing
from mt_difficulty.metrics import make_metric

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
