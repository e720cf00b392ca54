"""Check whether segment-level human scores belong to the texts in their order.

Scores that belong are lower for long segments, and for hypotheses that overlap little with the
reference (without a reference: with other hypotheses).
"""

from collections.abc import Sequence

import numpy as np

from .line_fit import Lines, overlap
from .text_checks import is_empty

# For the 37 segment-level human scores of WMT21 to WMT24, z ≥ 7.1 and z / √segments ≥ 0.30, and no
# other order has a z that is larger by more than 1.3.
SURE = 4.0  # z from which on the sign of the agreement is certain
BETTER = 5.0  # gain in z from which on another order is better
LEAST_AGREEMENT = 0.2  # z / √segments
SHIFTS = (-1, 1, -2, 2, -3, 3)  # lines
# Hypotheses of at least FEWEST systems are compared, and of more while they have at most CHARACTERS
# characters: half a second.
CHARACTERS = 1_500_000
FEWEST = 3
TINY = 1e-9  # variance below which differences are rounding errors


def segment_gold_doubt(
    scores: np.ndarray, hypotheses: Sequence[Lines], reference: Lines, source: Lines
) -> str:
    """Explain why segment-level human scores do not seem to belong to these texts in this order.

    Parameters
    ----------
    scores : ndarray
        (systems, segments), higher is better; NaN is a missing score.
    hypotheses : sequence of sequence of str
        Lines by system.
    reference, source : sequence of str
        The lines of the reference are empty if there is none.

    Returns
    -------
    str
        A clause without a full stop; empty if the scores belong, or if it cannot be told.
    """
    rated = np.isfinite(scores).sum(axis=1)
    if not rated.any():
        return ""
    most_rated = np.argsort(-rated, kind="stable")
    characters = np.cumsum([sum(map(len, hypotheses[system])) for system in most_rated])
    compared = max(FEWEST, int((characters <= CHARACTERS).sum()))
    systems = np.sort(most_rated[:compared])

    texts = [[_trigrams(line) for line in hypotheses[system]] for system in systems]
    if is_empty(reference):
        targets = [*texts[1:], texts[0]]
    else:
        targets = [[_trigrams(line) for line in reference]] * len(texts)
    similarity = np.array(
        [list(map(overlap, text, target)) for text, target in zip(texts, targets, strict=True)]
    )
    lengths = np.array([len(line) for line in source])
    return order_doubt(scores[systems], similarity, lengths)


def _trigrams(text: str) -> frozenset[str]:
    """Return the set of character trigrams of a text without its white space."""
    text = "".join(text.split())
    trigrams = [text[start : start + 3] for start in range(max(1, len(text) - 2))]
    return frozenset(trigrams) - {""}


def order_doubt(scores: np.ndarray, similarity: np.ndarray, lengths: np.ndarray) -> str:
    """Compare the agreement of human scores and texts in the given order and after shifts of 1 to 3
    lines (SHIFTS).

    Parameters
    ----------
    scores : ndarray
        (systems, segments), higher is better; NaN is missing.
    similarity : ndarray
        (systems, segments), overlap of each hypothesis with its reference, 0 to 1.
    lengths : ndarray
        (segments,), length of the source.

    Returns
    -------
    str
        A clause without a full stop; empty if the order is plausible.
    """
    z, r = agreement(scores, similarity, lengths)
    if np.isnan(z):
        return ""
    agreement_by_shift = {}
    for shift in SHIFTS:
        order = np.clip(np.arange(len(lengths)) + shift, 0, len(lengths) - 1)
        agreement_by_shift[shift] = agreement(scores, similarity[:, order], lengths[order])
    best = max(SHIFTS, key=lambda shift: np.nan_to_num(agreement_by_shift[shift][0]))
    best_z, best_r = agreement_by_shift[best]

    segments = int(np.isfinite(scores).any(axis=0).sum())
    observed = (
        "the correlation of segment means with the overlap of the outputs and, negatively, with "
        f"source length is r = {r:.2f} in the given order"
    )
    if best_z >= max(SURE, z + BETTER):
        direction = "down" if best > 0 else "up"
        unit = "line" if abs(best) == 1 else "lines"
        return (
            f"{observed}, and r = {best_r:.2f} if those of all lines are moved {direction} by "
            f"{abs(best)} {unit}"
        )
    if z + SURE >= LEAST_AGREEMENT * np.sqrt(segments):
        return ""
    if z <= -SURE:
        return f"{observed}, as if lower scores were better"
    return (
        f"{observed}, too low for {segments:,} segments; probably the scores follow another order "
        "of documents"
    )


def agreement(
    scores: np.ndarray, similarity: np.ndarray, lengths: np.ndarray
) -> tuple[float, float]:
    """Measure how well segment-level human scores fit their texts.

    Parameters
    ----------
    scores : ndarray
        (systems, segments), higher is better; NaN is missing.
    similarity : ndarray
        (systems, segments), overlap of each hypothesis with its reference, 0 to 1.
    lengths : ndarray
        (segments,), length of the source.

    Returns
    -------
    z : float
        Standard deviations by which the fit exceeds that of random orders of the segments; NaN if
        nothing differs.
    r : float
        Correlation of the segment means of scores and texts; 0 if either is constant, NaN without
        scores.

    Notes
    -----
    Two parts count equally, both computed from ranks within systems: (1) differences between
    systems in the scores and in the overlaps of a segment's hypotheses; (2) segment means of the
    scores, compared with the segment's mean overlap and, negatively, its source length. The
    variance under random orders of segments is exact.
    """
    is_known = np.isfinite(scores)
    is_rated = is_known.any(axis=0)
    if not is_rated.any():
        return np.nan, np.nan
    counts = np.maximum(is_known.sum(axis=1, keepdims=True), 1)
    ranks = _ranks(scores) / counts
    ranks = np.where(is_known, ranks - ranks.sum(axis=1, keepdims=True) / counts, 0)
    segment_means = ranks.sum(axis=0) / np.maximum(is_known.sum(axis=0), 1)
    differences = np.where(is_known, ranks - segment_means, 0)

    text_ranks = _ranks(similarity) / len(lengths)
    text_means = text_ranks.mean(axis=0)
    text_differences = text_ranks - text_means
    expected_means = _standardised(text_means) - _standardised(_ranks(lengths[None])[0])

    z_of_differences, _ = _fit(differences[:, is_rated], text_differences[:, is_rated])
    z_of_means, r = _fit(segment_means[None, is_rated], expected_means[None, is_rated])
    z = [value for value in (z_of_differences, z_of_means) if not np.isnan(value)]
    if not z:
        return np.nan, np.nan
    return float(np.sum(z) / np.sqrt(len(z))), r


def _fit(scores: np.ndarray, texts: np.ndarray) -> tuple[float, float]:
    """Return z and r of the product of two arrays, (rows, segments), under random orders of the
    segments; z is NaN and r is 0 if an array is constant."""
    scores = scores - scores.mean(axis=1, keepdims=True)
    texts = texts - texts.mean(axis=1, keepdims=True)
    product = (scores * texts).sum()
    variance = ((scores @ scores.T) * (texts @ texts.T)).sum() / max(1, scores.shape[1] - 1)
    z = product / np.sqrt(variance) if variance > TINY else np.nan
    norm = np.sqrt((scores**2).sum() * (texts**2).sum())
    r = float(product / norm) if norm > TINY else 0.0
    return z, r


def _ranks(values: np.ndarray) -> np.ndarray:
    """Return ranks within rows, from 1, (systems, segments); equal values share their average rank,
    and NaN has 0. (`scipy.stats` takes a second to import.)"""
    ranks = np.zeros(values.shape)
    for row, row_ranks in zip(values, ranks, strict=True):
        is_known = np.isfinite(row)
        _, group, counts = np.unique(row[is_known], return_inverse=True, return_counts=True)
        mean_ranks = np.cumsum(counts) - (counts - 1) / 2
        row_ranks[is_known] = mean_ranks[group]
    return ranks


def _standardised(values: np.ndarray) -> np.ndarray:
    """Return values less their mean, divided by their standard deviation if they differ."""
    deviation = values.std()
    if deviation <= TINY:
        deviation = 1.0
    return (values - values.mean()) / deviation
