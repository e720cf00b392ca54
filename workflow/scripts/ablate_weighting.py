"""Ablations of a weighting in groups on a paper's set."""

import numpy as np

from job import run
from mt_difficulty import storage
from mt_difficulty.data.set_files import read_set
from mt_difficulty.errors import Missing
from mt_difficulty.evidence.parameters import ablate
from mt_difficulty.metrics import METRICS


def main(snakemake):
    params, files = snakemake.params, read_set(snakemake.params.name, snakemake.input.files)
    weighting, asked = params.ablation["weighting"], params.ablation["thresholds"]
    entry = files.read("weightings.json")["weightings"][weighting]
    if entry["missing"]:
        raise Missing(entry["missing"])
    parameters, metrics, statistics, thresholds = entry["parameters"], {}, {}, {}
    for name, metric in params.metrics.items():
        arrays = files.optional(f"statistics/{name}.npz")
        if arrays:  # or the set's missing.csv has the reason
            statistics[name], metrics[name] = arrays["statistics"], METRICS[metric["type"]]
    mu, sigma = (parameters["estimate"][name] for name in ("mu", "sigma"))
    for label, threshold in asked.items():
        thresholds[label] = threshold["printed"]
        thresholds[f"{label}, computed"] = mu + threshold["deviations"] * sigma
    difficulty = params.settings["weightings"][weighting]["difficulty"]
    frame = ablate(
        metrics,
        statistics,
        files.read(f"difficulty/{difficulty}.npz")["difficulty"],
        np.array(files.read("evalset.json").gold),
        parameters["h"],
        parameters["w"],
        thresholds,
        params.ablation["splits"],
        weighting,
        np.random.default_rng(params.seed),
    )
    storage.write_table(snakemake.output[0], frame)


if "snakemake" in globals():
    run(main, snakemake)
