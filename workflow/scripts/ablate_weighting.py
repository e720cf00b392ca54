"""Compare variants of a weighting in two groups on a paper's set (ablations)."""

import numpy as np

from job import job
from mt_difficulty import storage
from mt_difficulty.data.evalset import read_set
from mt_difficulty.errors import Missing
from mt_difficulty.evidence.parameters import ablate
from mt_difficulty.scores import ScoredSet
from mt_difficulty.tables import TABLES


@job
def main(snakemake):
    params = snakemake.params
    files = read_set(params.name, snakemake.input.files)
    scores = ScoredSet(files, params.settings)
    weighting = params.ablation["weighting"]
    entry = scores.weightings[weighting]
    if entry["missing"]:
        raise Missing(entry["missing"])
    estimate = entry["parameters"]["estimate"]
    thresholds = {}
    for label, threshold in params.ablation["thresholds"].items():
        thresholds[label] = threshold.printed
        thresholds[f"{label}, computed"] = estimate["mu"] + threshold.deviations * estimate["sigma"]
    plains = {
        name: scores.plain[name].select(segments=scores.counted)
        for name in params.metrics
        if name in scores.plain
    }
    all_systems = np.arange(len(scores.systems))
    difficulty = scores.difficulty(scores.difficulty_of(weighting), all_systems)
    table = ablate(
        plains,
        difficulty[:, scores.counted],
        np.array(files.read("evalset.json").gold),
        entry["parameters"]["h"],
        entry["parameters"]["w"],
        thresholds,
        params.ablation["splits"],
        weighting,
        files.read("correlations.csv"),
        np.random.default_rng(params.seed),
    )
    storage.write_table(snakemake.output[0], table, TABLES["ablation.csv"])
