"""Find signs, words or numbers on many lines of one text that the other texts have not: tags,
quotes of JSON, line numbers, what a model says before a translation."""

import re
from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..errors import shortened
from .line_fit import LineFit, Lines, sample_lines
from .stretches import likely_stretch, listed_lines

LEAST_MARKED = 0.1  # share of a text's lines with a mark
MARKED_ELSEWHERE = 0.1  # share of the mark's lines in other texts, as a share of that in the text
LEAST_AFFIXED = 0.5  # share of lines that begin or end with the same word
FEW_SYSTEMS = 0.4  # share of the systems that may have a mark of the reference on the same line
PREFIXES = (2, 3, 4)  # characters at the beginning of a line in which a mark is looked for
MOST_QUOTED = 60  # characters of an example in messages
LONGEST_EXAMPLE = 30  # characters of a word that is quoted for the sign in it

_CLOSING = {
    '"': '"',
    "'": "'",
    "“": "”",
    "„": "“”",
    "«": "»",
    "»": "«",
    "‘": "’",
    "‚": "‘’",
    "「": "」",
    "『": "』",
}
_QUOTES = tuple("\"'“”„«»‘’‚‹›「」『』")
# Punctuation that differs between texts of one language: it is no mark.
_TYPOGRAPHY = frozenset(
    "\"'“”„«»‘’‚‹›-–—‐()[]:;,.!?…、。，：；！？（）「」『』《》〈〉·・•%\xa0\u202f"
)
_TYPOGRAPHIC = "".join(_TYPOGRAPHY)
_NUMBERED = re.compile(r"\W?(\d{1,9})[.):\]]?(?=\s)")
_TAG = re.compile(r"<[^<>]{0,30}>")

Shares = dict[str, float]  # of lines, by mark


class MarkKind(NamedTuple):
    """A kind of mark.

    Attributes
    ----------
    shares : callable
        Shares of a text's lines with a mark, for marks on many lines.
    has : callable
        Whether a line (first argument) has a mark (second argument).
    """

    shares: Callable[[Lines], Shares]
    has: Callable[[str, str], bool]


def mark_warnings(fit: LineFit, name: str, damaged: Container[str]) -> Iterator[str]:
    """Yield warnings about signs, words or numbers on many lines of one text that the other texts
    have not: tags, quotes of JSON, what a model says before a translation.

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
    names = [name, *fit.systems]
    enclosed = [_enclosed_warning(fit, number, names) for number in range(len(names))]
    yield from filter(None, enclosed)

    samples = [sample_lines(fit.text(number)) for number in range(len(names))]
    start = FIRST_WORDS if fit.spaced else FIRST_CHARACTERS
    warned = set()  # the same mark may be found as a sign and as a word
    for kind in (SIGNS, start, LAST_WORDS):
        shares = [kind.shares(lines) for lines in samples]
        for number, label in enumerate(names):
            if label in damaged or (enclosed[number] and kind is not SIGNS):
                continue
            warning = _first_warning(fit, number, kind, _unusual(shares, number), name)
            if warning and warning not in warned:
                warned.add(warning)
                yield warning


def _first_warning(
    fit: LineFit, number: int, kind: MarkKind, marks: Sequence[str], name: str
) -> str:
    """Return the warning about the first mark of a text that a stretch of lines has."""
    for mark in marks:
        warning = _mark_warning(fit, number, kind, mark, name)
        if warning:
            return warning
    return ""


# Quotes around lines and line numbers


def _enclosed_warning(fit: LineFit, number: int, names: Sequence[str]) -> str:
    """Return a warning if lines of the reference (`number` 0) or of a system stand in quotes, or
    begin with their numbers, and those of the other side do not."""
    if not fit.systems:
        return ""
    other_lines = fit.text(1 if number == 0 else 0)
    pairs = list(zip(fit.text(number), other_lines, strict=True))
    is_quoted = [_is_quoted(line) and not other.startswith(_QUOTES) for line, other in pairs]
    is_numbered = [
        _is_numbered(line, line_number) and not _is_numbered(other, line_number)
        for line_number, (line, other) in enumerate(pairs, 1)
    ]
    for flags, what in ((is_quoted, "quotes around the line"), (is_numbered, "line numbers")):
        lines = likely_stretch(np.array(flags))
        # Translators may put some lines of the reference in quotes.
        if len(lines) and (number > 0 or len(lines) > len(pairs) / 2):
            return f"{names[number]}: {listed_lines(lines)}: {what}. Remove them."
    return ""


def _is_quoted(line: str) -> bool:
    return len(line) > 2 and line[-1] in _CLOSING.get(line[0], "")


def _is_numbered(line: str, number: int) -> bool:
    """Return whether a line begins with its number, or one that differs by 1."""
    if not line[:2].strip("([").isdecimal() and not line[:1].isdecimal():
        return False
    match = _NUMBERED.match(line)
    return match is not None and abs(int(match[1]) - number) <= 1


# Kinds of marks


def _shares(counts: Counter[str], lines: Lines) -> Shares:
    """Return counts of lines as shares of all lines."""
    return {mark: count / len(lines) for mark, count in counts.items()}


def _frequent(shares: Shares, least: float) -> Shares:
    """Return the marks that are on at least a share of the lines."""
    return {mark: share for mark, share in shares.items() if share >= least}


def _sign_shares(lines: Lines) -> Shares:
    """Return the share of lines that have a sign, but for letters, digits and typography."""
    counts: Counter[str] = Counter()
    for line in lines:
        counts.update(sign for sign in set(line) if not sign.isalnum() and sign not in _TYPOGRAPHY)
    counts.pop(" ", None)
    return _frequent(_shares(counts, lines), LEAST_MARKED)


def _first_word_shares(lines: Lines) -> Shares:
    """Return the share of lines that begin with a word or two, by these. One plain word or
    quotation mark must be at the beginning of more lines than two words, or than a word with other
    signs."""
    counts: Counter[str] = Counter()
    for line in lines:
        words = line.split(maxsplit=2)
        counts.update({words[0], " ".join(words[:2])})
    frequent = {}
    for word, share in _shares(counts, lines).items():
        least = LEAST_AFFIXED if _is_plain(word) else LEAST_MARKED
        if share >= least:
            frequent[word] = share
    return frequent


def _is_plain(word: str) -> bool:
    """Return whether a word at the beginning of a line is an ordinary one: letters, alone or after
    a quotation mark."""
    return word.lstrip(_TYPOGRAPHIC).isalnum() or _TYPOGRAPHY.issuperset(word)


def _first_character_shares(lines: Lines) -> Shares:
    """Return the share of lines that begin with some characters, for text without spaces."""
    counts = Counter(line[:length] for line in lines for length in PREFIXES)
    return _frequent(_shares(counts, lines), LEAST_AFFIXED)


def _last_word_shares(lines: Lines) -> Shares:
    """Return the share of lines that end with a word, by word."""
    counts = Counter(line.split()[-1] for line in lines)
    return _frequent(_shares(counts, lines), LEAST_AFFIXED)


def _has_sign(line: str, sign: str) -> bool:
    return sign in line


def _begins_with_word(line: str, word: str) -> bool:
    return f"{line} ".startswith(f"{word} ")


def _begins_with_characters(line: str, start: str) -> bool:
    return line.startswith(start)


def _ends_with_word(line: str, word: str) -> bool:
    return f" {line}".rstrip().endswith(f" {word}")


SIGNS = MarkKind(_sign_shares, _has_sign)
FIRST_WORDS = MarkKind(_first_word_shares, _begins_with_word)
FIRST_CHARACTERS = MarkKind(_first_character_shares, _begins_with_characters)
LAST_WORDS = MarkKind(_last_word_shares, _ends_with_word)


# Marks that are frequent in one text


def _unusual(shares: Sequence[Shares], number: int) -> list[str]:
    """Return the marks that are frequent in a text and rare in others, the most frequent first.

    Parameters
    ----------
    shares : sequence of dict of str to float
        By mark, of the reference and of each system.
    number : int
        Number of the text: 0 is the reference, which is compared with two systems or more. A mark
        of a system may be frequent in other systems, too, if it is on half of the lines.
    """
    text_shares = shares[number]
    other_systems = [shares[n] for n in range(1, len(shares)) if n != number]
    if number == 0 and len(other_systems) < 2:
        return []
    unusual = []
    for mark, share in text_shares.items():
        most = MARKED_ELSEWHERE * share
        other_shares = [system.get(mark, 0.0) for system in other_systems]
        is_rare = not other_shares or float(np.median(other_shares)) <= most
        if number > 0:
            is_rare = is_rare or share >= LEAST_AFFIXED
            is_rare = is_rare and shares[0].get(mark, 0.0) <= most
        if is_rare:
            unusual.append(mark)
    return sorted(unusual, key=lambda mark: (-text_shares[mark], -len(mark), mark))


def _mark_warning(fit: LineFit, number: int, kind: MarkKind, mark: str, name: str) -> str:
    """Return a warning if a stretch of lines of the reference (`number` 0) or of a system has a
    mark."""
    text = fit.text(number)
    lines = likely_stretch(_marked_lines(fit, number, kind, mark))
    if not len(lines):
        return ""
    if number == 0:
        label = name
        others = "the outputs lack"
        no_part = "no part of it"
        overlap = ""
    else:
        label = fit.systems[number - 1]
        others = f"{name} lacks"
        no_part = "no translation"
        overlap = f" {fit.describe_overlap(number - 1, lines)}"
    if _TYPOGRAPHY.issuperset(mark) and all(text[line].endswith(f" {mark}") for line in lines):
        return (
            f"{label}: {listed_lines(lines)} end with `{mark}` after a space: the text is split "
            f"into tokens. Take it as it was before.{overlap}"
        )
    example = shortened(_example(text[lines[0]], mark), MOST_QUOTED)
    return (
        f"{label}: {listed_lines(lines)}: `{example}`, which {others} there. Remove what is "
        f"{no_part}.{overlap}"
    )


def _marked_lines(fit: LineFit, number: int, kind: MarkKind, mark: str) -> np.ndarray:
    """Return the lines of a text, (segments,) of bool, that have a mark, fit, and have no marked
    counterpart in the other texts."""
    in_reference = np.array([kind.has(line, mark) for line in fit.reference])
    if number > 0:
        in_system = np.array([kind.has(line, mark) for line in fit.text(number)])
        return in_system & ~in_reference & ~fit.misfits[number - 1]
    in_systems = [[kind.has(line, mark) for line in lines] for lines in fit.hypotheses.values()]
    in_few_systems = np.mean(in_systems, axis=0) < FEW_SYSTEMS
    return in_reference & in_few_systems & ~fit.reference_misfits


def _example(line: str, mark: str) -> str:
    """Return a tag or word of the line that has a mark, or the mark alone if the word is long, as
    in text without spaces."""
    tag = _TAG.search(line)
    if mark in "<>/" and tag:
        return tag[0]
    if len(mark) > 1:
        return mark
    words = [word for word in line.split() if mark in word]
    if not words:
        return ascii(mark)[1:-1]
    return words[0] if len(words[0]) <= LONGEST_EXAMPLE else mark
