"""Nulls of weightings of tokens: difficulties of reference tokens that are permuted or constant,
with either weight of hypothesis tokens that the reference lacks."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..embedding.matches import Matches
from ..weighting.base import Weighting
from ..weighting.tokens import CHOICES, Tokens
from .nulls import permutations
from .set_scores import coefficients

NOT_LINEAR = "no permuted difficulty: scores are not linear in it (softmax, or unit range)"
# Difficulties that are permuted at a time.
BLOCK = 2**22


class TokenScores(NamedTuple):
    """A weighting of tokens on some systems.

    `difficulty` is (1 or systems, reference tokens), about 0 to 1; `segments` are the indices of
    those that count.
    """

    matches: Matches
    weighting: Weighting
    parameters: dict[str, Any]
    difficulty: np.ndarray
    segments: np.ndarray

    @property
    def inside(self) -> np.ndarray:
        """Which reference tokens are of segments that count, (reference tokens,)."""
        return np.isin(self.matches.reference_segment, self.segments)

    def quality(self, difficulty: np.ndarray) -> np.ndarray:
        """Scores with another difficulty, (systems,), higher is better."""
        one = self.weighting.apply(self.matches, difficulty, self.parameters)
        return one.select(segments=self.segments).observed_quality()


def token_nulls(
    one: TokenScores, draws: int, rng: np.random.Generator, deciles: np.ndarray | None
) -> dict[str, np.ndarray | str]:
    """System scores under the nulls of a weighting of tokens, (draws, systems), or a reason.

    Parameters
    ----------
    one : TokenScores
    draws : int
    rng : numpy.random.Generator
    deciles : ndarray of int, (segments,), optional
        Of source length, of all segments; without them `permuted_length` is left out.

    Returns
    -------
    dict of str to ndarray or str
        By names of `NULLS`; of one draw where nothing is random. Higher is better.
    """
    found: dict[str, np.ndarray | str] = {
        "permuted": _permuted(one, draws, rng),
        "constant": one.quality(constant(one))[None],
        "swapped": one.quality(1 - one.difficulty)[None],
    }
    if deciles is not None:
        groups = deciles[one.matches.reference_segment]
        found["permuted_length"] = _permuted(one, draws, rng, groups)
    for unseen in CHOICES["unseen"]:
        if isinstance(one.weighting, Tokens) and unseen != one.weighting.unseen:
            other = one._replace(weighting=one.weighting.with_unseen(unseen))
            found[f"real_unseen_{unseen}"] = other.quality(one.difficulty)[None]
            found[f"constant_unseen_{unseen}"] = other.quality(constant(one))[None]
            found[f"permuted_unseen_{unseen}"] = _permuted(other, draws, rng)
    return found


def constant(one: TokenScores) -> np.ndarray:
    """The mean difficulty of the tokens that count for every token, as `difficulty`."""
    return np.full_like(one.difficulty, one.difficulty[:, one.inside].mean())


def _permuted(
    one: TokenScores, draws: int, rng: np.random.Generator, groups: np.ndarray | None = None
) -> np.ndarray | str:
    if not (isinstance(one.weighting, Tokens) and one.weighting.linear):
        return NOT_LINEAR
    return permuted_scores(one, one.weighting, draws, rng, groups)


def permuted_scores(
    one: TokenScores,
    weighting: Tokens,
    draws: int,
    rng: np.random.Generator,
    groups: np.ndarray | None = None,
) -> np.ndarray:
    """DA scores with difficulties permuted over the reference tokens of the set.

    Precision and recall are linear in the difficulties, so that blocks of draws are products of
    matrices. One permutation serves all systems.

    Parameters
    ----------
    one : TokenScores
        Tokens of segments that do not count take no part.
    weighting : Tokens
        A linear one.
    draws : int
    rng : numpy.random.Generator
    groups : ndarray of int, (reference tokens,), optional
        Difficulties change places within each group only.

    Returns
    -------
    ndarray, (draws, systems)
    """
    slopes, fixed = coefficients(one.matches, weighting)
    inside = one.inside
    groups = None if groups is None else groups[inside]
    slopes, difficulty = slopes[:, inside], one.difficulty[:, inside]
    fixed, tokens = fixed[:, one.segments], slopes.shape[1]
    sums = np.zeros((draws, len(slopes), 2))
    sums[..., 0] = fixed.sum(axis=1)
    step = max(1, BLOCK // max(tokens, 1))
    for start in range(0, draws, step):
        block = sums[start : start + step]
        order = permutations(tokens, len(block), rng, groups)
        block += _weigh(difficulty, order, slopes)
    return weighting.aggregate(sums, np.full(len(slopes), fixed.shape[1]))


def _weigh(difficulty: np.ndarray, order: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    """Sums of permuted difficulties times slopes, (draws, systems, 2)."""
    first, alike = difficulty[0][order], len(difficulty) == 1
    everywhere = np.broadcast_to(difficulty, slopes.shape[:2])
    drawn = (first if alike else own[order] for own in everywhere)
    # A product for each system: equal systems have equal scores on every processor.
    return np.stack([own @ weight for own, weight in zip(drawn, slopes, strict=True)], axis=1)
