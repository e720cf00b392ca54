"""EE's correlations over all thresholds and balances, and at the set's own ones."""

from contextlib import suppress

import numpy as np
import pandas as pd

from job import run
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.errors import Missing
from mt_difficulty.evidence import surface
from mt_difficulty.metrics import METRICS
from mt_difficulty.weighting.base import WeightedMetric


def main(snakemake):
    found = evalset.load(snakemake.input.evalset)
    found.require_gold()
    gold = np.array(found.gold)
    entropy = storage.read_arrays(snakemake.input.entropy)["entropy"]
    given = surface.points(storage.read_json(snakemake.input.difficulty))
    grids, rows = {}, []
    for (name, settings), file in zip(
        snakemake.params.metrics.items(), snakemake.input.statistics, strict=True
    ):
        with suppress(Missing):  # the set's missing.csv has the reason
            statistics = storage.read_arrays(file)["statistics"]
            if statistics.shape[1] != entropy.shape[1]:
                continue  # only system scores are stored
            plain = WeightedMetric.standard(METRICS[settings["type"]], statistics)
            grids[name] = surface.surface(plain, entropy, gold)
            rows += surface.point_rows(name, plain, entropy, gold, given, grids[name])
    if not grids:
        raise Missing("no metric has segment scores")
    storage.write_arrays(
        snakemake.output.surface,
        h=surface.H,
        w=surface.W,
        metrics=list(grids),
        correlations=list(grids.values()),
        systems=len(gold),
    )
    columns = surface.POINT_COLUMNS
    storage.write_table(snakemake.output.points, pd.DataFrame(rows, columns=columns))


if "snakemake" in globals():
    run(main, snakemake)
