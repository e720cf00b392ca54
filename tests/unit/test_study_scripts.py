"""What the scripts of a study do beside calling the package."""

import numpy as np
import pandas as pd
import pytest
from study_frames import study_draws, study_effects, study_pairs

import choose_elsewhere
from mt_difficulty.errors import Missing
from mt_difficulty.evidence import findings, pair_model, study, synthesis
from mt_difficulty.evidence.parameters import QUANTILES, W
from mt_difficulty.evidence.study import TUNED
from mt_difficulty.figures.study import drawings
from mt_difficulty.page import study_page

EE = {"type": "groups", "difficulty": "given", "threshold": 0.5, "easy_weight": 0.4}


def grid(**points):
    """A grid of r of 0.1, but at points of quantile and w."""
    found = np.full((len(QUANTILES), len(W)), 0.1)
    for value, (quantile, w) in points.values():
        found[quantile, w] = value
    return found


def test_parameters_are_those_of_the_other_campaigns():
    """The best point of the mean over sets of other campaigns; a set of the same campaign has no
    say."""
    grids = {
        "a/x": {"EE": grid(best=(0.9, (3, 4)))},
        "b/x": {"EE": grid(best=(0.9, (5, 6)), second=(0.6, (7, 8)))},
        "c/x": {"EE": grid(best=(0.6, (7, 8)))},
    }
    campaigns = {"a/x": "a", "b/x": "b", "c/x": "c", "new": "d"}
    found = choose_elsewhere.chosen(grids, campaigns, {"EE-elsewhere": "EE"})["EE-elsewhere"]

    def parameters(quantile, w):
        return f"hypotheses_{QUANTILES[quantile]}", W[w]

    for campaign, sets, point in (
        ("a", ["b/x", "c/x"], (7, 8)),
        ("b", ["a/x", "c/x"], (3, 4)),
        ("c", ["a/x", "b/x"], (3, 4)),
        ("d", ["a/x", "b/x", "c/x"], (7, 8)),
    ):
        assert found[campaign]["sets"] == sets
        assert (found[campaign]["threshold"], found[campaign]["easy_weight"]) == parameters(*point)
    alone = choose_elsewhere.chosen({"a/x": grids["a/x"]}, {"a/x": "a"}, {"EE-elsewhere": "EE"})
    assert alone["EE-elsewhere"]["a"]["missing"] == choose_elsewhere.NO_OTHER


def test_weightings_that_a_set_leaves_out_have_a_reason():
    study_entry = {
        "elsewhere": {"there": "EE", "nowhere": "gone", "unknown": "EE"},
        "contrasts": {
            "one": {"weighting": "there"},
            "other": {"weighting": "DA", "against": "length"},
        },
    }
    point = {"missing": "", "threshold": "hypotheses_0.9", "easy_weight": 0.2}
    elsewhere = {"there": point, "nowhere": point, "unknown": {"missing": "no set"}}
    found, absent = study.study_weightings({"EE": EE, "length": EE}, elsewhere, study_entry)
    assert found["there"] == EE | {"threshold": "hypotheses_0.9", "easy_weight": 0.2}
    assert set(found) == {"EE", "length", "there"}
    assert absent == {
        "nowhere": "gone is not among the set's weightings",
        "unknown": "no set",
        "DA": "DA is not among the set's weightings",
    }


@pytest.fixture
def tables():
    effects = study_effects(6, np.random.default_rng(0))
    by = ["contrast", "tier", "statistic", "phase"]
    pairs = [study_pairs(4, np.random.default_rng(seed)) for seed in (1, 2)]
    pairs[1]["contrast"] = "DA"
    tuned = pd.DataFrame(columns=["set", "campaign", *TUNED]).astype({"value": float})
    draws = study_draws(effects, np.random.default_rng(0))
    pooled = synthesis.pool(
        pd.concat([effects.assign(phase="all"), effects], ignore_index=True),
        by,
        0.01,
        ["EE", "DA"],
        draws,
    )
    return {
        "effects": effects,
        "synthesis": pooled.assign(against_chance="more than chance"),
        "pairs": pair_model.pair_model(pd.concat(pairs)),
        "tuned": tuned,
    }


def axes():
    from matplotlib.figure import Figure

    return [Figure().subplots()]


def test_a_figure_without_numbers_is_missing_alone(tables):
    draw = {name: each[0] for name, each in drawings(tables, "EE").items()}
    with pytest.raises(Missing):
        draw["tuned_and_null"](axes())
    draw["forest"](axes())
    none = tables | {"effects": tables["effects"].assign(effect=np.nan)}
    with pytest.raises(Missing):
        drawings(none, "EE")["forest"][0](axes())


def test_the_page_shows_the_primary_outcome(tables):
    nulls = pd.DataFrame(columns=["statistic", *study_page.SHOWN["nulls"]])
    rest = dict.fromkeys(("power", "rankings", "submissions", "left_out"), pd.DataFrame())
    entry = {"title": "T", "contrasts": {"EE": {"weighting": "EE", "question": "Q?"}}}
    effects = tables["effects"].assign(effect_with_outliers=np.nan)
    shown = tables | rest | {"nulls": nulls, "effects": effects}
    content = study_page.describe(
        entry, "Said.\n", dict.fromkeys(study_page.FIGURES, ""), shown, {}
    )
    assert content["findings"] == "Said."
    head, rows = findings.questions_table(study.overall(tables["synthesis"]), entry["contrasts"])
    assert content["questions"]["rows"] == rows
    assert [column["heading"] for column in content["questions"]["columns"]] == head
    found = {table["name"]: table["table"] for table in content["tables"]}
    assert "statistic" not in [column["heading"] for column in found["effects"]["columns"]]
    assert found["left_out"]["rows"] == []
