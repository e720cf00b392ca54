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
from ..scores import ScoredSet
from ..settings import ScoreSettings
from ..statistics.pearson import Pearson
from ..weighting import fitted
from ..weighting.base import STANDARD
from .tables import Content, Mark, marked, number, score_label

HUMAN_DIGITS, MOVE_DIGITS = 2, 4
NO_RANKING = (
    "the set has neither a difficulty of segments or hypotheses nor human scores and segment "
    "scores, by which segments could be chosen"
)
# Code point of a token without link; a link to reference token n has a code point n + 1 higher.
NO_LINK = 48
# Least and largest length of a short hypothesis, in words or characters.
SHORT = {"words": (8, 25), "characters": (15, 60)}


class Difficulty(NamedTuple):
    """A difficulty of a set. `values` are (systems, segments); difficulties of tokens are averaged
    over the reference. `means`, (segments,), average over systems. Both can be infinite or NaN."""

    name: str
    unit: str
    label: str  # the name, marked where it uses human scores
    uses_gold: bool
    values: np.ndarray
    means: np.ndarray


def packed(content: Any) -> str:
    """Return content as JSON, zlib-compressed and base64-encoded, for the page's browser.js."""
    return base64.b64encode(zlib.compress(storage.to_json(content).encode(), 9)).decode()


def whole(values: ArrayLike, digits: int) -> list[int | str | None]:
    """Return numbers, (systems, segments) or (segments,), as integer multiples of 10^-digits in one
    list. A system's value on a segment is at index `segment * systems + system`. NaN becomes None;
    infinite and very large values become text."""
    flat = np.asarray(values, dtype=float).T.ravel()
    there = np.abs(flat) < 2**53 / 10**digits  # what the page reads as a whole number
    texts = np.round(np.where(there, flat, 0.0) * 10**digits).astype(np.int64).astype(object)
    for place in np.flatnonzero(~there):
        texts[place] = None if np.isnan(flat[place]) else number(flat[place])
    return texts.tolist()


def digits_of(values: np.ndarray) -> int:
    """Return the number of decimals to show: 1 if any absolute value exceeds 5, else 3."""
    return 1 if np.abs(values[np.isfinite(values)]).max(initial=0) > 5 else 3


def ranked(values: np.ndarray) -> list[int]:
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
    """Return all segments with texts, difficulties, scores and the change of r without each
    segment; only a `reason` where none can be shown. Numbers are whole, as from `whole`, with their
    `digits`. `described` is as `weightings.json`, in the order of the settings; `order`,
    (systems,), has the best first."""
    if evalset.texts_missing:
        return {"reason": evalset.texts_missing}
    scores = ScoredSet(files, settings)
    weightings = fitted.labels(described["weightings"])
    gold = {label.name: Mark(label.uses_gold, label.tuned) for label in weightings}
    difficulties = list(_difficulties(described["difficulties"], scores, len(evalset.systems)))

    # Metrics under weightings that have scores of all segments.
    weighted = scores.of(np.arange(len(scores.systems)), everywhere=True)
    scored = {
        (metric, label.name): variant
        for metric in settings.metrics
        for label in weightings
        if (variant := weighted.get((metric, label.name)))
        and variant.statistics.shape[1] == len(evalset.reference)
    }
    # Change of r when a segment is left out, if every system has a score; 0 for a segment that
    # does not count.
    moves: dict[tuple[str, str], np.ndarray] = {}
    for key, variant in scored.items() if evalset.gold else ():
        of_counted, human = variant.select(segments=scores.counted), np.array(evalset.gold)
        if np.isfinite(of_counted.scores()).all():
            without = Pearson()(of_counted.quality_without_each_segment().T, human)
            moves[key] = np.zeros(len(evalset.reference))
            moves[key][scores.counted] = without - Pearson()(of_counted.observed_quality(), human)
    rankings: list[Content] = [
        {"name": f"difficulty {difficulty.name}", "label": f"hardest by mean {difficulty.label}"}
        | {"order": ranked(difficulty.means)}
        for difficulty in difficulties
        if difficulty.unit != "token"
    ]
    for label in weightings:
        if of_label := [moved for key, moved in moves.items() if key[1] == label.name]:
            name = marked(label.name, label.uses_gold, label.tuned)
            ranking = {"name": f"weighting {label.name}"}
            ranking["label"] = f"moves the ranking most, {name} metrics"
            rankings.append(ranking | {"order": ranked(np.mean(np.abs(of_label), axis=0))})
    if not rankings:
        return {"reason": NO_RANKING}

    # Segment scores on the metric's scale, unweighted and under each token weighting. Segment
    # weights do not change segment scores.
    columns: dict[tuple[str, str], Content] = {}
    for (name, weighting), item in scored.items():
        tokens = scores.tokens_of(weighting) or STANDARD
        if (name, tokens) in columns:
            continue
        metric = METRICS[settings.metrics[name].type]
        values = (
            metric.segment_scores(item.statistics)
            if item.aggregate is metric.aggregate
            else case_studies.segment_scores(item)
        )
        columns[name, tokens] = {
            "label": score_label({"metric": name, "weighting": tokens}, gold),
            "higher": metric.higher_is_better,
            **_numbers(values[order], digits_of(values)),
        }

    # Weightings with a threshold h: for each segment a text with 1 for every system whose
    # hypothesis is difficult, and 0 for the others.
    thresholds, places = [], {d.name: place for place, d in enumerate(difficulties)}
    for name, entry in described["weightings"].items():
        h, place = entry["parameters"].get("h"), places.get(entry["difficulty"])
        if h is None or place is None:
            continue
        hard = (difficulties[place].values >= h)[order].T.astype(int).tolist()
        texts = ["".join(map(str, row)) for row in hard]
        name = marked(name, difficulties[place].uses_gold)
        thresholds.append({"weighting": name, "difficulty": place, "hard": texts})

    # Documents and domains, where there are two: names in order of appearance, and of each segment
    # its place among them.
    parts: Content = {"documents": None, "domains": None}
    for kind, of_segments in (("documents", evalset.documents), ("domains", evalset.domains)):
        distinct = {name: place for place, name in enumerate(dict.fromkeys(of_segments))}
        if len(distinct) > 1:
            parts[kind] = {"names": [*distinct], "of": [distinct[name] for name in of_segments]}
    listed = [label.name for label in weightings if label.shown]
    source = evalset.source or [""] * len(evalset.reference)
    hypotheses = [evalset.hypotheses[system] for system in order]
    rated = np.array(evalset.segment_gold, dtype=float)
    return {
        "systems": [evalset.systems[system] for system in order],
        "total": len(evalset.reference),
        "source_language": language.source_language(evalset.pair),
        "target_language": language.target_language(evalset.pair),
        **parts,
        "units": case_studies.units(evalset),
        # Similar texts stand together, which compresses well.
        "texts": list(map(list, zip(source, evalset.reference, *hypotheses, strict=True))),
        "human": _numbers(rated[order], HUMAN_DIGITS) if rated.size else None,
        "columns": list(columns.values()),
        "difficulties": [
            {
                "label": difficulty.label,
                "unit": difficulty.unit,
                "means": whole(difficulty.means, digits_of(difficulty.values)),
                **_numbers(difficulty.values[order], digits_of(difficulty.values)),
            }
            | ({} if difficulty.unit == "hypothesis" else {"values": None})
            for difficulty in difficulties
        ],
        "thresholds": thresholds,
        "rankings": rankings,
        # For the list of segments: change of the first metric's r when a segment is left out.
        "listed": [
            {"label": f"Δr of {score_label({'metric': m, 'weighting': name}, gold)} without it"}
            | _numbers(moved, MOVE_DIGITS)
            for (m, name), moved in moves.items()
            if m == next(iter(moves))[0] and name in listed
        ],
        "links": _links(files, difficulties, order),
        "tokens_of": _reference_tokens(evalset, scores, difficulties, settings),
        "errors": _errors(evalset, files, order),
    }


def _numbers(values: ArrayLike, digits: int) -> Content:
    return {"digits": digits, "values": whole(values, digits)}


def _difficulties(described: Content, scores: ScoredSet, systems: int) -> Iterator[Difficulty]:
    """Yield the set's computed difficulties; those of tokens are averaged over each reference."""
    everything = np.arange(systems)
    for name, entry in described.items():
        if entry["missing"] or (entry["unit"] == "token" and not scores.parts):
            continue
        if entry["unit"] == "token":
            sizes = scores.parts[0].matches.reference_lengths
            owner = np.repeat(np.arange(sizes.size), sizes)
            of_tokens = scores.token_difficulty(name, scores.parts[0], everything)
            with np.errstate(invalid="ignore"):  # NaN without tokens
                rows = [np.bincount(owner, row, sizes.size) / sizes for row in of_tokens]
            values = np.broadcast_to(np.array(rows), (systems, sizes.size))
        else:
            values = scores.difficulty(name, everything)
        with np.errstate(invalid="ignore"):
            means = values.mean(axis=0)
        label = marked(name, entry["uses_gold"])
        yield Difficulty(name, entry["unit"], label, entry["uses_gold"], values, means)


def _links(files: SetFiles, difficulties: list[Difficulty], order: np.ndarray) -> Content | None:
    """Return the word alignments of the first difficulty that stores them, or None. `label` names
    the difficulty. `links` has, for each segment, one text for each system in the page's order,
    with a character for each token of the hypothesis (see NO_LINK)."""
    for difficulty in difficulties:
        arrays = files.optional(f"difficulty/{difficulty.name}.npz") or {}
        if {"links", "lengths"} <= arrays.keys():
            text = "".join(map(chr, (arrays["links"] + NO_LINK + 1).tolist()))
            lengths = arrays["lengths"]
            ends = np.cumsum(lengths).reshape(lengths.shape)
            spans = np.stack([ends - lengths, ends], axis=-1)[order].transpose(1, 0, 2).tolist()
            links = [[text[start:end] for start, end in row] for row in spans]
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
    lengths, offsets = part.matches.reference_lengths, part.matches.reference_offsets
    values = scores.token_difficulty(first.name, part, np.arange(len(evalset.systems))).mean(axis=0)
    low, hard = np.quantile(values, [0.05, 1 - case_studies.MARKED_SHARE])
    of_segments = []
    for text, end, size in zip(evalset.reference, np.cumsum(lengths), lengths, strict=True):
        # The reference can start with white space, which was not encoded.
        before, tokens = len(text) - len(text.lstrip()), slice(end - size, end)
        spans = [
            (before + max(start, 0), before + stop, round(100 * float(value)))
            for (start, stop), value in zip(offsets[tokens].tolist(), values[tokens], strict=True)
        ]
        pieces = case_studies.cut(text[:before] + text.strip(), spans, None)
        of_segments.append([part for piece, value in pieces for part in (len(piece), value)])
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
    if not (ratings := files.optional("ratings.json")):
        return None
    names: dict[str, dict[str, int]] = {"raters": {}, "severities": {}, "categories": {}}

    def place(kind: str, name: str | None) -> int:
        return names[kind].setdefault(name or "", len(names[kind]))

    rows: list[list[list]] = [[] for _ in evalset.reference]
    for at, system in enumerate(order):
        for rater, of_systems in sorted(ratings.items()):
            for segment, errors in enumerate(of_systems.get(evalset.systems[system], [])):
                if errors is None:
                    continue
                spans = []
                for error in errors:
                    severity = place("severities", error.get("severity"))
                    kind = severity, place("categories", error.get("category"))
                    in_source = int(error.get("is_source_error", False))
                    spans.append([error["start"], error["end"], *kind, in_source])
                rows[segment].append([at, place("raters", rater), spans])
    return {kind: list(distinct) for kind, distinct in names.items()} | {"of": rows}


def explain(evalset: EvaluationSet, files: SetFiles, names: list[str]) -> Content | None:
    """Return an example of chunk entropy: the segment whose short hypotheses differ most in it. The
    difficulty is the first of `names` with chunks; None without difficulty or segment. `segment`
    counts from 1; `shortest` and `longest` are in tokens. The harder hypothesis is first, with
    `pieces` (`case_studies.chunk_pieces`), `sizes` of chunks, and `terms` -n/N log10(n/N), whose
    sum is `sum`."""
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
    lengths, difficulty = arrays["lengths"], arrays["difficulty"]
    short = (lengths >= shortest) & (lengths <= longest) & np.isfinite(difficulty)
    most, least = np.where(short, difficulty, -np.inf), np.where(short, difficulty, np.inf)
    spread = most.max(axis=0) - least.min(axis=0)  # -inf without a short hypothesis
    segment = int(spread.argmax())
    if not spread[segment] > 0:
        return None
    hypotheses = []
    for system in (int(most[:, segment].argmax()), int(least[:, segment].argmin())):
        of_tokens = case_studies.chunks_of(arrays["links"], lengths, system, segment)
        sizes = np.bincount(of_tokens[of_tokens >= 0])
        shares = sizes / max(1, sizes.sum())
        pieces = case_studies.hypothesis_pieces(evalset, arrays, system, segment)
        hypotheses.append(
            {
                "system": evalset.systems[system],
                "pieces": list(map(list, pieces)),
                "tokens": int(lengths[system, segment]),
                "sizes": sizes.tolist(),
                "terms": (-shares * np.log10(shares)).round(6).tolist(),
                "sum": float(difficulty[system, segment]),
            }
        )
    return {
        "difficulty": name,
        "segment": segment + 1,
        "shortest": shortest,
        "longest": longest,
        "units": units,
        "source": evalset.source[segment],
        "reference": evalset.reference[segment],
        "languages": evalset.pair.split("-")[:2],
        "hypotheses": hypotheses,
    }
