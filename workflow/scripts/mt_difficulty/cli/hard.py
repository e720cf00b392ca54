"""`mt-difficulty hard`: the segments and tokens that are difficult."""

import argparse
from collections.abc import Callable

import numpy as np

from .. import __version__
from ..weighting import groups as group_weighting
from ..weighting import tokens as token_weighting
from . import note, output
from .texts import UNDETERMINED, Prepared, prepare

TOKENS = 5  # difficult tokens shown of a segment


def run(arguments: argparse.Namespace) -> int:
    """Print the hardest segments."""
    prepared = prepare(arguments)
    report = describe_texts(prepared) | {"hard_segments": hardest(prepared, arguments.top)}
    for notice in report["notices"]:
        note(notice)
    output.write(report, arguments.format)
    return 0


def describe_texts(prepared: Prepared) -> dict:
    """What every report begins with: the texts, and h and w."""
    evalset = prepared.evalset
    language = evalset.pair.removeprefix("xx-")
    return {
        "version": __version__,
        "reference": evalset.reference_name,
        "language": None if language == UNDETERMINED else language,
        "systems": evalset.systems,
        "segments": len(evalset.reference),
        "difficulty": prepared.difficulty,
        "notices": prepared.notices + prepared.difficulty["notices"],
    }


def hardest(prepared: Prepared, top: int) -> list[dict]:
    """The segments of highest mean chunk entropy, highest first; equal ones in order.

    Segments of mean entropy 0, which every system has in one piece, are never among them.
    """
    evalset, entropy = prepared.evalset, prepared.alignment["entropy"]
    means = group_weighting.mean_entropy(entropy)
    difficult = (entropy >= prepared.difficulty["h"]).sum(axis=0)
    order = np.argsort(-means, kind="stable")[:top]
    tokens = difficult_tokens(prepared)
    return [
        {
            "segment": int(i) + 1,
            "entropy": means[i],
            "difficult_systems": int(difficult[i]),
            "source": evalset.source[i] if evalset.source else None,
            "reference": evalset.reference[i],
            "tokens": tokens(i),
        }
        for i in order
        if means[i] > 0
    ]


def difficult_tokens(prepared: Prepared) -> Callable:
    """A function from a segment to its most difficult reference tokens, the highest first, each
    token once; to None without an encoder."""
    if prepared.matches is None:
        return lambda segment: None
    matches, _ = token_weighting.rescaled_matches(prepared.matches)
    difficulty = token_weighting.token_difficulty(matches.reference_similarity)[0]
    ends = np.cumsum(matches.reference_lengths)

    def of_segment(segment: int) -> list[dict]:
        text = prepared.evalset.reference[segment].strip()
        own = np.arange(ends[segment] - matches.reference_lengths[segment], ends[segment])
        found: dict[str, float] = {}
        for token in own[np.argsort(-difficulty[own], kind="stable")]:
            start, end = matches.reference_offsets[token]
            found.setdefault(text[start:end], difficulty[token])
        return [
            {"token": token, "difficulty": value} for token, value in list(found.items())[:TOKENS]
        ]

    return of_segment
