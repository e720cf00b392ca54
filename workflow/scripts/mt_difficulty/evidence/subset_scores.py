"""DA scores of many subsets of systems, each with its own difficulties."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..difficulty.token_dissimilarity import TokenDissimilarity
from ..embedding.matches import Matches
from ..weighting.base import combine, fixed_point
from ..weighting.tokens import Tokens, best_token, occurrence_weights

if TYPE_CHECKING:
    from .set_scores import SetScores


class SubsetScores:
    """System scores for any subsets of systems, where difficulty is that of the subset.

    With linear settings, precision and recall are c(s) − the mean over the subset's systems s' of
    K(s', s): all subsets cost one product of matrices, K.

    Parameters
    ----------
    matches : Matches
    settings : Tokens
        Linear ones.
    weights : ndarray, (systems, segments, groups), optional
        Of the segments of every system in groups that are scored apart, such as EE's easy and
        difficult ones; one group of equal weights by default.
    shares : ndarray, (groups,), optional
        Share of every group's score in the combined score.
    """

    def __init__(
        self,
        matches: Matches,
        settings: Tokens,
        weights: np.ndarray | None = None,
        shares: np.ndarray | None = None,
    ) -> None:
        self.settings, self.shares = settings, np.ones(1) if shares is None else shares
        if weights is None:
            weights = np.ones((*matches.hypothesis_lengths.shape, 1))
        groups = np.moveaxis(fixed_point(weights), -1, 0)
        self.sums_of_weights = groups.sum(axis=2)
        self.constant, self.shared = _bilinear(matches, settings, groups)

    def __call__(self, index: np.ndarray, leave_one_out: bool = False) -> np.ndarray:
        """Scores of subsets.

        Parameters
        ----------
        index : ndarray of int, (subsets, size)
        leave_one_out : bool
            A system's difficulties come from the subset's other systems.

        Returns
        -------
        ndarray, (subsets, size)
            NaN where a group of a system is empty.
        """
        shared = self.shared[:, index[:, :, None], index[:, None, :]].sum(axis=2)
        size = index.shape[1]
        if leave_one_out:
            shared, size = shared - self.shared[:, index, index], size - 1
        sums = self.constant[:, index] - shared / size
        of_groups = self.settings.aggregate(sums, self.sums_of_weights[:, index])
        return combine(np.moveaxis(of_groups, 0, -1), self.shares)


class LinearScores(NamedTuple):
    """Metrics that share token matches, under a weighting of tokens that is linear in DA's
    difficulty; `leave_one_out` says whether that is the difficulty of the other systems."""

    weighting: str
    metrics: list[str]
    scores: SubsetScores
    leave_one_out: bool


def linear_scores(scores: SetScores) -> Iterator[LinearScores]:
    """The weightings of a set that have this fast path."""
    for name in scores.weightings:
        tokens = scores.tokens_of(name)
        if not tokens or scores.weightings[name]["missing"] or scores.depends_on_systems(name):
            continue
        settings = scores.weighting(tokens)
        estimator = scores.estimator(scores.weightings[tokens]["difficulty"])
        if not (isinstance(settings, Tokens) and settings.linear):
            continue
        if isinstance(estimator, TokenDissimilarity):
            for part in scores.parts:
                metrics = [metric for metric in part.metrics if (metric, name) in scores.keys]
                groups = scores.groups(name, part)
                one = SubsetScores(part.matches, settings, groups.weights, groups.shares)
                yield LinearScores(name, metrics, one, estimator.leave_one_out)


def _bilinear(
    matches: Matches, settings: Tokens, groups: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """c and K of `SubsetScores`, summed over the segments of each group.

    Returns
    -------
    constant : ndarray, (groups, systems, 2)
    shared : ndarray, (groups, systems, systems, 2)
        By the system whose similarity enters the difficulty, then by the scored one.
    """
    similarity = matches.reference_similarity.astype(float)
    slopes, fixed = coefficients(matches, settings)
    slopes = np.ascontiguousarray(np.moveaxis(slopes, -1, 0))
    constant, shared = [], []
    for group in groups:
        # A token's share in the scored system's sum, were its weight 1.
        inside = slopes * group[:, matches.reference_segment]
        outside = (fixed * group).sum(axis=1)
        constant.append(inside.sum(axis=-1).T + np.stack([outside, np.zeros_like(outside)], axis=1))
        # Every number is a sum of its own, so that equal systems have equal scores; a product of
        # BLAS gives them different last digits on some processors.
        shared.append(np.einsum("jt,kst->jsk", similarity, inside))
    return np.array(constant), np.array(shared)


def coefficients(matches: Matches, settings: Tokens) -> tuple[np.ndarray, np.ndarray]:
    """How much the weight of every reference token moves precision and recall, (systems,
    reference tokens, 2), and what of the precision depends on none, (systems, segments)."""
    systems, segments = matches.hypothesis_lengths.shape
    scoreable = matches.scoreable
    tokens, types = matches.reference_type.size, matches.hypothesis_type
    place = matches.hypothesis_place
    share = matches.hypothesis_similarity / matches.hypothesis_lengths.ravel()[place]
    share = np.where(scoreable.ravel()[place], share, 0.0)
    system, seen = place // segments, types >= 0
    recall = (
        matches.reference_similarity
        * (scoreable / np.maximum(matches.reference_lengths, 1))[:, matches.reference_segment]
    )
    kinds = matches.reference_type.max(initial=-1) + 1
    by_type = np.bincount(system[seen] * kinds + types[seen], share[seen], systems * kinds)
    precision = by_type.reshape(systems, kinds)[:, matches.reference_type] * occurrence_weights(
        matches.reference_type
    )
    fixed = ~seen
    if settings.unseen == "reference":
        best = best_token(matches)
        from_best = ~seen & (best >= 0)
        precision += np.bincount(
            system[from_best] * tokens + best[from_best], share[from_best], systems * tokens
        ).reshape(systems, tokens)
        fixed = ~seen & (best < 0)
    constant = np.bincount(place[fixed], share[fixed], systems * segments)
    return np.stack([precision, recall], axis=-1), constant.reshape(systems, segments)
