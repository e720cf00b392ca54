"""Source texts on their own: of a text file, a folder of own files, or a set of the archive."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ..errors import InputError, Missing
from . import download, own_files
from .archive_texts import read_archive_source
from .campaign_files import (
    check_pair,
    output_files,
    pairs_of,
    reference_files,
    source_file,
    text_files,
)
from .json_lines import read_field
from .ranked import is_human
from .text_files import by_system, check_length, normal, read_segments, read_source

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
        return _of_own_files(path)
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


def _of_own_files(folder: Path) -> Sources:
    texts = read_source(folder / own_files.SOURCE)
    file = folder / own_files.DOCUMENTS
    documents = own_files.read_documents(file, len(texts))
    return Sources(texts, documents, [], folder)


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
