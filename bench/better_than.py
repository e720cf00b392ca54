"""How often `score` calls a system better than an equal one: simulated systems and segments.

`.venv/bin/python bench/better_than.py` prints the table of docs/statistics.md in about ten minutes.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "workflow/scripts"))

from mt_difficulty.evidence import resampling
from mt_difficulty.metrics.base import Metric
from mt_difficulty.texts import describe_score
from mt_difficulty.weighting.base import WeightedMetric


def false_statements(
    systems: int, segments: int, ee: bool, samples: int, resamples: int, seed: int = 1
) -> float:
    """Share of samples of equal systems of which one is called better than another.

    Half of the variance of scores and of difficulties is the segment's. EE has Eq. 9's threshold:
    about 5 % of the hypotheses are difficult.
    """
    rng, found = np.random.default_rng([seed, systems, segments]), 0
    names = list(map(str, range(systems)))
    for _ in range(samples):
        shared = rng.normal(size=(2, 1, segments))
        quality, difficulty = shared + rng.normal(size=(2, systems, segments))
        weighted = WeightedMetric.standard(Metric, quality[..., None])
        if ee:
            means = difficulty.mean(axis=0)
            weighted = weighted.in_groups(difficulty >= means.mean() + 2 * means.std(), 0.5)
        weights = resampling.bootstrap_weights(segments, resamples, rng)
        swapped = rng.integers(2, size=weights.shape, dtype=np.uint8)
        rows = describe_score(weighted, names, weights, swapped)[0]
        found += any(row["better_than"] for row in rows)
    return found / samples


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=2000)
    samples = parser.parse_args().samples
    print("| segments | systems | resamples | unweighted | EE |\n| --- | --- | --- | --- | --- |")
    for segments in (100, 300):
        for systems, resamples in ((2, 1000), (4, 1000), (10, 2000)):
            shares = [
                false_statements(systems, segments, ee, samples, resamples) for ee in (False, True)
            ]
            cells = [segments, systems, f"{resamples:,}", *(f"{share:.3f}" for share in shares)]
            print(f"| {' | '.join(map(str, cells))} |", flush=True)


if __name__ == "__main__":
    main()
