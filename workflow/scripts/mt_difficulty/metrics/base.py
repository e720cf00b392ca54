"""Base classes of metrics, which compute statistics per segment and a score from their sums."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from itertools import product, zip_longest
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ..data.evalset import EvaluationSet

BLOCK = 200_000  # characters of a reference, whose n-grams take 60 MB


class Metric(ABC):
    """A metric: `evaluate` computes statistics of every segment, `aggregate` scores from their
    sums. The constructor takes the language pair and the config's settings.

    `evaluate` sets `signature`, settings and versions as in sacreBLEU, and may set `system_scores`,
    (systems,), stored scores that can differ from those of `aggregate`, and `no_segments`, why the
    metric has scores of systems alone. `reads` is the input:
    "texts"; an encoder's token "matches", to which token weightings apply; or "stored" scores of
    others, found by the constructor's `name`. `needs_wordnet`: NLTK must find WordNet. `names` are
    the metric's names on the command line and in Python, with the settings that each stands for; by
    default that of the class, without settings."""

    higher_is_better = True
    signature: str
    reads: ClassVar[str] = "texts"
    needs_wordnet: ClassVar[bool] = False
    names: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    system_scores: np.ndarray | None = None
    no_segments: str = ""

    def __init__(self, pair: str) -> None:
        self.pair = pair

    @abstractmethod
    def evaluate(
        self, evalset: EvaluationSet, source: str | Path, progress: Callable = iter
    ) -> np.ndarray:
        """Statistics of every system and segment, (systems, segments, k). `source` is what a metric
        reads beside the texts: the file of matches, or, for stored scores, the campaign's folder or
        the user's file; `progress` wraps the iteration over systems (tqdm). Raises `Missing` or
        `InputError` where the set lacks what the metric needs, or has it in another form."""

    def check_inputs(self, evalset: EvaluationSet, source: str | Path) -> None:
        """Raise the same exception as `evaluate` if the metric's texts or files are absent."""
        evalset.require_reference()

    @staticmethod
    def aggregate(sums: np.ndarray, segments: np.ndarray) -> np.ndarray:
        """Compute scores, (...), from statistics summed over segments, (..., k), and the number of
        segments, (...). By default this is the mean; NaN without segments."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return sums[..., 0] / segments

    @classmethod
    def segment_scores(cls, statistics: np.ndarray) -> np.ndarray:
        """Compute a score for each segment from its statistics, which are on the last axis."""
        return cls.aggregate(statistics, np.ones(statistics.shape[:-1]))

    @classmethod
    def segment_quality(cls, statistics: np.ndarray) -> np.ndarray:
        """Compute a score for each segment, of which higher is better, as `segment_scores`."""
        scores = cls.segment_scores(statistics)
        return scores if cls.higher_is_better else -scores


class TextMetric(Metric):
    """A metric computed from texts, the hypotheses and the reference."""

    def evaluate(
        self, evalset: EvaluationSet, source: str | Path, progress: Callable = iter
    ) -> np.ndarray:
        evalset.require_reference()
        return self.segment_statistics(evalset.hypotheses, evalset.reference, progress)

    @abstractmethod
    def segment_statistics(
        self, hypotheses: list[list[str]], reference: list[str], progress: Callable = iter
    ) -> np.ndarray:
        """Compute statistics, (systems, segments, k), from hypotheses (systems × segments) and a
        reference (segments)."""


class SacreMetric(TextMetric):
    """A metric of sacreBLEU with its statistics and signature; `kind` is its class name there.
    Further references are given as `more_references`, one list of segments each."""

    kind: ClassVar[str]
    settings: dict[str, Any]

    def segment_statistics(
        self,
        hypotheses: list[list[str]],
        reference: list[str],
        progress: Callable = iter,
        more_references: Sequence[list[str]] = (),
    ) -> np.ndarray:
        import sacrebleu.metrics

        scorer = getattr(sacrebleu.metrics, self.kind)(**self.settings)
        systems, references = len(hypotheses), [reference, *more_references]
        blocks = text_blocks(reference)
        of_blocks = []
        for block, system in progress(list(product(blocks, range(systems)))):
            if system == 0:
                lists, places = each_once([texts[block] for texts in hypotheses])
                # sacreBLEU's own bootstrap uses these private methods, too. Its public methods
                # would tokenise the reference again for every system.
                scorer._ref_cache = scorer._cache_references([texts[block] for texts in references])
                of_lists = []
            if system < len(lists):
                of_lists.append(scorer._extract_corpus_statistics(lists[system], None))
            if system == systems - 1:
                of_blocks.append(np.array(of_lists, dtype=float)[places])
        self.signature = scorer.get_signature().format()
        return np.concatenate(of_blocks, axis=1)


def text_blocks(reference: list[str]) -> list[slice]:
    """Divide segments into blocks of at most BLOCK characters of the reference, or of one segment.
    sacreBLEU keeps every n-gram of a reference, in more than two hundred times its memory."""
    ends = np.cumsum([len(segment) for segment in reference])
    blocks, start = [], 0
    while start < len(reference):
        most = BLOCK + (ends[start - 1] if start else 0)
        end = max(start + 1, int(np.searchsorted(ends, most, side="right")))
        blocks.append(slice(start, end))
        start = end
    return blocks


def each_once(hypotheses: list[list[str]]) -> tuple[list[list[str]], tuple[np.ndarray, ...]]:
    """Keep each translation of a segment once: systems often have the same one. Returns lists of a
    text for each segment, empty where no other translation is left, and the indices (list, segment)
    of every hypothesis, (systems, segments)."""
    numbers = [
        {text: number for number, text in enumerate(dict.fromkeys(texts))}
        for texts in zip(*hypotheses, strict=True)
    ]
    lists = [list(texts) for texts in zip_longest(*numbers, fillvalue="")]
    of_systems = [[of[x] for of, x in zip(numbers, texts, strict=True)] for texts in hypotheses]
    return lists, (np.array(of_systems), np.arange(len(numbers)))
