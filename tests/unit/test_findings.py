"""Findings in words and tables of a study follow from the numbers."""

import re

import numpy as np
import pandas as pd
import pytest
from study_frames import study_draws, study_effects, study_pairs

from mt_difficulty.evidence import findings, pair_model, study, synthesis
from mt_difficulty.evidence.study import TUNED

CONTRASTS = {
    "EE": {"primary": True, "question": "Does EE raise agreement (H1)?"},
    "DA": {"primary": True, "question": "Does DA raise agreement (H1)?"},
    "hardest": {"question": "Better than random segments (H6)?"},
    "length": {"question": "Does length do the same (H4)?"},
}


NO_PAIRS = study_pairs(2, np.random.default_rng(0)).iloc[:0]
NO_NULLS = pd.DataFrame(columns=["statistic", "contrast", "tier", "null", "p"])
NO_TUNED = pd.DataFrame(columns=TUNED)


NO_POWER = pd.DataFrame(columns=synthesis.POWER)
BY = ["contrast", "tier", "statistic"]


def pool(effects, primary):
    """Pooled effects and the draws of which they are made."""
    draws = study_draws(effects, np.random.default_rng(0))
    pooled = synthesis.pool(effects[effects.metric == "mean"], BY, 0.01, primary, draws)
    return pooled.assign(against_chance="not compared with chance"), draws


def text(mean=0.0, spread=0.01, pairs=None, sets=24, nulls=NO_NULLS, tuned=NO_TUNED, **changes):
    effects = study_effects(sets, np.random.default_rng(0), mean=mean, spread=spread)
    effects = effects.assign(**changes)
    effects = pd.concat([effects, effects.assign(metric="BLEU"), effects.assign(metric="chrF")])
    pooled, _ = pool(effects, ["EE", "DA"])
    if pairs is None:
        pairs = pair_model.pair_model(NO_PAIRS)
    return findings.study_findings(
        effects, pooled, pairs, tuned, CONTRASTS, nulls, NO_POWER
    ), pooled


def test_size_and_pooled_numbers():
    said, pooled = text(mean=0.05)
    assert said.startswith(
        "The study compares 2 metrics on 24 evaluation sets of 4 campaigns; soft pairwise accuracy "
        "(SPA) has a value on 24 of them. "
    )
    row = pooled[(pooled.contrast == "EE") & (pooled.tier == "surface")].iloc[0]
    here, new = (
        f"{own.effect:+.3f} ({own.low:+.3f} to {own.high:+.3f}): helps (not compared with chance)"
        for own in (row.filter(like="fixed_").rename(lambda name: name[6:]), row)
    )
    assert (
        "EE changes the SPA of surface metrics (24 sets of 4 campaigns; 95 % intervals): on these "
        f"sets {here}; on new campaigns {new}."
    ) in said
    # Two contrasts, two tiers; the contrast that is not primary is no sentence of its own.
    assert said.count("changes the SPA of") == 4


def test_what_can_be_told_depends_on_the_numbers():
    assert text(mean=0.05)[0].endswith(
        "Of 6 pooled effects on these sets 6 help, 0 harm, 0 have no effect larger than the "
        "margin, 0 are undecided, 0 are not computed; on new campaigns 6 help, 0 harm, 0 have no "
        "effect larger than the margin, 0 are undecided, 0 are not computed."
    )
    assert "6 harm" in text(mean=-0.05)[0]
    assert "helps" not in text(mean=-0.05)[0]
    assert "6 are undecided" in text(spread=0.2)[0]
    assert "no effect larger than 0.01." in text(spread=0.001, sets=60)[0]


def test_pairs_of_systems():
    pairs = pair_model.pair_model(study_pairs(30, np.random.default_rng(1), 0.1, -0.06))
    said, _ = text(pairs=pairs)
    row = pairs[pairs.term == "weighted × gap"].iloc[0]
    assert row.high < 0
    shown = findings.number(row.estimate, row.error)
    assert f"gain in pairs ordered as by human scores changes by {shown} (95 % interval" in said
    assert "): helps more, or harms less, among systems of similar human score." in said


def test_nulls():
    head = {"contrast": "hardest", "statistic": "soft_accuracy", "null": "random_subset"}
    nulls = pd.DataFrame(
        [
            {**head, "tier": "surface", "effect": 0.031, "null_mean": -0.002, "p": 0.01},
            {**head, "tier": "learned", "effect": 0.01, "null_mean": 0.02, "p": 0.4},
        ]
    )
    said, _ = text(nulls=nulls.assign(p_adjusted=[0.02, 0.4]))
    assert (
        "Compared with chance, hardest is better than the unweighted metric on random subsets of "
        "the same effective size for surface metrics (SPA +0.031 against −0.002, adjusted "
        "p = 0.020); nothing else is shown (2 comparisons)."
    ) in said
    unsure, _ = text(nulls=nulls.assign(p_adjusted=[0.2, 0.4]))
    assert (
        "A difference between hardest and chance is not shown (2 comparisons, smallest adjusted "
        "p = 0.200)"
    ) in unsure
    none, _ = text(nulls=nulls.assign(p=np.nan, p_adjusted=np.nan))
    assert "hardest is not compared with chance: fewer than two sets have a value." in none


@pytest.mark.parametrize(
    ("value", "error", "shown"),
    [
        (0.01234, 0.0021, "+0.012"),
        (0.01234, 0.021, "+0.012"),
        (-1.234, 0.34, "−1.23"),
        (-1.234, 3.4, "−1.2"),
        (123.4, 34, "+123"),
        (0.5, np.nan, "+0.500"),
        (np.nan, 0.1, "–"),
    ],
)
def test_digits_are_those_that_the_error_justifies(value, error, shown):
    assert findings.number(value, error) == shown


def frames():
    effects = study_effects(8, np.random.default_rng(0), contrasts=("EE", "DA"))
    effects.loc[effects.contrast == "DA", ["effect", "error"]] = np.nan
    effects.loc[effects.contrast == "DA", "reason"] = "no encoder"
    draws = study_draws(effects, np.random.default_rng(0))
    pooled = synthesis.pool(effects, ["contrast", "tier", "statistic"], 0.01, ["EE", "DA"], draws)
    return effects, pooled.assign(against_chance="more than chance")


def check_answer(cell, row, start):
    """A cell has the numbers of a row, with the verdict."""
    effect, low, high, verdict = re.fullmatch(r"(\S+) \((\S+) to (\S+)\): (.*)", cell).groups()
    shown = [float(each.replace("−", "-")) for each in (effect, low, high)]
    expected = [row[f"{start}{name}"] for name in ("effect", "low", "high")]
    np.testing.assert_allclose(shown, expected, atol=0.00051)
    assert verdict == row[f"{start}verdict"].replace("the margin", "0.01")


def test_pooled_table():
    _, pooled = frames()
    head, rows = findings.pooled_table(pooled)
    assert {len(row) for row in rows} == {len(head)}
    cells = dict(zip(head, rows[0], strict=True))
    assert cells["contrast"] == "EE"
    check_answer(cells["on these sets"], pooled.iloc[0], "fixed_")
    check_answer(cells["on new campaigns"], pooled.iloc[0], "")
    assert (cells["sets"], cells["without a value"]) == ("8", "0")
    assert cells["family"] == "Holm, primary contrasts, 2 tests"
    none = dict(zip(head, rows[-1], strict=True))
    assert (none["p"], none["I²"]) == ("–", "–")
    assert none["on these sets"] == none["on new campaigns"] == "not computed (no set has a value)"
    assert none["without a value"] == "8"


def test_submissions_stand_beside_plain_and_weighted_metrics():
    head = ["set", "metric", "contrast", "against", "statistic", "plain", "value", "weighting"]
    effects = pd.DataFrame(
        [
            ("a", "chrF", "EE", "standard", "pearson", np.nan, np.nan, "EE"),  # no score under EE
            ("a", "chrF", "others", "standard", "pearson", 0.7, 0.6, "length"),
            ("a", "chrF", "EE or other", "other", "pearson", 0.1, 0.2, "EE"),
            ("a", "mean", "EE", "standard", "pearson", 0.7, 0.8, "EE"),
            ("b", "chrF", "EE", "standard", "pearson", 0.5, 0.6, "EE"),  # nobody submitted
        ],
        columns=head,
    )
    own = pd.DataFrame(
        [("a", "Theirs", "pearson", 0.9)], columns=["set", "metric", "statistic", "value"]
    )
    found = study.submissions_table(effects, own, "EE").to_numpy().tolist()
    assert found == [
        ["a", "Theirs", "as submitted", "pearson", 0.9],
        ["a", "chrF", "standard", "pearson", 0.7],
    ]
