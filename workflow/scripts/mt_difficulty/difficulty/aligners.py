"""Word aligners, which link each hypothesis token to a reference token or to none.

`fast_align` reimplements the program's ``fast_align -d -o -v``, forward (Dyer, Chahuneau & Smith
2013). Token j of m in the hypothesis is linked to token i of n in the reference, or to none. The
prior of a link is proportional to exp(-tension * |i/n - j/m|); its translation probability t(f | e)
is estimated by variational Bayes. Two errors of the program are kept, so that links are equal.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain

import numpy as np
from numpy.typing import ArrayLike

NULL = "<eps>"  # the null word; a reference token spelt like it is the null word, as in the program
ROUNDS = 4
START_TENSION = 4.0
TENSION_STEPS, TENSION_RATE, TENSION_MIN, TENSION_MAX = 8, 20.0, 0.1, 14.0


def split_line(line: str) -> list[str]:
    """Split a line at spaces and tabs, but not at other white space, as fast_align does.

    The program also reads a tab as the ``|||`` between the two texts; here, a tab only separates.
    """
    return [token for token in line.replace("\t", " ").split(" ") if token]


def fast_align(
    reference: list[list[str]], hypotheses: list[list[list[str]]], threads: int = 1
) -> list[np.ndarray]:
    """Link each hypothesis token to at most one reference token (Dyer, Chahuneau & Smith 2013).
    Returns for each system an array over its tokens, in order: the index of the linked reference
    token within its segment, -1 for none. `reference` is segments × tokens, `hypotheses` systems ×
    segments × tokens. Systems are aligned separately. Segments with an empty side have no links and
    are ignored (with an empty reference, the authors' program loses all links of the system)."""
    from ..compiled import alignment

    types = {NULL: 0}
    # Ranges of the tokens of each segment, and of each type (0 is null) among the sorted tokens.
    ids, of_segment = _number_tokens(reference, types)
    lengths, of_type = np.diff(of_segment), _starts(np.bincount(ids, minlength=len(types)))
    segment, by_type = np.repeat(np.arange(len(reference)), lengths), np.argsort(ids, kind="stable")
    _, which, times = np.unique(segment * len(types) + ids, return_inverse=True, return_counts=True)
    alone = times[which] == 1  # of its type in the segment
    alignable = lengths > 0

    def align(hypothesis: list[list[str]]) -> np.ndarray:
        """Align a system by EM; return each token's linked place in the reference segment or -1."""
        links = np.full(sum(map(len, hypothesis)), -1, np.int32)
        linked = np.repeat(alignable, [len(words) for words in hypothesis])
        sides = [words if able else [] for words, able in zip(hypothesis, alignable, strict=True)]
        types: dict[str, int] = {}
        ids, start = _number_tokens(sides, types)
        row_start = _starts(np.diff(start)[segment])
        pairs, pair_start = np.empty(row_start[-1], np.uint32), np.zeros_like(of_type)
        latest = np.arange(len(types))
        alignment.number_pairs(
            segment, row_start, by_type, of_type, ids, start, latest, pairs, pair_start
        )
        shapes, shape, frequency = np.unique(
            np.stack((np.diff(start), np.diff(of_segment)), axis=1),
            axis=0,
            return_inverse=True,
            return_counts=True,
        )
        shape_start = _starts(shapes.prod(axis=1))
        corpus = (ids, start, of_segment, pairs, shape_start[shape])
        model = np.zeros((pair_start[-1], 2))
        model[:, 0] = 1e-9
        size = shapes.max(initial=0) + 1
        prior, room = np.empty(shape_start[-1]), np.empty((2, size))
        tension, n_tokens = START_TENSION, max(1, len(ids))
        alignment.fill_prior(shapes, tension, np.zeros((size, size)), prior)
        for round_ in range(ROUNDS):
            feature = alignment.expect(corpus, alone, prior, model, (np.empty(size**2), *room))
            for _ in range(TENSION_STEPS if round_ > 0 else 0):  # gradient ascent
                powers = np.zeros((size, size))
                expected = alignment.expected_feature(shapes, frequency, tension, powers)
                tension += TENSION_RATE * (feature / n_tokens - expected / n_tokens)
                tension = min(max(tension, TENSION_MIN), TENSION_MAX)
            if round_ > 0:
                alignment.fill_prior(shapes, tension, np.zeros((size, size)), prior)
            alignment.maximise(pair_start, model)
        best_links = np.full(len(ids), -1, np.int32)
        alignment.decode(corpus, prior, model, room[0], best_links)
        links[linked] = best_links
        return links

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(align, hypotheses))


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
    return np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))


def exact(
    reference: list[list[str]], hypotheses: list[list[list[str]]], threads: int = 1
) -> list[np.ndarray]:
    """Link each hypothesis token to the first equal reference token, a literal reading of Eq. 2 of
    Liu et al. (2022). Parameters and result are as in `fast_align`."""
    first = [{token: i for i, token in reversed(list(enumerate(tokens)))} for tokens in reference]
    links = []
    for system in hypotheses:
        pairs = zip(first, system, strict=True)
        places = [of_segment.get(token, -1) for of_segment, tokens in pairs for token in tokens]
        links.append(np.array(places, dtype=np.int32))
    return links


ALIGNERS = {"exact": exact, "fast_align": fast_align}
