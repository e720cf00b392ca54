"""Pooled effects beside pooled effects of nulls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .intervals import holm
from .synthesis import ALPHA, CLUSTERS, HARMS, HELPS, LEVEL, raised, random_effects, valued

if TYPE_CHECKING:
    import pandas as pd

KEYS = ["contrast", "tier", "statistic"]
NOT_COMPARED, MORE = "not compared with chance", "more than chance"
NOT_MORE = "not shown to be more than chance"
NUMBERS = ["sets", "effect", "null_mean", "null_low", "null_high", "p"]


def pool_nulls(effects: pd.DataFrame, draws: pd.DataFrame) -> pd.DataFrame:
    """Weighted means over sets of effects, and of what nulls give on the same sets.

    Weights are 1/(error² + τ²) of the observed effects, as of the random-effects mean. Sets without
    an effect or without draws are left out. Under a null an observed effect is one more of its
    draws: p is that of t with draws − 1 degrees of freedom. Draws of different texts are
    independent; sets of the same campaign and pair share texts, and their draws are taken to rise
    and fall together, which can only raise p.

    Parameters
    ----------
    effects : DataFrame
        A row per set, contrast, tier and statistic, with `campaign`, `pair`, `effect` and `error`.
    draws : DataFrame
        A row per set, contrast, tier, statistic, `null` and `draw`, with `effect`.

    Returns
    -------
    DataFrame
        A row per contrast, tier, statistic and null: `sets`, `effect`, `null_mean`, `null_low` and
        `null_high` (95 % of what the null gives), the two-sided `p`, and `p_adjusted` by Holm's
        method over the tiers and nulls of a contrast and statistic; NaN for fewer than two sets.
    """
    import pandas as pd

    observed = dict(list(effects.groupby(KEYS, sort=False)))
    rows = []
    for key, own in draws.groupby([*KEYS, "null"], sort=False):
        by_set = own.pivot(index="draw", columns="set", values="effect")
        row = dict(zip([*KEYS, "null"], key, strict=True))
        rows.append(row | _compare(observed[key[:3]], by_set))
    found = pd.DataFrame(rows, columns=[*KEYS, "null", *NUMBERS])
    families = found.groupby(["contrast", "statistic"], sort=False)["p"]
    return found.assign(p_adjusted=families.transform(lambda p: holm(p.to_numpy())))


def against_chance(pooled: pd.DataFrame, nulls: pd.DataFrame) -> list[str]:
    """Whether pooled effects are more than what nulls give on the same sets, in words.

    Parameters
    ----------
    pooled : DataFrame
        From `synthesis.pool`, by KEYS and `phase`. Nulls are of the phase `all`.
    nulls : DataFrame
        From `pool_nulls`.
    """
    tests = dict(list(nulls[np.isfinite(nulls["p"])].groupby(KEYS, sort=False)))
    said = []
    for row in pooled.to_dict("records"):
        own = tests.get(tuple(row[key] for key in KEYS))
        if own is None or row["phase"] != "all":
            said.append(NOT_COMPARED)
            continue
        beyond = (own["effect"] - own["null_mean"]) * np.sign(own["effect"]) > 0
        shown = own.loc[beyond & (own["p_adjusted"] <= ALPHA), "null"]
        alone = f"{MORE} by {', '.join(shown)} alone" if len(shown) else NOT_MORE
        said.append(MORE if len(shown) == len(own) else alone)
    return said


def told(verdict: str, against: str) -> str:
    """A verdict; one that a weighting helps or harms with what `against_chance` says."""
    return f"{verdict} ({against})" if HELPS in verdict or HARMS in verdict else verdict


def _compare(effects: pd.DataFrame, draws: pd.DataFrame) -> dict[str, float]:
    from scipy.special import stdtr, stdtrit

    used = valued(effects)
    drawn = draws.columns[np.isfinite(draws.to_numpy()).all(axis=0)]
    used = used[used["set"].isin(drawn)]
    try:
        pooled = random_effects(used["effect"].to_numpy(), used["error"].to_numpy(), [])
    except ValueError:
        return {"sets": len(used)}
    weights = 1 / (raised(used["error"].to_numpy()) ** 2 + pooled.tau2)
    weights /= weights.sum()
    null = draws[used["set"]].to_numpy()
    effect, mean = used["effect"].to_numpy() @ weights, float((null @ weights).mean())
    spreads = used[list(CLUSTERS)].assign(spread=weights * null.std(axis=0, ddof=1))
    of_texts = spreads.groupby(list(CLUSTERS))["spread"].sum()
    # That of one draw around the mean of the others.
    error, df = np.sqrt((of_texts**2).sum() * (1 + 1 / len(null))), len(null) - 1
    half = error * stdtrit(df, (1 + LEVEL) / 2)
    p = 2 * stdtr(df, -abs(effect - mean) / error) if error > 0 else np.nan
    ends = {"null_low": mean - half, "null_high": mean + half}
    return {"sets": len(used), "effect": float(effect), "null_mean": mean, **ends, "p": float(p)}
