"""How often intervals of `evidence/synthesis.py` hold the true mean, and what their tests decide.

Effects of sets are simulated as mean + campaign + language pair + set + sampling error, all normal.
`python bench/synthesis_coverage.py docs/synthesis_coverage.csv` writes the table.
"""

import sys
import zlib
from itertools import product

import numpy as np
import pandas as pd
from scipy.special import stdtrit
from statsmodels.stats.meta_analysis import combine_effects

from mt_difficulty.evidence import synthesis

REPEATS = 2000
# Sets: campaigns and language pairs that they are drawn from.
DESIGNS = {5: (3, 4), 10: (4, 6), 20: (6, 10), 60: (7, 25), 113: (8, 40)}
# Standard deviations of campaign, pair and set effects, in SPA.
EFFECTS = {
    "none": (0, 0, 0),
    "sets": (0, 0, 0.01),
    "sets, campaigns": (0.01, 0, 0.01),
    "sets, campaigns, pairs": (0.01, 0.01, 0.01),
}
MEANS = (0.0, 0.01)


def draw(sets, spreads, mean, rng):
    """Effects, errors and clusters of simulated sets."""
    codes = [rng.integers(number, size=sets) for number in DESIGNS[sets]]
    errors = rng.uniform(0.005, 0.03, sets)
    effects = mean + rng.normal(0, errors) + spreads[2] * rng.normal(size=sets)
    for code, spread in zip(codes, spreads, strict=False):
        effects += spread * rng.normal(size=code.max() + 1)[code]
    return effects, errors, codes


def candidates(effects, errors, codes):
    """Mean and half widths of 95 % intervals by name."""
    fit = combine_effects(effects, errors**2, method_re="pm", maxiter=synthesis.ITERATIONS)
    weights = fit.weights_re
    found = {"Wald": 1.96 / np.sqrt(weights.sum())}
    error = max(fit.sd_eff_w_re, np.sqrt(fit.var_hksj_re))
    spreads = {"Hartung-Knapp": (error, len(effects) - 1)}
    for name, ways in {"CR2 campaigns": codes[:1], "CR2 two ways": codes}.items():
        spreads[name] = synthesis.cluster_robust(effects, weights, ways) or (np.nan, 1)
    for name, (error, df) in spreads.items():
        found[name] = error * stdtrit(df, 0.975)
    return fit.mean_effect_re, found


def simulate(sets, kind, mean):
    """One row of the table."""
    rng = np.random.default_rng([sets, zlib.crc32(kind.encode()), round(1000 * mean)])
    counts, widths = {}, []
    for _ in range(REPEATS):
        effects, errors, codes = draw(sets, EFFECTS[kind], mean, rng)
        estimate, halves = candidates(effects, errors, codes)
        for name, half in halves.items():
            counts[name] = counts.get(name, 0) + (abs(estimate - mean) <= half)
        pooled = synthesis.random_effects(effects, errors, codes)
        spread = np.sqrt(np.square(EFFECTS[kind]).sum())
        new = mean + spread * rng.normal()
        for name, held in {
            "printed": pooled.low <= mean <= pooled.high,
            "prediction": pooled.prediction_low <= new <= pooled.prediction_high,
            "differs from 0": pooled.p < 0.05,
        }.items():
            counts[name] = counts.get(name, 0) + held
        widths.append(pooled.high - pooled.low)
    shares = {name: round(count / REPEATS, 3) for name, count in counts.items()}
    return {
        "sets": sets,
        "effects between": kind,
        "mean": mean,
        **shares,
        "median width": round(float(np.median(widths)), 4),
    }


if __name__ == "__main__":
    rows = [simulate(*each) for each in product(DESIGNS, EFFECTS, MEANS)]
    pd.DataFrame(rows).to_csv(sys.argv[1], index=False)
