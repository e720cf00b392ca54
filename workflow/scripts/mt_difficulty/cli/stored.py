"""`mt-difficulty correlate`: compare metric scores with human scores; `export`: write a run's
scores in the layout of the official archive."""

import argparse
from pathlib import Path

import numpy as np
from tabulate import tabulate

from ..errors import printable
from ..page.tables import GROUPINGS
from ..plan.base import ARCHIVE
from ..plan.export import export_sets, finished_sets
from ..scoring.judging import correlate_sets
from ..scoring.parameters import known_name
from ..statistics import STATISTICS
from . import tell
from .report import number, print_table

RANKED = ("soft_accuracy", "acc_eq")  # the official tables' headline statistics


def correlate(arguments: argparse.Namespace) -> int:
    """Run `correlate`: print how well metric scores agree with human scores; return exit code 0."""
    names = ["statistics", "reference", "gold", "difficulty", "resamples", "seed"]
    names += ["lang", "src_lang"]
    options = {name: getattr(arguments, name) for name in names}
    options |= {"scores": arguments.scores or (), "metrics": arguments.metric}
    table = correlate_sets(arguments.set, arguments.archive or Path(ARCHIVE), **options)
    for notice in table.attrs["notices"]:
        tell(f"notice: {notice}")
    if arguments.format != "text":
        print_table(table, arguments.format)
        return 0
    for (name, human), rows in table.groupby(["set", "human"], sort=False):
        systems, segments = rows.systems.max(), rows.segments.max()
        if np.isfinite(systems):
            human = f"{systems:.0f} systems, {segments:,.0f} segments, human scores: {human}"
        print(printable(f"{name}: {human}"))
        lines: dict[tuple, dict[str, str]] = {}
        reasons: dict[str, dict[str, None]] = {}
        for row in rows.to_dict("records"):
            metric, part, statistic = row["metric"], row["segments_of"], row["statistic"]
            symbol = symbol_of(statistic, row["grouping"])
            first = {"metric": f"{printable(metric)}{f', {part}' * bool(part)}"}
            line = lines.setdefault((metric, part), first)
            form = f".{arguments.width}f"
            value, *ends = (number(row[x], form) for x in ("value", "low", "high"))
            value += f" [{', '.join(ends)}]" * bool(np.isfinite(row["low"]))
            line[symbol] = value
            if isinstance(row["reason"], str) and row["reason"]:
                reasons.setdefault(row["reason"], {})[symbol] = None
            if statistic in RANKED and np.isfinite(row["place"]):
                cluster = f", cluster {row['cluster']:.3g}" * bool(np.isfinite(row["cluster"]))
                rank = f"{row['place']:.0f} of {row['metrics']:.0f}{cluster}"
                line[f"rank by {symbol}"] = rank
        heads = dict.fromkeys(head for line in lines.values() for head in line)
        ordered = [{head: line.get(head, "") for head in heads} for line in lines.values()]
        print(tabulate(ordered, "keys", tablefmt="plain", disable_numparse=True))
        for reason, of_statistics in reasons.items():
            print(f"{', '.join(of_statistics)}: {printable(reason)}.")
        print()
    return 0


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
    chosen = []
    of_runs = {"metric": [list(run.settings.metrics) for run in sets]}
    of_runs["weighting"] = [run.weightings for run in sets]
    for what, lists in of_runs.items():
        known = dict.fromkeys(name for names in lists for name in names)
        names = getattr(arguments, what) or known
        chosen.append([known_name(name, known, what) for name in names])
    lines, notes = export_sets(
        arguments.out, sets, lambda key: key[0] in chosen[0] and key[1] in chosen[1]
    )
    print(*lines, sep="\n")
    for line in notes:
        tell(f"notice: {line}")
    return 0
