"""`mt-difficulty correlate`: compare metric scores with human scores; `export`: write a run's
scores in the layout of the official archive."""

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tabulate import tabulate

from ..errors import InputError, first_names, printable
from ..evidence.units import resampled_text
from ..gold import ADJUSTED
from ..page.tables import GROUPINGS
from ..plan.base import ARCHIVE
from ..plan.export import export_sets, finished_sets
from ..scores import Key
from ..scoring.judging import SENTINEL, correlate_sets
from ..scoring.parameters import known_name
from ..statistics import STATISTICS
from . import settings_of_golds, stated_golds, tell
from .report import number, print_table

# Printed below sentinels.
MOST_NAMED = 3  # metrics in a line
EXPLAINED = (
    "A sentinel is the mean difficulty of a segment with its sign turned: all translations of the "
    "segment have the same score. Over all segments, and by system, a metric gets credit for "
    "knowing which segments are difficult; by segment it gets none."
)
RANKED = ("soft_accuracy", "acc_eq")  # the official tables' headline statistics


def correlate(arguments: argparse.Namespace) -> int:
    """Run `correlate`: print how well metric scores agree with human scores; return exit code 0."""
    gold: str | dict[str, Any] | None = arguments.gold
    if arguments.annotations:
        (gold,) = stated_golds(arguments, [arguments.gold or ADJUSTED])
    else:
        given = list(settings_of_golds(arguments))
        if given:
            option = given[0].replace(".", "-")
            raise InputError(
                f"--{option} is a setting of human scores that are computed from ratings. Name the "
                "ratings (--annotations), or leave it out."
            )
    table = correlate_sets(
        arguments.set,
        arguments.archive or Path(ARCHIVE),
        scores=arguments.scores or (),
        metrics=arguments.metric,
        difficulty=arguments.difficulty,
        statistics=arguments.statistics,
        reference=arguments.reference,
        gold=gold,
        lang=arguments.lang,
        src_lang=arguments.src_lang,
        annotations=arguments.annotations or (),
        documents=arguments.documents,
        unit=arguments.unit,
        resamples=arguments.resamples,
        seed=arguments.seed,
    )
    for notice in table.attrs["notices"]:
        tell(f"notice: {notice}")
    if arguments.format != "text":
        print_table(table, arguments.format)
        return 0
    for (name, human), rows in table.groupby(["set", "human"], sort=False):
        systems = rows.systems.max()
        segments = rows.segments.max()
        if np.isfinite(systems):
            human = f"{systems:.0f} systems, {segments:,.0f} segments, human scores: {human}"
        print(printable(f"{name}: {human}"))
        _print_set(rows, f".{arguments.width}f")
        for sentence in _resampled(rows):
            print(sentence)
        if rows.metric.str.startswith(SENTINEL).any():
            print(EXPLAINED)
        print()
    return 0


def _resampled(rows: pd.DataFrame) -> Iterator[str]:
    """Yield what the intervals of a set's table resample."""
    with_interval = rows[rows.low.notna()]
    groups: Any = with_interval.groupby(["over", "units"], dropna=False)
    for (over, units), group in groups:
        symbols = dict.fromkeys(map(symbol_of, group.statistic, group.grouping))
        text = f"Intervals of {', '.join(symbols)} over {over}"
        if np.isfinite(units):
            text += f": {resampled_text(units, over.split()[0])}"
            text += _of_which_metrics(with_interval, group)
        yield f"{text}."
    is_of_segments = rows.statistic.isin(["segment_pearson", "segment_kendall"])
    without = rows[is_of_segments & rows.value.notna() & rows.low.isna()]
    if len(without):
        symbols = dict.fromkeys(map(symbol_of, without.statistic, without.grouping))
        yield f"{', '.join(symbols)} have no intervals; of segments, acc*eq has them (acc_eq)."


def _of_which_metrics(rows: pd.DataFrame, group: pd.DataFrame) -> str:
    """Name the metrics of rows that resample the same units, if other metrics have other units."""
    alike = rows[rows.over.isin(group.over) & rows.statistic.isin(group.statistic)]
    if alike.units.nunique() == 1:
        return ""
    return f" ({first_names(list(dict.fromkeys(group.metric)), MOST_NAMED)})"


def _print_set(rows: pd.DataFrame, form: str) -> None:
    """Print a table of a set's metrics by statistic, and below it reasons for missing values."""
    lines: dict[tuple[str, str], dict[str, str]] = {}
    symbols_by_reason: dict[str, dict[str, None]] = {}
    for row in rows.to_dict("records"):
        metric = row["metric"]
        domain = row["segments_of"]
        symbol = symbol_of(row["statistic"], row["grouping"])
        label = printable(metric)
        if domain:
            label = f"{label}, {domain}"
        line = lines.setdefault((metric, domain), {"metric": label})
        line[symbol] = _value_with_interval(row, form)
        if isinstance(row["reason"], str) and row["reason"]:
            symbols_by_reason.setdefault(row["reason"], {})[symbol] = None
        if row["statistic"] in RANKED and np.isfinite(row["place"]):
            line[f"rank by {symbol}"] = _rank_and_cluster(row)
    heads: dict[str, str] = {}  # an empty cell for each column
    for line in lines.values():
        heads |= dict.fromkeys(line, "")
    cells = [heads | line for line in lines.values()]
    print(tabulate(cells, "keys", tablefmt="plain", disable_numparse=True))
    for reason, symbols in symbols_by_reason.items():
        print(f"{', '.join(symbols)}: {printable(reason)}.")


def _value_with_interval(row: Mapping[Any, Any], form: str) -> str:
    """Return a row's value and, if there is one, its interval."""
    value = number(row["value"], form)
    if not np.isfinite(row["low"]):
        return value
    return f"{value} [{number(row['low'], form)}, {number(row['high'], form)}]"


def _rank_and_cluster(row: Mapping[Any, Any]) -> str:
    """Return a metric's rank among the set's metrics and, if there is one, its cluster."""
    rank = f"{row['place']:.0f} of {row['metrics']:.0f}"
    if not np.isfinite(row["cluster"]):
        return rank
    return f"{rank}, cluster {row['cluster']:.3g}"


def symbol_of(statistic: str, grouping: str) -> str:
    """Return the head of a statistic's column, with the grouping if it has several."""
    member = STATISTICS[statistic]
    symbol = member.symbol
    if len(getattr(member, "groupings", ())) > 1:
        symbol += f" {GROUPINGS[grouping]}"
    return symbol


def export(arguments: argparse.Namespace) -> int:
    """Run `export`: write a run's chosen scores to files, print which files; return exit code 0."""
    runs = finished_sets(arguments.results)
    sets = [runs[known_name(name, runs, "set")] for name in arguments.set or runs]
    metrics: dict[str, None] = {}
    weightings: dict[str, None] = {}
    for run in sets:
        metrics |= dict.fromkeys(run.settings.metrics)
        weightings |= dict.fromkeys(run.weightings)
    chosen_metrics = [known_name(name, metrics, "metric") for name in arguments.metric or metrics]
    chosen_weightings = [
        known_name(name, weightings, "weighting") for name in arguments.weighting or weightings
    ]

    def chosen(key: Key) -> bool:
        """Return whether a metric and weighting are among those that the user names."""
        metric, weighting = key
        return metric in chosen_metrics and weighting in chosen_weightings

    lines, notes = export_sets(arguments.out, sets, chosen)
    print(*lines, sep="\n")
    for note in notes:
        tell(f"notice: {note}")
    return 0
