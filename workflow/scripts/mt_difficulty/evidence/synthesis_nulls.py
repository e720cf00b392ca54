"""Pooled effects beside pooled effects of nulls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .synthesis import permutation_of_synthesis, raised, random_effects

if TYPE_CHECKING:
    import pandas as pd

KEYS = ["contrast", "tier", "statistic"]


def pool_nulls(effects: pd.DataFrame, draws: pd.DataFrame) -> pd.DataFrame:
    """Weighted means over sets of effects, and of every draw of a null.

    Weights are 1/(error² + τ²) of the observed effects, as of the random-effects mean. Sets without
    an effect or without draws are left out.

    Parameters
    ----------
    effects : DataFrame
        A row per set, contrast, tier and statistic, with `effect` and `error`.
    draws : DataFrame
        A row per set, contrast, tier, statistic, `null` and `draw`, with `effect`.

    Returns
    -------
    DataFrame
        A row per contrast, tier, statistic and null: `sets`, `effect`, `null_mean`, `null_low` and
        `null_high` (95 % of the draws), and the one-sided `p` that the null reaches the effect;
        NaN for fewer than two sets.
    """
    import pandas as pd

    observed = dict(list(effects.groupby(KEYS, sort=False)))
    rows = []
    for key, own in draws.groupby([*KEYS, "null"], sort=False):
        by_set = own.pivot(index="draw", columns="set", values="effect")
        row = dict(zip([*KEYS, "null"], key, strict=True))
        rows.append(row | _compare(observed[key[:3]], by_set))
    return pd.DataFrame(rows, columns=[*KEYS, "null", *_NUMBERS])


_NUMBERS = ["sets", "effect", "null_mean", "null_low", "null_high", "p"]


def _compare(effects: pd.DataFrame, draws: pd.DataFrame) -> dict[str, float]:
    used = effects[np.isfinite(effects["effect"]) & np.isfinite(effects["error"])]
    used = used[used["set"].isin(draws.columns)]
    try:
        pooled = random_effects(used["effect"].to_numpy(), used["error"].to_numpy(), [])
    except ValueError:
        return {"sets": len(used)}
    weights = 1 / (raised(used["error"].to_numpy()) ** 2 + pooled.tau2)
    null = draws[used["set"]].to_numpy()
    means = null @ weights / weights.sum()
    low, high = np.nanquantile(means, [0.025, 0.975])
    return {
        "sets": len(used),
        "effect": float(used["effect"].to_numpy() @ weights / weights.sum()),
        "null_mean": float(np.nanmean(means)),
        "null_low": float(low),
        "null_high": float(high),
        "p": permutation_of_synthesis(used["effect"].to_numpy(), null, weights),
    }
