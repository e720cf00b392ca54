"""Findings in words, verdicts and tables of a study and of a run follow from the numbers."""

import re

import numpy as np
import pandas as pd
import pytest
from study_frames import study_draws, study_effects, study_pairs

from mt_difficulty.evidence import changes, findings, pair_model, run_findings, study, synthesis
from mt_difficulty.evidence.changes import EQUIVALENT, HARMS, HELPS, NOT_JUDGED, UNKNOWN
from mt_difficulty.evidence.counted import SYSTEM_SCORES_ONLY
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


def pool(effects):
    draws = study_draws(effects, np.random.default_rng(0))
    return synthesis.pool(effects[effects.metric == "mean"], BY, 0.01, ["EE", "DA"], draws)


def text(mean=0.0, spread=0.01, pairs=NO_PAIRS, sets=24, nulls=NO_NULLS):
    effects = study_effects(sets, np.random.default_rng(0), mean=mean, spread=spread)
    effects = pd.concat([effects, effects.assign(metric="BLEU"), effects.assign(metric="chrF")])
    pooled = pool(effects).assign(against_chance="not compared with chance")
    tables = effects, pooled, pair_model.pair_model(pairs), NO_TUNED, CONTRASTS, nulls, NO_POWER
    return findings.study_findings(*tables), pooled


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
    pairs = study_pairs(30, np.random.default_rng(1), 0.1, -0.06)
    said, _ = text(pairs=pairs)
    model = pair_model.pair_model(pairs)
    row = model[model.term == "weighted × gap"].iloc[0]
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


def check_answer(cell, row, start):
    """A cell has the numbers of a row, with the verdict."""
    effect, low, high, verdict = re.fullmatch(r"(\S+) \((\S+) to (\S+)\): (.*)", cell).groups()
    shown = [float(each.replace("−", "-")) for each in (effect, low, high)]
    expected = [row[f"{start}{name}"] for name in ("effect", "low", "high")]
    np.testing.assert_allclose(shown, expected, atol=0.00051)
    assert verdict == row[f"{start}verdict"].replace("the margin", "0.01")


def test_pooled_table():
    effects = study_effects(8, np.random.default_rng(0), contrasts=("EE", "DA"))
    effects.loc[effects.contrast == "DA", ["effect", "error"]] = np.nan
    effects.loc[effects.contrast == "DA", "reason"] = "no encoder"
    pooled = pool(effects).assign(against_chance="more than chance")
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


NAN = float("nan")


def change(name="a/en-de", metric="M", weighting="W", **values):
    row = dict.fromkeys(changes.COLUMNS, NAN) | {"set": name, "metric": metric}
    row |= {"weighting": weighting, "difficulty": "d", "systems": 12, "standard": 0.5}
    row |= {"difference": 0.1, "low": -0.1, "high": 0.3, "over": "both", "p": 0.5}
    row |= {"detectable": 0.2, "effective": 40.0, "segments": 100.0, "reason": ""}
    row |= {"uses_gold": False, "tuned": False} | values
    return row | {"value": row["standard"] + row["difference"]}


def judged(*rows):
    return changes.judge(pd.DataFrame(list(rows)))


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ({"p": 0.01, "low": 0.01}, HELPS),
        ({"p": 0.01, "difference": -0.1, "low": -0.3, "high": -0.01}, HARMS),
        ({"p": 0.01, "low": NAN, "high": NAN}, HELPS),  # Williams' test alone
        ({"p": 0.01}, UNKNOWN),
        ({"p": 0.06}, UNKNOWN),
        ({"low": -0.02, "high": 0.02}, EQUIVALENT),
        ({"low": -0.021, "high": 0.02}, UNKNOWN),
        ({"p": NAN, "low": NAN, "high": NAN}, UNKNOWN),
        ({"p": 0.001, "tuned": True}, NOT_JUDGED),
        ({"p": 0.001, "uses_gold": True}, NOT_JUDGED),
    ],
)
def test_verdicts(values, verdict):
    assert judged(change(**values)).verdict.tolist() == [verdict]


def test_p_is_adjusted_over_what_is_judged_of_a_set():
    # Holm by hand: 0.01 · 3, 0.02 · 2, 0.5 · 1; a tuned one and one without p are no tests.
    rows = [change(p=p) for p in (0.02, 0.01, 0.5)]
    rows += [change(p=1e-9, tuned=True), change(p=NAN)]
    found = judged(*rows, change(name="b/en-de", p=0.03))
    expected = [0.04, 0.03, 0.5, NAN, NAN, 0.03]
    assert found.p_adjusted.tolist() == pytest.approx(expected, nan_ok=True)
    of_set = "Holm, 3 comparisons of a/en-de"
    assert found.family.tolist() == [of_set] * 3 + ["", "", "Holm, 1 comparison of b/en-de"]
    alone = judged(*rows)
    assert alone.verdict.tolist() == found.verdict[:5].tolist()


RANDOM = {"random": -0.1, "random_low": -0.2, "random_high": 0.05}
LOSS = {"p": 0.01, "difference": -0.15, "low": -0.3, "high": -0.01, **RANDOM}


@pytest.mark.parametrize(
    ("values", "note"),
    [
        ({"p": 0.01}, "the interval includes 0"),
        ({"p": 0.04, "low": 0.01}, "p is above 0.05 after correction"),
        ({"p": NAN, "reason": "no p: why"}, "no p: why"),
        ({"low": NAN, "high": NAN}, "no interval"),
        ({}, ""),
        (
            LOSS,
            "the loss need not concern difficulty, because random difficulty loses as much "
            "(fewer segments count)",
        ),
        (LOSS | {"difference": -0.25}, ""),
        (
            LOSS | {"difference": 0.04, "low": 0.01, "high": 0.1},
            "the gain need not concern difficulty, because random difficulty gains as much",
        ),
        (LOSS | dict.fromkeys(RANDOM, NAN), ""),
    ],
)
def test_a_row_says_what_stands_against_a_verdict(values, note):
    assert judged(change(**values), change()).note[0] == note


def test_without_enough_permutations_there_is_no_verdict_by_another_test():
    """Williams' test is for metrics of which only system scores are stored."""
    rows = [significance(permutation_p=NAN, williams_p=1e-9, reason="no p: permutations")]
    found = changes.of_set(pd.DataFrame(rows), None, None, {})
    (row,) = changes.judge(found.assign(set="a")).to_dict("records")
    assert np.isnan(row["p"])
    assert (row["verdict"], row["note"]) == (UNKNOWN, "no p: permutations")


def significance(**values):
    row = {"metric": "M", "weighting": "W", "difficulty": "d", "subset": "all", "size": 9}
    row |= {"statistic": "pearson", "value": 0.7, "difference": -0.2, "permutation_p": 0.03}
    for over, width in (("both", 0.3), ("systems", 0.2), ("segments", 0.1)):
        row |= {f"difference_{over}_low": -0.2 - width, f"difference_{over}_high": -0.2 + width}
    return row | {"detectable": 0.1, "williams_p": 0.9, "effective_mean": 7, "reason": ""} | values


def controls():
    row = {"metric": "M", "weighting": "W", "difficulty": "d", "subset": "all", "size": 9}
    row |= {"statistic": "pearson", "null": "permuted", "standard": 0.9}
    row |= {"mean": 0.6, "low": 0.3, "high": 0.95}
    others = [{"subset": "top"}, {"statistic": "kendall"}, {"null": "shuffled"}]
    return pd.DataFrame([row] + [row | other | {"mean": 0.0} for other in others])


def test_changes_of_a_set_are_those_of_pearson_over_all_systems():
    plain = {"weighting": "standard", "difficulty": "", "difference": NAN, "effective_mean": 50}
    rows = [significance(**plain), significance(), significance(subset="top", difference=1)]
    rows.append(significance(statistic="kendall", difference=0.5))
    found = changes.of_set(pd.DataFrame(rows), None, controls(), {"W": (False, True)})
    assert len(found) == 1
    row = found.iloc[0]
    assert (row.standard, row.value, row.difference) == pytest.approx((0.9, 0.7, -0.2))
    assert [row.low, row.high] == pytest.approx([-0.5, 0.1])
    assert (row.over, row.p, row.effective, row.segments) == ("both", 0.03, 7, 50)
    assert (row.uses_gold, row.tuned) == (False, True)
    assert np.isnan(row.soft)
    # Under random difficulty r is 0.6 with a range of 0.3 to 0.95; that of the metric is 0.9.
    assert row[list(changes.RANDOM)].tolist() == pytest.approx([-0.3, -0.6, 0.05])


def test_without_the_widest_interval_or_a_permutation_the_next_ones_are_used():
    none = {"difference_both_low": NAN, "difference_both_high": NAN, "permutation_p": NAN}
    none["reason"] = SYSTEM_SCORES_ONLY
    row = changes.of_set(pd.DataFrame([significance(**none)]), None, None, {}).iloc[0]
    assert [row.low, row.high] == pytest.approx([-0.4, 0.0])
    assert (row.over, row.p) == ("systems", 0.9)


def test_soft_accuracy_is_that_of_all_systems_and_segments():
    row = {"level": "system", "subset": "all", "domain": "", "statistic": "soft_accuracy"}
    row |= {"metric": "M", "weighting": "W", "difficulty": "d"}
    row |= {"difference": 0.05, "difference_low": 0.01, "difference_high": 0.09}
    rows = [row, row | {"domain": "news", "difference": 1}, row | {"subset": "b", "difference": 2}]
    found = changes.of_set(pd.DataFrame([significance()]), pd.DataFrame(rows), None, {})
    assert found[list(changes.SOFT)].values.tolist() == [[0.05, 0.01, 0.09]]


def test_the_lead_counts_verdicts_and_names_the_extremes():
    rows = [change(p=0.001, difference=-0.204, low=-0.4, high=-0.1, standard=0.586)]
    rows += [
        change(metric="N", difference=0.07),
        change(name="b/en-de", weighting="V", p=0.001, low=0.1),
    ]
    found = run_findings.findings(judged(*rows), 3, 2, synthetic=False)
    assert found.lead == (
        "2 metrics on 2 evaluation sets of 2 campaigns (1 other set has no comparison): "
        "difficulty weighting helps in 1 of 3 comparisons with the standard weighting, harms in 1, "
        "and in 1 we cannot tell, with p corrected within each set (W harms in 1 of 2; V helps in "
        "1 of 1). Largest loss: W, M on a/en-de, r 0.586 → 0.382, Δ −0.204 (95 % interval −0.400 "
        "to −0.100, p = 0.001, adjusted p = 0.002). Largest gain: V, M on b/en-de, r 0.500 → "
        "0.600, Δ +0.100 (95 % interval +0.100 to +0.300, p = 0.001, adjusted p = 0.001)."
    )
    assert found.weightings["W"].startswith(
        "Harms in 1, cannot tell in 1 of 2. r changes by −0.204 to +0.070 (median −0.067)."
    )
    assert found.weightings["W"].endswith("Effective segments: 40 of 100.")
    assert "80 % power (p ≤ 0.05, before it is adjusted) is 0.200 (median 0.200) in" in found.limits
    assert "adjusted p (Holm, over all comparisons of a set)" in found.limits


def test_what_is_tuned_or_of_gold_is_not_counted_and_says_so():
    rows = [change(tuned=True, p=0.001), change(name="b/en-de", uses_gold=True, p=0.001)]
    found = run_findings.findings(judged(*rows), 2, 2, synthetic=False)
    assert "no weighting is judged" in found.lead
    assert "Largest" not in found.lead
    assert "§ Not counted on a/en-de: the parameters were chosen" in found.weightings["W"]
    assert "Not counted on b/en-de: the difficulty uses human scores" in found.weightings["W"]
