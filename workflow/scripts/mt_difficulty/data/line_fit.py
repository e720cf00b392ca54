"""How well the lines of system outputs fit their reference.

The fit of a line is its overlap with the reference line. It is compared with the overlap that other
systems reach on the same line, so that a difficult set raises no alarm.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

Lines = Sequence[str]
Units = Sequence[frozenset[str]]

WORD_BEGINNING = 4  # characters of a word that are compared
LEAST_SPACED = 1 / 12  # words per character below which a text is written without spaces
# A line does not fit (is a misfit) if its overlap is less than MISFIT times the overlap of other
# systems, which must be at least LEAST_FIT, and if the line has LEAST_UNITS units.
MISFIT = 0.4
LEAST_FIT = 0.2
LEAST_UNITS = 5
# A line fits another line of the reference if it overlaps with that one by at least FITS_ELSEWHERE,
# by FITS_BETTER more than with its own line, and by the share SHARE_OF_OTHERS of what other systems
# reach there.
FITS_ELSEWHERE = 0.2
FITS_BETTER = 0.15
SHARE_OF_OTHERS = 0.5
# Another line is searched by units that at most this share of the reference's lines have, and at
# most so many lines. The overlap is computed with so many candidates.
RARE = 1 / 20
MOST_LINES_OF_UNIT = 50
CANDIDATES = 5
# For a single system, this quantile of its overlaps stands for what other systems would reach.
ALONE = 0.8
LEAST_LINES = 20  # of a text, from which on can be told whether it belongs to the reference
AGREEING = 5  # pairs of systems whose outputs are compared with each other
SAMPLE = 400  # lines of a sample

_ASCII = frozenset(map(chr, range(128)))


def sample_lines(lines: Lines) -> list[str]:
    """Return some lines that are not empty, spread over the text."""
    step = max(1, len(lines) // SAMPLE)
    return [line for line in lines[::step] if line.strip()]


def has_spaces(lines: Lines) -> bool:
    """Return whether a text is written with spaces between words."""
    text = "\n".join(sample_lines(lines))
    return len(text.split()) > LEAST_SPACED * len(text)


def _most_have_spaces(reference: Lines, hypotheses: Mapping[str, Lines]) -> bool:
    """Return whether the reference and at least half of the outputs are written with spaces."""
    with_spaces = [has_spaces(lines) for lines in hypotheses.values()]
    return has_spaces(reference) and sum(with_spaces) >= len(with_spaces) / 2


def units_of(lines: Lines, *, spaced: bool) -> Units:
    """Return each line's set of word beginnings in small letters or, if not `spaced`, of
    characters, without those of ASCII: a set of Latin letters says little about a text."""
    if spaced:
        return [
            frozenset([word[:WORD_BEGINNING] for word in line.lower().split()]) for line in lines
        ]
    return [frozenset(line).difference(_ASCII) for line in lines]


def overlap(first: frozenset[str], second: frozenset[str]) -> float:
    """Return the share of units that two texts have in common (Dice coefficient), 0 to 1. Higher is
    more alike; 0 if a text has no units. Integer counts make it the same on every processor."""
    if not first or not second:
        return 0.0
    return 2 * len(first & second) / (len(first) + len(second))


def _overlaps(lines: Units, targets: Units) -> list[float]:
    """Return the overlap of each line with its target."""
    return list(map(overlap, lines, targets))


def reference_overlaps(hypotheses: Mapping[str, Lines], reference: Lines) -> np.ndarray:
    """Return the overlap of each line with its reference, 0 to 1, (systems, segments)."""
    spaced = _most_have_spaces(reference, hypotheses)
    targets = units_of(reference, spaced=spaced)
    return np.array(
        [_overlaps(units_of(lines, spaced=spaced), targets) for lines in hypotheses.values()]
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
    spaced : bool
        Whether the texts are written with spaces between words.
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
        self.hypotheses = hypotheses
        self.reference = reference
        self.spaced = _most_have_spaces(reference, hypotheses)
        self.targets = units_of(reference, spaced=self.spaced)
        self._measure_overlaps()
        self.expected = self._expected_overlaps()
        self.misfits = self._find_misfits(source)

    def _measure_overlaps(self) -> None:
        """Set the overlaps of lines with the reference and between systems, and the sizes."""
        segments = len(self.reference)
        shape = (len(self.systems), segments)
        self.overlaps = np.zeros(shape)
        self.overlaps_away = np.zeros(shape)
        self.sizes = np.zeros(shape, dtype=int)
        distant = np.roll(np.arange(segments), segments // 2)
        distant_targets = [self.targets[line] for line in distant.tolist()]
        # Units take much memory: those of at most three systems exist at the same time.
        first_units: Units = ()
        previous_units: Units = ()
        agreements = []
        for system, lines in enumerate(self.hypotheses.values()):
            units = units_of(lines, spaced=self.spaced)
            self.overlaps[system] = _overlaps(units, self.targets)
            self.overlaps_away[system] = _overlaps(units, distant_targets)
            self.sizes[system] = [len(line_units) for line_units in units]
            first_units = first_units or units
            if 0 < system < AGREEING:
                agreements.append(_overlaps(previous_units, units))
            previous_units = units
        agreements.append(_overlaps(first_units, previous_units))
        self.agreement = np.median(agreements, axis=0)

    def _expected_overlaps(self) -> np.ndarray:
        """Return the overlaps that other systems reach."""
        if len(self.systems) == 1:
            return np.full(self.overlaps.shape, np.quantile(self.overlaps, ALONE))
        expected = np.zeros(self.overlaps.shape)
        for system in range(len(self.systems)):
            other_overlaps = np.delete(self.overlaps, system, axis=0)
            expected[system] = np.median(other_overlaps, axis=0)
        return expected

    def _find_misfits(self, source: Lines) -> np.ndarray:
        """Return the misfits, without lines that are copies of the source."""
        far_less = self.overlaps < MISFIT * self.expected
        has_units = self.sizes >= LEAST_UNITS
        misfits = far_less & (self.expected >= LEAST_FIT) & has_units
        if source:
            for system, lines in enumerate(self.hypotheses.values()):
                copied = [line == original for line, original in zip(lines, source, strict=True)]
                misfits[system, copied] = False
        return misfits

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
    def lines_by_unit(self) -> dict[str, list[int]]:
        """The lines of the reference that have a unit, by unit, for units of few lines."""
        lines_by_unit: dict[str, list[int]] = defaultdict(list)
        for number, units in enumerate(self.targets):
            for unit in units:
                lines_by_unit[unit].append(number)
        few = int(len(self.reference) * RARE)
        most = max(CANDIDATES, min(MOST_LINES_OF_UNIT, few))
        return {unit: lines for unit, lines in lines_by_unit.items() if len(lines) <= most}

    def find_elsewhere(
        self, text: str, present_overlap: float, possible: np.ndarray, expected: np.ndarray
    ) -> int | None:
        """Return the line of the reference that a text fits, instead of its own.

        Parameters
        ----------
        text : str
        present_overlap : float
            Its overlap with its own line.
        possible : ndarray
            (segments,) of bool, the lines that come into question.
        expected : ndarray
            (segments,), the overlap that other systems have with each line.

        Returns
        -------
        int or None
            Index of the line; None if the text fits no other line.
        """
        [units] = units_of([text], spaced=self.spaced)
        shared: Counter[int] = Counter()
        for unit in units:
            shared.update(self.lines_by_unit.get(unit, ()))
        candidates = [line for line in shared if possible[line]]
        likely = sorted(candidates, key=lambda line: (-shared[line], line))[:CANDIDATES]
        if not likely:
            return None
        overlaps = {line: overlap(units, self.targets[line]) for line in likely}
        best = max(likely, key=lambda line: (overlaps[line], -line))
        least = max(FITS_ELSEWHERE, SHARE_OF_OTHERS * expected[best], present_overlap + FITS_BETTER)
        return best if overlaps[best] >= least else None

    def text(self, number: int) -> Lines:
        """Return the lines of the reference (`number` 0) or of a system (its index + 1)."""
        return self.reference if number == 0 else self.hypotheses[self.systems[number - 1]]

    def describe_overlap(self, system: int, lines: Sequence[int] | np.ndarray) -> str:
        """Say how much less some lines overlap with the reference than those of other systems."""
        present = self.overlaps[system, lines].mean()
        if len(self.systems) == 1:
            return f"Their overlap with the reference is {present:.0%}."
        expected = self.expected[system, lines].mean()
        return (
            f"Their overlap with the reference is {present:.0%}, that of other systems' same lines "
            f"{expected:.0%}."
        )
