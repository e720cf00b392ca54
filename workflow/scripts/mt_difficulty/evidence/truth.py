"""Compare estimated with true difficulty where that is known, as in the demo campaign's data."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..data import language
from ..data.evalset import EvaluationSet
from ..difficulty.aligners import exact
from ..difficulty.base import among_hardest
from ..embedding import Matches
from ..scores import ScoredSet


def judge(
    scores: ScoredSet, evalset: EvaluationSet, known: Mapping[str, Any]
) -> tuple[dict[str, float], dict[str, float]]:
    """Score difficulties against `known` hard segments and tokens. Returns, by difficulty of
    segments, the share of hard segments among as many of highest difficulty; and `separation` by
    difficulty of tokens and by the share of systems that miss a token."""
    hard, everything = known["hard_segments"], np.arange(len(evalset.systems))
    tokens = {int(i): [place for place, _ in t] for i, t in known["hard_tokens"].items()}
    reference, pair = evalset.reference, evalset.pair
    missed = missed_share(reference, evalset.hypotheses, pair)
    shares, separations = {}, {"share of systems that miss it": separation(missed, tokens)}
    for name, entry in scores.difficulties.items():
        if entry["unit"] == "token":
            for part in scores.parts[:1]:
                values = scores.token_difficulty(name, part, everything).mean(axis=0)
                of_units = unit_difficulty(reference, part.matches, values, pair)
                separations[name] = separation(of_units, tokens)
        elif not entry["missing"]:
            means = scores.difficulty(name, everything).mean(axis=0)
            shares[name] = float(among_hardest(means, len(hard))[hard].mean())
    return shares, separations


def missed_share(reference: list[str], hypotheses: list[list[str]], pair: str) -> list[np.ndarray]:
    """Compute, for each reference segment, the share of systems whose hypothesis lacks each word
    (or character, depending on the pair's language); `hypotheses` are systems × segments."""
    units = language.default_units(pair, reference)
    tokens = language.tokenize(reference, units)
    # Reference tokens are looked up in the hypothesis, so the arguments are exchanged.
    missed = [exact(language.tokenize(system, units), [tokens])[0] < 0 for system in hypotheses]
    ends = np.cumsum([len(segment) for segment in tokens])
    return np.split(np.mean(missed, axis=0), ends[:-1])


def unit_difficulty(
    reference: list[str], matches: Matches, difficulty: np.ndarray, pair: str
) -> list[np.ndarray]:
    """Compute, for each reference segment, the highest difficulty of the encoder's tokens that
    begin in each word or character; 0 without a token. `difficulty` is (reference tokens,)."""
    words = language.default_units(pair, reference) == "words"
    ends, of_units = np.cumsum(matches.reference_lengths), []
    for segment, end, length in zip(reference, ends, matches.reference_lengths, strict=True):
        visible = ~np.array([character.isspace() for character in segment.strip()], dtype=bool)
        begins = visible & ~np.concatenate([[False], visible[:-1]]) if words else visible
        values = np.zeros(begins.sum())
        starts = matches.reference_offsets[end - length : end, 0]
        np.maximum.at(values, (np.cumsum(begins) - 1)[starts], difficulty[end - length : end])
        of_units.append(values)
    return of_units


def separation(difficulty: list[np.ndarray], hard: dict[int, list[int]]) -> float:
    """Compute the probability that a hard token is more difficult than another token (area under
    the ROC curve): 0.5 is chance, 1 is perfect, ties count one half. `difficulty` and the indices
    of `hard` tokens are by segment."""
    from scipy.stats import mannwhitneyu

    known = [np.isin(np.arange(len(d)), hard.get(i, [])) for i, d in enumerate(difficulty)]
    is_hard, values = np.concatenate(known), np.concatenate(difficulty)
    statistic = mannwhitneyu(values[is_hard], values[~is_hard]).statistic
    return float(statistic / is_hard.sum() / (~is_hard).sum())
