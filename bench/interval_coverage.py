"""How often 95 % intervals cover the truth: simulated systems and segments, by number.

`.venv/bin/python bench/interval_coverage.py` writes docs/coverage.csv in about two minutes. The
intervals that results print are those of `evidence.resampling`; others stand beside them for
comparison.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "workflow/scripts"))

from mt_difficulty.compiled.samples import STATISTICS, mean_correlations  # noqa: E402
from mt_difficulty.evidence import resampling  # noqa: E402

# Correlations with human scores of a metric and of another one, and between the two.
CORRELATIONS = [(0.95, 0.93, 0.97), (0.8, 0.75, 0.95)]
SYSTEMS = [4, 6, 8, 10, 12, 16, 22, 30]
SEGMENTS = [50, 200, 1000]
# Deviations of segment scores, of metrics and people, where systems have one of 1.
NOISE = (2.0, 3.0)
COLUMNS = ["over", "of", "correlation", "systems", "segments", "interval", *STATISTICS]


def statistics_of(scores: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """r, τ-b, ρ and pairwise accuracy over the last axis, (..., systems) to (..., statistics)."""
    systems = scores.shape[-1]
    gold = np.broadcast_to(gold, scores.shape).reshape(-1, systems)
    found = mean_correlations(scores.reshape(-1, systems), gold, np.arange(systems)[None])
    return found.reshape(*scores.shape[:-1], len(STATISTICS))


def population(r: float) -> np.ndarray:
    """The statistics of a bivariate normal population."""
    tau = 2 / np.pi * np.arcsin(r)
    return np.array([r, tau, 6 / np.pi * np.arcsin(r / 2), (1 + tau) / 2])


def covers(low: np.ndarray, high: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Whether the truth lies inside; an interval that is not there does not cover."""
    return (low <= truth + 1e-9) & (high >= truth - 1e-9)


def accelerated(values: np.ndarray, observed: np.ndarray, jackknife: np.ndarray) -> np.ndarray:
    """BCa (Efron 1987): ends of resampled values, (resamples, statistics) to (2, statistics)."""
    values = values[np.isfinite(values).all(axis=1)]
    equal = np.abs(values - observed) < 1e-12
    below = ((values < observed) & ~equal).mean(axis=0) + equal.mean(axis=0) / 2
    shift = ndtri(np.clip(below, 1 / (1 + len(values)), len(values) / (1 + len(values))))
    deviations = jackknife.mean(axis=0) - jackknife
    scale = 6 * (deviations**2).sum(axis=0) ** 1.5
    skew = np.divide((deviations**3).sum(axis=0), scale, out=np.zeros(len(scale)), where=scale > 0)
    moved = shift + np.outer([-1, 1], np.full(len(shift), resampling.NORMAL))
    tails = ndtr(shift + moved / (1 - skew * moved))
    columns = range(len(shift))
    return np.array([[np.quantile(values[:, i], tail[i]) for i in columns] for tail in tails])


def over_systems(correlations, systems, samples, resamples, rng):
    """Coverage of intervals over systems, by what they are of and how they are made."""
    r, other, between = correlations
    covariance = [[1, r, other], [r, 1, between], [other, between, 1]]
    truths = population(r), population(other)
    gains, hits = truths[1] - truths[0], {}
    kept = np.array([np.delete(np.arange(systems), i) for i in range(systems)])
    for _ in range(samples):
        gold, *metrics = rng.multivariate_normal(np.zeros(3), covariance, systems).T
        drawn = rng.integers(systems, size=(resamples, systems))
        values = [statistics_of(scores[None], gold)[0] for scores in metrics]
        resampled = [statistics_of(scores[drawn], gold[drawn]) for scores in metrics]
        jackknife = [statistics_of(scores[kept], gold[kept]) for scores in metrics]
        # All of them, also where results print none.
        printed = [fisher(value, systems) for value in values]
        together = resampling.correlation_of(resampled[1], resampled[0])
        moved = resampling.difference(values[1], printed[1], values[0], printed[0], together)
        change, gain = resampled[1] - resampled[0], values[1] - values[0]
        found = {
            ("value", "percentile"): covers(*ends(resampled[0]), truths[0]),
            ("value", "BCa"): covers(
                *accelerated(resampled[0], values[0], jackknife[0]), truths[0]
            ),
            ("value", "Fisher z"): covers(*printed[0], truths[0]),
            ("difference", "percentile"): covers(*ends(change), gains),
            ("difference", "BCa"): covers(
                *accelerated(change, gain, jackknife[1] - jackknife[0]), gains
            ),
            ("difference", "MOVER"): covers(*moved, gains),
        }
        for key, hit in found.items():
            hits[key] = hits.get(key, 0) + hit
    return {key: count / samples for key, count in hits.items()}


def fisher(value: np.ndarray, systems: int) -> np.ndarray:
    """`resampling.over_systems` for any number of systems that has a variance."""
    least = dict.fromkeys(STATISTICS, 5) | {"pearson": 4, "spearman": 4}
    printed, resampling.MINIMUM_SYSTEMS = resampling.MINIMUM_SYSTEMS, least
    try:
        return resampling.over_systems(STATISTICS, value, systems)
    finally:
        resampling.MINIMUM_SYSTEMS = printed


def ends(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Percentiles, also where more than 5 % of the resamples are undefined."""
    return tuple(np.nanpercentile(values, [2.5, 97.5], axis=0))


def over_segments(systems, segments, samples, resamples, rng):
    """Coverage of percentile intervals over segments, of metric scores alone and `joint` ones."""
    hits = {}
    for _ in range(samples):
        truth = rng.normal(size=systems)
        plain = truth + 0.3 * rng.normal(size=systems)
        weighted = plain + 0.1 * rng.normal(size=systems)
        shared, own, people = rng.normal(size=(3, systems, segments))
        sides = [plain[:, None] + NOISE[0] * shared]
        sides.append(weighted[:, None] + NOISE[0] * (0.8 * shared + 0.6 * own))
        gold = truth[:, None] + NOISE[1] * people
        weights = resampling.bootstrap_weights(segments, resamples, rng) / segments
        true = [statistics_of(scores[None], truth)[0] for scores in (plain, weighted)]
        for over, held in (("segments", truth), ("joint", weights @ gold.T)):
            drawn = [statistics_of(weights @ side.T, held) for side in sides]
            found = {
                (over, "value"): covers(*ends(drawn[0]), true[0]),
                (over, "difference"): covers(*ends(drawn[1] - drawn[0]), true[1] - true[0]),
            }
            for key, hit in found.items():
                hits[key] = hits.get(key, 0) + hit
    return {key: count / samples for key, count in hits.items()}


def over_both(systems, segments, samples, resamples, rng):
    """Coverage of intervals over systems and segments, human scores held: of the correlations of
    other systems on other segments (`observed`), and of those without the noise of segments."""
    r, other, between = CORRELATIONS[0]
    covariance = np.array([[1, r, other], [r, 1, between], [other, between, 1]])
    noise = NOISE[0] ** 2 / segments * np.array([[1, 0.8], [0.8, 1]])
    deviations = np.sqrt(1 + np.diag(noise))
    truths = {
        "observed": [population(r / deviations[0]), population(other / deviations[1])],
        "true scores": [population(r), population(other)],
    }
    hits = {}
    for _ in range(samples):
        gold, plain, weighted = rng.multivariate_normal(np.zeros(3), covariance, systems).T
        shared, own = rng.normal(size=(2, systems, segments))
        sides = [plain[:, None] + NOISE[0] * shared]
        sides.append(weighted[:, None] + NOISE[0] * (0.8 * shared + 0.6 * own))
        weights = resampling.bootstrap_weights(segments, resamples, rng) / segments
        drawn = rng.integers(systems, size=(resamples, systems))
        scores = [weights @ side.T for side in sides]
        values = [statistics_of(side.mean(axis=1)[None], gold)[0] for side in sides]
        printed = [
            resampling.over_systems(STATISTICS, value, systems, statistics_of(each, gold))
            for value, each in zip(values, scores, strict=True)
        ]
        together = resampling.correlation_of(
            *(
                statistics_of(np.take_along_axis(each, drawn, axis=1), gold[drawn])
                for each in reversed(scores)
            )
        )
        moved = resampling.difference(values[1], printed[1], values[0], printed[0], together)
        for name, (of_plain, of_weighted) in truths.items():
            for of, ends_of, truth in (
                ("value", printed[0], of_plain),
                ("difference", moved, of_weighted - of_plain),
            ):
                hits[name, of] = hits.get((name, of), 0) + covers(*ends_of, truth)
    return {key: count / samples for key, count in hits.items()}


def simulate(samples: int, resamples: int, seed: int) -> pd.DataFrame:
    """The table, a row for each kind of interval."""
    rows = []
    for correlations in CORRELATIONS:
        for systems in SYSTEMS:
            rng = np.random.default_rng([seed, systems])
            found = over_systems(correlations, systems, samples, resamples, rng)
            for (of, how), shares in found.items():
                rows.append(["systems", of, correlations[0], systems, "", how, *shares])
            print(f"{systems} systems, r {correlations[0]}", flush=True)
    for systems in (6, 12, 22):
        for segments in SEGMENTS:
            rng = np.random.default_rng([seed, systems, segments])
            found = over_segments(systems, segments, samples // 4, resamples, rng)
            for (over, of), shares in found.items():
                rows.append([over, of, "", systems, segments, "percentile", *shares])
            found = over_both(systems, segments, samples // 4, resamples, rng)
            for (truth, of), shares in found.items():
                how = f"Fisher z or MOVER, {truth}"
                rows.append(["both", of, CORRELATIONS[0][0], systems, segments, how, *shares])
            print(f"{systems} systems, {segments} segments", flush=True)
    return pd.DataFrame(rows, columns=COLUMNS)


def main() -> None:
    """Write docs/coverage.csv."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--resamples", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=ROOT / "docs/coverage.csv")
    arguments = parser.parse_args()
    found = simulate(arguments.samples, arguments.resamples, arguments.seed)
    found.to_csv(arguments.out, index=False, float_format="%.3f")


if __name__ == "__main__":
    main()
