"""`mt-difficulty correlate`: agreement of metric scores with human scores, with intervals."""

import argparse
from pathlib import Path

import pandas as pd
from tabulate import tabulate

from ..data import download
from ..data.sources import pair_of
from ..errors import InputError, nearest, printable
from ..evidence.counted import same_scores
from ..interface.sets import correlate, load_folder, load_set
from ..run.plan import ARCHIVE
from . import note
from .tables import number


def run(arguments: argparse.Namespace) -> int:
    """Print the correlations of a set's stored metrics."""
    folder, reference = Path(arguments.set), arguments.reference
    campaign, _, pair = arguments.set.partition("/")
    archive = arguments.archive or Path(ARCHIVE)
    if folder.is_dir():
        loaded = load_folder(folder, pair_of(None, None), reference=reference)
    elif pair and archive.exists():
        top = download.unpacked(archive, [campaign])
        loaded = load_set(campaign, pair, top, reference=reference, gold=arguments.gold)
    else:
        raise InputError(
            f"{arguments.set}: neither a folder nor a set of an archive that is here. Name "
            "CAMPAIGN/PAIR and the archive."
        )
    for notice in loaded.notices:
        note(notice)
    if loaded.human.empty:
        raise InputError(f"{arguments.set}: expected human scores of the systems, found none.")
    known = list(loaded.metrics.columns)
    for name in arguments.metric or ():
        if name not in known:
            there = ", ".join(known) or "none"
            raise InputError(
                f"{arguments.set}: no metric {name}{nearest(name, known)}. There are: {there}."
            )
    if not known:
        raise InputError(f"{arguments.set}: expected scores of a metric, found none.")

    # Of segment scores where a metric's system scores are their means.
    tables = []
    for name in arguments.metric or known:
        scores: pd.DataFrame | dict[str, pd.DataFrame] = loaded.metrics[[name]]
        segments = loaded.segment_metrics.get(name)
        if segments is not None:
            means, of_systems = segments.mean().to_numpy(), loaded.metrics[name].to_numpy()
            scores = {name: segments} if same_scores(means, of_systems) else scores
        options = {"resamples": arguments.resamples, "seed": arguments.seed}
        tables.append(correlate(scores, loaded.human, arguments.statistic, **options))
    table = pd.concat(tables, ignore_index=True)
    if arguments.format == "csv":
        print(table.to_csv(index=False, lineterminator="\n"), end="")
        return 0
    print(
        f"{printable(arguments.set)}: {len(loaded.human)} systems, {len(loaded.texts):,} segments, "
        f"human scores: {printable(str(loaded.human.name))}\n"
    )
    # A line for each metric, with the widest kind of interval that it has.
    widest = table[table.over.isin(["systems", "both"])].drop_duplicates(
        ["metric", "statistic"], keep="last"
    )
    form = f".{arguments.width}f"
    lines: dict[str, dict[str, str]] = {}
    over: dict[str, str] = {}
    for row in widest.to_dict("records"):
        value, *ends = (number(row[column], form) for column in ("value", "low", "high"))
        line = lines.setdefault(row["metric"], {"metric": row["metric"]})
        line[row["statistic"]] = f"{value} [{', '.join(ends)}]"
        over[row["metric"]] = "segments and systems" if row["over"] == "both" else "systems"
    rows = [line | {"interval over": over[metric]} for metric, line in lines.items()]
    print(tabulate(rows, headers="keys", tablefmt="plain", disable_numparse=True))
    return 0
