"""What the sets of a study found, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from .contrasts import MEAN
from .counted import STANDARD
from .joint import OUTCOMES

if TYPE_CHECKING:
    import pandas as pd

PRIMARY = OUTCOMES[0]
EVERY_PHASE = "all"


class SetFacts(NamedTuple):
    """What a study says of a set; `phase` is development or confirmation, and `gold` names the
    human scores of systems and, where they differ, of segments."""

    campaign: str
    pair: str
    reference: str
    gold: str
    phase: str


def gather(tables: Mapping[str, pd.DataFrame], facts: Mapping[str, SetFacts]) -> pd.DataFrame:
    """Tables of sets as one, with `set` and the fields of `SetFacts` before their columns; of no
    rows where all of them have none."""
    import pandas as pd

    parts = [
        pd.DataFrame({"set": name, **facts[name]._asdict()}, index=table.index).join(table)
        for name, table in tables.items()
    ]
    filled = [part for part in parts if len(part)]
    return pd.concat(filled or parts[:1] or [pd.DataFrame()], ignore_index=True)


def both_phases(frame: pd.DataFrame) -> pd.DataFrame:
    """A table and, under the phase `all`, once more all of its rows."""
    import pandas as pd

    return pd.concat([frame.assign(phase=EVERY_PHASE), frame], ignore_index=True)


def overall(pooled: pd.DataFrame) -> pd.DataFrame:
    """Rows of `synthesis.pool` of the primary outcome over the sets of all phases."""
    return pooled[(pooled["statistic"] == PRIMARY) & (pooled["phase"] == EVERY_PHASE)]


def submissions_table(
    effects: pd.DataFrame, submissions: pd.DataFrame, contrast: str
) -> pd.DataFrame:
    """Metrics that others submitted beside the unweighted metrics of the same sets and one of their
    weightings.

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
    beside = effects[effects.set.isin(own.set) & effects.statistic.isin(own.statistic)]
    beside = beside[beside.metric != MEAN]
    plain = beside[beside.against == STANDARD].assign(weighting=STANDARD, value=beside.plain)
    plain = plain[plain.value.notna()].drop_duplicates(["set", "metric", "statistic"])
    columns = ["set", "metric", "weighting", "statistic", "value"]
    weighted = beside[beside.contrast == contrast]
    found = pd.concat([own[columns], plain[columns], weighted[columns]])
    return found[found.value.notna()].sort_values(["set", "statistic"], kind="stable")
