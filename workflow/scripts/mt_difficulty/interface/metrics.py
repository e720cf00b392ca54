"""Metrics of the texts under the standard weighting."""

from __future__ import annotations

import inspect
import os
import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..data import download
from ..errors import InputError, nearest
from ..metrics import METRICS
from ..weighting.base import WeightedMetric
from .settings import Settings
from .texts import Texts

# Type and settings by name; names count in any case.
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "BLEU": ("bleu", {}),
    "chrF": ("chrf", {"average": "corpus"}),
    "chrF++": ("chrf", {"average": "corpus", "word_order": 2}),
    "chrF-segments": ("chrf", {"average": "segments"}),
    "TER": ("ter", {}),
    "METEOR": ("meteor", {}),
    "BERTScore": ("bertscore", {}),
}
BERTSCORE = "BERTScore"


class Measured(NamedTuple):
    """A metric of the texts; `segment_quality` (systems, segments) are scores of single segments,
    higher is better."""

    label: str
    standard: WeightedMetric
    segment_quality: np.ndarray
    signature: str


def label(name: str) -> str:
    """A metric's name as reports have it, from one in any case.

    Raises
    ------
    InputError
        There is no such metric of texts.
    """
    known = {each.lower(): each for each in KINDS}
    if name.lower() not in known:
        near = nearest(name.lower(), known)
        for lower, each in known.items():
            near = near.replace(f" {lower}?", f" {each}?")
        raise InputError(f"no metric {name}{near}. There are: {', '.join(KINDS)}.")
    return known[name.lower()]


def measure(texts: Texts, settings: Settings, name: str) -> Measured:
    """Compute a metric of the texts.

    Raises
    ------
    InputError
        There is no such metric, or it has no such setting; the texts lack what it needs.
    """
    kind, own = KINDS[label(name)]
    given = (settings.of_metric or {}).get(kind, {})
    try:
        metric = METRICS[kind](texts.evalset.pair, **{**given, **own})
    except (TypeError, ValueError) as error:
        raise InputError(f"{label(name)}: {error}.") from None
    try:
        statistics = segment_statistics(kind, metric, texts)
    except (RuntimeError, ImportError) as error:  # sacreBLEU lacks a tokenizer's library
        if (library := re.search(r"pip install (\S+)", str(error))) is None:
            raise
        raise InputError(
            f"{label(name)}: the tokenizer needs a library that is not installed: pip install "
            f"'{library[1]}'."
        ) from None
    standard = WeightedMetric.standard(metric, statistics)
    segment_quality = standard.sign * metric.segment_scores(statistics)
    return Measured(label(name), standard, segment_quality, metric.signature)


def segment_statistics(kind: str, metric: Any, texts: Texts) -> np.ndarray:
    """A metric's statistics of the texts, (systems, segments, k)."""
    from tqdm import tqdm

    others: dict[str, Any] = {"others": texts.others} if texts.others else {}
    several = (
        kind != "bertscore" and "others" in inspect.signature(metric.segment_statistics).parameters
    )
    if others and not several:
        count = 1 + len(texts.others)
        raise InputError(f"{METRICS[kind].__name__} takes one reference, found {count}. Name one.")
    if kind == "bertscore":
        return metric.statistics(texts.matches)
    if kind == "meteor":
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        download.find_wordnet(cache / "mt-difficulty" / "nltk")
    evalset = texts.evalset
    return metric.segment_statistics(
        evalset.hypotheses,
        evalset.reference,
        lambda systems: tqdm(systems, kind, unit="system", leave=False, disable=None),
        **others,
    )
