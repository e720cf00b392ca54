"""Findings in words, verdicts and tables of a study and of a run follow from the numbers."""

import re

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from study_frames import study_draws, study_effects

from mt_difficulty import page
from mt_difficulty.data.evalset import EvaluationSet, SetFiles
from mt_difficulty.data.stretches import listed_lines
from mt_difficulty.errors import Missing
from mt_difficulty.evidence import study, synthesis
from mt_difficulty.page import closing, finding, headline, index
from mt_difficulty.page import study as texts
from mt_difficulty.page.finding import EQUIVALENT, HARMS, HELPS, NOT_JUDGED, NOT_TESTED, UNKNOWN
from mt_difficulty.scores import SYSTEM_SCORES_ONLY
from mt_difficulty.settings.protocol import Cells, Method, PaperSummary
from mt_difficulty.settings.study import Contrast

REPORT = ROOT / "workflow/report"
CONTRASTS = {
    "EE": Contrast("EE", primary=True, question="Does EE raise agreement (H1)?"),
    "DA": Contrast("DA", primary=True, question="Does DA raise agreement (H1)?"),
    "length": Contrast("length", question="Does length do the same (H4)?"),
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
        ({"p": NAN, "low": NAN, "high": NAN}, NOT_TESTED),
        ({"p": NAN}, NOT_TESTED),
        ({"p": NAN, "low": -0.02, "high": 0.02}, EQUIVALENT),
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
        ({"p": NAN}, "no p"),
        ({"p": 0.04}, "p is above 0.05 after correction; the interval includes 0"),
        ({"p": 0.6, "low": 0.01}, "the interval excludes 0, but p is above 0.05"),
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


PLOT = "How each weighting changes Pearson’s r"


def sentences(*rows):
    """The answer and the title of the plot."""
    said = finding.sentences(finding.numbers(finding.table_of(list(rows))))
    return said["answer"], said["title"]


def test_the_answer_counts_verdicts_and_the_title_names_weightings():
    rows = [change(p=0.001, difference=-0.204, low=-0.4, high=-0.1, standard=0.586)]
    rows += [change(metric="N"), change(metric="N", tuned=True, p=0.001)]
    rows.append(change(name="b/en-de", weighting="V", p=0.001, low=0.1))
    answer, title = sentences(*rows)
    assert answer == (
        "Sometimes: weighting by difficulty helps in 1 of 3 comparisons, harms in 1, "
        "and in 1 we cannot tell."
    )
    assert title == "W harms in 1 of 2 comparisons, V helps in 1 of 1 comparison"


@pytest.mark.parametrize(
    ("rows", "first"),
    [
        ([change(p=0.001, low=0.1)], "Yes: "),
        ([change()], "Not shown: "),
        ([change(p=0.001, difference=-0.1, low=-0.3, high=-0.01)], "No: "),
        ([change(low=-0.01, high=0.01)] * 9, "No: "),
        ([change(low=-0.01, high=0.01), change()], "Not shown: "),
        ([change(tuned=True, p=0.001), change(name="b/en-de", uses_gold=True)], "Not judged ("),
        ([change(p=NAN), change(metric="N", p=NAN)], "Not tested: "),
        ([change(p=NAN), change(metric="N")], "Not shown: "),
        ([], "No weighting is compared"),
    ],
)
def test_the_answer_is_one_short_sentence(rows, first):
    answer = sentences(*rows)[0]
    assert answer.startswith(first)
    assert len(answer.split()) <= 25
    assert len(re.findall(r"\.(?!\d)", answer)) == 1


def test_where_nothing_is_shown_the_title_says_what_the_plot_shows():
    rows = [change(), change(metric="N", low=-0.2)]
    assert sentences(*rows)[1] == PLOT
    assert sentences(*rows)[0].startswith("Not shown: in both comparisons we cannot tell whether")
    said = finding.sentences(finding.numbers(judged(*rows)))
    assert said["detectable"].endswith("Their intervals have a median width of ±0.225.")


def test_no_effect_cannot_tell_not_tested_and_not_judged_are_told_apart():
    small, unclear, untested = change(low=-0.01, high=0.01), change(), change(p=NAN)
    answer, title = sentences(small, unclear, unclear, untested)
    assert answer == (
        "Not shown: weighting by difficulty helps in 0 of 4 comparisons, harms in 0, has no effect "
        "in 1, in 2 we cannot tell, and 1 was not tested."
    )
    assert title == PLOT
    assert sentences(untested, small)[0].endswith("has no effect in 1, and 1 was not tested.")


def test_changes_that_are_not_judged_are_told_with_their_intervals():
    reason = "Not judged (tuned on the set's human scores): "
    assert sentences(change(tuned=True)) == (
        reason + "W changes r by +0.100, and every interval includes 0.",
        PLOT,
    )
    rows = [change(tuned=True), change(weighting="V", tuned=True, difference=0.2, low=0.1)]
    assert sentences(*rows)[0] == (
        reason + "W and V change r by +0.100 to +0.200, and 1 of 2 intervals include 0."
    )
    many = [change(weighting=name, tuned=True) for name in "ABCD"]
    assert sentences(*many)[0].startswith(reason + "4 weightings change r by +0.100, and every")
    # Beside changes that are judged, a reason stands below the plot.
    assert finding.sentences(finding.numbers(judged(many[0])))["not_judged"] == ""
    both = finding.sentences(finding.numbers(judged(change(), *many[:2])))
    assert both["not_judged"] == "tuned on the set's human scores (2)"


def test_the_lead_of_a_set_is_the_answer_without_its_first_word():
    said = finding.sentences(finding.numbers(judged(change(), change(p=NAN))))
    assert said["answer"] == f"Not shown: w{said['lead'][1:]}"
    not_judged = finding.sentences(finding.numbers(judged(change(tuned=True))))
    assert not_judged["answer"] == not_judged["lead"]


def test_verdicts_are_explained_by_the_numbers():
    gain = {"p": 0.001, "low": 0.05, "random_high": 0.2}
    rows = [change(name=f"{letter}/en-de", systems=9) for letter in "abcd"]
    said = finding.sentences(finding.numbers(judged(*rows, change(**gain), change(tuned=True))))
    assert said["alike"] == "In 1 gain random difficulty gains as much."
    assert said["detectable"].startswith("Here the test finds a change of 0.200 (median) with 80 %")
    assert said["few"] == (
        "Pearson’s r over fewer than 10 systems is uncertain: a/en-de (9), b/en-de (9), c/en-de "
        "(9) and 1 more."
    )
    assert said["not_judged"] == "tuned on the set's human scores (1)"
    quiet = finding.sentences(finding.numbers(judged(change(low=-0.01, high=0.01))))
    assert [quiet[name] for name in ("alike", "detectable", "few", "not_judged")] == [""] * 4


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


def cells_of(*rows):
    """Cells of a ledger: how many, their status and further fields."""
    plain = {"paper": "p", "item": "table1", "row": "a", "column": "r", "reason": ""}
    plain |= {"origin": "data", "method": ""}
    return [plain | {"status": status} | more for n, status, more in rows for _ in range(n)]


def claims_of(*rows):
    return [row | {"item": "claims"} for row in cells_of(*rows)]


def found_of(*rows, method=(), **more):
    paper = PaperSummary(
        title="A Paper",
        authors="A et al.",
        year=2020,
        method=Method(name="XX", cells=[Cells(item="table1")], **dict(method)),
        sets=[],
        metrics=[],
        tables={},
        figures={},
        top_sizes={},
    )
    return headline.found_of("p", paper, pd.DataFrame(rows), [], **more)


def lead(*rows, **options):
    """What is said of the paper's own method, of the other numbers, and of the claims."""
    found = found_of(*rows, **options)
    parts = [
        headline.method_sentences(found["method"]),
        headline.others_sentences(found["others"]),
        headline.claims_sentence(found["claims"]),
    ]
    assert " ".join(filter(None, parts[1:])) == headline.rest(found)
    return parts


NONE = {"method": "XX", "reason": "no encoder"}
OURS = {"method": "XX"}


def subsets_remark(standard_errors):
    return (
        "the paper's 100 subsets are unknown: the standard error of the difference is 0.021, so it "
        f"is {standard_errors} of these"
    )


@pytest.mark.parametrize(
    ("rows", "first"),
    [
        (
            [(3, "not computable", NONE), (9, "reproduced", {})],
            "XX: none of its 3 published numbers could be computed here: no encoder.",
        ),
        (
            [(3, "not computable", NONE), (1, "not computable", OURS | {"reason": "no set"})],
            "XX: none of its 4 published numbers could be computed here: 3 because no encoder, 1 "
            "because no set.",
        ),
        (
            [(2, "reproduced", OURS), (1, "close", OURS), (1, "differs", OURS)],
            "XX: 4 of 4 published numbers could be computed from data and compared: 2 are "
            "reproduced, 1 is close, 1 differs.",
        ),
        (
            [(1, "reproduced", OURS), (2, "other systems", OURS), (3, "not computable", NONE)],
            "XX: 1 of 6 published numbers could be computed from data and compared: 1 is "
            "reproduced, 0 are close, 0 differ. 2 were computed over another number of systems "
            "than the paper's, and are not compared. 3 could not be computed: no encoder.",
        ),
        (
            [
                (4, "reproduced", OURS),
                (1, "close", OURS | {"item": "table2"}),
                (2, "differs", OURS | {"item": "table5", "reason": subsets_remark("1.9")}),
                (1, "reproduced", OURS | {"item": "table5", "reason": subsets_remark("2.1")}),
                (3, "not computable", NONE),
                (2, "not computable", OURS | {"reason": "the archive has no texts of a de-en"}),
                (2, "not computable", OURS | {"reason": "x-v2 has no campaign b; it has a"}),
            ],
            "XX: of 5 numbers in Table 1 and Table 2 that could be computed from data and "
            "compared, 4 are reproduced, 1 is close, 0 differ. Table 5 uses random subsets that "
            "the paper does not name: 2 of 3 numbers are within sampling error (2 standard "
            "errors). 7 of 15 could not be computed: 4 because the archive lacks campaigns, texts "
            "or scores, 3 because no encoder.",
        ),
        (
            [(2, "other encoder", OURS), (1, "not computable", NONE)],
            "XX: none of 3 published numbers could be computed as in the paper. 2 were computed "
            "with another encoder than the paper's, and are not compared. 1 could not be "
            "computed: no encoder.",
        ),
        (
            [(5, "derived", OURS | {"origin": "printed"})],
            "XX: none of its 5 published numbers is computed from data, since the texts are lost. "
            "All 5 follow from other numbers that the paper prints.",
        ),
        (
            [
                (4, "derived", OURS | {"origin": "printed"}),
                (1, "differs", OURS | {"origin": "printed"}),
                (1, "input", OURS | {"origin": "given"}),
            ],
            "XX: none of its 6 published numbers is computed from data, since the texts are lost. "
            "4 follow from other numbers that the paper prints. 1 does not follow exactly from the "
            "numbers that the paper prints. 1 is an input, taken over from the paper.",
        ),
    ],
)
def test_a_papers_headline_says_first_what_its_own_method_got(rows, first):
    said, _, _ = lead(*cells_of(*rows), method={"without_data": "the texts are lost"})
    assert said == first


def test_then_a_paper_has_other_numbers_and_claims():
    rows = cells_of((3, "not computable", NONE), (2, "reproduced", {}), (1, "other systems", {}))
    rows += claims_of((3, "partly computable", {}), (2, "not computable", {}))
    printed = {"origin": "printed"}
    rows += claims_of((2, "holds", printed), (1, "derived", printed), (1, "differs", printed))
    _, others, claims = lead(*rows)
    assert others == (
        "Other numbers: 2 of 3 published numbers could be computed from data and compared: 2 are "
        "reproduced, 0 are close, 0 differ. 1 was computed over another number of systems than the "
        "paper's, and is not compared."
    )
    assert claims == (
        "Claims, on data: 0 hold, 3 could be checked in part and are true there, 2 could not be "
        "checked; within the paper: 3 hold, 1 does not hold."
    )
    rows = cells_of((1, "reproduced", OURS)) + claims_of((1, "holds", printed))
    _, others, claims = lead(*rows)
    assert others == ""
    assert claims == "Claims, on data: none is checked; within the paper: 1 holds."
    assert lead(*cells_of((1, "reproduced", OURS)))[2] == ""


def test_claims_are_counted_apart_from_numbers():
    rows = cells_of((2, "reproduced", OURS), (1, "close", OURS))
    rows += claims_of((3, "holds", {}), (1, "reproduced", {}))
    paper = PaperSummary(
        title="A Paper",
        authors="A et al.",
        year=2020,
        method=Method(name="XX", cells=[Cells(item="table1")]),
        sets=[],
        metrics=[],
        top_sizes=[],
        tables={"table1": ""},
        figures={},
    )
    found = index.count("p", paper, pd.DataFrame(rows), [])
    counts = {key: value for key, value in found["counts"].items() if value}
    claims = {key: value for key, value in found["claim_counts"].items() if value}
    assert counts == {"reproduced": 2, "close": 1}
    assert claims == {"holds": 3, "reproduced": 1}
    # The table of counts has a row for all numbers, and claims below.
    templates = page.environment(REPORT)
    table = templates.get_template("macros.html.j2").module.counts_table(found)
    assert re.search(r">all numbers</th>\s*<td>2</td>\s*<td>1</td>", table)
    assert re.search(r">claims, counted apart</a></th>\s*<td>1</td>\s*<td>0</td>", table)


CORRELATIONS = pd.DataFrame(
    [
        ("campaign", "ASW", 3, 0.3, 0.7),
        ("campaign", "ASL", 3, -0.9, 0.1),
        ("campaign", "ASW", 3, -0.1, 0.9),
        ("document", "ASW", 6, 0.4, 0.3),
        ("domain", "ASW", 2, NAN, NAN),
    ],
    columns=["level", "parameter", "texts", "r", "p"],
)
SPREAD = pd.DataFrame(
    [("campaign", 1, 1.5), ("campaign", 1, 0.5), ("campaign", 2, 0.5), ("campaign", 2, NAN)],
    columns=["level", "power", "ratio"],
)


def analysed(contents):
    files = SetFiles("complexity", contents) if contents is not None else None
    rows = cells_of((1, "derived", OURS | {"origin": "printed"}))
    found = found_of(*rows, method={"analysis": "complexity"}, analysis=files)
    said = headline.analysis_sentences(found["analysis"])
    assert headline.lead(found).endswith(said)
    return said


def test_a_paper_without_public_data_has_its_analysis_of_the_runs_texts():
    said = analysed({"correlations.csv": CORRELATIONS, "spread.csv": SPREAD})
    assert said == (
        "On data of this run, which are not the paper's, the correlation of syllables per word "
        "(ASW) and mean score is −0.100 to +0.300 over campaigns of a language pair (3 texts; "
        "negative, as in the paper, in 1 of 2 cases; too few texts for a conclusion), and +0.400 "
        "to +0.400 over documents of a set (6 texts; negative, as in the paper, in 0 of 1 case; "
        "smallest p 0.300: we cannot tell). Over campaigns of a language pair, scores normalised "
        "by ASW vary less than raw ones for 1 of 2 pairs of system and metric (power 1) and 0 of 1 "
        "(power 2)."
    )
    start = "The same analysis of texts of this run was not computed: "
    absent = {"correlations.csv": Missing("no evaluation set has texts")}
    assert analysed(absent) == f"{start}no evaluation set has texts."
    assert analysed(None) == f"{start}this run has no evaluation set."
    few = {"correlations.csv": CORRELATIONS.tail(1), "spread.csv": SPREAD}
    assert analysed(few).startswith(start)


def gains_of(*tables):
    gains = [
        finding.numbers(table)
        | {"weighting": "EE", "tuned": table.tuned.all(), "changes": table.to_dict("list")}
        for table in tables
    ]
    return headline.gains_sentences(gains)


def test_a_paper_says_how_its_weightings_change_r():
    tuned = {"tuned": True, "retuned_quantile": 0.94, "p": 0.27, "low": -0.1, "high": 0.1}
    rows = [change(difference=-0.0004, **tuned), change(difference=0.006, **tuned)]
    rows[1]["retuned_quantile"] = 0.54
    assert gains_of(judged(*rows), judged(change(), change(name="b/en-de"))) == (
        "No gain over the unweighted metrics is shown. EE, with parameters chosen on the human "
        "scores of a/en-de, changes r by −0.0004 to +0.006, within noise (smallest p 0.270); with "
        "parameters tuned for r, random difficulties gain more in 6 to 46 % of draws. EE helps in "
        "0 of 2 comparisons on 2 sets and harms in 0; in 2 we cannot tell."
    )


def test_a_gain_that_was_not_tested_is_no_gain_that_is_not_shown():
    untested = change(difference=0.3, p=NAN, low=NAN, high=NAN)
    ee = "EE helps in 0 of 1 comparison on a/en-de and harms in 0"
    assert gains_of(judged(untested)) == f"{ee}; 1 was not tested."
    assert gains_of(judged(change(low=-0.01, high=0.01))) == (
        f"{ee}; in 1 it has no effect larger than 0.02."
    )
    assert gains_of(judged(change())).startswith("No gain over the unweighted metrics is shown.")
    said = gains_of(judged(untested | {"tuned": True}))
    assert said.endswith("changes r by +0.300 to +0.300, which was not tested.")
    said = gains_of(judged(change(tuned=True, p=0.01)))
    assert said.endswith("changes r by +0.100 to +0.100 (smallest p 0.010).")
    assert gains_of() == ""


def test_a_run_ends_with_its_finding_and_counts_and_not_with_every_detail():
    doubts = ["oak: lines 3 to 9 were cut. " + "Take whole lines. " * 20]
    texts = EvaluationSet(text_doubts=doubts, gold=[1.0])
    run = {"evalset": texts, "notices": [*texts.notices, "EE leaves few segments"]}
    missing = {"missing": [{"metric": "ESIM", "weighting": "EE", "reason": "not there"}] * 3}
    alone = {"evalset": EvaluationSet(texts_missing="no texts")}
    sets = {f"wmt23/{pair}": run for pair in ("en-de", "zh-en", "he-en", "en-cs", "en-ja")}
    sets |= {"wmt19/en-de": run | missing, "wmt19/de-en": alone, "wmt20/en-de": {"absent": "no"}}
    paper = {"authors": "Liu et al.", "year": 2022, "sentence": "EE: 3 of 4 are reproduced."}
    audits = [{"papers": [paper], "unexplained": 1}]
    checks = {"wmt23/en-de": {"segments_found": {"chunk_entropy": 0.96, "mine": 0.5}}}
    said = closing.sentences([], sets, checks, audits, ["tiny: cut off"])
    first = "notice, wmt23/en-de: oak: lines 3 to 9 were cut. "
    assert [line for line in said if not line.startswith("notice, ")] == [
        "No weighting is compared with the unweighted metric.",
        "wmt23/en-de, synthetic: of the segments that were made hard, 96% by chunk entropy, 50% by "
        "mine are found.",
        "Liu et al. 2022. EE: 3 of 4 are reproduced.",
        "1 published cell differs without a known cause.",
        "7 evaluation sets: wmt23/en-de, wmt23/zh-en, wmt23/he-en, wmt23/en-cs and 3 more.",
        "Without human scores: wmt19/de-en.",
        "Without texts, stored scores alone: wmt19/de-en.",
        "Not run: wmt20/en-de.",
        "13 notices: wmt23/en-de 2, wmt23/zh-en 2, wmt23/he-en 2, wmt23/en-cs 2 and 3 more.",
        "Not computed: 3 scores (wmt19/en-de 3): not there",
    ]
    quoted = [line for line in said if line.startswith("notice, ")]
    assert (len(quoted), quoted[0].startswith(first), quoted[0][-1]) == (2, True, "…")
    assert max(map(len, quoted)) <= 200
    assert max(map(len, closing.wrapped(said).splitlines())) <= 100


def test_a_notice_at_the_end_of_a_run_does_not_lose_its_problem_to_line_numbers():
    lines = np.array([1, 2, *range(1999, 2004), *range(3000, 3600, 2)])
    notice = (
        f"oak: {listed_lines(lines)} end with `.` after a space: the text is split into tokens."
    )
    run = {"evalset": EvaluationSet(text_doubts=[notice]), "notices": [notice]}
    said = closing.sentences([], {"own/en-de": run}, {}, [], [])
    assert "more places" in notice
    assert (
        "notice, own/en-de: oak: lines 2 to 3 and more end with `.` after a space: the text is "
        "split into tokens."
    ) in said
