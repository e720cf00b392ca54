"""Scores of a set for files of metric scores: of its systems, and of segments where they exist."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from ..data.evalset import EvaluationSet
from ..data.score_files import reference_label
from ..metrics.stored import is_without_reference
from ..weighting.base import WeightedMetric
from .counted import STANDARD
from .set_scores import Key, SetScores

NO_REFERENCE = "src"  # the archive's name for it


class Export(NamedTuple):
    """Scores of a metric under a weighting, higher is better.

    `reference` is `src` for a metric without reference. `quality` is (systems,), NaN where a system
    has no score; `segments` (systems, segments), None where there are none, or not all, and
    `weighs_segments` says whether that is why. `negated` says that of the metric's own scores lower
    is better."""

    metric: str
    weighting: str
    reference: str
    quality: np.ndarray
    segments: np.ndarray | None
    weighs_segments: bool
    negated: bool


def exports(
    scores: SetScores, found: EvaluationSet, keys: Collection[Key]
) -> tuple[list[Export], list[str]]:
    """What a set's metrics give under weightings, (metric, weighting), and what they do not, in
    sentences."""
    notes = [
        f"no scores of {metric} under {weighting}: {reason}"
        for (metric, weighting), reason in scores.missing.items()
        if (metric, weighting) in keys
    ]
    chosen = [key for key in scores.keys if key in keys]
    everyone = np.arange(len(scores.systems))
    made, whole = scores.of(everyone, chosen), scores.of(everyone, chosen, everywhere=True)
    signatures, exported = scores.signatures, []
    for (metric, weighting), one in made.items():
        single, reason, weighs = None, "", scores.weighs_segments(weighting)
        if not weighs:
            plain = weighting == STANDARD  # whose system scores may be stored ones
            of_all = scores.plain[metric] if plain else whole[metric, weighting]
            single, reason = _of_segments(of_all, len(found.reference))
        quality = one.observed_quality()
        reason = reason or scores.without_score(weighting, quality)
        notes += [f"{metric} under {weighting}: {reason}"] * bool(reason)
        without = is_without_reference(signatures[metric, weighting])
        reference = NO_REFERENCE if without else reference_label(found)
        negated = not one.higher_is_better
        exported.append(Export(metric, weighting, reference, quality, single, weighs, negated))
    return exported, notes


def _of_segments(one: WeightedMetric, segments: int) -> tuple[np.ndarray | None, str]:
    """Scores of single segments, (systems, segments), or None and why not."""
    if segments == 0 or one.statistics.shape[1] != segments:
        return None, ".sys.score alone; it has no scores of segments"
    found = one.quality(one.columns)
    if absent := np.count_nonzero(~np.isfinite(found)):
        return None, f".sys.score alone; {absent} of {found.size} hypotheses have no score"
    return found, ""
