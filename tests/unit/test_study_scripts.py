"""What the scripts of a study do beside calling the package."""

import numpy as np

import choose_elsewhere
from mt_difficulty.evidence import study
from mt_difficulty.evidence.parameters import QUANTILES, W

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
