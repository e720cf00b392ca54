"""Metrics of the texts under the standard weighting."""

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..metrics import METRICS
from ..weighting.base import WeightedMetric
from .texts import Texts

LABELS = {"chrf": "chrF"}  # where it is not the name of the class


class Measured(NamedTuple):
    """A metric of the texts; `segment_quality` (systems, segments) are scores of single segments,
    higher is better."""

    label: str
    standard: WeightedMetric
    segment_quality: np.ndarray
    signature: str


def label(kind: str) -> str:
    """A metric's name in reports."""
    return LABELS.get(kind, METRICS[kind].__name__)


def measure(texts: Texts, kind: str) -> Measured:
    """Compute a metric of the texts."""
    metric = METRICS[kind](texts.evalset.pair)
    statistics = segment_statistics(kind, metric, texts)
    standard = WeightedMetric.standard(metric, statistics)
    segment_quality = standard.sign * metric.segment_scores(statistics)
    return Measured(label(kind), standard, segment_quality, metric.signature)


def segment_statistics(kind: str, metric: Any, texts: Texts) -> np.ndarray:
    """A metric's statistics of the texts, (systems, segments, k)."""
    from tqdm import tqdm

    if kind == "bertscore":
        return metric.statistics(texts.matches)
    if kind == "meteor":
        find_wordnet()
    evalset = texts.evalset
    return metric.segment_statistics(
        evalset.hypotheses,
        evalset.reference,
        lambda systems: tqdm(systems, kind, unit="system", leave=False, disable=None),
    )


def find_wordnet() -> None:
    """Let NLTK find WordNet, kept in the user's cache."""
    import nltk

    from ..data.wordnet import retrieve

    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    data = cache / "mt-difficulty" / "nltk"
    if not (data / "corpora" / "wordnet").is_dir():
        retrieve(data / "corpora" / "wordnet")
    nltk.data.path.insert(0, str(data))
