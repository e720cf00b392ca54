"""Texts that are named on a command line: files, packed files, standard input."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from ..errors import InputError
from .evalset import EvaluationSet
from .text_files import decode_segments

STDIN = "-"
UNDETERMINED = "und"  # the code of no language in particular
UNKNOWN_SOURCE = "xx"


def read_given(path: Path) -> list[str]:
    """Segments of a text file, of one packed by gzip (`.gz`), or of standard input (`-`).

    Raises
    ------
    InputError
        The text is not UTF-8, or the packed file is damaged.
    """
    if str(path) == STDIN:
        return decode_segments(sys.stdin.buffer.read(), "stdin")
    data = path.read_bytes()
    if path.suffix == ".gz":
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"{path}: not a whole gzip file ({error}).") from None
    return decode_segments(data, path)


def system_name(path: Path) -> str:
    """A system's name: its file's, without `.gz` and the ending; `stdin` of standard input."""
    if str(path) == STDIN:
        return "stdin"
    return Path(path.stem).stem if path.suffix == ".gz" else path.stem


def read_references(paths: Sequence[Path], columns: int = 1) -> list[list[str]]:
    """References, each a list of segments.

    Parameters
    ----------
    columns : int
        How many references a file has, a column each, between tabs.

    Raises
    ------
    InputError
        A file is empty, or a line has another number of columns.
    """
    found = []
    for path in paths:
        lines = read_given(path)
        if not lines:
            raise InputError(f"{path}: the file is empty; expected one segment a line.")
        if columns == 1:
            found.append(lines)
            continue
        cells = [line.split("\t") for line in lines]
        for number, row in enumerate(cells, 1):
            if len(row) != columns:
                raise InputError(
                    f"{path}, line {number}: expected {columns} references between tabs, found "
                    f"{len(row)}."
                )
        found += [list(column) for column in zip(*cells, strict=True)]
    return found


def read_given_set(
    references: Sequence[Path],
    outputs: Sequence[Path],
    source: Path | None,
    pair: str,
    columns: int = 1,
) -> tuple[EvaluationSet, list[list[str]]]:
    """Texts as an evaluation set, systems in the given order, and further references.

    Raises
    ------
    InputError
        Files of different numbers of lines, none at all, two systems of one name, or standard
        input named twice.
    """
    given = [*references, *outputs, *[source] * bool(source)]
    if [str(path) for path in given].count(STDIN) > 1:
        raise InputError("-: standard input is one text; it is named more than once.")
    names = [system_name(path) for path in outputs]
    for name, count in Counter(names).items():
        if count > 1:
            pairs = zip(outputs, names, strict=True)
            files = " and ".join(str(path) for path, own in pairs if own == name)
            raise InputError(
                f"{files} are both called {name}: systems go by their file's name without its "
                "ending. Rename one."
            )
    first, *others = read_references(references, columns)
    texts = [read_given(path) for path in outputs]
    sources = read_given(source) if source else []
    lengths = [(path, len(text)) for path, text in zip(outputs, texts, strict=True)]
    lengths += [(source, len(sources))] if source else []
    named = [path for path in references for _ in range(columns)]
    lengths += [(path, len(text)) for path, text in zip(named[1:], others, strict=True)]
    wrong = [f"{path} has {length}" for path, length in lengths if length != len(first)]
    if wrong:
        raise InputError(
            f"{references[0]} has {len(first)} lines, but {', '.join(wrong)}: line by line "
            "they must be the same segments."
        )
    return given_set(str(references[0]), names, first, texts, sources, pair), others


def given_set(
    reference_name: str,
    systems: list[str],
    reference: list[str],
    hypotheses: list[list[str]],
    source: list[str],
    pair: str,
) -> EvaluationSet:
    """Texts without human scores as an evaluation set."""
    return EvaluationSet(
        campaign="",
        pair=pair,
        reference_name=reference_name,
        gold_name="",
        systems=systems,
        gold=[],
        source=source,
        reference=reference,
        hypotheses=hypotheses,
    )


def pair_of(source_language: str | None, language: str | None) -> str:
    """A language pair, in which languages need not be known."""
    return f"{source_language or UNKNOWN_SOURCE}-{language or UNDETERMINED}"
