"""How weightings are named and drawn."""

import json

from mt_difficulty.evidence import labels


def test_known_weightings_come_first_and_each_once():
    found = labels.describe(["hardest10", "EE", "standard", "EE", "soft"])
    assert [label.name for label in found] == ["standard", "EE", "hardest10", "soft"]
    assert [label.filled for label in found] == [False, True, True, True]


def test_every_line_looks_different():
    names = [label.name for label in labels.LABELS] + ["one", "two", "three", "four"]
    looks = {label.dash for label in labels.describe(names)}
    words = {label.line for label in labels.describe(names)}
    assert len(looks) == len(words) == len(names)


def test_labels_are_data_for_the_page():
    (standard, other) = json.loads(json.dumps(labels.as_data(["new", "standard"])))
    assert (standard["kind"], standard["difficulty"], standard["shown"]) == ("standard", "", True)
    assert (other["name"], other["kind"]) == ("new", "groups")
