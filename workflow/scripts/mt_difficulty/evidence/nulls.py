"""Null distributions of weightings' correlations; human rankings of systems on hard segments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
BLOCK = 2**22  # token difficulties that are permuted at a time
TOLERANCE = 1e-9  # statistics that differ by less are equal up to rounding
SHARE = 0.1  # of the segments, the hardest ones
RANKING_COLUMNS = TABLES["difficulty_and_gold.csv"].names()
NO_RANKING = "a system has no human score on the hardest segments, or all have the same"
ALIKE = "the difficulty is the same for all hypotheses of a segment"


def permutations(
    segments: int, draws: int, rng: np.random.Generator, groups: np.ndarray | None = None
) -> np.ndarray:
    """Draw permutations of segment indices, (draws, segments), within `groups` if given."""
    places = np.tile(np.arange(segments, dtype=np.int32), (draws, 1))
    for group in [slice(None)] if groups is None else [groups == g for g in np.unique(groups)]:
        places[:, group] = rng.permuted(places[:, group], axis=1)
    return places


def length_deciles(lengths: np.ndarray) -> np.ndarray:
    """Divide segments into ten equal groups by ascending length, (segments,) of 0 to 9; sizes
    differ by at most one segment, and ties are broken by segment order."""
    ranks = np.argsort(np.argsort(lengths, kind="stable"))
    return ranks * 10 // max(len(lengths), 1)


def permuted_quality(
    weighteds: Mapping[Any, WeightedMetric],
    places: np.ndarray,
    rng: np.random.Generator | None = None,
) -> dict[Any, np.ndarray]:
    """Score systems with permuted segment weights, (draws, systems) by the keys of `weighteds`,
    which have the same systems, segments and weights; higher is better, NaN where a weighted group
    is empty. Segment i gets the weights of segment places[i] of `permutations`, the same for all
    systems; with `rng`, each system has its own (Liu et al. 2022, Table 4, "w/o entropy")."""
    columns = [weighted.unweighted().columns[:, :, 0] for weighted in weighteds.values()]
    together = np.concatenate(columns, axis=-1)
    weights = next(iter(weighteds.values())).weights
    if weights is None:
        weights = np.ones((*together.shape[:2], 1))
    sums = np.empty((len(places), len(weights), weights.shape[2], together.shape[2]))
    # If groups partition the segments, the first sum is the total minus the others.
    shared_out = weights.shape[2] > 1 and bool((weights.sum(axis=2) == 1).all())
    for system, of_system in enumerate(weights):
        if rng and system:
            places = rng.permuted(places, axis=1)
        for group in range(int(shared_out), of_system.shape[1]):
            weight = np.ascontiguousarray(of_system[:, group])
            sums[:, system, group] = weight[places] @ together[system]
        if shared_out:
            sums[:, system, 0] = together[system].sum(axis=0) - sums[:, system, 1:].sum(axis=1)
    ends = np.cumsum([of_metric.shape[-1] for of_metric in columns])[:-1]
    parts = zip(weighteds.items(), np.split(sums, ends, axis=-1), strict=True)
    return {key: weighted.quality(part) for (key, weighted), part in parts}


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
) -> dict[Any, Nulls]:
    """Score systems under the nulls (all but `retuned`) of one weighting of segments: by key of
    `weighteds` and name in `NULLS`, (draws, systems), one draw without randomness, or a reason.
    `difficulty` is (systems, segments), `deciles` of source length (segments,)."""
    segments = difficulty.shape[1]
    of_all = {"permuted": permuted_quality(weighteds, permutations(segments, draws, rng))}
    if not (difficulty == difficulty[0]).all():
        of_all["shuffled"] = permuted_quality(weighteds, permutations(segments, draws, rng), rng)
    if deciles is not None:
        places = permutations(segments, draws, rng, deciles)
        of_all["permuted_length"] = permuted_quality(weighteds, places)
    nulls: dict[Any, Nulls] = {}
    for key, weighted in weighteds.items():
        nulls[key] = {null: scores[key] for null, scores in of_all.items()}
        nulls[key]["random_subset"] = NO_SIZE
        if size := effective_size(weighted):
            inside = permutations(segments, draws, rng) < size
            (nulls[key]["random_subset"],) = resampled_scores([weighted.unweighted()], inside)
        nulls[key]["swapped"] = weighted.inverted(difficulty).observed_quality()[None]
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
) -> Nulls:
    """Score systems under the nulls of a weighting of tokens, (draws, systems) by name, as
    `segment_nulls`. `difficulty` is (1 or systems, reference tokens), about 0 to 1; `segments` are
    indices of the segments that count; `deciles` of source length are for all segments."""
    inside = np.isin(matches.reference_segment, segments)
    mean = difficulty[:, inside].mean() if inside.any() else np.nan
    constant = np.full_like(difficulty, mean)

    def quality(variant: Weighting, values: np.ndarray) -> np.ndarray:
        scored = variant.apply(matches, values, parameters)
        return scored.select(segments=segments).observed_quality()[None]

    def permuted(variant: Weighting, groups: np.ndarray | None = None) -> np.ndarray | str:
        """Permute difficulties over reference tokens of the segments that count, the same for all
        systems. As the weighting is linear, blocks of draws are matrix products."""
        if not (isinstance(variant, DA) and variant.linear):
            return NOT_LINEAR
        slopes, fixed = coefficients(matches, variant)
        slopes, fixed, values = slopes[:, inside], fixed[:, segments], difficulty[:, inside]
        sums = np.zeros((draws, len(slopes), 2))
        sums[..., 0] = fixed.sum(axis=1)
        step = max(1, BLOCK // max(slopes.shape[1], 1))
        for start in range(0, draws, step):
            block = sums[start : start + step]
            order = permutations(slopes.shape[1], len(block), rng, groups)
            shared = values[0][order]
            # One product per system, so that equal systems have equal scores on every processor.
            for system, slope in enumerate(slopes):
                of_system = shared if len(values) == 1 else values[system][order]
                block[:, system] += of_system @ slope
        return variant.aggregate(sums, np.full(len(slopes), fixed.shape[1]))

    nulls: Nulls = {
        "permuted": permuted(weighting),
        "constant": quality(weighting, constant),
        "swapped": quality(weighting, 1 - difficulty),
    }
    if deciles is not None:
        nulls["permuted_length"] = permuted(weighting, deciles[matches.reference_segment[inside]])
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
    ties = np.isclose(values, value, rtol=0, atol=TOLERANCE)
    return float(np.mean(np.where(ties, 0.5, values < value)))


def place(value: float, standard: float, draws: np.ndarray) -> list[float]:
    """Compare a value with null draws: mean and 95 % range of the draws, share below `value`, share
    above `standard`, number defined; NaN if none is. A single draw has no range or shares."""
    defined = draws[~np.isnan(draws)]
    mean = defined.mean() if defined.size else np.nan
    if len(draws) <= 1 or not defined.size:
        return [mean, *[np.nan] * 4, len(defined)]
    above = np.nan if np.isnan(standard) else float((defined > standard + TOLERANCE).mean())
    low, high = map(float, interval(defined))
    return [mean, low, high, quantile(value, defined), above, len(defined)]


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
) -> pd.DataFrame:
    """Make `controls.csv`: compare every weighting of a set with its nulls, over all systems and
    over the best ones (sizes in `tops`).
    Observed statistics come from `correlations.csv`; `missing` has reasons for absent scores,
    `retuned` the scores of that null, (draws, systems), from `map_parameters`."""
    gold, statistics = np.array(evalset.gold), of_scores(statistics)
    index = correlations.set_index(["metric", "weighting", "subset", "size"]).index
    values = dict(zip(index, correlations[statistics].to_numpy(), strict=True))
    reasons = dict(zip(index, correlations.reason, strict=True))
    keys = dict.fromkeys([*(key[:2] for key in values), *missing])
    deciles, without_length = None, ""
    try:
        deciles = length_deciles(Length().estimate(evalset))
    except Missing as missing_source:
        without_length = str(missing_source)
    undefined, rows = np.full(len(statistics), np.nan), []
    subsets = [("all", np.arange(len(gold)))]
    subsets += [("top", best_systems(gold, size)) for size in tops if size < len(gold)]
    for subset, systems in subsets:
        size = len(systems)
        drawn = set_nulls(scores, systems, deciles, draws, seed)
        random = np.random.default_rng(seed).standard_normal((draws, size))
        for key in [key for key in keys if key[1] not in PLAIN]:
            nulls = dict(drawn.get(key, {}))
            if nulls and without_length:
                nulls["permuted_length"] = without_length
            if key in retuned:
                nulls["retuned"] = retuned[key][:, systems]
            nulls = {null: nulls[null] for null in NULLS if null in nulls} | {"random": random}
            value = values.get((*key, subset, size), undefined)
            standard = values.get((*baseline(key[0], keys), subset, size), undefined)
            why = missing.get(key, reasons.get((*key, subset, size)))
            tuned = "yes" if scores.weightings[key[1]]["tuned"] else "no"
            for (i, statistic), (null, quality) in product(enumerate(statistics), nulls.items()):
                if isinstance(quality, str):
                    numbers, reason = place(value[i], standard[i], np.empty(0)), quality
                else:
                    of_null = evaluate([statistic], quality, gold[systems])[:, 0]
                    numbers = place(value[i], standard[i], of_null)
                    reason = UNDEFINED if np.isnan(numbers[0]) else ""
                row = [*key, subset, size, statistic, value[i], standard[i], tuned, null]
                rows.append([*row, *numbers, why if np.isnan(value[i]) else reason])
    columns = TABLES["controls.csv"].names(without=["difficulty"])
    return with_difficulty(pd.DataFrame(rows, columns=columns), scores.weightings)


def set_nulls(
    scores: ScoredSet, systems: np.ndarray, deciles: np.ndarray | None, draws: int, seed: int
) -> dict[Key, Nulls]:
    """Score some systems under the nulls (all but `retuned`), by metric and weighting. The random
    draws of a weighting do not depend on which other weightings there are."""
    weighteds = scores.of(systems)
    nulls: dict[Key, Nulls] = {}
    for name in dict.fromkeys(weighting for _, weighting in weighteds if weighting not in PLAIN):
        of_weighting = {key: weighted for key, weighted in weighteds.items() if key[1] == name}
        estimator, weighting = scores.difficulty_of(name), scores.weighting(name)
        rng = np.random.default_rng(seed)
        if weighting.unit == "token":
            parameters = scores.weightings[name]["parameters"]
            for part in scores.parts:
                difficulty = scores.token_difficulty(estimator, part, systems)
                arguments = select(part.matches, systems), weighting, parameters, difficulty
                drawn = token_nulls(*arguments, scores.counted, draws, rng, deciles)
                nulls |= {(metric, name): drawn for metric in part.metrics}
        else:
            difficulty = scores.difficulty(estimator, systems)[:, scores.counted]
            counted = None if deciles is None else deciles[scores.counted]
            nulls |= segment_nulls(of_weighting, difficulty, draws, rng, counted)
    return nulls


def rank_by_difficulties(files: SetFiles, draws: int, seed: int) -> pd.DataFrame:
    """Make `difficulty_and_gold.csv`: `rank_by_difficulty` for every difficulty of segments or
    hypotheses, on the same random subsets. Raises `Missing` without human scores."""
    evalset: EvaluationSet = files.read("evalset.json")
    evalset.require_gold()
    evalset.require_segment_gold()
    gold, rows = np.array(evalset.segment_gold, dtype=float), []
    for name, entry in files.read("weightings.json")["difficulties"].items():
        if entry["unit"] == "token":
            continue
        rows.append({"difficulty": name, "reason": entry["missing"]})
        if not entry["missing"]:
            difficulty = files.read(f"difficulty/{name}.npz")["difficulty"]
            rows[-1] |= rank_by_difficulty(difficulty, gold, draws, np.random.default_rng(seed))
    return pd.DataFrame(rows, columns=RANKING_COLUMNS)


def rank_by_difficulty(
    difficulty: np.ndarray, gold: np.ndarray, draws: int, rng: np.random.Generator
) -> Content:
    """Compare human rankings of systems on the hardest SHARE of the rated segments, by mean
    difficulty over systems (Liu et al. 2022, Eq. 8), and on the other segments; RANKING_COLUMNS but
    the first. `difficulty`, which may be infinite, and `gold`, NaN without a human score, are
    (systems, segments). `r` is Pearson's between systems' mean human scores on both parts;
    `random_*` are of random subsets of the same size; `within_r` is Pearson's between difficulty
    and human score of the `hypotheses` that have both, each minus its segment's mean."""
    rated = np.isfinite(gold).any(axis=0)
    difficulty, gold = difficulty[:, rated], gold[:, rated]
    segments = gold.shape[1]
    hardest = max(1, int(SHARE * segments))
    observed = among_hardest(difficulty.mean(axis=0), hardest)[None]
    there = np.isfinite(gold)
    scores, counts = np.where(there, gold, 0.0).T, there.T.astype(float)

    # The hardest segments first, then random ones.
    random_subsets = permutations(segments, draws, rng) < hardest
    inside = np.concatenate([observed, random_subsets])
    sums, number = inside @ scores, inside @ counts
    with np.errstate(invalid="ignore", divide="ignore"):
        complement = (scores.sum(axis=0) - sums) / (counts.sum(axis=0) - number)
        r, *random = np.asarray(Pearson()(sums / number, complement))
    mean, low, high, below, *_ = place(r, np.nan, np.array(random))

    there &= np.isfinite(difficulty)
    masked = (np.ma.array(side, mask=~there) for side in (difficulty, gold))
    x, y = (np.asarray((side - side.mean(axis=0))[there]) for side in masked)
    # If values are equal, differences to their mean are only rounding errors.
    varied = x.size and np.abs(x).max() > 1e-12 * np.abs(difficulty[there]).max()
    within = float(Pearson()(x, y)) if varied else np.nan
    reasons = [NO_RANKING] * bool(np.isnan(r)) + [ALIKE] * bool(np.isnan(within))
    numbers = [segments, hardest, r, mean, low, high, below, int(there.sum()), within]
    return dict(zip(RANKING_COLUMNS[1:], [*numbers, "; ".join(reasons)], strict=True))
