"""A study's tables."""

import numpy as np
from study_frames import study_effects

from mt_difficulty.evidence import study_tables, synthesis


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
    assert head[4:] == [
        *("systems", "segments", "EE, surface", "EE, learned", "DA, surface", "DA, learned")
    ]
    assert len(rows) == 8
    own = effects[(effects["set"] == "wmt2019.p0.mqm") & (effects.contrast == "EE")]
    row = next(row for row in rows if row[1] == "wmt2019" and row[2] == "en-00")
    assert row[:6] == ["development", "wmt2019", "en-00", "mqm", "12", "1000"]
    effect, error = row[6].replace("−", "-").split(" ± ")
    assert abs(float(effect) - own.effect.iloc[0]) <= 0.00005 + 1e-12
    assert abs(float(error) - own.error.iloc[0]) <= 0.00005 + 1e-12
    assert row[8] == "–"


def test_markdown_and_latex_escape():
    head, rows = ["a|b", "95 %"], [["x_1 & y", "−0.1 ± I²"]]
    assert study_tables.markdown(head, rows) == (
        "| a\\|b | 95 % |\n| --- | --- |\n| x_1 & y | −0.1 ± I² |\n"
    )
    latex = study_tables.latex(head, rows)
    assert latex.startswith("\\begin{tabular}{ll}\n\\toprule\na|b & 95 \\% \\\\\n\\midrule\n")
    assert "x\\_1 \\& y & $-$0.1 $\\pm$ I$^2$ \\\\\n\\bottomrule\n\\end{tabular}\n" in latex
