"""Doubts about files of translations: lines in a wrong place, empty, copied or in another language.

Each doubt is a sentence that names the file, its lines, what was found and what to do. The bounds
are such that of the 230 outputs in the texts of WMT19 to WMT25 none is doubted without a cause.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, groupby
from typing import NamedTuple

import numpy as np

from .line_order import SHIFTS, best_stretch, describe_shift, document_orders, grams, overlap

Lines = Sequence[str]

LEAST_MOVED = 5  # lines that fit better in another place
LEAST_GAIN = 2.0  # by which their overlaps, summed, are larger there
MOVED = 5.0  # and standard errors
IN_PLACE = 0.5  # an overlap with the reference from which on a line is where it belongs
LEAST_LINES = 20  # of a file from which on can be told whether it belongs to the reference
CLEARLY = 2.0  # times as much as with other lines, with which all are in place
BELONGS = 3.0  # standard errors by which its lines overlap more with their own reference
LEAST_LETTERS = 20  # of a line that is not copied or repeated by chance
EQUAL_REFERENCE = 20  # lines in a row that are the reference's
EQUAL_SYSTEMS = 100  # lines in a row that two systems have in common
REPEATED = 3  # lines in a row that are the same while the reference's differ
COPIED = 5  # lines in a row that are the source's
COPIED_SHARE = 0.1  # of all lines
OTHER_SCRIPT = 5  # lines that are not in the reference's script
RARE_SCRIPT = 0.05  # share of a text's letters below which it is not in a script
FREQUENT = 50  # most frequent words of a text, by which its language is known
LEAST_FREQUENT = 0.2  # share of them in a text by whose words a language can be told
LEAST_WORDS = 200  # of a text whose language can be told
LOST = 0.5  # share of the reference's frequent words below which a text is in another language
SOURCE_WORDS = 15  # frequent words of the source more than of the reference in lines in a row
MOST_WORDS = 3  # of them that count in one line
SPACED = 1 / 20  # words a letter, below which a text is written without spaces


class _Place(NamedTuple):
    """Where lines of a file would fit better, and their mean overlap there and where they are."""

    order: str
    shift: int
    first: int
    end: int
    given: float
    other: float


def check_texts(
    hypotheses: Mapping[str, Lines],
    reference: Lines,
    source: Lines = (),
    name: str = "the reference",
    documents: Sequence[str] = (),
) -> list[str]:
    """What is odd about hypotheses, in sentences; of files whose lines are all empty, nothing.

    Parameters
    ----------
    hypotheses : dict of str to sequence of str, (segments,)
        By the name of the file or system.
    reference : sequence of str, (segments,)
        Empty segments where there is none: then nothing is compared with it.
    source, documents : sequence of str, (segments,)
        Empty where they are not known.
    name : str
        Of the reference.
    """
    hypotheses = {file: lines for file, lines in hypotheses.items() if not is_empty(lines)}
    found = check_places(hypotheses, reference, name, documents)
    for file, lines in hypotheses.items():
        said = [
            *_empty(lines, reference),
            *_copied(lines, source, reference),
            *_repeated(lines, reference),
        ]
        if any(map(str.strip, reference)):
            said += _equal(lines, reference, name)
            said += _of_other_language(lines, reference, source, name)
        found += [f"{file}: {sentence}" for sentence in said]
    return [*found, *_duplicates(hypotheses)]


def is_empty(lines: Lines) -> bool:
    """Whether there is text in no line."""
    return not any(map(str.strip, lines))


def check_places(
    hypotheses: Mapping[str, Lines],
    reference: Lines,
    name: str = "the reference",
    documents: Sequence[str] = (),
) -> list[str]:
    """Files whose lines fit other lines of the reference better, in sentences; where most of
    several do in the same way, the reference. Parameters are those of `check_texts`."""
    places = _better_places(hypotheses, reference, documents)
    blamed = _blame_reference(places, len(hypotheses), name)
    return blamed or [_of_file(file, name, place) for file, place in places.items()]


def check_reference(
    hypotheses: Mapping[str, Lines], reference: Lines, name: str, documents: Sequence[str]
) -> list[str]:
    """A sentence if most hypotheses fit other lines of the reference better, or no line."""
    places = _better_places(hypotheses, reference, documents)
    return _blame_reference(places, len(hypotheses), name)


def _better_places(
    hypotheses: Mapping[str, Lines], reference: Lines, documents: Sequence[str]
) -> dict[str, _Place]:
    """The places of files that are not in place; none without a reference."""
    if not any(map(str.strip, reference)):
        return {}
    own, orders = list(map(grams, reference)), document_orders(documents, ())
    places = {file: _better_place(lines, own, orders) for file, lines in hypotheses.items()}
    return {file: place for file, place in places.items() if place}


def _blame_reference(places: Mapping[str, _Place], files: int, name: str) -> list[str]:
    """What is said of the reference where most of several files are out of place in one way."""
    shifts = Counter(place.shift for place in places.values())
    shift, count = max(shifts.items(), key=lambda item: item[1], default=(0, 0))
    if count < 2 or count <= files / 2:
        return []
    place = next(place for place in places.values() if place.shift == shift)
    return [_of_reference(name, count, files, place)]


def listed_lines(lines: Sequence[int], most: int = 5) -> str:
    """Numbers of lines from their indices, runs as ranges, the first ones of many."""
    found = [f"{run[0] + 1:,}" + f" to {run[-1] + 1:,}" * (len(run) > 1) for run in _runs(lines)]
    rest = len(found) - most
    more = f" and {rest:,} more place{'s' * (rest > 1)}" * (rest > 0)
    return f"line{'s' * (len(lines) > 1)} {', '.join(found[:most])}{more}"


def _runs(lines: Sequence[int]) -> list[list[int]]:
    """Ascending indices, split where one is left out."""
    grouped = groupby(enumerate(lines), lambda pair: pair[1] - pair[0])
    return [[line for _, line in run] for _, run in grouped]


def _longest(lines: Sequence[int]) -> list[int]:
    return max(_runs(lines), key=len, default=[])


def _where(lines: Lines, odd: Callable[[int], bool]) -> list[int]:
    return [number for number in range(len(lines)) if odd(number)]


def _better_place(
    lines: Lines, reference: Sequence[frozenset[str]], orders: Mapping[str, np.ndarray]
) -> _Place | None:
    """Where lines of a file overlap more with the reference; None if they are in place.

    Lines that overlap well are taken for being in place, which saves time. A file that overlaps
    with its own lines no more than with those half a text away has no place.
    """
    own, count = list(map(grams, lines)), len(lines)
    given = np.array(list(map(overlap, own, reference)))
    there = np.arange(count)
    found, best = None, 0.0
    for shift in SHIFTS:
        gains = _overlaps(own, reference, there + shift, given <= IN_PLACE) - given
        gain, first, end = best_stretch(gains)
        if end - first < LEAST_MOVED or gain < max(best, LEAST_GAIN):
            continue
        if _more(gains[first:end], np.zeros(end - first), MOVED):
            here, better = (float(each[first:end].mean()) for each in (given, given + gains))
            name = describe_shift(shift, first, end, count)
            found, best = _Place(name, shift, first, end, here, better), gain
    if found or count < LEAST_LINES:
        return found
    away = _overlaps(own, reference, (there + count // 2) % count)
    if given.mean() > CLEARLY * away.mean():
        return None
    for name, moved in orders.items():
        for order in (moved, np.argsort(moved)):  # that of the file, or that of the reference
            other = _overlaps(own, reference, order)
            if _more(other, given):
                return _Place(name, 0, 0, count, float(given.mean()), float(other.mean()))
    if _more(given, away):
        return None
    return _Place("", 0, 0, count, float(given.mean()), float(away.mean()))


def _overlaps(
    own: Sequence[frozenset[str]],
    reference: Sequence[frozenset[str]],
    order: np.ndarray,
    compared: np.ndarray | None = None,
) -> np.ndarray:
    """Overlap of every line with the reference's line that `order` names; 0 for one that is not
    compared, or has none there."""
    found = np.zeros(len(own))
    there = (order >= 0) & (order < len(own))
    for line in np.flatnonzero(there if compared is None else there & compared).tolist():
        found[line] = overlap(own[line], reference[order[line]])
    return found


def _more(one: np.ndarray, other: np.ndarray, errors: float = BELONGS) -> bool:
    """Whether overlaps are larger, line by line, by more than some standard errors."""
    gains = one - other
    return bool(gains.sum() > errors * gains.std() * np.sqrt(len(gains)))


def _of_file(file: str, name: str, place: _Place) -> str:
    """What is said of a file whose lines have another place."""
    overlaps = f"overlap with {name} {place.other:.0%} instead of {place.given:.0%}"
    if place.shift:
        cause = "missing" if place.shift > 0 else "inserted"
        count = abs(place.shift)
        lines = f"{count} line{'s are' if count > 1 else ' is'} {cause}"
        return (
            f"{file}: if {place.order}, they {overlaps}. Probably {lines} before line "
            f"{place.first + 1:,}: compare the texts there and correct the file."
        )
    if place.order:
        return (
            f"{file}: if its lines are ordered as {place.order}, they {overlaps}. Put them "
            "into the order of the reference."
        )
    return (
        f"{file}: its lines overlap with their own line of {name} no more ({place.given:.0%}) than "
        f"with another one ({place.other:.0%}): another text, another language, or another order "
        "of the lines. Compare the files line by line."
    )


def _of_reference(name: str, moved: int, files: int, place: _Place) -> str:
    """What is said where most files disagree with the reference in the same way."""
    start = f"{name}: {moved} of {files} outputs fit other lines of it"
    where = f"lines {place.first + 1:,} to {place.end:,}"
    overlaps = f"they overlap {place.other:.0%} instead of {place.given:.0%}"
    if place.shift:
        count, way = abs(place.shift), "later" if place.shift > 0 else "earlier"
        return (
            f"{start}: {where} fit the lines {count} line{'s' * (count > 1)} {way} ({overlaps}). "
            "Probably the reference has an additional or a missing line before: compare the texts "
            "there and correct the reference."
        )
    if place.order:
        return (
            f"{start}, ordered as {place.order} ({overlaps}). Put the lines of the reference "
            "into the order of the texts."
        )
    return (
        f"{name}: {moved} of {files} outputs overlap with their own line no more "
        f"({place.given:.0%}) than with another one ({place.other:.0%}): it is the reference of "
        "another text or order of lines. Take another reference."
    )


def _empty(lines: Lines, reference: Lines) -> Iterator[str]:
    """Empty lines; where there is a reference, those of which it has text."""
    blank = [False] * len(lines)
    if any(map(str.strip, reference)):
        blank = [not line.strip() for line in reference]
    empty = _where(lines, lambda line: not lines[line].strip() and not blank[line])
    if empty:
        yield (
            f"{listed_lines(empty)}: empty, and scored as such. If a translation was lost, put it "
            "back."
        )


def _copied(lines: Lines, source: Lines, reference: Lines) -> Iterator[str]:
    """Untranslated lines, of which the reference is no copy itself."""
    if not source:
        return
    same = _where(
        lines,
        lambda line: (
            lines[line].strip() == source[line].strip() != reference[line].strip()
            and _long(lines[line])
        ),
    )
    if len(_longest(same)) >= COPIED or len(same) > COPIED_SHARE * len(lines):
        yield (
            f"{listed_lines(same)}: the source itself, not translated ({len(same):,} of "
            f"{len(lines):,} lines). Take the translation, or leave the system out."
        )


def _repeated(lines: Lines, reference: Lines) -> Iterator[str]:
    """One line several times in a row, though the reference's differ."""
    again = _where(
        lines,
        lambda line: (
            line > 0
            and lines[line] == lines[line - 1]
            and reference[line] != reference[line - 1]
            and _long(lines[line])
        ),
    )
    for run in _runs(again):
        if len(run) + 1 >= REPEATED:
            yield (
                f"{listed_lines([run[0] - 1, *run])}: the same line each time, while the "
                "reference's differ. Look whether translations were lost there."
            )


def _equal(lines: Lines, reference: Lines, name: str) -> Iterator[str]:
    """Lines that are the reference's."""
    if list(lines) == list(reference):
        yield f"the same text as {name}. A reference is no system's output: remove it."
        return
    same = _where(lines, lambda line: lines[line] == reference[line] and _long(lines[line]))
    run = _longest(same)
    if len(run) >= EQUAL_REFERENCE or len(same) > len(lines) / 2 >= LEAST_LINES / 2:
        yield (
            f"{len(same):,} of {len(lines):,} lines are those of {name}, as {listed_lines(run)}. "
            "Look whether the reference was mixed into the file."
        )


def _duplicates(hypotheses: Mapping[str, Lines]) -> Iterator[str]:
    """Pairs of files that are the same, wholly or in many lines in a row."""
    for (one, lines), (other, others) in combinations(hypotheses.items(), 2):
        if list(lines) == list(others):
            yield f"{one}: the same text as {other}. Remove one of them, or take the right file."
            continue
        run = _longest(_where(lines, lambda line: lines[line] == others[line]))  # noqa: B023
        if len(run) >= EQUAL_SYSTEMS and sum(_long(lines[line]) for line in run) > len(run) / 2:
            yield (
                f"{one}: {listed_lines(run)} are the same as in {other}. Look whether one file was "
                "written over the other there."
            )


def _long(line: str) -> bool:
    return sum(map(str.isalpha, line)) >= LEAST_LETTERS


def _of_other_language(lines: Lines, reference: Lines, source: Lines, name: str) -> Iterator[str]:
    """Lines in another script than the reference's, or else words of another language."""
    if odd := _of_other_script(lines, reference):
        most = _scripts("".join(lines[line] for line in odd)).most_common(1)[0][0]
        usual = _scripts("".join(reference)).most_common(1)[0][0]
        yield (
            f"{listed_lines(odd)}: {most.capitalize()} letters, while {name} is written in "
            f"{usual.capitalize()} ones. Take the output in the right language and script."
        )
        return
    spaced = _has_spaces(lines) and _has_spaces(reference)
    words, own = _words(lines, spaced), _words(reference, spaced)
    if len(words) < LEAST_WORDS or len(own) < LEAST_WORDS:
        return
    frequent = _frequent(own)
    here, there = (sum(word in frequent for word in each) / len(each) for each in (words, own))
    if here < LOST * there and there >= LEAST_FREQUENT:
        yield (
            f"the {FREQUENT} most frequent words of {name} are {here:.0%} of its words and "
            f"{there:.0%} of the reference's: probably it is in another language. Take the output "
            "in the right one."
        )
    elif source and (run := _in_source_language(lines, reference, source)):
        yield (
            f"{listed_lines(run)}: the frequent words are the source's, not those of {name}: "
            "probably not translated. Take the translation."
        )


def _of_other_script(lines: Lines, reference: Lines) -> list[int]:
    """Lines with few letters of the scripts of the reference; empty if they are too few to tell."""
    letters = _scripts("".join(reference))
    usual = {script for script, count in letters.items() if count >= RARE_SCRIPT * letters.total()}
    strange = _scripts("".join(lines))
    if not usual or sum(strange[each] for each in strange.keys() - usual) < LEAST_LETTERS:
        return []
    odd = _where(lines, lambda line: _is_strange(_scripts(lines[line]), usual))
    return odd if len(odd) >= OTHER_SCRIPT else []


def _is_strange(letters: Counter[str], usual: set[str]) -> bool:
    known = sum(letters[script] for script in usual)
    return letters.total() >= LEAST_LETTERS and known < letters.total() / 2


@cache
def _script(character: str) -> str:
    """The script of a letter, with which its Unicode name begins (LATIN, CYRILLIC, CJK); empty for
    any other character."""
    return unicodedata.name(character, "").split(" ")[0] if character.isalpha() else ""


def _scripts(text: str) -> Counter[str]:
    """Letters by script."""
    found: Counter[str] = Counter()
    for character, count in Counter(text).items():
        if script := _script(character):
            found[script] += count
    return found


def _words(lines: Lines, spaced: bool) -> list[str]:
    """Words in lower case, or single characters of a text without spaces."""
    return re.findall(r"\w+" if spaced else r"\w", "\n".join(lines).lower())


def _has_spaces(lines: Lines) -> bool:
    return sum(len(line.split()) for line in lines) > SPACED * sum(map(len, lines))


def _frequent(words: list[str]) -> set[str]:
    """The most frequent words; of equally frequent ones those that come first."""
    return {word for word, _ in Counter(words).most_common(FREQUENT)}


def _in_source_language(lines: Lines, reference: Lines, source: Lines) -> list[int]:
    """Lines in a row with more frequent words of the source than of the reference; empty if none,
    or without words to count."""
    if not all(map(_has_spaces, (lines, reference, source))):
        return []
    of_source, of_reference = (_frequent(_words(text, True)) for text in (source, reference))
    foreign, native = of_source - of_reference, of_reference - of_source
    words = [_words([line], True) for line in lines]
    gains = [sum((word in foreign) - (word in native) for word in each) for each in words]
    gain, first, end = best_stretch(np.clip(gains, -MOST_WORDS, MOST_WORDS).astype(float))
    odd = [line for line in range(first, end) if gains[line] > 0]
    return odd if gain >= SOURCE_WORDS and len(odd) >= COPIED else []
