"""How long a set's steps take, and how much memory and disk: sizes times constants.

The constants were measured on two cores of an AMD EPYC on WMT19 En→De (22 systems × 1,997
segments), WMT21 En→De, En→Zh and TED En→De. They are right within a factor of two or so (TER of
long segments, of three); the basis is printed beside every estimate.
"""

from typing import NamedTuple

from ..data.evalset import EvaluationSet
from ..data.language import default_units, tokenize

JOB = 1.0  # s: a job's start and imports
ALIGNED = ("chunk_entropy",)  # difficulties that are made from alignments; others cost little
ALIGN_CELL = 80e-9  # s per pair of a hypothesis's and its reference's tokens, two threads
ALIGN_CELL_BYTES = 80  # two systems at a time
BLEU_TOKEN = 5e-6  # s per token
WNM_TOKEN = 4e-6  # s per token
CHRF_CHARACTER = 0.75e-6  # s per character
METEOR_START, METEOR_TOKEN = 2.0, 7e-6  # s to load WordNet, s per token
TER_CELL_TOKEN = 0.015e-6  # s per hypothesis token, and token again, and reference token
PIECE_BYTES = 3  # UTF-8 bytes a word piece (MiniLM on German: 2.9)
# s per piece and weight of a layer that is used, float32: MiniLM's 6 layers of 12 · 384² weights
# take 183 µs a piece.
PIECE_WEIGHT = 183e-6 / (6 * 12 * 384**2)
PIECE_RESULT_BYTES = 19  # in matches/<encoder>.npz
TORCH_GIGABYTES = 0.7
BASE_WIDTH, LARGE_WIDTH = 768, 1024  # assumed of an encoder that is not here yet
# s of the statistics beside every correlation: to begin with, and per resample and score (a
# metric's under a weighting), whatever the sizes, per segment, and per system²; without random
# subsets, of which only those that a paper prints are resampled.
TEST_START, TEST_SCORE, TEST_SEGMENT, TEST_PAIR = 2.0, 30e-6, 35e-9, 30e-9
COMPARE_SYSTEM = 2e-6  # without human scores: intervals of the systems' scores alone
# s of the controls: to begin with, and per score and hypothesis, for 1,000 draws.
CONTROL_START, CONTROL_HYPOTHESIS = 1.5, 20e-6
# s of the statistics of the metrics task: to begin with, per score, and per resample, pair of
# scores and pair of systems.
COMPARE_START, COMPARE_SCORE, COMPARE_TEST = 2.0, 0.2, 13e-9
GIGABYTE = 1e9
STATISTICS_BYTES = {
    "bleu": 80,
    "chrf": 8,
    "meteor": 8,
    "ter": 16,
    "bertscore": 24 + 41,
    "stored": 8,
    "wnm": 16,
}


class Size(NamedTuple):
    """What costs depend on; tokens are characters where the language has no spaces."""

    systems: int
    segments: int
    tokens: int
    characters: int
    bytes: int
    cells: int  # Σ hypothesis tokens · reference tokens
    cell_tokens: int  # Σ hypothesis tokens² · reference tokens


class Step(NamedTuple):
    """A step's seconds, gigabytes of memory, and what the estimate is from."""

    name: str
    seconds: float
    memory: float
    basis: str


def measure(evalset: EvaluationSet) -> Size:
    """The size of an evaluation set's texts."""
    units = default_units(evalset.pair, evalset.reference)
    reference = [len(tokens) for tokens in tokenize(evalset.reference, units)]
    pairs = [
        (len(tokens), length)
        for system in evalset.hypotheses
        for tokens, length in zip(tokenize(system, units), reference, strict=True)
    ]
    texts = [segment for system in evalset.hypotheses for segment in system]
    return Size(
        systems=len(evalset.systems),
        segments=len(reference),
        tokens=sum(m for m, _ in pairs),
        characters=sum(map(len, texts)),
        bytes=sum(len(text.encode()) for text in texts),
        cells=sum(m * n for m, n in pairs),
        cell_tokens=sum(m * m * n for m, n in pairs),
    )


def steps(
    size: Size,
    difficulties: dict[str, str],
    metrics: dict[str, str],
    encoders: dict[str, dict],
    scores: int,
    resamples: int,
    gold: bool = True,
) -> list[Step]:
    """The steps of an evaluation set that cost something.

    Parameters
    ----------
    size : Size
    difficulties, metrics : dict
        Type by name.
    encoders : dict
        By name: `layer`, `width` (None: not known) and `weights` (bytes of its files).
    scores : int
        Metrics under weightings.
    resamples : int
        Of the statistics beside every correlation.
    gold : bool
        Whether there are human scores to correlate with.

    Returns
    -------
    list of Step
    """
    found = [align_step(name, size) for name, kind in difficulties.items() if kind in ALIGNED]
    found += [score_step(name, kind, size) for name, kind in metrics.items()]
    found += [match_step(name, size, **settings) for name, settings in encoders.items()]
    return found + resample_steps(resamples, scores, size, gold)


def resample_steps(resamples: int, scores: int, size: Size, gold: bool) -> list[Step]:
    """Intervals and tests, and controls, of scores: metrics × weightings."""
    start, cost = JOB, COMPARE_SYSTEM * size.systems
    if gold:
        of_texts = TEST_SEGMENT * size.segments + TEST_PAIR * size.systems**2
        start, cost = TEST_START, TEST_SCORE + of_texts
    basis = f"{start:.0f} s + {1e6 * cost:.0f} µs × {short(resamples)} resamples × {scores} scores"
    found = [Step("assess_correlations", start + cost * resamples * scores, 0.5, basis)]
    hypotheses = size.systems * size.segments
    controls = CONTROL_START + CONTROL_HYPOTHESIS * scores * hypotheses
    basis = f"1.5 s + 20 µs × {scores} scores × {short(hypotheses)} hypotheses"
    found += [Step("control_weightings", controls, 0.4, basis)] * gold
    return found + [compare_step(size, scores, resamples)] * gold


def compare_step(size: Size, scores: int, resamples: int) -> Step:
    """Statistics of the metrics task, with tests between all pairs of scores."""
    tests = resamples * scores * (scores - 1) / 2 * size.systems * (size.systems - 1) / 2
    start = COMPARE_START + COMPARE_SCORE * scores
    basis = f"{start:.0f} s + {1e9 * COMPARE_TEST:.0f} ns × {short(tests)} pairs of pairs"
    return Step("compare_metrics", start + COMPARE_TEST * tests, 0.5, basis)


def align_step(name: str, size: Size) -> Step:
    """A difficulty from alignments of hypotheses."""
    per_system = size.cells / size.systems
    return Step(
        f"estimate_difficulty {name}",
        JOB + ALIGN_CELL * size.cells,
        0.2 + ALIGN_CELL_BYTES * per_system / GIGABYTE,
        f"{1e9 * ALIGN_CELL:.0f} ns × {short(size.cells)} pairs of tokens",
    )


def score_step(name: str, kind: str, size: Size) -> Step:
    """A metric's statistics."""
    start, cost, unit, count = {
        "bleu": (0, BLEU_TOKEN, "tokens", size.tokens),
        "chrf": (0, CHRF_CHARACTER, "characters", size.characters),
        "meteor": (METEOR_START, METEOR_TOKEN, "tokens", size.tokens),
        "wnm": (0, WNM_TOKEN, "tokens", size.tokens),
        "ter": (0, TER_CELL_TOKEN, "hypothesis² · reference tokens", size.cell_tokens),
    }.get(kind, (0, 0, "", 0))
    basis = f"{1e6 * cost:.3g} µs × {short(count)} {unit}" if count else "a job's start"
    return Step(f"score_segments {name}", JOB + start + cost * count, 0.3, basis)


def match_step(name: str, size: Size, layer: int, width: int | None, weights: int | None) -> Step:
    """An encoder's pass over the texts."""
    pieces, assumed = size.bytes / PIECE_BYTES, ""
    if not width:
        width = BASE_WIDTH if "base" in name else LARGE_WIDTH
        assumed = f", {width} wide assumed"
    used = layer * 12 * width**2
    return Step(
        f"match_tokens {name}",
        5 * JOB + PIECE_WEIGHT * used * pieces,
        TORCH_GIGABYTES + (weights or 4 * used) / GIGABYTE,
        f"{1e12 * PIECE_WEIGHT:.0f} ps × {short(pieces)} word pieces × {short(used)} weights "
        f"(CPU{assumed})",
    )


def disk(size: Size, metrics: dict[str, str], encoders: dict[str, dict]) -> float:
    """Gigabytes of a set's results."""
    pieces = size.bytes / PIECE_BYTES
    hypotheses = size.systems * size.segments
    statistics = sum(STATISTICS_BYTES.get(kind, 8) for kind in metrics.values()) * hypotheses
    texts = size.bytes * 1.2 + 5 * size.tokens  # evalset.json, links
    return (texts + statistics + PIECE_RESULT_BYTES * pieces * len(encoders)) / GIGABYTE


def short(count: float) -> str:
    """A count in thousands or millions."""
    if count < 1e4:
        return f"{count:.0f}"
    return f"{count / 1e3:.0f} k" if count < 1e6 else f"{count / 1e6:.1f} M"
