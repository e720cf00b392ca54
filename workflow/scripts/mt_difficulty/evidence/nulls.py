"""Null distributions of weightings' correlations; human rankings of systems on hard segments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from ..data.evalset import EvaluationSet, SetFiles
from ..difficulty.base import among_hardest
from ..difficulty.length import Length
from ..embedding import Matches, select
from ..errors import Missing
from ..scores import Key, ScoredSet, baseline, coefficients
from ..statistics import evaluate, of_scores
from ..statistics.pearson import Pearson
from ..storage import Content
from ..tables import TABLES
from ..weighting.base import PLAIN, Parameters, WeightedMetric, Weighting
from ..weighting.DA import CHOICES, DA
from ..weighting.fitted import with_difficulty
from .resampling import interval, resampled_scores
from .subsets import best_systems
from .units import DOCUMENTS, Units, units_of_set

NULLS = {
    "shuffled": "Difficulties of hypotheses are permuted within each system separately; those of "
    "segments with the same permutation for all systems. The parameters do not change.",
    "permuted": "Difficulties are permuted at random: over segments with the same permutation for "
    "all systems, over tokens in the whole set. The parameters do not change. By document: every "
    "document takes the difficulties of a random document, no two of the same one, repeated or "
    "skipped in proportion where the two differ in length.",
    "retuned": "Difficulties are permuted with the same permutation for all systems, then h and w "
    "are searched again: the point of highest Pearson's r on all systems of the set, over the same "
    "grid of quantiles and w.",
    "permuted_length": "Difficulties are permuted within deciles of source length, with the same "
    "permutation of segments for all systems. The parameters do not change. Single segments, also "
    "where the other nulls permute documents.",
    "constant": "Every token has the mean difficulty. (For a difficulty of segments this is the "
    "unweighted metric, which has no row.)",
    "random_subset": "The unweighted metric on a random subset of segments, the same for all "
    "systems, drawn without replacement. Its size is Kish's effective number of segments, averaged "
    "over systems. By document: whole documents in random order; the last one is cut.",
    "swapped": "Weights of easy and difficult segments are exchanged: w and 1 − w for two groups; "
    "for one group the easiest segment gets the weight of the hardest, and so on; a token's "
    "difficulty d becomes 1 − d.",
    "random": "Normally distributed random scores of systems instead of the metric's.",
}
# For weightings of tokens: the other weight of tokens that are not in the reference.
for _null in ("real", "constant", "permuted"):
    for _unseen in ("one", "reference"):
        _text = f"{_null.capitalize()} difficulties of tokens, with `unseen: {_unseen}`."
        NULLS[f"{_null}_unseen_{_unseen}"] = _text
# System scores by null, (draws, systems), or the reason why there are none.
Nulls = dict[str, np.ndarray | str]
NO_SIZE = "the effective number of segments is undefined: a weighted group is empty"
NOT_LINEAR = "no permuted difficulty: scores are not linear in it (softmax, or unit range)"
UNDEFINED = "under this null all systems have the same score, or a system has none"
# Token difficulties that are permuted at a time.
BLOCK = 2**22
# Statistics that differ by less are equal up to rounding.
TOLERANCE = 1e-9
# Share of the segments that count as the hardest ones.
SHARE = 0.1
RANKING_COLUMNS = TABLES["difficulty_and_gold.csv"].names()
NO_RANKING = "a system has no human score on the hardest segments, or all have the same"
ALIKE = "the difficulty is the same for all hypotheses of a segment"


def permutations(units: Units, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Draw permutations of segments, or of tokens.

    With documents as units, documents are permuted: the k-th segment of a document of m segments
    gets the values of segment ⌊k · n / m⌋ (from 0) of a document of n segments, so that all values
    of a document come from one document. Without documents every permutation of single segments is
    equally likely.

    Parameters
    ----------
    units : Units
        Of the segments or tokens.
    draws : int
    rng : Generator

    Returns
    -------
    ndarray
        (draws, segments) of int32: the segment whose values each segment gets.
    """
    if units.kind != DOCUMENTS:
        indices = np.arange(len(units.numbers), dtype=np.int32)
        return rng.permuted(np.tile(indices, (draws, 1)), axis=1)
    sizes = np.bincount(units.numbers)
    ends = np.cumsum(sizes)
    starts = ends - sizes
    by_document = np.argsort(units.numbers, kind="stable")
    place_in_document = np.empty(len(by_document), int)
    place_in_document[by_document] = np.arange(len(by_document)) - np.repeat(starts, sizes)
    sources = rng.permuted(np.tile(np.arange(units.size), (draws, 1)), axis=1)
    source_of_segment = sources[:, units.numbers]
    size_of_document = sizes[units.numbers]
    place_in_source = place_in_document * sizes[source_of_segment] // size_of_document
    return by_document[starts[source_of_segment] + place_in_source].astype(np.int32)


def _documents_in_random_order(units: Units, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Return segments, (draws, segments), document after document in random order; within each
    document the order of the set."""
    numbers = np.arange(units.size, dtype=np.min_scalar_type(units.size))
    turns = rng.permuted(np.tile(numbers, (draws, 1)), axis=1)
    return np.argsort(turns[:, units.numbers], axis=1, kind="stable").astype(np.int32)


def permutations_within(groups: np.ndarray, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Draw permutations of single segments within groups.

    Parameters
    ----------
    groups : ndarray
        The group of each segment, (segments,).
    draws : int
    rng : Generator

    Returns
    -------
    ndarray
        (draws, segments) of int32.
    """
    orders = np.tile(np.arange(len(groups), dtype=np.int32), (draws, 1))
    for group in np.unique(groups):
        inside = groups == group
        orders[:, inside] = rng.permuted(orders[:, inside], axis=1)
    return orders


def further_permutations(
    units: Units, orders: np.ndarray, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """Yield further permutations of segments without end, each as many as `orders` has.

    Parameters
    ----------
    units : Units
    orders : ndarray
        The first permutations, (draws, segments).
    rng : Generator

    Yields
    ------
    ndarray
        (draws, segments).
    """
    while True:
        if units.kind == DOCUMENTS:
            orders = permutations(units, len(orders), rng)
        else:
            orders = rng.permuted(orders, axis=1)
        yield orders


def random_segments(units: Units, size: int, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Draw random subsets of segments: whole documents in random order, of which the last is cut.

    Parameters
    ----------
    units : Units
    size : int
        Segments of a subset.
    draws : int
    rng : Generator

    Returns
    -------
    ndarray of bool
        (draws, segments).
    """
    if units.kind != DOCUMENTS:
        return permutations(units, draws, rng) < size
    is_chosen = np.zeros((draws, len(units.numbers)), bool)
    chosen = _documents_in_random_order(units, draws, rng)[:, :size]
    np.put_along_axis(is_chosen, chosen, values=True, axis=1)
    return is_chosen


def length_deciles(lengths: np.ndarray) -> np.ndarray:
    """Divide segments into ten equal groups by ascending length, (segments,) of 0 to 9; sizes
    differ by at most one segment, and ties are broken by segment order."""
    ranks = np.argsort(np.argsort(lengths, kind="stable"))
    return ranks * 10 // max(len(lengths), 1)


def permuted_quality(
    weighteds: Mapping[Any, WeightedMetric],
    orders: np.ndarray,
    others: Iterator[np.ndarray] | None = None,
) -> dict[Any, np.ndarray]:
    """Score systems with permuted segment weights.

    Parameters
    ----------
    weighteds : mapping of WeightedMetric
        Of the same systems, segments and weights.
    orders : ndarray
        Permutations of segments, (draws, segments): segment i gets the weights of segment
        orders[i], the same for all systems.
    others : iterator of ndarray, optional
        With it, each system after the first takes its own permutations from it.

    Returns
    -------
    dict of ndarray
        (draws, systems) by the keys of `weighteds`; higher is better, NaN where a weighted group is
        empty.
    """
    columns = [weighted.unweighted().columns[:, :, 0] for weighted in weighteds.values()]
    joined = np.concatenate(columns, axis=-1)
    weights = next(iter(weighteds.values())).weights
    if weights is None:
        weights = np.ones((*joined.shape[:2], 1))
    groups = weights.shape[2]
    sums = np.empty((len(orders), len(weights), groups, joined.shape[2]))
    # If groups partition the segments, the first sum is the total minus the others.
    is_partition = groups > 1 and bool((weights.sum(axis=2) == 1).all())
    first_group = 1 if is_partition else 0
    for system, system_weights in enumerate(weights):
        if others and system:
            orders = next(others)
        for group in range(first_group, groups):
            weight = np.ascontiguousarray(system_weights[:, group])
            sums[:, system, group] = weight[orders] @ joined[system]
        if is_partition:
            total = joined[system].sum(axis=0)
            of_other_groups = sums[:, system, 1:].sum(axis=1)
            sums[:, system, 0] = total - of_other_groups
    ends = np.cumsum([metric_columns.shape[-1] for metric_columns in columns])[:-1]
    metric_sums = np.split(sums, ends, axis=-1)
    quality = {}
    for key, metric_sum in zip(weighteds, metric_sums, strict=True):
        quality[key] = weighteds[key].quality(metric_sum)
    return quality


def effective_size(weighted: WeightedMetric) -> int:
    """Return Kish's effective number of segments, mean over systems, rounded; 0 if undefined."""
    mean = weighted.effective_segments().mean()
    return 0 if np.isnan(mean) else max(1, round(float(mean)))


def segment_nulls(
    weighteds: Mapping[Any, WeightedMetric],
    difficulty: np.ndarray,
    draws: int,
    rng: np.random.Generator,
    deciles: np.ndarray | None,
    units: Units,
) -> dict[Any, Nulls]:
    """Score systems under the nulls (all but `retuned`) of one weighting of segments.

    Parameters
    ----------
    weighteds : mapping of WeightedMetric
        Metrics under the weighting.
    difficulty : ndarray
        (systems, segments), higher is harder.
    draws : int
        Number of draws of random nulls.
    rng : Generator
    deciles : ndarray or None
        Deciles of source length, (segments,); None without a source.
    units : Units
        What is permuted and drawn.

    Returns
    -------
    dict of dict
        By key of `weighteds` and name in NULLS: scores, (draws, systems), one draw without
        randomness, or the reason why there are none.
    """
    orders = permutations(units, draws, rng)
    permuted = {"permuted": permuted_quality(weighteds, orders)}
    differs_by_system = (difficulty != difficulty[0]).any()
    if differs_by_system:
        orders = permutations(units, draws, rng)
        others = further_permutations(units, orders, rng)
        permuted["shuffled"] = permuted_quality(weighteds, orders, others)
    if deciles is not None:
        orders = permutations_within(deciles, draws, rng)
        permuted["permuted_length"] = permuted_quality(weighteds, orders)
    nulls: dict[Any, Nulls] = {}
    for key, weighted in weighteds.items():
        scores_of_key: Nulls = {null: scores[key] for null, scores in permuted.items()}
        scores_of_key["random_subset"] = NO_SIZE
        size = effective_size(weighted)
        if size:
            is_chosen = random_segments(units, size, draws, rng)
            [of_subsets] = resampled_scores([weighted.unweighted()], is_chosen)
            scores_of_key["random_subset"] = of_subsets
        swapped = weighted.inverted(difficulty)
        scores_of_key["swapped"] = swapped.observed_quality()[None]
        nulls[key] = scores_of_key
    return nulls


def token_nulls(
    matches: Matches,
    weighting: Weighting,
    parameters: Parameters,
    difficulty: np.ndarray,
    segments: np.ndarray,
    draws: int,
    rng: np.random.Generator,
    deciles: np.ndarray | None,
    units: Units,
) -> Nulls:
    """Score systems under the nulls of a weighting of tokens.

    Parameters
    ----------
    matches : Matches
        Of the systems at hand.
    weighting : Weighting
    parameters : dict
        Fitted parameters of the weighting.
    difficulty : ndarray
        (1 or systems, reference tokens), about 0 to 1, higher is harder.
    segments : ndarray
        Indices of the segments that count.
    draws : int
        Number of draws of random nulls.
    rng : Generator
    deciles : ndarray or None
        Deciles of source length of all segments; None without a source.
    units : Units
        Units of the segments that count.

    Returns
    -------
    dict
        By name in NULLS: scores, (draws, systems), one draw without randomness, or the reason why
        there are none.
    """
    inside = np.isin(matches.reference_segment, segments)
    mean = difficulty[:, inside].mean() if inside.any() else np.nan
    constant = np.full_like(difficulty, mean)
    segment_of_token = matches.reference_segment[inside]
    token_units = units.select(np.searchsorted(segments, segment_of_token))

    def quality(variant: Weighting, values: np.ndarray) -> np.ndarray:
        """Score systems with these difficulties, (1, systems)."""
        scored = variant.apply(matches, values, parameters)
        return scored.select(segments=segments).observed_quality()[None]

    def permuted(variant: Weighting, groups: np.ndarray | None = None) -> np.ndarray | str:
        """Permute difficulties over reference tokens of the segments that count, by document or
        within groups, the same for all systems. As the weighting is linear, blocks of draws are
        matrix products."""
        if not (isinstance(variant, DA) and variant.linear):
            return NOT_LINEAR
        slopes, fixed = coefficients(matches, variant)
        slopes = slopes[:, inside]
        fixed = fixed[:, segments]
        values = difficulty[:, inside]
        sums = np.zeros((draws, len(slopes), 2))
        sums[..., 0] = fixed.sum(axis=1)
        step = max(1, BLOCK // max(slopes.shape[1], 1))
        for start in range(0, draws, step):
            block = sums[start : start + step]
            if groups is None:
                order = permutations(token_units, len(block), rng)
            else:
                order = permutations_within(groups, len(block), rng)
            shared = values[0][order]
            # One product per system, so that equal systems have equal scores on every processor.
            for system, slope in enumerate(slopes):
                moved = shared if len(values) == 1 else values[system][order]
                block[:, system] += moved @ slope
        return variant.aggregate(sums, np.full(len(slopes), fixed.shape[1]))

    nulls: Nulls = {
        "permuted": permuted(weighting),
        "constant": quality(weighting, constant),
        "swapped": quality(weighting, 1 - difficulty),
    }
    if deciles is not None:
        nulls["permuted_length"] = permuted(weighting, deciles[segment_of_token])
    for unseen in CHOICES["unseen"]:
        if isinstance(weighting, DA) and unseen != weighting.unseen:
            variant = DA(unseen, weighting.smoothing, weighting.range, weighting.beta)
            nulls[f"real_unseen_{unseen}"] = quality(variant, difficulty)
            nulls[f"constant_unseen_{unseen}"] = quality(variant, constant)
            nulls[f"permuted_unseen_{unseen}"] = permuted(variant)
    return nulls


def quantile(value: float, values: np.ndarray) -> float:
    """Return the share of `values` below `value`; ties count half, NaN values are ignored. NaN if
    no value remains or `value` is NaN."""
    values = values[~np.isnan(values)]
    if not values.size or np.isnan(value):
        return np.nan
    is_tied = np.isclose(values, value, rtol=0, atol=TOLERANCE)
    below = np.where(is_tied, 0.5, values < value)
    return float(below.mean())


def compare_with_draws(value: float, standard: float, draws: np.ndarray) -> list[float]:
    """Compare a value with null draws.

    Parameters
    ----------
    value : float
        The observed value.
    standard : float
        The value of the unweighted metric; NaN if unknown.
    draws : ndarray
        Values under a null, (draws,), NaN where undefined.

    Returns
    -------
    list of float
        Mean and 95 % range of the draws, share below `value`, share above `standard`, number
        defined; NaN if none is. A single draw has no range or shares.
    """
    defined = draws[~np.isnan(draws)]
    mean = defined.mean() if defined.size else np.nan
    if len(draws) <= 1 or not defined.size:
        return [mean, np.nan, np.nan, np.nan, np.nan, len(defined)]
    above = np.nan
    if not np.isnan(standard):
        above = float((defined > standard + TOLERANCE).mean())
    low, high = map(float, interval(defined))
    below = quantile(value, defined)
    return [mean, low, high, below, above, len(defined)]


def control(
    scores: ScoredSet,
    evalset: EvaluationSet,
    correlations: pd.DataFrame,
    missing: Mapping[Key, str],
    retuned: Mapping[Key, np.ndarray],
    statistics: Sequence[str],
    tops: Sequence[int],
    draws: int,
    seed: int,
    units: Units,
) -> pd.DataFrame:
    """Compare every weighting of a set with its nulls, over all systems and over the best ones.

    Parameters
    ----------
    scores : ScoredSet
    evalset : EvaluationSet
    correlations : DataFrame
        `correlations.csv`, with the observed statistics.
    missing : mapping of (metric, weighting) to str
        Reasons for absent scores.
    retuned : mapping of (metric, weighting) to ndarray
        Scores under that null, (draws, systems), from `map_parameters`.
    statistics : sequence of str
        Names of statistics; those that are not computed from system scores are ignored.
    tops : sequence of int
        Sizes of subsets of the best systems.
    draws, seed : int
        Number of draws of random nulls, and seed.
    units : Units
        Units of the segments that count.

    Returns
    -------
    DataFrame
        `controls.csv`.
    """
    gold = np.array(evalset.gold)
    statistics = of_scores(statistics)
    index = correlations.set_index(["metric", "weighting", "subset", "size"]).index
    values = dict(zip(index, correlations[statistics].to_numpy(), strict=True))
    reasons = dict(zip(index, correlations.reason, strict=True))
    scored = [(metric, weighting) for metric, weighting, *_ in values]
    keys = list(dict.fromkeys([*scored, *missing]))
    deciles, without_length = _source_deciles(evalset)
    undefined = np.full(len(statistics), np.nan)
    rows = []
    subsets = [("all", np.arange(len(gold)))]
    subsets += [("top", best_systems(gold, size)) for size in tops if size < len(gold)]
    for subset, systems in subsets:
        size = len(systems)
        drawn = set_nulls(scores, systems, deciles, draws, seed, units)
        random = np.random.default_rng(seed).standard_normal((draws, size))
        for key in keys:
            if key[1] in PLAIN:
                continue
            nulls = dict(drawn.get(key, {}))
            if nulls and without_length:
                nulls["permuted_length"] = without_length
            if key in retuned:
                nulls["retuned"] = retuned[key][:, systems]
            ordered = {null: nulls[null] for null in NULLS if null in nulls}
            ordered["random"] = random
            value = values.get((*key, subset, size), undefined)
            standard = values.get((*baseline(key[0], keys), subset, size), undefined)
            no_value = missing.get(key, reasons.get((*key, subset, size)))
            tuned = "yes" if scores.weightings[key[1]]["tuned"] else "no"
            observed = zip(statistics, value, standard, strict=True)
            for (statistic, x, plain), null in product(observed, ordered):
                compared, reason = _compare_with_null(
                    statistic, x, plain, ordered[null], gold[systems]
                )
                if np.isnan(x):
                    reason = no_value
                row = [*key, subset, size, statistic, x, plain, tuned, null]
                rows.append([*row, *compared, reason])
    columns = TABLES["controls.csv"].names(without=["difficulty"])
    return with_difficulty(pd.DataFrame(rows, columns=columns), scores.weightings)


def _source_deciles(evalset: EvaluationSet) -> tuple[np.ndarray | None, str]:
    """Return deciles of source length, (segments,), or None and the reason."""
    try:
        return length_deciles(Length().estimate(evalset)), ""
    except Missing as missing_source:
        return None, str(missing_source)


def _compare_with_null(
    statistic: str, value: float, standard: float, quality: np.ndarray | str, gold: np.ndarray
) -> tuple[list[float], str | None]:
    """Compare a statistic with its values under a null (`compare_with_draws`); `quality` has scores
    under the null, (draws, systems), or the reason why there are none."""
    if isinstance(quality, str):
        return compare_with_draws(value, standard, np.empty(0)), quality
    draws = evaluate([statistic], quality, gold)[:, 0]
    compared = compare_with_draws(value, standard, draws)
    mean = compared[0]
    return compared, UNDEFINED if np.isnan(mean) else ""


def set_nulls(
    scores: ScoredSet,
    systems: np.ndarray,
    deciles: np.ndarray | None,
    draws: int,
    seed: int,
    units: Units,
) -> dict[Key, Nulls]:
    """Score some systems under the nulls (all but `retuned`), by metric and weighting.

    The random draws of a weighting do not depend on which other weightings there are.

    Parameters
    ----------
    scores : ScoredSet
    systems : ndarray
        Indices of systems.
    deciles : ndarray or None
        Deciles of source length, (segments,); None without a source.
    draws, seed : int
        Number of draws of random nulls, and seed.
    units : Units
        Units of the segments that count.

    Returns
    -------
    dict of dict
        Results of `segment_nulls` and `token_nulls` by metric and weighting.
    """
    weighteds = scores.of(systems)
    nulls: dict[Key, Nulls] = {}
    names = dict.fromkeys(weighting for _, weighting in weighteds if weighting not in PLAIN)
    for name in names:
        estimator = scores.difficulty_of(name)
        weighting = scores.weighting(name)
        rng = np.random.default_rng(seed)
        if weighting.unit == "token":
            for part in scores.parts:
                drawn = token_nulls(
                    matches=select(part.matches, systems),
                    weighting=weighting,
                    parameters=scores.weightings[name]["parameters"],
                    difficulty=scores.token_difficulty(estimator, part, systems),
                    segments=scores.counted,
                    draws=draws,
                    rng=rng,
                    deciles=deciles,
                    units=units,
                )
                for metric in part.metrics:
                    nulls[metric, name] = drawn
        else:
            metrics = {key: weighted for key, weighted in weighteds.items() if key[1] == name}
            difficulty = scores.difficulty(estimator, systems)[:, scores.counted]
            counted = None if deciles is None else deciles[scores.counted]
            nulls |= segment_nulls(metrics, difficulty, draws, rng, counted, units)
    return nulls


def rank_by_difficulties(
    files: SetFiles, draws: int, seed: int, unit: str = DOCUMENTS
) -> pd.DataFrame:
    """Compare human rankings of systems on hard and other segments, for every difficulty.

    Parameters
    ----------
    files : SetFiles
        With `evalset.json`, `weightings.json` and `difficulty/<name>.npz`.
    draws, seed : int
        Number of random subsets, and seed.
    unit : {"documents", "segments"}
        What random subsets permute where documents are known.

    Returns
    -------
    DataFrame
        `difficulty_and_gold.csv`: results of `rank_by_difficulty` for difficulties of segments or
        hypotheses.

    Raises
    ------
    Missing
        Without human scores.
    """
    evalset: EvaluationSet = files.read("evalset.json")
    evalset.require_gold()
    evalset.require_segment_gold()
    gold = np.array(evalset.segment_gold, dtype=float)
    rated = np.flatnonzero(np.isfinite(gold).any(axis=0))
    gold = gold[:, rated]
    units = units_of_set(evalset, rated, unit)
    rows = []
    for name, entry in files.read("weightings.json")["difficulties"].items():
        if entry["unit"] == "token":
            continue
        row = {"difficulty": name, "reason": entry["missing"]}
        if not entry["missing"]:
            difficulty = files.read(f"difficulty/{name}.npz")["difficulty"]
            rng = np.random.default_rng(seed)
            row |= rank_by_difficulty(difficulty[:, rated], gold, draws, rng, units)
        rows.append(row)
    return pd.DataFrame(rows, columns=RANKING_COLUMNS)


def rank_by_difficulty(
    difficulty: np.ndarray,
    gold: np.ndarray,
    draws: int,
    rng: np.random.Generator,
    units: Units,
) -> Content:
    """Compare human rankings of systems on the hardest segments with those on the others.

    Parameters
    ----------
    difficulty : ndarray
        (systems, segments), higher is harder; may be infinite.
    gold : ndarray
        Human scores, (systems, segments), NaN where absent; every segment has one.
    draws : int
        Number of random subsets.
    rng : Generator
    units : Units
        What is permuted for random subsets.

    Returns
    -------
    dict
        RANKING_COLUMNS but the first. `r` is Pearson's between systems' mean human scores on the
        hardest SHARE of the rated segments, by mean difficulty over systems (Liu et al. 2022, Eq.
        8), and on the others; `random_*` are of random subsets, for which the places of the hardest
        segments are permuted; `within_r` is that of
        `_within_segments`, over `hypotheses`.
    """
    segments = gold.shape[1]
    size = max(1, int(SHARE * segments))
    is_rated = np.isfinite(gold)
    scores = np.where(is_rated, gold, 0.0).T
    counts = is_rated.T.astype(float)

    # The hardest segments first, then random ones.
    hardest = among_hardest(difficulty.mean(axis=0), size)
    random_subsets = hardest[permutations(units, draws, rng)]
    inside = np.concatenate([hardest[None], random_subsets])
    sums = inside @ scores
    number = inside @ counts
    other_sums = scores.sum(axis=0) - sums
    other_number = counts.sum(axis=0) - number
    with np.errstate(invalid="ignore", divide="ignore"):
        correlations = np.asarray(Pearson()(sums / number, other_sums / other_number))
    r, random_r = correlations[0], correlations[1:]
    mean, low, high, below, *_ = compare_with_draws(r, np.nan, random_r)
    within, hypotheses = _within_segments(difficulty, gold)
    reasons = []
    if np.isnan(r):
        reasons.append(NO_RANKING)
    if np.isnan(within):
        reasons.append(ALIKE)
    values = [segments, size, r, mean, low, high, below, hypotheses, within, "; ".join(reasons)]
    return dict(zip(RANKING_COLUMNS[1:], values, strict=True))


def _within_segments(difficulty: np.ndarray, gold: np.ndarray) -> tuple[float, int]:
    """Return Pearson's r between difficulty and human score over the hypotheses that have both,
    each minus its segment's mean, and the number of these hypotheses."""
    is_known = np.isfinite(gold) & np.isfinite(difficulty)
    x = _minus_segment_mean(difficulty, is_known)
    y = _minus_segment_mean(gold, is_known)
    hypotheses = int(is_known.sum())
    if not hypotheses:
        return np.nan, 0
    # If values are equal, differences to their mean are only rounding errors.
    rounding = 1e-12 * np.abs(difficulty[is_known]).max()
    if np.abs(x).max() <= rounding:
        return np.nan, hypotheses
    return float(Pearson()(x, y)), hypotheses


def _minus_segment_mean(values: np.ndarray, is_known: np.ndarray) -> np.ndarray:
    """Return known values, (known hypotheses,), minus the mean of their segment's known values."""
    masked = np.ma.array(values, mask=~is_known)
    difference = masked - masked.mean(axis=0)
    return np.asarray(difference[is_known])
