"""Whether human scores of segments belong to the texts in this order.

Human raters give lower scores to long segments and to hypotheses that share little with a
reference. Scores of other texts do not show this relation; in the right order they do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from .line_order import (
    SHIFTS,
    best_stretch,
    describe_shift,
    document_orders,
    grams,
    overlap,
    shifted,
)

FITS, OTHER_ORDER, NO_EFFECT, CANNOT_TELL = "fits", "other order", "no effect", "cannot tell"
CHARACTERS = 1_500_000  # of hypotheses that are compared: half a second
FEWEST = 3  # systems that are compared, however long the texts
# Of the 37 human scores of segments of WMT21 to WMT24, z is 7.1 or larger and z / √segments 0.30 or
# larger, and in no other order z is larger by more than 1.3.
SURE = 4.0  # z from which on scores fit
BETTER = 5.0  # how much larger z has to be in another order
EXPECTED = 0.2  # z / √segments of scores that fit, at least
PARTS = (slice(None, -1), slice(-1, None))  # rows: systems, all of them together
TINY = 1e-9  # a variance of rounding errors


class Fit(NamedTuple):
    """What was found.

    Attributes
    ----------
    verdict : str
        One of `FITS`, `OTHER_ORDER`, `NO_EFFECT` and `CANNOT_TELL`.
    z, r : float
        In the given order: how many standard deviations the agreement of scores and texts lies
        above that of random orders, and the correlation of segment means with what the texts let
        expect (0 where means are all the same). NaN where nothing differs.
    order : str
        The order that fits best, where it is another one; empty if none.
    order_z, order_r : float
        The same in that order; NaN where there is none.
    segments : int
        With human scores.
    """

    verdict: str
    z: float
    r: float
    order: str
    order_z: float
    order_r: float
    segments: int


def doubt(
    scores: np.ndarray,
    hypotheses: Sequence[Sequence[str]],
    reference: Sequence[str],
    source: Sequence[str],
    documents: Sequence[str] = (),
    domains: Sequence[str] = (),
) -> str:
    """Why human scores of segments do not belong to the texts; empty where they do, or where that
    cannot be told.

    Parameters
    ----------
    scores : ndarray, (systems, segments)
        NaN where there is none.
    hypotheses : sequence of sequences of str, (systems, segments)
    reference, source : sequence of str, (segments,)
        A reference of empty segments is none.
    documents, domains : sequence of str, (segments,)
        Empty where they are not known.
    """
    systems, similarity = similarities(hypotheses, reference, np.isfinite(scores))
    lengths = np.array([len(text) for text in source], dtype=float)
    found = check(scores[systems], similarity, lengths, document_orders(documents, domains))
    given = (
        "the correlation of segment means with the overlap of the outputs and, negatively, with "
        f"source length is r = {found.r:.2f} in the given order"
    )
    if found.verdict == OTHER_ORDER:
        return f"{given}, and r = {found.order_r:.2f} if {found.order}"
    if found.verdict == NO_EFFECT and found.z <= -SURE:
        return f"{given}, as if lower scores were better"
    if found.verdict == NO_EFFECT:
        return (
            f"{given}, too low for {found.segments:,} segments; probably the scores follow another "
            "order of documents"
        )
    return ""


class _Sides(NamedTuple):
    """What scores and texts say of each segment: a row for every system, how its hypothesis differs
    from those of others, and a last one for all systems together."""

    scores: np.ndarray
    texts: np.ndarray
    rated: np.ndarray


def similarities(
    hypotheses: Sequence[Sequence[str]], reference: Sequence[str], rated: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Overlap of hypotheses with the reference; without a reference, with those of another system.

    Parameters
    ----------
    hypotheses : sequence of sequences of str, (systems, segments)
    reference : sequence of str, (segments,)
        Empty segments where there is none.
    rated : ndarray of bool, (systems, segments)

    Returns
    -------
    systems : ndarray of int, (n,)
        Those with most scores, as many as can be compared in half a second.
    found : ndarray, (n, segments)
        0 to 1, higher is more alike.
    """
    of_most = np.argsort(-rated.sum(axis=1), kind="stable")
    sizes = np.cumsum([sum(map(len, hypotheses[system])) for system in of_most])
    systems = np.sort(of_most[: max(FEWEST, int((sizes <= CHARACTERS).sum()))])
    texts = [list(map(grams, hypotheses[system])) for system in systems]
    others = [list(map(grams, reference))] * len(texts)
    if not any(map(str.strip, reference)):
        others = [*texts[1:], texts[0]]
    pairs = zip(texts, others, strict=True)
    return systems, np.array([list(map(overlap, *pair)) for pair in pairs])


def check(
    scores: np.ndarray,
    similarity: np.ndarray,
    lengths: np.ndarray,
    orders: Mapping[str, np.ndarray] | None = None,
) -> Fit:
    """Compare the agreement of human scores with the texts in the given order with that in others.

    The agreement is that of two parts, of equal weight: how scores and similarities of a segment
    differ between systems, and how segment means of the scores follow mean similarity and length.
    Both are of ranks within systems. z is exact over all orders of the segments.

    Parameters
    ----------
    scores : ndarray, (systems, segments)
        Human ones, higher is better; NaN where there is none.
    similarity : ndarray, (systems, segments)
        Of hypotheses to the reference.
    lengths : ndarray, (segments,)
        Of the sources.
    orders : dict of str to ndarray of int, (segments,), optional
        As of `line_order.document_orders`.
    """
    sides = _sides(scores, similarity, lengths)
    count = int(sides.rated.sum())
    z = r = np.nan
    if count:
        z, r = _agreement(sides.scores[:, sides.rated], sides.texts[:, sides.rated])
    if np.isnan(z):
        return Fit(CANNOT_TELL, z, r, "", np.nan, np.nan, count)
    order, other_z, other_r = _best_order(sides, orders or {}, z)
    verdict = CANNOT_TELL
    if order:
        verdict = OTHER_ORDER
    elif z >= SURE:
        verdict = FITS
    elif z + SURE < EXPECTED * np.sqrt(count):
        verdict = NO_EFFECT
    return Fit(verdict, z, r, order, other_z, other_r, count)


def _sides(scores: np.ndarray, similarity: np.ndarray, lengths: np.ndarray) -> _Sides:
    known = np.isfinite(scores)
    number = np.maximum(known.sum(axis=0), 1)
    people = np.array([_ranks(row) for row in scores])
    of_systems = people.sum(axis=1, keepdims=True) / np.maximum(known.sum(axis=1, keepdims=True), 1)
    people = np.where(known, people - of_systems, 0)
    means = people.sum(axis=0) / number
    texts = np.array([_ranks(row) for row in similarity])
    expected = _standard(texts.mean(axis=0)) - _standard(_ranks(lengths))
    return _Sides(
        np.vstack([np.where(known, people - means, 0), means]),
        np.vstack([texts - texts.mean(axis=0), expected]),
        known.any(axis=0),
    )


def _ranks(values: np.ndarray) -> np.ndarray:
    """Mean ranks of the values that are there, over their number; 0 for NaN."""
    there, found = np.isfinite(values), np.zeros(values.shape)
    _, place, counts = np.unique(values[there], return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - (counts - 1) / 2
    found[there] = ranks[place] / max(1, there.sum())
    return found


def _standard(values: np.ndarray) -> np.ndarray:
    deviation = values.std()
    return (values - values.mean()) / (deviation if deviation > TINY else 1)


def _agreement(people: np.ndarray, texts: np.ndarray) -> tuple[float, float]:
    """z of both parts together, and the correlation of segment means; NaN where there is none."""
    people, texts = people - _mean(people), texts - _mean(texts)
    parts = [_z(people[rows], texts[rows]) for rows in PARTS]
    parts = [z for z in parts if not np.isnan(z)]
    if not parts:
        return np.nan, np.nan
    norm = np.sqrt((people[-1] ** 2).sum() * (texts[-1] ** 2).sum())
    r = (people[-1] * texts[-1]).sum() / norm if norm > TINY else 0.0
    return float(np.sum(parts) / np.sqrt(len(parts))), float(r)


def _best_order(
    sides: _Sides, orders: Mapping[str, np.ndarray], given: float
) -> tuple[str, float, float]:
    """The order that fits much better than the given one, its z and r; empty if there is none."""
    candidates = {f"they are those of the {name}": order for name, order in orders.items()}
    candidates |= dict(_shifts(sides))
    found = {
        name: _agreement(sides.scores[:, sides.rated], sides.texts[:, order[sides.rated]])
        for name, order in candidates.items()
    }
    name = max(found, key=lambda name: np.nan_to_num(found[name][0]))
    z, r = found[name]
    return (name, z, r) if z >= max(SURE, given + BETTER) else ("", np.nan, np.nan)


def _shifts(sides: _Sides) -> Iterator[tuple[str, np.ndarray]]:
    """Orders in which the scores of some lines are those of the texts some lines further on."""
    people, texts = sides.scores.copy(), sides.texts - _mean(sides.texts[:, sides.rated])
    people -= _mean(people[:, sides.rated])
    for rows in PARTS:
        people[rows] /= _deviation(people[rows], texts[rows]) or 1
    people *= sides.rated
    lines = np.arange(len(sides.rated))
    for shift in SHIFTS:
        gains = (people * (shifted(texts, shift) - texts)).sum(axis=0)
        _, first, end = best_stretch(gains)
        moved = (lines >= first) & (lines < end)
        name = describe_shift(shift, first, end, len(lines))
        yield f"those of {name}", np.clip(lines + shift * moved, 0, len(lines) - 1)


def _mean(side: np.ndarray) -> np.ndarray:
    return side.mean(axis=1, keepdims=True)


def _z(people: np.ndarray, texts: np.ndarray) -> float:
    """Sum of products over its standard deviation among all orders of the segments, whose mean is
    0 (both are centred); NaN where there is none."""
    deviation = _deviation(people, texts)
    return float((people * texts).sum() / deviation) if deviation else np.nan


def _deviation(people: np.ndarray, texts: np.ndarray) -> float:
    variance = ((people @ people.T) * (texts @ texts.T)).sum() / max(1, people.shape[1] - 1)
    return float(np.sqrt(variance)) if variance > TINY else 0.0
