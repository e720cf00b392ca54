from collections import Counter, defaultdict
from functools import reduce
from itertools import chain
from math import exp, floor, log
from operator import add
from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from memory import peak_of

from mt_difficulty.difficulty import aligners
from mt_difficulty.difficulty.aligners import fast_align as align
from mt_difficulty.difficulty.aligners import split_line as tokens
from mt_difficulty.errors import Missing

# Settings with which all texts are aligned as long ones, in many small parts.
AS_LONG = {"FEW_CELLS": -1, "BLOCK": 10, "BLOCKS": 2}
NULL = "<eps>"


def scores(reference, hypothesis):
    """Transcribe Dyer, Chahuneau & Smith 2013 as their program computes it, without any haste.

    Returns, for every segment and hypothesis token, the score of no link and of each link.
    """
    corpus = [(e, f) for e, f in zip(reference, hypothesis, strict=True) if e and f]
    t = {(NULL, w): 1e-9 for _, f in corpus for w in f}
    t |= {(v, w): 1e-9 for e, f in corpus for v in e for w in f}
    lengths = Counter((len(f), len(e)) for e, f in corpus)
    tension = 4.0
    for iteration in range(1, 5):
        counts, feature = dict.fromkeys(t, 0.0), 0.0
        for e, f in corpus:
            n, m = len(e), len(f)
            for j, x in enumerate(segment_scores(e, f, t, tension), start=1):
                evidence = reduce(add, x)  # from Python 3.12 on, sum() would round less
                for i in range(n + 1):
                    posterior = x[i] / evidence
                    counts[(NULL, *e)[i], f[j - 1]] += posterior
                    if i > 0:
                        feature += posterior * -abs(i / n - (j - 1) / m)
        if iteration > 1 and corpus:
            tension = fitted(tension, feature, lengths)
        t = maximised(counts)
    return [segment_scores(e, f, t, tension) for e, f in zip(reference, hypothesis, strict=True)]


def segment_scores(e, f, t, tension):
    n, m = len(e), len(f)
    return [
        [t[NULL, w] * 0.08]
        + [
            t[e[i - 1], w]
            * (exp(tension * h(i, j, m, n)) / (normaliser(j, m, n, tension) / (1.0 - 0.08)))
            for i in range(1, n + 1)
        ]
        for j, w in enumerate(f, start=1)
        if n > 0
    ]


def h(i, j, m, n):
    return -abs(i / n - j / m)


def nearest(j, m, n):
    """Return the reference position below the diagonal, and how many are above it (unsigned)."""
    b = floor(j * n / m)
    return b, (n - b) % 2**32


def normaliser(j, m, n, tension):
    b, u = nearest(j, m, n)
    r = exp(-tension / n)
    top = exp(tension * h(b + 1, j, m, n)) * (1 - r ** float(u)) / (1 - r) if u else 0.0
    bottom = exp(tension * h(b, j, m, n)) * (1 - r ** float(b)) / (1 - r) if b else 0.0
    return top + bottom


def fitted(tension, feature, lengths):
    n_tokens = sum(m * count for (m, _), count in lengths.items())
    for _ in range(8):
        expected = 0.0
        for (m, n), count in sorted(lengths.items()):
            for j in range(1, m + 1):
                expected += count * expected_feature(j, m, n, tension)
        tension += 20.0 * (feature / n_tokens - expected / n_tokens)
        tension = min(max(tension, 0.1), 14.0)
    return tension


def expected_feature(j, m, n, tension):
    b, u = nearest(j, m, n)
    r, d = exp(-tension / n), -1.0 / n

    def series(a, terms):
        g = exp(tension * a)
        last = g * r ** float(terms)
        ends = (d * (terms - 1) + a) * last - a * g
        return ends / (r - 1) - d * (last - g * r) / ((r - 1) * (r - 1)) if terms else 0.0

    top, bottom = series(h(b + 1, j, m, n), u), series(h(b, j, m, n), b)
    return (top + bottom) / normaliser(j, n, m, tension)  # lengths swapped, as in the program


def maximised(counts):
    totals = defaultdict(float)
    for (e, _), count in counts.items():
        totals[e] += count + 0.01
    return {
        (e, f): exp(digamma(count + 0.01) - digamma(totals[e])) for (e, f), count in counts.items()
    }


def digamma(x):
    result = 0.0
    while x < 7:
        result -= 1 / x
        x += 1
    x -= 0.5
    y = (1 / x) * (1 / x)
    z = y * y
    c1, c2, c3, c4 = 1 / 24, 7 / 960, 31 / 8064, 127 / 30720
    return result + (log(x) + c1 * y - c2 * z + c3 * z * y - c4 * z * z)


def corpora(max_length=7):
    """Draw a reference and two systems; few words, so that they repeat within a segment."""

    def side(words):
        return st.lists(st.sampled_from(words), max_size=max_length)

    reference, hypothesis = side(["a", "b", "c", "d", "e", NULL]), side(["a", "v", "w", "x", "y"])
    segments = st.lists(st.tuples(reference, hypothesis, hypothesis), min_size=1, max_size=8)
    return segments.map(lambda rows: [list(column) for column in zip(*rows, strict=True)])


# A reference with the null word, in which the order of sums decides a link.
NULL_WORD = [
    [["b", "a", "a", "a", "a"], ["a", "a", "a", NULL, "a"], ["a", "a", "a"]],
    [["v", "a", "w"], ["a", "v", "a", "a", "v"], ["a", "a"]],
]


def plain_links(reference, hypothesis):
    """Link every token by its best score; of equal ones to none, else to the leftmost."""
    best = [
        [x.index(max(x)) - 1 for x in segment] or [-1] * len(f)
        for segment, f in zip(scores(reference, hypothesis), hypothesis, strict=True)
    ]
    return list(chain.from_iterable(best))


@settings(deadline=None, max_examples=100)
@given(corpora())
@example(NULL_WORD)
def test_links_are_those_of_a_plain_transcription(corpus):
    reference, *hypotheses = corpus
    expected = [plain_links(reference, hypothesis) for hypothesis in hypotheses]
    for threads, changed in ((1, {"POWERS": 8}), (3, {"POWERS": 3}), (1, AS_LONG), (3, AS_LONG)):
        with mock.patch.multiple(aligners, **changed):
            found = align(reference, hypotheses, threads)
        assert [links.tolist() for links in found] == expected, f"{threads} threads, {changed}"


def documents(texts, size, of_words=1.0):
    """Join lines to documents of `size` lines, with a share of the words replaced by others."""
    rng, words = np.random.default_rng(1), sorted({w for line in texts for w in line.split()})
    joined = [" ".join(texts[i : i + size]).split() for i in range(0, len(texts), size)]
    return [[w if rng.random() < of_words else rng.choice(words) for w in x] for x in joined]


@pytest.mark.parametrize("size", [3, 60])
def test_links_of_documents_are_the_same_when_aligned_as_long_segments(texts, size):
    """Of lines of 40 words, and of 800, more than the table of powers has; sums of feature beyond
    1, where small terms are left out."""
    reference, hypothesis = documents(texts, size), documents(texts, size, 0.7)
    (usual,) = align(reference, [hypothesis])
    with mock.patch.multiple(aligners, FEW_CELLS=-1, BLOCK=2**14):
        (as_long,) = align(reference, [hypothesis], 2)
    assert (usual >= 0).mean() > 0.3
    np.testing.assert_array_equal(as_long, usual)


def test_memory_does_not_follow_the_square_of_a_line():
    """A line of 3,000 words has nine million pairs of words, but a hundred of different words."""
    rng = np.random.default_rng(1)
    line, other = (rng.choice(list("abcdefghij"), 3000).tolist() for _ in range(2))
    align([line], [[other]])  # compiled and imported
    assert peak_of(lambda: align([line], [[other]])) < 20e6


def test_a_line_too_long_is_refused_at_once():
    short, long = ["a", "b"], ["a", "b"] * 50_000
    with pytest.raises(Missing, match=r"line 2 is too long to be aligned \(100,000 tokens in the"):
        align([short, long, short], [[short, short, short], [short, long, short]])


def test_a_line_of_too_many_different_words_is_refused(texts):
    reference, (first, *others) = documents(texts, 30), documents(texts, 30, 0.9)
    few = mock.patch.multiple(aligners, FEW_CELLS=-1, MOST_PAIRS=10_000)
    with few, pytest.raises(Missing, match="line 1 is too long"):
        align(reference, [[first * 2, *others]])


def lines(path):
    return path.read_bytes().decode().split("\n")[:-1]


def test_links_of_wmt19_are_those_of_the_program(shared, excerpt):
    systems = ["Facebook_FAIR.6862", "MSRA.MADL.6926", "online-X.0"]
    texts = excerpt / "wmt19" / "system-outputs" / "en-de"
    reference = list(map(tokens, lines(excerpt / "wmt19" / "references" / "en-de.ref.txt")))
    hypotheses = [list(map(tokens, lines(texts / f"{system}.txt"))) for system in systems]
    identical, found = [], align(reference, hypotheses, 2)
    for system, hypothesis, links in zip(systems, hypotheses, found, strict=True):
        expected = lines(shared / "oracles" / f"fast_align.wmt19.en-de.{system}.links")
        ends = np.cumsum([len(segment) for segment in hypothesis])
        for pairs, line in zip(expected, np.split(links, ends[:-1]), strict=True):
            ours = " ".join(f"{i}-{j}" for j, i in enumerate(line) if i >= 0)
            identical.append(ours == pairs)
    assert len(identical) == 5991
    assert np.mean(identical) >= 0.9999
