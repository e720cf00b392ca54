"""The segments of a set for its page: texts, difficulties, scores, and what each does to the
ranking; and the segment by which the index explains an entropy of chunks."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import storage
from ..data import language
from ..data.evalset import EvaluationSet
from ..data.set_files import SetFiles
from ..evidence import labels
from ..evidence.counted import STANDARD
from ..evidence.resampling import Influence, influence
from ..evidence.set_scores import SetScores
from ..metrics import METRICS
from ..papers import case_studies
from .tables import Mark, marked, number, score_label

HUMAN_DIGITS, MOVE_DIGITS = 2, 4
NO_RANKING = (
    "the set has neither a difficulty of segments or hypotheses nor human scores and segment "
    "scores, by which segments could be chosen"
)
# The code point that stands for a token without link; that of reference token n is n + 1 higher.
NO_LINK = 48
# Tokens of a hypothesis that is read at one look: of words, and of characters.
SHORT = {"words": (8, 25), "characters": (15, 60)}


class Difficulty(NamedTuple):
    """A difficulty of a set: `values` (systems, segments), of tokens the means over the reference's
    tokens. They can be infinite or NaN."""

    name: str
    unit: str
    uses_gold: bool
    values: np.ndarray

    @property
    def label(self) -> str:
        """The name, marked where it uses human scores."""
        return marked(self.name, self.uses_gold)

    @property
    def means(self) -> np.ndarray:
        """Means over systems, (segments,)."""
        with np.errstate(invalid="ignore"):
            return self.values.mean(axis=0)


def script(content: Any) -> str:
    """The file beside a page: JSON, compressed (zlib) and in base64, as a call of a function of the
    page; from the disk, browsers read no data but scripts."""
    packed = zlib.compress(storage.to_json(content).encode(), 9)
    return f'receiveSegments("{base64.b64encode(packed).decode()}");\n'


def whole(values: ArrayLike, digits: int) -> list[int | str | None]:
    """Numbers, (systems, segments) or (segments,), as multiples of 10^-digits in one list, segment
    by segment: that of a system and a segment at `segment * systems + system`; None for NaN, and
    one that is infinite or too large as a text."""
    flat = np.asarray(values, dtype=float).T.ravel()
    there = np.abs(flat) < 2**53 / 10**digits  # what the page reads as a whole number
    texts = np.round(np.where(there, flat, 0.0) * 10**digits).astype(np.int64).astype(object)
    for place in np.flatnonzero(~there):
        texts[place] = None if np.isnan(flat[place]) else number(flat[place])
    return texts.tolist()


def digits_of(values: np.ndarray) -> int:
    """How many digits tell values apart: 1 where some are above 5, else 3."""
    return 1 if np.abs(values[np.isfinite(values)]).max(initial=0) > 5 else 3


def ranked(values: np.ndarray) -> list[int]:
    """Segments from 0 whose value is known, the highest first; of equal ones the earlier."""
    known = np.flatnonzero(~np.isnan(values))
    return known[np.argsort(-values[known], kind="stable")].tolist()


def describe_segments(
    evalset: EvaluationSet,
    files: SetFiles,
    settings: dict[str, Any],
    described: dict[str, dict[str, Any]],
    order: np.ndarray,
) -> dict[str, Any]:
    """All segments with their texts, difficulties and scores, and what the hardest ones, and those
    that move the ranking most, do to it; only a `reason` where no segments can be shown. Numbers
    are whole, as from `whole`, with their `digits`; segments and systems go by their places.

    `settings` has what `SetScores` needs; `types` of the metrics; `shown`, of how many segments of
    the first ranking the influence is told, and of half as many of the others. `described` is as
    `weightings.json`, in the order of the settings; `order`, (systems,), has the best first."""
    if evalset.texts_missing:
        return {"reason": evalset.texts_missing}
    scores = SetScores(files, settings)
    weightings = labels.describe(described["weightings"])
    gold = {label.name: Mark(label.uses_gold, label.tuned) for label in weightings}
    known = list(_difficulties(described["difficulties"], scores, len(evalset.systems)))

    # Metrics under weightings that have scores of all segments.
    weighted = scores.of(np.arange(len(scores.systems)), everywhere=True)
    scored = {
        (metric, label.name): one
        for metric in settings["metrics"]
        for label in weightings
        if (one := weighted.get((metric, label.name)))
        and one.statistics.shape[1] == len(evalset.reference)
    }
    # What leaving each segment out does, where every system has a score; nothing where a segment
    # does not count.
    moves: dict[tuple[str, str], Influence] = {}
    for key, one in scored.items() if evalset.gold else ():
        of_counted = one.select(segments=scores.counted)
        if np.isfinite(of_counted.scores()).all():
            moved = influence(of_counted, np.array(evalset.gold))
            moves[key] = moved.at(scores.counted, len(evalset.reference))
    names = {
        key: score_label(dict(zip(("metric", "weighting"), key, strict=True)), gold)
        for key in moves
    }
    rankings: list[dict[str, Any]] = [
        {
            "name": f"difficulty {one.name}",
            "label": f"hardest by mean {one.label}",
            "order": ranked(one.means),
        }
        for one in known
        if one.unit != "token"
    ]
    for label in weightings:
        changes = [moves[key].correlations.pearson for key in moves if key[1] == label.name]
        if changes:
            name = marked(label.name, label.uses_gold, label.tuned)
            rankings.append(
                {
                    "name": f"weighting {label.name}",
                    "label": f"moves the ranking most, {name} metrics",
                    "order": ranked(np.mean(np.abs(changes), axis=0)),
                }
            )
    if not rankings:
        return {"reason": NO_RANKING}

    # Segment scores on the scale of the metric: of each metric, and of it under each weighting of
    # tokens. Weights of segments change none.
    columns: dict[tuple[str, str], dict[str, Any]] = {}
    for (name, weighting), item in scored.items():
        tokens = scores.tokens_of(weighting) or STANDARD
        if (name, tokens) in columns:
            continue
        metric = METRICS[settings["types"][name]]
        if item.aggregate is metric.aggregate:
            of_metric = metric.segment_scores(item.statistics)
        else:
            of_metric = case_studies.segment_scores(item)
        columns[name, tokens] = {
            "label": score_label({"metric": name, "weighting": tokens}, gold),
            "digits": digits_of(of_metric),
            "higher": metric.higher_is_better,
            "values": whole(of_metric[order], digits_of(of_metric)),
        }

    # Weightings with a threshold h: for each segment a text with 1 for every system whose
    # hypothesis is difficult, and 0 for the others.
    thresholds, places = [], {one.name: place for place, one in enumerate(known)}
    for name, entry in described["weightings"].items():
        h, place = entry["parameters"].get("h"), places.get(entry["difficulty"])
        if h is None or place is None:
            continue
        hard = (known[place].values >= h)[order].T.astype(int).tolist()
        texts = ["".join(map(str, row)) for row in hard]
        name = marked(name, known[place].uses_gold)
        thresholds.append({"weighting": name, "difficulty": place, "hard": texts})

    # Documents and domains, where there are two: names in order of appearance, and of each segment
    # its place among them.
    parts: dict[str, Any] = {"documents": None, "domains": None}
    for kind, of_segments in (("documents", evalset.documents), ("domains", evalset.domains)):
        distinct = {name: place for place, name in enumerate(dict.fromkeys(of_segments))}
        if len(distinct) > 1:
            parts[kind] = {"names": [*distinct], "of": [distinct[name] for name in of_segments]}
    told = set(rankings[0]["order"][: settings["shown"]])
    told = told.union(*(ranking["order"][: settings["shown"] // 2] for ranking in rankings))
    listed = [label.name for label in weightings if label.shown]
    source = evalset.source or [""] * len(evalset.reference)
    hypotheses = [evalset.hypotheses[system] for system in order]
    human = None
    if evalset.segment_gold:
        values = whole(np.array(evalset.segment_gold, dtype=float)[order], HUMAN_DIGITS)
        human = {"digits": HUMAN_DIGITS, "values": values}
    return {
        "systems": [evalset.systems[system] for system in order],
        "total": len(evalset.reference),
        "source_language": language.source_language(evalset.pair),
        "target_language": language.target_language(evalset.pair),
        **parts,
        "units": case_studies.units(evalset),
        # What is alike stands together, and packs well.
        "texts": list(map(list, zip(source, evalset.reference, *hypotheses, strict=True))),
        "human": human,
        "columns": list(columns.values()),
        "difficulties": [
            {
                "label": one.label,
                "unit": one.unit,
                "digits": digits_of(one.values),
                "means": whole(one.means, digits_of(one.values)),
                "values": whole(one.values[order], digits_of(one.values))
                if one.unit == "hypothesis"
                else None,
            }
            for one in known
        ],
        "thresholds": thresholds,
        "rankings": rankings,
        "moves": list(names.values()),
        "influence": {
            str(segment): [_influence(moved, segment, order) for moved in moves.values()]
            for segment in sorted(told)
            if moves
        },
        # In the list of segments: what leaving each out adds to r of the first metric.
        "listed": [
            {
                "label": f"Δr of {names[key]} without it",
                "digits": MOVE_DIGITS,
                "values": whole(moved.correlations.pearson, MOVE_DIGITS),
            }
            for key, moved in moves.items()
            if key[0] == next(iter(moves))[0] and key[1] in listed
        ],
        "links": _links(files, known, order),
        "tokens_of": _reference_tokens(evalset, scores, known, settings),
        "errors": _errors(evalset, files, order),
    }


def _difficulties(
    described: dict[str, Any], scores: SetScores, systems: int
) -> Iterator[Difficulty]:
    """The difficulties that are there; those of tokens with the matches of the first encoder."""
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
        yield Difficulty(name, entry["unit"], entry["uses_gold"], values)


def _influence(moved: Influence, segment: int, order: np.ndarray) -> dict[str, Any]:
    """What leaving a segment out adds to each correlation, None for NaN; and systems, as places in
    `order`, that change their rank: [place, rank, rank without]."""
    added = [float(values[segment]) for values in moved.correlations]
    return {
        "added": [round(value, 5) if np.isfinite(value) else None for value in added],
        "ranks": [
            [place, int(moved.ranks[system]), int(moved.ranks[system] + change)]
            for place, system in enumerate(order)
            if (change := moved.changes[system, segment]) and np.isfinite(change)
        ],
    }


def _links(files: SetFiles, known: list[Difficulty], order: np.ndarray) -> dict[str, Any] | None:
    """The links of the first difficulty that keeps them, None without any: `label` of the
    difficulty; `links`, for each segment one text for each system, in the order of the page, with a
    character for each token of the hypothesis, see NO_LINK."""
    for one in known:
        arrays = files.optional(f"difficulty/{one.name}.npz") or {}
        if {"links", "lengths"} <= arrays.keys():
            text = "".join(map(chr, (arrays["links"] + NO_LINK + 1).tolist()))
            lengths = arrays["lengths"]
            ends = np.cumsum(lengths).reshape(lengths.shape)
            spans = np.stack([ends - lengths, ends], axis=-1)[order].transpose(1, 0, 2).tolist()
            links = [[text[start:end] for start, end in row] for row in spans]
            return {"label": one.label, "links": links}
    return None


def _reference_tokens(
    evalset: EvaluationSet, scores: SetScores, known: list[Difficulty], settings: dict[str, Any]
) -> dict[str, Any] | None:
    """References in tokens with their difficulty, the first of the set's; None without any. `name`
    of the encoder; `difficulty`; `hard`, from which a token is of the set's most difficult, `low`
    and `high`, all in hundredths; `of` each segment the lengths in characters and the difficulties
    in hundredths, by turns, of the reference's pieces, None for what is no token."""
    first = next((one for one in known if one.unit == "token"), None)
    if first is None or not scores.parts[0].matches.reference_lengths.any():
        return None
    part = scores.parts[0]
    lengths, offsets = part.matches.reference_lengths, part.matches.reference_offsets
    values = scores.token_difficulty(first.name, part, np.arange(len(evalset.systems))).mean(axis=0)
    low, hard = np.quantile(values, [0.05, 1 - case_studies.MARKED_SHARE])
    of = []
    for text, end, size in zip(evalset.reference, np.cumsum(lengths), lengths, strict=True):
        own = slice(end - size, end)
        # White space before the first token is part of the reference, not of what was encoded.
        before = text[: len(text) - len(text.lstrip())]
        pieces = [(before, None), *difficulty_pieces(text.strip(), offsets[own], values[own])]
        of.append([part for piece, value in pieces if piece for part in (len(piece), value)])
    file = settings["matches"][part.metrics[0]]
    return {
        "name": file.removeprefix("matches/").removesuffix(".npz"),
        "difficulty": first.label,
        "of": of,
        "low": round(100 * float(low)),
        "hard": round(100 * float(hard)),
        "high": round(100 * float(values.max())),
    }


def difficulty_pieces(
    sentence: str, offsets: np.ndarray, difficulty: np.ndarray
) -> list[tuple[str, int | None]]:
    """A reference, stripped, cut into its tokens (offsets, (tokens, 2)), each with its difficulty,
    (tokens,), in hundredths; texts that join to the sentence, None for what belongs to no token."""
    spans = [
        (max(start, 0), end, round(100 * float(value)))
        for (start, end), value in zip(offsets.tolist(), difficulty, strict=True)
    ]
    return case_studies.cut(sentence, spans, None)


def _errors(evalset: EvaluationSet, files: SetFiles, order: np.ndarray) -> dict[str, Any] | None:
    """Errors that raters marked in hypotheses; None of a set without ratings. `raters`,
    `severities` and `categories`, the names of those that occur; `of`, for each segment a list for
    each rating: place of the system on the page, of the rater, and errors `[start, end, severity,
    category, whether it is in the source]`, with offsets of characters and places of names."""
    ratings = files.optional("ratings.json")
    if not ratings:
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
                spans = [
                    [
                        error["start"],
                        error["end"],
                        place("severities", error.get("severity")),
                        place("categories", error.get("category")),
                        int(error.get("is_source_error", False)),
                    ]
                    for error in errors
                ]
                rows[segment].append([at, place("raters", rater), spans])
    return {kind: list(distinct) for kind, distinct in names.items()} | {"of": rows}


def explain(evalset: EvaluationSet, files: SetFiles, names: list[str]) -> dict[str, Any] | None:
    """The segment whose short hypotheses differ most in the first difficulty (of `names`) that has
    chunks; None where there is no such difficulty or segment. `segment` is from 1, `shortest` and
    `longest` in tokens; of `hypotheses`, that of many chunks first: `pieces` as from
    `chunk_pieces`, `sizes` of its chunks, their `terms` -n/N log10(n/N), which add up to `sum`."""
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
