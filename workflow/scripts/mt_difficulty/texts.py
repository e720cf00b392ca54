"""Score texts in memory as a `ScoredSet`, and report on them for Python and the command line:
scores with intervals, comparisons of systems, the hardest segments."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from tqdm import tqdm

from .data import download
from .data.evalset import EvaluationSet, SetFiles, checked
from .data.language import KNOWN, default_units, tokenize
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
MOST_RESAMPLES = 100_000  # a byte for each of these and each segment
LEVEL, ALPHA = 0.95, 0.05
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
    """Texts with their scores. `keys` are the requested (metric, weighting) pairs, including those
    without scores. `difficulty` has name, unit, signature and, if a weighting uses a threshold, the
    result of `EE.fit`; `values`, (systems, segments), is the difficulty, higher is harder. `files`
    and `settings` are what `scored` was made from."""

    evalset: EvaluationSet
    scored: ScoredSet
    keys: list[Key]
    difficulty: dict[str, Any]
    values: np.ndarray
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


def check_parameters(**parameters: Any) -> None:
    """Raise `InputError` for a setting of a wrong kind; None is accepted but for paths and names of
    sets."""
    number = (int, float, np.number)
    kinds: dict[str, tuple[Any, str]] = dict.fromkeys(("share", "softmax"), (number, "a number"))
    kinds |= dict.fromkeys(("h", "w"), ((*number, str), "a number or the name of a rule"))
    kinds |= dict.fromkeys(("encoder", "archive", "folder"), ((str, Path), "a path"))
    kinds |= dict.fromkeys(("campaign", "pair", "reference", "gold"), (str, "a name"))
    kinds |= dict.fromkeys(("lang", "src_lang"), (str, "a language code such as de, zh or pt_BR"))
    kinds["budget"] = number, "a number above 0"
    for name, value in parameters.items():
        most = MOST_RESAMPLES if name == "resamples" else 2**63 - 1
        whole = (int, np.integer), f"a whole number from 0 to {most}"
        kind, expected = kinds.get(name, whole)
        right = isinstance(value, kind)
        if name in ("lang", "src_lang"):
            right = bool(re.fullmatch(r"[a-z]{2,3}(_\w+)*", str(value)))
        elif right and (name == "budget" or name not in kinds):
            right = bool(value > 0) if name == "budget" else bool(0 <= value <= most)
        required = value is not None or name in ("archive", "folder", "campaign", "pair")
        if required and (not right or isinstance(value, bool)):
            raise InputError(f"{name} {value!r:.60}: expected {expected}.")


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
    difficulty: str | np.ndarray = DEFAULT_DIFFICULTY,
    of_metric: str = "chrF",
    h: float | str | None = None,
    w: float | str | None = None,
    share: float = 0.1,
    softmax: float | None = None,
    encoder: Path | None = None,
    layer: int | None = None,
    metric_settings: Mapping[str, dict[str, Any]] | None = None,
) -> ScoredTexts:
    """Score texts with the computations of a run's jobs, in memory. Parameters are those of
    `api.score`, with the texts as an evaluation set and `more_references`, lists of segments;
    `difficulty` is a name, a file, or values, (segments,) or (systems, segments); `of_metric` is
    the metric of `crowd` and `item_response`. Raises `InputError` for an unknown name or a missing
    input."""
    known = weightings_of_texts()
    metrics = list(dict.fromkeys(known_name(name, KINDS, "metric") for name in metrics))
    asked = list(dict.fromkeys(known_name(label, known, "weighting") for label in weightings))
    of_tokens = [label for label in asked if parts(label, known).tokens]
    needing = [BERTSCORE] * (BERTSCORE in metrics) + [f"weighting {label}" for label in of_tokens]
    if needing and not encoder:
        raise InputError(
            f"{' and '.join(needing)}: an encoder and its layer are needed (encoder, layer): a "
            "folder with config.json, tokenizer and *.safetensors of a transformer that knows the "
            "target language."
        )
    if of_tokens and BERTSCORE not in metrics:
        metrics.append(BERTSCORE)
    for kind in metric_settings or ():
        if kind not in METRICS:
            raise InputError(f"metric_settings: no type {kind}. There are: {', '.join(METRICS)}.")

    # Compute what jobs write: token matches, segment statistics, the difficulty.
    sentences = _doubts(evalset, bool(asked or not metrics), "BLEU" in metrics)
    contents: dict[str, Any] = {"evalset.json": evalset}
    if encoder:
        contents[MATCHES], doubts = _matches(evalset, encoder, layer)
        sentences += doubts

    def statistics(name: str) -> dict[str, Any]:
        if (file := f"statistics/{name}.npz") not in contents:
            settings = (metric_settings or {}).get(KINDS[name][0], {})
            matches = contents.get(MATCHES)
            contents[file] = _statistics(name, evalset, more_references, settings, matches)
        return contents[file]

    for name in metrics:
        statistics(name)
    of_metric = known_name(of_metric, KINDS, "metric")
    name, unit, estimator, arrays = _difficulty(evalset, difficulty, of_metric, statistics)
    values = arrays["difficulty"]
    contents[f"difficulty/{name}.npz"], constant = arrays, ""
    if (values == values[0, 0]).all():
        constant = f"{printed(name)} is {values[0, 0]:.4g} for every hypothesis"
        contents[f"difficulty/{name}.npz"] = Missing(f"{constant}; none is harder than another")

    # Fit the weightings, those that they combine, and EE if its threshold is needed.
    of_entropy = ESTIMATORS[estimator["type"]].has_balance
    default_w = w is None and not of_entropy
    options: dict[str, dict[str, Any]] = {
        "EE": {
            "threshold": "mean_plus_2sd" if h is None else h,
            "easy_weight": EASY_WEIGHT if default_w else "liu2022" if w is None else w,
        },
        "hardest": {"share": share},
        "proportional": {"softmax": softmax},
    }
    fitted = [*asked, *(part for label in asked for part in parts(label, known) if part)]
    fitted += ["EE"] * (isinstance(difficulty, str) and (of_entropy or h is not None))
    settings: dict[str, dict[str, Any]] = {
        "metrics": {metric: {"type": KINDS[metric][0]} for metric in metrics},
        "matches": {BERTSCORE: MATCHES} if encoder else {},
        "difficulties": {name: estimator} | ({OF_TOKENS: {"type": OF_TOKENS}} if encoder else {}),
        "weightings": {label: known[label] | options.get(label, {}) for label in fitted},
    }
    for label, entry in settings["weightings"].items():
        if "segments" not in entry:  # which is combined
            entry["difficulty"] = OF_TOKENS if WEIGHTINGS[label].unit == "token" else name
    files, entries = SetFiles("texts", contents), (settings["difficulties"], settings["weightings"])
    try:
        described = describe(files, evalset.systems, *entries)
    except (TypeError, ValueError) as error:
        message = str(error).replace("easy_weight", "w").replace("threshold", "h")
        raise InputError(f"{message}.") from None
    contents["weightings.json"] = described
    scored = ScoredSet(files, settings)

    groups = described["weightings"].get("EE", {"parameters": {}, "notices": []})
    about: dict[str, Any] = {"name": name, "unit": unit, "signature": str(arrays["signature"])}
    about |= groups["parameters"] | {"notices": list(groups["notices"])}
    if constant:
        short = " Probably the text is too short to be aligned; try 30 segments or more."
        doubt = f"{constant}, so that none is harder than another: no h, w or weighted scores."
        about["notices"] = [doubt + short * of_entropy]
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
    return ScoredTexts(evalset, scored, keys, about, values, sentences, files, settings)


def _doubts(evalset: EvaluationSet, has_difficulty: bool, has_bleu: bool) -> list[str]:
    """Return warnings about language and texts and, if difficulty is used, a single system."""
    split, language = default_units(evalset.pair, evalset.reference), evalset.pair.split("-")[1]
    odd = checked(evalset, own_files=True).notices
    if language == UNDETERMINED and not (has_difficulty or has_bleu):
        del odd[0]
    elif language == UNDETERMINED:
        how = "at spaces" if split == "words" else "into characters, for it has few spaces"
        odd[0] = (
            f"no target language: text is split {how}. Name it, above all one that is written "
            "without spaces (zh, ja, th) or that sacreBLEU has a tokenizer for (zh, ja, ko)."
        )
    elif split == "characters" and language in KNOWN:
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


def _statistics(
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
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
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
    """Report the texts, their difficulty and the `top` hardest segments by mean difficulty, each
    with its hardest hypotheses; docs/own_systems.md describes the keys. If no difficulty is
    negative, segments of difficulty 0 are not listed. With `within_length` the segments are those
    whose difficulty is highest above the mean of the tenth of segments of most similar length."""
    evalset, values, h = texts.evalset, texts.values, texts.difficulty.get("h", np.nan)
    means = values.mean(axis=0)
    easiest = 0 if values.min() >= 0 else -np.inf
    units = default_units(evalset.pair, evalset.reference)
    lengths = np.array([len(line) for line in tokenize(evalset.reference, units)], float)
    excess = means.copy()
    for places in np.array_split(np.argsort(lengths, kind="stable"), 10) if within_length else ():
        excess[places] -= means[places].mean() if len(places) else 0
    order = np.argsort(-excess, kind="stable")[:top]
    of_tokens, language = np.empty(0), evalset.pair.split("-")[1]
    part = next(iter(texts.scored.parts), None)
    if part:
        everyone = np.arange(len(evalset.systems))
        of_tokens = texts.scored.token_difficulty(OF_TOKENS, part, everyone)[0]
    rows = []
    for segment in order[means[order] > easiest].tolist():
        tokens = None
        if part:  # the most difficult ones, each token once
            highest: dict[str, float] = {}
            places = np.flatnonzero(part.matches.reference_segment == segment)
            for token in places[np.argsort(-of_tokens[places], kind="stable")]:
                start, end = part.matches.reference_offsets[token]
                highest.setdefault(evalset.reference[segment].strip()[start:end], of_tokens[token])
            listed = list(highest.items())[:TOKENS]
            tokens = [{"token": token, "difficulty": value} for token, value in listed]
        of_segment = values[:, segment]
        rows.append(
            {
                "segment": segment + 1,
                "difficulty": means[segment],
                "excess": excess[segment] if within_length else None,
                "length": int(lengths[segment]),
                "difficult_systems": None if np.isnan(h) else int((of_segment >= h).sum()),
                "source": evalset.source[segment] if evalset.source else None,
                "reference": evalset.reference[segment],
                "tokens": tokens,
                "hypotheses": [
                    {
                        "system": evalset.systems[s],
                        "difficulty": of_segment[s],
                        "hypothesis": evalset.hypotheses[s][segment],
                    }
                    for s in np.argsort(-of_segment, kind="stable")[:hypotheses]
                ],
            }
        )
    return {
        "reference": evalset.reference_name,
        "language": None if language == UNDETERMINED else language,
        "systems": evalset.systems,
        "segments": len(evalset.reference),
        "difficulty": texts.difficulty,
        "with_length": float(STATISTICS["spearman"]()(means, lengths)),
        "length_in": units,
        "within_length": within_length,
        "notices": list(texts.notices),
        "hard_segments": rows,
    }


def score_report(texts: ScoredTexts, top: int, resamples: int, seed: int) -> dict[str, Any]:
    """Report as `text_report` does, and add `scores` of systems and `comparisons` between them."""
    scored, systems, segments = texts.scored, texts.evalset.systems, len(texts.evalset.reference)
    rng = np.random.default_rng(seed)
    weights = resampling.bootstrap_weights(segments, resamples * (segments > 1), rng)
    swapped = rng.integers(2, size=weights.shape, dtype=np.uint8)
    rows, comparisons, odd = [], [], list(texts.notices)
    odd += ["one segment alone: no intervals and no comparisons."] * (segments == 1)
    there = [key for key in texts.keys if key not in scored.missing]
    of_all, signatures = scored.of(np.arange(len(systems)), there), scored.signatures
    for key in tqdm(texts.keys, desc="intervals", leave=False, delay=DELAY, disable=None):
        metric, weighting = key
        entry = scored.weightings.get(weighting, {"difficulty": "", "notices": []})
        measure: dict[str, Any] = {"metric": metric, "weighting": weighting}
        measure["difficulty"] = entry["difficulty"]
        if reason := scored.missing.get(key):
            undefined = dict.fromkeys(("score", "low", "high", "effective_segments"), np.nan)
            unknown = dict.fromkeys(("rank", "higher_is_better", "signature"))
            measure |= undefined | unknown | {"better_than": []}
            rows += [{"system": system, **measure} for system in systems]
            odd.append(f"no {metric} scores under {weighting}: {reason}")
            continue
        of_key, pairs, doubts = describe_score(of_all[key], systems, weights, swapped)
        rows += [row | measure | {"signature": signatures[key]} for row in of_key]
        comparisons += [measure | pair for pair in pairs]
        odd += [*entry["notices"], *(f"{metric} under {weighting}: {doubt}" for doubt in doubts)]
    pairs_of_systems = len(systems) * (len(systems) - 1) // 2
    if len(weights) and 2 * pairs_of_systems / (1 + len(weights)) >= ALPHA:
        odd.append(
            f"{len(weights)} resamples are too few for any of {pairs_of_systems} pairs of systems "
            "to reach the level after Holm's correction: no system is called better; take more "
            "(resamples)."
        )
    about = {"resamples": resamples, "seed": seed, "level": LEVEL}
    report = text_report(texts, top) | about | {"scores": rows, "comparisons": comparisons}
    return report | {"notices": list(dict.fromkeys(odd))}


def describe_score(
    weighted: WeightedMetric, systems: list[str], weights: np.ndarray, swapped: np.ndarray
) -> tuple[list[dict], list[dict], list[str]]:
    """Return rows of scores, rows of comparisons between systems, and notices. `weights` are those
    of the bootstrap, `swapped` of the permutation test, both (resamples, segments)."""
    quality, resamples = weighted.observed_quality(), len(weights)
    scores = weighted.sign * quality
    low = high = np.full(len(systems), np.nan)
    better = np.zeros((len(systems), len(systems)), bool)
    comparisons: list[dict] = []
    doubts: list[str] = []
    if resamples:
        (resampled,) = resampling.resampled_scores([weighted], weights)
        low, high = resampling.score_interval(weighted, resampled, LEVEL)
        if empty := np.isnan(resampled).any(axis=1).mean():
            groups = len(weighted.shares) > 1
            lacking = "difficult or no easy segment" if groups else "segment that weighs"
            doubts.append(
                f"in {empty:.1%} of the resamples a system has no {lacking}. They count neither in "
                "its interval nor in comparisons with it; with more than "
                f"{1 - resampling.DEFINED:.0%} of them there is neither."
            )
        wins, p = resampling.paired_bootstrap(resampled)
        # With few difficult hypotheses a bootstrap varies too little; a permutation test is exact.
        permuted = resampling.paired_permutation(weighted, swapped)
        corrected = corrected_p(np.maximum(p, (1 + resamples * permuted) / (1 + resamples)))
        better = corrected < ALPHA
        for s, o in np.argwhere(~np.eye(len(systems), dtype=bool)):
            pair = {"system": systems[s], "other": systems[o], "difference": scores[s] - scores[o]}
            comparisons.append(pair | {"wins": wins[s, o], "p": p[s, o], "p_holm": corrected[s, o]})
    effective = weighted.effective_segments()
    rows = [
        {
            "system": system,
            "score": scores[s],
            "low": low[s],
            "high": high[s],
            "rank": None if np.isnan(quality[s]) else 1 + int((quality > quality[s]).sum()),
            "better_than": [systems[o] for o in np.flatnonzero(better[s])],
            "effective_segments": effective[s],
            "higher_is_better": weighted.higher_is_better,
        }
        for s, system in enumerate(systems)
    ]
    return rows, comparisons, doubts


def corrected_p(p: np.ndarray) -> np.ndarray:
    """Return two-sided p-values with Holm's correction over all pairs, (systems, systems), from
    one-sided p-values for the row's system being better than the column's. A pair's smaller p is
    doubled and corrected; the opposite direction gets 1. NaN on the diagonal and where `p` is
    NaN."""
    first, second = np.triu_indices(len(p), 1)
    swap = p[second, first] < p[first, second]
    better, worse = np.where(swap, second, first), np.where(swap, first, second)
    corrected = np.where(np.eye(len(p)) + np.isnan(p), np.nan, 1.0)
    corrected[better, worse] = resampling.holm(np.minimum(1, 2 * p[better, worse]))
    return corrected
