"""Findings in words follow from the numbers."""

import numpy as np
import pandas as pd
import pytest
from study_frames import study_effects, study_pairs

from mt_difficulty.evidence import findings, pair_model, synthesis, synthesis_nulls

CONTRASTS = {
    "EE": {"primary": True, "question": "Does EE raise agreement (H1)?"},
    "DA": {"primary": True, "question": "Does DA raise agreement (H1)?"},
    "hardest": {"question": "Better than random segments (H6)?"},
    "length": {"question": "Does length do the same (H4)?"},
}


NO_NULLS = pd.DataFrame(columns=["statistic", "contrast", "tier", "null", "p"])


def text(
    mean=0.0,
    spread=0.01,
    pairs=None,
    by=("contrast", "tier", "statistic"),
    sets=24,
    nulls=NO_NULLS,
):
    effects = study_effects(sets, np.random.default_rng(0), mean=mean, spread=spread)
    pooled = synthesis.pool(effects, list(by), 0.01, ["EE", "DA"])
    if pairs is None:
        pairs = pair_model.pair_model(study_pairs(2, np.random.default_rng(0)).iloc[:0])
    return findings.findings(effects, pooled, pairs, CONTRASTS, nulls), pooled


def test_size_and_pooled_numbers():
    said, pooled = text(mean=0.05)
    assert said.startswith("The study compares 1 metric on 24 evaluation sets of 4 campaigns. ")
    row = pooled[(pooled.contrast == "EE") & (pooled.tier == "surface")].iloc[0]
    assert f"EE of surface metrics: SPA changes by {row.effect:+.4f} (95 % interval" in said
    assert f"{row.low:+.4f} to {row.high:+.4f}, 24 sets" in said
    assert "): helps (margin 0.01); a new set's true change is predicted between" in said
    # Two contrasts, two tiers; the contrast that is not primary is no sentence of its own.
    assert said.count("SPA changes by") == 4


def test_what_can_be_told_depends_on_the_numbers():
    assert "H1 [EE: helps (surface), helps (learned); DA: helps (surface)" in text(mean=0.05)[0]
    assert "Questions that they leave open: H6 [hardest: cannot tell]." in text(mean=0.05)[0]
    assert "harms" in text(mean=-0.05)[0]
    assert "helps" not in text(mean=-0.05)[0]
    unsure, _ = text(spread=0.2)
    assert "Questions that the data answer" not in unsure
    left = (
        "Questions that they leave open: H1 [EE: cannot tell; DA: cannot tell], H4 [length: cannot"
    )
    assert left in unsure
    assert "no effect larger than the margin" in text(spread=0.001, sets=60)[0]


def test_phases_are_named():
    said, _ = text(by=("contrast", "tier", "statistic", "phase"))
    assert "EE of surface metrics (development sets): SPA changes" in said
    assert "EE of surface metrics (confirmation sets): SPA changes" in said


def test_pairs_answer_h3():
    pairs = pair_model.pair_model(study_pairs(30, np.random.default_rng(1), 0.1, -0.06))
    said, _ = text(pairs=pairs)
    row = pairs[pairs.term == "weighted × gap"].iloc[0]
    assert row.high < 0
    assert "H3 [EE: helps more among systems of similar human score]" in said
    shown = findings.number(row.estimate, row.error)
    assert f"the gain in pairs ordered as by people changes by {shown} (95 % interval" in said


def test_nulls_answer_h6():
    rng = np.random.default_rng(4)
    effects = study_effects(20, rng, contrasts=("hardest",), mean=0.03)
    draws = [
        effects.assign(null="random_subset", draw=draw, effect=rng.normal(0, 0.01, len(effects)))
        for draw in range(99)
    ]
    nulls = synthesis_nulls.pool_nulls(effects, pd.concat(draws))
    assert nulls.p.to_numpy() == pytest.approx(0.01)
    assert (nulls.null_low < 0).all()
    assert (nulls.null_high < nulls.effect).all()
    assert set(nulls.sets) == {20}
    said, _ = text(nulls=nulls)
    assert (
        "H6 [hardest: better (surface, null random subset), one-sided p = 0.010; "
        "better (learned, null random subset), one-sided p = 0.010]"
    ) in said
    worse, _ = text(nulls=nulls.assign(p=0.98))
    assert "worse (surface, null random subset), one-sided p of a gain 0.980" in worse
    # Weighted as the random-effects mean.
    own = effects[effects.tier == "surface"]
    pooled = synthesis.random_effects(own.effect.to_numpy(), own.error.to_numpy(), [])
    assert nulls.effect[0] == pytest.approx(pooled.mean)


def test_missing_parts_are_said():
    effects = study_effects(6, np.random.default_rng(2), contrasts=("EE",))
    effects["effect"] = np.nan
    pooled = synthesis.pool(effects, ["contrast", "tier", "statistic"], 0.01, ["EE"])
    pairs = pair_model.pair_model(study_pairs(2, np.random.default_rng(3)))
    said = findings.findings(effects, pooled, pairs, CONTRASTS, NO_NULLS)
    assert "EE of surface metrics: cannot tell, because fewer than two sets have a value." in said
    assert "DA was computed on no set." in said
    assert "EE: the model of pairs has no estimate: 2 sets; the model needs 3." in said


@pytest.mark.parametrize(
    ("value", "error", "shown"),
    [
        (0.01234, 0.0021, "+0.0123"),
        (0.01234, 0.021, "+0.012"),
        (-1.234, 0.34, "−1.23"),
        (-1.234, 3.4, "−1.2"),
        (123.4, 34, "+123"),
        (0.5, np.nan, "+0.5000"),
        (np.nan, 0.1, "–"),
    ],
)
def test_digits_are_those_that_the_error_justifies(value, error, shown):
    assert findings.number(value, error) == shown
