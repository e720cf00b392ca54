"""`mt-difficulty layers`: choose an encoder's layer by human scores of another set."""

import argparse
from functools import partial
from pathlib import Path

from tabulate import tabulate
from tqdm import tqdm

from ..data.own_files import pair_of
from ..errors import InputError, Missing, printable
from ..plan.base import ARCHIVE
from ..scoring.judging import find_sets, read_archive_set, read_folder
from ..scoring.layers import layer_table
from ..scoring.parameters import check_parameters
from ..scoring.texts import DELAY
from .report import print_table


def layers(arguments: argparse.Namespace) -> int:
    """Run `layers`: print how BERTScore by each layer correlates with human scores; return 0."""
    check_parameters(lang=arguments.lang, encoder=arguments.encoder)
    found = find_sets(arguments.set, arguments.archive or Path(ARCHIVE), arguments.gold)
    if len(found) > 1:
        raise InputError(f"{arguments.set}: {len(found)} sets. Name one.")
    ((folder, pair),) = found
    try:
        if pair:
            evalset, _ = read_archive_set(
                folder, pair, arguments.reference, arguments.gold, drop_outliers=True
            )
        else:
            evalset, _ = read_folder(folder, pair_of(None, arguments.lang), arguments.reference)
        table = layer_table(
            evalset,
            arguments.encoder,
            segments=arguments.segments,
            seed=arguments.seed,
            progress=partial(tqdm, desc="layers", unit="block", delay=DELAY, disable=None),
        )
    except Missing as reason:
        raise InputError(f"{arguments.set}: {reason}.") from None
    if arguments.format != "text":
        print_table(table, arguments.format)
        return 0
    size = f"{table.segments[0]:,} segments, {table.hypotheses[0]:,} hypotheses"
    gold = evalset.segment_gold_name or evalset.gold_name
    print(printable(f"{evalset.campaign}/{evalset.pair}: {size}, human scores: {gold}"))
    rows = [
        [row.layer, f"{row.pearson:.3f}", f"{row.baseline_f:.3f}", "best" if row.best else ""]
        for row in table.itertuples()
    ]
    print(tabulate(rows, headers=["layer", "r", "baseline", ""], disable_numparse=True))
    return 0
