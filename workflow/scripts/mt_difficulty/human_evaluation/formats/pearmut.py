"""Annotations that Pearmut writes: one JSON object a line, which is a screen: the segments of a
document with the translations of one or several systems side by side."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...data.score_formats import json_score
from ...errors import InputError, shortened
from .base import (
    ATTENTION_CHECKS,
    ESA,
    NO_SCORE,
    RESET,
    TUTORIALS,
    FileRatings,
    Format,
    make_table,
    name_of_field,
)

RESET_LINE = "__RESET__"
ATTENTION_CHECK = "attention_check_"
ATTENTION_CHECK_PART = "_#_attention-check_#_"
# What separates the parts of an id in WMT's campaigns, and in those of `mt-difficulty select`.
PART = "_#_"
SELECTED = " | "
TUTORIAL_PART = "_#_tutorial_#_"
# Keys of items: name of a segment, and questions about the annotator.
ID = "item_id"
FORM = "form"
# Screens that Pearmut adds to those of the campaign, by what their places begin with.
EXTRA_SCREENS = {"welcome": TUTORIALS, "random": ATTENTION_CHECKS, "goodbye": TUTORIALS}


class Pearmut(Format):
    """JSON lines of Pearmut. A line with `__RESET__` withdraws all earlier ones of its user."""

    description = "Pearmut's JSON lines (user_id, item, annotation)"

    @classmethod
    def recognises(cls, head: Sequence[str]) -> bool:
        """Return whether the first line is a JSON object with `annotation`."""
        try:
            content = json.loads(head[0])
        except ValueError:
            return False
        return isinstance(content, dict) and len({"user_id", "item", "annotation"} & {*content}) > 1

    @classmethod
    def read(cls, lines: Sequence[str], path: str | Path) -> FileRatings:
        """Read the lines; each system and segment of a screen is a rating."""
        screens = {
            number: _screen_of(text, path, number)
            for number, text in enumerate(lines, 1)
            if text.strip()
        }
        names_items = any(ID in item for screen in screens.values() for item in screen["item"])
        rows: list[dict[str, Any]] = []
        for number, screen in screens.items():
            user = screen["user_id"]
            if screen["annotation"] == RESET_LINE:
                _reset(rows, user)
            else:
                rows += _ratings(screen, path, number, names_items=names_items)
        return FileRatings(make_table(path, rows), procedure=ESA, scale=(0.0, 100.0))


def _reset(rows: Sequence[dict[str, Any]], user: str | None) -> None:
    """Withdraw all ratings of a user; those of all users if it is None, in a shared campaign."""
    for row in rows:
        if user in (row["login"], None) and not row["dropped"]:
            row["dropped"] = RESET


def _screen_of(text: str, path: str | Path, number: int) -> dict[str, Any]:
    """Return the object of a line; raises `InputError` if it is no screen."""
    try:
        screen = json.loads(text)
    except ValueError:
        screen = None
    if not isinstance(screen, dict):
        raise InputError(
            f"{path}, line {number}: expected a JSON object, found `{shortened(text)}`. Is the "
            "file whole?"
        )
    for key in ("user_id", "annotation"):
        if key not in screen:
            raise InputError(f"{path}, line {number}: no key {key}. Is this Pearmut's output?")
    items = screen.setdefault("item", [])
    annotations = screen["annotation"]
    if annotations == RESET_LINE:
        return screen
    if not isinstance(items, list) or not isinstance(annotations, list):
        raise InputError(f"{path}, line {number}: expected lists `item` and `annotation`.")
    if len(items) != len(annotations):
        raise InputError(
            f"{path}, line {number}: {len(items)} items, but {len(annotations)} annotations. Is "
            "the file whole?"
        )
    if not all(isinstance(item, dict) for item in items):
        raise InputError(f"{path}, line {number}: expected objects in `item`.")
    return screen


def _ratings(
    screen: dict[str, Any], path: str | Path, number: int, *, names_items: bool
) -> list[dict[str, Any]]:
    """Return the ratings of a screen. Items and systems that were skipped, and forms, have none.

    Parameters
    ----------
    screen : dict
    names_items : bool
        Whether items of the file have ids; else their source texts are their ids.
    path : path
    number : int
        Number of the line.

    Returns
    -------
    list of dict
    """
    rows = []
    ids = [str(item.get(ID, "") if names_items else item.get("src", "")) for item in screen["item"]]
    user = str(screen["user_id"])
    for item, item_id, annotation in zip(screen["item"], ids, screen["annotation"], strict=True):
        if not isinstance(annotation, dict) or FORM in item:
            continue
        document, segment = document_and_segment(item_id)
        for system, rating in annotation.items():
            if rating is None:
                continue
            value = rating.get("score") if isinstance(rating, dict) else rating
            score = json_score(value, f"{path}, line {number}")
            dropped = _dropped(item_id, str(screen.get("item_i")))
            if math.isnan(score):
                dropped = dropped or NO_SCORE
                score = 0.0
            rows.append(
                {
                    "login": user,
                    "system": name_of_field(system.removesuffix("'")),
                    "document": document or ids[0],
                    "item": segment,
                    "screen": f"{user}/{number}",
                    "score": score,
                    "dropped": dropped,
                    "source": str(item.get("src") or ""),
                    "line": number,
                }
            )
    return rows


def _dropped(item_id: str, place: str) -> str:
    """Return the official filter that drops an item; empty if it counts.

    Parameters
    ----------
    item_id : str
        Items without an id are attention checks.
    place : str
        Of the screen in the campaign: a number, or `welcome_0`, `random_1`, `goodbye_0`.

    Returns
    -------
    str
    """
    if not item_id or item_id.startswith(ATTENTION_CHECK) or ATTENTION_CHECK_PART in item_id:
        return ATTENTION_CHECKS
    if TUTORIAL_PART in item_id:
        return TUTORIALS
    return EXTRA_SCREENS.get(place.partition("_")[0], "")


def document_and_segment(item_id: str) -> tuple[str, str]:
    """Return the document and the segment that an item's id names.

    Parameters
    ----------
    item_id : str
        Such as `wmt24/en-cs | document | 7`, which `mt-difficulty select` writes, or
        `domain_#_document_#_7`, or any other.

    Returns
    -------
    tuple of str
        The document is empty if the id does not name it; the segment is the whole id unless
        `select` wrote it.
    """
    parts = item_id.split(SELECTED)
    if len(parts) >= 3 and parts[-1].isdecimal():
        return parts[-2], parts[-1]
    return item_id.rpartition(PART)[0], item_id
