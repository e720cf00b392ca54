"""How often a study like the one at hand finds an effect that all sets have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from .pooled_errors import joint_noise
from .synthesis import ALPHA, CLUSTERS, draws_of, random_effects, valued

if TYPE_CHECKING:
    import pandas as pd

COMMON = (0.01, 0.02, 0.03, 0.05)  # effects, in the outcome's unit
REPEATS = 1000
COLUMNS = [
    *("contrast", "tier", "statistic", "sets", "campaigns", "common_effect", "power"),
    *("fixed_power", "tests", "margin"),
]


def power_table(
    effects: pd.DataFrame, pooled: pd.DataFrame, draws: pd.DataFrame, seed: int
) -> pd.DataFrame:
    """The probability that a common effect is found: that it helps, by the study's own rule.

    Simulated sets have the common effect, the errors of the study's sets (a random resample's, so
    that sets of the same segments err alike) and independent effects of their own with variance
    τ². The p must be at most 5 % after a correction for all tests of the family, as if the others
    found nothing.

    Parameters
    ----------
    effects : DataFrame
        Of sets, as for `synthesis.pool`.
    pooled : DataFrame
        Rows of `synthesis.pool`, each of another contrast, tier and statistic, of all phases.
    draws : DataFrame
        As for `synthesis.pool`.
    seed : int

    Returns
    -------
    DataFrame
        COLUMNS, a row for each effect of COMMON and each pooled mean. `power` is that of the
        random-effects mean, `fixed_power` that of the mean over the sets at hand, for which τ² does
        not matter. `tests` is the size of the family.
    """
    import pandas as pd

    by = ["contrast", "tier", "statistic"]
    groups = dict(list(effects.groupby(by, sort=False)))
    rows = []
    for row in pooled[np.isfinite(pooled["effect"])].to_dict("records"):
        used = valued(groups[tuple(row[name] for name in by)])
        family = pooled["family"] == row["family"]
        tests = int(np.isfinite(pooled.loc[family, "p"]).sum())
        power, fixed = _power(used, draws_of(used, draws), row["tau2"], ALPHA / tests, seed)
        about = {name: row[name] for name in (*by, "sets", "campaigns", "margin")}
        rows += [
            {**about, "tests": tests, "common_effect": effect, "power": a, "fixed_power": b}
            for effect, a, b in zip(COMMON, power, fixed, strict=True)
        ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _power(
    used: pd.DataFrame, draws: np.ndarray, tau2: float, level: float, seed: int
) -> tuple[Sequence[float], Sequence[float]]:
    """Of the random-effects mean and of the mean over sets, by COMMON."""
    from scipy.special import ndtr, ndtri, stdtr

    errors, clusters = used["error"].to_numpy(), [used[name].to_numpy() for name in CLUSTERS]
    noise, rng = joint_noise(errors, draws), np.random.default_rng([seed, 7])
    drawn = noise[:, rng.integers(noise.shape[1], size=REPEATS)]
    drawn = drawn + np.sqrt(tau2) * rng.normal(size=drawn.shape)
    # A common effect moves the mean and leaves its error as it is.
    pooled = [random_effects(each, errors, clusters) for each in drawn.T]
    mean, error, df = np.array([(each.mean, each.error, each.df) for each in pooled]).T
    power = [np.mean(2 * stdtr(df, -(mean + effect) / error) <= level) for effect in COMMON]
    fixed = ndtr(np.array(COMMON) / noise.mean(axis=0).std() + ndtri(level / 2))
    return power, fixed
