"""Texts as an evaluation set, what they are scored with, their token matches and metrics."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..data import download
from ..data.evalset import EvaluationSet, reference_gaps
from ..data.language import default_units, notices
from ..data.text_checks import check_texts, is_empty
from ..errors import InputError, nearest
from ..libraries import missing_extra
from ..metrics import METRICS
from ..weighting.base import WeightedMetric
from .parameters import RESAMPLES, SEED

DEFAULT_DIFFICULTY = "chunk_entropy"
# Type and settings of metrics by name; names count in any case.
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
# Hypotheses from which on alignment without compiled code takes more than some ten seconds.
MANY = 5000


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What texts are scored with, as the parameters of `score` and the options of `mt-difficulty
    score`; `difficulty` is a name, a file, or values, (segments,) or (systems, segments)."""

    metric: Sequence[str] = ("chrF",)
    weighting: Sequence[str] = ()
    difficulty: str | np.ndarray = DEFAULT_DIFFICULTY
    h: float | str | None = None
    w: float | str | None = None
    share: float = 0.1
    softmax: float | None = None
    resamples: int = RESAMPLES
    seed: int = SEED
    lang: str | None = None
    src_lang: str | None = None
    encoder: Path | None = None
    layer: int | None = None
    metric_settings: dict[str, dict] | None = None


class Measured(NamedTuple):
    """A metric of the texts; `segment_quality` (systems, segments) are scores of single segments,
    higher is better."""

    standard: WeightedMetric
    segment_quality: np.ndarray
    signature: str


class Texts:
    """An evaluation set without human scores, its token matches and metrics; `others` are further
    references, for the metrics that take several."""

    def __init__(
        self, evalset: EvaluationSet, settings: Settings, others: Sequence[list[str]] = ()
    ) -> None:
        self.evalset, self.settings, self.others = evalset, settings, list(others)
        self._encoder = _encoder_settings(settings)
        self._notices = [*_notices(settings, evalset)]
        self._measured: dict[str, Measured] = {}

    @property
    def matches(self) -> Any:
        """What `match_set` gives; None without an encoder."""
        return self._matched[0]

    @property
    def notices(self) -> list[str]:
        """What is odd about the texts, in sentences."""
        return self._notices + self._matched[1]

    @cached_property
    def _matched(self) -> tuple[Any, list[str]]:
        if not self._encoder:
            return None, []
        os.environ["HF_HUB_OFFLINE"] = "1"  # before transformers is imported
        from tqdm import tqdm

        from ..embedding.set_matches import match_set

        def progress(blocks: Iterable) -> Iterable:
            return tqdm(blocks, self._encoder["name"], unit="block", disable=None)

        return match_set(self.evalset, self._encoder, self._encoder["folder"], progress)

    def measured(self, name: str) -> Measured:
        """A metric of the texts, by its name in any case; computed once."""
        from tqdm import tqdm

        name = metric_name(name)
        if name in self._measured:
            return self._measured[name]
        kind, settled = KINDS[name]
        given = (self.settings.metric_settings or {}).get(kind, {})
        try:
            metric: Any = METRICS[kind](self.evalset.pair, **{**given, **settled})
        except (TypeError, ValueError) as error:
            raise InputError(f"{name}: {error}.") from None
        function = metric.statistics if kind == "bertscore" else metric.segment_statistics
        if self.others and "others" not in inspect.signature(function).parameters:
            count = 1 + len(self.others)
            raise InputError(
                f"{METRICS[kind].__name__} takes one reference, found {count}. Name one."
            )
        if kind == "meteor":
            cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
            download.find_wordnet(cache / "mt-difficulty" / "nltk")
        texts = self.evalset.hypotheses, self.evalset.reference
        options: dict[str, Any] = {"others": self.others} if self.others else {}
        try:
            if kind == "bertscore":
                statistics = function(self.matches)
            else:
                progress = partial(tqdm, desc=kind, unit="system", leave=False, disable=None)
                statistics = function(*texts, progress, **options)
        except (RuntimeError, ImportError) as error:  # sacreBLEU lacks a tokenizer's library
            if (library := re.search(r"pip install (\S+)", str(error))) is None:
                raise
            raise InputError(
                f"{name}: the tokenizer needs a library that is not installed: pip install "
                f"'{library[1]}'."
            ) from None
        standard = WeightedMetric.standard(metric, statistics)
        quality = standard.sign * metric.segment_scores(statistics)
        self._measured[name] = Measured(standard, quality, metric.signature)
        return self._measured[name]


def metric_name(name: str) -> str:
    """A metric's name as reports have it, from one in any case."""
    known = {label.lower(): label for label in KINDS}
    if name.lower() not in known:
        hint = nearest(name, KINDS) or nearest(name.upper(), KINDS)
        raise InputError(f"no metric {name}{hint}. There are: {', '.join(KINDS)}.")
    return known[name.lower()]


def _encoder_settings(settings: Settings) -> dict[str, Any]:
    """Settings of the encoder, as `match_set` wants them; empty without one."""
    if not settings.encoder:
        return {}
    from ..embedding import encoders

    folder = settings.encoder
    name = os.path.basename(os.path.realpath(folder))
    files = encoders.checksums(name, folder)
    layer = encoders.default_layer(name) if settings.layer is None else settings.layer
    if layer is None:
        raise InputError(f"encoder {folder}: bert-score knows no layer of {name}; set the layer.")
    return {
        "name": name,
        "model": name,
        "folder": folder,
        "layer": layer,
        "dtype": "float32",
        "device": "auto",
        "files": files,
    }


def _notices(settings: Settings, evalset: EvaluationSet) -> Iterator[str]:
    split = default_units(evalset.pair, evalset.reference)
    if not settings.lang:
        how = "at spaces" if split == "words" else "into characters, for it has few spaces"
        yield (
            f"no target language: text is split {how}. Name it, above all one that is "
            "written without spaces (zh, ja, th) or that sacreBLEU has a tokenizer for (zh, ja, "
            "ko)."
        )
    elif odd := notices(evalset.pair, evalset.reference):
        yield from odd
    elif split == "characters":
        yield f"{settings.lang} is written without spaces: text is split into characters."
    outputs = dict(zip(evalset.systems, evalset.hypotheses, strict=True))
    for system, lines in outputs.items():
        if is_empty(lines):
            yield f"{system}: every line is empty. Take another file, or leave the system out."
    yield from reference_gaps(evalset)
    yield from check_texts(outputs, evalset.reference, evalset.source, evalset.reference_name)
    if len(outputs) * len(evalset.reference) >= MANY and find_spec("numba") is None:
        yield (
            f"{missing_extra('numba')} Without it alignment and TER take some fifty times as long; "
            "the results are the same."
        )
    if len(outputs) == 1:
        yield (
            f"one system only: difficulty is {evalset.systems[0]}'s own, so that what it "
            "translates badly counts as difficult. Add other systems' outputs for a better "
            "estimate."
        )
