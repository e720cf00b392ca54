"""The segments and tokens of texts that are difficult."""

from collections.abc import Callable
from functools import cache, partial

import numpy as np

from .. import __version__
from ..data.sources import UNDETERMINED
from ..embedding.matches import rescaled_matches
from .difficulty import Difficulty, find_difficulty, token_difficulty
from .metrics import measure
from .settings import Settings
from .texts import Texts

TOKENS = 5  # difficult tokens shown of a segment


def hardest_report(texts: Texts, arguments: Settings, top: int, hypotheses: int) -> dict:
    """The hardest segments, as `cli/output.py` describes them, each with some hypotheses, those of
    highest difficulty."""
    difficulty = find_difficulty(arguments, texts, cache(partial(measure, texts, arguments)))
    report = describe_texts(texts, difficulty)
    report["hard_segments"] = hardest(texts, difficulty, top, hypotheses)
    return report


def describe_texts(texts: Texts, difficulty: Difficulty) -> dict:
    """What every report begins with: the texts and their difficulty, with h and w where they are
    used."""
    evalset = texts.evalset
    _, language = evalset.pair.split("-")
    about = {"name": difficulty.name, "unit": difficulty.unit, "signature": difficulty.signature}
    about |= (difficulty.groups or {}) | {"notices": difficulty.notices}
    return {
        "version": __version__,
        "reference": evalset.reference_name,
        "language": None if language == UNDETERMINED else language,
        "systems": evalset.systems,
        "segments": len(evalset.reference),
        "difficulty": about,
        "notices": texts.notices + difficulty.notices,
    }


def hardest(texts: Texts, difficulty: Difficulty, top: int, hypotheses: int = 0) -> list[dict]:
    """The segments of highest mean difficulty, highest first; equal ones in order.

    Where no difficulty is below 0, those of 0 are never among them: chunk entropy 0 is a hypothesis
    in one piece.
    """
    evalset, means = texts.evalset, difficulty.means
    h = difficulty.groups["h"] if difficulty.groups else np.nan
    difficult = (difficulty.values >= h).sum(axis=0)
    easiest = 0 if difficulty.values.min() >= 0 else -np.inf
    order = np.argsort(-means, kind="stable")[:top]
    tokens = difficult_tokens(texts)
    return [
        {
            "segment": int(i) + 1,
            "difficulty": means[i],
            "difficult_systems": None if np.isnan(h) else int(difficult[i]),
            "source": evalset.source[i] if evalset.source else None,
            "reference": evalset.reference[i],
            "tokens": tokens(i),
            "hypotheses": hardest_hypotheses(texts, difficulty, int(i), hypotheses),
        }
        for i in order
        if means[i] > easiest
    ]


def hardest_hypotheses(texts: Texts, difficulty: Difficulty, segment: int, most: int) -> list[dict]:
    """Some hypotheses of a segment, the most difficult first; equal ones in the systems' order."""
    evalset, values = texts.evalset, difficulty.values[:, segment]
    return [
        {
            "system": evalset.systems[s],
            "difficulty": values[s],
            "hypothesis": evalset.hypotheses[s][segment],
        }
        for s in np.argsort(-values, kind="stable")[:most]
    ]


def difficult_tokens(texts: Texts) -> Callable:
    """A function from a segment to its most difficult reference tokens, the highest first, each
    token once; to None without an encoder."""
    if texts.matches is None:
        return lambda segment: None
    matches, _ = rescaled_matches(texts.matches)
    (difficulty,) = token_difficulty(texts, matches)
    ends = np.cumsum(matches.reference_lengths)

    def of_segment(segment: int) -> list[dict]:
        text = texts.evalset.reference[segment].strip()
        own = np.arange(ends[segment] - matches.reference_lengths[segment], ends[segment])
        found: dict[str, float] = {}
        for token in own[np.argsort(-difficulty[own], kind="stable")]:
            start, end = matches.reference_offsets[token]
            found.setdefault(text[start:end], difficulty[token])
        return [
            {"token": token, "difficulty": value} for token, value in list(found.items())[:TOKENS]
        ]

    return of_segment
