"""A study's tables."""

import numpy as np
import pandas as pd
from study_frames import study_effects

from mt_difficulty.evidence import study, study_tables, synthesis


def frames():
    effects = study_effects(8, np.random.default_rng(0), contrasts=("EE", "DA"))
    effects.loc[effects.contrast == "DA", ["effect", "error"]] = np.nan
    effects.loc[effects.contrast == "DA", "reason"] = "no encoder"
    return effects, synthesis.pool(effects, ["contrast", "tier", "statistic"], 0.01, ["EE", "DA"])


def test_pooled_table():
    _, pooled = frames()
    head, rows = study_tables.pooled_table(pooled)
    assert {len(row) for row in rows} == {len(head)}
    cells = dict(zip(head, rows[0], strict=True))
    first = pooled.iloc[0]
    assert cells["contrast"] == "EE"
    assert abs(float(cells["effect"].replace("−", "-")) - first.effect) < 10**-3
    low, high = cells["95 % interval"].replace("−", "-").split(" to ")
    assert float(low) < first.effect < float(high)
    assert (cells["sets"], cells["without a value"]) == ("8", "0")
    none = dict(zip(head, rows[-1], strict=True))
    assert (none["effect"], none["p"], none["I²"]) == ("–", "–", "–")
    assert none["verdict"] == "cannot tell (fewer than two sets have a value)"
    assert none["without a value"] == "8"


def test_sets_table():
    effects, _ = frames()
    head, rows = study_tables.sets_table(effects, ["EE", "DA"])
    assert head[4:8] == ["systems", "segments", "EE, surface", "EE, learned"]
    assert head[8:] == ["why EE has no effect"]  # DA has none anywhere
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
    _, rows = study_tables.sets_table(pd.concat([alone, effects]), ["EE", "DA"])
    assert rows == study_tables.sets_table(effects, ["EE", "DA"])[1]
    _, rows = study_tables.sets_table(effects, ["DA", "EE"])
    assert {row[-1] for row in rows} == {"no encoder"}


def test_questions_table():
    _, pooled = frames()
    asked = {
        "EE": {"weighting": "EE", "question": "Does EE help?"},
        "DA": {"weighting": "DA", "against": "EE"},
        "absent": {"weighting": "absent"},
    }
    head, rows = study_tables.questions_table(pooled, asked)
    assert head == ["contrast", "compared", "question", "surface metrics", "learned metrics"]
    first = pooled.iloc[0]
    assert rows[0][:3] == ["EE", "EE against standard", "Does EE help?"]
    assert rows[0][3].endswith(f": {first.verdict}")
    assert rows[1][:3] == ["DA", "DA against EE", ""]
    assert rows[1][3] == "cannot tell (fewer than two sets have a value)"
    assert rows[2][3:] == ["–", "–"]


def test_markdown_and_latex_escape():
    head, rows = ["a|b", "95 %"], [["x_1 & y < z", "−0.1 ± I²"]]
    assert study_tables.markdown(head, rows) == (
        "| a\\|b | 95 % |\n| --- | --- |\n| x_1 & y < z | −0.1 ± I² |\n"
    )
    latex = study_tables.latex(head, rows)
    assert latex.startswith("\\begin{tabular}{ll}\n\\toprule\na|b & 95 \\% \\\\\n\\midrule\n")
    assert "x\\_1 \\& y $<$ z & $-$0.1 $\\pm$ I$^2$ \\\\\n\\bottomrule\n\\end{tabular}\n" in latex


def test_rankings_table():
    rows = [("length", 0.5, 0.6, 0.2), ("length", 0.9, 0.8, 0.7), ("crowd", np.nan, np.nan, np.nan)]
    names = ["difficulty", "r", "random_mean", "random_quantile"]
    head, found = study_tables.rankings_table(pd.DataFrame(rows, columns=names))
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
