"""Error spans that human raters marked: `.seg.rating` files in the archive's layout."""

import math
from collections.abc import Collection
from pathlib import Path
from typing import Any

from ..errors import InputError
from .campaign_files import RATINGS, rating_files
from .score_files import check_block
from .text_files import ADVICE, kind_of, normal, parse_object, read_segments

Spans = list[dict[str, Any]]
# The types of an error's optional fields.
FIELDS = {
    "category": (str, type(None)),
    "severity": (str, type(None)),
    "score": (int, float, type(None)),
    "is_source_error": (bool,),
}


def read_ratings(
    folder: str | Path,
    pair: str,
    gold: str,
    systems: Collection[str],
    segments: int,
    canary: int = 0,
) -> dict[str, dict[str, list[Spans | None]]]:
    """Read the error spans that belong to human scores: `system <tab> rating` a line, or `system
    <tab> rating <tab> rater`, whose third column is not read. A rating is `None` or JSON.

    Parameters
    ----------
    folder : path
        The campaign's folder.
    gold : str
        As in `human-scores/<pair>.<gold>.rater1.seg.rating`; see `campaign_files.rating_files`.
    systems : collection of str
        Those whose ratings are returned.
    segments : int
    canary : int
        Lines of each system that stand before those of segments.

    Returns
    -------
    dict
        By name of the ratings (`mqm.rater1`) and system a list of errors for each segment, None
        where it was not rated. An error has `start` and `end`, offsets of characters in the
        hypothesis (or the source, where `is_source_error`), which may lie beyond its end, and
        where given `category`, `severity` and `score`.

    Raises
    ------
    InputError
        A line of another form, or another number of lines of a system; the message names file,
        line or system.
    """
    files: dict[str, dict[str, list[Spans | None]]] = {}
    for path in rating_files(folder, pair, gold):
        spans: dict[str, list[Spans | None]] = {}
        for number, line in enumerate(read_segments(path), 1):
            place = f"{path}, line {number}"
            fields = list(map(str.strip, line.strip().split("\t")))
            if len(fields) not in (2, 3):
                found = f"`{line.strip()[:80]}`"
                raise InputError(
                    f"{place}: expected `system <tab> rating`, found {found}. {ADVICE}"
                )
            if (system := normal(fields[0])) in systems:
                spans.setdefault(system, []).append(_read_rating(fields[1], place))
        for system, ratings in spans.items():
            check_block(path, system, "ratings", len(ratings), segments, canary)
        name = path.name.removeprefix(f"{pair}.").removesuffix(RATINGS)
        files[name] = {system: ratings[canary:] for system, ratings in spans.items()}
    return files


def _read_rating(text: str, place: str) -> Spans | None:
    """The errors of a segment; None where it was not rated."""
    if text == "None":
        return None
    errors = parse_object(text, place, "errors")["errors"]
    if not isinstance(errors, list):
        raise InputError(f"{place}: expected a list as `errors`, found {kind_of(errors)}. {ADVICE}")
    for error in errors:
        if not isinstance(error, dict):
            kind = kind_of(error)
            raise InputError(f"{place}: expected an object as error, found {kind}. {ADVICE}")
        start, end = error.get("start"), error.get("end")
        if not (type(start) is type(end) is int and 0 <= start <= end):
            raise InputError(
                f"{place}: expected an error with whole numbers 0 <= start <= end, found start "
                f"{start!r} and end {end!r}. {ADVICE}"
            )
        for name, kinds in FIELDS.items():
            if name in error and type(error[name]) not in kinds:
                kind = kind_of(error[name])
                raise InputError(f"{place}: `{name}` of an error is {kind}. {ADVICE}")
        if math.isinf(error.get("score") or 0):
            raise InputError(f"{place}: the score of an error is too large. {ADVICE}")
    return errors
