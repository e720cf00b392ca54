"""Studies in a config: what is refused, what their jobs need, and the study that is shipped."""

from functools import reduce

import pytest
from conftest import ROOT

from mt_difficulty.data.yaml_files import read_yaml
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


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("margin", 0, "margin"),
        ("margins", 0.1, "unknown key `margins`"),
        ("resamples", 3, "resamples"),
        ("contrasts", {"x": {"question": "?"}}, "`weighting` is missing"),
    ],
)
def test_a_study_has_a_form(config, key, value, expected):
    config["study"][key] = value
    (text,) = configs.problems(config, {"mine.yaml": config}, ROOT)
    assert text.startswith("mine.yaml: study")
    assert expected in text


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
