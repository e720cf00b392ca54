"""Find stretches of lines that lack capitals, accents, spaces or their end, where the reference and
other systems have them."""

import re
from collections.abc import Callable, Container, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from .line_fit import LineFit, sample_lines
from .stretches import NEARLY_ALL, SOME, likely_stretch, listed_lines

# A line lacks a property if at least MOST of the other systems have it. The outputs lack what the
# reference has if at most FEW of them have it.
MOST = 0.6
FEW = 0.4
SHORTER = 0.85  # length of a line that is cut off, as a share of the median of other texts
ACCENTED = 0.2  # share of the reference's lines with accented letters in a language that has them
CASED = 0.5  # share of a text's letters that have capitals, in a script that has them
QUOTED_END = 30  # characters of a line that is cut off, in messages

_ACCENT = re.compile(r"[^\W\d_\x00-\x7f]")
_ENDS = tuple(".!?。！？…:;：；\"”»“'’)]）」』*")


class Property(NamedTuple):
    """Something that lines of a text have or lack.

    Attributes
    ----------
    name : str
        What messages call it.
    has : callable
        Whether a line has it.
    advice : str
        What to do about lines that lack it.
    """

    name: str
    has: Callable[[str], bool]
    advice: str


def _has_capitals(line: str) -> bool:
    return not line.islower()


def _has_small_word(line: str) -> bool:
    """Return whether a word begins in small letters: none does in a line in capitals, nor in a line
    With Every Word Like This."""
    return any(word[:1].islower() for word in line.split())


def _has_accents(line: str) -> bool:
    return not line.isascii() and _ACCENT.search(line) is not None


def _has_space(line: str) -> bool:
    return " " in line


def _has_end(line: str) -> bool:
    return line.endswith(_ENDS)


CAPITALS = Property("capital letters", _has_capitals, "Take the text as it was written")
SMALL = Property(
    "small letters at the beginning of words", _has_small_word, "Take the text as it was written"
)
ACCENTS = Property("accented letters", _has_accents, "Take the text in UTF-8")
SPACES = Property("spaces", _has_space, "Take the text with spaces between words")
END = Property("the end of the sentence", _has_end, "Take whole lines")


def property_warnings(fit: LineFit, name: str, damaged: Container[str]) -> Iterator[str]:
    """Yield warnings about stretches of lines that lack capitals, accents or their end, where the
    reference and other systems have them.

    Parameters
    ----------
    fit : LineFit
    name : str
        What messages call the reference.
    damaged : container of str
        Texts that are not warned of.

    Yields
    ------
    str
        A sentence.
    """
    # A text that lacks spaces has no words, and is not checked for other properties.
    unspaced = set()
    if fit.spaced:
        for label, warning in _lacking(fit, SPACES, name):
            unspaced.add(label)
            if label not in damaged:
                yield warning
    for kind in _properties_of(fit.reference):
        for label, warning in _lacking(fit, kind, name):
            if label not in damaged and label not in unspaced:
                yield warning


def _properties_of(reference: Sequence[str]) -> list[Property]:
    """Return the properties that lines of a text can have in the reference's script and language,
    without spaces."""
    letters = [sign for line in sample_lines(reference) for sign in line if sign.isalpha()]
    cased = sum(letter.lower() != letter.upper() for letter in letters)
    properties = []
    if cased > CASED * len(letters):
        properties += [CAPITALS, SMALL]
    is_latin = sum(map(str.isascii, letters)) > CASED * len(letters)
    if is_latin and np.mean([ACCENTS.has(line) for line in reference]) >= ACCENTED:
        properties.append(ACCENTS)
    return [*properties, END]


def _lacking(fit: LineFit, kind: Property, name: str) -> Iterator[tuple[str, str]]:
    """Yield the name of each text with lines that lack one property, and a warning."""
    texts = [fit.reference, *fit.hypotheses.values()]
    has = np.array([[kind.has(line) for line in lines] for lines in texts])
    lengths = np.array([[len(line) for line in lines] for lines in texts])
    usable = _usable_lines(fit, lengths)
    shares = (NEARLY_ALL,) if kind is ACCENTS else (NEARLY_ALL, SOME)
    warned = False
    # With a single system, what only the reference lacks is what the system has in addition.
    first = 1 if len(fit.systems) == 1 else 0
    for number in range(first, len(texts)):
        is_lacking = ~has[number]
        if kind is END:
            other_lengths = np.delete(lengths, number, axis=0)
            is_lacking &= lengths[number] <= SHORTER * np.median(other_lengths, axis=0)
        possible = np.flatnonzero(_others_have(has, number) & usable[number])
        lines = possible[likely_stretch(is_lacking[possible], shares=shares)]
        if len(lines):
            warned = True
            label = name if number == 0 else fit.systems[number - 1]
            yield label, f"{label}: {_lacking_warning(fit, kind, number, lines, name)}"
    if warned or kind is END:
        return
    outputs_lack = has[0] & usable.all(axis=0) & (has[1:].mean(axis=0) <= FEW)
    lines = likely_stretch(outputs_lack, shares=shares)
    if len(lines):
        warning = (
            f"{listed_lines(lines)}: {name} has {kind.name}, and most outputs have none. "
            f"{kind.advice}, on both sides."
        )
        yield "", warning


def _usable_lines(fit: LineFit, lengths: np.ndarray) -> np.ndarray:
    """Return the lines of reference and systems, (1 + systems, segments) of bool, that are not
    empty and fit: lines that do not fit at all have another fault."""
    usable = lengths > 0
    usable[0] &= ~fit.reference_misfits
    usable[1:] &= ~fit.misfits
    return usable


def _others_have(has: np.ndarray, number: int) -> np.ndarray:
    """Return the lines of which most systems other than a text, and the reference, have a property;
    `has` is (1 + systems, segments) of bool, and the text its row `number`."""
    if number == 0:
        return has[1:].mean(axis=0) >= MOST
    other_systems = np.delete(has[1:], number - 1, axis=0)
    if not len(other_systems):
        return has[0]
    return has[0] & (other_systems.mean(axis=0) >= MOST)


def _lacking_warning(
    fit: LineFit, kind: Property, number: int, lines: np.ndarray, name: str
) -> str:
    """Return a warning about lines of the reference (`number` 0) or of a system that lack
    something, without the text's name."""
    if number == 0:
        others = "the outputs have"
    elif len(fit.systems) == 1:
        others = f"{name} has"
    else:
        others = f"{name} and other outputs have"
    if kind is END:
        line = lines[0]
        problem = (
            f"cut off, as line {line + 1:,}, which ends `{fit.text(number)[line][-QUOTED_END:]}`"
        )
    else:
        problem = f"no {kind.name}, which {others} there"
    warning = f"{listed_lines(lines)}: {problem}. {kind.advice}."
    if number > 0:
        warning += f" {fit.describe_overlap(number - 1, lines)}"
    return warning
