"""Simulated results of a study, of known effects."""

import itertools

import numpy as np
import pandas as pd

TIERS = ("surface", "learned")


def study_effects(sets, rng, contrasts=("EE", "DA", "length"), mean=0.0, spread=0.01):
    """Effects of tiers on sets of four campaigns and two kinds of human scores."""
    rows = []
    for index in range(sets):
        year, error = 2019 + index % 4, rng.uniform(0.004, 0.01)
        about = {"set": f"wmt{year}.p{index}.mqm", "campaign": f"wmt{year}"}
        about |= {"pair": f"en-{index // 4:02}", "gold": ("mqm", "wmt-z")[index % 2]}
        about["phase"] = "development" if year < 2021 else "confirmation"
        for contrast, tier in itertools.product(contrasts, TIERS):
            effect = mean + rng.normal(0, spread) + rng.normal(0, error)
            size = 100.0 + 700 * rng.random()
            row = {"contrast": contrast, "tier": tier, "effective_segments": size, "error": error}
            row |= {"effect": effect, "low": effect - 2 * error, "high": effect + 2 * error}
            rows.append(about | row | {"value": 0.8 + effect})
    constant = {"metric": "mean", "statistic": "soft_accuracy", "plain": 0.8, "reason": ""}
    return pd.DataFrame(rows).assign(systems=12, segments=1000, **constant)


def study_draws(effects, rng, resamples=200):
    """Effects on resamples of sets that share no texts, as `synthesis.pool` reads them."""
    effects = effects[effects["metric"] == "mean"].dropna(subset="effect")
    keys = ["set", "contrast", "tier", "statistic"]
    noise = rng.normal(size=(len(effects), resamples)) * effects[["error"]].to_numpy()
    values = noise + effects[["effect"]].to_numpy()
    return pd.DataFrame(values, index=pd.MultiIndex.from_frame(effects[keys]))


def study_pairs(sets, rng, gain=0.05, by_gap=-0.03, systems=9):
    """Pairs of systems whose probability to be ordered as by people is linear in the gap, which has
    ten values."""
    frames = []
    for index in range(sets):
        first = np.triu_indices(systems, 1)[0]
        own = rng.normal(0, 0.03)
        for tier, level in (("surface", 0.6), ("learned", 0.7)):
            gap = rng.integers(1, 11, len(first)) / 5
            plain = level + 0.06 * gap + own
            columns = {
                "set": f"s{index}",
                "contrast": "EE",
                "tier": tier,
                "gap": gap,
                "agrees_plain": (rng.random(len(gap)) < plain).astype(float),
                "agrees": (rng.random(len(gap)) < plain + gain + by_gap * gap).astype(float),
            }
            frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)
