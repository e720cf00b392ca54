"""Ablations of the EE weighting on a paper's set."""

import numpy as np

from job import run
from mt_difficulty import evalset, storage
from mt_difficulty.ablation import ablate
from mt_difficulty.metrics import METRICS


def main(snakemake):
    found = evalset.load(snakemake.input.evalset[0])
    difficulty = storage.read_json(snakemake.input.difficulty[0])
    settings = snakemake.params.metrics
    statistics = {
        name: storage.read_arrays(file)["statistics"]
        for name, file in zip(settings, snakemake.input.statistics, strict=True)
    }
    estimate, thresholds = difficulty["estimate"], {}
    for label, threshold in snakemake.params.ablation["thresholds"].items():
        thresholds[label] = threshold["printed"]
        computed = estimate["mu"] + threshold["deviations"] * estimate["sigma"]
        thresholds[f"{label}, computed"] = computed
    frame = ablate(
        {name: METRICS[entry["type"]] for name, entry in settings.items()},
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
