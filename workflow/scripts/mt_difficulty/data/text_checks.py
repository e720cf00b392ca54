"""Doubts about texts: lines displaced, damaged, empty, copied, or of another language.

A doubt is a sentence that names the file or system, its lines, what is odd and what to do. The
bounds are such that of the 230 outputs in the texts of WMT19 to WMT25 none is doubted without a
cause.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, groupby
from unicodedata import is_normalized
from unicodedata import name as unicode_name

import numpy as np

Lines = Sequence[str]
Units = Sequence[frozenset[str]]

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
LEAST_DAMAGED = 0.01  # share of lines
SPACED = 1 / 12  # words a letter, below which a text is written without spaces

# Lines in a wrong place
START = 4  # characters of a word that are compared
SHIFTS = (-1, 1, -2, 2, -3, 3)  # lines
LEAST_LINES = 20  # of a file from which on can be told whether it belongs to the reference
LEAST_MOVED = 5  # lines that fit better in another place
LEAST_GAIN = 2.0  # by which their overlaps, summed, are larger there
MOVED = 5.0  # and standard errors
IN_PLACE = 0.5  # an overlap with the reference from which on a line is where it belongs
BELONGS = 3.0  # standard errors by which its lines overlap more with their reference than others
CLEARLY = 2.0  # times as much as with other lines: most lines are in place
RARE = 3  # lines of the reference that have a word by which a line is looked for elsewhere
DISTANCES = 20  # at which lines are looked for
_BYTE = "[\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]"  # bytes 0x80 to 0xBF as Windows-1252
# Marks of damage, and the lines that could have them: a doubt if more than half of these do.
DAMAGES = {
    "missing values instead of texts": (r"(?i)\A\s*(?:nan|none|null|n/a|<na>)\s*\Z",) * 2,
    "UTF-8 that was read in another encoding": (
        f"[Â-ß]{_BYTE}|[à-ï]{_BYTE}{{2}}|[ð-ô]{_BYTE}{{3}}|\ufffd",
        r"[^\x00-\x7f]",
    ),
    "HTML entities": (r"&(?:[a-zA-Z]{2,8}|#\d+|#x[0-9a-fA-F]+);", r"[&<>\"']"),
    "marks of subword units": (r"@@(?: |\Z)|▁|</w>|Ġ|￭|(?:^| )##\w", ""),
}


def is_empty(lines: Lines) -> bool:
    """Whether there is text in no line."""
    return not any(map(str.strip, lines))


def check_texts(
    hypotheses: Mapping[str, Lines],
    reference: Lines,
    source: Lines = (),
    name: str = "the reference",
    thorough: bool = True,
) -> list[str]:
    """What is odd about hypotheses, in sentences; of files whose lines are all empty, nothing.

    Parameters
    ----------
    hypotheses : dict of str to sequence of str, (segments,)
        By the name of the file or system.
    reference : sequence of str, (segments,)
        Empty segments where there is none: then nothing is compared with it.
    source : sequence of str, (segments,)
        Empty where it is not known.
    name : str
        Of the reference.
    thorough : bool
        Whether to look for copies, repetitions and other languages, too, which takes most time.
    """
    hypotheses = {file: lines for file, lines in hypotheses.items() if not is_empty(lines)}
    doubts = [*_displaced(hypotheses, reference, name)]
    doubts += _damaged(hypotheses, reference, source, name)
    for file, lines in hypotheses.items():
        sentences = [*_copied(lines, source, reference, name, thorough)]
        sentences += _language(lines, source, reference, name) if thorough else ()
        doubts += [f"{file}: {sentence}" for sentence in sentences]
    for (file, lines), (second, others) in combinations(hypotheses.items() if thorough else (), 2):
        run = _longest([n for n, line in enumerate(lines) if line == others[n]])
        if len(run) == len(lines):
            doubts.append(
                f"{file}: the same text as {second}. Remove one of them, or take the right file."
            )
        elif len(run) >= EQUAL_SYSTEMS and len(_long(lines, run)) > len(run) / 2:
            doubts.append(
                f"{file}: {listed_lines(run)} are the same as in {second}. Look whether one file "
                "was written over the other there."
            )
    return doubts


def _displaced(hypotheses: Mapping[str, Lines], reference: Lines, name: str) -> Iterator[str]:
    """Files with lines that overlap more with other lines of the reference; where most of several
    do in the same way, the reference."""
    if is_empty(reference):
        return
    places = {file: _places(lines, reference, name) for file, lines in hypotheses.items()}
    shifts = Counter(shift for file in places for shift in {place[0] for place in places[file]})
    shift, count = max(shifts.items(), key=lambda item: item[1], default=(0, 0))
    if count >= 2 and count > len(hypotheses) / 2:
        in_files = (place for of_file in places.values() for place in of_file)
        _, first, what = next(place for place in in_files if place[0] == shift)
        outputs = f"{count} of {len(hypotheses)} outputs fit other lines of it"
        yield f"{name}: {outputs}: {what}. {_advice(-shift, first, 'the reference')}"
        return
    for file, of_file in places.items():
        for shift, first, what in of_file:
            yield f"{file}: {what}. {_advice(shift, first, 'the file')}"


def _advice(shift: int, first: int, file: str) -> str:
    if not shift:
        return "Bring the lines into the same order, or take the right texts."
    if abs(shift) > max(SHIFTS):
        return f"Compare the texts there and put the lines of {file} where they belong."
    lines = "1 line is" if abs(shift) == 1 else f"{abs(shift)} lines are"
    return (
        f"Probably {lines} {'missing' if shift > 0 else 'inserted'} before line {first + 1:,}: "
        f"compare the texts there and correct {file}."
    )


def _places(lines: Lines, reference: Lines, name: str) -> list[tuple[int, int, str]]:
    """Runs of lines that overlap clearly more some lines further on: how many (0 for a text that
    overlaps with no line of the reference more than with others), the first line, and in words."""
    spaced = has_spaces(lines) and has_spaces(reference)
    units, targets = _units(lines, spaced), _units(reference, spaced)
    count, numbers = len(units), np.arange(len(units))
    given = _overlaps(units, targets, numbers)
    away = _overlaps(units, targets, (numbers + count // 2) % count)
    belongs, shifts = _more(given, away, BELONGS), [*SHIFTS]
    if count < LEAST_LINES or (belongs and given.mean() > CLEARLY * away.mean()):
        # Most lines are in place: the others are looked for at the distances of their rare words.
        lines_of = defaultdict(list)
        for number, known in enumerate(targets):
            for unit in known:
                lines_of[unit].append(number)
        votes = Counter(
            number - line
            for line in np.flatnonzero(given < given.mean() / 2).tolist()
            for unit in units[line] & lines_of.keys()
            if len(lines_of[unit]) <= RARE
            for number in lines_of[unit]
        )
        common = votes.most_common(DISTANCES)
        shifts += [n for n, lines in common if lines >= LEAST_MOVED and n and n not in SHIFTS]
    runs = []
    for shift in shifts:
        gains = _overlaps(units, targets, numbers + shift, given <= IN_PLACE) - given
        gain, first, end = best_stretch(gains)
        clear = end - first >= LEAST_MOVED and gain >= LEAST_GAIN
        if clear and _more(gains[first:end], np.zeros(end - first), MOVED):
            runs.append((gain, first, end, shift))
    places: list[tuple[int, int, str]] = []
    taken = np.zeros(count, dtype=bool)  # of runs that share lines, the one that gains most
    for gain, first, end, shift in sorted(runs, key=lambda run: -run[0]):
        if not taken[first:end].any():
            taken[first:end] = True
            here = given[first:end].mean()
            what = (
                f"lines {first + 1:,} to {end:,} overlap more ({here + gain / (end - first):.0%} "
                f"instead of {here:.0%}) with lines {first + shift + 1:,} to {end + shift:,} of "
                f"{name}"
            )
            places.append((shift, first, what))
    if not places and not belongs and count >= LEAST_LINES:
        what = (
            f"its lines overlap with their own line of {name} no more ({given.mean():.0%}) than "
            f"with another one ({away.mean():.0%}): another text, language or order of lines"
        )
        places.append((0, 0, what))
    return places


def has_spaces(lines: Lines) -> bool:
    """Whether text is written with spaces between words."""
    words = sum(line.count(" ") + 1 for line in lines if line)
    return words > SPACED * sum(map(len, lines))


def _units(lines: Lines, spaced: bool) -> Units:
    """What is compared of each line: the starts of its words, or its characters. It tells lines
    apart better than character trigrams, in a fraction of the time."""
    if spaced:
        return [frozenset([word[:START] for word in line.split()]) for line in lines]
    return [frozenset(line.replace(" ", "")) for line in lines]


def _overlaps(
    units: Units, targets: Units, order: np.ndarray, compared: np.ndarray | None = None
) -> np.ndarray:
    """Overlap of every line with the reference's line that `order` names; 0 for one that is not
    compared, or has none there."""
    overlaps = np.zeros(len(units))
    there = (order >= 0) & (order < len(units))
    lines = np.flatnonzero(there if compared is None else there & compared)
    pairs = zip(lines.tolist(), order[lines].tolist(), strict=True)
    overlaps[lines] = [overlap(units[line], targets[place]) for line, place in pairs]
    return overlaps


def _more(better: np.ndarray, given: np.ndarray, errors: float) -> bool:
    """Whether overlaps are larger, line by line, by more than some standard errors."""
    gains = better - given
    return bool(gains.sum() > errors * gains.std() * np.sqrt(len(gains)))


def mean_overlaps(hypotheses: Sequence[Lines], reference: Lines, most: int = 300) -> np.ndarray:
    """Mean overlap of each system's lines with the reference, (systems,), 0 to 1, of at most about
    so many lines: a metric that takes no time."""
    lines = range(0, len(reference), max(1, len(reference) // most))
    spaced = has_spaces(reference)
    units = [_units([text[line] for line in lines], spaced) for text in (reference, *hypotheses)]
    numbers = np.arange(len(lines))
    return np.array([_overlaps(system, units[0], numbers).mean() for system in units[1:]])


def _damaged(
    hypotheses: Mapping[str, Lines], reference: Lines, source: Lines, name: str
) -> Iterator[str]:
    """A sentence for each kind of damage, with the texts that have it in many lines in which the
    reference is another text; and for another Unicode normalisation."""
    texts = {name: reference, "the source": source, **hypotheses}
    for what, (marks, possible) in DAMAGES.items():
        doubts = []
        for file, lines in texts.items():
            marked = [n for n, line in enumerate(lines) if re.search(marks, line)]
            if lines is not reference:
                marked = [n for n in marked if lines[n] != reference[n]]
            if len(marked) <= LEAST_DAMAGED * len(lines):
                continue
            if len(marked) > sum(bool(re.search(possible, line)) for line in lines) / 2:
                example = re.findall(marks, lines[marked[0]])[0].strip()
                doubts.append(f"{file} ({len(marked):,}, as `{example}`: {listed_lines(marked)})")
        if doubts:
            yield (
                f"{what} in many lines of {', '.join(doubts)}. Take a copy from before the "
                "conversion, or put the texts back."
            )
    if is_empty(reference):
        return
    composed, mixed = [is_normalized("NFC", line) for line in reference], []
    for file, lines in hypotheses.items():
        odd = [n for n, line in enumerate(lines) if is_normalized("NFC", line) != composed[n]]
        if len(odd) > LEAST_DAMAGED * len(lines):
            mixed.append(f"{file} ({listed_lines(odd)})")
    if mixed:
        yield (
            "accented letters are single characters (Unicode NFC) in one of two texts, and several "
            f"(NFD) in the other: of {name} and {'; '.join(mixed)}. Such letters are not equal, "
            "and scores too low. Normalise all texts in the same way."
        )


def _copied(
    lines: Lines, source: Lines, reference: Lines, name: str, thorough: bool
) -> Iterator[str]:
    """Lines that are empty, the source's, the line before, or the reference's."""
    empty = [n for n, line in enumerate(lines) if not line.strip()]
    if empty := [n for n in empty if reference[n].strip() or is_empty(reference)]:
        yield (
            f"{listed_lines(empty)}: empty, and scored as such. If a translation was lost, put it "
            "back."
        )
    if not thorough:
        return
    texts = _long(lines, range(len(lines)))
    same = [n for n in texts if source and lines[n].strip() == source[n].strip()]
    same = [n for n in same if lines[n].strip() != reference[n].strip()]
    if len(_longest(same)) >= COPIED or len(same) > COPIED_SHARE * len(lines):
        yield (
            f"{listed_lines(same)}: the source itself, not translated ({len(same):,} of "
            f"{len(lines):,} lines). Take the translation, or leave the system out."
        )
    again = [
        n for n in texts if n and lines[n] == lines[n - 1] and reference[n] != reference[n - 1]
    ]
    for run in _runs(again):
        if len(run) + 1 >= REPEATED:
            yield (
                f"{listed_lines([run[0] - 1, *run])}: the same line each time, while the "
                "reference's differ. Look whether translations were lost there."
            )
    if list(lines) == list(reference):
        yield f"the same text as {name}. A reference is no system's output: remove it."
        return
    same = [n for n in texts if lines[n] == reference[n]]
    run = _longest(same)
    if len(run) >= EQUAL_REFERENCE or len(same) > len(lines) / 2 >= LEAST_LINES / 2:
        yield (
            f"{len(same):,} of {len(lines):,} lines are those of {name}, as {listed_lines(run)}. "
            "Look whether the reference was mixed into the file."
        )


def _language(lines: Lines, source: Lines, reference: Lines, name: str) -> Iterator[str]:
    """Lines in another script than the reference's, or else words of another language."""
    if is_empty(reference):
        return
    letters, odd = _scripts("".join(reference)), []
    usual = {script for script, count in letters.items() if count >= RARE_SCRIPT * letters.total()}
    for number, line in enumerate(lines):
        counts = _scripts(line)
        known = sum(counts[script] for script in usual)
        if usual and counts.total() >= LEAST_LETTERS and known < counts.total() / 2:
            odd.append(number)
    if len(odd) >= OTHER_SCRIPT:
        strange, expected = (
            text.most_common(1)[0][0].capitalize()
            for text in (_scripts("".join(lines[n] for n in odd)), letters)
        )
        yield (
            f"{listed_lines(odd)}: {strange} letters, while {name} is written in {expected} ones. "
            "Take the output in the right language and script."
        )
        return
    spaced = has_spaces(lines) and has_spaces(reference)
    words, expected_words = _words(lines, spaced), _words(reference, spaced)
    if len(words) < LEAST_WORDS or len(expected_words) < LEAST_WORDS:
        return
    frequent = _frequent(expected_words)
    here, there = (
        sum(word in frequent for word in text) / len(text) for text in (words, expected_words)
    )
    if here < LOST * there and there >= LEAST_FREQUENT:
        yield (
            f"the {FREQUENT} most frequent words of {name} are {here:.0%} of its words and "
            f"{there:.0%} of the reference's: probably it is in another language. Take the output "
            "in the right one."
        )
    elif source and spaced and has_spaces(source):
        of_source = _frequent(_words(source, True))
        foreign, native = of_source - frequent, frequent - of_source
        gains = [
            sum((word in foreign) - (word in native) for word in _words([line], True))
            for line in lines
        ]
        gain, first, end = best_stretch(np.clip(gains, -MOST_WORDS, MOST_WORDS).astype(float))
        odd = [n for n in range(first, end) if gains[n] > 0]
        if gain >= SOURCE_WORDS and len(odd) >= COPIED:
            yield (
                f"{listed_lines(odd)}: the frequent words are the source's, not those of {name}: "
                "probably not translated. Take the translation."
            )


@cache
def _script(character: str) -> str:
    """The script of a letter, with which its Unicode name begins (LATIN, CYRILLIC, CJK); empty for
    any other character."""
    return unicode_name(character, "").split(" ")[0] if character.isalpha() else ""


def _scripts(text: str) -> Counter[str]:
    """Letters by script."""
    return Counter(filter(None, map(_script, text)))


def _words(lines: Lines, spaced: bool) -> list[str]:
    """Words in lower case, or single characters of a text without spaces."""
    return re.findall(r"\w+" if spaced else r"\w", "\n".join(lines).lower())


def _frequent(words: list[str]) -> set[str]:
    """The most frequent words; of equally frequent ones those that come first."""
    return {word for word, _ in Counter(words).most_common(FREQUENT)}


def _long(lines: Lines, numbers: Sequence[int]) -> list[int]:
    """Those of the lines that have many letters."""
    return [n for n in numbers if sum(map(str.isalpha, lines[n])) >= LEAST_LETTERS]


def _runs(lines: Sequence[int]) -> list[list[int]]:
    """Ascending indices, split where one is left out."""
    grouped = groupby(enumerate(lines), lambda pair: pair[1] - pair[0])
    return [[line for _, line in run] for _, run in grouped]


def _longest(lines: Sequence[int]) -> list[int]:
    return max(_runs(lines), key=len, default=[])


def listed_lines(lines: Sequence[int], most: int = 5) -> str:
    """Numbers of lines from their indices, runs as ranges, the first ones of many."""
    runs = [f"{run[0] + 1:,}" + f" to {run[-1] + 1:,}" * (len(run) > 1) for run in _runs(lines)]
    rest = len(runs) - most
    more = f" and {rest:,} more place{'s' * (rest > 1)}" * (rest > 0)
    return f"line{'s' * (len(lines) > 1)} {', '.join(runs[:most])}{more}"


def best_stretch(gains: np.ndarray) -> tuple[float, int, int]:
    """The run of lines with the largest sum, the first of several: the sum, the first line and the
    one after the last; empty where no sum is above 0. `gains` is (segments,)."""
    sums = np.concatenate([[0.0], np.cumsum(gains)])
    end = int(np.argmax(sums - np.minimum.accumulate(sums)))
    first = int(np.argmin(sums[: end + 1]))
    return float(sums[end] - sums[first]), first, end


def overlap(first: frozenset[str], second: frozenset[str]) -> float:
    """Share of units that two texts have in common (Dice), 0 to 1, higher is more alike; 0 where
    one of them has none. Counts are whole numbers: the same on every processor."""
    if not first or not second:
        return 0.0
    return 2 * len(first & second) / (len(first) + len(second))
