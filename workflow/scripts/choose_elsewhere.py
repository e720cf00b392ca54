"""Choose thresholds and easy weights of weightings in two groups for every campaign: those that are
best on the other development campaigns."""

from contextlib import suppress

import numpy as np

from job import job
from mt_difficulty import storage
from mt_difficulty.data.evalset import read_set
from mt_difficulty.errors import Missing
from mt_difficulty.evidence.parameters import QUANTILES, W, best_point, surface
from mt_difficulty.evidence.study import sample_of
from mt_difficulty.scores import ScoredSet

NO_OTHER = "no development set of another campaign has correlations in two groups"


def mean_surfaces(files, settings, bases):
    """Average Pearson's r over metrics of texts at every grid point, by weighting."""
    evalset, means = files.read("evalset.json"), {}
    scores, sample = ScoredSet(files, settings), sample_of(evalset)
    for base in bases & settings.weightings.keys():
        name = settings.weightings[base].difficulty
        if scores.difficulties[name]["missing"]:
            continue
        difficulty = scores.difficulty(name, sample.systems)[:, sample.segments]
        grids = [
            surface(plain.select(sample.systems, sample.segments), difficulty, sample.gold)[0]
            for metric, plain in scores.plain.items()
            if settings.metrics[metric].type != "stored"
        ]
        mean = np.mean(grids, axis=0) if grids else np.nan
        if np.isfinite(mean).any():
            means[base] = mean
    return means


def chosen(grids, campaigns, elsewhere):
    """Choose parameters by weighting and campaign, from grids by set and weighting."""
    parameters = {weighting: {} for weighting in elsewhere}
    for weighting, base in elsewhere.items():
        for campaign in sorted(set(campaigns.values())):
            known = {name: means[base] for name, means in grids.items() if base in means}
            others = {name: grid for name, grid in known.items() if campaigns[name] != campaign}
            point = best_point(np.array(list(others.values()))) if others else None
            entry = {"sets": list(others), "missing": NO_OTHER}
            if point is not None:
                threshold, easy_weight = f"hypotheses_{QUANTILES[point[0]]}", float(W[point[1]])
                entry |= {"missing": "", "threshold": threshold, "easy_weight": easy_weight}
            parameters[weighting][campaign] = entry
    return parameters


@job
def main(snakemake):
    params, grids = snakemake.params, {}
    for name, settings in params.sets.items():
        with suppress(Missing):  # a set without texts or human scores
            files = read_set(name, snakemake.input.files)
            grids[name] = mean_surfaces(files, settings, set(params.elsewhere.values()))
    storage.write_json(snakemake.output[0], chosen(grids, params.campaigns, params.elsewhere))
