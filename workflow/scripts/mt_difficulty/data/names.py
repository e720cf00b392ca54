"""Names of systems, metrics and other things that are named by their files."""

import unicodedata
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path

from ..errors import InputError, shortened

# The endings that are no part of a name. `GPT-4.1` and `metric.v2` are names.
COMPRESSED = (".gz", ".xz", ".bz2")
TEXTS = (".txt", ".jsonl", ".tsv", ".csv", ".sgm", ".sgml", ".xml")
SCORES = (".avg_seg_scores.tsv", ".seg.score", ".sys.score", ".score", ".json")


@cache
def normal(name: str) -> str:
    """Return a name in Unicode normalisation form NFC."""
    return unicodedata.normalize("NFC", name)


def without_ending(name: str, endings: Iterable[str]) -> str:
    """Return a file name without the first of `endings` that it has, in any case."""
    for ending in endings:
        if name.lower().endswith(ending) and len(name) > len(ending):
            return name[: -len(ending)]
    return name


def name_of(path: str | Path) -> str:
    """Return the name of a system or metric that its file's name gives.

    Only known endings are cut off: one of a packed file (.gz), then one of a file of texts or
    scores (.txt, .seg.score).

    Parameters
    ----------
    path : path
        The file; its folders do not count.

    Returns
    -------
    str
        The name in Unicode normalisation form NFC.

    Examples
    --------
    >>> name_of("outputs/GPT-4.1"), name_of("oak.txt.gz"), name_of("metric.v2.seg.score")
    ('GPT-4.1', 'oak', 'metric.v2')
    """
    name = without_ending(Path(path).name, COMPRESSED)
    return normal(without_ending(name, (*SCORES, *TEXTS)))


def has_text_ending(path: Path) -> bool:
    """Return whether a file's name ends like one of texts, such as `oak.txt` or `oak.jsonl.gz`."""
    name = without_ending(path.name, COMPRESSED)
    return without_ending(name, TEXTS) != name


def by_name(files: Iterable[Path], what: str) -> dict[str, Path]:
    """Map names to the files that have them.

    Parameters
    ----------
    files : iterable of Path
    what : str
        What is named, in the plural, for messages: "systems" or "metrics".

    Returns
    -------
    dict of str to Path
        In the order of the files.

    Raises
    ------
    InputError
        If two files have the same name, or a file's name holds a control character or is not UTF-8.
    """
    named: dict[str, Path] = {}
    for path in files:
        if {"Cc", "Cs"} & set(map(unicodedata.category, path.name)):
            raise InputError(
                f"{path.parent}: the name of {shortened(ascii(path.name))} holds a control "
                "character, or is not UTF-8. Rename the file."
            )
        name = name_of(path)
        if name in named:
            raise InputError(same_name(str(named[name]), str(path), name, what))
        named[name] = path
    return named


def same_name(first: str, second: str, name: str, what: str) -> str:
    """Return the error text for two files whose names give the same name.

    Parameters
    ----------
    first, second : str
        Paths of the files.
    name : str
        The name that both give.
    what : str
        What is named, in the plural: "systems" or "metrics".

    Returns
    -------
    str
    """
    reason = f"{what} are named by their files, without endings such as .txt"
    if normal(first) == normal(second) and first != second:
        first = ascii(first)
        second = ascii(second)
        reason = "only the Unicode forms of their names differ"
    return f"{first} and {second} are both called {name}: {reason}. Rename one of them."


def differing_by_case(names: Collection[str]) -> list[tuple[str, str]]:
    """Return the pairs of different names that are equal in lower case, in their order."""
    first: dict[str, str] = {}
    pairs = []
    for name in dict.fromkeys(names):
        other = first.setdefault(name.casefold(), name)
        if other != name:
            pairs.append((other, name))
    return pairs
