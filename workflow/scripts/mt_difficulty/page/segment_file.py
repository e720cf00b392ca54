"""The file beside a set's page that has the texts and numbers of all its segments."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import storage
from .report_tables import number

# A function of the page, which the file calls; from the disk, browsers read no data but scripts.
CALL = "receiveSegments"


def script(content: Any) -> str:
    """JSON, compressed (zlib) and in base64, as a call of the page's function CALL."""
    packed = zlib.compress(storage.to_json(content).encode(), 9)
    return f'{CALL}("{base64.b64encode(packed).decode()}");\n'


def whole(values: ArrayLike, digits: int) -> list[int | str | None]:
    """Numbers as multiples of 10^-digits, in one list, segment by segment.

    Parameters
    ----------
    values : array, (systems, segments) or (segments,)
    digits : int

    Returns
    -------
    list of int, str or None
        That of a system and a segment at `segment * systems + system`; None for NaN, and one
        that is infinite or too large as a text.
    """
    flat = np.asarray(values, dtype=float).T.ravel()
    there = np.abs(flat) < 2**53 / 10**digits  # what the page reads as a whole number
    found = np.round(np.where(there, flat, 0.0) * 10**digits).astype(np.int64).astype(object)
    for place in np.flatnonzero(~there):
        found[place] = None if np.isnan(flat[place]) else number(flat[place])
    return found.tolist()
