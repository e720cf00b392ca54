"""Coverage of a study's intervals of one set, on simulated sets whose expected effect is known.

    python bench/study_coverage.py docs/study_coverage.csv

A segment has a difficulty; a hypothesis's human score is its system's quality less difficulty,
with noise, and so is its metric score, with noise of its own that grows with difficulty where
`effect` is not 0. The effect is that of the hardest quarter of the segments, or of EE's two groups,
against the plain mean. Its expectation for sets of as many segments is the mean over all simulated
sets; an interval should hold it in 95 % of them.
"""

import sys

import numpy as np
import pandas as pd

from mt_difficulty.evidence.resampling import interval, resampled_scores
from mt_difficulty.evidence.study import OUTCOMES, Joint, Sample, linear_influence
from mt_difficulty.evidence.units import single_segments
from mt_difficulty.metrics.base import Metric
from mt_difficulty.settings import WeightingSettings
from mt_difficulty.weighting import make_weighting
from mt_difficulty.weighting.base import WeightedMetric

WEIGHTINGS = {
    "hardest": {"type": "hardest", "share": 0.25},
    "EE": {"type": "EE", "threshold": "hypotheses_0.9", "easy_weight": 0.36},
}
COLUMNS = ["weighting", "systems", "segments", "noise", "statistic"]
COLUMNS += ["expected", "sets", "mean_error", "percentile", "normal", "basic"]


def simulated(systems, segments, noise, rng):
    """A sample with human scores, metric scores (systems, segments, 1), and difficulty."""
    quality = rng.normal(0, 0.15, systems)[:, None]
    difficulty = np.tile(rng.exponential(1, segments), (systems, 1))
    people = quality * (1 + difficulty) - difficulty + rng.normal(0, 1.5, (systems, segments))
    metric = quality * (1 + difficulty) - difficulty
    metric = metric + rng.normal(0, 1, metric.shape) * (1 + noise * difficulty)
    everything = np.arange(segments)
    sample = Sample(
        np.arange(systems),
        everything,
        everything[:0],
        people,
        people.mean(axis=1),
        single_segments(segments),
        everything,
    )
    return sample, metric[..., None], difficulty


def effect(sample, metric, difficulty, settings, resamples, seed):
    """The observed effect and its resamples, (outcomes,) and (resamples, outcomes)."""
    weighting = make_weighting(WeightingSettings.of(settings))
    names = [str(system) for system in sample.systems]
    joint, plain = Joint(sample, resamples, seed), WeightedMetric.standard(Metric, metric)
    fit, together = weighting.fitted(difficulty, names), joint.together({"m": plain})
    weighted = plain._replace(weights=fit.weights, shares=fit.shares)
    found, draws = [], []
    for one, quality in (
        (weighted, joint.refitted(weighting, difficulty, together, names)["m"]),
        (plain, *resampled_scores([plain], joint.counts)),
    ):
        scores, influence = linear_influence(one)
        found.append(Joint(sample).outcomes(scores[None], influence)[0])
        draws.append(joint.outcomes(quality, influence))
    return found[0] - found[1], draws[0] - draws[1]


def coverage(name, systems, segments, noise, sets, resamples):
    """Rows of COLUMNS of one design."""
    rng = np.random.default_rng([systems, segments, int(10 * noise)])
    found = []
    for seed in range(sets):
        sample = simulated(systems, segments, noise, rng)
        found.append(effect(*sample, WEIGHTINGS[name], resamples, seed))
    effects = np.array([value for value, _ in found])
    expected = effects.mean(axis=0)
    for i, statistic in enumerate(OUTCOMES):
        ends = np.array([interval(draws[:, i]) for _, draws in found])
        errors = np.array([draws[:, i].std(ddof=1) for _, draws in found])
        value = effects[:, i]
        inside = {
            "percentile": (ends[:, 0] <= expected[i]) & (expected[i] <= ends[:, 1]),
            "normal": np.abs(value - expected[i]) <= 1.96 * errors,
            "basic": (2 * value - ends[:, 1] <= expected[i])
            & (expected[i] <= 2 * value - ends[:, 0]),
        }
        yield [
            *(name, systems, segments, noise, statistic, expected[i], sets, errors.mean()),
            *(share.mean() for share in inside.values()),
        ]


def main(path, sets=200, resamples=200):
    designs = [(6, 500), (12, 200), (12, 500), (12, 1500), (20, 500)]
    rows = [
        row
        for name in WEIGHTINGS
        for systems, segments in designs
        for noise in (0, 1)
        for row in coverage(name, systems, segments, noise, sets, resamples)
    ]
    pd.DataFrame(rows, columns=COLUMNS).to_csv(path, index=False, float_format="%.3f")


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(int, sys.argv[2:]))
