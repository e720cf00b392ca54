"""Studies in a config, the study that is shipped, and parameters from other campaigns."""

from functools import reduce

import numpy as np
import pytest
from conftest import ROOT

import choose_elsewhere
from mt_difficulty.data.yaml_files import read_yaml
from mt_difficulty.evidence import study
from mt_difficulty.evidence.parameters import QUANTILES, W
from mt_difficulty.run import configs, studies

FILE = "workflow/studies/difficulty_weighting.yaml"


@pytest.fixture
def config():
    sources = [read_yaml(str(ROOT / file)) for file in ("config.yaml", FILE)]
    return reduce(configs.merge, sources)


def problems(config):
    return list(studies.study_problems(config["study"], config["weightings"]))


def test_the_shipped_study_is_in_order(config):
    assert not configs.problems(config, {"config.yaml": config}, ROOT)
    assert not problems(config)


def test_every_weighting_of_a_contrast_is_one_of_each_set(config):
    known = {*config["study"]["elsewhere"]}
    for entry in config["evaluation_sets"]:
        for each in config["study"]["contrasts"].values():
            sides = {each["weighting"], each.get("against", studies.STANDARD)}
            assert sides <= known | {studies.STANDARD, *entry["weightings"]}


def test_unknown_weightings_are_named_with_the_nearest(config):
    config["study"]["contrasts"]["EE"]["against"] = "EE-sharde"
    (text,) = problems(config)
    assert "contrasts, EE: against: no weighting EE-sharde" in text
    assert "EE-shared" in text


def test_parameters_from_elsewhere_need_two_groups(config):
    config["study"]["elsewhere"] = {"EE-elsewhere": "hardest"}
    assert problems(config) == [
        "elsewhere, EE-elsewhere: hardest is no weighting in two groups (type: groups)."
    ]
    config["study"]["elsewhere"] = {"EE-elsewhere": "EEE", "EE": "EE"}
    found = problems(config)
    assert any("no weighting EEE" in text for text in found)
    assert any("EE is a weighting of the config" in text for text in found)


def test_a_study_has_a_form(config):
    config["study"]["contrasts"] = {"x": {"question": "?"}}
    (text,) = configs.problems(config, {"mine.yaml": config}, ROOT)
    assert text.startswith("mine.yaml: study")
    assert "`weighting` is missing" in text


def test_the_checksum_is_of_what_is_compared(config):
    known = studies.study_checksum(config)
    assert studies.study_checksum(config | {"results": "elsewhere", "archive": "a.tgz"}) == known
    for key in studies.REGISTERED:
        assert studies.study_checksum(config | {key: "changed"}) != known


@pytest.mark.parametrize(
    ("weighting", "expected"),
    [("standard", "standard weighs none."), ("DA", "DA weighs tokens.")],
)
def test_nulls_need_a_weighting_of_segments(config, weighting, expected):
    config["study"]["contrasts"]["EE"]["weighting"] = weighting
    (text,) = problems(config)
    assert text == f"contrasts, EE: nulls need a weighting of segments; {expected}"


EE = {"type": "groups", "difficulty": "given", "threshold": 0.5, "easy_weight": 0.4}


def grid(points):
    """A grid of r of 0.1, but at points of quantile and w."""
    found = np.full((len(QUANTILES), len(W)), 0.1)
    for point, value in points.items():
        found[point] = value
    return found


def test_parameters_are_those_of_the_other_campaigns():
    """The best point of the mean over sets of other campaigns; a set of the same campaign has no
    say."""
    grids = {
        "a/x": {"EE": grid({(3, 4): 0.9})},
        "b/x": {"EE": grid({(5, 6): 0.9, (7, 8): 0.6})},
        "c/x": {"EE": grid({(7, 8): 0.6})},
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
