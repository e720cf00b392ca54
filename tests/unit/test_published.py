"""The ledger as claims.json, and badges."""

from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from jsonschema import Draft202012Validator

from mt_difficulty import storage
from mt_difficulty.papers.audit import COLUMNS, STATUSES
from mt_difficulty.papers.published import COLOURS, badge, badge_svg, claims_json

SCHEMA = storage.read_json(ROOT / "workflow/schemas/claims.schema.json")
PAPERS = {"p": {"title": "T", "authors": "A", "year": 2026, "tables": {}}}
MADE = {
    "file": "papers/p/cells/t.csv",
    "sha256": "0" * 64,
    "job": "provenance/build_table/p.t.json",
}


def ledger(*rows):
    return pd.DataFrame(rows, columns=COLUMNS)


def row(status, ours, published=0.5, item="t", reason=""):
    names = ["p", item, "EE-chrF", "En→De r", "data", published, ours]
    return [*names, ours - published, status, reason, ""]


WHOLE = ledger(
    row("reproduced", 0.5),
    row("reproduced", 0.5),
    row("not computable", np.nan, reason="no encoder"),
    row("holds", 3, 3, item="claims"),
)


def convert(frame):
    made = {("p", item): MADE for item in ("t", "claims")}
    return claims_json(frame, PAPERS, made)


def errors(content):
    return [error.message for error in Draft202012Validator(SCHEMA).iter_errors(content)]


def test_every_row_is_a_record():
    content = convert(WHOLE)
    assert errors(content) == []
    assert content["records"][0] == {
        "paper": "p",
        "item": "t",
        "cell": {"row": "EE-chrF", "column": "En→De r"},
        "origin": "data",
        "published": 0.5,
        "ours": 0.5,
        "difference": 0,
        "verdict": "reproduced",
        "reason": "",
        "evidence": "",
        "provenance": MADE,
    }
    assert [each["ours"] for each in content["records"]] == [0.5, 0.5, None, 3]
    counts = {"reproduced": 2, "not computable": 1}  # claims are no cells
    about = {"title": "T", "authors": "A", "year": 2026, "cells": counts}
    assert content["papers"] == {"p": about}


def test_the_schema_knows_the_verdicts_and_refuses_what_is_wrong():
    assert set(SCHEMA["$defs"]["verdict"]["enum"]) == set(STATUSES)
    Draft202012Validator.check_schema(SCHEMA)
    assert errors(convert(ledger(row("fine", 0.5))))
    assert errors(convert(ledger(row("not computable", np.nan))))  # no reason
    assert errors(convert(ledger(row("differs", np.nan))))
    content = convert(WHOLE)
    content["records"][0]["provenance"] = MADE | {"sha256": "x"}
    assert errors(content)


@pytest.mark.parametrize(
    ("counts", "message", "color"),
    [
        (
            {"differs": 40, "reproduced": 188, "not computable": 477, "close": 68, "input": 3},
            "188 reproduced · 68 close · 40 differ · 477 not computable",
            "orange",
        ),
        ({"derived": 9, "differs": 1}, "9 derived · 1 differ", "green"),
        ({"close": 1}, "1 close", "brightgreen"),
        ({"not computable": 1, "other encoder": 2}, None, "lightgrey"),
        ({}, "no published cells", "lightgrey"),
    ],
)
def test_badges_say_what_was_reproduced(counts, message, color):
    found = badge("liu2022", counts)
    message = message or "2 with another encoder · 1 not computable"
    expected = {"schemaVersion": 1, "label": "liu2022", "message": message, "color": color}
    assert found == expected
    picture = ElementTree.fromstring(badge_svg(found))
    texts = [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == ["liu2022", message]
    assert picture.get("aria-label") == f"liu2022: {message}"
    widths = [int(box.get("width")) for box in picture.iter("{http://www.w3.org/2000/svg}rect")]
    assert sum(widths) == int(picture.get("width"))


def luminance(colour):
    """Relative luminance of WCAG 2."""
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return sum(share * x for share, x in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_white_text_on_badges_has_enough_contrast():
    for colour in [*COLOURS.values(), "#555555"]:
        assert 1.05 / (luminance(colour) + 0.05) >= 4.5


def test_a_name_is_escaped_in_the_picture():
    picture = badge_svg({"label": "a<b&", "message": "x", "color": "green"})
    assert ElementTree.fromstring(picture).get("aria-label") == "a<b&: x"
