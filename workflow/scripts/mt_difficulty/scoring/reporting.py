"""Report on scored texts: the hardest segments, scores with intervals, comparisons of systems."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from tqdm import tqdm

from ..data.language import default_units, tokenize
from ..data.own_files import UNDETERMINED
from ..evidence.units import DOCUMENTS, units_of
from ..statistics import STATISTICS
from ..storage import Content
from .comparing import (
    ALPHA,
    LEVEL,
    Draws,
    default_resamples,
    describe_score,
    draw,
    few_resamples,
    needed_resamples,
)
from .parameters import MOST_RESAMPLES
from .texts import DELAY, TOKEN_DIFFICULTY, ScoredTexts, printed

NOT_TESTED = "not tested"
MOST_TOKENS = 5  # difficult tokens of a segment that are listed
# Cells of a system's row under a weighting without scores.
NO_SCORE: Content = {
    "score": np.nan,
    "low": np.nan,
    "high": np.nan,
    "rank": None,
    "better_than": None,
    "effective_segments": np.nan,
    "effective_documents": np.nan,
    "higher_is_better": None,
    "signature": None,
}


def text_report(
    texts: ScoredTexts, top: int, hypotheses: int = 0, *, within_length: bool = False
) -> Content:
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
    report: Content = {
        "reference": evalset.reference_name,
        "language": language if language != UNDETERMINED else None,
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
    excess = means
    if within_length:
        excess = means - _mean_of_similar(means, lengths)
    order = np.argsort(-excess, kind="stable")[:top]
    easiest = 0 if texts.values.min() >= 0 else -np.inf
    list_tokens = _difficult_tokens(texts) if top else None
    report["with_length"] = float(STATISTICS["spearman"]()(means, lengths))
    for segment in order[means[order] > easiest].tolist():
        row = _hard_segment(texts, segment, hypotheses)
        row["excess"] = float(excess[segment]) if within_length else None
        row["length"] = int(lengths[segment])
        row["document"] = evalset.documents[segment] if evalset.documents else None
        row["tokens"] = list_tokens(segment) if list_tokens else None
        report["hard_segments"].append(row)
    return report


def _mean_of_similar(means: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return, for each segment, the mean of `means` over its tenth of the segments by length;
    segments of equal length are in one tenth."""
    shorter = np.searchsorted(np.sort(lengths), lengths, side="left")
    tenth = shorter * 10 // len(lengths)
    sums = np.bincount(tenth, means)
    counts = np.bincount(tenth)
    return sums[tenth] / counts[tenth]


def _hard_segment(texts: ScoredTexts, segment: int, hypotheses: int) -> Content:
    """Return a segment with its difficulty, texts and the hardest of its hypotheses."""
    evalset = texts.evalset
    h = texts.difficulty.get("h", np.nan)
    assert texts.values is not None
    difficulties = texts.values[:, segment]
    hardest = np.argsort(-difficulties, kind="stable")[:hypotheses]
    return {
        "segment": segment + 1,
        "difficulty": float(difficulties.mean()),
        "difficult_systems": None if np.isnan(h) else int((difficulties >= h).sum()),
        "source": evalset.source[segment] if evalset.source else None,
        "reference": evalset.reference[segment],
        "hypotheses": [
            {
                "system": evalset.systems[system],
                "difficulty": float(difficulties[system]),
                "hypothesis": evalset.hypotheses[system][segment],
            }
            for system in hardest
        ],
    }


def _difficult_tokens(texts: ScoredTexts) -> Callable[[int], list[Content]] | None:
    """Return a function that lists a segment's most difficult reference tokens, each once; None
    without an encoder."""
    part = next(iter(texts.scored.parts), None)
    if part is None:
        return None
    everyone = np.arange(len(texts.evalset.systems))
    difficulty = texts.scored.token_difficulty(TOKEN_DIFFICULTY, part, everyone)[0]

    def list_tokens(segment: int) -> list[Content]:
        """Return the text and difficulty of a segment's most difficult reference tokens."""
        text = texts.evalset.reference[segment].strip()
        highest: dict[str, float] = {}
        tokens = np.flatnonzero(part.matches.reference_segment == segment)
        for token in tokens[np.argsort(-difficulty[tokens], kind="stable")]:
            start, end = part.matches.reference_offsets[token]
            highest.setdefault(text[start:end], float(difficulty[token]))
        hardest = list(highest.items())[:MOST_TOKENS]
        return [{"token": token, "difficulty": value} for token, value in hardest]

    return list_tokens


def score_report(
    texts: ScoredTexts, top: int, resamples: int | None, seed: int, unit: str = DOCUMENTS
) -> Content:
    """Report as `text_report` does, and add scores of systems and comparisons between them.

    Parameters
    ----------
    texts : ScoredTexts
    top : int
        How many of the hardest segments to list.
    resamples : int, optional
        Number of resamples, by default `default_resamples`; 0 for no intervals and comparisons.
    seed : int
    unit : {"documents", "segments"}
        What is resampled where documents are known.

    Returns
    -------
    dict
        The keys of `text_report`, and `scores`, `comparisons`, `tested`, `resamples`, `seed`,
        `level`, `unit` and `units` (their number), and `resampled`, both as text. `tested` says
        whether a difference between two systems could have been significant;
        None without comparisons.
    """
    systems = texts.evalset.systems
    segments = len(texts.evalset.reference)
    if resamples is None:
        resamples = default_resamples(len(systems))
    units = units_of(texts.evalset.documents, segments, unit)
    draws = draw(units, resamples if segments > 1 else 0, seed)
    drawn = len(draws.weights)
    notices = [*texts.notices, *few_resamples(drawn)]
    if segments == 1:
        notices.append("one segment alone: no intervals and no comparisons.")
    pairs = len(systems) * (len(systems) - 1) // 2
    tested = None
    if drawn and pairs:
        tested = drawn >= needed_resamples(pairs)
        if not tested:
            notices.append(_too_few_to_test(drawn, pairs))
        elif math.log2(2 * pairs / ALPHA) >= units.size:
            tested = False
            notices.append(
                f"{units.size} {units.kind} can be exchanged in too few ways to test {pairs:,} "
                f"pairs of systems: a corrected p cannot be below {ALPHA}. Whether a system is "
                "better than another is not tested; compare fewer systems or more texts."
            )
    rows, comparisons, score_notices = _score_rows(texts, draws, tested=bool(tested))
    return {
        **text_report(texts, top),
        "resamples": resamples,
        "seed": seed,
        "level": LEVEL,
        "unit": units.kind,
        "units": units.size,
        "resampled": units.text,
        "tested": tested,
        "scores": rows,
        "comparisons": comparisons,
        "notices": list(dict.fromkeys([*notices, *score_notices])),
    }


def _too_few_to_test(resamples: int, pairs: int) -> str:
    """Return a warning that no difference between systems could be significant."""
    needed = needed_resamples(pairs)
    remedy = f"{needed:,} resamples or more are needed (resamples)."
    if needed > MOST_RESAMPLES:
        remedy = f"{MOST_RESAMPLES:,} would be too few, too: compare fewer systems."
    return (
        f"{resamples:,} resamples are too few to test {pairs:,} pairs of systems: a corrected p "
        f"cannot be below {ALPHA}. Whether a system is better than another is not tested; "
        f"{remedy}"
    )


def _score_rows(
    texts: ScoredTexts, draws: Draws, *, tested: bool
) -> tuple[list[Content], list[Content], list[str]]:
    """Return rows of scores and of comparisons under every metric and weighting, and notices.
    Without `tested` rows do not say which systems are better."""
    scored = texts.scored
    systems = texts.evalset.systems
    rows: list[Content] = []
    comparisons: list[Content] = []
    notices: list[str] = []
    keys_with_scores = [key for key in texts.keys if key not in scored.missing]
    weighteds = scored.of(np.arange(len(systems)), keys_with_scores)
    signatures = scored.signatures
    for key in tqdm(texts.keys, desc="intervals", leave=False, delay=DELAY, disable=None):
        metric, weighting = key
        entry = scored.weightings.get(weighting, {"difficulty": "", "notices": []})
        measure: Content = {
            "metric": metric,
            "weighting": weighting,
            "difficulty": entry["difficulty"],
        }
        if key in scored.missing:
            rows += [{"system": system, **measure, **NO_SCORE} for system in systems]
            notices.append(f"no {metric} scores under {weighting}: {scored.missing[key]}")
            continue
        key_rows, key_comparisons, warnings = describe_score(
            weighteds[key], systems, draws, texts.evalset.documents
        )
        if not tested:
            key_rows = [row | {"better_than": None} for row in key_rows]
            key_comparisons = [pair | {"p_holm": np.nan} for pair in key_comparisons]
        rows += [{**row, **measure, "signature": signatures[key]} for row in key_rows]
        comparisons += [measure | pair for pair in key_comparisons]
        notices += entry["notices"]
        notices += [f"{metric} under {weighting}: {warning}" for warning in warnings]
    return rows, comparisons, notices


def better_than(systems: Sequence[str] | None, ranks: Mapping[str, int] | None = None) -> str:
    """Return the systems that one is better than as text: names or, with `ranks`, `1, 3-4`."""
    if systems is None:
        return NOT_TESTED
    if ranks is None:
        return ", ".join(systems)
    beaten = np.sort([ranks[name] for name in systems])
    runs = np.split(beaten, np.flatnonzero(np.diff(beaten) > 1) + 1)
    parts = []
    for run in runs:
        if len(run) == 1:
            parts.append(str(run[0]))
        elif len(run):
            parts.append(f"{run[0]}-{run[-1]}")
    return ", ".join(parts)


def measured(report: Content) -> str:
    """Return the display name of the difficulty estimator that ranks the hardest segments."""
    difficulty = report["difficulty"]
    name = printed(difficulty["name"])
    return f"mean {name}" if difficulty["unit"] == "hypothesis" else name
