"""A study over evaluation sets: what its sets found side by side, and its nulls over all sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .contrasts import MEAN
from .joint import OUTCOMES
from .resampling import interval
from .synthesis import permutation_of_synthesis

if TYPE_CHECKING:
    import pandas as pd

PRIMARY = OUTCOMES[0]
EVERY_PHASE = "all"
NULLS = [
    *("contrast", "tier", "null", "statistic", "phase", "sets", "draws"),
    *("effect", "null_mean", "null_low", "null_high", "p"),
]
GROUP = ["contrast", "tier", "null", "statistic"]


class SetFacts(NamedTuple):
    """What a study says of a set; `phase` is development or confirmation."""

    campaign: str
    pair: str
    reference: str
    gold: str
    phase: str


def gather(tables: Mapping[str, pd.DataFrame], facts: Mapping[str, SetFacts]) -> pd.DataFrame:
    """Tables of sets as one, with `set` and the fields of `SetFacts` before their columns."""
    import pandas as pd

    parts = [
        pd.DataFrame({"set": name, **facts[name]._asdict()}, index=table.index).join(table)
        for name, table in tables.items()
    ]
    return pd.concat(parts, ignore_index=True)


def both_phases(frame: pd.DataFrame) -> pd.DataFrame:
    """A table and, under the phase `all`, once more all of its rows."""
    import pandas as pd

    return pd.concat([frame.assign(phase=EVERY_PHASE), frame], ignore_index=True)


def null_tests(effects: pd.DataFrame, draws: pd.DataFrame, pooled: pd.DataFrame) -> pd.DataFrame:
    """Pooled effects beside those of nulls: draw k of the synthesis is made of every set's draw k.

    Parameters
    ----------
    effects, draws : DataFrame
        Of all sets: rows of `contrasts.EFFECTS` that are means of tiers, and of NULL_DRAWS; both
        with `phase`.
    pooled : DataFrame
        From `synthesis.pool`; its τ² gives the weights 1 / (error² + τ²) of the sets, for effects
        and draws alike.

    Returns
    -------
    DataFrame
        NULLS; p is one-sided: the share of draws whose pooled effect is at least the observed one.
    """
    import pandas as pd

    rows = []
    keys = ["contrast", "tier", "statistic", "phase"]
    tau2 = pooled.set_index(keys).tau2
    values = effects.set_index(["set", *keys])
    for (*group, phase), own in draws.groupby([*GROUP, "phase"], sort=False):
        contrast, tier, null, statistic = group
        table = own.pivot(index="draw", columns="set", values="effect")
        of_sets = values.loc[[(name, contrast, tier, statistic, phase) for name in table.columns]]
        kept = np.isfinite(of_sets.effect).to_numpy() & np.isfinite(of_sets.error).to_numpy()
        kept &= np.isfinite(table.to_numpy()).all(axis=0)
        between = tau2.get((contrast, tier, statistic, phase), np.nan)
        if not kept.any() or np.isnan(between):
            continue
        weights = 1 / (of_sets.error.to_numpy()[kept] ** 2 + between)
        observed, drawn = of_sets.effect.to_numpy()[kept], table.to_numpy()[:, kept]
        shares = weights / weights.sum()
        pooled_draws = drawn @ shares
        low, high = interval(pooled_draws)
        rows.append(
            [
                *(contrast, tier, null, statistic, phase, int(kept.sum()), len(drawn)),
                *(observed @ shares, pooled_draws.mean(), float(low), float(high)),
                permutation_of_synthesis(observed, drawn, weights),
            ]
        )
    return pd.DataFrame(rows, columns=NULLS)


def submissions_table(
    effects: pd.DataFrame, submissions: pd.DataFrame, contrast: str
) -> pd.DataFrame:
    """Metrics that others submitted beside the plain metrics of the same sets and one weighting of
    them.

    Parameters
    ----------
    effects, submissions : DataFrame
        Of all sets.
    contrast : str
        Of the weighting.

    Returns
    -------
    DataFrame
        set, metric, weighting ("standard", the contrast's, or "as submitted"), statistic, value.
    """
    import pandas as pd

    own = submissions.assign(weighting="as submitted")
    beside = effects[effects.set.isin(own.set) & (effects.contrast == contrast)]
    beside = beside[(beside.metric != MEAN) & beside.statistic.isin(own.statistic)]
    plain = beside.assign(weighting="standard", value=beside.plain)
    columns = ["set", "metric", "weighting", "statistic", "value"]
    found = pd.concat([own[columns], plain[columns], beside[columns]])
    return found[found.value.notna()].sort_values(["set", "statistic"], kind="stable")
