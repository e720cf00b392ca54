"""Texts that are named on a command line or in Python: files, folders, sets of the archive."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ..errors import InputError, Missing
from . import download, own_files
from .campaign_files import (
    check_pair,
    output_files,
    pairs_of,
    read_archive_source,
    reference_files,
    source_file,
    text_files,
)
from .evalset import EvaluationSet
from .text_files import (
    by_system,
    check_length,
    decode_segments,
    is_human,
    normal,
    read_field,
    read_segments,
    read_source,
)

STDIN = "-"
UNDETERMINED = "und"  # the code of no language in particular
UNKNOWN_SOURCE = "xx"
EXPECTED = (
    "expected a text file with one segment a line, a folder with source.txt, or a set of the "
    "archive, such as wmt23/en-de"
)


class Sources(NamedTuple):
    """A source text.

    Attributes
    ----------
    texts : list of str
    documents, domains : list of str
        Of each segment; empty where they are not known.
    place : path
        The text file, the folder, or the campaign's folder in the archive.
    pair : str
        Empty where it is not known.
    canary : int
        Lines at the top of the archive's files that are no segments.
    """

    texts: list[str]
    documents: list[str]
    domains: list[str]
    place: Path
    pair: str = ""
    canary: int = 0


def read_sources(name: str, archive: Path) -> Sources:
    """Read a source text.

    Parameters
    ----------
    name : str
        A path, or campaign/pair.
    archive : path
        A .tgz or an unpacked folder of the WMT archive.

    Raises
    ------
    InputError
        There is no such text, or it is of another form.
    """
    path = Path(name)
    if path.is_file():
        return Sources(read_source(path), [], [], path)
    if (path / own_files.SOURCE).is_file():
        texts = read_source(path / own_files.SOURCE)
        documents = own_files.read_documents(path / own_files.DOCUMENTS, len(texts))
        return Sources(texts, documents, [], path)
    campaign, _, pair = name.partition("/")
    if not pair or "/" in pair or path.is_dir():
        raise InputError(f"{name}: {EXPECTED}.")
    if not archive.exists():
        raise InputError(
            f"{name}: neither a file nor a folder with source.txt, and the archive {archive} is "
            "not here. Name another."
        )
    try:
        folder = download.find_campaign(download.unpacked(archive, [campaign]) / campaign)
    except Missing as reason:
        raise InputError(f"{name}: {reason} ({EXPECTED}).") from reason
    check_pair(campaign, pair, pairs_of(folder))
    if not source_file(folder, pair).is_file():
        raise InputError(f"{name}: the archive has no source text of it ({EXPECTED}).")
    found = read_archive_source(folder, pair)
    parts = (found["source"], found.get("documents", []), found.get("domains", []))
    return Sources(*parts, folder, pair, found["canary"])


def files_of(sources: Sources) -> list[Path]:
    """The files, and the folder, that a source text and what belongs to it are read from."""
    if sources.pair:
        return text_files(sources.place, sources.pair)
    return [sources.place, *own_files.files_of(sources.place)]


def references(sources: Sources) -> set[str]:
    """Names of the references that the archive has of a source text; none of other texts."""
    files = reference_files(sources.place, sources.pair) if sources.pair else ()
    return set(map(normal, files))


def read_outputs(sources: Sources, given: Sequence[Path] = ()) -> dict[str, list[str]]:
    """The hypotheses of a source text by system, sorted by name; of the archive's, those of human
    translators are left out.

    Parameters
    ----------
    given : sequence of path
        Files of hypotheses; by default those in `systems/`, or those that the archive has.

    Raises
    ------
    InputError
        There are none, or one has another number of lines.
    """
    files = list(given)
    if not files and sources.pair:
        files = output_files(sources.place / "system-outputs" / sources.pair)
    elif not files and sources.place.is_dir():
        files = sorted((sources.place / own_files.SYSTEMS).glob("*.txt"))
    if not files:
        raise InputError(f"{sources.place}: no hypotheses. Name files of them.")
    canary, known = (0 if given else sources.canary), references(sources)
    found = {}
    for system, file in sorted(by_system(files).items()):
        if not given and is_human(system, known):
            continue
        if not file.is_file():
            raise InputError(f"{file}: no such file of hypotheses.")
        lines = read_field(file, "hypothesis") if file.suffix == ".jsonl" else read_segments(file)
        check_length(file, len(lines), sources.place, len(sources.texts) + canary)
        found[system] = [line or "" for line in lines[canary:]]
    return found


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


def read_given_set(
    references: Sequence[Path],
    outputs: Sequence[Path],
    source: Path | None,
    pair: str,
    columns: int = 1,
) -> tuple[EvaluationSet, list[list[str]]]:
    """Texts as an evaluation set, systems in the given order, and further references.

    Parameters
    ----------
    columns : int
        How many references a file has, a column each, between tabs.

    Raises
    ------
    InputError
        Files of different numbers of lines, or columns, none at all, two systems of one name, or
        standard input named twice.
    """
    given = [*references, *outputs, *[source] * bool(source)]
    if [str(path) for path in given].count(STDIN) > 1:
        raise InputError("-: standard input is one text; it is named more than once.")
    files: dict[str, Path] = {}
    for path in outputs:
        name = Path(path.stem).stem if path.suffix == ".gz" else path.stem
        name = "stdin" if str(path) == STDIN else name
        if name in files:
            raise InputError(
                f"{files[name]} and {path} are both called {name}: systems go by their file's name "
                "without its ending. Rename one."
            )
        files[name] = path
    texts: list[tuple[Path, list[str]]] = []  # the references come first
    for path in references:
        lines = read_given(path)
        if not lines:
            raise InputError(f"{path}: the file is empty; expected one segment a line.")
        rows = [line.split("\t") if columns > 1 else [line] for line in lines]
        for number, row in enumerate(rows, 1):
            if len(row) != columns:
                raise InputError(
                    f"{path}, line {number}: expected {columns} references between tabs, found "
                    f"{len(row)}."
                )
        texts += [(path, list(column)) for column in zip(*rows, strict=True)]
    count = len(texts)
    texts += [(path, read_given(path)) for path in (*outputs, *[source] * bool(source)) if path]
    (first, reference), *others = texts
    wrong = [f"{path} has {len(text)}" for path, text in others if len(text) != len(reference)]
    if wrong:
        raise InputError(
            f"{first} has {len(reference)} lines, but {', '.join(wrong)}: line by line "
            "they must be the same segments."
        )
    contents = [text for _, text in texts]
    hypotheses, sources = contents[count : count + len(outputs)], contents[count + len(outputs) :]
    found = given_set(
        str(first), list(files), reference, hypotheses, sources[0] if sources else [], pair
    )
    return found, contents[1:count]


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
