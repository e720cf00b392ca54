"""Text files as people send them: segments a line each, and scores."""

import codecs
import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from ..errors import InputError

# float() takes more: 1_000, ١٢, nan.
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)

# Sums of squares of larger scores, and products of such sums, can be too large for a float.
LARGEST = 1e100


def normal(name: str) -> str:
    """A system's name as it is compared: macOS takes the letters of file names apart (NFD)."""
    return unicodedata.normalize("NFC", name)


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
    path: str | Path, segments: int, canary: int = 0, separator: str | None = None
) -> dict[str, list[float]]:
    """Read a `.seg.score` file: a block of lines per system; NaN for `None`.

    Parameters
    ----------
    segments : int
        How many scores of each system are returned.
    canary : int
        How many lines of each block stand before them and are of no segment.
    separator : str, optional
        As for `read_system_scores`.

    Raises
    ------
    InputError
        As for system scores, or a system with another number of scores.
    """
    plain = segments and separator is None
    scores = _read_blocks(read_segments(path), segments + canary) if plain else None
    if scores is None:
        scores = {}
        for _, system, score in score_lines(path, separator):
            scores.setdefault(system, []).append(score)
    for system, values in scores.items():
        check_block(path, system, "scores", len(values), segments, canary)
    return {system: values[canary:] for system, values in scores.items()} if canary else scores


def check_block(
    path: str | Path, system: str, what: str, lines: int, segments: int, canary: int
) -> None:
    """Raise `InputError` where a system has not a line per segment and per line of the canary."""
    if lines != segments + canary:
        each = "one per segment" + f" and {canary} of the canary" * bool(canary)
        raise InputError(
            f"{path}: system {system} has {lines} {what}, expected {segments + canary} ({each})."
        )


def _read_blocks(lines: list[str], length: int) -> dict[str, list[float]] | None:
    """Scores by system where each has one whole block of lines without any fault; None where
    `score_lines`, which takes five times as long, is to read them or say what is wrong."""
    scores: dict[str, list[float]] = {}
    for start in range(0, len(lines), length):
        block = lines[start : start + length]
        name = "".join(block[0].split()[:1])
        values = _read_block(block, name)
        if len(block) != length or normal(name) in scores or values is None:
            return None
        scores[normal(name)] = values
    return scores


def _read_block(lines: list[str], name: str) -> list[float] | None:
    """Scores of lines that all begin with one name and a space or tab; None if any is odd."""
    begins = "\n" + lines[0][: len(name) + 1]
    first, *texts = "\n".join(["", *lines]).split(begins)
    if begins.rstrip() != f"\n{name}" or first or len(texts) != len(lines):
        return None
    digits = "".join(texts)  # float() takes other digits than NUMBER does, and underscores
    try:
        values = [math.nan if text == "None" else float(text) for text in texts]
    except ValueError:
        return None
    odd = len([value for value in values if not abs(value) <= LARGEST])
    plain = digits.isascii() and "_" not in digits
    return values if plain and odd == texts.count("None") else None


def score_lines(path: str | Path, separator: str | None = None) -> Iterator[tuple[int, str, float]]:
    """Number, system and score of every line that is not blank; the score is NaN for `None`.

    Raises
    ------
    InputError
        A line of another form, or a score that is no number or beyond ±1e100.
    """
    for number, (system,), score in labelled_scores(path, ["system"], separator):
        yield number, system, score


def labelled_scores(
    path: str | Path, labels: list[str], separator: str | None = None
) -> Iterator[tuple[int, list[str], float]]:
    """Number, labels and score of every line that is not blank; the score is NaN for `None`.

    Parameters
    ----------
    labels : list of str
        What stands before the score: `system`, or `domain` and `system`.

    Raises
    ------
    InputError
        A line of another form, or a score that is no number or beyond ±1e100.
    """
    form = (" <tab> " if separator else " ").join([*labels, "score"])
    for number, line in enumerate(read_segments(path), 1):
        if not line.strip():
            continue
        try:
            *found, text = line.split(separator)
            text = text.strip()
            score = math.nan if text == "None" else float(text)
            no_number = text != "None" and not NUMBER.fullmatch(text)
            if len(found) != len(labels) or math.isinf(score) or no_number:
                raise ValueError
        except ValueError:
            raise InputError(
                f"{path}, line {number}: expected `{form}` "
                f"with a finite number or None, found `{line.strip()}`."
            ) from None
        _check_size(path, number, found[-1], text)
        yield number, [*found[:-1], normal(found[-1])], score


def _check_size(path: str | Path, number: int, system: str, text: str) -> None:
    if text != "None" and abs(float(text)) > LARGEST:
        raise InputError(
            f"{path}, line {number}: system {system} has the score {text}; expected one "
            f"between -{LARGEST:g} and {LARGEST:g}. Probably the file is damaged: take another "
            "copy."
        )
