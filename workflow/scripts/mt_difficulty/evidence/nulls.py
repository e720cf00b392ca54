"""Null distributions of a weighting's gain: scores with all but the difficulty's information, and
where a value stands among them. Those with parameters that are searched again are in
`parameters`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..embedding.matches import Matches
from ..weighting.base import WeightedMetric, Weighting
from ..weighting.tokens import CHOICES, Tokens
from .resampling import interval
from .set_scores import coefficients

Key = TypeVar("Key")

NULLS = {
    "shuffled": "Difficulties of hypotheses are permuted within each system separately; those of "
    "segments with the same permutation for all systems. The parameters do not change.",
    "permuted": "Difficulties are permuted at random: over segments with the same permutation for "
    "all systems, over tokens in the whole set. The parameters do not change.",
    "retuned": "Difficulties are permuted with the same permutation for all systems, then h and w "
    "are searched again: the point of highest Pearson's r on all systems of the set, over the same "
    "grid of quantiles and w.",
    "permuted_length": "Difficulties are permuted within deciles of source length, with the same "
    "permutation of segments for all systems. The parameters do not change.",
    "constant": "Every token has the mean difficulty. (For a difficulty of segments this is the "
    "unweighted metric, which has no row.)",
    "random_subset": "The unweighted metric on a random subset of segments, the same for all "
    "systems, drawn without replacement. Its size is Kish's effective number of segments, averaged "
    "over systems.",
    "swapped": "Weights of easy and difficult segments are exchanged: w and 1 − w for two groups; "
    "for one group the easiest segment gets the weight of the hardest, and so on; a token's "
    "difficulty d becomes 1 − d.",
    "random": "Normally distributed random scores of systems instead of the metric's.",
}
# Of weightings of tokens: the same with the other weight of tokens that the reference lacks.
OTHER_UNSEEN = {
    "real": "The real difficulties",
    "constant": "A constant difficulty",
    "permuted": "Permuted difficulties",
}
NULLS |= {
    f"{null}_unseen_{unseen}": f"{text}, with `unseen: {unseen}`."
    for null, text in OTHER_UNSEEN.items()
    for unseen in ("one", "reference")
}
# Scores of systems by null, (draws, systems), or why there are none.
Nulls = dict[str, np.ndarray | str]
NO_SIZE = "the effective number of segments is undefined: a weighted group is empty"
NOT_LINEAR = "no permuted difficulty: scores are not linear in it (softmax, or unit range)"
DECILES = 10
# Difficulties of tokens that are permuted at a time.
BLOCK = 2**22
# Differences of statistics up to this are rounding.
TOLERANCE = 1e-9


def permutations(
    segments: int, draws: int, rng: np.random.Generator, groups: np.ndarray | None = None
) -> np.ndarray:
    """Random orders of places, (draws, segments); with `groups`, (segments,), places change within
    each group only."""
    places = np.tile(np.arange(segments, dtype=np.int32), (draws, 1))
    for group in [slice(None)] if groups is None else [groups == g for g in np.unique(groups)]:
        places[:, group] = rng.permuted(places[:, group], axis=1)
    return places


def length_deciles(lengths: np.ndarray) -> np.ndarray:
    """Ten groups of equal size (but for one segment) by ascending length, (segments,) to the same,
    0 to 9; of equal lengths the earlier segment is the shorter one."""
    ranks = np.empty(len(lengths), dtype=int)
    ranks[np.argsort(lengths, kind="stable")] = np.arange(len(lengths))
    return ranks * DECILES // max(len(lengths), 1)


def permuted_quality(
    weighteds: Mapping[Key, WeightedMetric], places: np.ndarray
) -> dict[Key, np.ndarray]:
    """Scores when the weights of segments change places alike for all systems.

    Parameters
    ----------
    weighteds : dict to WeightedMetric
        One or more of the same systems, segments and weights, which are gathered once.
    places : ndarray of int, (draws, segments)
        From `permutations`: segment i gets the weights of segment places[i].

    Returns
    -------
    dict to ndarray, (draws, systems)
        Higher is better; NaN for a system of which a weighted group is empty.
    """
    columns = [one.unweighted().columns[:, :, 0] for one in weighteds.values()]
    together = np.concatenate(columns, axis=-1)
    weights = next(iter(weighteds.values())).weights
    if weights is None:
        weights = np.ones((*together.shape[:2], 1))
    sums = np.empty((len(places), len(weights), weights.shape[2], together.shape[2]))
    # Of groups that share out the segments, the first is what the others leave.
    shared_out = weights.shape[2] > 1 and bool((weights.sum(axis=2) == 1).all())
    for system, own in enumerate(weights):
        for group in range(int(shared_out), own.shape[1]):
            weight = np.ascontiguousarray(own[:, group])
            sums[:, system, group] = weight[places] @ together[system]
        if shared_out:
            rest = sums[:, system, 1:].sum(axis=1)
            sums[:, system, 0] = together[system].sum(axis=0) - rest
    ends = np.cumsum([of_metric.shape[-1] for of_metric in columns])[:-1]
    parts = np.split(sums, ends, axis=-1)
    return {key: weighteds[key].quality(own) for key, own in zip(weighteds, parts, strict=True)}


def shuffled_quality(
    weighteds: Mapping[Key, WeightedMetric], draws: int, rng: np.random.Generator
) -> dict[Key, np.ndarray]:
    """Scores when the weights of segments change places within each system on its own: for weights
    in groups, when these are drawn at random, sizes kept (Liu et al. 2022, Table 4, "w/o
    entropy"). Parameters, shapes and NaN are those of `permuted_quality`."""
    systems, segments = next(iter(weighteds.values())).statistics.shape[:2]
    found = {key: np.empty((draws, systems)) for key in weighteds}
    places = permutations(segments, draws, rng)
    for system in range(systems):
        places = places if system == 0 else rng.permuted(places, axis=1)
        own = {key: one.select(slice(system, system + 1)) for key, one in weighteds.items()}
        for key, scores in permuted_quality(own, places).items():
            found[key][:, system] = scores[:, 0]
    return found


def effective_size(weighted: WeightedMetric) -> int:
    """Kish's effective number of segments, averaged over systems and rounded; at least 1, 0 where
    it is undefined."""
    mean = weighted.effective_segments().mean()
    return 0 if np.isnan(mean) else max(1, round(float(mean)))


def subset_quality(
    plains: Mapping[Key, WeightedMetric], size: int, draws: int, rng: np.random.Generator
) -> dict[Key, np.ndarray]:
    """Scores of unweighted metrics, (draws, systems), higher is better, on random subsets of `size`
    segments without replacement, the same for all systems and metrics."""
    found: dict[Key, np.ndarray] = {}
    inside: np.ndarray | None = None
    for key, one in plains.items():
        if inside is None:
            places = permutations(one.statistics.shape[1], draws, rng)
            inside = (places < size).astype(float)
        columns = np.moveaxis(one.columns, 1, 0)
        sums = inside @ columns.reshape(len(columns), -1)
        found[key] = one.quality(sums.reshape(draws, *columns.shape[1:]))
    return found


def segment_nulls(
    weighteds: Mapping[Any, WeightedMetric],
    difficulty: np.ndarray,
    draws: int,
    rng: np.random.Generator,
    deciles: np.ndarray | None,
) -> dict[Any, Nulls]:
    """System scores under the nulls of metrics under one weighting of segments, but for `retuned`.

    Parameters
    ----------
    weighteds : dict to WeightedMetric
    difficulty : ndarray, (systems, segments)
    draws : int
    rng : numpy.random.Generator
    deciles : ndarray of int, (segments,), optional
        Of source length; without them `permuted_length` is left out.

    Returns
    -------
    dict to dict of str to ndarray, (draws, systems), or str
        By the same keys, and by names of `NULLS`; of one draw where nothing is random.
    """
    segments = difficulty.shape[1]
    of_all = {"permuted": permuted_quality(weighteds, permutations(segments, draws, rng))}
    if not (difficulty == difficulty[0]).all():
        of_all["shuffled"] = shuffled_quality(weighteds, draws, rng)
    if deciles is not None:
        places = permutations(segments, draws, rng, deciles)
        of_all["permuted_length"] = permuted_quality(weighteds, places)
    found: dict[Any, Nulls] = {}
    for key, one in weighteds.items():
        found[key] = {null: scores[key] for null, scores in of_all.items()}
        found[key]["random_subset"] = NO_SIZE
        if size := effective_size(one):
            subsets = subset_quality({"": one.unweighted()}, size, draws, rng)
            found[key]["random_subset"] = subsets[""]
        found[key]["swapped"] = one.inverted(difficulty).observed_quality()[None]
    return found


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
) -> Nulls:
    """System scores under the nulls of a weighting of tokens, (draws, systems), or a reason, by
    names of `NULLS`; of one draw where nothing is random. Higher is better. `deciles` of source
    length are of all segments, (segments,); without them `permuted_length` is left out."""
    # The mean of the tokens that count for every token.
    constant = np.full_like(one.difficulty, one.difficulty[:, one.inside].mean())
    found: Nulls = {
        "permuted": permuted_scores(one, draws, rng),
        "constant": one.quality(constant)[None],
        "swapped": one.quality(1 - one.difficulty)[None],
    }
    if deciles is not None:
        groups = deciles[one.matches.reference_segment]
        found["permuted_length"] = permuted_scores(one, draws, rng, groups)
    for unseen in CHOICES["unseen"]:
        if isinstance(one.weighting, Tokens) and unseen != one.weighting.unseen:
            other = one._replace(weighting=one.weighting.with_unseen(unseen))
            found[f"real_unseen_{unseen}"] = other.quality(one.difficulty)[None]
            found[f"constant_unseen_{unseen}"] = other.quality(constant)[None]
            found[f"permuted_unseen_{unseen}"] = permuted_scores(other, draws, rng)
    return found


def permuted_scores(
    one: TokenScores, draws: int, rng: np.random.Generator, groups: np.ndarray | None = None
) -> np.ndarray | str:
    """DA scores, (draws, systems), with difficulties permuted over the reference tokens of the
    segments that count, the same for all systems, within `groups`, (reference tokens,), if given;
    NOT_LINEAR of a weighting that is not linear.

    Precision and recall are linear in the difficulties, so that blocks of draws are products of
    matrices."""
    weighting, inside = one.weighting, one.inside
    if not (isinstance(weighting, Tokens) and weighting.linear):
        return NOT_LINEAR
    slopes, fixed = coefficients(one.matches, weighting)
    groups = None if groups is None else groups[inside]
    slopes, difficulty = slopes[:, inside], one.difficulty[:, inside]
    fixed, tokens = fixed[:, one.segments], slopes.shape[1]
    everywhere = np.broadcast_to(difficulty, slopes.shape[:2])
    sums = np.zeros((draws, len(slopes), 2))
    sums[..., 0] = fixed.sum(axis=1)
    step = max(1, BLOCK // max(tokens, 1))
    for start in range(0, draws, step):
        block = sums[start : start + step]
        order = permutations(tokens, len(block), rng, groups)
        first, alike = difficulty[0][order], len(difficulty) == 1
        drawn = (first if alike else own[order] for own in everywhere)
        # A product for each system: equal systems have equal scores on every processor.
        block += np.stack([own @ weight for own, weight in zip(drawn, slopes, strict=True)], axis=1)
    return weighting.aggregate(sums, np.full(len(slopes), fixed.shape[1]))


def quantile(value: float, values: np.ndarray) -> float:
    """Share of the values, NaN left aside, below a value; ties count half. NaN if there are none
    or the value is NaN."""
    values = values[~np.isnan(values)]
    if not values.size or np.isnan(value):
        return np.nan
    ties = np.isclose(values, value, rtol=0, atol=TOLERANCE)
    return float(np.mean(np.where(ties, 0.5, values < value)))


def place(value: float, standard: float, draws: np.ndarray) -> list[float]:
    """Mean and 95 % range of the draws, the share of them below a value, that above the
    unweighted metric, and how many are defined; NaN of none. One draw has no range or shares."""
    defined = draws[~np.isnan(draws)]
    if len(draws) <= 1:
        return [defined.mean() if defined.size else np.nan, *[np.nan] * 4, len(defined)]
    if not defined.size:
        return [*[np.nan] * 5, 0]
    above = np.nan if np.isnan(standard) else float((defined > standard + TOLERANCE).mean())
    low, high = map(float, interval(defined))
    return [defined.mean(), low, high, quantile(value, defined), above, len(defined)]
