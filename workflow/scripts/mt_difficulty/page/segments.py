"""The segments of a set for its page: texts, difficulties, scores, and how each segment changes the
ranking of systems. Also the example by which the index explains chunk entropy."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import storage
from ..data import language
from ..data.evalset import EvaluationSet, SetFiles
from ..metrics import METRICS
from ..papers import case_studies
from ..scores import Key, ScoredSet
from ..settings import ScoreSettings
from ..statistics.pearson import Pearson
from ..weighting import fitted
from ..weighting.base import STANDARD, WeightedMetric
from . import times
from .tables import Content, Mark, marked, number, score_label

HUMAN_DIGITS = 2  # decimals of human scores
MOVE_DIGITS = 4  # decimals of changes of r
NO_RANKING = (
    "the set has neither a difficulty of segments or hypotheses nor human scores and segment "
    "scores, by which segments could be chosen"
)
# Code point of a token without link; a link to reference token n has a code point n + 1 higher.
NO_LINK = 48
# Least and largest length of a short hypothesis, in words or characters.
SHORT = {"words": (8, 25), "characters": (15, 60)}


class Difficulty(NamedTuple):
    """A difficulty of a set.

    Parameters
    ----------
    name : str
        Name in the config.
    unit : {"segment", "hypothesis", "token"}
        What it is estimated for. Difficulties of tokens are averaged over each reference.
    label : str
        The name in words, marked if the difficulty uses human scores.
    uses_gold : bool
        Whether the difficulty uses human scores of the set.
    values : ndarray of shape (systems, segments)
        Higher is harder; can be infinite or NaN.
    means : ndarray of shape (segments,)
        Means of `values` over systems; can be infinite or NaN.
    """

    name: str
    unit: str
    label: str
    uses_gold: bool
    values: np.ndarray
    means: np.ndarray


def packed(content: Any) -> str:
    """Return content as JSON, zlib-compressed and base64-encoded, for the page's browser.js."""
    return base64.b64encode(zlib.compress(storage.to_json(content).encode(), 9)).decode()


def scaled_integers(values: ArrayLike, digits: int) -> list[int | str | None]:
    """Return numbers, (systems, segments) or (segments,), as integer multiples of 10^-digits in one
    list. A system's value on a segment is at index `segment * systems + system`. NaN becomes None;
    infinite and very large values become text."""
    flat = np.asarray(values, dtype=float).T.ravel()
    # The page's JavaScript reads integers up to 2^53 exactly.
    is_exact = np.abs(flat) < 2**53 / 10**digits
    multiples = np.round(np.where(is_exact, flat, 0.0) * 10**digits)
    items = multiples.astype(np.int64).astype(object)
    for index in np.flatnonzero(~is_exact):
        items[index] = None if np.isnan(flat[index]) else number(flat[index])
    return items.tolist()


def decimals(values: np.ndarray) -> int:
    """Return the number of decimals to show: 1 if any absolute value exceeds 5, else 3."""
    return 1 if np.abs(values[np.isfinite(values)]).max(initial=0) > 5 else 3


def largest_first(values: np.ndarray) -> list[int]:
    """Return segment indices from the largest to the smallest value; NaN is left out."""
    known = np.flatnonzero(~np.isnan(values))
    return known[np.argsort(-values[known], kind="stable")].tolist()


def describe_segments(
    evalset: EvaluationSet,
    files: SetFiles,
    settings: ScoreSettings,
    described: dict[str, Content],
    order: np.ndarray,
) -> Content:
    """Describe the segments of a set for its page.

    Parameters
    ----------
    evalset : EvaluationSet
        Texts and human scores of the set.
    files : SetFiles
        Results of the set.
    settings : ScoreSettings
        Metrics, difficulties and weightings that the page shows.
    described : dict
        Entries of `weightings.json`, in the order of the settings.
    order : ndarray of shape (systems,)
        Indices of systems, the best first.

    Returns
    -------
    dict
        Texts, difficulties, scores and the change of r without each segment. Numbers are integers,
        as from `scaled_integers`, with their `digits`. Only a `reason` if the segments cannot be
        shown or cannot be ordered.
    """
    if evalset.texts_missing:
        return {"reason": evalset.texts_missing}
    scores = ScoredSet(files, settings)
    labels = fitted.labels(described["weightings"])
    gold = {label.name: Mark(label.uses_gold, label.tuned) for label in labels}
    difficulties = list(_difficulties(described["difficulties"], scores, len(evalset.systems)))
    scored = _metrics_of_segments(scores, settings, labels, len(evalset.reference))
    changes = _changes_of_r(scored, scores, evalset)
    rankings = _rankings(difficulties, changes, labels)
    if not rankings:
        return {"reason": NO_RANKING}

    source = evalset.source or [""] * len(evalset.reference)
    hypotheses = [evalset.hypotheses[system] for system in order]
    ratings = np.array(evalset.segment_gold, dtype=float)
    return {
        "systems": [evalset.systems[system] for system in order],
        "total": len(evalset.reference),
        "source_language": language.source_language(evalset.pair),
        "target_language": language.target_language(evalset.pair),
        "documents": _groups(evalset.documents),
        "domains": _groups(evalset.domains),
        "units": case_studies.units(evalset),
        # Similar texts stand together, which compresses well.
        "texts": list(map(list, zip(source, evalset.reference, *hypotheses, strict=True))),
        "human": _numbers(ratings[order], HUMAN_DIGITS) if ratings.size else None,
        "columns": _score_columns(scored, scores, settings, gold, order),
        "difficulties": [_difficulty_column(difficulty, order) for difficulty in difficulties],
        "thresholds": _thresholds(described["weightings"], difficulties, order),
        "rankings": rankings,
        "listed": _listed_changes(changes, labels, gold),
        "links": _links(files, difficulties, order),
        "tokens_of": _reference_tokens(evalset, scores, difficulties, settings),
        "errors": _errors(evalset, files, order),
    }


def _metrics_of_segments(
    scores: ScoredSet,
    settings: ScoreSettings,
    labels: list[fitted.WeightingLabel],
    segments: int,
) -> dict[Key, WeightedMetric]:
    """Return the metrics that have scores of all segments, by metric and weighting."""
    weighted = scores.of(np.arange(len(scores.systems)), everywhere=True)
    scored = {}
    for metric in settings.metrics:
        for label in labels:
            variant = weighted.get((metric, label.name))
            if variant and variant.statistics.shape[1] == segments:
                scored[metric, label.name] = variant
    return scored


def _changes_of_r(
    scored: dict[Key, WeightedMetric], scores: ScoredSet, evalset: EvaluationSet
) -> dict[Key, np.ndarray]:
    """Return the change of r if a segment is left out, (segments,), by metric and weighting; it is
    0 for a segment that system scores do not use. Without metrics that lack a system's score."""
    if not evalset.gold:
        return {}
    human = np.array(evalset.gold)
    changes = {}
    for key, metric in scored.items():
        counted = metric.select(segments=scores.counted)
        if not np.isfinite(counted.scores()).all():
            continue
        r = Pearson()(counted.observed_quality(), human)
        r_without = Pearson()(counted.quality_without_each_segment().T, human)
        changes[key] = np.zeros(len(evalset.reference))
        changes[key][scores.counted] = r_without - r
    return changes


def _rankings(
    difficulties: list[Difficulty],
    changes: dict[Key, np.ndarray],
    labels: list[fitted.WeightingLabel],
) -> list[Content]:
    """Return orders of the segments: by mean difficulty, and by the mean change of r over the
    metrics under a weighting."""
    rankings: list[Content] = []
    for difficulty in difficulties:
        if difficulty.unit != "token":
            rankings.append(
                {
                    "name": f"difficulty {difficulty.name}",
                    "label": f"mean {difficulty.label}, hardest first",
                    "order": largest_first(difficulty.means),
                }
            )
    for label in labels:
        of_metrics = [change for (_, name), change in changes.items() if name == label.name]
        if of_metrics:
            name = marked(label.name, label.uses_gold, label.tuned)
            mean_change = np.mean(np.abs(of_metrics), axis=0)
            rankings.append(
                {
                    "name": f"weighting {label.name}",
                    "label": f"effect on r of {name} metrics, largest first",
                    "order": largest_first(mean_change),
                }
            )
    return rankings


def _score_columns(
    scored: dict[Key, WeightedMetric],
    scores: ScoredSet,
    settings: ScoreSettings,
    gold: dict[str, Mark],
    order: np.ndarray,
) -> list[Content]:
    """Return segment scores on the metric's scale, unweighted and under each token weighting.
    Segment weights do not change segment scores."""
    columns: dict[Key, Content] = {}
    for (name, weighting), weighted in scored.items():
        tokens = scores.tokens_of(weighting) or STANDARD
        if (name, tokens) in columns:
            continue
        metric = METRICS[settings.metrics[name].type]
        if weighted.aggregate is metric.aggregate:
            values = metric.segment_scores(weighted.statistics)
        else:
            values = case_studies.segment_scores(weighted)
        columns[name, tokens] = {
            "label": score_label({"metric": name, "weighting": tokens}, gold),
            "higher": metric.higher_is_better,
            **_numbers(values[order], decimals(values)),
        }
    return list(columns.values())


def _difficulty_column(difficulty: Difficulty, order: np.ndarray) -> Content:
    """Return a difficulty's means over systems and, of hypotheses, its values."""
    digits = decimals(difficulty.values)
    values = None
    if difficulty.unit == "hypothesis":
        values = scaled_integers(difficulty.values[order], digits)
    return {
        "label": difficulty.label,
        "unit": difficulty.unit,
        "means": scaled_integers(difficulty.means, digits),
        "digits": digits,
        "values": values,
    }


def _thresholds(
    weightings: Content, difficulties: list[Difficulty], order: np.ndarray
) -> list[Content]:
    """Return the weightings with a threshold h. `hard` has for each segment a text with 1 for every
    system whose hypothesis is difficult, and 0 for the others."""
    indices = {difficulty.name: index for index, difficulty in enumerate(difficulties)}
    thresholds = []
    for name, entry in weightings.items():
        h = entry["parameters"].get("h")
        index = indices.get(entry["difficulty"])
        if h is None or index is None:
            continue
        difficulty = difficulties[index]
        is_hard = (difficulty.values >= h)[order].T.astype(int).tolist()
        thresholds.append(
            {
                "weighting": marked(name, difficulty.uses_gold),
                "difficulty": index,
                "hard": ["".join(map(str, row)) for row in is_hard],
            }
        )
    return thresholds


def _groups(names: list[str]) -> Content | None:
    """Return the distinct names of the segments' documents or domains, in order of appearance, and
    `of`, the index of each segment's name; None for fewer than two names."""
    indices = {name: index for index, name in enumerate(dict.fromkeys(names))}
    if len(indices) < 2:
        return None
    return {"names": list(indices), "of": [indices[name] for name in names]}


def _listed_changes(
    changes: dict[Key, np.ndarray],
    labels: list[fitted.WeightingLabel],
    gold: dict[str, Mark],
) -> list[Content]:
    """Return the changes of the first metric's r that the list of segments shows."""
    shown = [label.name for label in labels if label.shown]
    first_metric = next((metric for metric, _ in changes), "")
    columns = []
    for (metric, weighting), change in changes.items():
        if metric == first_metric and weighting in shown:
            label = score_label({"metric": metric, "weighting": weighting}, gold)
            columns.append(
                {"label": f"Δr of {label} without the segment", **_numbers(change, MOVE_DIGITS)}
            )
    return columns


def _numbers(values: ArrayLike, digits: int) -> Content:
    return {"digits": digits, "values": scaled_integers(values, digits)}


def _difficulties(described: Content, scores: ScoredSet, systems: int) -> Iterator[Difficulty]:
    """Yield the set's computed difficulties; those of tokens are averaged over each reference."""
    all_systems = np.arange(systems)
    for name, entry in described.items():
        is_of_tokens = entry["unit"] == "token"
        if entry["missing"] or (is_of_tokens and not scores.parts):
            continue
        if is_of_tokens:
            values = _means_over_references(name, scores, all_systems)
        else:
            values = scores.difficulty(name, all_systems)
        with np.errstate(invalid="ignore"):
            means = values.mean(axis=0)
        yield Difficulty(
            name=name,
            unit=entry["unit"],
            label=marked(name.replace("_", " "), entry["uses_gold"]),
            uses_gold=entry["uses_gold"],
            values=values,
            means=means,
        )


def _means_over_references(name: str, scores: ScoredSet, systems: np.ndarray) -> np.ndarray:
    """Return means of a token difficulty over each reference, (systems, segments); NaN for a
    reference without tokens."""
    part = scores.parts[0]
    lengths = part.matches.reference_lengths
    segment = np.repeat(np.arange(lengths.size), lengths)
    of_tokens = scores.token_difficulty(name, part, systems)
    with np.errstate(invalid="ignore"):
        rows = [np.bincount(segment, row, lengths.size) / lengths for row in of_tokens]
    return np.broadcast_to(np.array(rows), (len(systems), lengths.size))


def _links(files: SetFiles, difficulties: list[Difficulty], order: np.ndarray) -> Content | None:
    """Return the word alignments of the first difficulty that stores them, or None. `label` names
    the difficulty. `links` has, for each segment, one text for each system in the page's order,
    with a character for each token of the hypothesis (see NO_LINK)."""
    for difficulty in difficulties:
        arrays = files.optional(f"difficulty/{difficulty.name}.npz") or {}
        if not {"links", "lengths"} <= arrays.keys():
            continue
        characters = "".join(map(chr, (arrays["links"] + NO_LINK + 1).tolist()))
        lengths = arrays["lengths"]
        ends = np.cumsum(lengths).reshape(lengths.shape)
        spans = np.stack([ends - lengths, ends], axis=-1)
        by_segment = spans[order].transpose(1, 0, 2).tolist()
        links = [[characters[start:end] for start, end in row] for row in by_segment]
        return {"label": difficulty.label, "links": links}
    return None


def _reference_tokens(
    evalset: EvaluationSet,
    scores: ScoredSet,
    difficulties: list[Difficulty],
    settings: ScoreSettings,
) -> Content | None:
    """Return the references cut at tokens, with the set's first token difficulty; None without any.
    `name` is the encoder, `difficulty` a label. `low` and `high` end the scale; `hard` is the
    threshold of difficult tokens. `of` lists for each segment the pieces of its reference: length
    in characters, then difficulty (None between tokens). Difficulties are in hundredths."""
    first = next((difficulty for difficulty in difficulties if difficulty.unit == "token"), None)
    if first is None or not scores.parts[0].matches.reference_lengths.any():
        return None
    part = scores.parts[0]
    lengths = part.matches.reference_lengths
    offsets = part.matches.reference_offsets
    all_systems = np.arange(len(evalset.systems))
    values = scores.token_difficulty(first.name, part, all_systems).mean(axis=0)
    low, hard = np.quantile(values, [0.05, 1 - case_studies.MARKED_SHARE])
    of_segments = []
    for text, end, length in zip(evalset.reference, np.cumsum(lengths), lengths, strict=True):
        # The reference can start with white space, which was not encoded.
        before = len(text) - len(text.lstrip())
        tokens = slice(end - length, end)
        spans = [
            (before + max(start, 0), before + stop, round(100 * float(value)))
            for (start, stop), value in zip(offsets[tokens].tolist(), values[tokens], strict=True)
        ]
        lengths_and_values: list[int | None] = []
        for piece, value in case_studies.cut(text[:before] + text.strip(), spans, None):
            lengths_and_values += [len(piece), value]
        of_segments.append(lengths_and_values)
    return {
        "name": settings.matches[part.metrics[0]].removeprefix("matches/").removesuffix(".npz"),
        "difficulty": first.label,
        "of": of_segments,
        "low": round(100 * float(low)),
        "hard": round(100 * float(hard)),
        "high": round(100 * float(values.max())),
    }


def _errors(evalset: EvaluationSet, files: SetFiles, order: np.ndarray) -> Content | None:
    """Return the errors that raters marked in hypotheses; None for a set without ratings. `raters`,
    `severities` and `categories` are the names that occur. `of` has for each segment a list of
    ratings: index of the system on the page, index of the rater, and errors. An error is `[start,
    end, severity, category, in source]`: character offsets, indices of names, and 0 or 1."""
    ratings = files.optional("ratings.json")
    if not ratings:
        return None
    names: dict[str, dict[str, int]] = {"raters": {}, "severities": {}, "categories": {}}

    def index_of(kind: str, name: str | None) -> int:
        return names[kind].setdefault(name or "", len(names[kind]))

    rows: list[list[list]] = [[] for _ in evalset.reference]
    for position, system in enumerate(order):
        for rater, of_systems in sorted(ratings.items()):
            for segment, errors in enumerate(of_systems.get(evalset.systems[system], [])):
                if errors is None:
                    continue
                spans = [
                    [
                        error["start"],
                        error["end"],
                        index_of("severities", error.get("severity")),
                        index_of("categories", error.get("category")),
                        int(error.get("is_source_error", False)),
                    ]
                    for error in errors
                ]
                rows[segment].append([position, index_of("raters", rater), spans])
    content: Content = {kind: list(indices) for kind, indices in names.items()}
    content["of"] = rows
    return content


def explain(evalset: EvaluationSet, files: SetFiles, names: list[str]) -> Content | None:
    """Return an example of chunk entropy: the segment whose short hypotheses differ most in it.

    Parameters
    ----------
    evalset : EvaluationSet
        Texts of the set.
    files : SetFiles
        Results of the set.
    names : list of str
        Names of difficulties; the first one with chunks is explained.

    Returns
    -------
    dict or None
        None without a difficulty with chunks or a segment. `segment` counts from 1. The harder
        hypothesis is first, with `pieces` (`case_studies.chunk_pieces`), its `size` in words, and
        the `equation` of its entropy, whose right side is `sum`.
    """
    if not (evalset.source and evalset.reference):
        return None
    for name in names:
        arrays = files.optional(f"difficulty/{name}.npz") or {}
        if {"links", "lengths", "difficulty"} <= arrays.keys():
            break
    else:
        return None
    units = "words" if case_studies.units(evalset) == "words" else "characters"
    shortest, longest = SHORT[units]
    lengths = arrays["lengths"]
    difficulty = arrays["difficulty"]
    is_short = (lengths >= shortest) & (lengths <= longest) & np.isfinite(difficulty)
    # Hypotheses that are not short can be neither the hardest nor the easiest.
    for_hardest = np.where(is_short, difficulty, -np.inf)
    for_easiest = np.where(is_short, difficulty, np.inf)
    spread = for_hardest.max(axis=0) - for_easiest.min(axis=0)  # -inf without a short hypothesis
    segment = int(spread.argmax())
    if not spread[segment] > 0:
        return None
    hardest = int(for_hardest[:, segment].argmax())
    easiest = int(for_easiest[:, segment].argmin())
    source_language, target_language = evalset.pair.split("-")[:2]
    return {
        "difficulty": name,
        "segment": segment + 1,
        "source": evalset.source[segment],
        "reference": evalset.reference[segment],
        "source_language": source_language,
        "target_language": target_language,
        "hypotheses": [
            _explain_hypothesis(evalset, arrays, system, segment) for system in (hardest, easiest)
        ],
    }


def _explain_hypothesis(
    evalset: EvaluationSet, arrays: dict[str, np.ndarray], system: int, segment: int
) -> Content:
    """Return a hypothesis with its chunks and the equation of its chunk entropy."""
    lengths = arrays["lengths"]
    chunk_of_token = case_studies.chunks_of(arrays["links"], lengths, system, segment)
    sizes = np.bincount(chunk_of_token[chunk_of_token >= 0])
    tokens = f"{sizes.sum()} of {lengths[system, segment]} tokens"
    pieces = case_studies.hypothesis_pieces(evalset, arrays, system, segment)
    return {
        "system": evalset.systems[system],
        "pieces": list(map(list, pieces)),
        "size": f"{tokens} in {times(len(sizes), 'chunk')}",
        "equation": entropy_equation(sizes),
        "sum": float(arrays["difficulty"][system, segment]),
    }


def entropy_equation(sizes: np.ndarray) -> str:
    """Return the equation of a chunk entropy up to its last equals sign.

    Parameters
    ----------
    sizes : ndarray of shape (chunks,)
        Numbers of tokens in the chunks.

    Returns
    -------
    str
        The terms -n/N log10(n/N) as a sum and, of several terms, their values as a sum.
    """
    total = sizes.sum()
    symbolic = [f"{size}/{total} · log₁₀ {size}/{total}" for size in sizes]
    sides = [f"−{' − '.join(symbolic)}" if symbolic else ""]
    if len(sizes) > 1:
        shares = sizes / total
        values = (-shares * np.log10(shares)).round(6).tolist()
        sides.append(" + ".join(number(value) for value in values))
    return f"{' = '.join(sides)} =".strip()
