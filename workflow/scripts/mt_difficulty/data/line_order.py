"""Whether lines belong to lines: how much two lines share, and in which order they share most."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np

SIZE = 3  # characters of an n-gram
SHIFTS = (-1, 1, -2, 2, -3, 3)  # lines


class Stretch(NamedTuple):
    """Lines that would fit better in another place.

    Attributes
    ----------
    gain : float
        How much better, summed over the lines; 0 where none would.
    first, end : int
        Indices of the first line and of the one after the last.
    """

    gain: float
    first: int
    end: int


def grams(text: str) -> frozenset[str]:
    """The different character trigrams of a text without its white space; of a shorter text
    itself, of an empty one none."""
    text = "".join(text.split())
    last = max(1, len(text) - SIZE + 1) if text else 0
    return frozenset(text[start : start + SIZE] for start in range(last))


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Share of trigrams that two texts have in common (Dice), 0 to 1, higher is more alike; 0 where
    one of them has none. Counts are whole numbers: the same on every processor."""
    if not one or not other:
        return 0.0
    return 2 * len(one & other) / (len(one) + len(other))


def document_orders(documents: Sequence[str], domains: Sequence[str]) -> dict[str, np.ndarray]:
    """Other orders of a set's lines in which whole documents are moved.

    Parameters
    ----------
    documents, domains : sequence of str, (segments,)
        Names; `domains` may be empty, `documents` only with them.

    Returns
    -------
    dict of str to ndarray of int, (segments,)
        By its name, the index of the line that stands at each place; none that is the given one.
    """
    numbers = [tuple(map(_number, re.split(r"(\d+)", name))) for name in documents]
    keys: dict[str, list] = {
        "documents sorted by name": list(documents),
        "documents sorted by name, numbers by value": numbers,
    }
    if domains:
        keys |= {
            f"{name} within domains": list(zip(domains, key, strict=True))
            for name, key in keys.items()
        }
    first = {name: number for number, name in reversed([*enumerate(documents)])}
    keys["documents in reverse order"] = [-first[name] for name in documents]
    found: dict[str, np.ndarray] = {}
    known = {tuple(range(len(documents)))}
    for name, key in keys.items():
        order = sorted(range(len(documents)), key=key.__getitem__)
        if tuple(order) not in known:
            known.add(tuple(order))
            found[name] = np.array(order)
    return found


def _number(text: str) -> tuple[int, str]:
    """Digits as a number, which sorts before all other text."""
    return (int(text), "") if text.isdecimal() else (-1, text)


def best_stretch(gains: np.ndarray) -> Stretch:
    """The run of lines with the largest sum, the first of several; empty where none is above 0.

    Parameters
    ----------
    gains : ndarray, (segments,)
    """
    sums = np.concatenate([[0.0], np.cumsum(gains)])
    lowest = np.minimum.accumulate(sums)
    end = int(np.argmax(sums - lowest))
    first = int(np.argmin(sums[: end + 1]))
    return Stretch(float(sums[end] - sums[first]), first, end)


def shifted(values: np.ndarray, shift: int) -> np.ndarray:
    """Columns moved so that each holds what stands `shift` columns on; 0 beyond the ends."""
    found = np.zeros_like(values)
    kept = slice(max(0, -shift), min(values.shape[-1], max(0, values.shape[-1] - shift)))
    found[..., kept] = np.roll(values, -shift, -1)[..., kept]
    return found


def describe_shift(shift: int, first: int, end: int, segments: int) -> str:
    """Lines that belong some lines further on, in words."""
    where = f"lines {first + 1:,} to {end:,}" if (first, end) != (0, segments) else "all lines"
    count = f"{abs(shift)} line" + "s" * (abs(shift) > 1)
    return f"{where} are moved {'down' if shift > 0 else 'up'} by {count}"


def listed_lines(lines: Sequence[int], most: int = 5) -> str:
    """Numbers of lines from their indices, runs as ranges, the first ones of many."""
    found = [f"{run[0] + 1:,}" + f" to {run[-1] + 1:,}" * (len(run) > 1) for run in runs(lines)]
    rest = len(found) - most
    more = f" and {rest:,} more place{'s' * (rest > 1)}" * (rest > 0)
    return f"line{'s' * (len(lines) > 1)} {', '.join(found[:most])}{more}"


def runs(lines: Sequence[int]) -> list[list[int]]:
    """Ascending indices, split where one is left out."""
    grouped = groupby(enumerate(lines), lambda pair: pair[1] - pair[0])
    return [[line for _, line in run] for _, run in grouped]
