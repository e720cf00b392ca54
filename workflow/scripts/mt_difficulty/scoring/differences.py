"""What differs between systems: their scores by difficulty, reference length, document and word
frequency, and the n-grams of the reference that one system has and another lacks.

The questions are those of compare-mt (Neubig et al. 2019); intervals and tests are those of
`comparing`, and an exact sign test of n-grams."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import chain, combinations, pairwise
from typing import NamedTuple

import numpy as np

from ..data.evalset import EvaluationSet
from ..data.language import default_units, tokenize
from ..evidence import resampling
from ..evidence.units import DOCUMENTS, MINIMUM_DOCUMENTS, SEGMENTS, Units, units_of
from ..metrics.base import Sequences, number_parts, number_tokens
from ..metrics.bleu import tokens_of_words
from ..storage import Content
from ..weighting.base import STANDARD, WeightedMetric
from .comparing import LEVEL, Draws, draw, needed_resamples, two_sided
from .texts import ScoredTexts

RESAMPLES = 1000  # they suffice for a corrected p below 0.05 in up to 25 groups
# Of more systems, each is compared with the best alone.
MOST_SYSTEMS = 6
# A group of fewer documents or segments has neither interval nor p.
MINIMUM_UNITS = MINIMUM_DOCUMENTS
DIFFICULTY_GROUPS = 10
LENGTH_GROUPS = 5
# The least frequency of each group of words, in the reference.
FREQUENCIES = np.array([1, 2, 3, 10, 100, 1000])
F1 = "F1 of words"
LONGEST = 4  # tokens of an n-gram
# N-grams are tested if in so many documents or segments one system has them more often than the
# other, whichever of the two: a sign test of fewer has p of 0.004 at best.
LEAST_DIFFERING = 10
MOST_NGRAMS = 20  # that are listed for each of the two systems of a pair
# Columns of the tables.
COLUMNS = {
    "scores": "grouping group metric system score higher_is_better segments words".split(),
    "comparisons": "grouping group metric system other difference low high p p_holm".split(),
    "ngrams": (
        "system other ngram in_reference matches other_matches units other_units p p_holm".split()
    ),
}


def describe_differences(
    texts: ScoredTexts,
    resamples: int | None,
    seed: int,
    unit: str = DOCUMENTS,
    pairs: Sequence[tuple[str, str]] | None = None,
) -> Content:
    """Describe what differs between systems.

    Parameters
    ----------
    texts : ScoredTexts
    resamples : int, optional
        Number of bootstrap resamples and permutations; 0 for no intervals and tests of groups. By
        default and at most RESAMPLES, or as many as the largest number of groups needs.
    seed : int
    unit : {"documents", "segments"}
        What is resampled where documents are known.
    pairs : sequence of (str, str), optional
        The systems to compare; by default those of `choose_pairs`.

    Returns
    -------
    dict
        `tokens` (words or characters), `pairs`, `which_pairs`, `resamples`, `needed_resamples`,
        `unit`, `resampled`, and the rows of three tables, `scores`, `comparisons` and `ngrams`;
        docs/own_systems.md describes them.
    """
    evalset = texts.evalset
    systems = evalset.systems
    segments = len(evalset.reference)
    units = units_of(evalset.documents, segments, unit)
    metrics = _unweighted(texts)
    which_pairs = "the systems that were named"
    if pairs is None:
        pairs, which_pairs = choose_pairs(systems, metrics)
    indices = [(systems.index(system), systems.index(other)) for system, other in pairs]
    tokens = tokenized(evalset)
    ngrams = find_ngrams(tokens.sequences)
    groups = _segment_groups(texts, metrics, units)
    groups += _word_groups(tokens.sequences, ngrams, units)
    needed = _needed_resamples(groups)
    enough = max(RESAMPLES, needed)
    drawn = enough if resamples is None else min(resamples, enough)
    draws = draw(units, drawn if segments > 1 else 0, seed)
    by_unit = [of_length.by_unit(units) for of_length in ngrams]
    ngram_rows: list[Content] = []
    described_pairs: list[Content] = []
    for (system, other), (first, second) in zip(pairs, indices, strict=True):
        tests = compare_ngrams(by_unit, first, second)
        ngram_rows += _ngram_rows(tests, by_unit, tokens, system, other)
        ngram_rows += _ngram_rows(tests.exchanged(), by_unit, tokens, other, system)
        tested = int(np.isfinite(tests.p).sum())
        described_pairs.append({"system": system, "other": other, "ngrams_tested": tested})
    return {
        "tokens": tokens.kind,
        "pairs": described_pairs,
        "which_pairs": which_pairs,
        "resamples": len(draws.weights),
        "needed_resamples": needed,
        "unit": units.kind,
        "resampled": units.text,
        "scores": [row for group in groups for row in _score_rows(group, systems)],
        "comparisons": _comparison_rows(groups, draws, systems, indices),
        "ngrams": ngram_rows,
    }


def choose_pairs(
    systems: list[str], metrics: dict[str, WeightedMetric]
) -> tuple[list[tuple[str, str]], str]:
    """Choose the pairs of systems to compare.

    Parameters
    ----------
    systems : list of str
    metrics : dict of str to WeightedMetric
        Unweighted, by name; the first one ranks the systems.

    Returns
    -------
    list of (str, str)
        The better system of each pair first: every pair of up to MOST_SYSTEMS systems, otherwise
        the best system with each of the others.
    str
        Which pairs these are.
    """
    ranked = systems
    name = next(iter(metrics), None)
    if name is not None:
        order = np.argsort(-metrics[name].observed_quality(), kind="stable")  # NaN last
        ranked = [systems[index] for index in order]
    if len(systems) <= MOST_SYSTEMS:
        return list(combinations(ranked, 2)), "every two systems"
    pairs = [(ranked[0], other) for other in ranked[1:]]
    if name is None:
        return pairs, f"each system with {ranked[0]}, the first"
    return pairs, f"each system with {ranked[0]}, the best by {name}"


def _unweighted(texts: ScoredTexts) -> dict[str, WeightedMetric]:
    """Return the requested metrics that have scores, without weights, by name."""
    keys = [key for key in texts.keys if key[1] == STANDARD and key not in texts.scored.missing]
    scores = texts.scored.of(np.arange(len(texts.evalset.systems)), keys)
    return {metric: scores[metric, weighting] for metric, weighting in keys}


# Groups of segments and of words


class Group(NamedTuple):
    """Segments, or words of a range of frequencies, on which all systems are scored.

    Attributes
    ----------
    grouping : {"difficulty", "length", "document", "word frequency"}
    name : str
    metric : str
    weighted : WeightedMetric
        Of the group's segments, or of the segments that have its words.
    units : Units
        Of these segments.
    numbers : ndarray of int
        The numbers of these units among those of the whole text.
    words : int
        Number of the reference's words, or characters, in the group.
    """

    grouping: str
    name: str
    metric: str
    weighted: WeightedMetric
    units: Units
    numbers: np.ndarray
    words: int


def equal_groups(values: np.ndarray, most: int) -> np.ndarray:
    """Divide segments into groups of about the same size by their values.

    Parameters
    ----------
    values : ndarray
        (segments,).
    most : int
        Largest number of groups. There are fewer if a group would have less than MINIMUM_UNITS
        segments, or because segments of equal value are in one group.

    Returns
    -------
    ndarray of int
        The group of each segment, (segments,), from 0, the lowest values.
    """
    groups = max(1, min(most, len(values) // MINIMUM_UNITS))
    lower = np.searchsorted(np.sort(values), values, side="left")
    numbers = lower * groups // len(values)
    # Between two groups of many equal values there may be a small one: it joins the one below it,
    # the lowest group the one above it.
    for number in range(groups - 1, 0, -1):
        if np.count_nonzero(numbers == number) < MINIMUM_UNITS:
            numbers[numbers == number] = number - 1
    if np.count_nonzero(numbers == 0) < MINIMUM_UNITS and numbers.any():
        numbers[numbers == 0] = numbers[numbers > 0].min()
    return np.unique(numbers, return_inverse=True)[1]


def range_names(values: np.ndarray, numbers: np.ndarray) -> list[str]:
    """Name groups by the range of their values, such as `0.1 to 0.25`.

    Parameters
    ----------
    values : ndarray
        (segments,).
    numbers : ndarray of int
        The group of each segment, from `equal_groups`.

    Returns
    -------
    list of str
        Different names, with three significant digits or more.
    """
    ranges = []
    for number in range(numbers.max() + 1):
        of_group = values[numbers == number]
        ranges.append((of_group.min(), of_group.max()))
    for digits in range(3, 18):
        names = []
        for low, high in ranges:
            ends = [_as_text(end, digits) for end in (low, high)]
            names.append(" to ".join(dict.fromkeys(ends)))
        if len(set(names)) == len(names):
            break
    return names


def _as_text(value: float, digits: int) -> str:
    """Return a whole number as such, and others with so many significant digits."""
    return f"{value:.0f}" if value == np.rint(value) else f"{value:.{digits}g}"


def _segment_groups(
    texts: ScoredTexts, metrics: dict[str, WeightedMetric], units: Units
) -> list[Group]:
    """Return the groups of segments under each metric; a grouping of one group is left out."""
    evalset = texts.evalset
    split = tokenize(evalset.reference, default_units(evalset.pair, evalset.reference))
    lengths = np.array([len(segment) for segment in split], float)
    groups = []
    for grouping, (numbers, names) in _groupings(texts, lengths).items():
        if len(names) < 2:
            continue
        for metric, weighted in metrics.items():
            for number, name in enumerate(names):
                chosen = np.flatnonzero(numbers == number)
                group = Group(
                    grouping=grouping,
                    name=name,
                    metric=metric,
                    weighted=weighted.select(segments=chosen),
                    units=units.select(chosen),
                    numbers=np.unique(units.numbers[chosen]),
                    words=int(lengths[chosen].sum()),
                )
                groups.append(group)
    return groups


def _groupings(texts: ScoredTexts, lengths: np.ndarray) -> dict[str, tuple[np.ndarray, list[str]]]:
    """Return, for each grouping of segments, the number of each segment's group and the names of
    the groups. `lengths` are those of the reference's segments."""
    groupings = {}
    if texts.values is not None:
        difficulties = texts.values.mean(axis=0)
        numbers = equal_groups(difficulties, DIFFICULTY_GROUPS)
        groupings["difficulty"] = numbers, range_names(difficulties, numbers)
    numbers = equal_groups(lengths, LENGTH_GROUPS)
    groupings["length"] = numbers, range_names(lengths, numbers)
    documents = texts.evalset.documents
    if documents:
        names = list(dict.fromkeys(documents))
        number_of = {name: number for number, name in enumerate(names)}
        groupings["document"] = np.array([number_of[name] for name in documents]), names
    return groupings


def _word_groups(tokens: Sequences, ngrams: list[Ngrams], units: Units) -> list[Group]:
    """Return groups of the reference's words by their frequency in it."""
    if not ngrams:
        return []
    counts = word_counts(tokens, ngrams[0])
    groups = []
    for number, name in enumerate(_frequency_names()):
        of_group = counts[:, :, number]
        words = int(of_group[0, :, 1].sum())
        if not words:
            continue
        chosen = np.flatnonzero(of_group.any(axis=(0, 2)))
        group = Group(
            grouping="word frequency",
            name=name,
            metric=F1,
            weighted=WeightedMetric(f1, of_group[:, chosen]),
            units=units.select(chosen),
            numbers=np.unique(units.numbers[chosen]),
            words=words,
        )
        groups.append(group)
    return groups


def _frequency_names() -> list[str]:
    """Return the names of the groups of FREQUENCIES: `1`, `2`, `3 to 9` and so on."""
    names = []
    for least, next_least in pairwise(FREQUENCIES):
        most = next_least - 1
        names.append(f"{least}" if least == most else f"{least} to {most}")
    return [*names, f"{FREQUENCIES[-1]} or more"]


def f1(sums: np.ndarray, _: np.ndarray) -> np.ndarray:
    """Compute F1 of words, 0 to 100, from matches, words of the reference and of the hypothesis,
    (..., 3) to (...); NaN without words."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return 200 * sums[..., 0] / (sums[..., 1] + sums[..., 2])


def word_counts(tokens: Sequences, words: Ngrams) -> np.ndarray:
    """Count words by their frequency in the reference.

    Parameters
    ----------
    tokens : Sequences
        The reference, then systems.
    words : Ngrams
        Their n-grams of one token, by segment.

    Returns
    -------
    ndarray
        (systems, segments, FREQUENCIES, 3): clipped matches, words of the reference and words of
        the hypothesis that the reference has somewhere.
    """
    texts, segments = tokens.lengths().shape
    groups = len(FREQUENCIES)
    vocabulary = int(tokens.tokens.max()) + 1
    of_reference = tokens.tokens[: tokens.limits[0, -1]]
    frequency = np.bincount(of_reference, minlength=vocabulary)
    group = np.searchsorted(FREQUENCIES, frequency, side="right") - 1  # -1: not in the reference
    row = np.repeat(np.arange(texts * segments), tokens.lengths().ravel())
    token_group = group[tokens.tokens]
    is_known = token_group >= 0
    cells = row[is_known] * groups + token_group[is_known]
    number = np.bincount(cells, minlength=texts * segments * groups)
    number = number.reshape(texts, segments, groups)
    counts = np.empty((texts - 1, segments, groups, 3))
    counts[..., 1] = number[0]
    counts[..., 2] = number[1:]
    cells = words.units * groups + group[words.first_tokens(tokens)]
    for system, matched in enumerate(words.matched):
        sums = np.bincount(cells, matched, minlength=segments * groups)
        counts[system, :, :, 0] = sums.reshape(segments, groups)
    return counts


def _score_rows(group: Group, systems: list[str]) -> list[Content]:
    """Return a row for each system's score in a group."""
    scores = group.weighted.scores()
    return [
        {
            "grouping": group.grouping,
            "group": group.name,
            "metric": group.metric,
            "system": system,
            "score": score,
            "higher_is_better": group.weighted.higher_is_better,
            "segments": group.weighted.statistics.shape[1],
            "words": group.words,
        }
        for system, score in zip(systems, scores, strict=True)
    ]


def _needed_resamples(groups: list[Group]) -> int:
    """Return the number of resamples with which a corrected p can be below 0.05 in the grouping
    with the most groups that are tested; 0 if none is."""
    tested = Counter(
        (group.grouping, group.metric) for group in groups if group.units.size >= MINIMUM_UNITS
    )
    return needed_resamples(max(tested.values(), default=0))


def _comparison_rows(
    groups: list[Group], draws: Draws, systems: list[str], pairs: list[tuple[int, int]]
) -> list[Content]:
    """Return a row for each group and pair of systems. p is corrected over the groups of a
    grouping, for each pair and metric by itself."""
    if not pairs:
        return []
    row, column = np.array(pairs).T
    families: dict[tuple[str, str], list[Group]] = {}
    for group in groups:
        families.setdefault((group.grouping, group.metric), []).append(group)
    rows = []
    for family in families.values():
        compared = [_compare(group, draws, row, column) for group in family]
        p = np.array([comparison.p for comparison in compared])
        corrected = np.full(p.shape, np.nan)
        for pair in range(len(pairs)):
            tests = int(np.isfinite(p[:, pair]).sum())
            if len(draws.weights) >= needed_resamples(tests):
                corrected[:, pair] = resampling.holm(p[:, pair])
        for pair, (first, second) in enumerate(pairs):
            for number, group in enumerate(family):
                rows.append(
                    {
                        "grouping": group.grouping,
                        "group": group.name,
                        "metric": group.metric,
                        "system": systems[first],
                        "other": systems[second],
                        "difference": compared[number].difference[pair],
                        "low": compared[number].low[pair],
                        "high": compared[number].high[pair],
                        "p": p[number, pair],
                        "p_holm": corrected[number, pair],
                    }
                )
    return rows


class _Compared(NamedTuple):
    """Differences of pairs of systems in a group, their intervals and two-sided p, (pairs,)."""

    difference: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p: np.ndarray


def _compare(group: Group, draws: Draws, row: np.ndarray, column: np.ndarray) -> _Compared:
    """Compare pairs of systems in a group as `comparing` does on all segments: intervals by
    bootstrap, and the larger p of bootstrap and permutation test. NaN with few units."""
    weighted = group.weighted
    scores = weighted.scores()
    difference = scores[row] - scores[column]
    resamples = len(draws.weights)
    if not resamples or group.units.size < MINIMUM_UNITS:
        unknown = np.full(len(row), np.nan)
        return _Compared(difference, unknown, unknown, unknown)
    weights = draws.weights[:, group.numbers]
    (resampled,) = resampling.resampled_scores([weighted], weights, group.units)
    differences = weighted.sign * (resampled[:, row] - resampled[:, column])
    low, high = resampling.interval(differences, LEVEL)
    _, bootstrap_p = resampling.paired_bootstrap(resampled)
    swapped = draws.swapped[:, group.numbers]
    permuted = resampling.paired_permutation(weighted, swapped, group.units, (row, column))
    permutation_p = (1 + resamples * permuted) / (1 + resamples)
    p, _ = two_sided(np.maximum(bootstrap_p, permutation_p))
    return _Compared(difference, low, high, p[row, column])


# N-grams


class Tokens(NamedTuple):
    """The tokens of the reference and of the systems' texts.

    Attributes
    ----------
    kind : {"words", "characters"}
    sequences : Sequences
        The reference, then the systems.
    texts : list of str
        The different tokens, by number.
    """

    kind: str
    sequences: Sequences
    texts: list[str]

    def ngram(self, start: int, length: int) -> str:
        """Return the text of the n-gram that starts at an index of `sequences.tokens`."""
        numbers = self.sequences.tokens[start : start + length]
        separator = " " if self.kind == "words" else ""
        return separator.join(self.texts[number] for number in numbers)


def tokenized(evalset: EvaluationSet) -> Tokens:
    """Split the reference and the systems' texts into words, punctuation apart, by sacreBLEU's
    tokenizer 13a; in languages without spaces into characters."""
    texts = [evalset.reference, *evalset.hypotheses]
    kind = default_units(evalset.pair, evalset.reference)
    if kind == "characters":
        return Tokens(kind, *number_parts(texts, lambda segment: list("".join(segment.split()))))
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    parts, distinct = number_parts(texts, str.split)
    of_parts = tokens_of_words(Tokenizer13a(), distinct)
    # `number_tokens` numbers tokens in this order.
    words = list(dict.fromkeys(chain.from_iterable(of_parts)))
    return Tokens(kind, number_tokens(parts, of_parts), words)


class Ngrams(NamedTuple):
    """The n-grams of the reference and the systems' clipped matches, for one length.

    An n-gram of a segment counts at most as often as the segment's reference has it.

    Attributes
    ----------
    length : int
        Number of tokens.
    first : ndarray of int
        (n-grams,), where an occurrence of each n-gram starts in the tokens of all texts.
    units : ndarray of int
        (cells,), the segment or document of each cell. A cell is an n-gram of the reference in a
        segment or document.
    numbers : ndarray of int
        (cells,), the n-gram of each cell.
    counts : ndarray of int
        (cells,), how often the reference has it there.
    matched : ndarray of int
        (systems, cells), how many of these each system has.
    """

    length: int
    first: np.ndarray
    units: np.ndarray
    numbers: np.ndarray
    counts: np.ndarray
    matched: np.ndarray

    def by_unit(self, units: Units) -> Ngrams:
        """Sum the matches of segments over the segments of each unit."""
        if units.kind == SEGMENTS:
            return self
        size = len(self.first)
        cells = units.numbers[self.units] * size + self.numbers
        distinct, index = np.unique(cells, return_inverse=True)
        sums = [np.bincount(index, row) for row in (self.counts, *self.matched)]
        counts, *matched = np.array(sums).astype(int)
        unit, number = np.divmod(distinct, size)
        return self._replace(units=unit, numbers=number, counts=counts, matched=np.array(matched))

    def first_tokens(self, tokens: Sequences) -> np.ndarray:
        """Return the number of the first token of each cell's n-gram, (cells,)."""
        return tokens.tokens[self.first[self.numbers]]


def find_ngrams(tokens: Sequences, longest: int = LONGEST) -> list[Ngrams]:
    """Find the n-grams of the reference, and which of them systems have in the same segment.

    Parameters
    ----------
    tokens : Sequences
        The reference, then systems.
    longest : int
        Largest number of tokens.

    Returns
    -------
    list of Ngrams
        By segment, for each length from 1 token that the reference has.
    """
    texts, segments = tokens.lengths().shape
    lengths = tokens.lengths().ravel()
    row = np.repeat(np.arange(texts * segments), lengths)  # text and segment of each token
    end = np.repeat(tokens.limits[:, 1:].ravel(), lengths)  # where this segment ends
    start = np.arange(len(tokens.tokens))
    numbers = tokens.tokens
    vocabulary = int(tokens.tokens.max(initial=0)) + 1
    found = []
    for length in range(1, longest + 1):
        if length > 1:
            fits = start + length <= end[start]
            start = start[fits]
            # An n-gram is the number of its beginning and its last token.
            extended = numbers[fits] * vocabulary + tokens.tokens[start + length - 1]
            numbers = np.unique(extended, return_inverse=True)[1]
        is_reference = row[start] < segments
        if not is_reference.any():
            break
        # Beginnings that the reference lacks have no continuations that it has.
        is_known = np.bincount(numbers[is_reference], minlength=numbers.max() + 1) > 0
        is_kept = is_known[numbers]
        start = start[is_kept]
        numbers = np.unique(numbers[is_kept], return_inverse=True)[1]
        text, segment = np.divmod(row[start], segments)
        found.append(_count_matches(length, start, numbers, text, segment, texts))
    return found


def _count_matches(
    length: int,
    start: np.ndarray,
    numbers: np.ndarray,
    text: np.ndarray,
    segment: np.ndarray,
    texts: int,
) -> Ngrams:
    """Count the matches of n-grams, of each of which are given the start, number, text and
    segment; text 0 is the reference."""
    size = numbers.max() + 1
    first = np.empty(size, int)
    first[numbers[::-1]] = start[::-1]
    cells = segment * size + numbers
    reference_cells, counts = np.unique(cells[text == 0], return_counts=True)
    index = np.minimum(np.searchsorted(reference_cells, cells), len(reference_cells) - 1)
    is_match = reference_cells[index] == cells
    occurrences = np.bincount(
        text[is_match] * len(reference_cells) + index[is_match],
        minlength=texts * len(reference_cells),
    )
    matched = np.minimum(occurrences.reshape(texts, -1)[1:], counts)
    units, number = np.divmod(reference_cells, size)
    return Ngrams(length, first, units, number, counts, matched)


class NgramTests(NamedTuple):
    """Tests of two systems' matches of all n-grams, (n-grams,) each.

    Attributes
    ----------
    lengths : ndarray of int
        The number of tokens of each n-gram.
    numbers : ndarray of int
        Its number among those of this length.
    in_reference, matches, other_matches : ndarray of int
        How often the reference has it, and clipped matches of both systems.
    more, fewer : ndarray of int
        Documents or segments in which the first system has more matches, or fewer.
    p : ndarray
        Two-sided p of a sign test; NaN where fewer than LEAST_DIFFERING units differ.
    p_holm : ndarray
        The same, corrected over all n-grams that are tested.
    """

    lengths: np.ndarray
    numbers: np.ndarray
    in_reference: np.ndarray
    matches: np.ndarray
    other_matches: np.ndarray
    more: np.ndarray
    fewer: np.ndarray
    p: np.ndarray
    p_holm: np.ndarray

    def exchanged(self) -> NgramTests:
        """Return the same tests with the second system as the first."""
        return self._replace(
            matches=self.other_matches,
            other_matches=self.matches,
            more=self.fewer,
            fewer=self.more,
        )


def sign_test(more: np.ndarray, fewer: np.ndarray) -> np.ndarray:
    """Compute the two-sided p of an exact sign test (McNemar's exact test).

    Parameters
    ----------
    more, fewer : ndarray of int
        Numbers of differences above and below 0; others do not count.

    Returns
    -------
    ndarray
        Twice the probability of the smaller number or fewer in as many tosses of a fair coin, at
        most 1.
    """
    counts = np.stack([np.minimum(more, fewer), more + fewer], axis=-1)
    distinct, index = np.unique(counts.reshape(-1, 2), axis=0, return_inverse=True)
    p = [min(1.0, 2 * _share_of_tosses(*pair)) for pair in distinct.tolist()]
    return np.array(p)[index].reshape(counts.shape[:-1])


@cache
def _share_of_tosses(most: int, tosses: int) -> float:
    """Return the probability of at most so many heads in tosses of a fair coin. (The base
    installation has no scipy, which has this function, too.)"""
    ways = 1  # to have so many heads
    favourable = 1
    for heads in range(most):
        ways = ways * (tosses - heads) // (heads + 1)
        favourable += ways
    return favourable / 2**tosses  # whole numbers, divided exactly


def compare_ngrams(ngrams: list[Ngrams], first: int, second: int) -> NgramTests:
    """Test which n-grams of the reference two systems have in different numbers of units.

    Parameters
    ----------
    ngrams : list of Ngrams
        By what is exchanged between systems, documents or segments.
    first, second : int
        Indices of the systems.

    Returns
    -------
    NgramTests

    Notes
    -----
    If the systems do not differ, each has more matches in a unit with the same probability. Which
    n-grams are tested depends on the number of units that differ, not on the direction.
    """
    blocks = [np.zeros((7, 0), int)]
    for found in ngrams:
        size = len(found.first)
        difference = found.matched[first] - found.matched[second]
        sums = [
            np.bincount(found.numbers, counts, minlength=size).astype(int)
            for counts in (found.counts, found.matched[first], found.matched[second])
        ]
        more = np.bincount(found.numbers[difference > 0], minlength=size)
        fewer = np.bincount(found.numbers[difference < 0], minlength=size)
        blocks.append(np.array([np.full(size, found.length), np.arange(size), *sums, more, fewer]))
    counts = np.concatenate(blocks, axis=1)
    lengths, numbers, in_reference, matches, other_matches, more, fewer = counts
    p = np.where(more + fewer >= LEAST_DIFFERING, sign_test(more, fewer), np.nan)
    return NgramTests(
        lengths=lengths,
        numbers=numbers,
        in_reference=in_reference,
        matches=matches,
        other_matches=other_matches,
        more=more,
        fewer=fewer,
        p=p,
        p_holm=resampling.holm(p),
    )


def _ngram_rows(
    tests: NgramTests, ngrams: list[Ngrams], tokens: Tokens, system: str, other: str
) -> list[Content]:
    """Return rows of the n-grams that the first system has in more units, the lowest p of the sign
    test first: those that are tested, then those that are too rare to be tested."""
    surplus = tests.more - tests.fewer
    order = np.lexsort((-surplus, sign_test(tests.more, tests.fewer), np.isnan(tests.p)))
    rows = []
    for index in order[surplus[order] > 0][:MOST_NGRAMS]:
        length = int(tests.lengths[index])
        start = ngrams[length - 1].first[tests.numbers[index]]
        rows.append(
            {
                "system": system,
                "other": other,
                "ngram": tokens.ngram(start, length),
                "in_reference": int(tests.in_reference[index]),
                "matches": int(tests.matches[index]),
                "other_matches": int(tests.other_matches[index]),
                "units": int(tests.more[index]),
                "other_units": int(tests.fewer[index]),
                "p": tests.p[index],
                "p_holm": tests.p_holm[index],
            }
        )
    return rows
