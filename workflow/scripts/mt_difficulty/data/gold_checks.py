"""Doubts about human scores: mixed scales, a reversed direction, contradictions, another order.

Human raters give lower scores to long segments and to hypotheses that share little with a
reference. Scores of other texts do not show this relation; in the right order they do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from .text_checks import SHIFTS, Lines, is_empty, overlap

LEAST_RATED = 10  # segments of a system by which its scale is known
HUNDRED = 10.0  # a score above which the scale is no longer 0 to 1
REVERSED = -0.5  # correlation with metric scores below which human scores are doubted
ONE_SIDED = 2.33  # standard errors: p < 0.01
OPPOSITE = 4.0  # standard errors by which a pair of systems is ordered in the other way
# Of the 37 human scores of segments of WMT21 to WMT24, z is 7.1 or larger and z / √segments 0.30 or
# larger, and in no other order z is larger by more than 1.3.
SURE = 4.0  # z from which on scores fit
BETTER = 5.0  # how much larger z has to be in another order
EXPECTED = 0.2  # z / √segments of scores that fit, at least
CHARACTERS = 1_500_000  # of hypotheses that are compared: half a second
FEWEST = 3  # systems that are compared, however long the texts
TINY = 1e-9  # a variance of rounding errors


def find_doubts(
    systems: Sequence[str],
    gold: np.ndarray,
    segment_gold: np.ndarray,
    name: str,
    quality: Mapping[str, np.ndarray],
    same: bool = True,
) -> list[str]:
    """What is odd about human scores, in sentences that name the systems.

    Parameters
    ----------
    gold : ndarray, (systems,)
        Higher is better; NaN where there is none.
    segment_gold : ndarray, (systems, segments)
        NaN where a segment is not rated; without segments where there are none.
    name : str
        Of the human scores.
    quality : dict of str to ndarray, (systems,)
        Scores of metrics, higher is better.
    same : bool
        Whether the scores of segments are of the same kind as those of systems.
    """
    rated = np.isfinite(segment_gold)
    lows = np.where(rated, segment_gold, np.inf).min(axis=1, initial=np.inf)
    highs = np.where(rated, segment_gold, -np.inf).max(axis=1, initial=-np.inf)
    few = rated.sum(axis=1) < LEAST_RATED
    lows[few] = highs[few] = np.nan
    doubts = []

    for label, low, high in ((name, gold, gold), (f"{name}, segments", lows, highs)):
        kinds = {
            "0 or less": (low < 0) & (high <= 0),
            "0 to 1": (low >= 0) & (high <= 1),
            "up to 100": (low >= 0) & (high > HUNDRED),
        }
        sides = [
            f"{', '.join(systems[system] for system in np.flatnonzero(kind).tolist())} "
            f"({scale}: {low[kind].min():g} to {high[kind].max():g})"
            for scale, kind in kinds.items()
            if kind.any()
        ]
        if kinds["up to 100"].any() and len(sides) > 1:
            doubts.append(
                f"{label}: human scores on two scales: {'; '.join(sides)}. Bring them to one "
                "scale, or leave out the systems of the other."
            )

    correlations = []  # with metrics, of those that are clearly negative
    for metric, scores in quality.items():
        both = np.isfinite(gold) & np.isfinite(scores)
        people, values = gold[both], scores[both]
        if len(people) < 4 or not people.std() or not values.std():
            continue
        r = float(np.corrcoef(people, values)[0, 1])
        if r <= REVERSED and np.arctanh(max(r, -1 + 1e-9)) * np.sqrt(len(people) - 3) < -ONE_SIDED:
            correlations.append(f"r = {r:.2f} with {metric} over {len(people)} systems")
    if correlations and len(correlations) == len(quality):
        doubts.append(
            f"{name}: the human scores seem to run the other way, lower being better: "
            f"{', '.join(correlations[:3])}. If so, negate them."
        )

    opposite, disjoint = [], []
    for pair in combinations(range(len(systems)), 2):
        both = rated[pair[0]] & rated[pair[1]]
        if rated[pair[0]].any() and rated[pair[1]].any() and not both.any():
            disjoint.append(f"{systems[pair[0]]} and {systems[pair[1]]}")
        better, worse = sorted(pair, key=lambda system: -gold[system])
        gains = segment_gold[better][both] - segment_gold[worse][both]
        if not same or len(gains) < LEAST_RATED or not gold[better] > gold[worse]:
            continue
        if gains.mean() < -OPPOSITE * gains.std() / np.sqrt(len(gains)):
            sentence = (
                f"{systems[better]} ({gold[better]:g}) is better than {systems[worse]} "
                f"({gold[worse]:g}), but worse by {-gains.mean():.3g} in the mean of "
                f"{len(gains):,} segments"
            )
            opposite.append((float(gains.mean()), sentence))
    if opposite:
        doubts.append(
            f"{name}: human scores of systems and of segments contradict each other: "
            f"{_first([sentence for _, sentence in sorted(opposite)])}. Look which is wrong."
        )
    if disjoint:
        doubts.append(
            f"{name}: no rated segment in common: {_first(disjoint)}. Their human scores are of "
            "different texts: differences between them may be those of the segments."
        )
    return doubts


def _first(pairs: list[str]) -> str:
    return "; ".join(pairs[:3]) + f"; and {len(pairs) - 3} more pairs" * (len(pairs) > 3)


def segment_gold_doubt(
    scores: np.ndarray,
    hypotheses: Sequence[Lines],
    reference: Lines,
    source: Lines,
    documents: Sequence[str] = (),
    domains: Sequence[str] = (),
) -> str:
    """Why human scores of segments do not belong to the texts in this order; empty where they do,
    or where that cannot be told.

    Parameters
    ----------
    scores : ndarray, (systems, segments)
        Higher is better; NaN where there is none.
    hypotheses : sequence of sequences of str, (systems, segments)
    reference, source : sequence of str, (segments,)
        Without a reference (empty segments) hypotheses are compared with each other.
    documents, domains : sequence of str, (segments,)
        Empty where they are not known.
    """
    rated = np.isfinite(scores).sum(axis=1)
    if not rated.any():
        return ""
    most = np.argsort(-rated, kind="stable")  # of them as many as can be compared in half a second
    sizes = np.cumsum([sum(map(len, hypotheses[system])) for system in most])
    systems = np.sort(most[: max(FEWEST, int((sizes <= CHARACTERS).sum()))])
    texts = [list(map(_trigrams, hypotheses[system])) for system in systems]
    targets = [list(map(_trigrams, reference))] * len(texts)
    if is_empty(reference):
        targets = [*texts[1:], texts[0]]
    pairs = zip(texts, targets, strict=True)
    similarity = np.array([list(map(overlap, *pair)) for pair in pairs])
    orders = document_orders(documents, domains)
    return order_doubt(scores[systems], similarity, np.array([*map(len, source)]), orders)


def order_doubt(
    scores: np.ndarray,
    similarity: np.ndarray,
    lengths: np.ndarray,
    orders: Mapping[str, np.ndarray],
) -> str:
    """Compare the agreement of human scores with the texts in the given order with that in others:
    `orders`, as of `document_orders`, and all lines moved by 1 to 3. For the rest see `agreement`.
    """
    z, r = agreement(scores, similarity, lengths)
    if np.isnan(z):
        return ""
    orders = {f"they are those of the {name}": order for name, order in orders.items()}
    numbers = np.arange(len(lengths))
    for shift in SHIFTS:
        way = f"{'down' if shift > 0 else 'up'} by {abs(shift)} line{'s' * (abs(shift) > 1)}"
        moved = np.clip(numbers + shift, 0, len(numbers) - 1)
        orders[f"those of all lines are moved {way}"] = moved
    fits = {
        name: agreement(scores, similarity[:, order], lengths[order])
        for name, order in orders.items()
    }
    best = max(fits, key=lambda name: np.nan_to_num(fits[name][0]))
    segments = int(np.isfinite(scores).any(axis=0).sum())
    given = (
        "the correlation of segment means with the overlap of the outputs and, negatively, with "
        f"source length is r = {r:.2f} in the given order"
    )
    if fits[best][0] >= max(SURE, z + BETTER):
        return f"{given}, and r = {fits[best][1]:.2f} if {best}"
    if z + SURE >= EXPECTED * np.sqrt(segments):
        return ""
    if z <= -SURE:
        return f"{given}, as if lower scores were better"
    return (
        f"{given}, too low for {segments:,} segments; probably the scores follow another order of "
        "documents"
    )


def agreement(
    scores: np.ndarray, similarity: np.ndarray, lengths: np.ndarray
) -> tuple[float, float]:
    """How human scores of segments agree with their texts, in two parts of equal weight: how scores
    and similarities of a segment differ between systems, and how segment means of the scores follow
    mean similarity and, negatively, length; both of ranks within systems.

    Parameters
    ----------
    scores, similarity : ndarray, (systems, segments)
        Human ones, NaN where there is none, and overlaps of the hypotheses.
    lengths : ndarray, (segments,)
        Of the sources.

    Returns
    -------
    z : float
        Standard deviations by which the agreement lies above that of random orders of the segments
        (exact over all of them); NaN where nothing differs.
    r : float
        Correlation of the segment means; 0 where they are all the same.
    """
    known = np.isfinite(scores)
    rated = known.any(axis=0)
    if not rated.any():
        return np.nan, np.nan
    ranks = np.array([_ranks(row) for row in scores])
    ranks -= ranks.sum(axis=1, keepdims=True) / np.maximum(known.sum(axis=1, keepdims=True), 1)
    ranks[~known] = 0
    means = ranks.sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    texts = np.array([_ranks(row) for row in similarity])
    expected = _standard(texts.mean(axis=0)) - _standard(_ranks(lengths))
    between_systems = np.where(known, ranks - means, 0), texts - texts.mean(axis=0)
    z, r = [], 0.0
    for people, side in (between_systems, (means[None], expected[None])):
        people, side = (
            values[:, rated] - values[:, rated].mean(axis=1, keepdims=True)
            for values in (people, side)
        )
        product = (people * side).sum()
        variance = ((people @ people.T) * (side @ side.T)).sum() / max(1, people.shape[1] - 1)
        if variance > TINY:
            z.append(product / np.sqrt(variance))
        norm = np.sqrt((people**2).sum() * (side**2).sum())
        r = float(product / norm) if norm > TINY else 0.0  # in the end that of the segment means
    return (float(np.sum(z) / np.sqrt(len(z))), r) if z else (np.nan, np.nan)


def _ranks(values: np.ndarray) -> np.ndarray:
    """Mean ranks of the values that are there, over their number; 0 for NaN."""
    there, ranks = np.isfinite(values), np.zeros(values.shape)
    _, place, counts = np.unique(values[there], return_inverse=True, return_counts=True)
    ranks[there] = (np.cumsum(counts) - (counts - 1) / 2)[place] / max(1, there.sum())
    return ranks


def _standard(values: np.ndarray) -> np.ndarray:
    deviation = values.std()
    return (values - values.mean()) / (deviation if deviation > TINY else 1)


def _trigrams(text: str) -> frozenset[str]:
    """The different character trigrams of a text without its white space; of a shorter text
    itself, of an empty one none."""
    text = "".join(text.split())
    return frozenset(text[n : n + 3] for n in range(max(1, len(text) - 2))) - {""}


def document_orders(documents: Sequence[str], domains: Sequence[str]) -> dict[str, np.ndarray]:
    """Orders of a set's lines in which whole documents are moved: by name the index of the line
    that stands at each place. `domains` may be empty, `documents` only with them."""
    numbers = [
        [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)]
        for name in documents
    ]
    first = {name: -number for number, name in reversed([*enumerate(documents)])}
    keys: dict[str, list] = {
        "documents sorted by name": list(documents),
        "documents sorted by name, numbers by value": numbers,
    }
    if domains:
        keys |= {
            f"{name} within domains": [*zip(domains, keys[name], strict=True)] for name in [*keys]
        }
    keys["documents in reverse order"] = [first[name] for name in documents]
    lines = range(len(documents))
    return {name: np.array(sorted(lines, key=key.__getitem__)) for name, key in keys.items() if key}
