"""Plain and weighted system scores of texts, with intervals and comparisons."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from ..embedding.matches import rescaled_matches
from ..errors import InputError, Missing, nearest
from ..evidence import resampling
from ..evidence.counted import notices as effective_notices
from ..evidence.intervals import holm
from ..weighting import WEIGHTINGS
from ..weighting.base import WeightedMetric, Weighting
from .difficulty import (
    OF_TOKENS,
    Difficulty,
    describe_texts,
    ee_weighting,
    find_difficulty,
    hardest,
    printed,
    token_difficulty,
)
from .texts import BERTSCORE, Settings, Texts, metric_name

LABELS = {"groups": "EE", "tokens": "DA"}  # where it is not the name in the registry
LEVEL = 0.95
ALPHA = round(1 - LEVEL, 10)
TOO_FEW_RESAMPLES = (
    "{} resamples are too few for any of {} pairs of systems to reach the level after Holm's "
    "correction: no system is called better; take more."
)
NO_H_OR_W = "h or w is undefined, see the notices; both can be given"


def weightings() -> dict[str, tuple[str, str]]:
    """The weightings of texts: those of the registry, and those of segments over those of tokens,
    such as EE-DA; by name that of segments and that of tokens, empty for none."""
    labels = {LABELS.get(name, name): kind.unit == "token" for name, kind in WEIGHTINGS.items()}
    tokens = [label for label, of_tokens in labels.items() if of_tokens]
    known = {label: ("", label) if label in tokens else (label, "") for label in labels}
    pairs = ((label, token) for label in labels if label not in tokens for token in tokens)
    return known | {f"{label}-{token}": (label, token) for label, token in pairs}


def parts(label: str) -> tuple[str, str]:
    """The weighting of segments and the one of tokens that a name stands for; empty for none."""
    known = weightings()
    if label not in known:
        raise InputError(
            f"no weighting {label}{nearest(label, known)}. There are: {', '.join(known)}."
        )
    return known[label]


def make_weighting(label: str, settings: Settings) -> Weighting:
    """A weighting of the registry with its settings."""
    if label == "EE":
        return ee_weighting(settings)
    names = {LABELS.get(name, name): name for name in WEIGHTINGS}
    options: dict[str, dict[str, Any]] = {
        "hardest": {"share": settings.share},
        "proportional": {"softmax": settings.softmax},
    }
    return WEIGHTINGS[names[label]](**options.get(label, {}))


class Score(NamedTuple):
    """Scores of all systems: a metric under a weighting, or, if `weighted` is None, why there are
    none; such have no signature either. `notices` are what is odd about the parameters."""

    metric: str
    weighting: str
    difficulty: str
    weighted: WeightedMetric | None
    signature: str | None
    reason: str = ""
    notices: tuple[str, ...] = ()


def check_encoder(settings: Settings) -> None:
    """Raise `InputError` where scores need an encoder and none is named."""
    needing = [BERTSCORE] * (BERTSCORE in map(metric_name, settings.metric))
    needing += [f"weighting {label}" for label in settings.weighting if parts(label)[1]]
    if needing and not settings.encoder:
        raise InputError(
            f"{' and '.join(needing)}: an encoder is needed, and the layer to use: a folder with "
            "config.json, tokenizer and *.safetensors of a transformer that knows the target "
            "language."
        )


def score_report(texts: Texts, top: int) -> dict[str, Any]:
    """Scores, comparisons and the hardest segments, as `cli/tables.py` describes them."""
    settings, segments = texts.settings, len(texts.evalset.reference)
    difficulty = find_difficulty(texts)
    scores = list(score(texts, difficulty))
    rng = np.random.default_rng(settings.seed)
    weights = resampling.bootstrap_weights(segments, settings.resamples * (segments > 1), rng)
    swapped = rng.integers(2, size=weights.shape, dtype=np.uint8)
    report = describe_texts(texts, difficulty) | {
        "resamples": settings.resamples,
        "seed": settings.seed,
        "level": LEVEL,
        "scores": [],
        "comparisons": [],
        "hard_segments": hardest(texts, difficulty, top),
    }
    if segments == 1:
        report["notices"].append("one segment alone: no intervals and no comparisons.")
    for item in scores:
        rows, comparisons, notices = describe_score(item, texts.evalset.systems, weights, swapped)
        report["scores"] += rows
        report["comparisons"] += comparisons
        report["notices"] += notices
    report["notices"] = [*dict.fromkeys(report["notices"])]
    return report


def score(texts: Texts, difficulty: Difficulty) -> Iterator[Score]:
    """A `Score` for every metric and weighting, in the order asked for."""
    settings = texts.settings
    metrics = list(dict.fromkeys(map(metric_name, settings.metric)))
    labels = list(dict.fromkeys(settings.weighting))
    if any(parts(label)[1] for label in labels) and BERTSCORE not in metrics:
        metrics.append(BERTSCORE)
    weighted_tokens = cache(partial(weigh_tokens, texts))
    for metric in metrics:
        measured = texts.measured(metric)
        standard = Score(metric, "standard", "", measured.standard, measured.signature)
        yield standard
        for label in labels:
            segments, tokens = parts(label)
            if tokens and metric != BERTSCORE:
                continue
            item = weighted_tokens(tokens) if tokens else standard
            if segments:
                item = weigh_segments(texts, segments, item, difficulty)
            yield item._replace(weighting=label)


def weigh_segments(texts: Texts, label: str, item: Score, difficulty: Difficulty) -> Score:
    """A score under a weighting of segments; without its parameters there are no scores."""
    weighting = make_weighting(label, texts.settings)
    names = "+".join(filter(None, [difficulty.name, item.difficulty]))
    undefined = item._replace(difficulty=names, weighted=None, signature=None)
    if difficulty.constant:
        return undefined._replace(reason="no hypothesis is harder than another")
    systems = texts.evalset.systems
    parameters = weighting.fit(difficulty.values, systems, printed(difficulty.name))
    assert item.weighted is not None
    try:
        weighted = weighting.apply(item.weighted, difficulty.values, parameters)
    except Missing as reason:
        return undefined._replace(reason=NO_H_OR_W if label == "EE" else str(reason))
    signature = f"{item.signature}{weighting.signature(parameters)}|{difficulty.signature}"
    notices = tuple(parameters["notices"])
    return undefined._replace(weighted=weighted, signature=signature, notices=notices)


def weigh_tokens(texts: Texts, label: str) -> Score:
    """BERTScore under a weighting of its tokens by their own difficulty."""
    weighting = make_weighting(label, texts.settings)
    matches, signature = rescaled_matches(texts.matches)
    difficulty = token_difficulty(texts, matches)
    parameters = weighting.fit(difficulty, texts.evalset.systems, printed(OF_TOKENS))
    weighted = weighting.apply(matches, difficulty, parameters)
    signature += weighting.signature(parameters)
    return Score(BERTSCORE, label, OF_TOKENS, weighted, signature)


def describe_score(
    item: Score, systems: list[str], weights: np.ndarray, swapped: np.ndarray
) -> tuple[list[dict], list[dict], list[str]]:
    """Rows of scores and of comparisons between systems, and notices.

    `weights` are the bootstrap's, `swapped` the permutation test's, (resamples, segments) each."""
    measure = {name: getattr(item, name) for name in ("metric", "weighting", "difficulty")}
    weighted = item.weighted
    if weighted is None:
        numbers = dict.fromkeys(("score", "low", "high", "effective_segments"), np.nan)
        others: dict[str, Any] = {
            "rank": None,
            "better_than": [],
            "higher_is_better": None,
            "signature": None,
        }
        rows: list[dict] = [{"system": system} | numbers | others | measure for system in systems]
        return rows, [], [f"no {item.metric} scores under {item.weighting}: {item.reason}"]
    about: dict[str, Any] = measure | {"signature": item.signature}
    about |= {"higher_is_better": weighted.higher_is_better}
    sign, quality = weighted.sign, weighted.observed_quality()
    values, resamples = sign * quality, len(weights)
    low = high = np.full(len(systems), np.nan)
    effective, notices, comparisons = weighted.effective_segments(), [*item.notices], []
    better = np.zeros((len(systems), len(systems)), bool)
    if resamples:
        resampled = resampling.resampled_scores(weighted, weights)
        low, high = resampling.score_interval(weighted, resampled, LEVEL)
        if empty := np.isnan(resampled).any(axis=1).mean():
            groups = len(weighted.shares) > 1
            lacking = "difficult or no easy segment" if groups else "segment that weighs"
            notices.append(
                f"{item.metric} under {item.weighting}: in {empty:.1%} of the resamples a system "
                f"has no {lacking}. They count neither in its interval nor in comparisons with it; "
                f"with more than {1 - resampling.DEFINED:.0%} of them there is neither."
            )
        wins, p = resampling.paired_bootstrap(resampled)
        # A bootstrap of a group of few hypotheses varies too little; a permutation is exact.
        permuted = resampling.paired_permutation(weighted, swapped)
        permuted = (1 + resamples * permuted) / (1 + resamples)
        corrected = corrected_p(np.maximum(p, permuted))
        better = corrected < ALPHA
        comparisons = [
            {
                **measure,
                "system": system,
                "other": other,
                "difference": values[s] - values[o],
                "wins": wins[s, o],
                "p": p[s, o],
                "p_holm": corrected[s, o],
            }
            for s, system in enumerate(systems)
            for o, other in enumerate(systems)
            if s != o
        ]
    notices += effective_notices(item.weighting, weighted, systems)
    pairs = len(systems) * (len(systems) - 1) // 2
    if resamples and 2 * pairs / (1 + resamples) >= ALPHA:
        notices.append(TOO_FEW_RESAMPLES.format(resamples, pairs))
    rows = [
        {
            "system": system,
            "score": values[s],
            "low": low[s],
            "high": high[s],
            "rank": None if np.isnan(quality[s]) else 1 + int((quality > quality[s]).sum()),
            "better_than": [systems[o] for o in np.flatnonzero(better[s])],
            "effective_segments": effective[s],
            **about,
        }
        for s, system in enumerate(systems)
    ]
    return rows, comparisons, notices


def corrected_p(p: np.ndarray) -> np.ndarray:
    """Two-sided p, (systems, systems), from one-sided ones that the row's system is not better than
    the column's, with Holm's correction over all pairs: of each pair twice the smaller p,
    corrected, in that p's direction; 1 in the other one, NaN on the diagonal and where p is."""
    first, second = np.triu_indices(len(p), 1)
    swap = p[second, first] < p[first, second]
    better, worse = np.where(swap, second, first), np.where(swap, first, second)
    corrected = np.where(np.eye(len(p)) + np.isnan(p), np.nan, 1.0)
    corrected[better, worse] = holm(np.minimum(1, 2 * p[better, worse]))
    return corrected
