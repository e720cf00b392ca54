"""The finding at the top of the index and of a set's page: how weightings change Pearson's r. It
consists of sentences, a forest plot and a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..data.evalset import SetFiles
from ..errors import first_names
from ..evidence.subsets import row_label
from ..evidence.synthesis import ALPHA, HARMS, HELPS, MARGIN, UNKNOWN, adjusted, verdicts
from ..scores import SYSTEM_SCORES_ONLY
from ..weighting.base import STANDARD
from . import plain, signed, times
from .tables import Content, Mark, interval, marked, number, result_table

EQUIVALENT = f"no effect larger than {MARGIN}"
NOT_JUDGED = "not judged"  # human scores of the set are in it
NOT_TESTED = "not tested"  # no p, and no interval within the margin
KEY = ["metric", "weighting", "difficulty"]
# What intervals are over, the widest first; the first that is present is used.
OVER = ("both", "systems", "segments")
RANDOM = ("random", "random_low", "random_high")  # changes under random difficulty
COLUMNS = [
    *KEY,
    "systems",
    "value",
    "standard",
    "difference",
    "low",
    "high",
    "over",
    "p",
    "detectable",
    "effective",
    "segments",
    *RANDOM,
    "retuned_quantile",
    "uses_gold",
    "tuned",
    "reason",
]
ROWS = 40  # of the forest plot; with more, a row has several dots
TICKS = 7  # of the forest plot's axis, at most
# CSS classes of verdicts.
LOOKS = {
    HELPS: "better",
    HARMS: "worse",
    EQUIVALENT: "equal",
    UNKNOWN: "unclear",
    NOT_TESTED: "untested",
    NOT_JUDGED: "gold",
}
FEW_SYSTEMS = 10  # Pearson's r over fewer is uncertain
NAMED_SETS = 3  # sets of few systems that are named
PLOTTED_METRICS = 6  # whose system scores are drawn
NAMED_WEIGHTINGS = 3  # the title names weightings that help or harm if there are at most so many
TEXTS = ("set", *KEY, "over", "reason", "uses_gold", "tuned")
# Columns of the page's table whose names do not begin with `change_`.
NAMES = ("set", *KEY, "family", "note")
SHOWN = (
    "set",
    *KEY,
    "standard",
    "value",
    "difference",
    "low",
    "high",
    "p",
    "p_adjusted",
    "family",
    "verdict",
    *RANDOM,
    "effective",
    "note",
)


def of_set(
    significance: pd.DataFrame,
    controls: pd.DataFrame | None,
    marks: Mapping[str, tuple[bool, bool]],
    points: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Tabulate how weightings change metrics' Pearson r, over all systems of one set.

    Parameters
    ----------
    significance : DataFrame
        The table `significance.csv` of the set.
    controls : DataFrame, optional
        The table `controls.csv` of the set.
    marks : mapping of str to (bool, bool)
        By weighting, whether its difficulty and its parameters use human scores of the set.
    points : DataFrame, optional
        The table `parameters.csv` of the set.

    Returns
    -------
    DataFrame
        COLUMNS: r under the weighting and under the standard one; the difference with its 95 %
        interval (`over` segments or systems); p of the permutation test (Williams' test without
        segment scores); the difference detected with 80 % power; effective segments; the change of
        r under random difficulty; and, both tuned for r, the share of random difficulties that gain
        less.
    """
    rows = significance[(significance.subset == "all") & (significance.statistic == "pearson")]
    rows = rows[rows.difference.notna()].reset_index(drop=True)
    standard = significance[significance.weighting == STANDARD].groupby("metric").effective_mean
    low, high, over = _widest_intervals(rows)
    row_marks = [marks.get(name, (False, False)) for name in rows.weighting]
    changes = rows[KEY].assign(
        systems=rows["size"],
        value=rows.value,
        standard=rows.value - rows.difference,
        difference=rows.difference,
        low=low,
        high=high,
        over=over,
        p=rows.permutation_p.where(rows.reason != SYSTEM_SCORES_ONLY, rows.williams_p),
        detectable=rows.detectable,
        effective=rows.effective_mean,
        segments=rows.metric.map(standard.first()),
        uses_gold=[uses_gold for uses_gold, _ in row_marks],
        tuned=[tuned for _, tuned in row_marks],
        reason=rows.reason,
    )
    if points is not None:
        best = points.loc[points.parameters == "optimum", [*KEY, "retuned_quantile"]]
        changes = changes.merge(best, on=KEY, how="left")
    if controls is None:
        random = changes[KEY].assign(**dict.fromkeys(RANDOM, np.nan))
    else:
        random = _random_changes(controls, marks)
    return changes.merge(random, on=KEY, how="left").reindex(columns=COLUMNS)


def _widest_intervals(rows: pd.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return low and high ends of the differences' widest intervals, and what these are over; NaN
    and "" without an interval."""
    low = rows[[f"difference_{name}_low" for name in OVER]].to_numpy(float)
    high = rows[[f"difference_{name}_high" for name in OVER]].to_numpy(float)
    is_known = np.isfinite(low) & np.isfinite(high)
    has_interval = is_known.any(axis=1)
    widest = is_known.argmax(axis=1)  # the first one that is known
    row = np.arange(len(rows))
    return (
        np.where(has_interval, low[row, widest], np.nan),
        np.where(has_interval, high[row, widest], np.nan),
        np.where(has_interval, np.array(OVER)[widest], ""),
    )


def _random_changes(controls: pd.DataFrame, marks: Mapping[str, tuple[bool, bool]]) -> pd.DataFrame:
    """Return the changes of r under random difficulties: permuted ones or, for a weighting whose
    parameters are tuned, retuned ones."""
    is_tuned = [marks.get(name, (False, False))[1] for name in controls.weighting]
    is_r = (controls.subset == "all") & (controls.statistic == "pearson")
    drawn = controls[is_r & (controls.null == np.where(is_tuned, "retuned", "permuted"))]
    return drawn[KEY].assign(
        random=drawn["mean"] - drawn.standard,
        random_low=drawn.low - drawn.standard,
        random_high=drawn.high - drawn.standard,
    )


def judge(changes: pd.DataFrame) -> pd.DataFrame:
    """Judge the changes of sets, with `set` and COLUMNS. Adds `p_adjusted`, by Holm's method over
    the tested changes of a set that are judged; `family`, this correction in words; `verdict`, as
    in `synthesis.verdicts`, or NOT_TESTED where there is no p to tell by, or NOT_JUDGED where a
    weighting uses human scores of the set; and `note`, why a verdict is UNKNOWN, NOT_TESTED or
    NOT_JUDGED, or that random difficulty changes r as much."""
    is_judged = ~(changes.uses_gold.astype(bool) | changes.tuned.astype(bool))
    tested = changes.assign(p=changes.p.astype(float).where(is_judged))
    judged = adjusted(tested, ["set"], "of {set}").assign(p=changes.p)
    verdict = verdicts(judged, "difference", MARGIN, (HELPS, HARMS, EQUIVALENT))
    is_untested = (verdict == UNKNOWN) & judged.p_adjusted.isna()
    judged["verdict"] = np.select([~is_judged, is_untested], [NOT_JUDGED, NOT_TESTED], verdict)
    return judged.assign(note=[_note(row) for row in judged.itertuples()])


def _note(row: Any) -> str:
    """Return why a change has its verdict, or that random difficulty changes r as much."""
    if row.verdict == NOT_JUDGED:
        return f"{'tuned on' if row.tuned else 'difficulty from'} the set's human scores"
    if row.verdict == NOT_TESTED:
        return row.reason or "no p"
    if row.verdict == UNKNOWN:
        return _unknown_note(row)
    if row.verdict == HARMS and row.difference >= row.random_low:
        why = " (fewer segments count)" if row.effective < row.segments else ""
        return "the loss need not concern difficulty, because random difficulty loses as much" + why
    if row.verdict == HELPS and row.difference <= row.random_high:
        return "the gain need not concern difficulty, because random difficulty gains as much"
    return ""


def _unknown_note(row: Any) -> str:
    """Return why a change that has a p is neither a gain nor a loss; "" if its p is large and its
    interval includes 0."""
    has_interval = bool(np.isfinite([row.low, row.high]).all())
    includes_zero = has_interval and row.low <= 0 <= row.high
    reasons = []
    if row.p > ALPHA and has_interval and not includes_zero:
        reasons.append(f"the interval excludes 0, but p is above {ALPHA}")
    if row.p <= ALPHA < row.p_adjusted:
        reasons.append(f"p is above {ALPHA} after correction")
    if row.p <= ALPHA and includes_zero:
        reasons.append("the interval includes 0")
    if not has_interval:
        reasons.append("no interval")
    return "; ".join(reasons)


def read(files: SetFiles, gold: Mapping[str, Mark]) -> list[Content]:
    """Return a dict per change of r (weighting of a metric on a set); [] without human scores."""
    names = ("significance.csv", "controls.csv", "parameters.csv")
    significance, controls, points = map(files.optional, names)
    if significance is None or significance.empty:
        return []
    rows = of_set(significance, controls, gold, points).astype(object)
    return [dict(zip(COLUMNS, row, strict=True)) for row in rows.where(rows.notna(), None).values]


def changes_of(summaries: Iterable[Content]) -> list[Content]:
    """Return the changes of several sets, each with its `set`, from the sets' summaries
    (`index.describe_set`). A set that was not run has none."""
    changes = []
    for summary in summaries:
        changes += [{"set": summary["name"], **row} for row in summary.get("changes", ())]
    return changes


def table_of(records: list[Content]) -> pd.DataFrame:
    """Return a table, a row per change of Pearson's r by a weighting on a set, with its verdict."""
    frame = pd.DataFrame(records, columns=["set", *COLUMNS])
    numeric = [name for name in COLUMNS if name not in TEXTS]
    return judge(frame.astype(dict.fromkeys(numeric, float)))


def describe(records: list[Content], *, of_set: bool = False) -> Content:
    """Describe the changes of r on a page.

    Parameters
    ----------
    records : list of dict
        Records of `read`, with `set` added.
    of_set : bool
        Whether the page is that of a single set.

    Returns
    -------
    dict
        The sentences (`sentences`), `forest` and `table` (`result_table`), the last two None
        without records.
    """
    judged = table_of(records)
    described = sentences(numbers(judged))
    if judged.empty:
        return described | {"forest": None, "table": None}
    frame = judged.assign(
        weighting=list(map(marked, judged.weighting, judged.uses_gold, judged.tuned)),
        difficulty=list(map(marked, judged.difficulty, judged.uses_gold)),
        # Why changes are not judged is said once, beside the plot.
        note=judged.note.mask(judged.verdict == NOT_JUDGED, ""),
    )[list(SHOWN)]
    if frame.effective.notna().all():
        frame["effective"] = frame.effective.round().astype(int)
    frame = frame.rename(columns=lambda name: name if name in NAMES else f"change_{name}")
    if of_set:
        frame = frame.drop(columns="set")
    return described | {"forest": forest(judged), "table": result_table(frame)}


def numbers(judged: pd.DataFrame) -> Content:
    """Compute the numbers of the sentences, from a table from `judge` with `set`: counts of
    verdicts in all and by weighting, sets of few systems, and the changes that are not judged; of
    the changes of which we cannot tell, the median of detectable changes and half the median width
    of intervals."""
    is_judged = judged.verdict != NOT_JUDGED
    counted = judged[is_judged]
    systems = judged.groupby("set")["systems"].first()
    unclear = counted[counted.verdict == UNKNOWN]
    detectable = unclear.detectable.dropna()
    known = unclear[np.isfinite(unclear.low) & np.isfinite(unclear.high)]
    return {
        "names": list(judged["set"].unique()),
        "number": len(counted),
        "counts": counted.verdict.value_counts().to_dict(),
        # Verdicts of changes that random difficulty produces too.
        "alike": counted.verdict[counted.note != ""].value_counts().to_dict(),
        "weightings": {
            str(name): rows.verdict.value_counts().to_dict() | {"number": len(rows)}
            for name, rows in counted.groupby("weighting", sort=False)
        },
        "half_width": float((known.high - known.low).median() / 2) if len(known) else None,
        "not_judged": judged.note[~is_judged].value_counts().to_dict(),
        "unjudged": _unjudged(judged[~is_judged]),
        "detectable": float(detectable.median()) if len(detectable) else None,
        "few": systems[systems < FEW_SYSTEMS].astype(int).to_dict(),
    }


def _unjudged(changes: pd.DataFrame) -> Content:
    """Return the numbers of changes that are not judged: their weightings, the least and the
    largest, and how many of their intervals include 0."""
    known = changes[np.isfinite(changes.low) & np.isfinite(changes.high)]
    return {
        "weightings": list(changes.weighting.unique()),
        "least": float(changes.difference.min()),
        "largest": float(changes.difference.max()),
        "intervals": len(known),
        "include_zero": int(((known.low <= 0) & (known.high >= 0)).sum()),
    }


def sentences(found: Content) -> Content:
    """Return the sentences of a finding, made from `numbers`. `lead` says how many changes help or
    harm; `answer` says the same after `Yes:`, `Sometimes:`, `No:` or `Not shown:`; `title` is that
    of the forest plot. The others explain verdicts and are empty where nothing is to be said:
    `alike`, changes that random difficulty produces too; `detectable`, the change that the test
    finds; `few`, sets of few systems; `not_judged`, reasons with their counts, beside changes that
    are judged."""
    reasons = []
    if found["number"]:
        reasons = [f"{note} ({count})" for note, count in found["not_judged"].items()]
    return {
        "lead": lead(found),
        "answer": answer(found),
        "title": title(found),
        "alike": _alike(found["alike"]),
        "detectable": _detectable(found["detectable"], found["half_width"]),
        "few": _few_systems(found["few"]),
        "not_judged": "; ".join(reasons),
        "equivalent": EQUIVALENT,
    }


def answer(found: Content) -> str:
    """Answer in at most 25 words whether weighting by difficulty helps.

    Parameters
    ----------
    found : dict
        As from `numbers`.

    Returns
    -------
    str
        The sentence of `lead` after a word that answers; without such a word where it says itself
        that no weighting was compared, judged or tested.
    """
    text = lead(found)
    number, counts = found["number"], found["counts"]
    if not number or counts.get(NOT_TESTED) == number:
        return text
    helps = counts.get(HELPS, 0)
    if helps == number:
        word = "Yes"
    elif helps:
        word = "Sometimes"
    elif counts.get(HARMS, 0) + counts.get(EQUIVALENT, 0) == number:
        word = "No"
    else:
        word = "Not shown"
    return f"{word}: {text[0].lower()}{text[1:]}"


def lead(found: Content) -> str:
    """Say in how many comparisons weighting by difficulty helps, harms or has no effect, and in how
    many this is unknown or was not tested. The numbers `found` are those of `numbers`."""
    number, counts = found["number"], found["counts"]
    if not found["names"]:
        return "No weighting is compared with the unweighted metric."
    if not number:
        return _not_judged(found["not_judged"], found["unjudged"])
    comparisons = times(number, "comparison")
    helps_or_harms = "whether weighting by difficulty helps or harms"
    unclear = counts.get(UNKNOWN, 0)
    untested = counts.get(NOT_TESTED, 0)
    if untested == number:
        return (
            f"Not tested: in none of {comparisons} is there a p-value that tells {helps_or_harms}."
        )
    if unclear == number:
        where = {1: "In 1 comparison", 2: "In both comparisons"}.get(number)
        return f"{where or f'In all {comparisons}'} we cannot tell {helps_or_harms}."
    clauses = [
        f"Weighting by difficulty helps in {counts.get(HELPS, 0)} of {comparisons}",
        f"harms in {counts.get(HARMS, 0)}",
    ]
    if EQUIVALENT in counts:
        clauses.append(f"has no effect in {counts[EQUIVALENT]}")
    if not untested:
        clauses.append(f"and in {unclear} we cannot tell")
    else:
        if unclear:
            clauses.append(f"in {unclear} we cannot tell")
        was = "was" if untested == 1 else "were"
        clauses.append(f"and {untested} {was} not tested")
    return ", ".join(clauses) + "."


def title(found: Content) -> str:
    """Return the title of the forest plot, from `numbers`: what weightings help or harm, if these
    are few; else what the plot shows."""
    clear = [
        _clear_verdicts(name, own)
        for name, own in found["weightings"].items()
        if HELPS in own or HARMS in own
    ]
    if clear and len(clear) <= NAMED_WEIGHTINGS:
        return ", ".join(clear)
    return "How each weighting changes Pearson’s r"


def _clear_verdicts(weighting: str, counts: Mapping[str, int]) -> str:
    """Say in how many of its comparisons a weighting helps and harms."""
    verdicts = [f"{name} in {counts[name]}" for name in (HELPS, HARMS) if name in counts]
    number = times(counts["number"], "comparison")
    return f"{weighting} {' and '.join(verdicts)} of {number}"


def _alike(counts: Mapping[str, int]) -> str:
    """Say how many of the gains and losses random difficulty produces too."""
    texts = []
    if HELPS in counts:
        texts.append(f"In {times(counts[HELPS], 'gain')} random difficulty gains as much.")
    if HARMS in counts:
        texts.append(f"In {counts[HARMS]} of the losses random difficulty loses as much.")
    return " ".join(texts)


def _detectable(change: float | None, half_width: float | None) -> str:
    """Say which change the test finds, and how wide the intervals are; "" if both are unknown."""
    sentences = []
    if change is not None:
        sentences.append(
            f"Here the test finds a change of {plain(change)} (median) with 80 % power; smaller "
            "ones are neither shown nor excluded."
        )
    if half_width is not None:
        intervals = "Their intervals" if sentences else "The intervals of the changes"
        sentences.append(f"{intervals} have a median width of ±{plain(half_width)}.")
    return " ".join(sentences)


def _not_judged(reasons: Mapping[str, int], unjudged: Content) -> str:
    """Say how large the changes are, none of which is judged, and why."""
    weightings = unjudged["weightings"]
    if len(weightings) > NAMED_WEIGHTINGS:
        names = f"{len(weightings)} weightings change"
    elif len(weightings) > 1:
        names = f"{', '.join(weightings[:-1])} and {weightings[-1]} change"
    else:
        names = f"{weightings[0]} changes"
    if np.isnan(unjudged["least"]):
        return f"Not judged ({', '.join(reasons)}): no change of r is known."
    least, largest = signed(unjudged["least"]), signed(unjudged["largest"])
    size = f"by {least}" if least == largest else f"by {least} to {largest}"
    text = f"Not judged ({', '.join(reasons)}): {names} r {size}"
    included, known = unjudged["include_zero"], unjudged["intervals"]
    if known and included == known:
        text += ", and every interval includes 0"
    elif known:
        text += f", and {included} of {known} intervals include 0"
    return f"{text}."


def _few_systems(systems: Mapping[str, int]) -> str:
    """Name the first sets of few systems, with their numbers of systems; "" without any."""
    if not systems:
        return ""
    named = [f"{name} ({number})" for name, number in systems.items()]
    return (
        f"Pearson’s r over fewer than {FEW_SYSTEMS} systems is uncertain: "
        f"{first_names(named, NAMED_SETS)}."
    )


def forest(judged: pd.DataFrame) -> Content:
    """Return the forest plot of a table from `judge` with `set`, a group of rows for each
    weighting. A row is a change with its interval or, if there are more than ROWS, a metric or a
    weighting with a dot for each change (`many`). `looks` are the verdicts that occur, `ticks` and
    `zero` positions on the axis. Positions are in percent of the axis, which holds every
    interval."""
    judged = judged.assign(key=_row_labels(judged))
    many = bool(judged[["weighting", "key"]].duplicated().any())
    shown = ["difference"] if many else ["difference", "low", "high"]
    ends = judged[shown].to_numpy(float)
    x, ticks = axis(min(np.nanmin(ends), -MARGIN), max(np.nanmax(ends), MARGIN))
    panels = []
    for weighting, group in judged.groupby("weighting", sort=False):
        rows: list[Content] = []
        for label, changes in group.groupby("key", sort=False):
            median = float(changes.difference.median())
            first = changes.iloc[0]
            rows.append(
                {
                    "label": label,
                    "marks": [_mark(change, x, many=many) for change in changes.itertuples()],
                    "change": median,
                    "interval": "" if many else interval(first.low, first.high),
                    "median": x(median) if len(changes) > 1 else None,
                }
            )
        label = marked(str(weighting), bool(group.uses_gold.all()), bool(group.tuned.all()))
        panels.append({"label": label, "rows": rows})
    looks = {look: name for name, look in LOOKS.items() if (judged.verdict == name).any()}
    return {"many": many, "looks": looks, "zero": x(0.0), "ticks": ticks, "panels": panels}


def _row_labels(judged: pd.DataFrame) -> pd.Series | str:
    """Return the labels of the changes' rows in the forest plot: metric and set, the metric alone,
    or `all metrics`, the first of these with at most ROWS rows."""
    sets = judged["set"] if judged["set"].nunique() > 1 else ""
    for labels in ((judged.metric + " " + sets).str.strip(), judged.metric):
        if (judged.weighting + "\n" + labels).nunique() <= ROWS:
            return labels
    return "all metrics"


def _mark(change: Any, x: Callable[[float], float], *, many: bool) -> Content:
    """Return the dot of a change and, unless a row has many, its interval."""
    mark = {"x": x(change.difference), "look": LOOKS[change.verdict]}
    if not many and np.isfinite([change.low, change.high]).all():
        mark["low"] = x(change.low)
        mark["high"] = x(change.high)
    return mark


def axis(least: float, most: float) -> tuple[Callable[[float], float], list[Content]]:
    """Return a function from a value to percent of a plot's width, and the axis ticks as dicts."""

    def x(value: float) -> float:
        return round(float(1 + 98 * (value - least) / (most - least)), 2)

    steps = [factor * 10.0**power for power in range(-4, 4) for factor in (1, 2, 5)]
    step = next((step for step in steps if (most - least) / step <= TICKS - 1), steps[-1])
    digits = max(0, -int(np.floor(np.log10(step))))
    first, last = int(np.ceil(least / step)), int(most // step)
    values = [index * step for index in range(first, last + 1)]
    return x, [{"x": x(value), "text": number(value, digits)} for value in values]


def score_plots(scores: pd.DataFrame, systems: list[str]) -> list[Content]:
    """Return a forest plot (`score_plot`) of the system scores of each of the first metrics."""
    plots = []
    for _, rows in list(scores.groupby("metric", sort=False))[:PLOTTED_METRICS]:
        pairs = zip(rows.metric, rows.weighting, strict=True)
        labels = [row_label({"metric": metric, "weighting": name}) for metric, name in pairs]
        plot = score_plot(rows.assign(weighting=labels), systems)
        if plot is not None:
            plots.append(plot)
    return plots


def score_plot(scores: pd.DataFrame, systems: list[str]) -> Content | None:
    """Return a forest plot of system scores (`system_intervals.csv`) of one metric, a panel for
    each weighting, with `systems` in this order; None if all scores are equal."""
    rows = scores.reindex(columns=["metric", "weighting", "system", "score", "low", "high"])
    rows = rows.dropna(subset="score")
    if rows.empty:
        return None
    ends = rows[["score", "low", "high"]].to_numpy(float)
    least, most = np.nanmin(ends), np.nanmax(ends)
    if not least < most:
        return None
    x, ticks = axis(least, most)
    digits = 1 if most > 5 else 3
    panels = []
    for weighting, group in rows.groupby("weighting", sort=False):
        of_weighting: list[Content] = []
        in_order = group.set_index("system").reindex(systems).dropna(subset="score")
        row: Any
        for row in in_order.itertuples():
            mark = {"x": x(row.score), "look": "equal"}
            if np.isfinite([row.low, row.high]).all():
                mark["low"] = x(row.low)
                mark["high"] = x(row.high)
            of_weighting.append(
                {
                    "label": row.Index,
                    "marks": [mark],
                    "median": None,
                    "interval": interval(row.low, row.high, digits),
                    "text": number(row.score, digits),
                }
            )
        panels.append({"label": weighting, "rows": of_weighting})
    return {"metric": rows.metric.iloc[0], "zero": -1, "ticks": ticks, "panels": panels}
