"""Correlate system scores with human scores over all, top-K and random-n systems."""

import numpy as np

from job import run
from mt_difficulty import evalset, storage
from mt_difficulty.correlation import correlate_subsets
from mt_difficulty.errors import Missing
from mt_difficulty.metrics import METRICS


def main(snakemake):
    try:
        found = evalset.load(snakemake.input.evalset)
        systems, gold = found.systems, found.gold
    except Missing:
        systems, gold = [], []  # no rows, as in the scores
    frame = storage.read_table(snakemake.input.scores)
    kinds = {name: settings["type"] for name, settings in snakemake.params.metrics.items()}
    labels, scores = [], []
    for (metric, weighting), group in frame.groupby(["metric", "weighting"], sort=False):
        sign = 1 if METRICS[kinds[metric]].higher_is_better else -1
        labels.append((metric, weighting))
        scores.append(sign * group.set_index("system").score.reindex(systems).to_numpy())
    subsets = snakemake.params.subsets
    mean, spread = correlate_subsets(
        labels,
        np.array(scores).reshape(len(labels), len(systems)),
        np.array(gold),
        subsets["sizes"],
        subsets["draws"],
        np.random.default_rng(snakemake.params.seed),
    )
    storage.write_table(snakemake.output.mean, mean)
    storage.write_table(snakemake.output.spread, spread)


if "snakemake" in globals():
    run(main, snakemake)
