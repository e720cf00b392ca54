"""What a run found, in sentences composed from its numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .changes import EQUIVALENT, NOT_JUDGED
from .findings import p_value
from .intervals import MINIMUM_SYSTEMS
from .labels import TUNED
from .synthesis import ALPHA, HARMS, HELPS, UNKNOWN

if TYPE_CHECKING:
    import pandas as pd

MINUS = "−"
FEW_SYSTEMS = 10
LEAST = MINIMUM_SYSTEMS["pearson"]
SYNTHETIC = (
    "The data are synthetic: some segments were made hard to test the pipeline. The numbers say "
    "nothing about metrics."
)
OVER = {
    "both": "over segments and systems",
    "systems": "over systems",
    "segments": "over segments",
    "": "",
}


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
        text = f"No weighting is compared with the standard one on {_count(sets, 'evaluation set')}"
        return Findings(_joined(text + ".", SYNTHETIC * synthetic), {}, "")
    names = list(changes["set"].unique())
    where = f"{len(names)} evaluation sets of {_count(campaigns, 'campaign')}"
    # Of one set all comparisons are on it.
    on_set = "" if len(names) == 1 else " on " + changes["set"]
    changes = changes.assign(compared=changes.metric + on_set)
    size = f"{_count(changes.metric.nunique(), 'metric')} on "
    size += names[0] if len(names) == 1 else where
    if others := sets - len(names):
        other = "1 other set has" if others == 1 else f"{others} other sets have"
        size += f" ({other} no comparison)"
    lead = f"{size}: {_counts(changes)}. {_extremes(changes)}"
    of_weightings = changes.groupby("weighting", sort=False)
    weightings = {str(name): _weighting(rows) for name, rows in of_weightings}
    return Findings(_joined(lead, SYNTHETIC * synthetic), weightings, _limits(changes))


def _counts(changes: pd.DataFrame) -> str:
    """How many comparisons got which verdict."""
    judged = changes[changes.verdict != NOT_JUDGED]
    if judged.empty:
        return "no weighting is judged"
    counts = judged.verdict.value_counts()
    one = len(judged) == 1
    parts = [
        f"difficulty weighting helps in {counts.get(HELPS, 0)} of {len(judged)} "
        f"comparison{'s' * (not one)} with the standard weighting{_by_chance(judged, HELPS)}",
        f"harms in {counts.get(HARMS, 0)}{_by_chance(judged, HARMS)}",
    ]
    if EQUIVALENT in counts:
        parts.append(f"has {EQUIVALENT} in {counts[EQUIVALENT]}")
    text = f"{', '.join(parts)}, and in {counts.get(UNKNOWN, 0)} we cannot tell"
    if judged["set"].nunique() > 1:
        text += ", with p corrected within each set"
    of_each = "; ".join(_decided(judged))
    return f"{text} ({of_each})" if of_each else text


def _by_chance(judged: pd.DataFrame, verdict: str) -> str:
    """In how many of the comparisons with a verdict random difficulty does as much."""
    count = int(((judged.verdict == verdict) & (judged.note != "")).sum())
    if not count:
        return ""
    change, does = ("loss", "loses") if verdict == HARMS else ("gain", "gains")
    alike = f"in {count} the {change} need not concern difficulty"
    return f" ({alike}: random difficulty {does} as much)"


def _decided(judged: pd.DataFrame) -> Iterator[str]:
    """How often each weighting helps or harms, of those that do."""
    for name, rows in judged.groupby("weighting", sort=False):
        counts = rows.verdict.value_counts()
        said = [
            f"{verdict} in {counts[verdict]}" for verdict in (HELPS, HARMS) if verdict in counts
        ]
        if said:
            yield f"{name} {' and '.join(said)} of {len(rows)}"


def _extremes(changes: pd.DataFrame) -> str:
    """The largest loss and gain of all that are judged."""
    judged = changes[changes.verdict != NOT_JUDGED]
    if judged.empty:
        return ""
    worst, best = _ends(judged)
    said = []
    if worst.difference < 0:
        said.append(f"Largest loss: {worst.weighting}, {_one(worst)}{_told(worst)}.")
    if best.difference > 0:
        said.append(f"Largest gain: {best.weighting}, {_one(best)}{_told(best)}.")
    return " ".join(said)


def _ends(rows: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """The comparisons with the lowest and the highest change."""
    order = rows.sort_values("difference", kind="stable")
    return order.iloc[0], order.iloc[-1]


def _weighting(rows: pd.DataFrame) -> str:
    """What a weighting does to Pearson's r and to soft pairwise accuracy."""
    judged = rows[rows.verdict != NOT_JUDGED]
    said = list(_verdicts(judged)) if len(judged) else []
    soft = judged[np.isfinite(judged.soft.astype(float))]
    if len(soft):
        said.append(
            f"Soft pairwise accuracy (SPA) changes by {_range(soft.soft)}; "
            f"{_sure(soft, 'soft_low', 'soft_high')}."
        )
    known = judged[["effective", "segments"]].dropna()
    if len(known):
        said.append(f"Effective segments: {_span(known.effective)} of {_span(known.segments)}.")
    return _joined(*said, *_left_out(rows[rows.verdict == NOT_JUDGED]))


def _verdicts(rows: pd.DataFrame) -> Iterator[str]:
    worst, best = _ends(rows)
    if len(rows) == 1:
        yield f"{_verdict(best)}: {_one(best)}{_note(best)}."
        return
    counts = rows.verdict.value_counts()
    order = (HELPS, HARMS, EQUIVALENT, UNKNOWN)
    told = [f"{verdict} in {counts[verdict]}" for verdict in order if verdict in counts]
    text = f"{', '.join(told)} of {len(rows)}. r changes by {_range(rows.difference)}."
    yield text[0].upper() + text[1:]
    if worst.difference < 0:
        yield f"Largest loss: {_one(worst)}{_told(worst)}."
    if best.difference > 0:
        yield f"Largest gain: {_one(best)}{_told(best)}."


def _verdict(row: pd.Series) -> str:
    return {HELPS: "Helps", HARMS: "Harms", UNKNOWN: "Cannot tell"}.get(
        row.verdict, row.verdict.capitalize()
    )


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
        over = OVER[row.over] if row.over != "both" else ""
        sure.append(f"95 % interval {_signed(row.low)} to {_signed(row.high)} {over}".strip())
    if np.isfinite(row.p):
        sure += [_p("p", row.p), _p("adjusted p", row.p_adjusted)]
    return f"{text} ({', '.join(sure)})" if sure else text


def _p(name: str, p: float) -> str:
    text = p_value(p)
    return f"{name} {text}" if text.startswith("<") else f"{name} = {text}"


def _sure(rows: pd.DataFrame, low: str, high: str) -> str:
    """In how many comparisons an interval excludes zero."""
    more, less = int((rows[low] > 0).sum()), int((rows[high] < 0).sum())
    if len(rows) == 1:
        where = "above" if more else "below" if less else "on both sides of"
        return f"its 95 % interval over segments is {where} 0"
    return (
        f"its 95 % interval over segments excludes 0 in {more + less} of {len(rows)} comparisons "
        f"({more} above, {less} below)"
    )


def _left_out(rows: pd.DataFrame) -> Iterator[str]:
    """What human scores of the same set are in."""
    tuned, gold = rows[rows.tuned & ~rows.uses_gold], rows[rows.uses_gold]
    if len(tuned):
        yield (
            f"{TUNED} Not counted {_where(tuned)}: the parameters were chosen with human scores of "
            f"the same set, r changes by {_range(tuned.difference)}."
        )
    if len(gold):
        yield f"Not counted {_where(gold)}: the difficulty uses human scores (a ceiling)."


def _where(rows: pd.DataFrame) -> str:
    names = list(rows["set"].unique())
    return f"on {', '.join(names[:3])}" + (f" and {len(names) - 3} more" if len(names) > 3 else "")


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
        said.append(f"{_count(len(untested), 'comparison')} cannot be tested ({reasons}).")
    systems = changes.groupby("set")["systems"].first()
    few = systems[systems < FEW_SYSTEMS]
    if len(few):
        named = ", ".join(f"{name} ({count:.0f})" for name, count in few.head(3).items())
        named += f" and {len(few) - 3} more" if len(few) > 3 else ""
        said.append(
            f"{_count(len(few), 'set')} {'has' if len(few) == 1 else 'have'} fewer than "
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


def _number(value: float) -> str:
    text = f"{value:.3f}"
    return "0.000" if not float(text) else text.replace("-", MINUS)


def _signed(value: float) -> str:
    text = f"{value:+.3f}"
    return "0.000" if not float(text) else text.replace("-", MINUS)


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}" + "s" * (count != 1)


def _joined(*texts: str) -> str:
    return " ".join(filter(None, texts))
