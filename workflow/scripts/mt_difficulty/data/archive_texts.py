"""The texts of an evaluation set in the archive's layout, their documents and domains."""

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile, zip_longest
from pathlib import Path
from typing import Any

from ..errors import InputError, Missing, nearest
from .campaign_files import (
    OBJECTS,
    documents_file,
    gold_names,
    output_files,
    reference_files,
    source_file,
)
from .json_lines import ADVICE, read_field
from .ranked import listed
from .text_files import by_system, check_length, read_segments, read_source

NO_TRANSLATION = "[No translation supplied]"
# Line 1 of every file of WMT24: text by which training data can be searched for the test set.
CANARY = re.compile(r"CANARY\b.*\bGUID\b")
CANARY_DOMAIN = "canary"
REFERENCE = "reference"  # the name of the reference in `untranslated`


def find_outputs(folder: Path, pair: str, reference: str) -> dict[str, Path]:
    """The outputs' files by system.

    Raises
    ------
    InputError
        The pair has references, but not this one.
    Missing
        The archive has no references, of which one is asked for, or no outputs of the pair at all.
    """
    outputs = by_system(output_files(folder / "system-outputs" / pair))
    references = reference_files(folder, pair)
    if not outputs or (reference and not references):
        raise Missing(_why_no_texts(folder, pair, bool(outputs), bool(references or not reference)))
    if reference and reference not in references:
        raise InputError(
            f"{folder / 'references'}: no reference {reference} for {pair}. "
            f"There are: {listed(references)}{nearest(reference, references)}."
        )
    return outputs


def _why_no_texts(folder: Path, pair: str, outputs: bool, references: bool) -> str:
    """What the archive lacks of a pair without outputs, references, or both."""
    name = f"{folder.name} {pair}"
    if outputs:
        return f"the archive has no references of {name}"
    if references:
        return f"the archive has no system outputs of {name}"
    if source_file(folder, pair).is_file():
        return f"the archive has no references and no system outputs of {name}"
    if gold_names(folder, pair):
        return f"the archive has no references of {name}, only scores"
    return f"the archive has neither texts nor human scores of {name}"


def read_archive_texts(
    folder: Path, pair: str, reference: str, outputs: Mapping[str, Path]
) -> dict[str, Any]:
    """Read the texts of a set, without a canary's lines.

    Parameters
    ----------
    reference : str
        Empty for none: its segments are empty.
    outputs : mapping of str to path
        The ranked systems' files, in their order.

    Returns
    -------
    dict
        The fields `source`, `reference`, `hypotheses`, `documents`, `domains`, `canary` and
        `untranslated` of an evaluation set.

    Raises
    ------
    InputError
        No source, a file that is not UTF-8, a line of another form, or another number of lines
        than the source has.
    """
    file = source_file(folder, pair)
    source, documents, canary = _read_source(folder, pair)
    texts: list[list[str | None]] = [[""] * len(source)]
    if reference:
        path = reference_files(folder, pair)[reference]
        texts = [_read_items(path, "target", file, len(source))]
    texts += [_read_items(path, "hypothesis", file, len(source)) for path in outputs.values()]
    return {
        "source": source[canary:],
        **{name: values[canary:] for name, values in documents.items()},
        **_translations([REFERENCE, *outputs], [items[canary:] for items in texts]),
        "canary": canary,
    }


def read_archive_source(folder: Path, pair: str) -> dict[str, Any]:
    """Read the source text of a set, without a canary's lines: the fields `source`, `canary` and,
    where the archive has them, `documents` and `domains`. Raises InputError as
    `read_archive_texts`."""
    source, documents, canary = _read_source(folder, pair)
    texts = {name: values[canary:] for name, values in {"source": source, **documents}.items()}
    return {**texts, "canary": canary}


def _read_source(folder: Path, pair: str) -> tuple[list[str], dict[str, list[str]], int]:
    """The source's lines, the documents and domains of each, and how many are a canary."""
    file = source_file(folder, pair)
    source = read_source(file, _read_source_objects if file.suffix == OBJECTS else read_segments)
    documents = _read_documents(documents_file(folder, pair), len(source))
    canary = _count_canary(source, documents.get("domains", []))
    if canary == len(source):
        raise InputError(f"{file}: no segment, only a canary. Take another copy of the file.")
    return source, documents, canary


def _read_source_objects(path: Path) -> list[str]:
    """The segments of a source text in JSON objects; none of them is null."""
    items = read_field(path, "source")
    if None in items:
        raise InputError(
            f"{path}, line {items.index(None) + 1}: expected a string as `source`, found null. "
            f"{ADVICE}"
        )
    return [item or "" for item in items]


def _read_items(path: Path, field: str, source: Path, lines: int) -> list[str | None]:
    """A file's segments, as many as the source has; None where there is no translation."""
    items = read_field(path, field) if path.suffix == OBJECTS else read_segments(path)
    check_length(path, len(items), source, lines)
    return [None if item is None or item.rstrip() == NO_TRANSLATION else item for item in items]


def _translations(names: list[str], texts: list[list[str | None]]) -> dict[str, Any]:
    """The texts of reference and systems, in which an item without a translation is empty, and
    how many those are by name."""
    counts = {name: items.count(None) for name, items in zip(names, texts, strict=True)}
    reference, *hypotheses = [[item or "" for item in items] for items in texts]
    return {
        "reference": reference,
        "hypotheses": hypotheses,
        "untranslated": {name: count for name, count in counts.items() if count},
    }


def _count_canary(source: Sequence[str], domains: Sequence[str]) -> int:
    """How many lines at the top are a canary, by their text or their domain."""
    marked = (
        CANARY.match(text) is not None or domain == CANARY_DOMAIN
        for text, domain in zip_longest(source, domains)
    )
    return sum(takewhile(bool, marked))


def _read_documents(path: Path, lines: int) -> dict[str, list[str]]:
    """Domain and document of every line, `domain <tab> document`; spaces will do for the tab.

    Returns
    -------
    dict
        `domains` and `documents`, a name a line; empty without such a file.
    """
    if not path.is_file():
        return {}
    found = read_segments(path)
    if len(found) != lines:
        raise InputError(f"{path}: expected {lines} lines (one per segment), found {len(found)}.")
    rows = [list(map(str.strip, line.split("\t" if "\t" in line else None))) for line in found]
    for number, fields in enumerate(rows, 1):
        if len(fields) != 2 or not all(fields):
            raise InputError(
                f"{path}, line {number}: expected `domain <tab> document`, "
                f"found `{found[number - 1].expandtabs(1)}`."
            )
    domains, documents = zip(*rows, strict=True)
    return {"domains": list(domains), "documents": list(documents)}
