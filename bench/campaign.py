"""A campaign of any size in the archive's layout, to measure what steps cost.

Words follow Zipf's law; a reference is a random text, and a hypothesis is the reference with words
replaced, dropped and exchanged, the more the worse the system and the harder the segment. Human
scores count these errors, with noise.
"""

import zlib
from pathlib import Path

import numpy as np

VOCABULARY = 20_000
LENGTH, SPREAD = 21, 0.5  # mean tokens a segment (WMT19 En-De: 20.9), and deviation of their log
LETTERS = 5.5  # mean letters a word, frequent ones less
DOCUMENT = 20  # segments a document
WORST, BEST = 0.45, 0.05  # share of errors
NOISE = 0.5  # standard deviation of human scores, in errors


def words(rng):
    """Words, frequent ones shorter; a few are alike."""
    lengths = 1 + rng.poisson(LETTERS * np.linspace(0.8, 1.2, VOCABULARY))
    letters = np.array(list("etaoinshrdlucmfw"))[rng.integers(16, size=(VOCABULARY, lengths.max()))]
    return np.array(["".join(row[:n]) for row, n in zip(letters, lengths, strict=True)])


def draw(size, rng):
    """Indices of words by Zipf's law."""
    share = 1 / np.arange(1, VOCABULARY + 1)
    return np.searchsorted(np.cumsum(share / share.sum()), rng.random(size)).clip(0, VOCABULARY - 1)


def spoil(tokens, segment, rate, rng):
    """A hypothesis: tokens and their segments, and the errors of each segment.

    Parameters
    ----------
    tokens, segment : ndarray, (tokens,)
    rate : ndarray, (segments,)
        Share of tokens that are wrong.
    """
    wrong = rng.random(tokens.size) < rate[segment]
    tokens = np.where(wrong, draw(tokens.size, rng), tokens)
    # A third of the errors exchange a token with the one before it, a third drop it.
    kind = rng.integers(3, size=tokens.size)
    second = np.flatnonzero(wrong & (kind == 1) & (np.diff(segment, prepend=-1) == 0))
    tokens[second], tokens[second - 1] = tokens[second - 1], tokens[second].copy()
    kept = ~(wrong & (kind == 2)) | (np.diff(segment, prepend=-1) != 0)
    return tokens[kept], segment[kept], np.bincount(segment, wrong, rate.size)


def write_lines(path, tokens, segment, segments):
    """Write a text, a segment a line."""
    ends = np.cumsum(np.bincount(segment, minlength=segments))
    lines = [" ".join(part) for part in np.split(tokens, ends[:-1])]
    write(path, lines)


def write(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def generate(folder, pair, systems, segments, seed=1):
    """Write one language pair of a campaign.

    Parameters
    ----------
    folder : path
        The campaign's.
    pair : str
    systems, segments : int
    seed : int
    """
    rng = np.random.default_rng([seed, zlib.crc32(pair.encode())])
    folder, vocabulary = Path(folder), words(rng)
    mean = np.log(LENGTH) - SPREAD**2 / 2
    lengths = np.maximum(2, rng.lognormal(mean, SPREAD, segments).round().astype(int))
    segment = np.repeat(np.arange(segments), lengths)
    reference = draw(segment.size, rng)
    source = np.char.add(vocabulary[reference], "o")
    write_lines(folder / f"sources/{pair}.txt", source, segment, segments)
    write_lines(folder / f"references/{pair}.refA.txt", vocabulary[reference], segment, segments)
    documents = [f"news\tdocument{i // DOCUMENT}" for i in range(segments)]
    write(folder / f"documents/{pair}.docs", documents)
    hard, scores = rng.beta(2, 4, segments), {}
    for number, share in enumerate(np.linspace(BEST, WORST, systems)):
        name = f"system{number:03}"
        rate = np.minimum(share * hard / hard.mean(), 0.95)
        tokens, owner, errors = spoil(reference, segment, rate, rng)
        path = folder / f"system-outputs/{pair}/{name}.txt"
        write_lines(path, vocabulary[tokens], owner, segments)
        scores[name] = -np.maximum(0, errors + rng.normal(0, NOISE, segments))
    write_scores(folder / "human-scores", pair, scores)


def write_scores(folder, pair, scores):
    """Write human scores of systems and of segments."""
    of_systems = [f"{name}\t{values.mean():.6f}" for name, values in scores.items()]
    write(folder / f"{pair}.mqm.sys.score", of_systems)
    of_segments = [f"{name}\t{value:.3f}" for name, values in scores.items() for value in values]
    write(folder / f"{pair}.mqm.seg.score", of_segments)
