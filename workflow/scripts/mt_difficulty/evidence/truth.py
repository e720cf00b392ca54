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
    """Compare difficulties with the segments and tokens that are known to be hard.

    Parameters
    ----------
    scores : ScoredSet
    evalset : EvaluationSet
    known : mapping
        `hard_segments`, a list of indices, and `hard_tokens`, by segment pairs of a token's index
        and the token.

    Returns
    -------
    shares : dict of str to float
        By difficulty of segments, the share of hard segments among as many of highest difficulty.
    separations : dict of str to float
        `separation` by difficulty of tokens, and of the share of systems that miss a token.
    """
    hard = known["hard_segments"]
    all_systems = np.arange(len(evalset.systems))
    hard_tokens = {}
    for segment, tokens in known["hard_tokens"].items():
        hard_tokens[int(segment)] = [index for index, _ in tokens]
    missed = missed_share(evalset.reference, evalset.hypotheses, evalset.pair)
    shares = {}
    separations = {"share of systems that miss it": separation(missed, hard_tokens)}
    for name, entry in scores.difficulties.items():
        if entry["unit"] == "token":
            for part in scores.parts[:1]:
                values = scores.token_difficulty(name, part, all_systems).mean(axis=0)
                difficulty = unit_difficulty(evalset.reference, part.matches, values, evalset.pair)
                separations[name] = separation(difficulty, hard_tokens)
        elif not entry["missing"]:
            means = scores.difficulty(name, all_systems).mean(axis=0)
            is_chosen = among_hardest(means, len(hard))
            shares[name] = float(is_chosen[hard].mean())
    return shares, separations


def missed_share(reference: list[str], hypotheses: list[list[str]], pair: str) -> list[np.ndarray]:
    """Compute for each word of the reference the share of systems whose hypothesis lacks it.

    Parameters
    ----------
    reference : list of str
    hypotheses : list of list of str
        Systems × segments.
    pair : str
        Language pair, which decides between words and characters.

    Returns
    -------
    list of ndarray
        (words or characters,) by segment.
    """
    units = language.default_units(pair, reference)
    tokens = language.tokenize(reference, units)
    missed = []
    for texts in hypotheses:
        hypothesis_tokens = language.tokenize(texts, units)
        # Reference tokens are looked up in the hypothesis, so the arguments are exchanged.
        links = exact(hypothesis_tokens, [tokens])[0]
        missed.append(links < 0)
    share = np.mean(missed, axis=0)
    ends = np.cumsum([len(segment) for segment in tokens])
    return np.split(share, ends[:-1])


def unit_difficulty(
    reference: list[str], matches: Matches, difficulty: np.ndarray, pair: str
) -> list[np.ndarray]:
    """Compute for each word of the reference the highest difficulty of the encoder's tokens in it.

    Parameters
    ----------
    reference : list of str
    matches : Matches
    difficulty : ndarray
        (reference tokens,), higher is harder.
    pair : str
        Language pair, which decides between words and characters.

    Returns
    -------
    list of ndarray
        (words or characters,) by segment; 0 where no token begins.
    """
    words = language.default_units(pair, reference) == "words"
    ends = np.cumsum(matches.reference_lengths)
    units = []
    for segment, end, length in zip(reference, ends, matches.reference_lengths, strict=True):
        is_space = np.array([character.isspace() for character in segment.strip()], dtype=bool)
        begins = ~is_space
        if words:
            follows_space = np.concatenate([[True], is_space[:-1]])
            begins = begins & follows_space
        # The unit of every character, and of the tokens that start there.
        unit_of_character = np.cumsum(begins) - 1
        tokens = slice(end - length, end)
        starts = matches.reference_offsets[tokens, 0]
        values = np.zeros(begins.sum())
        np.maximum.at(values, unit_of_character[starts], difficulty[tokens])
        units.append(values)
    return units


def separation(difficulty: list[np.ndarray], hard: dict[int, list[int]]) -> float:
    """Compute the probability that a hard token is more difficult than another token (area under
    the ROC curve): 0.5 is chance, 1 is perfect, ties count one half. `difficulty` and the indices
    of `hard` tokens are by segment."""
    import pandas as pd

    masks = []
    for segment, tokens in enumerate(difficulty):
        index = np.arange(len(tokens))
        masks.append(np.isin(index, hard.get(segment, [])))
    is_hard = np.concatenate(masks)
    values = np.concatenate(difficulty)
    hard_count = np.count_nonzero(is_hard)
    other_count = len(values) - hard_count
    # Mann and Whitney's U. (`scipy.stats`, which computes it, takes a second to import.)
    rank_sum = pd.Series(values).rank().to_numpy()[is_hard].sum()
    pairs_won = rank_sum - hard_count * (hard_count + 1) / 2
    return float(pairs_won / hard_count / other_count)
