"""A study's tables."""

import re

import numpy as np
import pandas as pd
from study_frames import study_draws, study_effects

from mt_difficulty.evidence import findings, study, synthesis


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


def test_what_helps_or_harms_is_compared_with_chance():
    _, pooled = frames()
    row = pooled.iloc[0].to_dict() | {"fixed_verdict": "harms", "verdict": "cannot tell"}
    assert findings.answer(row, "fixed_").endswith(": harms (more than chance)")
    assert findings.answer(row).endswith(": cannot tell")


def test_power_rows():
    row = {"contrast": "EE", "tier": "surface", "sets": 12, "common_effect": 0.02}
    power = pd.DataFrame([row | {"power": 0.1004, "fixed_power": 0.5}])
    head, rows = findings.power_rows(power)
    assert head[3:] == ["common effect", "on these sets", "on new campaigns"]
    assert rows == [["EE", "surface", "12", "+0.02", "50.0 %", "10.0 %"]]


def test_sets_table():
    effects, _ = frames()
    head, rows = findings.sets_table(effects, ["EE", "DA"])
    assert head[4:8] == ["systems", "segments", "EE, surface", "EE, learned"]
    assert head[8:] == ["why EE was not computed"]  # DA has none anywhere
    assert len(rows) == 8
    own = effects[(effects["set"] == "wmt2019.p0.mqm") & (effects.contrast == "EE")]
    row = next(row for row in rows if row[1] == "wmt2019" and row[2] == "en-00")
    assert row[:6] == ["development", "wmt2019", "en-00", "mqm", "12", "1000"]
    effect, error = row[6].replace("−", "-").split(" ± ")
    assert abs(float(effect) - own.effect.iloc[0]) <= 0.0005 + 1e-12
    assert abs(float(error) - own.error.iloc[0]) <= 0.0005 + 1e-12
    assert row[8] == ""


def test_sets_table_shows_means_and_reasons():
    effects, _ = frames()
    one = effects.metric.index[:1]
    alone = effects.loc[one].assign(metric="BLEU", effect=0.5)
    _, rows = findings.sets_table(pd.concat([alone, effects]), ["EE", "DA"])
    assert rows == findings.sets_table(effects, ["EE", "DA"])[1]
    _, rows = findings.sets_table(effects, ["DA", "EE"])
    assert {row[-1] for row in rows} == {"no encoder"}


def test_questions_table():
    _, pooled = frames()
    asked = {
        "EE": {"weighting": "EE", "question": "Does EE help?"},
        "DA": {"weighting": "DA", "against": "EE"},
        "absent": {"weighting": "absent"},
    }
    head, rows = findings.questions_table(pooled, asked)
    assert head[3:] == ["metrics", "sets", "on these sets", "on new campaigns"]
    assert [row[:5] for row in rows] == [
        ["EE", "EE against standard", "Does EE help?", "surface", "8"],
        ["EE", "", "", "learned", "8"],
        ["DA", "DA against EE", "", "surface", "0"],
        ["DA", "", "", "learned", "0"],
        ["absent", "absent against standard", "", "–", "–"],
    ]
    for row, (_, own) in zip(rows[:2], pooled.iterrows(), strict=False):
        check_answer(row[5], own, "fixed_")
        check_answer(row[6], own, "")
    assert rows[2][5:] == ["not computed (no set has a value)"] * 2


def test_markdown_and_latex_escape():
    head, rows = ["a|b", "95 %"], [["x_1 & y < z", "−0.1 ± I²"]]
    assert findings.markdown(head, rows) == (
        "| a\\|b | 95 % |\n| --- | --- |\n| x_1 & y < z | −0.1 ± I² |\n"
    )
    lines = [" ".join(line.split()) for line in findings.latex(head, rows).splitlines()]
    assert lines == [
        *("\\begin{tabular}{ll}", "\\toprule", r"a|b & 95 \% \\", "\\midrule"),
        r"x\_1 \& y \ensuremath{<} z & $-$0.1 $\pm$ I$^2$ \\",
        *("\\bottomrule", "\\end{tabular}"),
    ]


def test_rankings_table():
    rows = [("length", 0.5, 0.6, 0.2), ("length", 0.9, 0.8, 0.7), ("crowd", np.nan, np.nan, np.nan)]
    names = ["difficulty", "r", "random_mean", "random_quantile"]
    head, found = findings.rankings_table(pd.DataFrame(rows, columns=names))
    assert len(head) == 4
    assert found == [["length", "0.700", "0.700", "1 of 2"]]


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
