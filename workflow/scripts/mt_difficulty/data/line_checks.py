"""Find lines of a system output that do not fit their reference as other systems' same lines do:
lines in a wrong place, repeated, cut off, without capitals or accents, or with marks.

A line's fit is its overlap with the reference. What is compared with what other systems do on the
same line raises no alarm where a whole set is difficult. Flags of lines become a warning if a
stretch of them, or the whole file, is unlikely by chance (`likely_stretch`). With these thresholds,
12 of 230 outputs of WMT19 to WMT25 raise an alarm, each for a cause that is there, and simulated
damage of ten lines is found in 93 to 100 % of cases (docs/checks.md)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..errors import shortened

Lines = Sequence[str]
Units = Sequence[frozenset[str]]

START = 4  # characters of a word that are compared
SPACED = 1 / 12  # words a letter, below which a text is written without spaces
# A line does not fit if its overlap is less than this share of the other systems', which must be at
# least this high, and if it has so many units.
MISFIT, LEAST_FIT, LEAST_UNITS = 0.4, 0.2, 5
# A line stands in another one's place if it overlaps with that one's reference by at least so much,
# by so much more than with its own, and by this share of what other systems reach there. So many
# lines, and this share of the lines that do not fit, make a warning.
FITS_THERE, FITS_BETTER, OF_OTHERS = 0.2, 0.15, 0.5
LEAST_MOVED, MOVED_SHARE = 2, 0.1
# Another place is looked for by units that this share of the lines have, or so many lines.
RARE, MOST_PLACES = 1 / 20, 50
CANDIDATES = 5  # other places that are compared
# Of a single system: the quantile of its overlaps that stands for what others would reach.
ALONE = 0.8
LEAST_LINES = 20  # of a file from which on can be told whether it belongs to the reference
BELONGS = 3.0  # standard errors by which its lines overlap more with their reference than others
LEAST_REPEATED = 5  # lines with a text that belongs elsewhere
LEAST_LETTERS = 20  # of a text that is not repeated by chance
# The chance of a flag where nothing is wrong (at least), and in a damaged stretch: of which nearly
# all lines are damaged, or some. A stretch is reported from this log-likelihood ratio on.
BY_CHANCE, NEARLY_ALL, SOME, LEAST_EVIDENCE = 0.05, 0.8, 0.3, 15.0
MOST, FEW = 0.6, 0.4  # shares of the other systems that have, or have not, what a line lacks
SHORTER = 0.85  # a cut line's length, as a share of the median of others
ACCENTED = 0.2  # share of the reference's lines with accented letters in a language that has them
CASED = 0.5  # share of a text's letters that have capitals, in a script that has them
AGREEING = 5  # pairs of systems whose outputs are compared with each other
SAMPLE = 400  # lines among which marks are looked for
LEAST_MARKED, MARKED_ELSEWHERE = 0.1, 0.1  # share of lines with a mark; of it, in other texts
LEAST_AFFIXED = 0.5  # share of lines that begin or end with the same word
NAMED_PLACES, MOST_QUOTED = 5, 60
PREFIXES = (2, 3, 4)  # characters at the beginning of a line in which a mark is looked for
LONGEST_EXAMPLE = 30  # characters of a word that is quoted for the sign in it

_ACCENT = re.compile(r"[^\W\d_\x00-\x7f]")
_ENDS = tuple(".!?。！？…:;：；\"”»“'’)]）」』*")
_ASCII = frozenset(map(chr, range(128)))
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
# Signs of which texts of one language have different ones: they are no marks.
_TYPOGRAPHY = frozenset(
    "\"'“”„«»‘’‚‹›-–—‐()[]:;,.!?…、。，：；！？（）「」『』《》〈〉·・•%\xa0\u202f"
)
_TYPOGRAPHIC = "".join(_TYPOGRAPHY)
_NUMBERED = re.compile(r"\W?(\d{1,9})[.):\]]?(?=\s)")


# The overlap of lines


def has_spaces(lines: Lines) -> bool:
    """Return whether a text is written with spaces between words."""
    text = "\n".join(_sample(lines))
    return len(text.split()) > SPACED * len(text)


def _most_have_spaces(reference: Lines, hypotheses: Mapping[str, Lines]) -> bool:
    with_spaces = [has_spaces(lines) for lines in hypotheses.values()]
    return has_spaces(reference) and sum(with_spaces) >= len(with_spaces) / 2


def units_of(lines: Lines, spaced: bool) -> Units:
    """Return each line's set of word beginnings in small letters or, if not `spaced`, of
    characters, without those of ASCII: a set of Latin letters says little about a text."""
    if spaced:
        return [frozenset([word[:START] for word in line.lower().split()]) for line in lines]
    return [frozenset(line).difference(_ASCII) for line in lines]


def overlap(first: frozenset[str], second: frozenset[str]) -> float:
    """Return the share of units that two texts have in common (Dice coefficient), 0 to 1. Higher is
    more alike; 0 if a text has no units. Integer counts make it the same on every processor."""
    if not first or not second:
        return 0.0
    return 2 * len(first & second) / (len(first) + len(second))


def reference_overlaps(hypotheses: Mapping[str, Lines], reference: Lines) -> np.ndarray:
    """Return the overlap of each line with its reference, 0 to 1, (systems, segments)."""
    spaced = _most_have_spaces(reference, hypotheses)
    targets = units_of(reference, spaced)
    return np.array(
        [[*map(overlap, units_of(lines, spaced), targets)] for lines in hypotheses.values()]
    )


class LineFit:
    """How well the lines of system outputs fit their reference.

    Parameters
    ----------
    hypotheses : mapping of str to sequence of str
        By system, each with as many lines as the reference.
    reference : sequence of str
    source : sequence of str, optional
        Lines that are copies of it count as no misfits, since `check_texts` names them.

    Attributes
    ----------
    systems : list of str
    overlaps : ndarray
        (systems, segments), the overlap of each line with its reference, 0 to 1.
    overlaps_away : ndarray
        (systems, segments), that with the reference of a distant line.
    sizes : ndarray
        (systems, segments), the number of units of each line.
    expected : ndarray
        (systems, segments), the median of the other systems' overlaps; of a single system a high
        quantile of its own.
    agreement : ndarray
        (segments,), the median overlap of up to AGREEING pairs of systems.
    misfits : ndarray
        (systems, segments) of bool, lines whose overlap is far less than expected.
    """

    def __init__(
        self, hypotheses: Mapping[str, Lines], reference: Lines, source: Lines = ()
    ) -> None:
        self.systems = list(hypotheses)
        self.hypotheses, self.reference = hypotheses, reference
        self.spaced = _most_have_spaces(reference, hypotheses)
        self.targets = units_of(reference, self.spaced)
        shape = len(hypotheses), len(reference)
        self.overlaps, self.overlaps_away = np.zeros((2, *shape))
        self.sizes = np.zeros(shape, dtype=int)
        distant = np.roll(np.arange(len(reference)), len(reference) // 2)
        # Units take much memory: those of three systems are kept at the same time.
        first: Units = ()
        last: Units = ()
        agreements = []
        for system, lines in enumerate(hypotheses.values()):
            units = units_of(lines, self.spaced)
            self.overlaps[system] = [*map(overlap, units, self.targets)]
            others = map(self.targets.__getitem__, distant.tolist())
            self.overlaps_away[system] = [*map(overlap, units, others)]
            self.sizes[system] = [*map(len, units)]
            first = first or units
            if 0 < system < AGREEING:
                agreements.append([*map(overlap, last, units)])
            last = units
        agreements.append([*map(overlap, first, last)])
        self.agreement = np.median(agreements, axis=0)
        self.expected = self._of_others()
        far_less = self.overlaps < MISFIT * self.expected
        has_units = self.sizes >= LEAST_UNITS
        self.misfits = far_less & (self.expected >= LEAST_FIT) & has_units
        for system, lines in enumerate(hypotheses.values() if source else ()):
            copied = [line == original for line, original in zip(lines, source, strict=True)]
            self.misfits[system, copied] = False

    def _of_others(self) -> np.ndarray:
        systems = len(self.systems)
        if systems == 1:
            return np.full(self.overlaps.shape, np.quantile(self.overlaps, ALONE))
        expected = np.zeros(self.overlaps.shape)
        for system in range(systems):
            expected[system] = np.median(np.delete(self.overlaps, system, axis=0), axis=0)
        return expected

    @cached_property
    def reference_misfits(self) -> np.ndarray:
        """(segments,) of bool, lines on which systems agree with each other far more than with the
        reference."""
        if len(self.systems) == 1:
            return np.zeros(len(self.reference), dtype=bool)
        far_less = np.median(self.overlaps, axis=0) < MISFIT * self.agreement
        has_units = (self.sizes >= LEAST_UNITS).all(axis=0)
        return far_less & (self.agreement >= LEAST_FIT) & has_units

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """The lines of the reference that have a unit, by unit, for units of few lines."""
        places: dict[str, list[int]] = defaultdict(list)
        for number, units in enumerate(self.targets):
            for unit in units:
                places[unit].append(number)
        most = max(CANDIDATES, min(MOST_PLACES, int(len(self.reference) * RARE)))
        return {unit: lines for unit, lines in places.items() if len(lines) <= most}

    def find_elsewhere(
        self, text: str, own: float, possible: np.ndarray, expected: np.ndarray
    ) -> int | None:
        """Return the line of the reference that a text fits, instead of its own.

        Parameters
        ----------
        text : str
        own : float
            Its overlap with its own line.
        possible : ndarray
            (segments,) of bool, the lines that come into question.
        expected : ndarray
            (segments,), the overlap that other systems have with each line.
        """
        [units] = units_of([text], self.spaced)
        shared: Counter[int] = Counter()
        for unit in units:
            shared.update(self.places.get(unit, ()))
        candidates = (number for number in shared if possible[number])
        likely = sorted(candidates, key=lambda number: (-shared[number], number))[:CANDIDATES]
        if not likely:
            return None
        found = {number: overlap(units, self.targets[number]) for number in likely}
        best = max(likely, key=lambda number: (found[number], -number))
        least = max(FITS_THERE, OF_OTHERS * expected[best], own + FITS_BETTER)
        return best if found[best] >= least else None


# Stretches of flagged lines


def best_stretch(gains: np.ndarray) -> tuple[float, int, int]:
    """Find the run of consecutive lines with the largest sum of gains, (segments,). Returns the
    sum, the first index and the index after the last; the run is empty if no sum exceeds 0."""
    sums = np.append(0.0, np.cumsum(gains))
    end = int(np.argmax(sums - np.minimum.accumulate(sums)))
    first = int(np.argmin(sums[: end + 1]))
    return float(sums[end] - sums[first]), first, end


def likely_stretch(
    flags: np.ndarray, by_chance: float = 0.0, shares: Sequence[float] = (NEARLY_ALL, SOME)
) -> np.ndarray:
    """Return the flagged lines of the most likely damaged stretch.

    Parameters
    ----------
    flags : ndarray
        (lines,) of bool.
    by_chance : float
        The share of lines that are flagged where nothing is wrong.
    shares : sequence of float
        The shares of flagged lines in a damaged stretch.

    Returns
    -------
    ndarray
        Their indices; empty if no stretch has the log-likelihood ratio LEAST_EVIDENCE against
        flags by chance.
    """
    chance, most, chosen = max(BY_CHANCE, by_chance), LEAST_EVIDENCE, np.empty(0, int)
    for share in shares:
        if share <= chance:
            continue
        of_flag, of_none = np.log(share / chance), np.log((1 - share) / (1 - chance))
        gains = np.array(np.where(flags, of_flag, of_none))
        evidence, first, end = best_stretch(gains)
        if evidence >= most:
            most, chosen = evidence, first + np.flatnonzero(flags[first:end])
    return chosen


def runs_of(lines: Sequence[int] | np.ndarray) -> list[list[int]]:
    """Split ascending line indices into runs of consecutive indices."""
    runs = np.split(lines, np.flatnonzero(np.diff(lines) > 1) + 1) if len(lines) else []
    return [run.tolist() for run in runs]


def listed_lines(lines: Sequence[int] | np.ndarray, most: int = NAMED_PLACES) -> str:
    """Return 0-based line indices as text, numbered from 1: `lines 3, 7 to 9 and 2 more places`."""
    runs = [
        f"{run[0] + 1:,}" if len(run) == 1 else f"{run[0] + 1:,} to {run[-1] + 1:,}"
        for run in runs_of(lines)
    ]
    noun = "line" if len(lines) == 1 else "lines"
    text = f"{noun} {', '.join(runs[:most])}"
    unlisted = len(runs) - most
    if unlisted > 0:
        text += f" and {unlisted:,} more {'place' if unlisted == 1 else 'places'}"
    return text


# Warnings


def misfit_warnings(fit: LineFit, name: str) -> Iterator[str]:
    """Yield warnings about lines that do not fit their reference.

    Parameters
    ----------
    fit : LineFit
    name : str
        What messages call the reference.
    """
    if len(fit.reference) < 2 or not fit.systems:
        return
    strangers = _strangers(fit)
    if len(strangers) > max(1, len(fit.systems) / 2):
        yield (
            f"{name}: the lines of {len(strangers)} of {len(fit.systems)} outputs overlap with "
            "their own lines of it no more than with others: another text, language or order of "
            "lines. Take the right texts."
        )
        return
    blamed = _reference_warning(fit, name)
    if blamed:
        yield blamed
        return
    checks = (_moved, _repeated, _unexplained)
    for system in range(len(fit.systems)):
        for check in checks:
            warning, ends = check(fit, system, name)
            if warning:
                yield f"{fit.systems[system]}: {warning}"
            if ends:
                break
        else:
            if system in strangers:
                yield (
                    f"{fit.systems[system]}: its lines overlap with their own line of {name} no "
                    "more than with others: another text, language or order of lines. Take the "
                    "right texts."
                )


def _strangers(fit: LineFit) -> list[int]:
    """Return the indices of systems whose lines overlap with their own reference lines no more than
    with distant ones."""
    count = len(fit.reference)
    if count < LEAST_LINES:
        return []
    found = []
    for system in range(len(fit.systems)):
        if not fit.sizes[system].any():
            continue
        gains = fit.overlaps[system] - fit.overlaps_away[system]
        if gains.sum() <= BELONGS * gains.std() * np.sqrt(count):
            found.append(system)
    return found


def _costs(fit: LineFit, system: int, lines: Sequence[int] | np.ndarray) -> str:
    """Say how much less some lines overlap with the reference than those of other systems."""
    own, expected = fit.overlaps[system, lines].mean(), fit.expected[system, lines].mean()
    if len(fit.systems) == 1:
        return f"Their overlap with the reference is {own:.0%}."
    return (
        f"Their overlap with the reference is {own:.0%}, that of other systems' same lines "
        f"{expected:.0%}."
    )


def _moved(fit: LineFit, system: int, name: str) -> tuple[str, bool]:
    """Warn about lines that stand in other lines' places: what stands there does not fit,
    either."""
    misfits, expected = fit.misfits[system], fit.expected[system]
    texts = fit.hypotheses[fit.systems[system]]
    targets: dict[int, int] = {}
    for line in np.flatnonzero(misfits).tolist():
        text, own = texts[line], fit.overlaps[system, line]
        target = fit.find_elsewhere(text, own, misfits, expected)
        if target is not None:
            targets.setdefault(target, line)
    if len(targets) < max(LEAST_MOVED, MOVED_SHARE * misfits.sum()):
        return "", False
    lines = sorted(targets.values())
    target_of = {line: target for target, line in targets.items()}
    what = _places_found(lines, target_of, name)
    where = np.flatnonzero(misfits).tolist() if len(lines) > misfits.sum() / 2 else lines
    return f"{listed_lines(where)} {what} {_costs(fit, system, where)}", True


def _places_found(lines: Sequence[int], target_of: Mapping[int, int], name: str) -> str:
    """Return the end of a warning about lines that fit other lines of the reference."""
    shift, first = _common_shift(lines, target_of)
    if not shift:
        return (
            f"do not fit their lines of {name}, but others, as line {lines[0] + 1:,} fits line "
            f"{target_of[lines[0]] + 1:,}: they are in a wrong order. Put them in order."
        )
    distance = f"{abs(shift)} {'line' if abs(shift) == 1 else 'lines'}"
    way = "further on" if shift > 0 else "before"
    return (
        f"fit the lines of {name} that stand {distance} {way}. Look which of the texts lacks a "
        f"line before line {first + 1:,}, or has one more."
    )


def _common_shift(lines: Sequence[int], target_of: Mapping[int, int]) -> tuple[int, int]:
    """Return the distance that most moved lines have in common, and the first of these lines; 0
    without such a distance."""
    shifts = Counter(target_of[line] - line for line in lines)
    shift, count = shifts.most_common(1)[0]
    if count < max(LEAST_MOVED + 1, 0.6 * len(lines)):
        return 0, 0
    return shift, next(line for line in lines if target_of[line] - line == shift)


def _repeated(fit: LineFit, system: int, name: str) -> tuple[str, bool]:
    """Warn about a text that stands on lines with other references, too."""
    texts = fit.hypotheses[fit.systems[system]]
    at: dict[str, list[int]] = defaultdict(list)
    for number in np.flatnonzero(fit.misfits[system]).tolist():
        at[texts[number]].append(number)
    text, lines = max(at.items(), key=lambda item: len(item[1]), default=("", []))
    is_long = sum(map(str.isalpha, text)) >= LEAST_LETTERS or not fit.spaced
    if len(lines) < LEAST_REPEATED or not is_long:
        return "", False
    warning = (
        f"{listed_lines(lines)} have the same text, which does not fit their lines of {name}: a "
        f"line is repeated. Take another copy. {_costs(fit, system, lines)}"
    )
    return warning, True


def _unexplained(fit: LineFit, system: int, name: str) -> tuple[str, bool]:
    """Warn about stretches of lines that fit no line of the reference."""
    shares = fit.misfits.mean(axis=1)
    usual = np.median(np.delete(shares, system)) if len(shares) > 1 else 0.0
    lines = likely_stretch(fit.misfits[system], 2 * float(usual))
    if not len(lines):
        return "", False
    warning = (
        f"{listed_lines(lines)} fit no line of {name}: another text or language, or no "
        f"translation. Take the right text. {_costs(fit, system, lines)}"
    )
    return warning, len(lines) > len(fit.reference) / 2


def _reference_warning(fit: LineFit, name: str) -> str:
    """Return a warning if lines of the reference fit no system, though the systems agree."""
    systems = len(fit.systems)
    usual, misfits = np.median(fit.overlaps, axis=0), fit.reference_misfits
    texts = fit.hypotheses[fit.systems[0]]
    targets: dict[int, int] = {}
    for line in np.flatnonzero(misfits).tolist():
        target = fit.find_elsewhere(texts[line], usual[line], misfits, 0 * usual)
        if target is not None and target != line:
            targets.setdefault(target, line)
    lines = sorted(targets.values())
    if len(lines) < max(LEAST_MOVED, 0.5 * misfits.sum()):
        # Systems can be closer to each other than to a free translation, on many lines.
        moved = np.zeros(len(misfits), dtype=bool)
        moved[lines] = True
        lines = likely_stretch(moved).tolist()
    if not lines:
        return ""
    target_of = {line: target for target, line in targets.items()}
    return (
        f"{name}: the outputs of {systems} systems agree on {listed_lines(lines)}, which "
        + _places_found(lines, target_of, "it")
    )


# What lines lack, or have in addition


class Property(NamedTuple):
    """Something that lines of a text have or lack: its name in messages, a function that says
    whether a line has it, and what to do about lines that lack it."""

    name: str
    has: Callable[[str], bool]
    advice: str


def _has_accents(line: str) -> bool:
    return not line.isascii() and _ACCENT.search(line) is not None


CAPITALS = Property(
    "capital letters", lambda line: not line.islower(), "Take the text as it was written"
)
# A line in capitals has none, nor one With Every Word Like This.
SMALL = Property(
    "small letters at the beginning of words",
    lambda line: any(word[:1].islower() for word in line.split()),
    CAPITALS.advice,
)
ACCENTS = Property("accented letters", _has_accents, "Take the text in UTF-8")
SPACES = Property("spaces", lambda line: " " in line, "Take the text with spaces between words")
END = Property("the end of the sentence", lambda line: line.endswith(_ENDS), "Take whole lines")


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
    """
    letters = [sign for line in _sample(fit.reference) for sign in line if sign.isalpha()]
    cased = sum(letter.lower() != letter.upper() for letter in letters)
    kinds = [CAPITALS, SMALL] if cased > CASED * len(letters) else []
    is_latin = sum(map(str.isascii, letters)) > CASED * len(letters)
    if is_latin and np.mean([ACCENTS.has(line) for line in fit.reference]) >= ACCENTED:
        kinds.append(ACCENTS)
    # What lacks spaces has no words, and nothing else is said of it.
    unspaced = set[str]()
    for label, warning in _lacking(fit, SPACES, name) if fit.spaced else ():
        unspaced.add(label)
        if label not in damaged:
            yield warning
    for kind in [*kinds, END]:
        for label, warning in _lacking(fit, kind, name):
            if label not in damaged and label not in unspaced:
                yield warning


def _lacking(fit: LineFit, kind: Property, name: str) -> Iterator[tuple[str, str]]:
    """Yield the name of each text with lines that lack one property, and a warning."""
    names, texts = [name, *fit.systems], [fit.reference, *fit.hypotheses.values()]
    has = np.array([[*map(kind.has, lines)] for lines in texts])
    lengths = np.array([[*map(len, lines)] for lines in texts])
    # Lines that do not fit at all have another fault.
    usable = lengths > 0
    usable[0] &= ~fit.reference_misfits
    usable[1:] &= ~fit.misfits
    shares = (NEARLY_ALL,) if kind is ACCENTS else (NEARLY_ALL, SOME)
    warned = False
    for number in range(len(texts)):
        others = np.delete(has[1:], number - 1, axis=0) if number else has[1:]
        usual = others.mean(axis=0) >= MOST if len(others) else np.ones(len(fit.reference), bool)
        possible = np.flatnonzero(usual & usable[number] & (has[0] if number else True))
        lacking = ~has[number]
        if kind is END:
            everyone = np.delete(lengths, number, axis=0)
            lacking &= lengths[number] <= SHORTER * np.median(everyone, axis=0)
        lines = possible[likely_stretch(lacking[possible], shares=shares)]
        if number == 0 and len(fit.systems) == 1:
            continue  # then the system has what the reference lacks
        if len(lines):
            warned = True
            yield names[number], _lacking_warning(fit, kind, number, lines, name)
    nobody = has[0] & usable.all(axis=0) & (has[1:].mean(axis=0) <= FEW)
    lines = likely_stretch(nobody, shares=shares)
    if len(lines) and not warned and kind is not END:
        warning = (
            f"{listed_lines(lines)}: {name} has {kind.name}, and most outputs have none. "
            f"{kind.advice}, on both sides."
        )
        yield "", warning


def _lacking_warning(
    fit: LineFit, kind: Property, number: int, lines: np.ndarray, name: str
) -> str:
    """Return a warning about lines of the reference (`number` 0) or of a system that lack
    something."""
    others = "the outputs have" if number == 0 else f"{name} and other outputs have"
    if len(fit.systems) == 1:
        others = f"{name} has"
    text = fit.reference if number == 0 else fit.hypotheses[fit.systems[number - 1]]
    if kind is END:
        what = f"cut off, as line {lines[0] + 1:,}, which ends `{text[lines[0]][-30:]}`"
    else:
        what = f"no {kind.name}, which {others} there"
    label = name if number == 0 else fit.systems[number - 1]
    costs = "" if number == 0 else f" {_costs(fit, number - 1, lines)}"
    return f"{label}: {listed_lines(lines)}: {what}. {kind.advice}.{costs}"


def line_warnings(fit: LineFit, name: str, damaged: Container[str] = ()) -> list[str]:
    """Return all warnings of this module about the outputs of systems and their reference.

    Parameters
    ----------
    fit : LineFit
    name : str
        What messages call the reference.
    damaged : container of str
        Systems, or `name`, of whose damage was warned already: what their lines lack or have in
        addition is not warned of again.
    """
    return [
        *misfit_warnings(fit, name),
        *property_warnings(fit, name, damaged),
        *mark_warnings(fit, name, damaged),
    ]


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
    """
    names = [name, *fit.systems]
    texts = [fit.reference, *fit.hypotheses.values()]
    around = [_around_warning(fit, number, names) for number in range(len(texts))]
    yield from filter(None, around)
    samples = [*map(_sample, texts)]
    named = set[str]()  # the same mark may be found as a sign and as a word
    at_start = (_first_words, _begins) if fit.spaced else (_first_characters, _begins_unspaced)
    for shares_of, flags_of in ((_signs, _has_sign), at_start, (_last_words, _ends)):
        shares = [shares_of(lines) for lines in samples]
        for number in range(len(texts)):
            if names[number] in damaged or (around[number] and shares_of is not _signs):
                continue
            for mark in _unusual(shares, number):
                warning = _marked(fit, number, flags_of(mark), mark, name)
                if warning:
                    if warning not in named:
                        yield warning
                    named.add(warning)
                    break


def _around_warning(fit: LineFit, number: int, names: Sequence[str]) -> str:
    """Return a warning if lines of the reference (`number` 0) or of a system stand in quotes, or
    begin with their numbers, and those of the other side do not."""
    if number == 0:
        lines, others = fit.reference, fit.hypotheses[fit.systems[0]] if fit.systems else ()
    else:
        lines, others = fit.hypotheses[fit.systems[number - 1]], fit.reference
    if not others:
        return ""
    texts = [*zip(lines, others, strict=True)]
    quoted = [_is_quoted(line) and not other.startswith(_QUOTES) for line, other in texts]
    numbered = [
        _is_numbered(line, place) and not _is_numbered(other, place)
        for place, (line, other) in enumerate(texts, 1)
    ]
    for flags, what in ((quoted, "quotes around the line"), (numbered, "line numbers")):
        found = likely_stretch(np.array(flags))
        # Translators may put some lines in quotes.
        if len(found) and (number or len(found) > len(texts) / 2):
            return f"{names[number]}: {listed_lines(found)}: {what}. Remove them."
    return ""


def _sample(lines: Lines) -> list[str]:
    """Return some lines that are not empty, spread over the text."""
    step = max(1, len(lines) // SAMPLE)
    return [line for line in lines[::step] if line.strip()]


Shares = dict[str, float]


def _shares(found: Counter[str], lines: Lines) -> Shares:
    return {mark: count / len(lines) for mark, count in found.items()}


def _signs(lines: Lines) -> Shares:
    """Return the share of lines that have a sign, but for letters, digits and typography."""
    found: Counter[str] = Counter()
    for line in lines:
        found.update(sign for sign in set(line) if not sign.isalnum() and sign not in _TYPOGRAPHY)
    found.pop(" ", None)
    return {sign: share for sign, share in _shares(found, lines).items() if share >= LEAST_MARKED}


def _first_words(lines: Lines) -> Shares:
    """Return the share of lines that begin with a word or two, by these. One plain word or
    quotation mark must be at the beginning of more lines than two words, or than a word with other
    signs."""
    found: Counter[str] = Counter()
    for line in lines:
        words = line.split(maxsplit=2)
        found.update({words[0], " ".join(words[:2])})
    return {
        word: share
        for word, share in _shares(found, lines).items()
        if share >= (LEAST_AFFIXED if _is_plain(word) else LEAST_MARKED)
    }


def _is_plain(word: str) -> bool:
    """Return whether a word that begins some lines is one that texts have: letters, alone or after
    a quotation mark."""
    return word.lstrip(_TYPOGRAPHIC).isalnum() or _TYPOGRAPHY.issuperset(word)


def _first_characters(lines: Lines) -> Shares:
    """Return the share of lines that begin with some characters, for text without spaces."""
    found = Counter(line[:length] for line in lines for length in PREFIXES)
    return {
        start: share for start, share in _shares(found, lines).items() if share >= LEAST_AFFIXED
    }


def _last_words(lines: Lines) -> Shares:
    """Return the share of lines that end with a word, by word."""
    found = Counter(line.split()[-1] for line in lines)
    return {word: share for word, share in _shares(found, lines).items() if share >= LEAST_AFFIXED}


def _unusual(shares: Sequence[Shares], number: int) -> list[str]:
    """Return the marks that are frequent in a text and rare in others, the most frequent first.

    Parameters
    ----------
    shares : sequence of dict of str to float
        By mark, of the reference and of each system.
    number : int
        Of the text: 0 is the reference, which is compared with two systems or more. A mark of a
        system may be frequent in other systems, too, if it is on half of the lines.
    """
    own = shares[number]
    others = [shares[other] for other in range(1, len(shares)) if other != number]
    if number == 0 and len(others) < 2:
        return []

    def is_rare(mark: str) -> bool:
        most = MARKED_ELSEWHERE * own[mark]
        in_others = float(np.median([other.get(mark, 0.0) for other in others])) if others else 0.0
        if number == 0:
            return in_others <= most
        on_half = own[mark] >= LEAST_AFFIXED
        return shares[0].get(mark, 0.0) <= most and (on_half or in_others <= most)

    return sorted(filter(is_rare, own), key=lambda mark: (-own[mark], -len(mark), mark))


def _has_sign(sign: str) -> Callable[[str], bool]:
    return lambda line: sign in line


def _begins(word: str) -> Callable[[str], bool]:
    return lambda line: f"{line} ".startswith(f"{word} ")


def _begins_unspaced(start: str) -> Callable[[str], bool]:
    return lambda line: line.startswith(start)


def _ends(word: str) -> Callable[[str], bool]:
    return lambda line: f" {line}".rstrip().endswith(f" {word}")


def _marked(fit: LineFit, number: int, has: Callable[[str], bool], mark: str, name: str) -> str:
    """Return a warning if the lines of the reference (`number` 0) or of a system that have a mark
    are many."""
    of_reference = np.array([*map(has, fit.reference)])
    if number == 0:
        label, text, costs = name, fit.reference, ""
        of_systems = [[*map(has, lines)] for lines in fit.hypotheses.values()]
        flags = of_reference & (np.mean(of_systems, axis=0) < FEW) & ~fit.reference_misfits
        others = "the outputs lack"
    else:
        label = fit.systems[number - 1]
        text = fit.hypotheses[label]
        flags = np.array([*map(has, text)]) & ~of_reference & ~fit.misfits[number - 1]
        others = f"{name} lacks"
    lines = likely_stretch(flags)
    if not len(lines):
        return ""
    if number:
        costs = f" {_costs(fit, number - 1, lines)}"
    if _TYPOGRAPHY.issuperset(mark) and all(text[line].endswith(f" {mark}") for line in lines):
        return (
            f"{label}: {listed_lines(lines)} end with `{mark}` after a space: the text is split "
            f"into tokens. Take it as it was before.{costs}"
        )
    example = shortened(_example(text[lines[0]], mark), MOST_QUOTED)
    return (
        f"{label}: {listed_lines(lines)}: `{example}`, which {others} there. Remove what is no "
        f"{'part of it' if number == 0 else 'translation'}.{costs}"
    )


def _example(line: str, mark: str) -> str:
    """Return a tag or word of the line that has a mark, or the mark alone if the word is long, as
    in text without spaces."""
    tag = re.search(r"<[^<>]{0,30}>", line)
    if mark in "<>/" and tag:
        return tag[0]
    if len(mark) > 1:
        return mark
    words = [word for word in line.split() if mark in word]
    if not words:
        return ascii(mark)[1:-1]
    return words[0] if len(words[0]) <= LONGEST_EXAMPLE else mark


def _is_quoted(line: str) -> bool:
    return len(line) > 2 and line[-1] in _CLOSING.get(line[0], "")


def _is_numbered(line: str, number: int) -> bool:
    if not line[:2].strip("([").isdecimal() and not line[:1].isdecimal():
        return False
    found = _NUMBERED.match(line)
    return found is not None and abs(int(found[1]) - number) <= 1
