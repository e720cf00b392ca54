"""Baselines of BERTScore, by which similarities are rescaled: (s − b) / (1 − b)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..data.evalset import Arrays, EvaluationSet
from ..data.language import target_language
from ..errors import InputError
from ..settings import EncoderSettings
from . import encoders, f_score

if TYPE_CHECKING:
    from .encoding import Encoder
    from .matching import MatchCache

AUTO = "auto"  # bert-score's baseline if it has one, else computed
COMPUTED = "computed"
NONE = "none"
RULES = (AUTO, COMPUTED, NONE)
PAIRS = 1000  # random pairs of sentences of a computed baseline
FEW_PAIRS = 100  # with fewer, a computed baseline depends on the sentences of the set
SEED = 2022  # of the pairs: one for all runs, so that a set's scores do not depend on a run's seed
HOW_TO = (
    f"expected {', '.join(RULES[:-1])} or {NONE}, or b, or three numbers P,R,F; each number above "
    "−1 and below 1"
)


class Baseline(NamedTuple):
    """A baseline of an encoder's layer.

    Attributes
    ----------
    values : ndarray
        (3,), float32: b of precision, recall and F; NaN if there is none.
    origin : str
        Where they are from, for signatures; why there are none.
    pairs : int, optional
        Number of pairs of sentences that a computed baseline is the mean of.
    """

    values: np.ndarray
    origin: str
    pairs: int | None = None

    @property
    def notices(self) -> list[str]:
        """A warning if the baseline is computed from few pairs."""
        if self.pairs is None or self.pairs >= FEW_PAIRS:
            return []
        return [
            f"the encoder's baseline is computed from {self.pairs} pairs of references, all that "
            f"there are: other texts would give another one, and other scores. Use a set of more "
            "segments, or name the baseline (baseline, --baseline)."
        ]

    def arrays(self) -> Arrays:
        """Return the baseline as entries of a file of matches."""
        return {"baseline": self.values, "baseline_from": self.origin}


def parse(text: str) -> str | list[float]:
    """Return a baseline's setting from text such as `computed`, `0.744` or `0.74,0.74,0.744`;
    `ValueError` if it is none."""
    if text in RULES:
        return text
    return check([float(number) for number in text.split(",")])


def check(setting: str | float | Sequence[float]) -> str | list[float]:
    """Return a baseline's setting: a rule, or three numbers.

    Parameters
    ----------
    setting : str, float or sequence of float
        One of RULES; or b, the same of precision, recall and F; or these three.

    Raises
    ------
    ValueError
        If it is none of these. Similarities are below 1, so b must be.
    """
    if isinstance(setting, str):
        if setting not in RULES:
            raise ValueError(f"{HOW_TO}; found {setting!r}")
        return setting
    numbers: list[Any] = list(setting) if isinstance(setting, Sequence) else [setting]
    if len(numbers) == 1:
        numbers = numbers * 3
    are_numbers = all(type(number) in (int, float) for number in numbers)
    if len(numbers) != 3 or not are_numbers or not all(-1 < number < 1 for number in numbers):
        raise ValueError(f"{HOW_TO}; found {setting}")
    return [float(number) for number in numbers]


def described(setting: str | Sequence[float]) -> str:
    """Return a setting in words, such as `computed baseline` or `baseline 0.744`."""
    if setting == NONE:
        return "no baseline"
    if setting == AUTO:
        return "bert-score's baseline if there is one, else a computed one"
    if setting == COMPUTED:
        return "computed baseline"
    numbers = [f"{number:g}" for number in setting]
    if len(set(numbers)) == 1:
        return f"baseline {numbers[0]}"
    return f"baseline {', '.join(numbers)}"


def find(
    settings: EncoderSettings,
    evalset: EvaluationSet,
    folder: str | Path,
    progress: Callable = iter,
    cache_folder: Path | None = None,
) -> Baseline:
    """Return the baseline that an encoder's setting `baseline` asks for.

    Parameters
    ----------
    settings : EncoderSettings
    evalset : EvaluationSet
        The set, with a reference: its language, and the sentences of a computed baseline.
    folder : path
        Folder with the encoder's files.
    progress : callable
        Wraps the list of blocks of sentences (tqdm).
    cache_folder : Path, optional
        Folder with earlier matches (`MatchCache`).

    Returns
    -------
    Baseline

    Raises
    ------
    InputError
        If the encoder cannot be loaded.
    """
    setting = settings.baseline
    if setting == NONE:
        return _no_baseline(f"baseline: {NONE}")
    if not isinstance(setting, str):
        return Baseline(np.array(setting, dtype=np.float32), "given")
    if setting == AUTO:
        language = target_language(evalset.pair)
        published = encoders.baseline(settings.model, settings.layer, language)
        if published:
            return Baseline(np.array(published, dtype=np.float32), "bert-score")
    sentences = sorted({text.strip() for text in evalset.reference if text.strip()})
    if len(sentences) < 2:
        return _no_baseline("there are no two different references to compute it from")

    from .encoding import Encoder
    from .matching import MatchCache, made_with

    encoder = Encoder(folder, settings.layer, settings.device, settings.dtype)
    cache = MatchCache(made_with(encoder, settings), cache_folder) if cache_folder else None
    first, second = random_pairs(sentences)
    values = mean_scores(encoder, first, second, progress, cache)
    texts = hashlib.sha256("\n".join(sentences).encode()).hexdigest()[:8]
    origin = f"{len(first)} random pairs of the set's references ({texts}), seed {SEED}"
    return Baseline(values.astype(np.float32), origin, len(first))


def _no_baseline(why: str) -> Baseline:
    return Baseline(np.full(3, np.nan, dtype=np.float32), why)


def random_pairs(sentences: Sequence[str]) -> tuple[list[str], list[str]]:
    """Draw random pairs of different sentences.

    Parameters
    ----------
    sentences : sequence of str
        Two or more, all different.

    Returns
    -------
    first, second : list of str
        PAIRS pairs, or all ordered pairs if there are fewer. From PAIRS sentences on, each that is
        drawn is once the first and once the second of a pair, so that each is encoded once.
    """
    rng = np.random.default_rng(SEED)
    order = rng.permutation(len(sentences))[:PAIRS]
    pairs: list[tuple[int, int]] = []
    for shift in range(1, len(order)):
        if len(pairs) >= PAIRS:
            break
        pairs += zip(order.tolist(), np.roll(order, -shift).tolist(), strict=True)
    pairs = pairs[:PAIRS]
    return [sentences[i] for i, _ in pairs], [sentences[j] for _, j in pairs]


def mean_scores(
    encoder: Encoder,
    first: list[str],
    second: list[str],
    progress: Callable = iter,
    cache: MatchCache | None = None,
) -> np.ndarray:
    """Return mean precision, recall and F of sentences, (3,), as bert-score computes its baselines:
    BERTScore of `first` with `second` as reference, without idf."""
    from .matching import NotFinite, match_tokens

    try:
        matches = match_tokens(encoder, second, [first], progress, cache)
    except NotFinite:
        raise InputError(
            f"encoder {encoder.folder}: an embedding of a reference is not finite, so that no "
            "baseline can be computed. Replace its weights, or set dtype: float32."
        ) from None
    scores = np.zeros((len(first), 3))  # 0 for a sentence without tokens, as in bert-score
    has_tokens = matches.scoreable[0]
    precision = _means(matches.hypothesis_similarity, matches.hypothesis_lengths[0])
    recall = _means(matches.reference_similarity[0], matches.reference_lengths)
    f = f_score(precision, recall)
    scores[has_tokens] = np.column_stack([precision, recall, f])[has_tokens]
    return scores.mean(axis=0)


def _means(similarity: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return the mean similarity of each sentence's tokens, (sentences,); NaN without tokens."""
    sentences = np.repeat(np.arange(lengths.size), lengths)
    with np.errstate(invalid="ignore"):
        return np.bincount(sentences, similarity, lengths.size) / lengths
