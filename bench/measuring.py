"""What the benchmarks share: peers that take turns, their costs, and the texts they measure."""

import resource
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "workflow" / "scripts"))

from mt_difficulty.data import download  # noqa: E402
from mt_difficulty.data.build_set import ImportSettings  # noqa: E402
from mt_difficulty.data.import_set import read_evaluation_set  # noqa: E402

REPEATS = 3
ROWS = []  # what `report` was told


class Cost(NamedTuple):
    """Seconds of wall time and of CPU, of child processes too."""

    wall: float
    cpu: float


def now():
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = time.process_time() + children.ru_utime + children.ru_stime
    return np.array([time.perf_counter(), cpu])


def interleave(ways, repeats=REPEATS):
    """Run functions by turns, A B A B …, so that what else the machine does meets all of them.

    Parameters
    ----------
    ways : dict of str to callable
    repeats : int

    Returns
    -------
    costs, results : dict of str to Cost, dict
        Medians, and what each returned last.
    """
    costs, results = {name: [] for name in ways}, {}
    for _ in range(repeats):
        for name, way in ways.items():
            start = now()
            results[name] = way()
            costs[name].append(now() - start)
    return {name: Cost(*np.median(found, axis=0)) for name, found in costs.items()}, results


def report(what, ours, peers):
    """Keep our cost and each peer's for the tables, and print both."""
    for peer, cost in peers.items():
        ROWS.append({"what": what, "peer": peer, "ours": ours, "theirs": cost})
        print(f"{what}: {ours.cpu:.2f} s of CPU, {peer} {cost.cpu:.2f} s", file=sys.stderr)


def compare(what, ways, repeats=REPEATS):
    """Measure and report `ours` against the other ways; gives the results."""
    costs, results = interleave(ways, repeats)
    report(what, costs.pop("ours"), costs)
    return results


def load(source):
    """The evaluation set that is measured: WMT19 En-De of an archive, or the demo's."""
    campaign, reference, gold = ("wmt19", "ref", "wmt-z") if source else ("demo", "refA", "mqm")
    folder = download.unpacked(Path(source or ROOT / "data/demo/archive"), [campaign])
    settings = ImportSettings(campaign, "en-de", reference, gold)
    return read_evaluation_set(folder / campaign, settings)
