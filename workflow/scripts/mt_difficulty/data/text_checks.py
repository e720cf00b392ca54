"""Doubts about files of translations: lines displaced, damaged, empty, copied, of another language.

Each doubt is a sentence that names the file, its lines, what was found and what to do. The bounds
are such that of the 230 outputs in the texts of WMT19 to WMT25 none is doubted without a cause.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import NamedTuple
from unicodedata import is_normalized, normalize
from unicodedata import name as unicode_name

import numpy as np

from .line_order import best_stretch, listed_lines, runs
from .line_places import check_places, has_spaces

Lines = Sequence[str]

LEAST_LINES = 20  # of a file from which on can be told whether it belongs to the reference
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
LEAST_CHANGE = 0.1  # of BLEU or chrF, 0 to 100, by another normalisation
MIXED = 0.01  # share of lines with another Unicode normalisation than the reference's
_CONTINUED = "[\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]"  # bytes 0x80 to 0xBF as Windows-1252


class _Damage(NamedTuple):
    """Marks of damage, a pattern of lines that could have them, the share of these lines from which
    on they are a doubt, and what to do."""

    what: str
    marks: re.Pattern[str]
    possible: re.Pattern[str]
    share: float
    advice: str


DAMAGES = (
    _Damage(
        "a missing value instead of text",
        re.compile(r"\A\s*(?:nan|none|null|n/a|<na>)\s*\Z", re.IGNORECASE),
        re.compile(""),
        0.01,
        "Put the texts back, or leave these lines empty",
    ),
    _Damage(
        "UTF-8 that was read in another encoding",
        re.compile(f"[Â-ß]{_CONTINUED}|[à-ï]{_CONTINUED}{{2}}|[ð-ô]{_CONTINUED}{{3}}|\ufffd"),
        re.compile(r"[^\x00-\x7f]"),
        0.5,
        "Take a copy from before the conversion",
    ),
    _Damage(
        "HTML entities",
        re.compile(r"&(?:[a-zA-Z]{2,8}|#\d+|#x[0-9a-fA-F]+);"),
        re.compile(r"[&<>\"']"),
        0.5,
        "Replace them by their characters",
    ),
    _Damage(
        "marks of subword units",
        re.compile(r"@@(?: |\Z)|▁|</w>|Ġ|￭|(?:^| )##\w"),
        re.compile(""),
        0.5,
        "Join the units to words",
    ),
)


def check_texts(
    hypotheses: Mapping[str, Lines],
    reference: Lines,
    source: Lines = (),
    name: str = "the reference",
    documents: Sequence[str] = (),
    thorough: bool = True,
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
    thorough : bool
        Whether to look for copies, repetitions and other languages, too, which takes most time.
    """
    hypotheses = {file: lines for file, lines in hypotheses.items() if not is_empty(lines)}
    found = check_places(hypotheses, reference, name, documents)
    found += check_damage(hypotheses, reference, source, name)
    found += check_normalisation(hypotheses, reference, name)
    for file, lines in hypotheses.items():
        said = [*_empty(lines, reference)]
        if thorough:
            said += [*_copied(lines, source, reference), *_repeated(lines, reference)]
        if thorough and not is_empty(reference):
            said += [*_equal(lines, reference, name)]
            said += _of_other_language(lines, reference, source, name)
        found += [f"{file}: {sentence}" for sentence in said]
    return [*found, *(_duplicates(hypotheses) if thorough else ())]


def check_damage(
    hypotheses: Mapping[str, Lines], reference: Lines, source: Lines, name: str
) -> Iterator[str]:
    """A sentence for each kind of damage, with the texts that have it in many lines in which the
    reference is another text. Parameters are those of `check_texts`."""
    texts = {name: reference, "the source": source, **hypotheses}
    for damage in DAMAGES:
        doubts = []
        for file, lines in texts.items():
            marked = [line for line, text in enumerate(lines) if damage.marks.search(text)]
            if lines is not reference:
                marked = [line for line in marked if lines[line] != reference[line]]
            possible = len(list(filter(damage.possible.search, lines))) if marked else 0
            if len(marked) > max(damage.share * possible, LEAST_DAMAGED * len(lines)):
                marks = damage.marks.search(lines[marked[0]])
                example = marks[0].strip() if marks else ""
                doubts.append(f"{file} ({len(marked):,}, as `{example}`: {listed_lines(marked)})")
        if doubts:
            yield f"{damage.what} in many lines of {', '.join(doubts)}. {damage.advice}."


def check_normalisation(
    hypotheses: Mapping[str, Lines], reference: Lines, name: str
) -> Iterator[str]:
    """A sentence on hypotheses whose letters are composed (Unicode NFC) where the reference's are
    not, or the reverse, with the difference that it makes to scores of the one that has most."""
    texts = [reference, *hypotheses.values()]
    if is_empty(reference) or all(is_normalized("NFC", "\n".join(lines)) for lines in texts):
        return
    composed, mixed = [is_normalized("NFC", line) for line in reference], {}
    for file, lines in hypotheses.items():
        odd = _where(lines, lambda line: is_normalized("NFC", lines[line]) != composed[line])  # noqa: B023
        if len(odd) > MIXED * len(lines):
            mixed[file] = odd
    if not mixed:
        return
    from sacrebleu.metrics import BLEU, CHRF

    most = max(mixed, key=lambda file: len(mixed[file]))
    pair = hypotheses[most], reference
    in_nfc = [[normalize("NFC", line) for line in lines] for lines in pair]
    scores = [
        [metric.corpus_score(lines, [against]).score for lines, against in (pair, in_nfc)]
        for metric in (BLEU(force=True), CHRF())
    ]
    if max(abs(after - before) for before, after in scores) < LEAST_CHANGE:
        return
    (bleu, bleu_nfc), (chrf, chrf_nfc) = scores
    files = "; ".join(f"{file} ({listed_lines(lines)})" for file, lines in mixed.items())
    yield (
        "accented letters are single characters (Unicode NFC) in one of two texts, and several "
        f"(NFD) in the other: of {name} and {files}. Such letters are not equal: with all texts in "
        f"NFC, BLEU of {most} is {bleu_nfc:.1f} instead of {bleu:.1f}, chrF {chrf_nfc:.1f} instead "
        f"of {chrf:.1f}. Normalise all texts in the same way."
    )


def is_empty(lines: Lines) -> bool:
    """Whether there is text in no line."""
    return not any(map(str.strip, lines))


def _longest(lines: Sequence[int]) -> list[int]:
    return max(runs(lines), key=len, default=[])


def _where(lines: Lines, odd: Callable[[int], bool]) -> list[int]:
    return [number for number in range(len(lines)) if odd(number)]


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
    for run in runs(again):
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
    spaced = has_spaces(lines) and has_spaces(reference)
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
    return unicode_name(character, "").split(" ")[0] if character.isalpha() else ""


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


def _frequent(words: list[str]) -> set[str]:
    """The most frequent words; of equally frequent ones those that come first."""
    return {word for word, _ in Counter(words).most_common(FREQUENT)}


def _in_source_language(lines: Lines, reference: Lines, source: Lines) -> list[int]:
    """Lines in a row with more frequent words of the source than of the reference; empty if none,
    or without words to count."""
    if not all(map(has_spaces, (lines, reference, source))):
        return []
    of_source, of_reference = (_frequent(_words(text, True)) for text in (source, reference))
    foreign, native = of_source - of_reference, of_reference - of_source
    words = [_words([line], True) for line in lines]
    gains = [sum((word in foreign) - (word in native) for word in each) for each in words]
    gain, first, end = best_stretch(np.clip(gains, -MOST_WORDS, MOST_WORDS).astype(float))
    odd = [line for line in range(first, end) if gains[line] > 0]
    return odd if gain >= SOURCE_WORDS and len(odd) >= COPIED else []
