"""Studies in a config, the study that is shipped, and parameters from other campaigns."""

from functools import reduce

import numpy as np
from conftest import ROOT

import choose_elsewhere
from mt_difficulty.data.text_files import read_yaml
from mt_difficulty.evidence import study
from mt_difficulty.evidence.parameters import QUANTILES, W
from mt_difficulty.plan import outputs
from mt_difficulty.plan.base import merge
from mt_difficulty.settings import WeightingSettings
from mt_difficulty.settings.study import Contrast, Study
from mt_difficulty.weighting.base import STANDARD

FILE = "workflow/studies/difficulty_weighting.yaml"


def test_the_shipped_study():
    """Every weighting of a contrast is one of each set; the checksum is of what is compared."""
    config = reduce(merge, [read_yaml(ROOT / file) for file in ("config.yaml", FILE)])
    known = {STANDARD, *config["study"]["elsewhere"]}
    for entry in config["evaluation_sets"]:
        for name, contrast in config["study"]["contrasts"].items():
            sides = {contrast["weighting"], contrast.get("against", STANDARD)}
            assert sides <= known | {*entry["weightings"]}, (entry, name)
    checksum = outputs.study_checksum(config)
    assert outputs.study_checksum(config | {"results": "x", "archive": "a.tgz"}) == checksum
    for key in outputs.REGISTERED:
        assert outputs.study_checksum(config | {key: "changed"}) != checksum, key


EE = {"type": "EE", "difficulty": "given", "threshold": 0.5, "easy_weight": 0.4}


def grid(points):
    """A grid of r of 0.1, but at points of quantile and w."""
    r = np.full((len(QUANTILES), len(W)), 0.1)
    for point, value in points.items():
        r[point] = value
    return {"EE": r}


def test_parameters_are_those_of_the_other_campaigns():
    """The best point of the mean over sets of other campaigns; a set of the same campaign has no
    say."""
    grids = {
        "a/x": grid({(3, 4): 0.9}),
        "b/x": grid({(5, 6): 0.9, (7, 8): 0.6}),
        "c/x": grid({(7, 8): 0.6}),
    }
    campaigns = {"a/x": "a", "b/x": "b", "c/x": "c", "new": "d"}
    chosen = choose_elsewhere.choose_parameters(grids, campaigns, {"EE-elsewhere": "EE"})[
        "EE-elsewhere"
    ]
    for campaign, sets, (quantile, w) in (
        ("a", ["b/x", "c/x"], (7, 8)),
        ("b", ["a/x", "c/x"], (3, 4)),
        ("c", ["a/x", "b/x"], (3, 4)),
        ("d", ["a/x", "b/x", "c/x"], (7, 8)),
    ):
        point = chosen[campaign]
        assert point["sets"] == sets, campaign
        assert point["threshold"] == f"hypotheses_{QUANTILES[quantile]}", campaign
        assert point["easy_weight"] == W[w], campaign
    alone = choose_elsewhere.choose_parameters(
        {"a/x": grids["a/x"]}, {"a/x": "a"}, {"EE-elsewhere": "EE"}
    )
    assert alone["EE-elsewhere"]["a"]["missing"] == choose_elsewhere.NO_OTHER


def test_weightings_that_a_set_leaves_out_have_a_reason():
    study_entry = Study(
        contrasts={"one": Contrast("there"), "other": Contrast("DA", "length")},
        tiers={},
        resamples=100,
        nulls=0,
        elsewhere={"there": "EE", "nowhere": "gone", "unknown": "EE"},
    )
    ee = WeightingSettings.of(EE)
    point = {"missing": "", "threshold": "hypotheses_0.9", "easy_weight": 0.2}
    elsewhere = {"there": point, "nowhere": point, "unknown": {"missing": "no set"}}
    found, absent = study.study_weightings({"EE": ee, "length": ee}, elsewhere, study_entry)
    expected = EE | {"threshold": "hypotheses_0.9", "easy_weight": 0.2}
    assert found["there"] == WeightingSettings.of(expected)
    assert set(found) == {"EE", "length", "there"}
    assert absent == {
        "nowhere": "gone is not among the set's weightings",
        "unknown": "no set",
        "DA": "DA is not among the set's weightings",
    }
