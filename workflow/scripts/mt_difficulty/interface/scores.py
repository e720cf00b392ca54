"""Plain and weighted system scores of texts, with intervals and comparisons."""

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from ..embedding.matches import rescaled_matches
from ..errors import InputError, Missing
from ..evidence import resampling
from ..evidence.counted import notices as effective_notices
from ..evidence.intervals import holm
from ..weighting.base import WeightedMetric
from .difficulty import OF_TOKENS, Difficulty, find_difficulty, printed, token_difficulty
from .hardest import describe_texts, hardest
from .metrics import BERTSCORE, Measured, measure
from .metrics import label as name_of
from .settings import Settings
from .texts import Texts
from .weightings import make_weighting, parts

LEVEL = 0.95
ALPHA = round(1 - LEVEL, 10)
TOO_FEW_RESAMPLES = (
    "{} resamples are too few for any of {} pairs of systems to reach the level after Holm's "
    "correction: no system is called better; take more (--resamples)."
)
NO_H_OR_W = "h or w is undefined, see the notices; give them: --h, --w"


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


def score_report(texts: Texts, arguments: Settings, top: int) -> dict:
    """Scores, comparisons and the hardest segments, as `cli/output.py` describes them."""
    measured = cache(partial(measure, texts, arguments))
    difficulty = find_difficulty(arguments, texts, measured)
    scores = list(score(arguments, texts, difficulty, measured))
    segments, rng = len(texts.evalset.reference), np.random.default_rng(arguments.seed)
    resamples = arguments.resamples * (segments > 1)
    weights = resampling.bootstrap_weights(segments, resamples, rng)
    swapped = rng.integers(2, size=weights.shape, dtype=np.uint8)
    report = describe_texts(texts, difficulty) | {
        "resamples": arguments.resamples,
        "seed": arguments.seed,
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


def check_encoder(arguments: Settings) -> None:
    """Raise `InputError` where scores need an encoder and none is named."""
    needing = ["--metric bertscore"] * (BERTSCORE in map(name_of, arguments.metric))
    needing += [f"--weighting {label}" for label in arguments.weighting if parts(label)[1]]
    if needing and not arguments.encoder:
        raise InputError(
            f"{' and '.join(needing)}: BERTScore needs an encoder. Name a folder with config.json, "
            "tokenizer and *.safetensors of a transformer that knows the target language, and the "
            "layer to use: --encoder FOLDER --layer N."
        )


def score(
    arguments: Settings,
    texts: Texts,
    difficulty: Difficulty,
    measured: Callable[[str], Measured],
) -> Iterator[Score]:
    """A `Score` for every metric and weighting, in the order asked for."""
    kinds = list(dict.fromkeys(map(name_of, arguments.metric)))
    weightings = list(dict.fromkeys(arguments.weighting))
    if any(parts(label)[1] for label in weightings) and BERTSCORE not in kinds:
        kinds.append(BERTSCORE)
    for kind in kinds:
        metric = measured(kind)
        plain = Score(metric.label, "standard", "", metric.standard, metric.signature)
        yield plain
        weighted_tokens = cache(
            partial(weigh_tokens, metric=metric, arguments=arguments, texts=texts)
        )
        for label in weightings:
            segments, tokens = parts(label)
            if tokens and kind != BERTSCORE:
                continue
            one = weighted_tokens(tokens) if tokens else plain
            if segments:
                one = weigh_segments(segments, one, difficulty, arguments, texts.evalset.systems)
            yield one._replace(weighting=label)


def weigh_segments(
    label: str,
    one: Score,
    difficulty: Difficulty,
    arguments: Settings,
    systems: list[str],
) -> Score:
    """A score under a weighting of segments; without its parameters there are no scores."""
    weighting = make_weighting(label, arguments)
    names = "+".join(filter(None, [difficulty.name, one.difficulty]))
    undefined = one._replace(difficulty=names, weighted=None, signature=None)
    if difficulty.constant:
        return undefined._replace(reason="no hypothesis is harder than another")
    parameters = weighting.fit(difficulty.values, systems, printed(difficulty.name))
    assert one.weighted is not None
    try:
        weighted = weighting.apply(one.weighted, difficulty.values, parameters)
    except Missing as reason:
        return undefined._replace(reason=NO_H_OR_W if label == "EE" else str(reason))
    signature = f"{one.signature}{weighting.signature(parameters)}|{difficulty.signature}"
    notices = tuple(parameters["notices"])
    return undefined._replace(weighted=weighted, signature=signature, notices=notices)


def weigh_tokens(label: str, metric: Measured, arguments: Settings, texts: Texts) -> Score:
    """BERTScore under a weighting of its tokens by their own difficulty."""
    weighting = make_weighting(label, arguments)
    matches, signature = rescaled_matches(texts.matches)
    difficulty = token_difficulty(texts, matches)
    parameters = weighting.fit(difficulty, texts.evalset.systems, printed(OF_TOKENS))
    weighted = weighting.apply(matches, difficulty, parameters)
    signature += weighting.signature(parameters)
    return Score(metric.label, label, OF_TOKENS, weighted, signature)


def describe_score(
    item: Score, systems: list[str], weights: np.ndarray, swapped: np.ndarray
) -> tuple[list[dict], list[dict], list[str]]:
    """Rows of scores and of comparisons between systems, and notices.

    `weights` are the bootstrap's, `swapped` the permutation test's, (resamples, segments) each."""
    about: dict[str, Any] = {
        "metric": item.metric,
        "weighting": item.weighting,
        "difficulty": item.difficulty,
        "signature": item.signature,
    }
    weighted = item.weighted
    if weighted is None:
        numbers = ("score", "low", "high", "effective_segments")
        undefined = dict.fromkeys(numbers, np.nan) | {"rank": None}
        rows: list[dict] = [
            {"system": system, "better_than": [], "higher_is_better": None, **undefined, **about}
            for system in systems
        ]
        return rows, [], [f"no {item.metric} scores under {item.weighting}: {item.reason}"]
    about["higher_is_better"] = weighted.higher_is_better
    quality = weighted.observed_quality()
    values, low, high, wins, p, notices = resample(item, weighted, quality, weights)
    effective, corrected = weighted.effective_segments(), p
    if n := len(weights):
        # A bootstrap of a group of few hypotheses varies too little; a permutation is exact.
        permuted = (1 + n * resampling.paired_permutation(weighted, swapped)) / (1 + n)
        corrected = corrected_p(np.maximum(p, permuted))
    notices += effective_notices(item.weighting, weighted, systems)
    pairs = len(systems) * (len(systems) - 1) // 2
    if len(weights) and 2 * pairs / (1 + len(weights)) >= ALPHA:
        notices.append(TOO_FEW_RESAMPLES.format(len(weights), pairs))
    rows = [
        {
            "system": system,
            "score": values[s],
            "low": low[s],
            "high": high[s],
            "rank": None if np.isnan(quality[s]) else 1 + int((quality > quality[s]).sum()),
            "better_than": [systems[o] for o in np.flatnonzero(corrected[s] < ALPHA)],
            "effective_segments": effective[s],
            **about,
        }
        for s, system in enumerate(systems)
    ]
    comparisons = [
        {
            "metric": item.metric,
            "weighting": item.weighting,
            "difficulty": item.difficulty,
            "system": system,
            "other": other,
            "difference": values[s] - values[o],
            "wins": wins[s, o],
            "p": p[s, o],
            "p_holm": corrected[s, o],
        }
        for s, system in enumerate(systems)
        for o, other in enumerate(systems)
        if s != o and len(weights)
    ]
    return rows, comparisons, [*item.notices, *notices]


def corrected_p(p: np.ndarray) -> np.ndarray:
    """Two-sided p from one-sided ones, with Holm's correction over all pairs of systems.

    Parameters
    ----------
    p : ndarray, (systems, systems)
        One-sided, that the row's system is not better than the column's.

    Returns
    -------
    ndarray, (systems, systems)
        Of each pair twice the smaller p, corrected, in that p's direction; 1 in the other one, NaN
        on the diagonal and where p is.
    """
    one, other = np.triu_indices(len(p), 1)
    swap = p[other, one] < p[one, other]
    better, worse = np.where(swap, other, one), np.where(swap, one, other)
    found = np.where(np.eye(len(p)) + np.isnan(p), np.nan, 1.0)
    found[better, worse] = holm(np.minimum(1, 2 * p[better, worse]))
    return found


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
    lacking = "difficult or no easy segment" if len(weighted.shares) > 1 else "segment that weighs"
    notices = [
        f"{item.metric} under {item.weighting}: in {empty:.1%} of the resamples a system has no "
        f"{lacking}. They count neither in its interval nor in comparisons with it; with more than "
        f"{1 - resampling.DEFINED:.0%} of them there is neither."
    ] * bool(empty)
    return sign * quality, *ends, *resampling.paired_bootstrap(resampled), notices
