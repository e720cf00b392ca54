"""Word alignment by ``fast_align -d -o -v``, forward: a reparameterised IBM Model 2.

Dyer, Chahuneau & Smith 2013, "A Simple, Fast, and Effective Reparameterization of IBM Model 2".
Position j of m in the hypothesis is linked to position i of n in the reference, or to none, with a
prior proportional to exp(-tension * |i/n - j/m|), which favours the diagonal, and a translation
probability t(f | e), estimated by variational Bayes. The program's constants, closed forms and two
slips in fitting the tension are kept, so that links agree with its own line for line.
"""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

NULL = "<eps>"  # the null word; a reference token spelt like it is the null word, as in the program
ROUNDS = 4
START_TENSION = 4.0
Links = NDArray[np.int32]


def tokens(line: str) -> list[str]:
    """Split a line at spaces and tabs only, as fast_align does: other white space is text.

    A tab only separates; the program also reads it as the ``|||`` between the sides.
    """
    return [token for token in line.replace("\t", " ").split(" ") if token]


def align(
    reference: list[list[str]], hypotheses: list[list[list[str]]], threads: int = 1
) -> list[Links]:
    """Link each hypothesis token to at most one reference token (Dyer, Chahuneau & Smith 2013).

    Each system is aligned with the reference on its own, on one thread, so that links do not
    depend on `threads`. A segment with an empty side has no links and no influence on the others
    (at an empty reference, the program loses all links of the system).

    Parameters
    ----------
    reference
        L tokenised segments.
    hypotheses
        S systems of L tokenised segments each.
    threads
        Number of systems aligned at a time.

    Returns
    -------
    list of int32 arrays
        For each system, of shape (tokens in all its segments,): the index, from zero, of the
        linked reference token within the segment; -1 for none.
    """
    indexed = _index_reference(reference)
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(partial(_align_system, indexed), hypotheses))


class _Reference(NamedTuple):
    start: NDArray[np.int64]  # (L + 1,) range of tokens of each segment
    segment: NDArray[np.int64]  # (tokens,) segment of each token
    by_type: NDArray[np.int64]  # (tokens,) tokens sorted by type
    type_start: NDArray[np.int64]  # (types + 1,) range in `by_type` of each type; 0 is null


def _index_reference(segments: list[list[str]]) -> _Reference:
    types = {NULL: 0}
    ids = _index(segments, types)
    return _Reference(
        start=_starts([len(words) for words in segments]),
        segment=np.repeat(np.arange(len(segments)), [len(words) for words in segments]),
        by_type=np.argsort(ids, kind="stable"),
        type_start=_starts(np.bincount(ids, minlength=len(types))),
    )


def _index(segments: list[list[str]], types: dict[str, int]) -> NDArray[np.int32]:
    """Return the type of every token, numbering new types in order of appearance."""
    words = list(chain.from_iterable(segments))
    for word in dict.fromkeys(words):
        types.setdefault(word, len(types))
    return np.fromiter(map(types.__getitem__, words), np.int32, len(words))


def _starts(lengths: ArrayLike) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))


def _align_system(reference: _Reference, hypothesis: list[list[str]]) -> Links:
    alignable = np.diff(reference.start) > 0
    links = np.full(sum(map(len, hypothesis)), -1, np.int32)
    kept = [words if keep else [] for words, keep in zip(hypothesis, alignable, strict=True)]
    links[np.repeat(alignable, [len(words) for words in hypothesis])] = _estimate(reference, kept)
    return links


def _estimate(reference: _Reference, hypothesis: list[list[str]]) -> Links:
    """Fit the model by variational EM, then take each token's best link."""
    from . import model2

    types: dict[str, int] = {}
    ids = _index(hypothesis, types)
    start = _starts([len(words) for words in hypothesis])
    pairs, pair_start = model2.number_pairs(*reference, ids, start, len(types))
    shapes = np.stack((np.diff(start), np.diff(reference.start)), axis=1)
    shapes, shape, frequency = np.unique(shapes, axis=0, return_inverse=True, return_counts=True)
    corpus = (ids, start, reference.start, pairs, _starts(shapes.prod(axis=1))[shape])
    t, counts = np.full(pair_start[-1], 1e-9), np.zeros(pair_start[-1])
    tension = START_TENSION
    prior = model2.prior(shapes, tension)
    for round_ in range(ROUNDS):
        feature = model2.expect(*corpus, prior, t, counts)
        if round_ > 0:
            tension = model2.fit_tension(shapes, frequency, feature, tension)
            prior = model2.prior(shapes, tension)
        model2.maximise(pair_start, counts, t)
    return model2.decode(*corpus, prior, t)
