"""Score texts in memory, with the computations of a run's jobs, as a `ScoredSet`."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from tqdm import tqdm

from ..data import download
from ..data.build_set import text_doubts
from ..data.evalset import Arrays, Contents, EvaluationSet, SetFiles, describe_left_out
from ..data.language import KNOWN, default_units, notices, target_language
from ..data.own_files import UNDETERMINED
from ..difficulty import ESTIMATORS, estimate, make_estimator
from ..difficulty.base import Estimator
from ..errors import InputError, Missing, nearest
from ..metrics import METRICS, make_metric, named_metrics, reads_matches
from ..metrics.base import TextMetric
from ..scores import Key, ScoredSet
from ..settings import (
    DifficultySettings,
    EncoderSettings,
    ScoreSettings,
    Weightings,
    WeightingSettings,
)
from ..storage import Content
from ..weighting import WEIGHTINGS, parts
from ..weighting.base import STANDARD
from ..weighting.fitted import describe
from .parameters import known_name

DEFAULT_DIFFICULTY = "chunk_entropy"
TOKEN_DIFFICULTY = "token_dissimilarity"  # the difficulty that weightings of tokens use
EASY_WEIGHT = 0.5  # w where Eq. 11 does not apply
BERTSCORE = "BERTScore"
MATCHES = "matches/encoder.npz"
MetricArguments = Mapping[str, Mapping[str, Any]]  # arguments of metrics' classes, by metric type
DELAY = 2  # seconds before a progress bar is shown


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
    units = {name: kind.unit for name, kind in WEIGHTINGS.items() if not kind.parts}
    segment_weightings = [name for name, unit in units.items() if unit == "segment"]
    token_weightings = [name for name, unit in units.items() if unit == "token"]
    known = {name: WeightingSettings(name) for name in units}
    for segments in segment_weightings:
        for tokens in token_weightings:
            combined = WeightingSettings("combined", {"segments": segments, "tokens": tokens})
            known[f"{segments}-{tokens}"] = combined
    return known


def printed(difficulty: str) -> str:
    """Return a difficulty estimator's name for messages: "chunk entropy" for `chunk_entropy`."""
    return difficulty.replace("_", " ") if difficulty in ESTIMATORS else difficulty


def estimated(
    label: str, estimator: Estimator, evalset: EvaluationSet, source: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Estimate the difficulty of a user's texts (`difficulty.estimate`).

    Parameters
    ----------
    label : str
        What messages call the difficulty.
    estimator : Estimator
    evalset : EvaluationSet
    source : object
        What the estimator reads beside the texts, such as a path or scores; None for nothing.

    Returns
    -------
    tuple of ndarray
        The estimates, and the difficulty of each hypothesis, (systems, segments), higher is harder.

    Raises
    ------
    InputError
        If the estimator lacks an input; with a hint if this is the source text or language.
    """
    try:
        return estimate(estimator, evalset, source)
    except Missing as reason:
        hint = ""
        if not evalset.source:
            if "source" in str(reason):
                hint = " Give the source text."
        elif evalset.pair.startswith(f"{UNDETERMINED}-"):
            hint = " Name the source language."
        raise InputError(f"{label}: {reason}.{hint}") from None


def score_texts(
    evalset: EvaluationSet,
    more_references: Sequence[list[str]] = (),
    *,
    metrics: Sequence[str] = (),
    weightings: Sequence[str] = (),
    difficulty: str | np.ndarray | None = DEFAULT_DIFFICULTY,
    difficulty_metric: str = "chrF",
    h: float | str | None = None,
    w: float | str | None = None,
    share: float = 0.1,
    softmax: float | None = None,
    encoder: Path | None = None,
    layer: int | None = None,
    baseline: str | list[float] = "auto",
    metric_settings: MetricArguments | None = None,
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
        An estimator's name, a file of estimates, or values, (segments,) or (systems, segments),
        higher is harder. None for the default one if a weighting needs it, else for none.
    difficulty_metric : str
        The metric whose scores `crowd` and `item_response` read.
    h, w, share, softmax, encoder, layer, baseline, metric_settings
        As in `api.score`.

    Returns
    -------
    ScoredTexts

    Raises
    ------
    InputError
        For an unknown name or setting, or a missing input.
    """
    known_weightings = weightings_of_texts()
    known_metrics = named_metrics()
    metrics = _known_names(metrics, known_metrics, "metric")
    weightings = _known_names(weightings, known_weightings, "weighting")
    of_parts = {label: parts(label, known_weightings) for label in weightings}
    token_weightings = [label for label in weightings if of_parts[label].tokens]
    if token_weightings and BERTSCORE not in metrics:
        metrics.append(BERTSCORE)
    encoder_metrics = [name for name in metrics if reads_matches(known_metrics[name])]
    _check_encoder(encoder, encoder_metrics, token_weightings)
    _check_metric_types(metric_settings)
    if difficulty is None and weightings:
        difficulty = DEFAULT_DIFFICULTY

    # Token matches and segment statistics, as a run's jobs write them.
    notices = _text_notices(
        evalset, more_references, has_difficulty=difficulty is not None, metrics=metrics
    )
    contents: Contents = {"evalset.json": evalset}
    difficulties = {}
    if encoder:
        contents[MATCHES], match_notices = _matches(evalset, encoder, layer, baseline)
        notices += match_notices
        difficulties[TOKEN_DIFFICULTY] = DifficultySettings(TOKEN_DIFFICULTY)
    statistics = partial(_statistics_of_metric, contents, evalset, more_references, metric_settings)
    for name in metrics:
        statistics(name)
    settings = ScoreSettings(
        metrics={name: known_metrics[name] for name in metrics},
        difficulties=difficulties,
        matches=dict.fromkeys(encoder_metrics, MATCHES),
    )
    files = SetFiles("texts", contents)
    if difficulty is None:
        contents["weightings.json"] = _fitted(files, evalset.systems, settings)
        scored = ScoredSet(files, settings)
        keys = _scored_keys(scored, metrics, weightings)
        return ScoredTexts(evalset, scored, keys, {}, None, notices, files, settings)

    # The difficulty of every hypothesis.
    difficulty_metric = known_name(difficulty_metric, known_metrics, "metric")
    evalset = with_first_reference(evalset, more_references)
    estimates = _difficulty(evalset, difficulty, difficulty_metric, statistics)
    constant = _constant_value(estimates)
    contents[f"difficulty/{estimates.name}.npz"] = (
        Missing(f"{constant}; none is harder than another") if constant else estimates.arrays
    )
    difficulties[estimates.name] = estimates.settings

    # The weightings, fitted to the difficulty.
    fitted_names = _with_parts(weightings, known_weightings)
    if isinstance(difficulty, str) and (h is not None or _has_eq_11(estimates)):
        fitted_names.append("EE")  # because its threshold is reported
    options = _weighting_options(estimates, h, w, share, softmax)
    settings = settings._replace(
        difficulties=difficulties,
        weightings=_weighting_settings(fitted_names, known_weightings, estimates.name, options),
    )
    contents["weightings.json"] = _fitted(files, evalset.systems, settings)
    scored = ScoredSet(files, settings)
    keys = _scored_keys(scored, metrics, weightings)
    of_segments = [part.segments for part in of_parts.values()]
    has_default_w = "EE" in of_segments and w is None
    described = _describe_difficulty(
        estimates, scored.weightings, constant, has_default_w=has_default_w
    )
    notices += _difficulty_notices(described, of_segments, constant)
    values = estimates.arrays["difficulty"]
    return ScoredTexts(evalset, scored, keys, described, values, notices, files, settings)


class _Estimates(NamedTuple):
    """A difficulty of texts: its name, unit and settings, and arrays of `difficulty/<name>.npz`."""

    name: str
    unit: str
    settings: DifficultySettings
    arrays: Arrays


def _known_names(names: Sequence[str], known: Collection[str], what: str) -> list[str]:
    """Return the names as they are spelt in `known`, each once."""
    return list(dict.fromkeys(known_name(name, known, what) for name in names))


def _check_metric_types(metric_settings: MetricArguments | None) -> None:
    """Raise `InputError` if settings are not mappings by type of metric, or if there is no such
    type."""
    if metric_settings is None:
        return
    example = 'expected settings by type of metric, such as {"bleu": {"tokenize": "intl"}}'
    if not isinstance(metric_settings, Mapping):
        raise InputError(f"metric_settings: {example}, found {metric_settings!r:.60}.")
    for kind, settings in metric_settings.items():
        if kind not in METRICS:
            hint = nearest(str(kind).lower(), METRICS)
            raise InputError(
                f"metric_settings: no type {kind}{hint}. There are: {', '.join(METRICS)}."
            )
        if not isinstance(settings, Mapping):
            raise InputError(f"metric_settings, {kind}: {example}, found {settings!r:.60}.")


def _statistics_of_metric(
    contents: Contents,
    evalset: EvaluationSet,
    more_references: Sequence[list[str]],
    metric_settings: MetricArguments | None,
    name: str,
) -> Arrays:
    """Return a metric's arrays; compute them and add them to `contents` if they are not there."""
    file = f"statistics/{name}.npz"
    if file not in contents:
        arguments = (metric_settings or {}).get(named_metrics()[name].type, {})
        contents[file] = metric_statistics(
            name, evalset, more_references, arguments, contents.get(MATCHES)
        )
    return contents[file]


def _constant_value(estimates: _Estimates) -> str:
    """Return a clause that states the difficulty if all hypotheses have the same; else ""."""
    values = estimates.arrays["difficulty"]
    first = values[0, 0]
    if not (values == first).all():
        return ""
    return f"{printed(estimates.name)} is {first:.4g} for every hypothesis"


def _with_parts(labels: Sequence[str], known: Weightings) -> list[str]:
    """Return weightings followed by the segment and token weightings that they combine."""
    combined = []
    for label in labels:
        combined += [part for part in parts(label, known) if part]
    return [*labels, *combined]


def _weighting_settings(
    labels: Sequence[str],
    known: Mapping[str, WeightingSettings],
    difficulty: str,
    options: Mapping[str, Content],
) -> dict[str, WeightingSettings]:
    """Return settings of weightings by name, with the given options and the name of the difficulty
    that each weights by."""
    chosen = {}
    for label in labels:
        chosen[label] = known[label]
        if known[label].type != "combined":
            is_of_tokens = WEIGHTINGS[label].unit == "token"
            name = TOKEN_DIFFICULTY if is_of_tokens else difficulty
            chosen[label] = WeightingSettings(label, options.get(label, {}), name)
    return chosen


def _describe_difficulty(
    estimates: _Estimates, weightings: Mapping[str, Content], constant: str, *, has_default_w: bool
) -> Content:
    """Return what is reported of a difficulty (`ScoredTexts.difficulty`).

    `weightings` are the fitted ones, `constant` is from `_constant_value`, and `has_default_w` says
    whether weightings are used without a `w` of the user's.
    """
    ee = weightings.get("EE", {"parameters": {}, "notices": []})
    described: Content = {
        "name": estimates.name,
        "unit": estimates.unit,
        "signature": str(estimates.arrays["signature"]),
        **ee["parameters"],
        "notices": list(ee["notices"]),
    }
    if constant:
        notice = f"{constant}, so that none is harder than another: no h, w or weighted scores."
        if _has_eq_11(estimates):
            notice += " Probably the text is too short to be aligned; try 30 segments or more."
        described["notices"] = [notice]
    elif "h" in described and has_default_w and not _has_eq_11(estimates):
        described["w_from"] = "default"
        described["notices"].append(
            f"w is {EASY_WEIGHT}: Eq. 11 was fitted to chunk entropies and does not apply to "
            f"{printed(estimates.name)}. Set w (--easy-weight) for another value."
        )
    return described


def _difficulty_notices(described: Content, weightings: Sequence[str], constant: str) -> list[str]:
    """Return the notices of a difficulty that concern the weightings of segments that were asked
    for. EE's threshold is reported without EE, too; its notices are for those who ask for EE."""
    if "EE" in weightings:
        return list(described["notices"])
    uses_difficulty = any(weightings) or not weightings
    if uses_difficulty and _lacks_threshold(described, constant):
        return list(described["notices"])
    return []


def _lacks_threshold(described: Content, constant: str) -> bool:
    """Return whether a difficulty has no threshold h although one was computed."""
    return bool(constant) or bool(np.isnan(described.get("h", 0.0)))


def _scored_keys(scored: ScoredSet, metrics: Sequence[str], weightings: Sequence[str]) -> list[Key]:
    """Return the requested (metric, weighting) pairs that can exist, with or without scores."""
    possible = {*scored.keys, *scored.missing}
    keys = []
    for metric in metrics:
        for weighting in (STANDARD, *weightings):
            if (metric, weighting) in possible:
                keys.append((metric, weighting))
    return keys


def _check_encoder(
    encoder: Path | None, encoder_metrics: Sequence[str], token_weightings: Sequence[str]
) -> None:
    """Raise `InputError` if metrics such as BERTScore or weightings of tokens are requested without
    an encoder."""
    needing = [*encoder_metrics, *(f"weighting {label}" for label in token_weightings)]
    if needing and not encoder:
        raise InputError(
            f"{' and '.join(needing)}: an encoder and its layer are needed (encoder, layer): a "
            "folder with config.json, tokenizer and *.safetensors of a transformer that knows the "
            "target language."
        )


def _has_eq_11(estimates: _Estimates) -> bool:
    """Return whether Eq. 11, which gives w, applies to a difficulty: to chunk entropies alone."""
    return ESTIMATORS[estimates.settings.type].has_balance


def _weighting_options(
    estimates: _Estimates,
    h: float | str | None,
    w: float | str | None,
    share: float,
    softmax: float | None,
) -> dict[str, Content]:
    """Return the settings of weightings by type. `h` and `w` are None for the defaults: the mean
    plus 2 standard deviations (Eq. 9), and Eq. 11 or, where it does not apply, EASY_WEIGHT."""
    threshold = "mean_plus_2sd" if h is None else h
    easy_weight = w
    if easy_weight is None:
        easy_weight = "liu2022" if _has_eq_11(estimates) else EASY_WEIGHT
    return {
        "EE": {"threshold": threshold, "easy_weight": easy_weight},
        "hardest": {"share": share},
        "proportional": {"softmax": softmax},
    }


def _fitted(files: SetFiles, systems: list[str], settings: ScoreSettings) -> dict[str, Content]:
    """Fit the weightings of `settings` (`fitted.describe`); `InputError` for a bad setting."""
    try:
        return describe(
            files,
            systems,
            settings.difficulties,
            settings.weightings,
            matches=set(settings.matches.values()),
        )
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
    filled = []
    for texts in zip(evalset.reference, *more_references, strict=True):
        present = [text for text in texts if text.strip()]
        filled.append(present[0] if present else texts[0])
    return replace(evalset, reference=filled)


def _text_notices(
    evalset: EvaluationSet,
    more_references: Sequence[list[str]],
    *,
    has_difficulty: bool,
    metrics: Sequence[str],
) -> list[str]:
    """Return warnings about language and texts and, if difficulty is used, a single system."""
    evalset = with_first_reference(evalset, more_references)
    warnings = text_doubts(replace(evalset, own_files=True))
    entries = named_metrics()
    types = {entries[name].type for name in metrics}
    units = default_units(evalset.pair, evalset.reference)
    language = target_language(evalset.pair)
    if language == UNDETERMINED and (has_difficulty or "bleu" in types):
        how = "at spaces" if units == "words" else "into characters, for it has few spaces"
        warnings.insert(
            0,
            f"no target language: text is split {how}. Name it, above all one that is written "
            "without spaces (zh, ja, th) or that sacreBLEU has a tokenizer for (zh, ja, ko).",
        )
    elif language != UNDETERMINED:
        # BERTScore needs no warning of its default encoder: here the user always names one.
        warned_types = types - {"bertscore"}
        language_notices = notices(
            evalset.pair, evalset.reference, warned_types, split=has_difficulty
        )
        warnings = [*language_notices, *warnings]
        if units == "characters" and language in KNOWN and has_difficulty:
            warnings.insert(
                0, f"{language} is written without spaces: text is split into characters."
            )
    if evalset.left_out:
        warnings.append(f"left out: {describe_left_out(evalset.left_out)}.")
    if len(evalset.systems) == 1 and has_difficulty:
        warnings.append(
            f"one system only: difficulty is {evalset.systems[0]}'s own, so that what it "
            "translates badly counts as difficult. Add other systems' outputs for a better "
            "estimate."
        )
    return warnings


def _matches(
    evalset: EvaluationSet, folder: Path, layer: int | None, baseline: str | list[float]
) -> tuple[Arrays, list[str]]:
    """Return arrays of token matches by the encoder in a folder (`match_set`) with its baseline,
    and warnings."""
    os.environ["HF_HUB_OFFLINE"] = "1"  # which transformers reads when it is imported
    from ..embedding import baselines, encoders
    from ..embedding.matching import match_set

    name = os.path.basename(os.path.realpath(folder))
    files = encoders.checksums(name, folder)
    if layer is None:
        layer = encoders.default_layer(name)
    if layer is None:
        raise InputError(
            f"encoder {folder}: bert-score knows no layer of {name}; set it (layer; on the command "
            f"line --layer). {encoders.CHOOSE_LAYER}"
        )
    depth = encoders.depth(folder)
    if depth is not None and layer > depth:
        raise InputError(
            f"encoder {folder}: there is no layer {layer}, only 0 to {depth} (layer, --layer)."
        )
    encoder = EncoderSettings(name, name, layer, files=files, baseline=baseline)
    progress = partial(tqdm, desc=name, unit="block", delay=DELAY, disable=None)
    arrays, warnings = match_set(evalset, encoder, folder, progress)
    found_baseline = baselines.find(encoder, evalset, folder, progress)
    return arrays | found_baseline.arrays(), [*warnings, *found_baseline.notices]


def metric_statistics(
    name: str,
    evalset: EvaluationSet,
    more_references: Sequence[list[str]],
    arguments: Mapping[str, Any],
    matches: Arrays | None,
) -> Arrays:
    """Compute a metric's segment statistics, as a run's job does.

    Parameters
    ----------
    name : str
        A name in `named_metrics`.
    evalset : EvaluationSet
    more_references : sequence of list of str
        References beside the set's; only some metrics take them.
    arguments : mapping of str to object
        Arguments of the metric's class beside those of `named_metrics`.
    matches : dict of str to ndarray, optional
        Token matches, for metrics that are made from them.

    Returns
    -------
    dict
        As in `statistics/<metric>.npz`: statistics, (systems, segments, statistics); systems;
        signature.

    Raises
    ------
    InputError
        For a wrong argument, several references for a metric that takes one, a missing input or a
        missing library.
    """
    settings = named_metrics()[name]
    settings = settings._replace(arguments={**arguments, **settings.arguments})
    try:
        metric: Any = make_metric(name, evalset.pair, settings)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: {error}.") from None
    if more_references and not _takes_more_references(metric):
        raise InputError(f"{name} takes one reference, found {1 + len(more_references)}. Name one.")
    if metric.needs_wordnet:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"))
        download.find_wordnet(cache / "mt-difficulty" / "nltk")
    progress = partial(
        tqdm, desc=settings.type, unit="step", leave=False, delay=DELAY, disable=None
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
    except (RuntimeError, ImportError) as error:
        # sacreBLEU's message if the library of a tokenizer, such as MeCab, is not installed.
        library = re.search(r"pip install (\S+)", str(error))
        if library is None:
            raise
        raise InputError(
            f"{name}: the tokenizer needs a library that is not installed: pip install "
            f"'{library[1]}'."
        ) from None
    return {"statistics": statistics, "systems": evalset.systems, "signature": metric.signature}


def _takes_more_references(metric: Any) -> bool:
    """Return whether a metric of texts can use several references."""
    if not isinstance(metric, TextMetric):
        return False
    return "more_references" in inspect.signature(metric.segment_statistics).parameters


def _difficulty(
    evalset: EvaluationSet,
    difficulty: str | np.ndarray,
    metric: str,
    statistics: Callable[[str], Arrays],
) -> _Estimates:
    """Return a difficulty from values, or estimate it by an estimator's name or a file.

    `metric` is the metric whose scores some estimators read; `statistics` returns its arrays.
    """
    if isinstance(difficulty, np.ndarray):
        return _given_difficulty(evalset, difficulty)
    name = difficulty
    settings = DifficultySettings(name)
    source: Any = None
    known = estimators_of_texts()
    if name not in known:
        source = Path(name)
        settings = DifficultySettings("file", {"file": name})
        if not source.is_file():
            raise InputError(
                f"difficulty {name}: neither a difficulty{nearest(name, known)} nor a file of "
                f"estimates. The difficulties are: {', '.join(known)}."
            )
        name = source.name
    elif ESTIMATORS[name].reads == "statistics":
        settings = DifficultySettings(name, {"metric": metric})
        metric_type = METRICS[named_metrics()[metric].type]
        source = metric_type.segment_quality(statistics(metric)["statistics"])
    estimator = make_estimator(settings)
    estimator.threads = os.cpu_count() or 1
    estimates, values = estimated(f"difficulty {name}", estimator, evalset, source)
    arrays = {"difficulty": values, "signature": estimator.signature, **estimator.details}
    if estimator.depends_on_systems:
        arrays["values"] = estimates
    unit = "segment" if estimates.ndim == 1 else estimator.unit
    return _Estimates(name, unit, settings, arrays)


def _given_difficulty(evalset: EvaluationSet, values: np.ndarray) -> _Estimates:
    """Return a user's values, (segments,) or (systems, segments), as a difficulty."""
    shape = (len(evalset.systems), len(evalset.reference))
    if values.shape not in (shape, shape[1:]) or not np.isfinite(values).all():
        raise InputError(
            f"difficulty: expected a finite number for each of {shape[1]} segments, or for "
            f"each of {shape[0]} systems × {shape[1]} segments; found values of shape "
            f"{values.shape}."
        )
    unit = "segment" if values.ndim == 1 else "hypothesis"
    arrays = {"difficulty": np.broadcast_to(values, shape), "signature": "given"}
    return _Estimates("given", unit, DifficultySettings("file"), arrays)
