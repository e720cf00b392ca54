"""Documents as the units that are resampled, exchanged and permuted."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from conftest import make_evalset

import mt_difficulty as md
from mt_difficulty.evidence import dec, gains, resampling, study
from mt_difficulty.evidence.selection import Judge
from mt_difficulty.evidence.units import (
    MINIMUM_DOCUMENTS,
    single_segments,
    units_of,
    whole_documents,
)
from mt_difficulty.metrics.base import Metric
from mt_difficulty.weighting.base import WeightedMetric

SEGMENTS = 60


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def units():
    """Fifteen documents whose segments are not side by side."""
    names = [f"document {segment * 7 % 15}" for segment in range(SEGMENTS)]
    return units_of(names, SEGMENTS)


@pytest.fixture
def weighted(rng):
    scores = rng.normal(size=(4, SEGMENTS, 1))
    return WeightedMetric(Metric.aggregate, scores, rng.random((4, SEGMENTS, 1)))


@pytest.mark.parametrize(
    ("documents", "unit", "why"),
    [
        ([], "documents", "no documents are known"),
        (["a"] * SEGMENTS, "documents", "1 document is too few to resample; 10 are needed"),
        (list(map(str, range(SEGMENTS))), "segments", "chosen by unit: segments"),
    ],
)
def test_segments_are_the_units_where_documents_cannot_be(documents, unit, why):
    units = units_of(documents, SEGMENTS, unit)
    assert (units.kind, units.size) == ("segments", SEGMENTS)
    assert units.why_segments == why
    assert "assumed to be independent" in units.text


def test_ten_documents_are_enough():
    names = [str(segment % MINIMUM_DOCUMENTS) for segment in range(SEGMENTS)]
    units = units_of(names, SEGMENTS)
    assert (units.kind, units.size, units.text) == ("documents", 10, "10 documents")


def test_sums_are_those_of_every_document(units, rng):
    values = rng.normal(size=(SEGMENTS, 2))
    expected = [values[units.numbers == unit].sum(axis=0) for unit in range(units.size)]
    np.testing.assert_allclose(units.sums(values), expected)


def test_a_resample_scores_the_drawn_documents(units, weighted, rng):
    """As copies of their segments, one after the other."""
    weights = resampling.bootstrap_weights(units.size, 20, rng)
    (scores,) = resampling.resampled_scores([weighted], weights, units)
    for drawn, resampled in zip(weights, scores, strict=True):
        segments = np.repeat(np.arange(SEGMENTS), drawn[units.numbers])
        expected = weighted.select(segments=segments).observed_quality()
        np.testing.assert_allclose(resampled, expected)


def test_a_permutation_exchanges_whole_documents(units, weighted, rng):
    swapped = rng.integers(2, size=(300, units.size)).astype(float)
    by_document = resampling.paired_permutation(weighted, swapped, units)
    by_segment = resampling.paired_permutation(weighted, swapped[:, units.numbers])
    np.testing.assert_array_equal(by_document, by_segment)


def test_halves_of_perm_both_hold_whole_documents(units, weighted, monkeypatch, rng):
    """The share of a system's segments in the first half is that of its documents."""
    drawn = []
    random_bits = resampling.random_bits

    def remembered(shape, generator):
        drawn.append(random_bits(shape, generator))
        return drawn[-1]

    monkeypatch.setattr(resampling, "random_bits", remembered)
    _, _, share = resampling.random_halves([weighted], 50, rng, units)
    expected = [bits[:, units.numbers].mean(axis=1) for bits in drawn]
    np.testing.assert_allclose(share, np.transpose(expected))


def test_kish_counts_documents(weighted):
    """All weight on one document: one effective document, though several segments."""
    names = [str(segment % 15) for segment in range(SEGMENTS)]
    inside = np.array(names) == "3"
    only = weighted._replace(weights=np.broadcast_to(inside, (4, SEGMENTS))[..., None] * 1.0)
    np.testing.assert_allclose(gains.effective_documents(only, names), 1)
    np.testing.assert_allclose(only.effective_segments(), inside.sum())
    np.testing.assert_allclose(gains.effective_documents(weighted.unweighted(), names), 15)
    assert np.isnan(gains.effective_documents(weighted, [])).all()


def test_dec_draws_and_exchanges_whole_documents(units, rng):
    counts = dec.resample_counts(units, 9, rng)
    masks = dec.exchange_masks(units, 9, rng)
    for drawn in (counts, masks):
        assert drawn.shape == (SEGMENTS, 10)
        for unit in range(units.size):
            assert np.ptp(drawn[units.numbers == unit], axis=0).max() == 0
    np.testing.assert_array_equal(counts[:, 0], 1)
    np.testing.assert_array_equal(masks[:, 0], 0)


def test_a_judges_resamples_have_whole_documents(units, rng):
    gold = np.arange(2 * SEGMENTS, dtype=float).reshape(2, SEGMENTS)
    sizes = np.bincount(units.numbers)
    for index, judge in Judge(gold).resampled(5, rng, units):
        np.testing.assert_array_equal(judge.gold, gold[:, index])
        times = np.bincount(units.numbers[index], minlength=units.size) / sizes
        np.testing.assert_array_equal(times, np.rint(times))
        assert times.sum() == units.size


def test_studies_of_sets_that_share_documents_draw_these_alike():
    """Another language pair has the same documents in another order, and one of its own."""
    source = [f"text {segment}" for segment in range(SEGMENTS)]
    names = [str(segment % 12) for segment in range(SEGMENTS)]
    first = make_evalset([source] * 3, source)
    order = np.argsort(names, kind="stable")
    second = make_evalset([source] * 3, source)
    first = replace(first, source=source, documents=names, gold=[1, 2, 3])
    second = replace(
        second,
        source=[source[i] for i in order],
        documents=[names[i] for i in order],
        gold=[1, 2, 3],
    )
    samples = [study.sample_of(evalset) for evalset in (first, second)]
    assert [sample.units.kind for sample in samples] == ["documents"] * 2
    assert sorted(samples[0].codes) == sorted(samples[1].codes)
    counts = [study.Joint(sample, 30, seed=4).counts for sample in samples]
    # Whole documents are drawn, as many as there are, and nearly the same in both sets.
    np.testing.assert_array_equal(counts[0].sum(axis=1), SEGMENTS)
    assert np.ptp(counts[0][:, np.array(names) == "5"], axis=1).max() == 0
    together = [np.corrcoef(counts[0][:, i], counts[1][:, j])[0, 1] for j, i in enumerate(order)]
    assert min(together) > 0.7


def test_document_resamples_of_spa_have_as_many_segments(units, rng):
    """SPA's p-values are of as many segments in every resample."""
    counts = units.of_segments(resampling.bootstrap_weights(units.size, 10, rng))
    np.testing.assert_allclose(resampling.as_many_segments(counts).sum(axis=1), SEGMENTS)
    singles = single_segments(SEGMENTS)
    counts = resampling.bootstrap_weights(singles.size, 10, rng)
    np.testing.assert_array_equal(resampling.as_many_segments(counts), counts)


def test_scores_of_python_know_documents():
    """Wider intervals where segments of a document are alike; the same scores."""
    lines = [f"the cat number {document} sat down" for document in range(12) for _ in range(8)]
    bad = [line if int(line.split()[3]) % 3 else "a dog" for line in lines]
    names = [line.split()[3] for line in lines]
    systems = {"good": lines, "bad": bad}
    settings = {"weightings": [], "lang": "en", "resamples": 200}
    alone = md.score(systems, lines, **settings)
    by_document = md.score(systems, lines, documents=names, **settings)
    assert "no documents are known" in alone.resampled
    assert by_document.resampled == "12 documents"
    np.testing.assert_array_equal(alone.scores.score, by_document.scores.score)
    width = by_document.scores.high - by_document.scores.low
    assert width[1] > 1.8 * (alone.scores.high - alone.scores.low)[1]
    np.testing.assert_allclose(by_document.scores.effective_documents, 12)
    chosen = md.score(systems, lines, documents=names, unit="segments", **settings)
    np.testing.assert_array_equal(chosen.scores.low, alone.scores.low)


def test_correlations_of_python_know_documents(rng):
    names = [str(segment // 5) for segment in range(SEGMENTS)]
    of_documents = rng.normal(size=(SEGMENTS // 5, 5))
    table = pd.DataFrame(np.repeat(of_documents, 5, axis=0), columns=list("abcde"))
    human = pd.Series(dict(zip("abcde", range(5), strict=True)), name="mqm")
    result = md.correlate({"m": table}, human, ["pearson"], documents=names, resamples=300)
    assert set(result.unit[result.over != "systems"]) == {"documents"}
    assert set(result.units[result.over != "systems"]) == {SEGMENTS / 5}
    alone = md.correlate({"m": table}, human, ["pearson"], resamples=300)
    assert set(alone.unit[alone.over != "systems"]) == {"segments"}
    widths = [
        frame[frame.over == "segments"].eval("high - low").iloc[0] for frame in (result, alone)
    ]
    assert widths[0] > 1.5 * widths[1]
    assert whole_documents(names).size == 12


def test_few_documents_cannot_tell_many_systems_apart():
    """Ten documents have 1,024 exchanges: no corrected p of 28 pairs can be below 0.05."""
    lines = [f"the cat number {segment} sat down" for segment in range(40)]
    systems = {
        f"s{number}": [*lines[: 40 - 4 * number], *["a dog"] * 4 * number] for number in range(8)
    }
    names = [str(segment % 10) for segment in range(40)]
    result = md.score(systems, lines, documents=names, weightings=[], lang="en", resamples=2000)
    assert set(result.scores.better_than) == {None}
    (notice,) = [text for text in result.notices if "too few ways" in text]
    assert notice.startswith("10 documents can be exchanged in too few ways to test 28 pairs")


def test_many_segments_can_be_exchanged_in_enough_ways():
    """Of 1,100 segments there are more exchanges than a float can count."""
    lines = [f"the cat number {segment} sat down" for segment in range(1100)]
    systems = {"a": lines, "b": ["a dog", *lines[1:]]}
    result = md.score(systems, lines, weightings=[], lang="en", resamples=100)
    assert None not in result.scores.better_than.tolist()
