"""Word aligners, which link each hypothesis token to a reference token or to none.

`fast_align` reimplements the program's ``fast_align -d -o -v``, forward (Dyer, Chahuneau & Smith
2013). Token j of m in the hypothesis is linked to token i of n in the reference, or to none. The
prior of a link is proportional to exp(-tension * |i/n - j/m|); its translation probability t(f | e)
is estimated by variational Bayes. Two errors of the program are kept, so that links are equal.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..errors import Missing

NULL = "<eps>"  # the null word; a reference token spelt like it is the null word, as in the program
# Rounds of EM, and the first values of its parameters, as in the program.
ROUNDS = 4
START_PROBABILITY = 1e-9
START_TENSION = 4.0
# Gradient ascent of the tension after each round.
TENSION_STEPS = 8
TENSION_RATE = 20.0
TENSION_MIN = 0.1
TENSION_MAX = 14.0
POWERS = 512  # rows and columns of the table of powers

# A segment of n reference and m hypothesis tokens has n · m cells. From LONG cells on it is long.
# Systems whose long segments have more than FEW_CELLS are aligned with a number for each pair of
# types, instead of numbers for each cell.
LONG = 256 * 256
FEW_CELLS = 2**22
# The long segments of all systems may have MOST_CELLS, which take a core ten minutes; those of a
# system MOST_PAIRS of types, which take 1 GB.
MOST_CELLS = 5 * 10**9
MOST_PAIRS = 10**8
AT_ONCE = 2**27  # cells of the systems that are aligned at the same time, 4 bytes each
BLOCK = 2**19  # cells of a block
BLOCKS = 4  # blocks that are computed at the same time


class _Reference(NamedTuple):
    """A tokenised reference: tokens of all segments, in order. Type 0 is the null word.

    Attributes
    ----------
    ids : ndarray
        (tokens,), type of each token.
    start : ndarray
        (segments + 1,), the first token of each segment.
    lengths : ndarray
        (segments,), tokens of each segment.
    segment : ndarray
        (tokens,), segment of each token.
    by_type : ndarray
        (tokens,), the tokens sorted by type.
    type_start : ndarray
        (types + 1,), the first token of each type in `by_type`.
    alone : ndarray
        (tokens,) of bool, whether no other token of the segment has the type.
    """

    ids: np.ndarray
    start: np.ndarray
    lengths: np.ndarray
    segment: np.ndarray
    by_type: np.ndarray
    type_start: np.ndarray
    alone: np.ndarray


def split_line(line: str) -> list[str]:
    """Split a line at spaces and tabs, but not at other white space, as fast_align does.

    The program also reads a tab as the ``|||`` between the two texts; here, a tab only separates.
    """
    return [token for token in line.replace("\t", " ").split(" ") if token]


def fast_align(
    reference: list[list[str]], hypotheses: list[list[list[str]]], threads: int = 1
) -> list[np.ndarray]:
    """Link each hypothesis token to at most one reference token (Dyer, Chahuneau & Smith 2013).

    Systems are aligned separately. Segments with an empty side have no links and are ignored (with
    an empty reference, the authors' program loses all links of the system).

    Parameters
    ----------
    reference : list of list of str
        Tokens of each segment.
    hypotheses : list of list of list of str
        Tokens of each segment, by system.
    threads : int
        Number of threads; links do not depend on it.

    Returns
    -------
    list of ndarray
        For each system an array over its tokens, in order: the index of the linked reference token
        within its segment, -1 for none.

    Raises
    ------
    Missing
        If segments are so long that their alignment would take many minutes or much memory.
    """
    side = _reference_side(reference)
    cells = np.zeros((len(hypotheses), len(reference)), np.int64)
    for system, hypothesis in enumerate(hypotheses):
        cells[system] = side.lengths * np.fromiter(map(len, hypothesis), np.int64, len(hypothesis))
    long_cells = np.where(cells >= LONG, cells, 0)
    if long_cells.sum() > MOST_CELLS:
        _, longest = np.unravel_index(np.argmax(long_cells), long_cells.shape)
        raise _too_long(side.lengths, int(longest))
    most_cells = int(cells.sum(axis=1).max(initial=1))
    most_long_cells = int(long_cells.sum(axis=1).max(initial=0))
    if most_long_cells > FEW_CELLS or most_cells > AT_ONCE:
        # In little memory: one system after the other, on all threads.
        with ThreadPoolExecutor(threads) as pool:
            return [_align_system(side, hypothesis, pool, threads) for hypothesis in hypotheses]
    systems_at_once = max(1, AT_ONCE // max(most_cells, 1))
    with ThreadPoolExecutor(min(threads, systems_at_once)) as pool:
        return list(pool.map(partial(_align_system, side), hypotheses))


def _reference_side(reference: list[list[str]]) -> _Reference:
    """Return a reference with its tokens numbered and sorted by type."""
    types = {NULL: 0}
    ids, start = _number_tokens(reference, types)
    lengths = np.diff(start)
    segment = np.repeat(np.arange(len(reference)), lengths)
    _, index, counts = np.unique(
        segment * len(types) + ids, return_inverse=True, return_counts=True
    )
    return _Reference(
        ids=ids,
        start=start,
        lengths=lengths,
        segment=segment,
        by_type=np.argsort(ids, kind="stable"),
        type_start=_starts(np.bincount(ids, minlength=len(types))),
        alone=(counts[index] == 1) & (ids > 0),
    )


def _align_system(
    reference: _Reference,
    hypothesis: list[list[str]],
    pool: ThreadPoolExecutor | None = None,
    threads: int = 1,
) -> np.ndarray:
    """Align a system: on one thread or, in little memory, on all threads of a pool. Segments
    without reference tokens are left out, and have no links."""
    has_reference = reference.lengths > 0
    lengths = [len(tokens) for tokens in hypothesis]
    words = [
        tokens if is_used else [] for tokens, is_used in zip(hypothesis, has_reference, strict=True)
    ]
    if pool is None:
        word_links = _align(reference, words)
    else:
        word_links = _align_long(reference, words, pool, threads)
    links = np.full(sum(lengths), -1, np.int32)
    links[np.repeat(has_reference, lengths)] = word_links
    return links


def _too_long(lengths: np.ndarray, segment: int) -> Missing:
    """Return the error that names the segment, an index, which is too long to be aligned."""
    return Missing(
        f"line {segment + 1} is too long to be aligned ({lengths[segment]:,} tokens in the "
        "reference): split long lines into sentences, in all files, or take another difficulty"
    )


def _align(reference: _Reference, hypothesis: list[list[str]]) -> np.ndarray:
    """Align a system by EM; return the index of each token's linked reference token in its segment,
    or -1."""
    from ..compiled import alignment

    types: dict[str, int] = {}
    ids, start = _number_tokens(hypothesis, types)
    row_start = _starts(np.diff(start)[reference.segment])
    pairs = np.empty(row_start[-1], np.uint32)
    pair_start = np.zeros_like(reference.type_start)
    alignment.number_pairs(
        reference.segment,
        row_start,
        reference.by_type,
        reference.type_start,
        ids,
        start,
        np.arange(len(types)),
        pairs,
        pair_start,
    )
    shapes, shape, frequency = _shapes(np.diff(start), reference.lengths)
    cells = shapes.prod(axis=1)
    shape_start = _starts(cells)
    corpus = (ids, start, reference.start, pairs, shape_start[shape])
    model = np.zeros((pair_start[-1], 2))
    model[:, 0] = START_PROBABILITY
    prior = np.empty(shape_start[-1])
    # Working memory of the compiled loops.
    links_room = np.empty(cells.max(initial=0))
    longest = shapes.max(initial=0) + 1
    evidence_room = np.empty(longest)
    position_room = np.empty(longest)
    room = (links_room, evidence_room, position_room)
    tension = START_TENSION
    alignment.fill_prior(shapes, tension, _powers(shapes), prior)
    for round_ in range(ROUNDS):
        feature = alignment.expect(corpus, reference.alone, prior, model, room)
        if round_ > 0:
            tension = _ascend(tension, feature, len(ids), shapes, frequency)
            alignment.fill_prior(shapes, tension, _powers(shapes), prior)
        alignment.maximise(pair_start, model)
    links = np.full(len(ids), -1, np.int32)
    alignment.decode(corpus, prior, model, evidence_room, links)
    return links


def _align_long(
    reference: _Reference, hypothesis: list[list[str]], pool: ThreadPoolExecutor, threads: int
) -> np.ndarray:
    """Align a system as `_align` does, with equal links, in memory for its pairs of types and for
    some blocks of cells."""
    from ..compiled import long_alignment

    types: dict[str, int] = {}
    ids, start = _number_tokens(hypothesis, types)
    n_words = len(types)
    segment = np.repeat(np.arange(len(hypothesis)), np.diff(start))
    distinct = np.empty_like(ids)
    distinct_start = np.empty_like(start)
    latest = np.full(n_words, -1)
    n_distinct = long_alignment.list_distinct(ids, start, latest, distinct, distinct_start)
    index = np.arange(1, len(reference.ids) + 1) - reference.start[reference.segment]
    corpus = long_alignment.Corpus(
        reference_ids=reference.ids,
        reference_segment=reference.segment,
        reference_start=reference.start,
        by_type=reference.by_type,
        type_start=reference.type_start,
        places=index / reference.lengths[reference.segment],
        ids=ids,
        segment=segment,
        start=start,
        cell_start=_starts(reference.lengths[segment]),
        by_word=np.argsort(ids, kind="stable"),
        word_start=_starts(np.bincount(ids, minlength=n_words)),
        distinct=distinct[:n_distinct].copy(),
        distinct_start=distinct_start,
        powers=np.empty((0, 0)),
    )

    # Count the pairs of types, then list them.
    n_types = len(reference.type_start) - 1
    number = np.uint16 if n_types <= 2**16 else np.uint32
    sizes = np.zeros(n_words, np.int64)
    partners = np.empty(0, number)
    long_alignment.list_pairs(corpus, np.full(n_words, -1), sizes, sizes, partners)
    pair_start = _starts(sizes)
    if pair_start[-1] > MOST_PAIRS:
        cells = reference.lengths * np.diff(start)
        raise _too_long(reference.lengths, int(np.argmax(cells)))
    partners = np.empty(pair_start[-1], number)
    sizes[:] = 0
    long_alignment.list_pairs(corpus, np.full(n_words, -1), sizes, pair_start, partners)
    values = np.full(len(partners), START_PROBABILITY)
    null = np.full(n_words, START_PROBABILITY)
    pairs = long_alignment.Pairs(pair_start, partners, values, null)

    # Parts that threads compute: tokens in their order, and types of hypothesis tokens.
    blocks = _parts(corpus.cell_start, BLOCK)
    cells_of_tokens = np.diff(corpus.cell_start)
    words = _parts(_starts(cells_of_tokens[corpus.by_word])[corpus.word_start], BLOCK)
    longest = reference.lengths.max(initial=0)
    at_once = min(threads, BLOCKS)
    rooms = np.empty((at_once, max(BLOCK, longest)))
    evidence = np.empty(len(ids))

    def weigh(block: tuple[int, int], cells: np.ndarray) -> None:
        """First part of the E step, for the tokens of a block."""
        first, last = block
        tokens = first + np.argsort(ids[first:last], kind="stable")
        row = np.empty(n_types)
        long_alignment.weigh(corpus, pairs, tension, feature, tokens, cells, evidence, row)

    def count(part: tuple[int, int]) -> None:
        """Third part of the E step, for some hypothesis types."""
        rows = np.empty((2, n_types))
        links = np.empty(longest)
        is_first = round_ == 0
        long_alignment.count(corpus, pairs, tension, is_first, part, evidence, rows, links)

    def maximise(part: tuple[int, int]) -> None:
        long_alignment.maximise(pairs, part, norms)

    def decode(part: tuple[int, int]) -> None:
        long_alignment.decode(corpus, pairs, tension, part, np.empty(n_types), links)

    shapes, _, frequency = _shapes(np.diff(start), reference.lengths)
    tension = START_TENSION
    for round_ in range(ROUNDS):
        feature = 0.0
        # In the first round, `count` computes the evidence.
        groups = range(0, len(blocks), at_once) if round_ > 0 else ()
        for first_block in groups:
            group = blocks[first_block : first_block + at_once]
            list(pool.map(weigh, group, rooms))
            for (first, last), cells in zip(group, rooms, strict=False):
                feature = long_alignment.add_feature(corpus, first, last, cells, evidence, feature)
        list(pool.map(count, words))
        norms = np.zeros((2, n_types))
        listed = np.zeros(n_words, np.int64)
        long_alignment.normalise(corpus, pairs, np.full(n_words, -1), listed, norms)
        list(pool.map(maximise, words))
        if round_ > 0:
            tension = _ascend(tension, feature, len(ids), shapes, frequency)
    links = np.full(len(ids), -1, np.int32)
    list(pool.map(decode, words))
    return links


def _parts(starts: np.ndarray, size: int) -> list[tuple[int, int]]:
    """Split items into runs, first and last + 1, of one item or of at most `size` units. `starts`,
    (items + 1,), has the number of units before each item."""
    parts = []
    first = 0
    end = len(starts) - 1
    while first < end:
        last = int(np.searchsorted(starts, starts[first] + size, side="right")) - 1
        parts.append((first, max(last, first + 1)))
        first = parts[-1][1]
    return parts


def _shapes(
    lengths: np.ndarray, reference_lengths: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the pairs of lengths of hypothesis and reference segments, (shapes, 2), the index of
    every segment's pair, and how often each occurs."""
    pairs = np.stack((lengths, reference_lengths), axis=1)
    return np.unique(pairs, axis=0, return_inverse=True, return_counts=True)


def _powers(shapes: np.ndarray) -> np.ndarray:
    """Return an empty table of powers for lengths up to POWERS."""
    size = min(shapes.max(initial=0) + 1, POWERS)
    return np.zeros((size, size))


def _ascend(
    tension: float, feature: float, n_tokens: int, shapes: np.ndarray, frequency: np.ndarray
) -> float:
    """Return the tension after some steps of gradient ascent, by the difference of the links'
    feature and its expected value."""
    from ..compiled import alignment

    for _ in range(TENSION_STEPS):
        expected = alignment.expected_feature(shapes, frequency, tension, _powers(shapes))
        tension += TENSION_RATE * (feature / max(1, n_tokens) - expected / max(1, n_tokens))
        tension = min(max(tension, TENSION_MIN), TENSION_MAX)
    return tension


def _number_tokens(
    segments: Sequence[Sequence[str]], types: dict[str, int]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the type number of every token, and where in them each segment starts, with their end.
    New types are numbered as they appear, and added to `types`."""
    tokens = list(chain.from_iterable(segments))
    for token in dict.fromkeys(tokens):
        types.setdefault(token, len(types))
    ids = np.fromiter(map(types.__getitem__, tokens), np.int32, len(tokens))
    return ids, np.cumsum([0, *map(len, segments)], dtype=np.int64)


def _starts(lengths: ArrayLike) -> np.ndarray:
    """Return the number of units before each item, and of all units, (items + 1,)."""
    return np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))


def exact(
    reference: list[list[str]], hypotheses: list[list[list[str]]], threads: int = 1
) -> list[np.ndarray]:
    """Link each hypothesis token to the first equal reference token, a literal reading of Eq. 2 of
    Liu et al. (2022).

    Parameters
    ----------
    reference : list of list of str
        Tokens of each segment.
    hypotheses : list of list of list of str
        Tokens of each segment, by system.
    threads : int
        Not used.

    Returns
    -------
    list of ndarray
        As of `fast_align`.
    """
    first_index = []
    for tokens in reference:
        index: dict[str, int] = {}
        for number, token in enumerate(tokens):
            index.setdefault(token, number)
        first_index.append(index)
    all_links = []
    for hypothesis in hypotheses:
        links = []
        for index, tokens in zip(first_index, hypothesis, strict=True):
            links += [index.get(token, -1) for token in tokens]
        all_links.append(np.array(links, dtype=np.int32))
    return all_links


ALIGNERS = {"exact": exact, "fast_align": fast_align}
