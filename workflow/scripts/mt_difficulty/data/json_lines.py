"""Files of one JSON object a line."""

import json
from pathlib import Path
from typing import Any, NoReturn

from ..errors import InputError
from .text_files import read_segments

ADVICE = "Correct the line, or take another copy of the file."
KINDS = {dict: "an object", list: "a list", str: "a string", bool: "a truth value"}


def read_field(path: str | Path, field: str) -> list[str | None]:
    """Read a field of every line's object: text, or None where it is null.

    What a line of text cannot hold becomes a space: a line break (LF or CRLF) and NUL, since all
    that is made from texts has a segment a line.

    Raises
    ------
    InputError
        A line that is no JSON object, lacks the field, or has another type in it; text with half a
        surrogate pair, which no UTF-8 file could hold.
    """
    return [
        _one_line(_text(parse_object(line, place, field), place, field), place, field)
        for place, line in _placed(path)
    ]


def _placed(path: str | Path) -> list[tuple[str, str]]:
    lines = enumerate(read_segments(path), 1)
    return [(f"{path}, line {number}", line) for number, line in lines]


def parse_object(text: str, place: str, field: str) -> dict[str, Any]:
    """The JSON object that a text is; NaN and infinite numbers are no JSON.

    Raises
    ------
    InputError
        It is none; the message begins with the place and names the field that is expected.
    """
    try:
        found = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        shown = f"`{text[:80]}`" if text.strip() else "an empty line"
        raise InputError(
            f"{place}: expected a JSON object with `{field}`, found {shown}. {ADVICE}"
        ) from None
    if not isinstance(found, dict) or field not in found:
        raise InputError(
            f"{place}: expected a JSON object with `{field}`, found {_without(found)}. {ADVICE}"
        )
    return found


def _without(found: object) -> str:
    """What was found in place of an object with a field, in words."""
    if not isinstance(found, dict):
        return kind_of(found)
    return f"one with {', '.join(map(ascii, found))[:80]}" if found else "an empty one"


def kind_of(value: object) -> str:
    """What a value from JSON is, in words."""
    return "null" if value is None else KINDS.get(type(value), "a number")


def _text(found: dict[str, Any], place: str, field: str) -> str | None:
    text = found[field]
    if text is None or isinstance(text, str):
        return text
    raise InputError(f"{place}: expected a string as `{field}`, found {kind_of(text)}. {ADVICE}")


def _one_line(text: str | None, place: str, field: str) -> str | None:
    if text is None or (text.isascii() and text.isprintable()):
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(
            f"{place}: `{field}` has half a surrogate pair, which is no text. {ADVICE}"
        ) from None
    return text.replace("\r\n", " ").replace("\n", " ").replace("\0", " ")


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)
