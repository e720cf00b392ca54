"""Thresholds and easy weights of weightings in two groups, for every campaign those that were best
on the development campaigns other than itself."""

from contextlib import suppress

import numpy as np

from job import run
from mt_difficulty import storage
from mt_difficulty.data.set_files import read_set
from mt_difficulty.errors import Missing
from mt_difficulty.evidence import parameters
from mt_difficulty.evidence.joint import inliers, sample_of
from mt_difficulty.evidence.set_scores import SetScores

NO_OTHER = "no development set of another campaign has correlations in two groups"


def grids_of(files, settings, bases):
    """Pearson's r over the grid by weighting, means over the metrics that are computed of texts."""
    found = files.read("evalset.json")
    scores = SetScores(files, settings)
    sample = sample_of(found, inliers(found))
    for base in bases & settings["weightings"].keys():
        name = settings["weightings"][base]["difficulty"]
        if scores.difficulties[name]["missing"]:
            continue
        difficulty = scores.difficulty(name, sample.systems)[:, sample.segments]
        grids = [
            parameters.surface(
                plain.select(sample.systems, sample.segments), difficulty, sample.gold
            )
            for metric, plain in scores.plain.items()
            if settings["metrics"][metric]["type"] != "stored"
        ]
        mean = np.mean([grid[0] for grid in grids], axis=0) if grids else np.nan
        if np.isfinite(mean).any():
            yield base, mean


def chosen(grids, campaigns, elsewhere):
    """Parameters by weighting and campaign, from grids by set and weighting."""
    found = {name: {} for name in elsewhere}
    for name, base in elsewhere.items():
        for campaign in sorted(set(campaigns.values())):
            others = {
                each: of[base]
                for each, of in grids.items()
                if campaigns[each] != campaign and base in of
            }
            point = parameters.best_point(np.array(list(others.values()))) if others else None
            entry = {"sets": list(others), "missing": NO_OTHER}
            if point is not None:
                entry["missing"] = ""
                entry["threshold"] = f"hypotheses_{parameters.QUANTILES[point[0]]}"
                entry["easy_weight"] = float(parameters.W[point[1]])
            found[name][campaign] = entry
    return found


def main(snakemake):
    params, grids = snakemake.params, {}
    for name, settings in params.sets.items():
        with suppress(Missing):  # a set without texts or human scores
            files = read_set(name, snakemake.input.files)
            grids[name] = dict(grids_of(files, settings, set(params.elsewhere.values())))
    storage.write_json(snakemake.output[0], chosen(grids, params.campaigns, params.elsewhere))


if "snakemake" in globals():
    run(main, snakemake)
