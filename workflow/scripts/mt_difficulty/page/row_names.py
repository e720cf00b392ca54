"""What rows of result tables are called in links: ids, and the anchor that says how they were
made."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Hashable

MADE = "made.html"  # beside every page
# Leading columns that a row's other names imply.
IMPLIED = ("difficulty",)
# Whole numbers that are a part of a row's name.
NAMING = ("size",)


def slug(*names: str) -> str:
    """Names as one id of a page, equal for equal names: what is neither a letter, a digit, nor one
    of `_.-` stands as its code point."""
    return ":".join(
        re.sub(r"[^\w.-]", lambda found: f"~{ord(found[0]):x}", str(name)) for name in names
    )


def row_ids(frame: pd.DataFrame) -> list[str]:
    """An id for every row, from its leading columns of texts; of equal ones the later are counted.

    Parameters
    ----------
    frame : DataFrame
        As in a result file, without marks.
    """
    names = []
    for name in frame:
        if pd.api.types.is_numeric_dtype(frame[name]) and name not in NAMING:
            break
        if name not in IMPLIED:
            names.append(name)
    return distinct(slug(*row) for row in frame[names].itertuples(index=False))


def distinct(ids: Iterable[str]) -> list[str]:
    """Ids, of equal ones the second with `:2` and so on."""
    counts: Counter[Hashable] = Counter()
    found = []
    for each in ids:
        counts[each] += 1
        found.append(each if counts[each] == 1 else f"{each}:{counts[each]}")
    return found


def made_places(frame: pd.DataFrame) -> list[str]:
    """By row, where it says how its score was made; empty where a row is of no metric under a
    weighting."""
    if not {"metric", "weighting"} <= set(frame):
        return [""] * len(frame)
    sets = frame["set"] if "set" in frame else [""] * len(frame)
    rows = zip(frame.metric, frame.weighting, sets, strict=True)
    return [score_place(*row) for row in rows]


def score_place(metric: str, weighting: str, name: str = "") -> str:
    """Where it says how a metric under a weighting was made; `name` is the set's, on a page of
    all."""
    return f"{name}{'/' * bool(name)}{MADE}#{score_anchor(metric, weighting)}"


def score_anchor(metric: str, weighting: str) -> str:
    """The part of a set's MADE that is of a metric under a weighting."""
    return f"score:{slug(metric, weighting)}"


def file_anchor(file: str) -> str:
    """The part of MADE that is of a file."""
    return re.sub(r"\W", "_", file)
