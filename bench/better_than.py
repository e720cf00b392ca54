"""How often `score` calls a system better than an equal one: simulated systems and segments.

`.venv/bin/python bench/better_than.py` prints the tables of docs/statistics.md, in ten minutes.
The resamples are those that `score` draws by default for so many systems.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "workflow/scripts"))

from mt_difficulty.evidence import resampling
from mt_difficulty.evidence.units import single_segments
from mt_difficulty.metrics.base import Metric
from mt_difficulty.scoring.comparing import Draws, default_resamples, describe_score
from mt_difficulty.weighting.base import WeightedMetric

# How the scores of segments are distributed, besides their mean.
NORMAL, SKEWED, FAILURES = "normal", "half of the systems skewed", "half with rare failures"


def false_statements(
    systems: int,
    segments: int,
    ee: bool,
    samples: int,
    resamples: int | None = None,
    scores: str = NORMAL,
    seed: int = 1,
) -> float:
    """Return how often one of some equal systems is called better than another.

    Half of the variance of normal scores and of difficulties is the segment's. EE has Eq. 9's
    threshold: about 5 % of the hypotheses are difficult.

    Parameters
    ----------
    systems, segments : int
    ee : bool
        Under EE instead of without weights.
    samples : int
        Number of simulated data sets.
    resamples : int, optional
        By default as many as `score` draws.
    scores : str
        NORMAL; SKEWED: every second system has scores of the same mean with long tails; FAILURES:
        every second one has 2 % of segments 15 standard deviations below the others.
    seed : int

    Returns
    -------
    float
        The share of samples.
    """
    rng, found = np.random.default_rng([seed, systems, segments]), 0
    resamples = default_resamples(systems) if resamples is None else resamples
    names = list(map(str, range(systems)))
    for _ in range(samples):
        shared = rng.normal(size=(2, 1, segments))
        quality, difficulty = shared + rng.normal(size=(2, systems, segments))
        quality[1::2] += odd_scores(scores, (systems // 2, segments), rng)
        weighted = WeightedMetric.standard(Metric, quality[..., None])
        if ee:
            means = difficulty.mean(axis=0)
            weighted = weighted.in_groups(difficulty >= means.mean() + 2 * means.std(), 0.5)
        weights = resampling.bootstrap_weights(segments, resamples, rng)
        swapped = rng.integers(2, size=weights.shape, dtype=np.uint8)
        rows = describe_score(weighted, names, Draws(weights, swapped, single_segments(segments)))[
            0
        ]
        found += any(row["better_than"] for row in rows)
    return found / samples


def odd_scores(kind: str, shape: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    """Draw what is added to normal scores, with mean 0, (systems, segments)."""
    if kind == SKEWED:
        return 2 - rng.exponential(size=shape) ** 2
    if kind == FAILURES:
        return 15 * (0.02 - (rng.random(shape) < 0.02))
    return np.zeros(shape)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=1000)
    samples = parser.parse_args().samples
    print("| segments | systems | resamples | unweighted | EE |\n| --- | --- | --- | --- | --- |")
    for segments in (100, 300):
        for systems in (2, 4, 10):
            shares = [false_statements(systems, segments, ee, samples) for ee in (False, True)]
            numbers = [segments, systems, f"{default_resamples(systems):,}"]
            cells = [*numbers, *(f"{share:.3f}" for share in shares)]
            print(f"| {' | '.join(map(str, cells))} |", flush=True)
    print("\n| scores, 150 segments | 2 systems | 4 systems |\n| --- | --- | --- |")
    for kind in (SKEWED, FAILURES):
        shares = [false_statements(n, 150, False, samples, scores=kind) for n in (2, 4)]
        print(f"| {kind} | {' | '.join(f'{share:.3f}' for share in shares)} |", flush=True)


if __name__ == "__main__":
    main()
