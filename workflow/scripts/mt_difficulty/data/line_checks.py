"""Find lines of a system output that do not fit their reference as other systems' same lines do:
lines in a wrong place, repeated lines, and stretches of another text.

Flags of lines become a warning if a stretch of them, or the whole file, is unlikely by chance
(`likely_stretch`). With these thresholds, 12 of 230 outputs of WMT19 to WMT25 raise an alarm, each
for a cause in the text, and simulated damage of ten lines is found in 93 to 100 % of cases
(docs/checks.md).
"""

from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence

import numpy as np

from .line_fit import LEAST_LINES, LineFit, Lines
from .line_marks import mark_warnings
from .line_properties import property_warnings
from .stretches import likely_stretch, listed_lines

# Lines that fit another line of the reference make a warning if there are so many, and if they are
# this share of the lines that do not fit.
LEAST_MOVED = 2
MOVED_SHARE = 0.1
MOVED_SHARE_OF_REFERENCE = 0.5
SAME_SHIFT = 0.6  # share of the moved lines that must be moved by the same distance
# Standard errors by which the lines of a text overlap more with their own reference line than with
# a distant one, if the text belongs to the reference.
BELONGS = 3.0
# A repeated line makes a warning if it is found on so many lines that it does not fit, and has so
# many letters: a shorter text can be repeated by chance.
LEAST_REPEATED = 5
LEAST_LETTERS = 20


def line_warnings(fit: LineFit, name: str, damaged: Container[str] = ()) -> list[str]:
    """Return all warnings about the lines of systems and their reference: lines that do not fit,
    that lack something (`line_properties`), or that have something in addition (`line_marks`).

    Parameters
    ----------
    fit : LineFit
    name : str
        What messages call the reference.
    damaged : container of str
        Systems, or `name`, of whose damage was warned already: what their lines lack or have in
        addition is not warned of again.

    Returns
    -------
    list of str
        A sentence each.
    """
    return [
        *misfit_warnings(fit, name),
        *property_warnings(fit, name, damaged),
        *mark_warnings(fit, name, damaged),
    ]


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
    unrelated = _unrelated_systems(fit)
    if len(unrelated) > max(1, len(fit.systems) / 2):
        yield (
            f"{name}: the lines of {len(unrelated)} of {len(fit.systems)} outputs overlap with "
            "their own lines of it no more than with others: another text, language or order of "
            "lines. Take the right texts."
        )
        return
    reference_warning = _reference_warning(fit, name)
    if reference_warning:
        yield reference_warning
        return
    for system, label in enumerate(fit.systems):
        for warning in _system_warnings(fit, system, name, is_unrelated=system in unrelated):
            yield f"{label}: {warning}"


def _system_warnings(fit: LineFit, system: int, name: str, *, is_unrelated: bool) -> Iterator[str]:
    """Yield warnings about the lines of a system; the first that explains the misfits is the
    last."""
    explanation = _moved_warning(fit, system, name) or _repeated_warning(fit, system, name)
    if explanation:
        yield explanation
        return
    lines = _unexplained_misfits(fit, system)
    if len(lines):
        yield (
            f"{listed_lines(lines)} fit no line of {name}: another text or language, or no "
            f"translation. Take the right text. {fit.describe_overlap(system, lines)}"
        )
    if is_unrelated and len(lines) <= len(fit.reference) / 2:
        yield (
            f"its lines overlap with their own line of {name} no more than with others: another "
            "text, language or order of lines. Take the right texts."
        )


def _unrelated_systems(fit: LineFit) -> list[int]:
    """Return the indices of systems whose lines overlap with their own reference lines no more than
    with distant ones."""
    segments = len(fit.reference)
    if segments < LEAST_LINES:
        return []
    unrelated = []
    for system in range(len(fit.systems)):
        if not fit.sizes[system].any():
            continue
        gains = fit.overlaps[system] - fit.overlaps_away[system]
        if gains.sum() <= BELONGS * gains.std() * np.sqrt(segments):
            unrelated.append(system)
    return unrelated


# Lines in a wrong place


def _find_moves(
    fit: LineFit,
    texts: Lines,
    overlaps: np.ndarray,
    expected: np.ndarray,
    is_misfit: np.ndarray,
) -> dict[int, int]:
    """Return the misfits of a text that fit the line of another misfit, and that line, in the order
    of lines. If several lines fit the same one, the first of them counts."""
    target_by_line: dict[int, int] = {}
    targets: set[int] = set()
    for line in np.flatnonzero(is_misfit).tolist():
        target = fit.find_elsewhere(texts[line], overlaps[line], is_misfit, expected)
        if target is None or target == line or target in targets:
            continue
        targets.add(target)
        target_by_line[line] = target
    return target_by_line


def _moved_warning(fit: LineFit, system: int, name: str) -> str:
    """Return a warning about lines that stand in other lines' places: what stands there does not
    fit, either."""
    is_misfit = fit.misfits[system]
    target_by_line = _find_moves(
        fit, fit.text(system + 1), fit.overlaps[system], fit.expected[system], is_misfit
    )
    if len(target_by_line) < max(LEAST_MOVED, MOVED_SHARE * is_misfit.sum()):
        return ""
    lines = list(target_by_line)
    explanation = _describe_moves(lines, target_by_line, name)
    if len(lines) > is_misfit.sum() / 2:
        lines = np.flatnonzero(is_misfit).tolist()
    return f"{listed_lines(lines)} {explanation} {fit.describe_overlap(system, lines)}"


def _reference_warning(fit: LineFit, name: str) -> str:
    """Return a warning if lines of the reference fit no system, though the systems agree."""
    is_misfit = fit.reference_misfits
    overlaps = np.median(fit.overlaps, axis=0)
    target_by_line = _find_moves(fit, fit.text(1), overlaps, np.zeros(len(overlaps)), is_misfit)
    lines = list(target_by_line)
    if len(lines) < max(LEAST_MOVED, MOVED_SHARE_OF_REFERENCE * is_misfit.sum()):
        # Systems can be closer to each other than to a free translation, on many lines.
        is_moved = np.zeros(len(is_misfit), dtype=bool)
        is_moved[lines] = True
        lines = likely_stretch(is_moved).tolist()
    if not lines:
        return ""
    return (
        f"{name}: the outputs of {len(fit.systems)} systems agree on {listed_lines(lines)}, which "
        + _describe_moves(lines, target_by_line, "it")
    )


def _describe_moves(lines: Sequence[int], target_by_line: Mapping[int, int], name: str) -> str:
    """Return the end of a warning about lines that fit other lines of the reference."""
    shift, first = _common_shift(lines, target_by_line)
    if not shift:
        return (
            f"do not fit their lines of {name}, but others, as line {lines[0] + 1:,} fits line "
            f"{target_by_line[lines[0]] + 1:,}: they are in a wrong order. Put them in order."
        )
    unit = "line" if abs(shift) == 1 else "lines"
    direction = "further on" if shift > 0 else "before"
    return (
        f"fit the lines of {name} that stand {abs(shift)} {unit} {direction}. Look which of the "
        f"texts lacks a line before line {first + 1:,}, or has one more."
    )


def _common_shift(lines: Sequence[int], target_by_line: Mapping[int, int]) -> tuple[int, int]:
    """Return the distance that most moved lines have in common, and the first of these lines; 0
    without such a distance."""
    shifts = Counter(target_by_line[line] - line for line in lines)
    shift, count = shifts.most_common(1)[0]
    if count < max(LEAST_MOVED + 1, SAME_SHIFT * len(lines)):
        return 0, 0
    first = next(line for line in lines if target_by_line[line] - line == shift)
    return shift, first


# Repeated and unexplained lines


def _repeated_warning(fit: LineFit, system: int, name: str) -> str:
    """Return a warning about a text that stands on lines with other references, too."""
    texts = fit.text(system + 1)
    lines_by_text: dict[str, list[int]] = defaultdict(list)
    for line in np.flatnonzero(fit.misfits[system]).tolist():
        lines_by_text[texts[line]].append(line)
    if not lines_by_text:
        return ""
    text, lines = max(lines_by_text.items(), key=lambda item: len(item[1]))
    is_long = sum(map(str.isalpha, text)) >= LEAST_LETTERS or not fit.spaced
    if len(lines) < LEAST_REPEATED or not is_long:
        return ""
    return (
        f"{listed_lines(lines)} have the same text, which does not fit their lines of {name}: a "
        f"line is repeated. Take another copy. {fit.describe_overlap(system, lines)}"
    )


def _unexplained_misfits(fit: LineFit, system: int) -> np.ndarray:
    """Return the lines of a stretch that fits no line of the reference."""
    shares = fit.misfits.mean(axis=1)
    usual = np.median(np.delete(shares, system)) if len(shares) > 1 else 0.0
    return likely_stretch(fit.misfits[system], 2 * float(usual))
