"""How well difficulty is found where it is known, as in the demo campaign."""

import numpy as np

from ..data import language
from ..difficulty.aligners import exact
from ..embedding.matches import Matches


def found_share(means: np.ndarray, hard: list[int]) -> float:
    """Share, 0 to 1, of the segments `hard`, hard by construction, that are among as many segments
    of highest mean difficulty, (segments,)."""
    highest = np.argsort(-means, kind="stable")[: len(hard)]
    return np.isin(hard, highest).mean()


def missed_share(reference: list[str], hypotheses: list[list[str]], pair: str) -> list[np.ndarray]:
    """By reference segment, the share of the systems that do not have each of its tokens at all,
    (tokens of the segment,); `hypotheses` are systems × segments, `pair` says whether tokens are
    words or characters."""
    units = language.default_units(pair, reference)
    tokens = language.tokenize(reference, units)
    # Reference tokens are looked up in the hypothesis, so the two change sides.
    missed = [
        exact.align(language.tokenize(system, units), [tokens])[0] < 0 for system in hypotheses
    ]
    ends = np.cumsum([len(segment) for segment in tokens])
    return np.split(np.mean(missed, axis=0), ends[:-1])


def unit_difficulty(
    reference: list[str], matches: Matches, difficulty: np.ndarray, pair: str
) -> list[np.ndarray]:
    """Difficulty of words, or characters, from that of the encoder's tokens, (reference tokens,):
    by reference segment the highest of each unit, 0 for one without a token."""
    words = language.default_units(pair, reference) == "words"
    ends = np.cumsum(matches.reference_lengths)
    found = []
    for segment, end, length in zip(reference, ends, matches.reference_lengths, strict=True):
        visible = ~np.array([character.isspace() for character in segment.strip()], dtype=bool)
        begins = visible & ~np.concatenate([[False], visible[:-1]]) if words else visible
        unit = np.cumsum(begins) - 1
        values = np.zeros(begins.sum())
        starts = matches.reference_offsets[end - length : end, 0]
        np.maximum.at(values, unit[starts], difficulty[end - length : end])
        found.append(values)
    return found


def separation(missed: list[np.ndarray], hard_tokens: dict[int, list[int]]) -> float:
    """Probability that a hard token is more difficult than another token: 0.5 is chance, 1 is
    perfect; ties count one half (area under the ROC curve). Difficulties are by segment, as from
    `missed_share`, and so are the indices of hard tokens."""
    hard = np.concatenate(
        [np.isin(np.arange(len(m)), hard_tokens.get(i, [])) for i, m in enumerate(missed)]
    )
    values = np.concatenate(missed)
    others = np.sort(values[~hard])
    below, up_to = (np.searchsorted(others, values[hard], side) for side in ("left", "right"))
    return float((below + up_to).mean() / 2 / others.size)
