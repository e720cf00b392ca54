"""Score texts in memory, with the computations of a run's jobs, as a `ScoredSet`."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from tqdm import tqdm

from ..data import download
from ..data.build_set import text_doubts
from ..data.evalset import Arrays, Contents, EvaluationSet, SetFiles
from ..data.language import KNOWN, default_units, notices, target_language
from ..data.own_files import UNDETERMINED
from ..difficulty import ESTIMATORS, estimate, make_estimator
from ..difficulty.base import Estimator
from ..errors import InputError, Missing, nearest
from ..metrics import METRICS, make_metric, named_metrics, reads_matches
from ..metrics.base import TextMetric
from ..scores import Key, ScoredSet
from ..settings import DifficultySettings, EncoderSettings, ScoreSettings, WeightingSettings
from ..storage import Content
from ..weighting import WEIGHTINGS, parts
from ..weighting.base import STANDARD
from ..weighting.fitted import describe
from .parameters import known_name

DEFAULT_DIFFICULTY, OF_TOKENS = "chunk_entropy", "token_dissimilarity"
EASY_WEIGHT = 0.5  # where Eq. 11 does not apply
BERTSCORE, MATCHES = "BERTScore", "matches/encoder.npz"
DELAY = 2  # seconds before progress is shown


class ScoredTexts(NamedTuple):
    """Texts with their scores.

    Attributes
    ----------
    evalset : EvaluationSet
        The texts; `reference` is the first reference.
    scored : ScoredSet
    keys : list of (metric, weighting)
        The requested pairs, including those without scores.
    difficulty : dict
        Name, unit and signature and, if a weighting uses a threshold, the result of `EE.fit`; empty
        if nothing asked for a difficulty.
    values : ndarray or None
        The difficulty, (systems, segments), higher is harder; None if nothing asked for it.
    notices : list of str
    files : SetFiles
    settings : ScoreSettings
        What `scored` was made from.
    """

    evalset: EvaluationSet
    scored: ScoredSet
    keys: list[Key]
    difficulty: Content
    values: np.ndarray | None
    notices: list[str]
    files: SetFiles
    settings: ScoreSettings


def estimators_of_texts() -> list[str]:
    """Return names of estimators of segment or hypothesis difficulty that need only texts."""
    return [
        name
        for name, kind in ESTIMATORS.items()
        if kind.reads in (None, "statistics") and kind.unit != "token" and not kind.uses_gold
    ]


def weightings_of_texts() -> dict[str, WeightingSettings]:
    """Return the weightings by name: those of the registry, and every combination of a
    segment weighting with a token weighting, such as EE-DA."""
    unit = {name: kind.unit for name, kind in WEIGHTINGS.items() if not kind.parts}
    segments, tokens = ([n for n in unit if unit[n] == of] for of in ("segment", "token"))
    known = {name: WeightingSettings(name) for name in unit}
    for first in segments:
        for second in tokens:
            combined = WeightingSettings("combined", {"segments": first, "tokens": second})
            known[f"{first}-{second}"] = combined
    return known


def printed(difficulty: str) -> str:
    """Return a difficulty estimator's name for messages: "chunk entropy" for `chunk_entropy`."""
    return difficulty.replace("_", " ") if difficulty in ESTIMATORS else difficulty


def estimated(
    label: str, estimator: Estimator, evalset: EvaluationSet, source: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Return `estimate`'s arrays; `InputError` with a hint if the estimator lacks input."""
    try:
        return estimate(estimator, evalset, source)
    except Missing as reason:
        hint = " Name the source language." * evalset.pair.startswith(f"{UNDETERMINED}-")
        if not evalset.source:
            hint = " Give the source text." if "source" in str(reason) else ""
        raise InputError(f"{label}: {reason}.{hint}") from None


def score_texts(
    evalset: EvaluationSet,
    more_references: Sequence[list[str]] = (),
    *,
    metrics: Sequence[str] = (),
    weightings: Sequence[str] = (),
    difficulty: str | np.ndarray | None = DEFAULT_DIFFICULTY,
    of_metric: str = "chrF",
    h: float | str | None = None,
    w: float | str | None = None,
    share: float = 0.1,
    softmax: float | None = None,
    encoder: Path | None = None,
    layer: int | None = None,
    metric_settings: Mapping[str, Mapping[str, Any]] | None = None,
) -> ScoredTexts:
    """Score texts with the computations of a run's jobs, in memory.

    Parameters
    ----------
    evalset : EvaluationSet
        The texts, with the first reference.
    more_references : sequence of list of str
        Further references.
    metrics, weightings : sequence of str
        Names of `named_metrics` and `weightings_of_texts`, in any case.
    difficulty : str, ndarray or None
        An estimator's name, a file of estimates, or values, (segments,) or (systems, segments).
        None for the default one if a weighting needs it, else for none.
    of_metric : str
        The metric whose scores `crowd` and `item_response` read.
    h, w, share, softmax, encoder, layer, metric_settings
        As in `api.score`.

    Returns
    -------
    ScoredTexts

    Raises
    ------
    InputError
        For an unknown name or setting, or a missing input.
    """
    known = weightings_of_texts()
    entries = named_metrics()
    metrics = list(dict.fromkeys(known_name(name, entries, "metric") for name in metrics))
    asked = list(dict.fromkeys(known_name(label, known, "weighting") for label in weightings))
    of_tokens = [label for label in asked if parts(label, known).tokens]
    if of_tokens and BERTSCORE not in metrics:
        metrics.append(BERTSCORE)
    neural = [name for name in metrics if reads_matches(entries[name])]
    _check_encoder(encoder, neural, of_tokens)
    for kind in metric_settings or ():
        if kind not in METRICS:
            raise InputError(f"metric_settings: no type {kind}. There are: {', '.join(METRICS)}.")
    if difficulty is None and asked:
        difficulty = DEFAULT_DIFFICULTY

    # Compute what jobs write: token matches, segment statistics, the difficulty.
    sentences = _doubts(evalset, more_references, difficulty is not None, metrics)
    contents: Contents = {"evalset.json": evalset}
    if encoder:
        contents[MATCHES], doubts = _matches(evalset, encoder, layer)
        sentences += doubts

    def statistics(name: str) -> Arrays:
        if (file := f"statistics/{name}.npz") not in contents:
            arguments = (metric_settings or {}).get(entries[name].type, {})
            matches = contents.get(MATCHES)
            contents[file] = metric_statistics(name, evalset, more_references, arguments, matches)
        return contents[file]

    for name in metrics:
        statistics(name)
    difficulties = {OF_TOKENS: DifficultySettings(OF_TOKENS)} if encoder else {}
    settings = ScoreSettings(
        {metric: entries[metric] for metric in metrics},
        difficulties,
        matches=dict.fromkeys(neural, MATCHES),
    )
    files = SetFiles("texts", contents)
    if difficulty is None:
        contents["weightings.json"] = _fitted(files, evalset.systems, settings)
        scored = ScoredSet(files, settings)
        keys = [(metric, STANDARD) for metric in metrics]
        return ScoredTexts(evalset, scored, keys, {}, None, sentences, files, settings)

    of_metric = known_name(of_metric, entries, "metric")
    whole = with_first_reference(evalset, more_references)
    name, unit, estimator, arrays = _difficulty(whole, difficulty, of_metric, statistics)
    values, constant = arrays["difficulty"], ""
    contents[f"difficulty/{name}.npz"] = arrays
    if (values == values[0, 0]).all():
        constant = f"{printed(name)} is {values[0, 0]:.4g} for every hypothesis"
        contents[f"difficulty/{name}.npz"] = Missing(f"{constant}; none is harder than another")
    difficulties[name] = estimator

    # Fit the weightings, those that they combine, and EE if its threshold is needed.
    of_entropy = ESTIMATORS[estimator.type].has_balance
    default_w = w is None and not of_entropy
    options = _weighting_options(h, w, share, softmax, default_w)
    fitted = [*asked, *(part for label in asked for part in parts(label, known) if part)]
    if isinstance(difficulty, str) and (of_entropy or h is not None):
        fitted.append("EE")
    chosen = {}
    for label in fitted:
        chosen[label] = known[label]
        if known[label].type != "combined":
            of_label = OF_TOKENS if WEIGHTINGS[label].unit == "token" else name
            chosen[label] = WeightingSettings(label, options.get(label, {}), of_label)
    settings = settings._replace(difficulties=difficulties, weightings=chosen)
    contents["weightings.json"] = described = _fitted(files, evalset.systems, settings)
    scored = ScoredSet(files, settings)

    groups = described["weightings"].get("EE", {"parameters": {}, "notices": []})
    about: Content = {"name": name, "unit": unit, "signature": str(arrays["signature"])}
    about |= groups["parameters"] | {"notices": list(groups["notices"])}
    if constant:
        doubt = f"{constant}, so that none is harder than another: no h, w or weighted scores."
        if of_entropy:
            doubt += " Probably the text is too short to be aligned; try 30 segments or more."
        about["notices"] = [doubt]
    elif "h" in about and asked and default_w:
        about["w_from"] = "default"
        about["notices"].append(
            f"w is {EASY_WEIGHT}: Eq. 11 was fitted to chunk entropies and does not apply to "
            f"{printed(name)}. Set w for another value."
        )
    there = {*scored.keys, *scored.missing}
    keys = [key for m in metrics for label in (STANDARD, *asked) if (key := (m, label)) in there]
    if asked or constant or np.isnan(about.get("h", 0.0)):  # else nothing is weighted
        sentences += about["notices"]
    return ScoredTexts(whole, scored, keys, about, values, sentences, files, settings)


def _check_encoder(encoder: Path | None, neural: Sequence[str], of_tokens: Sequence[str]) -> None:
    """Raise `InputError` if metrics such as BERTScore or weightings of tokens are asked for without
    an encoder."""
    needing = [*neural, *(f"weighting {label}" for label in of_tokens)]
    if needing and not encoder:
        raise InputError(
            f"{' and '.join(needing)}: an encoder and its layer are needed (encoder, layer): a "
            "folder with config.json, tokenizer and *.safetensors of a transformer that knows the "
            "target language."
        )


def _weighting_options(
    h: float | str | None,
    w: float | str | None,
    share: float,
    softmax: float | None,
    default_w: bool,
) -> dict[str, Content]:
    """Return the settings of weightings by type."""
    easy_weight: float | str = EASY_WEIGHT if default_w else "liu2022"
    return {
        "EE": {
            "threshold": "mean_plus_2sd" if h is None else h,
            "easy_weight": easy_weight if w is None else w,
        },
        "hardest": {"share": share},
        "proportional": {"softmax": softmax},
    }


def _fitted(files: SetFiles, systems: list[str], settings: ScoreSettings) -> dict[str, Content]:
    """Fit the weightings of `settings` (`fitted.describe`); `InputError` for a bad setting."""
    try:
        return describe(files, systems, settings.difficulties, settings.weightings)
    except (TypeError, ValueError) as error:
        message = str(error).replace("easy_weight", "w").replace("threshold", "h")
        raise InputError(f"{message}.") from None


def with_first_reference(
    evalset: EvaluationSet, more_references: Sequence[list[str]]
) -> EvaluationSet:
    """Return a set whose empty reference segments are those of the first reference that has them.

    BLEU, chrF and TER take an empty reference beside another for missing, as sacreBLEU does, and so
    do difficulties.
    """
    if not more_references or all(map(str.strip, evalset.reference)):
        return evalset
    columns = zip(evalset.reference, *more_references, strict=True)
    filled = [next((text for text in texts if text.strip()), texts[0]) for texts in columns]
    return replace(evalset, reference=filled)


def _doubts(
    evalset: EvaluationSet,
    more_references: Sequence[list[str]],
    has_difficulty: bool,
    metrics: Sequence[str],
) -> list[str]:
    """Return warnings about language and texts and, if difficulty is used, a single system."""
    evalset = with_first_reference(evalset, more_references)
    odd = text_doubts(replace(evalset, own_files=True))
    entries = named_metrics()
    types = {entries[name].type for name in metrics}
    split, language = default_units(evalset.pair, evalset.reference), target_language(evalset.pair)
    if language == UNDETERMINED and (has_difficulty or "bleu" in types):
        how = "at spaces" if split == "words" else "into characters, for it has few spaces"
        odd.insert(
            0,
            f"no target language: text is split {how}. Name it, above all one that is written "
            "without spaces (zh, ja, th) or that sacreBLEU has a tokenizer for (zh, ja, ko).",
        )
    elif language != UNDETERMINED:
        # An encoder is always named here.
        named = types - {"bertscore"}
        odd = [*notices(evalset.pair, evalset.reference, named, has_difficulty), *odd]
        if split == "characters" and language in KNOWN and has_difficulty:
            odd.insert(0, f"{language} is written without spaces: text is split into characters.")
    if len(evalset.systems) == 1 and has_difficulty:
        odd.append(
            f"one system only: difficulty is {evalset.systems[0]}'s own, so that what it "
            "translates badly counts as difficult. Add other systems' outputs for a better "
            "estimate."
        )
    return odd


def _matches(evalset: EvaluationSet, folder: Path, layer: int | None) -> tuple[Arrays, list[str]]:
    """Return arrays of token matches by the encoder in a folder (`match_set`), and warnings."""
    os.environ["HF_HUB_OFFLINE"] = "1"  # before transformers is imported
    from ..embedding import encoders
    from ..embedding.matching import match_set

    name = os.path.basename(os.path.realpath(folder))
    files = encoders.checksums(name, folder)
    layer = encoders.default_layer(name) if layer is None else layer
    if layer is None:
        raise InputError(f"encoder {folder}: bert-score knows no layer of {name}; set the layer.")
    encoder = EncoderSettings(name, name, layer, files=files)
    progress = partial(tqdm, desc=name, unit="block", delay=DELAY, disable=None)
    return match_set(evalset, encoder, folder, progress)


def metric_statistics(
    name: str,
    evalset: EvaluationSet,
    more_references: Sequence[list[str]],
    arguments: Mapping[str, Any],
    matches: Arrays | None,
) -> Arrays:
    """Return a metric's arrays as in `statistics/<metric>.npz`: statistics, systems, signature.
    `arguments` are further ones of its class."""
    settings = named_metrics()[name]
    settings = settings._replace(arguments={**arguments, **settings.arguments})
    try:
        metric: Any = make_metric(name, evalset.pair, settings)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: {error}.") from None
    takes_more = isinstance(metric, TextMetric) and (
        "more_references" in inspect.signature(metric.segment_statistics).parameters
    )
    if more_references and not takes_more:
        raise InputError(f"{name} takes one reference, found {1 + len(more_references)}. Name one.")
    if metric.needs_wordnet:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"))
        download.find_wordnet(cache / "mt-difficulty" / "nltk")
    progress = partial(
        tqdm, desc=settings.type, unit="system", leave=False, delay=DELAY, disable=None
    )
    try:
        if metric.reads == "matches":
            statistics = metric.statistics(matches)
        elif isinstance(metric, TextMetric):
            options = {"more_references": more_references} if more_references else {}
            statistics = metric.segment_statistics(
                evalset.hypotheses, evalset.reference, progress, **options
            )
        else:
            statistics = metric.evaluate(evalset, "", progress)
    except Missing as reason:
        raise InputError(f"{name}: {reason}.") from None
    except (RuntimeError, ImportError) as error:  # sacreBLEU lacks a tokenizer's library
        if (library := re.search(r"pip install (\S+)", str(error))) is None:
            raise
        raise InputError(
            f"{name}: the tokenizer needs a library that is not installed: pip install "
            f"'{library[1]}'."
        ) from None
    return {"statistics": statistics, "systems": evalset.systems, "signature": metric.signature}


def _difficulty(
    evalset: EvaluationSet,
    difficulty: str | np.ndarray,
    metric: str,
    statistics: Callable[[str], Arrays],
) -> tuple[str, str, DifficultySettings, Arrays]:
    """Return a difficulty's name, unit, settings and the arrays of `difficulty/<name>.npz`."""
    if isinstance(difficulty, np.ndarray):
        shape = (len(evalset.systems), len(evalset.reference))
        if difficulty.shape not in (shape, shape[1:]) or not np.isfinite(difficulty).all():
            raise InputError(
                f"difficulty: expected a finite number for each of {shape[1]} segments, or for "
                f"each of {shape[0]} systems × {shape[1]} segments; found values of shape "
                f"{difficulty.shape}."
            )
        unit = "segment" if difficulty.ndim == 1 else "hypothesis"
        arrays = {"difficulty": np.broadcast_to(difficulty, shape), "signature": "given"}
        return "given", unit, DifficultySettings("file"), arrays
    name, known = difficulty, estimators_of_texts()
    settings = DifficultySettings(name)
    source: Any = None
    if name not in known:
        source, settings = Path(name), DifficultySettings("file", {"file": name})
        if not source.is_file():
            raise InputError(
                f"difficulty {name}: neither a difficulty{nearest(name, known)} nor a file of "
                f"estimates. The difficulties are: {', '.join(known)}."
            )
        name = source.name
    elif ESTIMATORS[name].reads == "statistics":
        settings = DifficultySettings(name, {"metric": metric})
        kind = METRICS[named_metrics()[metric].type]
        source = kind.segment_quality(statistics(metric)["statistics"])
    estimator = make_estimator(settings)
    estimator.threads = os.cpu_count() or 1
    estimates, values = estimated(f"difficulty {name}", estimator, evalset, source)
    arrays = {"difficulty": values, "signature": estimator.signature, **estimator.details}
    arrays |= {"values": estimates} if estimator.depends_on_systems else {}
    return name, "segment" if estimates.ndim == 1 else estimator.unit, settings, arrays
