"""Findings in words, verdicts and tables of a study and of a run follow from the numbers."""

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from study_frames import study_draws, study_effects

from mt_difficulty import page
from mt_difficulty.evidence import study, synthesis
from mt_difficulty.page import finding
from mt_difficulty.page import study as texts
from mt_difficulty.page.finding import EQUIVALENT, HARMS, HELPS, NOT_JUDGED, UNKNOWN
from mt_difficulty.scores import SYSTEM_SCORES_ONLY

REPORT = ROOT / "workflow/report"
CONTRASTS = {
    "EE": {"primary": True, "question": "Does EE raise agreement (H1)?"},
    "DA": {"primary": True, "question": "Does DA raise agreement (H1)?"},
    "length": {"question": "Does length do the same (H4)?"},
}


BY = ["contrast", "tier", "statistic"]


def findings(mean=0.0, spread=0.01, sets=24):
    effects = study_effects(sets, np.random.default_rng(0), mean=mean, spread=spread)
    draws = study_draws(effects, np.random.default_rng(0))
    pooled = synthesis.pool(effects, BY, 0.01, ["EE", "DA"], draws)
    numbers = texts.study_numbers(effects, pooled.assign(against_chance="not compared"), CONTRASTS)
    return page.paragraph(page.text(REPORT / "study_findings.txt.j2", numbers))


def test_the_findings_of_a_study_tell_effects_from_none():
    said = findings(mean=0.05)
    assert said.count("changes the SPA of") == 4  # two primary contrasts, two tiers
    assert "helps" in said
    assert "helps" not in findings(mean=-0.05)
    assert "no effect larger than 0.01." in findings(spread=0.001, sets=60)


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
    row = dict.fromkeys(finding.COLUMNS, NAN) | {"set": name, "metric": metric}
    row |= {"weighting": weighting, "difficulty": "d", "systems": 12, "standard": 0.5}
    row |= {"difference": 0.1, "low": -0.1, "high": 0.3, "over": "both", "p": 0.5}
    row |= {"detectable": 0.2, "effective": 40.0, "segments": 100.0, "reason": ""}
    row |= {"uses_gold": False, "tuned": False} | values
    return row | {"value": row["standard"] + row["difference"]}


def judged(*rows):
    return finding.judge(pd.DataFrame(list(rows)))


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
        (LOSS, "random difficulty loses as much"),
        (LOSS | {"difference": 0.04, "low": 0.01, "high": 0.1}, "random difficulty gains as much"),
    ],
)
def test_a_row_says_what_stands_against_a_verdict(values, note):
    found = judged(change(**values), change()).note[0]
    assert note in found
    assert bool(note) == bool(found)


def significance(**values):
    row = {"metric": "M", "weighting": "W", "difficulty": "d", "subset": "all", "size": 9}
    row |= {"statistic": "pearson", "value": 0.7, "difference": -0.2, "permutation_p": 0.03}
    for over, width in (("both", 0.3), ("systems", 0.2), ("segments", 0.1)):
        row |= {f"difference_{over}_low": -0.2 - width, f"difference_{over}_high": -0.2 + width}
    return row | {"detectable": 0.1, "williams_p": 0.9, "effective_mean": 7, "reason": ""} | values


def controls():
    row = {"metric": "M", "weighting": "W", "difficulty": "d", "subset": "all", "size": 9}
    row |= {"statistic": "pearson", "null": "permuted", "standard": 0.9}
    row |= {"mean": 0.6, "low": 0.3, "high": 0.95, "quantile": 0.25}
    others = [{"subset": "top"}, {"statistic": "kendall"}, {"null": "retuned"}]
    return pd.DataFrame([row] + [row | other | {"mean": 0.0} for other in others])


def test_changes_of_a_set_are_those_of_pearson_over_all_systems():
    plain = {"weighting": "standard", "difficulty": "", "difference": NAN, "effective_mean": 50}
    rows = [significance(**plain), significance(), significance(subset="top", difference=1)]
    rows.append(significance(statistic="kendall", difference=0.5))
    found = finding.of_set(pd.DataFrame(rows), controls(), {"W": (True, False)})
    assert len(found) == 1
    row = found.iloc[0]
    assert (row.standard, row.value, row.difference) == pytest.approx((0.9, 0.7, -0.2))
    assert [row.low, row.high] == pytest.approx([-0.5, 0.1])
    assert (row.over, row.p, row.effective, row.segments) == ("both", 0.03, 7, 50)
    assert (row.uses_gold, row.tuned) == (True, False)
    # Under random difficulty r is 0.6 with a range of 0.3 to 0.95; that of the metric is 0.9.
    assert row[list(finding.RANDOM)].tolist() == pytest.approx([-0.3, -0.6, 0.05])
    best = controls().head(1).assign(parameters="optimum", retuned_quantile=0.8)
    tuned = finding.of_set(pd.DataFrame(rows), controls(), {"W": (False, True)}, best).iloc[0]
    assert (tuned.tuned, tuned.random, tuned.retuned_quantile) == (True, pytest.approx(-0.9), 0.8)


def test_without_the_widest_interval_or_a_permutation_the_next_ones_are_used():
    none = {"difference_both_low": NAN, "difference_both_high": NAN, "permutation_p": NAN}
    none["reason"] = SYSTEM_SCORES_ONLY
    row = finding.of_set(pd.DataFrame([significance(**none)]), None, {}).iloc[0]
    assert [row.low, row.high] == pytest.approx([-0.4, 0.0])
    assert (row.over, row.p) == ("systems", 0.9)


def sentences(*rows):
    """The answer and the title of the plot."""
    numbers = finding.numbers(judged(*rows)) if rows else finding.describe([])["numbers"]
    macros = page.environment(REPORT, autoescape=False).get_template("finding.html.j2").module
    return page.paragraph(macros.lead(numbers, True)), page.paragraph(macros.headline(numbers))


def test_the_answer_counts_verdicts_and_the_title_the_intervals():
    rows = [change(p=0.001, difference=-0.204, low=-0.4, high=-0.1, standard=0.586)]
    rows += [change(metric="N"), change(metric="N", tuned=True, p=0.001)]
    rows.append(change(name="b/en-de", weighting="V", p=0.001, low=0.1))
    answer, title = sentences(*rows)
    assert answer == (
        "Sometimes: weighting by difficulty helps in 1 of 3 comparisons, harms in 1, "
        "and in 1 we cannot tell."
    )
    assert title == "W harms in 1 of 2, V helps in 1 of 1; 1 of 3 judged intervals include 0"


@pytest.mark.parametrize(
    ("rows", "first"),
    [
        ([change(p=0.001, low=0.1)], "Yes: "),
        ([change()], "Not shown: "),
        ([change(p=0.001, difference=-0.1, low=-0.3, high=-0.01)], "No: "),
        ([change(low=-0.01, high=0.01)] * 9, "No: "),
        ([change(low=-0.01, high=0.01), change()], "Not shown: "),
        ([change(tuned=True, p=0.001), change(name="b/en-de", uses_gold=True)], "Not judged: "),
        ([], "No weighting is compared"),
    ],
)
def test_the_answer_is_one_short_sentence(rows, first):
    answer = sentences(*rows)[0]
    assert answer.startswith(first)
    assert len(answer.split()) <= 25
    assert answer.count(".") == 1 + answer.count("0.0")


def test_where_nothing_is_shown_the_title_says_how_wide_the_intervals_are():
    _, title = sentences(change(), change(metric="N", low=-0.2))
    shown = "No gain and no loss is shown: "
    assert title == shown + "2 of 2 intervals include 0, with a median width of ±0.225"
    _, title = sentences(change(tuned=True))
    assert title == shown + "no change is judged (tuned on the set's human scores)"


def test_what_is_not_judged_says_why():
    notes = judged(change(tuned=True), change(uses_gold=True)).note.tolist()
    assert notes == ["tuned on the set's human scores", "difficulty from the set's human scores"]


def test_the_axis_holds_every_interval_and_dot():
    rows = [change(low=-1.5, high=0.3), change(metric="N", weighting="V", low=NAN, high=NAN)]
    found = finding.forest(judged(*rows, change(name="b/en-de", high=0.9)))
    marks = [mark for panel in found["panels"] for row in panel["rows"] for mark in row["marks"]]
    places = [mark[end] for mark in marks for end in ("low", "high", "x") if end in mark]
    assert (min(places), max(places)) == (1, 99)
    assert found["zero"] == pytest.approx(1 + 98 * 1.5 / 2.4, abs=0.01)
    assert [tick["text"] for tick in found["ticks"]] == ["−1.5", "−1.0", "−0.5", "0.0", "0.5"]
    assert found["panels"][0]["rows"][0]["interval"] == "[−1.500, 0.300]"


def test_a_papers_finding_has_its_numbers_gains_and_claims():
    tuned = {"tuned": True, "retuned_quantile": 0.94, "p": 0.27, "low": -0.1, "high": 0.1}
    rows = [change(difference=-0.0004, **tuned), change(difference=0.006, **tuned)]
    rows[1]["retuned_quantile"] = 0.54
    tables = judged(*rows), judged(change(), change(name="b/en-de"))
    gains, others = (
        finding.numbers(table)
        | {"weighting": "EE", "tuned": table.tuned.all(), "changes": table.to_dict("list")}
        for table in tables
    )
    whole = {"reproduced": 55, "close": 2, "known": 148, "printed": 502}
    numbers = {"all": whole, "Table 2": whole | {"reproduced": 25, "known": 27}}
    found = {"numbers": numbers, "claims": {"data": [5, 11], "printed": [19, 26]}}
    template = page.environment(REPORT, autoescape=False).get_template("paper_finding.html.j2")
    paper = {"found": found | {"gains": [gains, others]}, "counts": {}}
    assert page.paragraph(template.module.paper_lead(paper)) == (
        "No gain over the unweighted metrics is shown. 25 of 27 computable numbers of Table 2 are "
        "reproduced (55 of 148 in the whole paper), 2 more are close. EE, with parameters chosen "
        "on the human scores of a/en-de, changes r by −0.0004 to +0.006, within noise (smallest p "
        "0.270); with parameters tuned for r, random difficulties gain more in 6 to 46 % of draws. "
        "EE helps in 0 of 2 comparisons on 2 sets, harms in 0, and in 2 we cannot tell. 5 of its "
        "11 claims that can be computed hold on data, 19 of 26 claims hold on the printed cells."
    )
