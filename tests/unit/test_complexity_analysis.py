"""Readability beside scores: correlations and spread over texts, against direct computation."""

from dataclasses import replace

import naive
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from mt_difficulty.data.evalset import EvaluationSet
from mt_difficulty.difficulty import readability
from mt_difficulty.evidence import complexity
from mt_difficulty.metrics import METRICS

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
    return EvaluationSet(
        campaign=campaign,
        pair=pair,
        reference_name="refA",
        gold_name="mqm",
        systems=["A", "B", "C"],
        gold=[0.0] * 3,
        source=list(source),
        documents=list(documents),
        domains=["news"] * len(source),
    )


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


def test_the_score_of_a_whole_set_is_the_standard_one(scores):
    for metric, kind in TYPES.items():
        own = scores[(scores.metric == metric) & (scores.text == "wmt98/en-de")]
        expected = naive.standard_scores(METRICS[kind], STATISTICS[metric])
        np.testing.assert_allclose(own.score, expected)
    own = scores[scores.metric == "system only"]
    assert set(own.level) == {"campaign"}
    np.testing.assert_allclose(
        own.score[own.text == "wmt98/en-de"], STATISTICS["system only"][:, 0, 0]
    )


def test_groups_of_one_text_are_no_text_types(types):
    assert set(types.level) == {"campaign", "document"}  # both sets have one domain
    assert set(types.group[types.level == "campaign"]) == {"en-de"}
    assert (types.systems == 3).all()


def test_correlations_are_scipys(types):
    found = complexity.correlate(types)
    for metric in ("BLEU", "TER", "z"):
        own = types[(types.group == "wmt98/en-de") & (types.metric == metric)]
        for parameter in readability.PARAMETERS:
            expected = stats.pearsonr(own[parameter], own.quality)
            row = one(found, group="wmt98/en-de", metric=metric, parameter=parameter)
            assert row.texts == 4
            assert (row.r, row.p) == pytest.approx((expected.statistic, expected.pvalue))


def test_texts_on_a_line_correlate_perfectly(types):
    rows = types[(types.group == "wmt98/en-de") & (types.metric == "BLEU")]
    for sign in (1, -1):
        found = complexity.correlate(rows.assign(quality=2 + sign * rows.ASL))
        row = one(found, group="wmt98/en-de", metric="BLEU", parameter="ASL")
        assert (row.r, row.p) == pytest.approx((sign, 0), abs=1e-9)


def test_two_texts_have_no_correlation_and_say_so(types):
    found = complexity.correlate(types)
    own = found[found.level == "campaign"]
    assert own.r.isna().all()
    assert (own.reason == "2 texts; r needs three").all()


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


def test_a_harder_text_gains_in_ter_too(normalised):
    own = normalised[(normalised.group == "wmt98/en-de") & (normalised.metric == "TER")]
    harder = own.ASW[own.text == own.reference].iloc[0] < own.ASW
    assert harder.any()
    assert (own.normalised_1[harder] < own.score[harder]).all()


def test_metrics_with_negative_scores_are_not_normalised(normalised):
    own = normalised[(normalised.metric == "z") & (normalised.level == "document")]
    assert own.normalised_1.isna().all()
    assert (own.reason == "a negative score has no ratio").all()


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


def test_another_reference_changes_the_spread_but_not_the_relative_one(scores, types):
    found = [
        complexity.spread(complexity.normalised_scores(scores, types, {"wmt98/en-de": text}))
        for text in ("x", "w")
    ]
    own = [frame[(frame.group == "wmt98/en-de") & frame.ratio.notna()] for frame in found]
    assert len(own[0]) == 3 * 3 * 2
    assert not np.isclose(own[0].ratio, own[1].ratio).any()
    np.testing.assert_allclose(own[0].relative_ratio, own[1].relative_ratio)


def test_without_syllables_there_is_a_reason_everywhere():
    frame = scored(evaluation_set(pair="zh-en"))
    types = complexity.text_types(frame)
    normalised = complexity.normalised_scores(frame, types, {})
    correlations, spread = (
        complexity.correlate(types),
        complexity.spread(normalised),
    )
    assert correlations.r.isna().all()
    assert correlations.reason.str.contains("without spaces").all()
    assert spread.ratio.isna().all()
    assert (spread.reason != "").all()
    text = complexity.summarise(types, correlations, spread)
    assert "for 0 of 0" in text


def test_the_summary_counts_what_the_tables_hold(types, normalised):
    correlations, spread = (
        complexity.correlate(types),
        complexity.spread(normalised),
    )
    text = complexity.summarise(types, correlations, spread)
    rows = spread[(spread.level == "document") & (spread.power == 1) & spread.ratio.notna()]
    shrank = f"deviation for {(rows.ratio > 1).sum()} of {len(rows)} pairs"
    assert shrank in text.split("## Documents of a set")[1]
    assert "## Domains of a set\n\nNo group has two texts to compare." in text


def test_a_single_text_gives_empty_tables():
    frame = scored(evaluation_set(documents=["x"] * len(SOURCE)))
    types = complexity.text_types(frame)
    normalised = complexity.normalised_scores(frame, types, {})
    correlations, spread = (
        complexity.correlate(types),
        complexity.spread(normalised),
    )
    assert len(types) == len(normalised) == len(correlations) == len(spread) == 0
    text = complexity.summarise(types, correlations, spread)
    assert text.count("No group has two texts to compare.") == 3


def test_sets_without_a_common_system_have_correlations_only():
    other = replace(evaluation_set("wmt99", SOURCE[1:4] * 2), systems=["D", "E", "F"])
    frame = pd.concat([scored(evaluation_set()), scored(other)], ignore_index=True)
    types = complexity.text_types(frame)
    spread = complexity.spread(complexity.normalised_scores(frame, types, {}))
    assert "campaign" in set(types.level)
    assert "campaign" not in set(spread.level)
    correlations = complexity.correlate(types)
    assert "| en-de" in complexity.summarise(types, correlations, spread)
