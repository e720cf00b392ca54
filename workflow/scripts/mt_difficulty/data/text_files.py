"""Text files as people send them: a segment a line, or a JSON object a line; names of systems."""

import codecs
import json
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any, NoReturn

from ..errors import InputError

# WMT's names for human translations that were scored as systems.
HUMAN = re.compile(r"ref[a-z]?|human([-_.].*)?", re.IGNORECASE)
ADVICE = "Correct the line, or take another copy of the file."
KINDS = {dict: "an object", list: "a list", str: "a string", bool: "a truth value"}


def normal(name: str) -> str:
    """A system's name as it is compared: macOS takes the letters of file names apart (NFD)."""
    return unicodedata.normalize("NFC", name)


def is_human(system: str, references: Collection[str]) -> bool:
    """Whether an output is a human translation, by its name or as one of the references."""
    return system in references or HUMAN.fullmatch(system) is not None


def listed(names: Iterable[str]) -> str:
    """Names in one line."""
    return ", ".join(names)


def by_system(files: Iterable[Path]) -> dict[str, Path]:
    """Files `<system>.txt` or `<system>.jsonl` by system.

    Raises
    ------
    InputError
        Two of them name one system; a name holds control characters, or is not UTF-8, which no
        table could hold.
    """
    found: dict[str, Path] = {}
    for path in files:
        if {"Cc", "Cs"} & set(map(unicodedata.category, path.name)):
            raise InputError(
                f"{path.parent}: the name of {path.name!a} holds a control character, or is "
                "not UTF-8. Rename the file."
            )
        system = normal(path.stem)
        if system in found:
            raise InputError(
                f"{path.parent}: {found[system].name!a} and {path.name!a} are files of "
                f"one system, {system}; only their Unicode forms differ. Rename or remove one."
            )
        found[system] = path
    return found


def read_segments(path: str | Path) -> list[str]:
    """Read a text file: UTF-8, one segment a line, lines end at LF only.

    A byte-order mark is no text, and neither is the CR where every line ends with CRLF.

    Raises
    ------
    InputError
        The file is not UTF-8, or has a NUL; the message names the line.
    """
    return decode_segments(Path(path).read_bytes(), path)


def decode_segments(data: bytes, path: str | Path) -> list[str]:
    """The segments of a text file's content, as `read_segments` gives them."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The codec counts from behind a byte-order mark.
        data = data.removeprefix(codecs.BOM_UTF8)
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{path}, line {line}: not UTF-8 (byte 0x{data[error.start]:02x}). "
            "Convert the file to UTF-8."
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise InputError(
            f"{path}, line {line}: a NUL character. Probably the file is UTF-16, or damaged: "
            "convert it to UTF-8, or take another copy."
        )
    if text.count("\r\n") == text.count("\n"):
        text = text.replace("\r\n", "\n")
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def read_texts(
    source_file: Path, reference_file: Path | None, outputs: Iterable[Path]
) -> dict[str, Any]:
    """Source, reference and outputs, one segment a line; without a reference, empty segments.

    Raises
    ------
    InputError
        No source, a file that is not UTF-8, or another number of lines than the source has.
    """
    source = read_source(source_file)

    def read(path: Path) -> list[str]:
        lines = read_segments(path)
        check_length(path, len(lines), source_file, len(source))
        return lines

    return {
        "source": source,
        "reference": read(reference_file) if reference_file else [""] * len(source),
        "hypotheses": [read(path) for path in outputs],
    }


def read_source(path: Path, read: Callable[[Path], list[str]] = read_segments) -> list[str]:
    """The segments of a source text, read as `read_segments` does or in the given way.

    Raises
    ------
    InputError
        No such file, or an empty one.
    """
    if not path.is_file():
        raise InputError(f"{path}: no such file. Every set needs its source text.")
    source = read(path)
    if not source:
        raise InputError(f"{path}: the file is empty; expected one segment a line.")
    return source


def check_length(path: Path, lines: int, source: Path, expected: int) -> None:
    """Raise `InputError` where a text has another number of lines than its source."""
    if lines != expected:
        empty = "null as its text" if path.suffix == ".jsonl" else "an empty line"
        raise InputError(
            f"{path}: expected {expected} lines (as in {source}), found {lines}. "
            f"A segment without a translation is {empty}."
        )


def read_field(path: str | Path, field: str) -> list[str | None]:
    """Read a field of every line's JSON object: text, or None where it is null.

    What a line of text cannot hold becomes a space: a line break (LF or CRLF) and NUL, since all
    that is made from texts has a segment a line.

    Raises
    ------
    InputError
        A line that is no JSON object, lacks the field, or has another type in it; text with half a
        surrogate pair, which no UTF-8 file could hold.
    """
    segments: list[str | None] = []
    for number, line in enumerate(read_segments(path), 1):
        place = f"{path}, line {number}"
        text = parse_object(line, place, field)[field]
        if not isinstance(text, str | None):
            raise InputError(
                f"{place}: expected a string as `{field}`, found {kind_of(text)}. {ADVICE}"
            )
        try:
            (text or "").encode()
        except UnicodeEncodeError:
            raise InputError(
                f"{place}: `{field}` has half a surrogate pair, which is no text. {ADVICE}"
            ) from None
        segments.append(text and re.sub("\r?\n|\0", " ", text))
    return segments


def parse_object(text: str, place: str, field: str) -> dict[str, Any]:
    """The JSON object that a text is; NaN and infinite numbers are no JSON.

    Raises
    ------
    InputError
        It is none; the message begins with the place and names the field that is expected.
    """
    try:
        content = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        shown = f"`{text[:80]}`" if text.strip() else "an empty line"
    else:
        if isinstance(content, dict) and field in content:
            return content
        shown = kind_of(content)
        if isinstance(content, dict):
            fields = ", ".join(map(ascii, content))[:80]
            shown = f"one with {fields}" if content else "an empty one"
    raise InputError(f"{place}: expected a JSON object with `{field}`, found {shown}. {ADVICE}")


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def kind_of(value: object) -> str:
    """What a value from JSON is, in words."""
    return "null" if value is None else KINDS.get(type(value), "a number")
