"""Findings in words follow from the numbers."""

import numpy as np
import pandas as pd
import pytest
from study_frames import study_effects, study_pairs

from mt_difficulty.evidence import findings, pair_model, synthesis
from mt_difficulty.evidence.contrasts import TUNED

CONTRASTS = {
    "EE": {"primary": True, "question": "Does EE raise agreement (H1)?"},
    "DA": {"primary": True, "question": "Does DA raise agreement (H1)?"},
    "hardest": {"question": "Better than random segments (H6)?"},
    "length": {"question": "Does length do the same (H4)?"},
}


NO_PAIRS = study_pairs(2, np.random.default_rng(0)).iloc[:0]
NO_NULLS = pd.DataFrame(columns=["statistic", "contrast", "tier", "null", "p"])
NO_TUNED = pd.DataFrame(columns=TUNED)


def text(mean=0.0, spread=0.01, pairs=None, sets=24, nulls=NO_NULLS, tuned=NO_TUNED):
    effects = study_effects(sets, np.random.default_rng(0), mean=mean, spread=spread)
    effects = pd.concat([effects, effects.assign(metric="BLEU"), effects.assign(metric="chrF")])
    means = effects[effects.metric == "mean"]
    pooled = synthesis.pool(means, ["contrast", "tier", "statistic"], 0.01, ["EE", "DA"])
    if pairs is None:
        pairs = pair_model.pair_model(NO_PAIRS)
    return findings.findings(effects, pooled, pairs, tuned, CONTRASTS, nulls), pooled


def test_size_and_pooled_numbers():
    said, pooled = text(mean=0.05)
    assert said.startswith(
        "The study compares 2 metrics on 24 evaluation sets of 4 campaigns; soft pairwise accuracy "
        "(SPA) has a value on 24 of them. "
    )
    row = pooled[(pooled.contrast == "EE") & (pooled.tier == "surface")].iloc[0]
    shown = f"EE changes the SPA of surface metrics by {row.effect:+.3f} (95 % interval"
    assert f"{shown} {row.low:+.3f} to {row.high:+.3f}, 24 sets of 4 campaigns): helps." in said
    # Two contrasts, two tiers; the contrast that is not primary is no sentence of its own.
    assert said.count("changes the SPA of") == 4


def test_what_can_be_told_depends_on_the_numbers():
    assert text(mean=0.05)[0].endswith(
        "Of 6 pooled effects 6 help, 0 harm, 0 have no effect larger than the margin, "
        "0 are undecided."
    )
    assert "6 harm" in text(mean=-0.05)[0]
    assert "helps" not in text(mean=-0.05)[0]
    assert "6 are undecided" in text(spread=0.2)[0]
    assert "no effect larger than 0.01." in text(spread=0.001, sets=60)[0]


def test_what_helps_within_the_margin_is_both():
    said, _ = text(mean=0.004, spread=0.0005, sets=60)
    assert "): helps, but no effect larger than 0.01." in said
    assert "4 help, 0 harm, 6 have no effect larger than the margin" in said


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


def test_tuned_values():
    head = {"contrast": "EE", "statistic": "pearson", "plain": 0.5}
    rows = [
        {**head, "value": 0.7, "null_mean": 0.6, "null_high": 0.65},
        {**head, "value": 0.62, "null_mean": 0.6, "null_high": 0.65},
        {**head, "value": 0.55, "null_mean": 0.6, "null_high": 0.65},
    ]
    said, _ = text(tuned=pd.DataFrame(rows))
    assert (
        "EE has a higher r than the unweighted metric in 3 of 3 pairs of set and metric, a higher "
        "r than the mean of random difficulties tuned in the same way in 2, and a higher r than "
        "97.5 % of these in 1."
    ) in said


def test_missing_parts_are_said():
    effects = study_effects(6, np.random.default_rng(2), contrasts=("EE", "DA"))
    effects.loc[effects.set != effects.set[0], "effect"] = np.nan
    effects.loc[effects.contrast == "DA", ["effect", "reason"]] = np.nan, "no encoder"
    pooled = synthesis.pool(effects, ["contrast", "tier", "statistic"], 0.01, ["EE"])
    pairs = pair_model.pair_model(study_pairs(2, np.random.default_rng(3)))
    said = findings.findings(effects, pooled, pairs, NO_TUNED, CONTRASTS, NO_NULLS)
    assert "EE of surface metrics: cannot tell, because fewer than two sets have a value." in said
    assert "DA has no effect on any set: no encoder." in said
    assert "Whether EE gains more among close systems: 2 sets; the model needs 3." in said


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
