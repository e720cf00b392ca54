"""`mt-difficulty correlate`: agreement of metric scores with human scores, with intervals."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InputError, nearest, printable
from ..interface.settings import RESAMPLES, SEED
from . import note, show
from .argument_types import count, digits, resamples
from .set_arguments import add_archive

if TYPE_CHECKING:
    import pandas as pd

    from ..interface.loading import LoadedSet

CORRELATE = """\
How well metric scores of an evaluation set agree with its human scores, over systems, with 95 %
intervals. SET is a folder of your own files with gold.tsv and scores/<metric>.tsv, or a set of the
archive such as wmt23/en-de. Where a metric's system score is the mean of its segment scores, the
interval is over segments and systems: others of the same kind. Of other metrics, such as BLEU, it
is over systems alone. With few systems it is wide: r = 0.9 over 12 systems has 0.67 to 0.97.

Statistics: pearson (r), spearman (rho), kendall (tau-b), accuracy (the share of pairs of systems
that are ordered as by the human scores, 0 to 1); the first three go from -1 to 1; higher is better.
How weightings by difficulty change them, a run of the pipeline computes (docs/own_pair.md)."""
STATISTICS = ("pearson", "spearman", "kendall", "accuracy")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `mt-difficulty correlate`."""
    parser.add_argument("set", metavar="SET", help="a folder of own files, or CAMPAIGN/PAIR")
    add_archive(parser)
    parser.add_argument(
        "-m", "--metric", nargs="+", metavar="METRIC", help="metrics of the set (default: all)"
    )
    parser.add_argument(
        "--statistic",
        nargs="+",
        default=STATISTICS,
        choices=STATISTICS,
        metavar="STATISTIC",
        help=f"one or more of {', '.join(STATISTICS)} (default: all)",
    )
    parser.add_argument("--reference", metavar="NAME", help="the reference of a stored metric")
    parser.add_argument(
        "--gold", metavar="NAME", help="human scores of a set of the archive, such as mqm"
    )
    parser.add_argument(
        "--resamples",
        type=resamples,
        default=RESAMPLES,
        metavar="N",
        help=f"bootstrap resamples of the segments (default: {RESAMPLES})",
    )
    parser.add_argument(
        "--seed",
        type=count,
        default=SEED,
        metavar="N",
        help=f"of the resamples: equal seeds, equal output (default: {SEED})",
    )
    parser.add_argument(
        "-w",
        "--width",
        type=digits,
        default=3,
        metavar="N",
        help="digits after the point, in text (default: 3)",
    )
    parser.add_argument(
        "--format",
        default="text",
        choices=["text", "csv"],
        help="text: a line for each metric; csv: a line for each metric, statistic and kind of "
        "interval, with all digits (default: text)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the correlations of a set's stored metrics."""
    found = _load(arguments)
    for notice in found.notices:
        note(notice)
    if found.human.empty:
        raise InputError(f"{arguments.set}: expected human scores of the systems, found none.")
    table = correlations(found, arguments)
    if arguments.format == "csv":
        show(table.to_csv(index=False, lineterminator="\n"))
        return 0
    people = f"{len(found.human)} systems, {len(found.texts):,} segments, human scores: "
    people += printable(str(found.human.name))
    show(f"{printable(arguments.set)}: {people}\n\n{_text(table, arguments.width)}\n")
    return 0


def _load(arguments: argparse.Namespace) -> LoadedSet:
    from ..data import download
    from ..data.sources import pair_of
    from ..interface.loading import load_folder, load_set
    from ..run.plan import ARCHIVE

    folder = Path(arguments.set)
    if folder.is_dir():
        return load_folder(folder, pair_of(None, None), reference=arguments.reference)
    campaign, _, pair = arguments.set.partition("/")
    archive = arguments.archive or Path(ARCHIVE)
    if not pair or not archive.exists():
        raise InputError(
            f"{arguments.set}: neither a folder nor a set of an archive that is here. Name "
            "CAMPAIGN/PAIR and --archive PATH."
        )
    top = download.unpacked(archive, [campaign])
    return load_set(campaign, pair, top, reference=arguments.reference, gold=arguments.gold)


def correlations(found: LoadedSet, arguments: argparse.Namespace) -> pd.DataFrame:
    """`correlate` of each metric: of its segment scores where system scores are their means."""
    import pandas as pd

    from ..evidence.counted import same_scores
    from ..interface.correlation import correlate

    known = list(found.metrics.columns)
    for name in arguments.metric or ():
        if name not in known:
            there = ", ".join(known) or "none"
            raise InputError(
                f"{arguments.set}: no metric {name}{nearest(name, known)}. There are: {there}."
            )
    if not known:
        raise InputError(f"{arguments.set}: expected scores of a metric, found none.")
    tables = []
    for name in arguments.metric or known:
        own, of_segments = found.metrics[[name]], found.segment_metrics.get(name)
        mean = of_segments is not None and same_scores(
            of_segments.mean().to_numpy(), own[name].to_numpy()
        )
        tables.append(
            correlate(
                {name: of_segments} if of_segments is not None and mean else own,
                found.human,
                arguments.statistic,
                resamples=arguments.resamples,
                seed=arguments.seed,
            )
        )
    return pd.concat(tables, ignore_index=True)


def _text(table: pd.DataFrame, width: int) -> str:
    """A line for each metric, with the widest kind of interval that it has."""
    from tabulate import tabulate

    from .rows import defined

    widest = table[table.over.isin(["systems", "both"])].drop_duplicates(
        ["metric", "statistic"], keep="last"
    )
    form = f".{width}f"
    lines: dict[str, dict[str, str]] = {}
    for row in widest.to_dict("records"):
        value, *ends = (defined(row[column], form) for column in ("value", "low", "high"))
        line = lines.setdefault(row["metric"], {"metric": row["metric"]})
        line[row["statistic"]] = f"{value} [{', '.join(ends)}]"
        line["over"] = "segments and systems" if row["over"] == "both" else "systems"
    # What intervals are over stands last.
    rows = [line | {"interval over": line.pop("over")} for line in lines.values()]
    return tabulate(rows, headers="keys", tablefmt="plain", disable_numparse=True)
