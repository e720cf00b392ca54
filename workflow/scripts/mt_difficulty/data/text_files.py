"""Text files as people send them: segments a line each, and scores."""

import codecs
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..errors import InputError

# float() takes more: 1_000, ١٢, nan.
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)

# Sums of squares of larger scores, and products of such sums, can be too large for a float.
LARGEST = 1e100


def normal(name: str) -> str:
    """A system's name as it is compared: macOS takes the letters of file names apart (NFD)."""
    return unicodedata.normalize("NFC", name)


def by_system(files: Iterable[Path]) -> dict[str, Path]:
    """Files `<system>.txt` by system.

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
        system = normal(path.name.removesuffix(".txt"))
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
    data = Path(path).read_bytes()
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


def read_system_scores(path: str | Path, separator: str | None = None) -> dict[str, float]:
    """Read a `.sys.score` file: `system score` a line, tabs or spaces; NaN for `None`.

    Where a separator is given, names may hold spaces, also first and last.

    Raises
    ------
    InputError
        A line of another form, a score that is no number or beyond ±1e100, a system named twice.
    """
    scores = {}
    for number, system, score in score_lines(path, separator):
        if system in scores:
            raise InputError(
                f"{path}, line {number}: system {system} has a score already. Keep one of them."
            )
        scores[system] = score
    return scores


def read_segment_scores(
    path: str | Path, segments: int, separator: str | None = None
) -> dict[str, list[float]]:
    """Read a `.seg.score` file: a block of `segments` lines per system; NaN for `None`.

    A separator is that of `read_system_scores`.

    Raises
    ------
    InputError
        As for system scores, or a system with another number of scores.
    """
    scores: dict[str, list[float]] = {}
    for _, system, score in score_lines(path, separator):
        scores.setdefault(system, []).append(score)
    for system, values in scores.items():
        if len(values) != segments:
            raise InputError(
                f"{path}: system {system} has {len(values)} scores, expected {segments} "
                "(one per segment, None where there is none)."
            )
    return scores


def score_lines(path: str | Path, separator: str | None = None) -> Iterator[tuple[int, str, float]]:
    """Number, system and score of every line that is not blank; the score is NaN for `None`.

    Raises
    ------
    InputError
        A line of another form, or a score that is no number or beyond ±1e100.
    """
    for number, line in enumerate(read_segments(path), 1):
        if not line.strip():
            continue
        try:
            system, text = line.split(separator)
            text = text.strip()
            score = math.nan if text == "None" else float(text)
            if math.isinf(score) or not (text == "None" or NUMBER.fullmatch(text)):
                raise ValueError
        except ValueError:
            raise InputError(
                f"{path}, line {number}: expected `system{' <tab> ' if separator else ' '}score` "
                f"with a finite number or None, found `{line.strip()}`."
            ) from None
        if abs(score) > LARGEST:
            raise InputError(
                f"{path}, line {number}: system {system} has the score {text}; expected one "
                f"between -{LARGEST:g} and {LARGEST:g}. Probably the file is damaged: take another "
                "copy."
            )
        yield number, normal(system), score
