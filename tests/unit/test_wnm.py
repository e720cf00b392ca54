"""WNM against a computation by hand and one by counting n-grams."""

from collections import Counter
from math import log

import numpy as np
import pytest
from conftest import make_evalset
from hypothesis import given, settings
from hypothesis import strategies as st

from mt_difficulty.errors import Missing
from mt_difficulty.metrics.wnm import WNM


def texts(hypotheses, reference, documents, pair="en-de"):
    return make_evalset(hypotheses, reference, pair, documents=list(documents))


def test_scores_by_hand():
    """Four documents of five tokens; `rare` is in one, `the` in all, `cat` in two."""
    reference = ["the cat saw rare birds", "the cat ran far away"]
    reference += ["the tree was old now", "the end is so near"]
    # Of equally long documents, a token of one document has salience log(4 − 1) > 1, one of two
    # documents log((1/5 − 1/15) · (2/4) / (2/20)) = log(2/3). So `saw`, `rare`, `birds` weigh s.
    s = log(3)
    # Reference 1: 2 + 3 s; 1 + 3 s; 3 s; 2 s (the, cat, saw, rare, birds). 2: the cat ran far away
    # likewise; 3 and 4: all but `the` in one document.
    whole = 2 * (3 + 11 * s) + 2 * (1 + 13 * s)
    # Hypothesis `the rare dog`: the unigrams the, 1, and rare, s, match.
    hypotheses = {(1 + s) / whole: ["the rare dog", "", "", ""], 1: reference, 0: [""] * 4}
    metric = WNM("en-de")
    statistics = metric.evaluate(texts([*hypotheses.values()], reference, "abcd"), None)
    scores = metric.aggregate(statistics.sum(axis=1), np.full(3, 4))
    assert scores == pytest.approx([*hypotheses])


def counted(hypothesis, reference, weights):
    """Matched weight and the weight of the reference, n-gram by n-gram."""

    def grams(tokens):
        return Counter(
            tuple(tokens[start : start + n])
            for n in range(1, 5)
            for start in range(len(tokens) - n + 1)
        )

    def weight(found):
        return sum(n * max(weights.get(token, 1.0) for token in gram) for gram, n in found.items())

    ours, theirs = grams(hypothesis.split()), grams(reference.split())
    return weight(ours & theirs), weight(theirs)


TOKENS = list("abcdefgh")
sentences = st.lists(st.sampled_from(TOKENS), max_size=9).map(" ".join)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(sentences, sentences, st.sampled_from("xyzuv")), min_size=2, max_size=9))
def test_statistics_are_those_of_counting(rows):
    hypothesis, reference, documents = zip(*rows, strict=True)
    if len(set(documents)) < 2:
        documents = ("x", *("y" for _ in documents[1:]))
    corpus = texts([hypothesis], reference, documents)
    (found,) = WNM("en-de").evaluate(corpus, None)
    for place, name in enumerate(documents):
        weights = by_definition(name, reference, documents)
        expected = counted(hypothesis[place], reference[place], weights)
        np.testing.assert_allclose(found[place], expected, err_msg=f"segment {place}")


def by_definition(name, reference, documents):
    """Weights of a document's tokens, from the definitions one by one."""
    tokens = {}
    for sentence, document in zip(reference, documents, strict=True):
        tokens.setdefault(document, []).extend(sentence.split())
    inside = tokens.pop(name)
    outside = [token for others in tokens.values() for token in others]
    weights = {}
    for token in set(inside):
        p_doc = inside.count(token) / len(inside)
        p_rest = outside.count(token) / len(outside) if outside else np.nan
        p_all = (inside + outside).count(token) / len(inside + outside)
        count = len(tokens) + 1
        df = 1 + sum(token in others for others in tokens.values())
        ratio = (p_doc - p_rest) * (count - df) / count / p_all
        if ratio > 0 and log(ratio) > 1:
            weights[token] = log(ratio)
    return weights


def test_characters_are_tokens_where_bleu_has_them():
    found = texts([["我爱你", "他来"]], ["我爱她", "他走"], ["a", "b"], "en-zh")
    metric = WNM("en-zh")
    statistics = metric.evaluate(found, None)
    assert statistics[0].tolist() == [[3, 6], [1, 3]]
    assert "tok:zh" in metric.signature


@pytest.mark.parametrize(("documents", "there"), [(["a"] * 4, "1"), ([], "no list")])
def test_with_less_than_two_documents_it_is_missing(documents, there):
    with pytest.raises(Missing, match=f"two documents or more, wmt99/en-de has {there}"):
        WNM("en-de").evaluate(texts([["a"] * 4], ["a"] * 4, documents), None)
