"""Read texts (one segment a line, or another format of `text_formats`) and YAML."""

import bz2
import codecs
import gzip
import lzma
import re
import sys
import zlib
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from ..errors import InputError, shortened
from .text_formats import NO_TRANSLATION, SOURCE, segments_of

# WMT's names for human translations that were scored as systems.
HUMAN = re.compile(r"ref[a-z]?|human([-_.].*)?", re.IGNORECASE)
STDIN = "-"
# How files begin that are packed: those that are unpacked here, and those that are refused.
PACKED = {b"\x1f\x8b": gzip.decompress, b"\xfd7zXZ\0": lzma.decompress, b"BZh": bz2.decompress}
REFUSED = {
    b"PK\x03\x04": "zip file",
    b"\x28\xb5\x2f\xfd": "Zstandard file",
    b"7z\xbc\xaf": "7z file",
    b"%PDF": "PDF file",
}


# Line 1 of WMT24's files: a string that reveals training data which contain the test set.
CANARY = re.compile(r"CANARY\b.*\bGUID\b")


class Sources(NamedTuple):
    """A source text.

    Attributes
    ----------
    texts : list of str
        Segments.
    documents, domains : list of str
        (segments,), or empty if unknown.
    place : Path
        The text file, the user's folder or the campaign's folder.
    pair : str
        Language pair; empty if unknown.
    canary : int
        Number of lines at the top of the archive's files that are no segments.
    """

    texts: list[str]
    documents: list[str]
    domains: list[str]
    place: Path
    pair: str = ""
    canary: int = 0


def is_human(system: str, references: Collection[str] = ()) -> bool:
    """Return whether `system` is a human translation: in `references` or with a name like refA."""
    return system in references or HUMAN.fullmatch(system) is not None


def read_text(path: str | Path) -> str:
    """Read a file as text.

    Parameters
    ----------
    path : path
        A file in UTF-8, with or without a byte-order mark; it may be packed by gzip, xz or bzip2.
        `-` is standard input.

    Returns
    -------
    str

    Raises
    ------
    InputError
        If it is packed in another way or not as a whole, or is not UTF-8.
    """
    if str(path) == STDIN:
        if sys.stdin is None:
            raise InputError("-: standard input is closed. Name a file.")
        data = sys.stdin.buffer.read()
        path = "stdin"
    else:
        data = Path(path).read_bytes()
    for start, kind in REFUSED.items():
        if data.startswith(start):
            raise InputError(f"{path}: a {kind}. Unpack it, or pack the text by gzip.")
    data = _unpacked(data, path)
    text = decode(data, path)
    if data[257:262] == b"ustar":
        raise InputError(f"{path}: a tar archive. Unpack it.")
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise InputError(
            f"{path}, line {line}: a NUL character. Probably the file is UTF-16, or damaged: "
            "convert it to UTF-8, or take another copy."
        )
    return text


def _unpacked(data: bytes, path: str | Path) -> bytes:
    """Return the content of a file without its packing by gzip, xz or bzip2, if it has one."""
    for start, unpack in PACKED.items():
        if data.startswith(start):
            try:
                return unpack(data)
            except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
                raise InputError(
                    f"{path}: a packed file that is damaged or not whole ({error}). Take another "
                    "copy."
                ) from None
    return data


def decode(data: bytes, path: str | Path) -> str:
    """Return UTF-8 bytes as text without a byte-order mark; raises `InputError` if not UTF-8."""
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}, line {line}: not UTF-8. Convert the file to UTF-8.") from None


def split_lines(text: str) -> list[str]:
    """Split a text at LF alone, and drop spaces and CR at the ends of lines.

    Other characters that Unicode calls line separators are part of a line, as in WMT's files.
    """
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line.rstrip(" \r") for line in lines]


def read_lines(path: str | Path) -> list[str]:
    """Read the lines of a text file (`read_text`, `split_lines`)."""
    return split_lines(read_text(path))


def read_segments(path: str | Path, role: str, columns: int = 1) -> list[str]:
    """Read the segments of a text file.

    Parameters
    ----------
    path : path
        One segment a line, or a format of `text_formats`. It may be packed; `-` is standard input.
    role : str
        What its segments are: SOURCE, REFERENCE or HYPOTHESIS.
    columns : int
        Texts in each line, between tabs.

    Returns
    -------
    list of str
        In a source as they are. In other texts, a missing translation is "".

    Raises
    ------
    InputError
        As `read_text` and `segments_of`.
    """
    text = read_text(path)
    segments = segments_of(split_lines(text), text, path, role, columns)
    if role == SOURCE:
        return segments
    return ["" if segment == NO_TRANSLATION else segment for segment in segments]


def read_source(path: Path) -> list[str]:
    """Read the segments of a source text; raises `InputError` if the file is missing or empty."""
    if not path.is_file():
        raise InputError(f"{path}: no such file. Every set needs its source text.")
    source = read_segments(path, SOURCE)
    if not source:
        raise InputError(f"{path}: the file is empty; expected one segment a line.")
    return source


def refuse_canary(path: Path, segments: Sequence[str]) -> None:
    """Raise `InputError` if the first segment of a text that is not read from the archive is the
    archive's canary."""
    if segments and CANARY.match(segments[0]):
        raise InputError(
            f"{path}, line 1: the canary of the archive's files, which is no segment. Remove the "
            "line from all texts (tail -n +2)."
        )


def check_lines(
    path: Path, found: int, segments: int, canary: int, reason: str, advice: str = ""
) -> None:
    """Raise `InputError` if a file has not one line for each segment and line of the canary.

    Parameters
    ----------
    path : Path
    found : int
        The number of its lines.
    segments, canary : int
        Segments of the set, and lines at the top of the archive's files that are no segments.
    reason : str
        Why so many lines are expected.
    advice : str
        What to do about a line that is missing.
    """
    if found == segments + canary:
        return
    if canary:
        reason = f"those of the archive's files: the canary, line {canary}, and {segments} segments"
    message = f"{path}: expected {segments + canary} lines ({reason}), found {found}. {advice}"
    raise InputError(message.strip())


def read_documents(
    path: Path, segments: int, form: str = "document", canary: int = 0
) -> list[list[str]]:
    """Read the document of each segment, and its domain.

    Parameters
    ----------
    path : Path
        A line for each segment: the document's name or, with the `form` "domain <tab> document",
        both, between which there may be spaces instead of the tab.
    segments : int
        Number of segments.
    form : str
    canary : int
        Lines at the top that are no segments; they are left out.

    Returns
    -------
    list of list of str
        For each column of `form` a value per segment; empty lists without a file.

    Raises
    ------
    InputError
        For a malformed line or a wrong number of lines.
    """
    columns = form.split(" <tab> ")
    if not path.is_file():
        return [[] for _ in columns]
    lines = read_lines(path)
    check_lines(path, len(lines), segments, canary, "one per segment")
    rows = []
    for number, line in enumerate(lines, 1):
        # Of the archive's files, which name the domain first, the document is read.
        fields = [line.split("\t")[-1]]
        if len(columns) > 1:
            separator = "\t" if "\t" in line else None
            fields = [field.strip() for field in line.split(separator)]
        if len(fields) != len(columns) or not all(map(str.strip, fields)):
            raise InputError(
                f"{path}, line {number}: expected `{form}`, found "
                f"`{shortened(line.expandtabs(1))}`."
            )
        rows.append(fields)
    return [list(column) for column in zip(*rows[canary:], strict=True)]


def read_translation(path: Path, role: str, segments: int, canary: int = 0) -> list[str]:
    """Read the segments of a reference or system output of a set.

    Parameters
    ----------
    path : Path
    role : str
        REFERENCE or HYPOTHESIS.
    segments : int
        Number of segments of the source.
    canary : int
        Lines at the top of the file that are no segments; they are left out.

    Returns
    -------
    list of str
        A missing translation is "".

    Raises
    ------
    InputError
        As `read_segments`, and if the number of lines differs from the source's.
    """
    texts = read_segments(path, role)
    empty = "null as its text" if path.suffix == ".jsonl" else "an empty line"
    advice = f"A segment without a translation is {empty}."
    check_lines(path, len(texts), segments, canary, "as in the source", advice)
    return texts[canary:]


_INTEGER = "tag:yaml.org,2002:int"


class _Loader(yaml.CSafeLoader):
    """PyYAML's safe loader, but it refuses duplicate keys and keeps dates as text."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict:  # noqa: FBT001, FBT002 (PyYAML's)
        seen = set()
        for key, _ in node.value:
            # Skip keys of merged mappings (`<<`): they stand outside of this mapping.
            if not node.start_mark.index <= key.start_mark.index < node.end_mark.index:
                continue
            name = (key.tag, str(key.value))
            if name in seen:
                problem = f"the key `{key.value}` is there twice"
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            seen.add(name)
        return super().construct_mapping(node, deep)


_Loader.add_constructor("tag:yaml.org,2002:timestamp", lambda loader, node: node.value)
# YAML 1.1 takes 010 for 8 and 100:30 for 6030; here they are texts, as in YAML 1.2.
_Loader.yaml_implicit_resolvers = {
    first: [(tag, form) for tag, form in resolvers if tag != _INTEGER]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(_INTEGER, re.compile(r"[-+]?(?:0|[1-9][0-9_]*)\Z"), [*"-+0123456789"])


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
