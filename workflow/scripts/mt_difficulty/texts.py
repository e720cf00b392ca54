"""Score texts in memory as a `ScoredSet`, and report on them for Python and the command line:
scores with intervals, comparisons of systems, the hardest segments."""

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

from .data import download
from .data.evalset import EvaluationSet, SetFiles, checked
from .data.language import KNOWN, default_units, notices, target_language, tokenize
from .data.own_files import UNDETERMINED
from .difficulty import ESTIMATORS, estimate, make_estimator
from .difficulty.base import Estimator
from .errors import InputError, Missing, nearest
from .evidence import resampling
from .metrics import METRICS
from .scores import Key, ScoredSet
from .statistics import STATISTICS
from .weighting import WEIGHTINGS, parts
from .weighting.base import STANDARD, WeightedMetric
from .weighting.fitted import describe

RESAMPLES, SEED = 1000, 2022
# An interval of 95 % by percentiles needs a resample beyond each of its ends.
OF_INTERVAL, MOST_RESAMPLES = 40, 100_000
# Resamples that `score` draws by default for each pair of systems, up to a number from which on
# they are fewer: a corrected p can be below ALPHA with 2 / ALPHA resamples a pair, and more make
# the test powerful. At least 1,000 and at most MOST_RESAMPLES are drawn.
LEAST_RESAMPLES = 1000
RESAMPLES_OF_PAIR, MANY_RESAMPLES, OF_PAIR_OF_MANY = 100, 20_000, 50
LEVEL, ALPHA = 0.95, 0.05
NOT_TESTED = "not tested"
DEFAULT_DIFFICULTY, OF_TOKENS = "chunk_entropy", "token_dissimilarity"
EASY_WEIGHT = 0.5  # where Eq. 11 does not apply
BERTSCORE, MATCHES = "BERTScore", "matches/encoder.npz"
# Type and settings of metrics by name; upper and lower case are equal.
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "BLEU": ("bleu", {}),
    "chrF": ("chrf", {"average": "corpus"}),
    "chrF++": ("chrf", {"average": "corpus", "word_order": 2}),
    "chrF-segments": ("chrf", {"average": "segments"}),
    "TER": ("ter", {}),
    "METEOR": ("meteor", {}),
    BERTSCORE: ("bertscore", {}),
}
DELAY = 2  # seconds before progress is shown
# Statistics of `correlate`; those of the metrics task's official tables are the default.
AGREEMENT = ("pearson", "spearman", "kendall", "accuracy", "soft_accuracy", "acc_eq")
OFFICIAL = ("pearson", "kendall", "soft_accuracy", "acc_eq")
TOKENS = 5  # difficult tokens shown of a segment


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
    settings : dict
        What `scored` was made from.
    """

    evalset: EvaluationSet
    scored: ScoredSet
    keys: list[Key]
    difficulty: dict[str, Any]
    values: np.ndarray | None
    notices: list[str]
    files: SetFiles
    settings: dict[str, Any]


def estimators_of_texts() -> list[str]:
    """Return names of estimators of segment or hypothesis difficulty that need only texts."""
    return [
        name
        for name, kind in ESTIMATORS.items()
        if kind.reads in (None, "statistics") and kind.unit != "token" and not kind.uses_gold
    ]


def weightings_of_texts() -> dict[str, dict[str, str]]:
    """Return type and parts of the weightings: those of the registry, and every combination of a
    segment weighting with a token weighting, such as EE-DA."""
    unit = {name: kind.unit for name, kind in WEIGHTINGS.items() if not kind.parts}
    segments, tokens = ([n for n in unit if unit[n] == of] for of in ("segment", "token"))
    return {name: {"type": name} for name in unit} | {
        f"{first}-{second}": {"type": "combined", "segments": first, "tokens": second}
        for first in segments
        for second in tokens
    }


def printed(difficulty: str) -> str:
    """Return a difficulty estimator's name for messages: "chunk entropy" for `chunk_entropy`."""
    return difficulty.replace("_", " ") if difficulty in ESTIMATORS else difficulty


def named(names: Any, what: str) -> list[str]:
    """Return one or more names as a list of str; `InputError` if any is neither str nor path."""
    names = [names] if isinstance(names, (str, Path)) else names
    if not isinstance(names, Collection) or not all(isinstance(x, (str, Path)) for x in names):
        raise InputError(f"{what}: expected a name or a list of names, found {names!r:.60}.")
    return [str(name) for name in names]


def known_name(name: str, known: Collection[str], what: str) -> str:
    """Return the entry of `known` that equals `name`, ignoring case; `InputError` if none does."""
    spelt = {label.lower(): label for label in known} | {label: label for label in known}
    if (label := spelt.get(name) or spelt.get(name.lower())) is None:
        hint = nearest(name, known) or nearest(name.upper(), known)
        raise InputError(f"no {what} {name}{hint}. There are: {', '.join(known) or 'none'}.")
    return label


def chosen_statistics(statistics: Any, known: Collection[str]) -> list[str]:
    """Return the names of statistics as in `known`; `InputError` for an unknown one, or if there
    are none."""
    names = [known_name(name, known, "statistic") for name in named(statistics, "statistics")]
    if not names:
        raise InputError(f"statistics: expected one or more of {', '.join(known)}.")
    return names


NUMBER = (int, float, np.integer, np.floating)
CODE = re.compile(r"[a-zA-Z]{2,3}(_\w+)*")
REQUIRED = ("archive", "folder", "campaign", "pair", "share")


def check_parameters(**parameters: Any) -> None:
    """Check settings by their names.

    Parameters
    ----------
    **parameters
        Values by name. None is accepted but for paths, names of sets, and `share`.

    Raises
    ------
    InputError
        For a value of a wrong kind, or out of range.
    """
    for name, value in parameters.items():
        if value is None and name not in REQUIRED:
            continue
        right, expected = _is_right(name, value)
        if not right or isinstance(value, (bool, np.bool_)):
            raise InputError(f"{name} {value!r:.60}: expected {expected}.")


def _is_right(name: str, value: Any) -> tuple[bool, str]:
    """Return whether the value of a setting is a possible one, and what is expected."""
    is_number = isinstance(value, NUMBER) and bool(np.isfinite(value))
    is_whole = isinstance(value, (int, np.integer))
    if name in ("share", "softmax"):
        return is_number, "a finite number"
    if name in ("h", "w"):
        return is_number or isinstance(value, str), "a finite number or the name of a rule"
    if name == "budget":
        return is_number and value > 0, "a number above 0"
    if name in ("encoder", "archive", "folder"):
        return isinstance(value, (str, Path)), "a path"
    if name in ("campaign", "pair", "reference", "gold"):
        return isinstance(value, str), "a name"
    if name in ("lang", "src_lang"):
        return bool(CODE.fullmatch(str(value))), "a language code such as de, zh or pt_BR"
    most = MOST_RESAMPLES if name == "resamples" else 2**63 - 1
    return is_whole and 0 <= value <= most, f"a whole number from 0 to {most}"


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
    metric_settings: Mapping[str, dict[str, Any]] | None = None,
) -> ScoredTexts:
    """Score texts with the computations of a run's jobs, in memory.

    Parameters
    ----------
    evalset : EvaluationSet
        The texts, with the first reference.
    more_references : sequence of list of str
        Further references.
    metrics, weightings : sequence of str
        Names in KINDS and of `weightings_of_texts`, in any case.
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
    metrics = list(dict.fromkeys(known_name(name, KINDS, "metric") for name in metrics))
    asked = list(dict.fromkeys(known_name(label, known, "weighting") for label in weightings))
    of_tokens = [label for label in asked if parts(label, known).tokens]
    if of_tokens and BERTSCORE not in metrics:
        metrics.append(BERTSCORE)
    _check_encoder(encoder, metrics, of_tokens)
    for kind in metric_settings or ():
        if kind not in METRICS:
            raise InputError(f"metric_settings: no type {kind}. There are: {', '.join(METRICS)}.")
    if difficulty is None and asked:
        difficulty = DEFAULT_DIFFICULTY

    # Compute what jobs write: token matches, segment statistics, the difficulty.
    sentences = _doubts(evalset, more_references, difficulty is not None, metrics)
    contents: dict[str, Any] = {"evalset.json": evalset}
    if encoder:
        contents[MATCHES], doubts = _matches(evalset, encoder, layer)
        sentences += doubts

    def statistics(name: str) -> dict[str, Any]:
        if (file := f"statistics/{name}.npz") not in contents:
            settings = (metric_settings or {}).get(KINDS[name][0], {})
            matches = contents.get(MATCHES)
            contents[file] = metric_statistics(name, evalset, more_references, settings, matches)
        return contents[file]

    for name in metrics:
        statistics(name)
    settings: dict[str, dict[str, Any]] = {
        "metrics": {metric: {"type": KINDS[metric][0]} for metric in metrics},
        "matches": {BERTSCORE: MATCHES} if encoder else {},
        "difficulties": {OF_TOKENS: {"type": OF_TOKENS}} if encoder else {},
        "weightings": {},
    }
    files = SetFiles("texts", contents)
    if difficulty is None:
        contents["weightings.json"] = _fitted(files, evalset.systems, settings)
        scored = ScoredSet(files, settings)
        keys = [(metric, STANDARD) for metric in metrics]
        return ScoredTexts(evalset, scored, keys, {}, None, sentences, files, settings)

    of_metric = known_name(of_metric, KINDS, "metric")
    whole = with_first_reference(evalset, more_references)
    name, unit, estimator, arrays = _difficulty(whole, difficulty, of_metric, statistics)
    values, constant = arrays["difficulty"], ""
    contents[f"difficulty/{name}.npz"] = arrays
    if (values == values[0, 0]).all():
        constant = f"{printed(name)} is {values[0, 0]:.4g} for every hypothesis"
        contents[f"difficulty/{name}.npz"] = Missing(f"{constant}; none is harder than another")
    settings["difficulties"][name] = estimator

    # Fit the weightings, those that they combine, and EE if its threshold is needed.
    of_entropy = ESTIMATORS[estimator["type"]].has_balance
    default_w = w is None and not of_entropy
    options = _weighting_options(h, w, share, softmax, default_w)
    fitted = [*asked, *(part for label in asked for part in parts(label, known) if part)]
    if isinstance(difficulty, str) and (of_entropy or h is not None):
        fitted.append("EE")
    for label in fitted:
        entry = known[label] | options.get(label, {})
        if "segments" not in entry:  # which is combined
            entry["difficulty"] = OF_TOKENS if WEIGHTINGS[label].unit == "token" else name
        settings["weightings"][label] = entry
    contents["weightings.json"] = described = _fitted(files, evalset.systems, settings)
    scored = ScoredSet(files, settings)

    groups = described["weightings"].get("EE", {"parameters": {}, "notices": []})
    about: dict[str, Any] = {"name": name, "unit": unit, "signature": str(arrays["signature"])}
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


def _check_encoder(encoder: Path | None, metrics: Sequence[str], of_tokens: Sequence[str]) -> None:
    """Raise `InputError` if BERTScore or weightings of tokens are asked for without an encoder."""
    needing = [f"weighting {label}" for label in of_tokens]
    if BERTSCORE in metrics:
        needing.insert(0, BERTSCORE)
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
) -> dict[str, dict[str, Any]]:
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


def _fitted(
    files: SetFiles, systems: list[str], settings: Mapping[str, dict[str, Any]]
) -> dict[str, dict[str, Any]]:
    """Fit the weightings of `settings` (`fitted.describe`); `InputError` for a bad setting."""
    try:
        return describe(files, systems, settings["difficulties"], settings["weightings"])
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
    odd = checked(evalset, own_files=True).notices
    types = {KINDS[name][0] for name in metrics}
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


def _matches(
    evalset: EvaluationSet, folder: Path, layer: int | None
) -> tuple[dict[str, Any], list[str]]:
    """Return arrays of token matches by the encoder in a folder (`match_set`), and warnings."""
    os.environ["HF_HUB_OFFLINE"] = "1"  # before transformers is imported
    from .embedding import encoders
    from .embedding.matching import match_set

    name = os.path.basename(os.path.realpath(folder))
    files = encoders.checksums(name, folder)
    layer = encoders.default_layer(name) if layer is None else layer
    if layer is None:
        raise InputError(f"encoder {folder}: bert-score knows no layer of {name}; set the layer.")
    encoder = {"name": name, "model": name, "files": files, "layer": layer, "device": "auto"}
    progress = partial(tqdm, desc=name, unit="block", delay=DELAY, disable=None)
    return match_set(evalset, encoder | {"dtype": "float32"}, folder, progress)


def metric_statistics(
    name: str,
    evalset: EvaluationSet,
    more_references: Sequence[list[str]],
    settings: dict[str, Any],
    matches: dict[str, Any] | None,
) -> dict[str, Any]:
    """Return a metric's arrays as in `statistics/<metric>.npz`: statistics, systems, signature."""
    kind, settled = KINDS[name]
    try:
        metric: Any = METRICS[kind](evalset.pair, **{**settings, **settled})
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: {error}.") from None
    function = metric.statistics if kind == "bertscore" else metric.segment_statistics
    if more_references and "more_references" not in inspect.signature(function).parameters:
        raise InputError(f"{name} takes one reference, found {1 + len(more_references)}. Name one.")
    if metric.needs_wordnet:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"))
        download.find_wordnet(cache / "mt-difficulty" / "nltk")
    progress = partial(tqdm, desc=kind, unit="system", leave=False, delay=DELAY, disable=None)
    options: dict[str, Any] = {"more_references": more_references} if more_references else {}
    texts = [matches] if kind == "bertscore" else [evalset.hypotheses, evalset.reference, progress]
    try:
        statistics = function(*texts, **options)
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
    statistics: Callable[[str], dict[str, Any]],
) -> tuple[str, str, dict[str, Any], dict[str, Any]]:
    """Return a difficulty's name, unit, config entry and the arrays of `difficulty/<name>.npz`."""
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
        return "given", unit, {"type": "file"}, arrays
    name, known = difficulty, estimators_of_texts()
    entry: dict[str, Any] = {"type": name}
    source: Any = None
    if name not in known:
        source, entry = Path(name), {"type": "file", "file": name}
        if not source.is_file():
            raise InputError(
                f"difficulty {name}: neither a difficulty{nearest(name, known)} nor a file of "
                f"estimates. The difficulties are: {', '.join(known)}."
            )
        name = source.name
    elif ESTIMATORS[name].reads == "statistics":
        entry["metric"] = metric
        kind = METRICS[KINDS[metric][0]]
        sign = 1 if kind.higher_is_better else -1
        source = kind.segment_scores(statistics(metric)["statistics"]) * sign
    estimator = make_estimator(entry)
    estimator.threads = os.cpu_count() or 1
    estimates, values = estimated(f"difficulty {name}", estimator, evalset, source)
    arrays = {"difficulty": values, "signature": estimator.signature, **estimator.details}
    arrays |= {"values": estimates} if estimator.depends_on_systems else {}
    return name, "segment" if estimates.ndim == 1 else estimator.unit, entry, arrays


def text_report(
    texts: ScoredTexts, top: int, hypotheses: int = 0, within_length: bool = False
) -> dict[str, Any]:
    """Report the texts, their difficulty and the hardest segments.

    Parameters
    ----------
    texts : ScoredTexts
    top : int
        How many segments to list, those of the highest mean difficulty over systems. If no
        difficulty is negative, segments of difficulty 0 are not listed.
    hypotheses : int
        How many hypotheses of each to list, the hardest first.
    within_length : bool
        List the segments whose difficulty is highest above the mean of the tenth of segments of
        most similar length.

    Returns
    -------
    dict
        docs/own_systems.md describes the keys.
    """
    evalset = texts.evalset
    units = default_units(evalset.pair, evalset.reference)
    lengths = np.array([len(line) for line in tokenize(evalset.reference, units)], float)
    language = evalset.pair.split("-")[1]
    report: dict[str, Any] = {
        "reference": evalset.reference_name,
        "language": None if language == UNDETERMINED else language,
        "systems": evalset.systems,
        "segments": len(evalset.reference),
        "difficulty": texts.difficulty,
        "with_length": None,
        "length_in": units,
        "within_length": within_length,
        "notices": list(texts.notices),
        "hard_segments": [],
    }
    if texts.values is None:
        return report
    means = texts.values.mean(axis=0)
    excess = means - _mean_of_similar(means, lengths) if within_length else means
    order = np.argsort(-excess, kind="stable")[:top]
    easiest = 0 if texts.values.min() >= 0 else -np.inf
    tokens = _difficult_tokens(texts) if top else None
    report["with_length"] = float(STATISTICS["spearman"]()(means, lengths))
    report["hard_segments"] = [
        _hard_segment(texts, segment, hypotheses)
        | {
            "excess": excess[segment] if within_length else None,
            "length": int(lengths[segment]),
            "tokens": tokens(segment) if tokens else None,
        }
        for segment in order[means[order] > easiest].tolist()
    ]
    return report


def _mean_of_similar(means: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return, for each segment, the mean of `means` over its tenth of the segments by length; those
    of equal length are in one tenth."""
    shorter = np.searchsorted(np.sort(lengths), lengths, side="left")
    tenth = shorter * 10 // len(lengths)
    sums, counts = np.bincount(tenth, means), np.bincount(tenth)
    return sums[tenth] / counts[tenth]


def _hard_segment(texts: ScoredTexts, segment: int, hypotheses: int) -> dict[str, Any]:
    """Return a segment with its difficulty, texts and the hardest of its hypotheses."""
    evalset, h = texts.evalset, texts.difficulty.get("h", np.nan)
    assert texts.values is not None
    of_segment = texts.values[:, segment]
    hardest = np.argsort(-of_segment, kind="stable")[:hypotheses]
    return {
        "segment": segment + 1,
        "difficulty": of_segment.mean(),
        "difficult_systems": None if np.isnan(h) else int((of_segment >= h).sum()),
        "source": evalset.source[segment] if evalset.source else None,
        "reference": evalset.reference[segment],
        "hypotheses": [
            {
                "system": evalset.systems[system],
                "difficulty": of_segment[system],
                "hypothesis": evalset.hypotheses[system][segment],
            }
            for system in hardest
        ],
    }


def _difficult_tokens(texts: ScoredTexts) -> Callable[[int], list[dict[str, Any]]] | None:
    """Return a function that lists a segment's most difficult reference tokens, each once; None
    without an encoder."""
    part = next(iter(texts.scored.parts), None)
    if part is None:
        return None
    everyone = np.arange(len(texts.evalset.systems))
    difficulty = texts.scored.token_difficulty(OF_TOKENS, part, everyone)[0]

    def listed(segment: int) -> list[dict[str, Any]]:
        text = texts.evalset.reference[segment].strip()
        highest: dict[str, float] = {}
        places = np.flatnonzero(part.matches.reference_segment == segment)
        for token in places[np.argsort(-difficulty[places], kind="stable")]:
            start, end = part.matches.reference_offsets[token]
            highest.setdefault(text[start:end], difficulty[token])
        chosen = list(highest.items())[:TOKENS]
        return [{"token": token, "difficulty": value} for token, value in chosen]

    return listed


# Scores of systems, and comparisons between them


def default_resamples(systems: int) -> int:
    """Return the number of resamples that comparisons of so many systems need, within bounds.

    Holm's correction multiplies the smallest p, 2 / (1 + resamples), by the number of pairs. From
    72 systems on, MOST_RESAMPLES are too few (`needed_resamples`).
    """
    pairs = systems * (systems - 1) // 2
    of_many = max(MANY_RESAMPLES, OF_PAIR_OF_MANY * pairs)
    return min(max(LEAST_RESAMPLES, RESAMPLES_OF_PAIR * pairs), of_many, MOST_RESAMPLES)


def few_resamples(resamples: int) -> list[str]:
    """Return a warning if there are too few resamples for intervals; none without resamples."""
    if not 0 < resamples < OF_INTERVAL:
        return []
    return [
        f"{resamples} resamples are too few for a {LEVEL:.0%} interval, which needs {OF_INTERVAL} "
        "or more: the intervals are too narrow."
    ]


def needed_resamples(pairs: int) -> int:
    """Return the smallest number of resamples with which a corrected p of one of so many pairs can
    be below ALPHA."""
    return int(np.floor(2 * pairs / ALPHA))


def score_report(texts: ScoredTexts, top: int, resamples: int | None, seed: int) -> dict[str, Any]:
    """Report as `text_report` does, and add scores of systems and comparisons between them.

    Parameters
    ----------
    texts : ScoredTexts
    top : int
    resamples : int, optional
        Resamples of the segments, by default `default_resamples`; 0 for no intervals and
        comparisons.
    seed : int

    Returns
    -------
    dict
        The keys of `text_report`, and `scores`, `comparisons`, `tested`, `resamples`, `seed` and
        `level`. `tested` says whether a difference between two systems could have been significant;
        None without comparisons.
    """
    scored, systems, segments = texts.scored, texts.evalset.systems, len(texts.evalset.reference)
    resamples = default_resamples(len(systems)) if resamples is None else resamples
    draws = draw(segments, resamples if segments > 1 else 0, seed)
    drawn = len(draws.weights)
    rows, comparisons, odd = [], [], [*texts.notices, *few_resamples(drawn)]
    if segments == 1:
        odd.append("one segment alone: no intervals and no comparisons.")
    pairs = len(systems) * (len(systems) - 1) // 2
    tested = drawn >= needed_resamples(pairs) if drawn and pairs else None
    if tested is False:
        needed = needed_resamples(pairs)
        remedy = f"{needed:,} resamples or more are needed (resamples)."
        if needed > MOST_RESAMPLES:
            remedy = f"{MOST_RESAMPLES:,} would be too few, too: compare fewer systems."
        odd.append(
            f"{drawn:,} resamples are too few to test {pairs:,} pairs of systems: a corrected p "
            f"cannot be below {ALPHA}. Whether a system is better than another is not tested; "
            f"{remedy}"
        )
    there = [key for key in texts.keys if key not in scored.missing]
    of_all, signatures = scored.of(np.arange(len(systems)), there), scored.signatures
    for key in tqdm(texts.keys, desc="intervals", leave=False, delay=DELAY, disable=None):
        metric, weighting = key
        entry = scored.weightings.get(weighting, {"difficulty": "", "notices": []})
        measure: dict[str, Any] = {"metric": metric, "weighting": weighting}
        measure["difficulty"] = entry["difficulty"]
        if reason := scored.missing.get(key):
            rows += [{"system": system, **measure, **NO_SCORE} for system in systems]
            odd.append(f"no {metric} scores under {weighting}: {reason}")
            continue
        of_key, of_pairs, doubts = describe_score(of_all[key], systems, draws)
        if not tested:
            of_key = [row | {"better_than": None} for row in of_key]
            of_pairs = [pair | {"p_holm": np.nan} for pair in of_pairs]
        rows += [row | measure | {"signature": signatures[key]} for row in of_key]
        comparisons += [measure | pair for pair in of_pairs]
        odd += [*entry["notices"], *(f"{metric} under {weighting}: {doubt}" for doubt in doubts)]
    about = {"resamples": resamples, "seed": seed, "level": LEVEL, "tested": tested}
    report = text_report(texts, top) | about | {"scores": rows, "comparisons": comparisons}
    return report | {"notices": list(dict.fromkeys(odd))}


# A row of scores under a weighting that has none.
NO_SCORE: dict[str, Any] = {
    "score": np.nan,
    "low": np.nan,
    "high": np.nan,
    "rank": None,
    "better_than": None,
    "effective_segments": np.nan,
    "higher_is_better": None,
    "signature": None,
}


class Draws(NamedTuple):
    """Random numbers that the comparisons under all metrics share.

    Attributes
    ----------
    weights : ndarray
        How often each segment is in each bootstrap resample, (resamples, segments).
    swapped : ndarray
        Whether two systems exchange their hypotheses of each segment in each permutation, 0 or 1;
        of the same shape.
    """

    weights: np.ndarray
    swapped: np.ndarray


def draw(segments: int, resamples: int, seed: int) -> Draws:
    """Draw bootstrap resamples and permutations of the segments."""
    rng = np.random.default_rng(seed)
    weights = resampling.bootstrap_weights(segments, resamples, rng)
    return Draws(weights, rng.integers(2, size=weights.shape, dtype=np.uint8))


def describe_score(
    weighted: WeightedMetric, systems: list[str], draws: Draws
) -> tuple[list[dict], list[dict], list[str]]:
    """Describe the scores of systems under a metric and weighting.

    Parameters
    ----------
    weighted : WeightedMetric
    systems : list of str
    draws : Draws
        Without resamples there are no intervals and comparisons.

    Returns
    -------
    tuple of lists
        Rows of scores, rows of comparisons between systems, and notices. `better_than` is None for
        a system that was compared with no other.
    """
    quality, resamples = weighted.observed_quality(), len(draws.weights)
    scores = weighted.sign * quality
    low = high = np.full(len(systems), np.nan)
    better = np.zeros((len(systems), len(systems)), bool)
    untested = np.ones(len(systems), bool)
    comparisons: list[dict] = []
    doubts: list[str] = []
    if resamples:
        (resampled,) = resampling.resampled_scores([weighted], draws.weights)
        low, high = resampling.score_interval(weighted, resampled, LEVEL)
        if empty := np.isnan(resampled).any(axis=1).mean():
            groups = len(weighted.shares) > 1
            lacking = "difficult or no easy segment" if groups else "segment that weighs"
            doubts.append(
                f"in {empty:.1%} of the resamples a system has no {lacking}. They count neither in "
                "its interval nor in comparisons with it; with more than "
                f"{1 - resampling.DEFINED:.0%} of them there is neither."
            )
        wins, bootstrap_p = resampling.paired_bootstrap(resampled)
        # With few difficult hypotheses a bootstrap varies too little; a permutation test is exact.
        permuted = resampling.paired_permutation(weighted, draws.swapped)
        permutation_p = (1 + resamples * permuted) / (1 + resamples)
        one_sided = np.maximum(bootstrap_p, permutation_p)
        p, corrected = two_sided(one_sided)
        better = (corrected < ALPHA) & (one_sided < one_sided.T)
        untested = np.isnan(corrected).all(axis=1)
        comparisons = [
            {
                "system": systems[s],
                "other": systems[o],
                "difference": scores[s] - scores[o],
                "wins": wins[s, o],
                "p": p[s, o],
                "p_holm": corrected[s, o],
            }
            for s, o in np.argwhere(~np.eye(len(systems), dtype=bool))
        ]
    effective = weighted.effective_segments()
    rows = [
        {
            "system": system,
            "score": scores[s],
            "low": low[s],
            "high": high[s],
            "rank": None if np.isnan(quality[s]) else 1 + int((quality > quality[s]).sum()),
            "better_than": None if untested[s] else [systems[o] for o in np.flatnonzero(better[s])],
            "effective_segments": effective[s],
            "higher_is_better": weighted.higher_is_better,
        }
        for s, system in enumerate(systems)
    ]
    return rows, comparisons, doubts


def two_sided(one_sided: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Make p-values of pairs of systems two-sided, and correct them by Holm's method.

    Parameters
    ----------
    one_sided : ndarray
        (systems, systems), p of the row's system being no better than the column's; NaN where a
        pair was not tested.

    Returns
    -------
    tuple of ndarray
        Twice the smaller p of each pair, at most 1, and the same corrected over all pairs. Both are
        symmetric; NaN on the diagonal and where `one_sided` is.
    """
    p = np.minimum(1, 2 * np.minimum(one_sided, one_sided.T))
    np.fill_diagonal(p, np.nan)
    corrected = np.full(p.shape, np.nan)
    pairs = np.triu_indices(len(p), 1)
    corrected[pairs] = resampling.holm(p[pairs])
    corrected.T[pairs] = corrected[pairs]
    return p, corrected
