"""`mt-difficulty score`: plain and weighted system scores of texts."""

import argparse
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError
from ..evidence import resampling
from ..metrics import METRICS
from ..weighting import tokens as token_weighting
from ..weighting.base import WeightedMetric
from . import note, output
from .hard import describe_texts, hardest
from .texts import Prepared, prepare

LEVEL = 0.95
LABELS = {"chrf": "chrF"}  # where it is not the name of the class


class Score(NamedTuple):
    """Scores of all systems: a metric under a weighting, or, if `weighted` is None, why there are
    none; such have no signature either."""

    metric: str
    weighting: str
    weighted: WeightedMetric | None
    signature: str | None
    reason: str = ""


def run(arguments: argparse.Namespace) -> int:
    """Print scores, comparisons and the hardest segments."""
    check_encoder(arguments)
    prepared = prepare(arguments)
    scores = list(score(arguments, prepared))
    segments = len(prepared.evalset.reference)
    weights = resampling.bootstrap_weights(
        segments,
        arguments.resamples * (segments > 1),
        np.random.default_rng(arguments.seed),
    )
    report = describe_texts(prepared) | {
        "resamples": arguments.resamples,
        "seed": arguments.seed,
        "level": LEVEL,
        "scores": [],
        "comparisons": [],
        "hard_segments": hardest(prepared, arguments.top),
    }
    if segments == 1:
        report["notices"].append("one segment alone: no intervals and no comparisons.")
    for item in scores:
        rows, comparisons, notices = describe_score(item, prepared.evalset.systems, weights)
        report["scores"] += rows
        report["comparisons"] += comparisons
        report["notices"] += notices
    for notice in report["notices"]:
        note(notice)
    output.write(report, arguments.format)
    return 0


def check_encoder(arguments: argparse.Namespace) -> None:
    """Raise `InputError` where scores need an encoder and none is named."""
    needing = ["--metric bertscore"] * ("bertscore" in arguments.metric)
    needing += ["--weighting DA"] * ("DA" in arguments.weighting)
    if needing and not arguments.encoder:
        raise InputError(
            f"{' and '.join(needing)}: BERTScore needs an encoder. Name a folder with config.json, "
            "tokenizer and *.safetensors of a transformer that knows the target language, and the "
            "layer to use: --encoder FOLDER --layer N."
        )


def score(arguments: argparse.Namespace, prepared: Prepared) -> Iterator[Score]:
    """A `Score` for every metric and weighting, in the order asked for."""
    kinds = list(dict.fromkeys(arguments.metric))
    if "DA" in arguments.weighting and "bertscore" not in kinds:
        kinds.append("bertscore")
    for kind in kinds:
        metric = METRICS[kind](prepared.evalset.pair)
        statistics = segment_statistics(kind, metric, prepared)
        label = LABELS.get(kind, METRICS[kind].__name__)
        standard = WeightedMetric.standard(metric, statistics)
        yield Score(label, "standard", standard, metric.signature)
        if "EE" in arguments.weighting:
            yield ee_score(label, standard, metric.signature, prepared)
        if "DA" in arguments.weighting and kind == "bertscore":
            yield da_score(label, prepared.matches)


def segment_statistics(kind: str, metric: Any, prepared: Prepared) -> np.ndarray:
    """A metric's statistics of the texts, (systems, segments, k)."""
    from tqdm import tqdm

    if kind == "bertscore":
        return metric.statistics(prepared.matches)
    if kind == "meteor":
        find_wordnet()
    evalset = prepared.evalset
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


def ee_score(label: str, standard: WeightedMetric, signature: str, prepared: Prepared) -> Score:
    """A metric under EE; without h and w there is none."""
    h, w = prepared.difficulty["h"], prepared.difficulty["w"]
    if not prepared.alignment["entropy"].any():
        return Score(label, "EE", None, None, "every chunk entropy is 0")
    if np.isnan(h) or np.isnan(w):
        reason = "h or w is undefined, see the notices; give them: --h, --w"
        return Score(label, "EE", None, None, reason)
    weighted = standard.in_groups(prepared.alignment["entropy"] >= h, w)
    signature += f"|EE|h:{h:.4g}|w:{w:.4g}|{prepared.difficulty['signature']}"
    return Score(label, "EE", weighted, signature)


def da_score(label: str, arrays: dict[str, np.ndarray]) -> Score:
    """BERTScore under DA, with the paper's settings."""
    matches, signature = token_weighting.rescaled_matches(arrays)
    settings = token_weighting.Tokens()
    difficulty = token_weighting.token_difficulty(matches.reference_similarity)
    statistics = token_weighting.segment_scores(matches, difficulty, settings)
    weighted = WeightedMetric(settings.aggregate, statistics)
    return Score(label, "DA", weighted, signature + settings.signature())


def describe_score(
    item: Score, systems: list[str], weights: np.ndarray
) -> tuple[list[dict], list[dict], list[str]]:
    """Rows of scores and of comparisons between systems, and notices."""
    about: dict[str, Any] = {
        "metric": item.metric,
        "weighting": item.weighting,
        "signature": item.signature,
    }
    weighted = item.weighted
    if weighted is None:
        undefined = {"score": np.nan, "low": np.nan, "high": np.nan, "rank": None}
        rows: list[dict] = [
            {"system": system, "better_than": [], "higher_is_better": None, **undefined, **about}
            for system in systems
        ]
        return rows, [], [f"no {item.metric} scores under {item.weighting}: {item.reason}"]
    about["higher_is_better"] = weighted.higher_is_better
    quality = weighted.observed_quality()
    values, low, high, wins, p, notices = resample(item, weighted, quality, weights)
    rows = [
        {
            "system": system,
            "score": values[s],
            "low": low[s],
            "high": high[s],
            "rank": None if np.isnan(quality[s]) else 1 + int((quality > quality[s]).sum()),
            "better_than": [systems[o] for o in np.flatnonzero(p[s] < 1 - LEVEL)],
            **about,
        }
        for s, system in enumerate(systems)
    ]
    comparisons = [
        {
            "metric": item.metric,
            "weighting": item.weighting,
            "system": system,
            "other": other,
            "difference": values[s] - values[o],
            "wins": wins[s, o],
            "p": p[s, o],
        }
        for s, system in enumerate(systems)
        for o, other in enumerate(systems)
        if s != o and len(weights)
    ]
    return rows, comparisons, notices


def resample(
    item: Score, weighted: WeightedMetric, quality: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, list[str]]:
    """Scores with intervals on the metric's own scale, and the paired bootstrap's wins and p."""
    sign = weighted.sign
    undefined = np.full(quality.size, np.nan)
    nothing = np.full((quality.size, quality.size), np.nan)
    if not len(weights):
        return sign * quality, undefined, undefined, nothing, nothing, []
    resampled = resampling.resampled_scores(weighted, weights)
    ends = resampling.score_interval(weighted, resampled, LEVEL)
    empty = np.isnan(resampled).any(axis=1).mean()
    notices = [
        f"{item.metric} under {item.weighting}: in {empty:.1%} of the resamples a system has no "
        "difficult or no easy segment. They count neither in its interval nor in comparisons with "
        f"it; with more than {1 - resampling.DEFINED:.0%} of them there is neither."
    ] * bool(empty)
    return sign * quality, *ends, *resampling.paired_bootstrap(resampled), notices
