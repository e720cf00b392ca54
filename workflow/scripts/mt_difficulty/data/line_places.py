"""Lines of hypotheses that belong to other lines of the reference: shifted, displaced, reordered.

Lines are compared by the starts of their words, or by characters where text has no spaces: this
tells a line from others better than character trigrams, and takes a fraction of the time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from .line_order import SHIFTS, best_stretch, document_orders, listed_lines, overlap

Lines = Sequence[str]

START = 4  # characters of a word that are compared
SPACED = 1 / 12  # words a letter, below which a text is written without spaces
LEAST_MOVED = 5  # lines that fit better in another place
LEAST_GAIN = 2.0  # by which their overlaps, summed, are larger there
MOVED = 5.0  # and standard errors
IN_PLACE = 0.5  # an overlap with the reference from which on a line is where it belongs
LEAST_LINES = 20  # of a file from which on can be told whether it belongs to the reference
CLEARLY = 2.0  # times as much as with other lines, with which most are in place
BELONGS = 3.0  # standard errors by which its lines overlap more with their own reference
RAREST = 4  # words of a line by which it is looked for elsewhere
RARE = 20  # lines that have such a word, at most
CLEAR = 0.3  # how much larger the overlap of a single line that belongs elsewhere is there
LEAST_UNITS = 8  # of a line that is not by chance like another one
SCATTERED = 10  # such lines of a file, at no common distance


class _Place(NamedTuple):
    """Lines `first` to `end` of a file that overlap more with others of the reference, in words,
    and how many lines further on; 0 where that differs from line to line."""

    what: str
    first: int = 0
    end: int = 0
    shift: int = 0


def has_spaces(lines: Lines) -> bool:
    """Whether text is written with spaces between words."""
    words = sum(line.count(" ") + 1 for line in lines if line)
    return words > SPACED * sum(map(len, lines))


def check_places(
    hypotheses: Mapping[str, Lines],
    reference: Lines,
    name: str = "the reference",
    documents: Sequence[str] = (),
) -> list[str]:
    """Files with lines that fit other lines of the reference better, in sentences; where most of
    several do in the same way, the reference. Nothing without a reference.

    Parameters
    ----------
    hypotheses : dict of str to sequence of str, (segments,)
        By the name of the file or system.
    reference : sequence of str, (segments,)
    name : str
        Of the reference.
    documents : sequence of str, (segments,)
        Empty where they are not known.
    """
    if not any(map(str.strip, reference)):
        return []
    spaced, orders = has_spaces(reference), document_orders(documents, ())
    of_reference = {split: _units(reference, split) for split in {spaced, False}}
    places = {}
    for file, lines in hypotheses.items():
        split = spaced and has_spaces(lines)
        places[file] = _better_places(_units(lines, split), of_reference[split], orders, name)
    shifts = Counter(
        shift for of_file in places.values() for shift in {place.shift for place in of_file}
    )
    shift, count = max(shifts.items(), key=lambda item: item[1], default=(0, 0))
    if count >= 2 and count > len(hypotheses) / 2:
        in_files = (place for of_file in places.values() for place in of_file)
        place = next(place for place in in_files if place.shift == shift)
        outputs = f"{count} of {len(hypotheses)} outputs fit other lines of it"
        return [f"{name}: {outputs}: {place.what}. {_advice(place, 'the reference', -1)}"]
    return [
        f"{file}: {place.what}. {_advice(place, 'the file', 1)}"
        for file, of_file in places.items()
        for place in of_file
    ]


def _advice(place: _Place, file: str, sign: int) -> str:
    """What to do about lines of a file, or (sign -1) of the reference, in a wrong place."""
    count = abs(place.shift)
    if count > max(SHIFTS):
        return f"Compare the texts there and put the lines of {file} where they belong."
    if not count:
        return "Bring the lines into the same order, or take the right texts."
    lines = f"{count} line{'s are' if count > 1 else ' is'}"
    cause = "missing" if sign * place.shift > 0 else "inserted"
    return (
        f"Probably {lines} {cause} before line {place.first + 1:,}: compare the texts there and "
        f"correct {file}."
    )


def _units(lines: Lines, spaced: bool) -> list[frozenset[str]]:
    """What is compared of each line: the starts of its words, or its characters."""
    if spaced:
        return [frozenset([word[:START] for word in line.split()]) for line in lines]
    return [frozenset(line.replace(" ", "")) for line in lines]


def mean_overlaps(hypotheses: Sequence[Lines], reference: Lines, most: int = 300) -> np.ndarray:
    """Mean overlap of each system's lines with the reference, (systems,), 0 to 1, of at most about
    so many lines: a metric that takes no time."""
    lines = range(0, len(reference), max(1, len(reference) // most))
    spaced = has_spaces(reference)
    units = [_units([text[line] for line in lines], spaced) for text in (reference, *hypotheses)]
    numbers = np.arange(len(lines))
    return np.array([_overlaps(system, units[0], numbers).mean() for system in units[1:]])


def _better_places(
    units: Sequence[frozenset[str]],
    reference: Sequence[frozenset[str]],
    orders: Mapping[str, np.ndarray],
    name: str,
) -> list[_Place]:
    """Where lines of a file overlap more with the reference; none if they are in place.

    Single lines are looked for elsewhere only in a file most of whose lines are in place. A file
    that overlaps with its own lines no more than with those half a text away has no place.
    """
    count, numbers = len(units), np.arange(len(units))
    given = _overlaps(units, reference, numbers)
    away = _overlaps(units, reference, (numbers + count // 2) % count)
    belongs = _more(given, away)
    in_place = count < LEAST_LINES or (belongs and given.mean() > CLEARLY * away.mean())
    doubtful = np.flatnonzero(given < given.mean() / 2) if in_place else numbers[:0]
    best = _best_lines(units, reference, doubtful.tolist())
    gains = _overlaps(units, reference, best, best != numbers) - given
    moved = np.flatnonzero(gains > CLEAR).tolist()
    votes = Counter(int(best[line]) - line for line in moved)
    shifts = [*SHIFTS, *(shift for shift, lines in votes.items() if lines >= LEAST_MOVED)]
    places = _stretches(units, reference, given, list(dict.fromkeys(shifts)), name)
    if places or in_place:
        taken = {line for place in places for line in range(place.first, place.end)}
        alike = given + gains >= given.mean()
        moved = [line for line in moved if alike[line] and len(units[line]) >= LEAST_UNITS]
        if len(moved := [line for line in moved if line not in taken]) >= SCATTERED:
            pairs = ", ".join(f"{line + 1:,} with {best[line] + 1:,}" for line in moved[:3])
            more = _compared(given[moved], given[moved] + gains[moved])
            where = f"{listed_lines(moved)} overlap {more} with other lines of {name} (as {pairs})"
            places.append(_Place(where))
        return places
    for order_name, order in orders.items():
        for way in (order, np.argsort(order)):  # that of the file, or that of the reference
            better = _overlaps(units, reference, way)
            if _more(better, given):
                more = _compared(given, better)
                return [_Place(f"all lines overlap {more} with {name} ordered as {order_name}")]
    if belongs:
        return []
    return [
        _Place(
            f"its lines overlap with their own line of {name} no more ({given.mean():.0%}) than "
            f"with another one ({away.mean():.0%}): another text, language or order of lines"
        )
    ]


def _best_lines(
    units: Sequence[frozenset[str]], reference: Sequence[frozenset[str]], wanted: Sequence[int]
) -> np.ndarray:
    """For each of the wanted lines, the reference's line that overlaps most, of those that share
    one of its rarest units; for others, and where there is none, the line itself."""
    best, places = np.arange(len(units)), dict[str, list[int]]()
    for number, known in enumerate(reference if wanted else ()):
        for unit in known:
            places.setdefault(unit, []).append(number)
    for line in wanted:
        shared = sorted((places[unit] for unit in units[line] & places.keys()), key=len)[:RAREST]
        near = sorted({number for lines in shared if len(lines) <= RARE for number in lines})
        overlaps = [overlap(units[line], reference[number]) for number in near]
        if near:
            best[line] = near[int(np.argmax(overlaps))]
    return best


def _stretches(
    units: Sequence[frozenset[str]],
    reference: Sequence[frozenset[str]],
    given: np.ndarray,
    shifts: Sequence[int],
    name: str,
) -> list[_Place]:
    """Runs of lines that overlap clearly more some lines further on; of runs that have lines in
    common, the one that gains most."""
    numbers, runs = np.arange(len(units)), []
    for shift in shifts:
        gains = _overlaps(units, reference, numbers + shift, given <= IN_PLACE) - given
        gain, first, end = best_stretch(gains)
        clear = end - first >= LEAST_MOVED and gain >= LEAST_GAIN
        if clear and _more(gains[first:end], np.zeros(end - first), MOVED):
            runs.append((gain, first, end, shift))
    places: list[_Place] = []
    for gain, first, end, shift in sorted(runs, key=lambda run: -run[0]):
        if all(end <= place.first or first >= place.end for place in places):
            more = _compared(given[first:end], given[first:end] + gain / (end - first))
            there = f"lines {first + shift + 1:,} to {end + shift:,} of {name}"
            what = f"lines {first + 1:,} to {end:,} overlap {more} with {there}"
            places.append(_Place(what, first, end, shift))
    return places


def _compared(given: np.ndarray, better: np.ndarray) -> str:
    return f"more ({better.mean():.0%} instead of {given.mean():.0%})"


def _overlaps(
    units: Sequence[frozenset[str]],
    reference: Sequence[frozenset[str]],
    order: np.ndarray,
    compared: np.ndarray | None = None,
) -> np.ndarray:
    """Overlap of every line with the reference's line that `order` names; 0 for one that is not
    compared, or has none there."""
    overlaps = np.zeros(len(units))
    there = (order >= 0) & (order < len(units))
    lines = np.flatnonzero(there if compared is None else there & compared)
    pairs = zip(lines.tolist(), order[lines].tolist(), strict=True)
    overlaps[lines] = [overlap(units[line], reference[place]) for line, place in pairs]
    return overlaps


def _more(better: np.ndarray, given: np.ndarray, errors: float = BELONGS) -> bool:
    """Whether overlaps are larger, line by line, by more than some standard errors."""
    gains = better - given
    return bool(gains.sum() > errors * gains.std() * np.sqrt(len(gains)))
