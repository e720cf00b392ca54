"""Warn about suspicious texts of systems: damaged, empty, copied or equal texts, another language
or script, and lines that do not fit their reference (`line_checks`).

A warning is a sentence that names the file or system, the problem and a remedy. With these
thresholds, 230 system outputs of WMT19 to WMT25 raise no warning without a cause in the text.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple
from unicodedata import is_normalized
from unicodedata import name as unicode_name

from ..errors import shortened
from .line_checks import line_warnings
from .line_fit import LEAST_LINES, LineFit, Lines, has_spaces
from .stretches import listed_lines, runs_of

# A text is damaged if more than this share of its lines have a mark of damage, and more than half
# of the lines that could have it.
LEAST_DAMAGED = 0.01
# Bytes 0x80 to 0xBF as Windows-1252 decodes them, and characters of UTF-8 decoded byte by byte.
_BYTE = "[\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]"
_ENCODED = f"[Â-ß]{_BYTE}|[à-ï]{_BYTE}{{2}}|[ð-ô]{_BYTE}{{3}}|\ufffd"
_NO_VALUE = r"(?i)\A\s*(?:nan|none|null|n/a|<na>)\s*\Z"
_ENTITY = r"&(?:[a-zA-Z]{2,8}|#\d+|#x[0-9a-fA-F]+);"


class Damage(NamedTuple):
    """A kind of damage to texts.

    Attributes
    ----------
    description : str
        What messages call it.
    mark : str
        Regular expression of the mark of damage in a line.
    possible : str
        Regular expression that is found in every line that could have the mark.
    advice : str
        What to do about it.
    """

    description: str
    mark: str
    possible: str
    advice: str


DAMAGES = [
    Damage(
        description="missing values instead of texts",
        mark=_NO_VALUE,
        possible=_NO_VALUE,
        advice="Put the texts back",
    ),
    Damage(
        description="UTF-8 that was read in another encoding",
        mark=_ENCODED,
        possible=r"[^\x00-\x7f]",
        advice="Take another copy",
    ),
    Damage(
        description="HTML entities",
        mark=_ENTITY,
        possible=r"[&<>\"']",
        advice="Replace them by their characters",
    ),
    Damage(
        description="marks of subword units",
        mark=r"@@(?: |\Z)|▁|</w>|Ġ|￭|(?:^| )##\w",
        possible="",
        advice="Join the units to words",
    ),
]

# A line with fewer letters can be a copy by chance, and its script is not judged.
LEAST_LETTERS = 20
# Copies of the source are reported from this many lines in a row, or this share of all lines.
COPIED = 5
COPIED_SHARE = 0.1
# Copies of the reference are reported from this many lines in a row.
EQUAL_REFERENCE = 20
# Lines in another script than the reference's are reported from this number on. A script with a
# smaller share of the reference's letters does not count as the reference's.
OTHER_SCRIPT = 5
RARE_SCRIPT = 0.05
# The language is judged by the reference's most frequent words. They must be this share of the
# reference's words, and both texts must have this many words. The language is another one if the
# words' share in the output is less than LOST times their share in the reference.
FREQUENT = 50
LEAST_FREQUENT = 0.2
LOST = 0.5
LEAST_WORDS = 200


def is_empty(lines: Lines) -> bool:
    """Return whether all lines are empty or white space."""
    return not any(map(str.strip, lines))


def check_texts(
    hypotheses: Mapping[str, Lines],
    reference: Lines,
    source: Lines = (),
    name: str = "the reference",
    *,
    thorough: bool = True,
    fit: LineFit | None = None,
) -> list[str]:
    """Return warnings about the texts of systems.

    Parameters
    ----------
    hypotheses : mapping of str to sequence of str
        Lines by name of the file or system.
    reference, source : sequence of str
        The lines of the reference are empty if there is none; the source is empty if unknown.
    name : str
        What messages call the reference; empty if there is none.
    thorough : bool
        Whether to look for copied text and wrong languages, too, which takes time.
    fit : LineFit, optional
        Fit of these hypotheses, if it has been computed and no hypothesis text is empty.

    Returns
    -------
    list of str
        A sentence each.
    """
    sentences = []
    blank = sum(not line.strip() for line in reference)
    if blank and name:
        sentences.append(
            f"{blank} of {len(reference)} reference segments are empty: no hypothesis can match "
            "them."
        )

    filled = {}
    for file, lines in hypotheses.items():
        if is_empty(lines):
            sentences.append(
                f"{file}: every line is empty. Take another file, or leave the system out."
            )
        else:
            filled[file] = lines

    damage_sentences, damaged = _damage_warnings(filled, reference, source, name)
    sentences += damage_sentences
    if filled and not is_empty(reference):
        if fit is None:
            fit = LineFit(filled, reference, source if thorough else ())
        sentences += line_warnings(fit, name, damaged)

    for file, lines in filled.items():
        problems = [*_empty_lines(lines, reference)]
        if thorough:
            problems += _copies(lines, source, reference, name)
            problems += _other_language(lines, reference, name)
        sentences += [f"{file}: {problem}" for problem in problems]
    if thorough:
        sentences += _equal_texts(filled)
    return sentences


def _empty_lines(lines: Lines, reference: Lines) -> Iterator[str]:
    """Yield a warning if an output has empty lines where the reference has text."""
    without_reference = is_empty(reference)
    empty = []
    for number, line in enumerate(lines):
        if not line.strip() and (without_reference or reference[number].strip()):
            empty.append(number)
    if empty:
        yield (
            f"{listed_lines(empty)}: empty, and scored as such. If a translation was lost, put it "
            "back."
        )


def _equal_texts(hypotheses: Mapping[str, Lines]) -> Iterator[str]:
    """Yield a warning for each group of outputs with the same text."""
    files_by_text: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for file, lines in hypotheses.items():
        files_by_text[tuple(lines)].append(file)
    for first, *copies in files_by_text.values():
        if copies:
            yield (
                f"{first}: the same text as {', '.join(copies)}. Keep one of them, or take the "
                "right files."
            )


# Damage


def _damage_warnings(
    hypotheses: Mapping[str, Lines], reference: Lines, source: Lines, name: str
) -> tuple[list[str], set[str]]:
    """Return warnings about damaged texts (DAMAGES) and mixed Unicode forms, and the names of these
    texts."""
    texts = {name: reference, "the source": source, **hypotheses}
    sentences = []
    damaged: set[str] = set()
    for damage in DAMAGES:
        descriptions = _damaged_texts(damage, texts, reference)
        damaged.update(descriptions)
        if descriptions:
            named = ", ".join(descriptions.values())
            sentences.append(f"{damage.description} in many lines of {named}. {damage.advice}.")
    if is_empty(reference):
        return sentences, damaged

    differing = _other_unicode_form(hypotheses, reference)
    damaged.update(differing)
    if differing:
        named = "; ".join(differing.values())
        sentences.append(
            "accented letters are single characters (Unicode NFC) in one of two texts, and several "
            f"(NFD) in the other: of {name} and {named}. Such letters are not equal, "
            "and scores may be too low. Normalise all texts in the same way."
        )
    return sentences, damaged


def _damaged_texts(damage: Damage, texts: Mapping[str, Lines], reference: Lines) -> dict[str, str]:
    """Return the texts with many damaged lines, by name: the name, number of lines and an example.
    Lines that equal the reference's do not count."""
    descriptions = {}
    for file, lines in texts.items():
        marked = [n for n, line in enumerate(lines) if re.search(damage.mark, line)]
        if lines is not reference:
            marked = [n for n in marked if lines[n] != reference[n]]
        if len(marked) <= LEAST_DAMAGED * len(lines):
            continue
        possible = sum(re.search(damage.possible, line) is not None for line in lines)
        if len(marked) > possible / 2:
            first_mark = re.findall(damage.mark, lines[marked[0]])[0]
            example = shortened(first_mark.strip(), 60)
            descriptions[file] = f"{file} ({len(marked):,}, as `{example}`: {listed_lines(marked)})"
    return descriptions


def _other_unicode_form(hypotheses: Mapping[str, Lines], reference: Lines) -> dict[str, str]:
    """Return the outputs with many lines of which only one of output and reference is in Unicode
    form NFC, by name: the name and the lines."""
    reference_composed = [is_normalized("NFC", line) for line in reference]
    descriptions = {}
    for file, lines in hypotheses.items():
        differing = [
            n for n, line in enumerate(lines) if is_normalized("NFC", line) != reference_composed[n]
        ]
        if len(differing) > LEAST_DAMAGED * len(lines):
            descriptions[file] = f"{file} ({listed_lines(differing)})"
    return descriptions


# Copies


def _copies(lines: Lines, source: Lines, reference: Lines, name: str) -> Iterator[str]:
    """Yield warnings if lines of a system output are copies of the source or reference."""
    if list(lines) == list(reference):
        yield f"the same text as {name}. A reference is no system's output: remove it."
        return
    long = [n for n, line in enumerate(lines) if sum(map(str.isalpha, line)) >= LEAST_LETTERS]

    reference_copies = [n for n in long if lines[n] == reference[n]]
    longest_run = max(runs_of(reference_copies), key=len, default=[])
    is_half = len(reference_copies) > len(lines) / 2 and len(lines) >= LEAST_LINES
    if len(longest_run) >= EQUAL_REFERENCE or is_half:
        yield (
            f"{len(reference_copies):,} of {len(lines):,} lines are those of {name}, as "
            f"{listed_lines(longest_run)}. Look whether the reference was mixed into the file."
        )

    if not source:
        return
    source_copies = []
    for number in long:
        line = lines[number].strip()
        if line == source[number].strip() and line != reference[number].strip():
            source_copies.append(number)
    longest = max(map(len, runs_of(source_copies)), default=0)
    if longest >= COPIED or len(source_copies) > COPIED_SHARE * len(lines):
        yield (
            f"{listed_lines(source_copies)}: the source itself, not translated "
            f"({len(source_copies):,} of {len(lines):,} lines). Take the translation, or leave the "
            "system out."
        )


# Scripts and languages


def _other_language(lines: Lines, reference: Lines, name: str) -> list[str]:
    """Return a warning if an output's script or language differs from the reference's."""
    if is_empty(reference):
        return []
    warning = _other_script(lines, reference, name) or _other_words(lines, reference, name)
    return [warning] if warning else []


def _other_script(lines: Lines, reference: Lines, name: str) -> str:
    """Return a warning if some lines of an output are in another script than the reference."""
    reference_letters = _scripts("".join(reference))
    least = RARE_SCRIPT * reference_letters.total()
    usual = {script for script, count in reference_letters.items() if count >= least}
    strange_lines = []
    for number, letters in enumerate(map(_scripts, lines)):
        usual_letters = sum(letters[script] for script in usual)
        if letters.total() >= LEAST_LETTERS and usual_letters < letters.total() / 2:
            strange_lines.append(number)
    if not usual or len(strange_lines) < OTHER_SCRIPT:
        return ""
    strange = _main_script(_scripts("".join(lines[n] for n in strange_lines)))
    expected = _main_script(reference_letters)
    return (
        f"{listed_lines(strange_lines)}: {strange} letters, while {name} is written in {expected} "
        "ones. Take the output in the right language and script."
    )


def _other_words(lines: Lines, reference: Lines, name: str) -> str:
    """Return a warning if an output has few of the reference's most frequent words or, in text
    without spaces, characters."""
    word = r"\w+" if has_spaces(lines) and has_spaces(reference) else r"\w"
    words = re.findall(word, "\n".join(lines).lower())
    reference_words = re.findall(word, "\n".join(reference).lower())
    if min(len(words), len(reference_words)) < LEAST_WORDS:
        return ""
    frequent = {word for word, _ in Counter(reference_words).most_common(FREQUENT)}
    share = _share_among(words, frequent)
    reference_share = _share_among(reference_words, frequent)
    if reference_share < LEAST_FREQUENT or share >= LOST * reference_share:
        return ""
    return (
        f"the {FREQUENT} most frequent words of {name} are {share:.0%} of the words of "
        f"this output and {reference_share:.0%} of the reference's: probably it is in another "
        "language. Take the output in the right one."
    )


def _share_among(words: Sequence[str], frequent: set[str]) -> float:
    """Return the share of words that are among the frequent ones."""
    return sum(word in frequent for word in words) / len(words)


@cache
def _script(letter: str) -> str:
    """Return the script of a letter (such as LATIN), the first word of its Unicode name."""
    return unicode_name(letter, "").split(" ")[0]


def _scripts(text: str) -> Counter[str]:
    """Count a text's letters by script."""
    return Counter(map(_script, filter(str.isalpha, text)))


def _main_script(letters: Counter[str]) -> str:
    """Return the most frequent script, for messages."""
    [(script, _)] = letters.most_common(1)
    return script.capitalize()
