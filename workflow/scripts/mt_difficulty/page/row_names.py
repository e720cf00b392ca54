"""Ids of rows of result tables, for links."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Hashable

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
