"""Read texts (one segment or JSON object per line) and YAML; compare system names."""

import codecs
import json
import re
import unicodedata
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from ..errors import InputError

# WMT's names for human translations that were scored as systems.
HUMAN = re.compile(r"ref[a-z]?|human([-_.].*)?", re.IGNORECASE)
NO_TRANSLATION = "[No translation supplied]"
ADVICE = "Correct the line, or take another copy of the file."


class Sources(NamedTuple):
    """A source text: segments, and each segment's document and domain (empty if unknown). `place`
    is the text file, the folder or the campaign's folder; `pair` is empty if unknown. `canary` is
    the number of lines at the top of the archive's files that are no segments."""

    texts: list[str]
    documents: list[str]
    domains: list[str]
    place: Path
    pair: str = ""
    canary: int = 0


@cache
def normal(name: str) -> str:
    """Return a system's name in Unicode normalisation form NFC."""
    return unicodedata.normalize("NFC", name)


def is_human(system: str, references: Collection[str] = ()) -> bool:
    """Return whether `system` is a human translation: in `references` or with a name like refA."""
    return system in references or HUMAN.fullmatch(system) is not None


def by_system(files: Iterable[Path]) -> dict[str, Path]:
    """Map system names to their files `<system>.txt` or `<system>.jsonl`.

    Raises `InputError` if two files name the same system, or if a file name has control characters
    or is not UTF-8."""
    systems: dict[str, Path] = {}
    for path in files:
        if {"Cc", "Cs"} & set(map(unicodedata.category, path.name)):
            raise InputError(
                f"{path.parent}: the name of {path.name!a} holds a control character, or is "
                "not UTF-8. Rename the file."
            )
        system = normal(path.stem)
        if system in systems:
            raise InputError(
                f"{path.parent}: {systems[system].name!a} and {path.name!a} are files of "
                f"one system, {system}; only their Unicode forms differ. Rename or remove one."
            )
        systems[system] = path
    return systems


def decode(data: bytes, path: str | Path) -> str:
    """Return UTF-8 bytes as text without a byte-order mark; raises `InputError` if not UTF-8."""
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}, line {line}: not UTF-8. Convert the file to UTF-8.") from None


def decode_segments(data: bytes, path: str | Path) -> list[str]:
    """Split UTF-8 at LF, or CRLF if all lines end so; `InputError` if not UTF-8, or with NUL."""
    text = decode(data, path)
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


def read_segments(path: str | Path, field: str = "") -> list[str]:
    """Read the segments of a text file: UTF-8, one per line, lines end at LF only; in a `.jsonl`
    file, the given field of each line's JSON object. A byte-order mark is removed, and CR if every
    line ends with CRLF. In JSON strings, line breaks and NUL become spaces; null becomes
    `NO_TRANSLATION`, or an error in a source. Raises `InputError`, which names the line, for
    another encoding, NUL or malformed JSON."""
    lines = decode_segments(Path(path).read_bytes(), path)
    if not field or Path(path).suffix != ".jsonl":
        return lines
    segments = []
    for number, line in enumerate(lines, 1):
        try:
            text = json.loads(line)[field]
        except (ValueError, KeyError, TypeError, RecursionError):
            text = ()
        if text is None and field != "source":
            text = NO_TRANSLATION
        if not isinstance(text, str):
            raise InputError(
                f"{path}, line {number}: expected a JSON object with a string as `{field}`, found "
                f"`{line[:80]}`. {ADVICE}"
            )
        # Lone surrogates cannot be encoded in UTF-8.
        segments.append(re.sub("\r?\n|[\0\ud800-\udfff]", " ", text))
    return segments


def read_source(path: Path) -> list[str]:
    """Read the segments of a source text; raises `InputError` if the file is missing or empty."""
    if not path.is_file():
        raise InputError(f"{path}: no such file. Every set needs its source text.")
    if not (source := read_segments(path, "source")):
        raise InputError(f"{path}: the file is empty; expected one segment a line.")
    return source


def read_documents(path: Path, segments: int, form: str = "document") -> list[list[str]]:
    """Read the document of each segment; with `form` "domain <tab> document", read domains and
    documents (spaces may replace the tab). Returns one list per column, empty without a file.
    Raises `InputError` for a malformed line or a wrong number of lines."""
    columns = form.split(" <tab> ")
    if not path.is_file():
        return [[] for _ in columns]
    lines = read_segments(path)
    if len(lines) != segments:
        raise InputError(
            f"{path}: expected {segments} lines (one per segment), found {len(lines)}."
        )
    rows = []
    for number, line in enumerate(lines, 1):
        fields = [line]
        if len(columns) > 1:
            fields = [*map(str.strip, line.split("\t" if "\t" in line else None))]
        if len(fields) != len(columns) or not all(map(str.strip, fields)):
            raise InputError(
                f"{path}, line {number}: expected `{form}`, found `{line.expandtabs(1)}`."
            )
        rows.append(fields)
    return [*map(list, zip(*rows, strict=True))]


def read_translation(path: Path, field: str, segments: int, canary: int = 0) -> list[str]:
    """Read the segments of a reference or system output (JSON `field` "target" or "hypothesis"),
    without canary lines at its top; a missing translation becomes "". Raises `InputError` like
    `read_segments`, and if the number of lines differs from the source's."""
    lines = read_segments(path, field)
    if len(lines) != canary + segments:
        empty = "null as its text" if path.suffix == ".jsonl" else "an empty line"
        raise InputError(
            f"{path}: expected {canary + segments} lines (as in the source), found {len(lines)}. "
            f"A segment without a translation is {empty}."
        )
    return ["" if line.rstrip() == NO_TRANSLATION else line for line in lines[canary:]]


class _Loader(yaml.CSafeLoader):
    """PyYAML's safe loader, but it refuses duplicate keys and keeps dates as text."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict:
        seen = set()
        for key, _ in node.value:
            # Skip keys of merged mappings (`<<`): they stand outside of this mapping.
            if not node.start_mark.index <= key.start_mark.index < node.end_mark.index:
                continue
            if (name := (key.tag, str(key.value))) in seen:
                problem = f"the key `{key.value}` is there twice"
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            seen.add(name)
        return super().construct_mapping(node, deep)


_Loader.add_constructor("tag:yaml.org,2002:timestamp", lambda loader, node: node.value)


def read_yaml(path: str | Path) -> dict:
    """Read a YAML file with a mapping. Raises `InputError`, with the line if known, if it is
    missing, not YAML, not UTF-8 or not a mapping, or has a duplicate key."""
    if not Path(path).is_file():
        reason = "not a file" if Path(path).exists() else "no such file"
        raise InputError(f"{path}: {reason}; expected a YAML file.")
    try:
        content = yaml.load(decode(Path(path).read_bytes(), path), _Loader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise InputError(f"{path}, line {line}: not as expected: {error.problem}.") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: not YAML: {error}") from None
    if not isinstance(content, dict):
        raise InputError(f"{path}: expected keys and values as in config.yaml.")
    return content
