"""Ablations of the EE weighting on a paper's set."""

from contextlib import suppress

import numpy as np

from job import run
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.errors import Missing
from mt_difficulty.evidence.ablation import ablate
from mt_difficulty.metrics import METRICS


def main(snakemake):
    found = evalset.load(snakemake.input.evalset[0])
    difficulty = storage.read_json(snakemake.input.difficulty[0])
    if difficulty["h"] is None or difficulty["w"] is None:
        raise Missing(" ".join(difficulty["notices"]))
    metrics, statistics = {}, {}
    for (name, entry), file in zip(
        snakemake.params.metrics.items(), snakemake.input.statistics, strict=True
    ):
        with suppress(Missing):  # the set's missing.csv has the reason
            statistics[name] = storage.read_arrays(file)["statistics"]
            metrics[name] = METRICS[entry["type"]]
    estimate, thresholds = difficulty["estimate"], {}
    for label, threshold in snakemake.params.ablation["thresholds"].items():
        thresholds[label] = threshold["printed"]
        computed = estimate["mu"] + threshold["deviations"] * estimate["sigma"]
        thresholds[f"{label}, computed"] = computed
    frame = ablate(
        metrics,
        statistics,
        storage.read_arrays(snakemake.input.entropy)["entropy"],
        np.array(found.gold),
        difficulty["h"],
        difficulty["w"],
        thresholds,
        snakemake.params.ablation["splits"],
        np.random.default_rng(snakemake.params.seed),
    )
    storage.write_table(snakemake.output[0], frame)


if "snakemake" in globals():
    run(main, snakemake)
