"""What a run found, in sentences composed from its numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .changes import EQUIVALENT, NOT_JUDGED
from .findings import count, p_value
from .intervals import MINIMUM_SYSTEMS
from .labels import TUNED
from .synthesis import ALPHA, HARMS, HELPS, UNKNOWN

if TYPE_CHECKING:
    import pandas as pd

FEW_SYSTEMS = 10
LEAST = MINIMUM_SYSTEMS["pearson"]
SYNTHETIC = (
    "The data are synthetic: some segments were made hard to test the pipeline. The numbers say "
    "nothing about metrics."
)


class Findings(NamedTuple):
    """`lead` has what was compared and the counts, `weightings` a text for each by name, `limits`
    what cannot be told and why."""

    lead: str
    weightings: dict[str, str]
    limits: str


def findings(changes: pd.DataFrame, sets: int, campaigns: int, synthetic: bool) -> Findings:
    """What a run says of its weightings.

    Parameters
    ----------
    changes : DataFrame
        From `changes.judge`, of all sets, with `set`.
    sets : int
        How many there are, with human scores or without.
    campaigns : int
        Those of the sets that are compared.
    synthetic : bool
        Whether all sets are made up.
    """
    if changes.empty:
        text = f"No weighting is compared with the standard one on {count(sets, 'evaluation set')}."
        return Findings(_joined(text, SYNTHETIC * synthetic), {}, "")
    names = list(changes["set"].unique())
    # Of one set all comparisons are on it.
    on_set = "" if len(names) == 1 else " on " + changes["set"]
    changes = changes.assign(compared=changes.metric + on_set)
    where = f"{len(names)} evaluation sets of {count(campaigns, 'campaign')}"
    size = f"{count(changes.metric.nunique(), 'metric')} on "
    size += names[0] if len(names) == 1 else where
    if others := sets - len(names):
        other = "1 other set has" if others == 1 else f"{others} other sets have"
        size += f" ({other} no comparison)"
    judged = changes[changes.verdict != NOT_JUDGED]
    lead = f"{size}: no weighting is judged."
    if len(judged):
        lead = _joined(f"{size}: {_counts(judged)}.", *_extremes(judged, named=True))
    of_weightings = changes.groupby("weighting", sort=False)
    weightings = {str(name): _weighting(rows) for name, rows in of_weightings}
    return Findings(_joined(lead, SYNTHETIC * synthetic), weightings, _limits(changes))


def _counts(judged: pd.DataFrame) -> str:
    """How many comparisons got which verdict."""
    counts = judged.verdict.value_counts()
    parts = [
        f"difficulty weighting helps in {counts.get(HELPS, 0)} of "
        f"{count(len(judged), 'comparison')} with the standard weighting"
        f"{_by_chance(judged, HELPS)}",
        f"harms in {counts.get(HARMS, 0)}{_by_chance(judged, HARMS)}",
    ]
    if EQUIVALENT in counts:
        parts.append(f"has {EQUIVALENT} in {counts[EQUIVALENT]}")
    text = f"{', '.join(parts)}, and in {counts.get(UNKNOWN, 0)} we cannot tell"
    if judged["set"].nunique() > 1:
        text += ", with p corrected within each set"
    decided = []
    for name, rows in judged.groupby("weighting", sort=False):
        counts = rows.verdict.value_counts()
        said = [f"{each} in {counts[each]}" for each in (HELPS, HARMS) if each in counts]
        if said:
            decided.append(f"{name} {' and '.join(said)} of {len(rows)}")
    return f"{text} ({'; '.join(decided)})" if decided else text


def _by_chance(judged: pd.DataFrame, verdict: str) -> str:
    """In how many of the comparisons with a verdict random difficulty does as much."""
    alike = int(((judged.verdict == verdict) & (judged.note != "")).sum())
    if not alike:
        return ""
    change, does = ("loss", "loses") if verdict == HARMS else ("gain", "gains")
    text = f"in {alike} the {change} need not concern difficulty"
    return f" ({text}: random difficulty {does} as much)"


def _extremes(judged: pd.DataFrame, named: bool = False) -> Iterator[str]:
    """The largest loss and gain of all that are judged."""
    order = judged.sort_values("difference", kind="stable")
    for word, row, sign in (("loss", order.iloc[0], -1), ("gain", order.iloc[-1], 1)):
        if sign * row.difference > 0:
            name = f"{row.weighting}, " if named else ""
            yield f"Largest {word}: {name}{_one(row)}{_told(row)}."


def _weighting(rows: pd.DataFrame) -> str:
    """What a weighting does to Pearson's r and to soft pairwise accuracy."""
    judged, said = rows[rows.verdict != NOT_JUDGED], []
    if len(judged) == 1:
        row = judged.iloc[0]
        verdict = f"{row.verdict[:1].upper()}{row.verdict[1:]}"
        said.append(f"{verdict}: {_one(row)}{_note(row)}.")
    elif len(judged):
        counts, order = judged.verdict.value_counts(), (HELPS, HARMS, EQUIVALENT, UNKNOWN)
        each = ", ".join(f"{name} in {counts[name]}" for name in order if name in counts)
        text = f"{each} of {len(judged)}. r changes by {_range(judged.difference)}."
        said += [text[0].upper() + text[1:], *_extremes(judged)]
    soft = judged[np.isfinite(judged.soft.astype(float))]
    if len(soft):
        more, less = int((soft.soft_low > 0).sum()), int((soft.soft_high < 0).sum())
        sure = f"excludes 0 in {more + less} of {len(soft)} comparisons"
        sure += f" ({more} above, {less} below)"
        if len(soft) == 1:
            sure = f"is {'above' if more else 'below' if less else 'on both sides of'} 0"
        said.append(
            f"Soft pairwise accuracy (SPA) changes by {_range(soft.soft)}; its 95 % interval over "
            f"segments {sure}."
        )
    known = judged[["effective", "segments"]].dropna()
    if len(known):
        said.append(f"Effective segments: {_span(known.effective)} of {_span(known.segments)}.")
    left_out = rows[rows.verdict == NOT_JUDGED]
    tuned, gold = left_out[left_out.tuned & ~left_out.uses_gold], left_out[left_out.uses_gold]
    if len(tuned):
        said.append(
            f"{TUNED} Not counted {_where(tuned)}: the parameters were chosen with human scores of "
            f"the same set, r changes by {_range(tuned.difference)}."
        )
    if len(gold):
        said.append(f"Not counted {_where(gold)}: the difficulty uses human scores (a ceiling).")
    return _joined(*said)


def _where(rows: pd.DataFrame) -> str:
    names = list(rows["set"].unique())
    return f"on {', '.join(names[:3])}" + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _told(row: pd.Series) -> str:
    text = f", {row.verdict}" if row.verdict in (UNKNOWN, EQUIVALENT) else ""
    return text + _note(row)


def _note(row: pd.Series) -> str:
    """The change under random difficulty beside one that helps or harms, and what the row notes."""
    text = f": {row.note}" * bool(row.note)
    if row.verdict not in (HELPS, HARMS) or np.isnan(row.random):
        return text
    ends = f"{_signed(row.random_low)} to {_signed(row.random_high)}"
    return f"; under random difficulty Δ is {_signed(row.random)} (95 % of draws {ends}){text}"


def _one(row: pd.Series) -> str:
    """A comparison with its numbers."""
    text = f"{row.compared}, r {_number(row.standard)} → {_number(row.value)}, "
    text += f"Δ {_signed(row.difference)}"
    sure = []
    if np.isfinite(row.low):
        over = f" over {row.over}" if row.over in ("systems", "segments") else ""
        sure.append(f"95 % interval {_signed(row.low)} to {_signed(row.high)}{over}")
    if np.isfinite(row.p):
        sure += [p_value(row.p, "p"), p_value(row.p_adjusted, "adjusted p")]
    return f"{text} ({', '.join(sure)})" if sure else text


def _limits(changes: pd.DataFrame) -> str:
    """What cannot be told, and why."""
    said = []
    unknown = changes[changes.verdict == UNKNOWN]
    power = unknown.detectable.dropna()
    if len(power):
        said.append(
            f"The smallest change of r that the test finds with 80 % power (p ≤ {ALPHA}, before it "
            f"is adjusted) is {_span(power, 3)} (median {_number(power.median())}) in the "
            "comparisons where we cannot tell: smaller changes are neither shown nor excluded."
        )
    families = changes.family[changes.family != ""].unique()
    if len(families):
        over = families[0] if len(families) == 1 else "Holm, over all comparisons of a set"
        said.append(
            f"A weighting helps or harms where the adjusted p ({over}) is at most {ALPHA} and the "
            "interval excludes 0."
        )
    untested = unknown[unknown.p.isna()]
    if len(untested):
        reasons = "; ".join(untested.note.unique())
        said.append(f"{count(len(untested), 'comparison')} cannot be tested ({reasons}).")
    systems = changes.groupby("set")["systems"].first()
    few = systems[systems < FEW_SYSTEMS]
    if len(few):
        named = ", ".join(f"{name} ({count:.0f})" for name, count in few.head(3).items())
        named += f" and {len(few) - 3} more" if len(few) > 3 else ""
        said.append(
            f"{count(len(few), 'set')} {'has' if len(few) == 1 else 'have'} fewer than "
            f"{FEW_SYSTEMS} systems: {named}. Pearson's r over so few systems is uncertain"
            + (f"; with fewer than {LEAST} it has no interval." if (few < LEAST).any() else ".")
        )
    return _joined(*said)


def _range(values: pd.Series) -> str:
    """The ends and the median."""
    if len(values) == 1:
        return _signed(values.iloc[0])
    return f"{_signed(values.min())} to {_signed(values.max())} (median {_signed(values.median())})"


def _span(values: pd.Series, digits: int = 0) -> str:
    ends = [f"{value:,.{digits}f}" for value in (values.min(), values.max())]
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def _number(value: float, form: str = ".3f") -> str:
    text = f"{value:{form}}"
    return "0.000" if not float(text) else text.replace("-", "−")


def _signed(value: float) -> str:
    return _number(value, "+.3f")


def _joined(*texts: str) -> str:
    return " ".join(filter(None, texts))
