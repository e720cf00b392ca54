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
    """Average Pearson's r over metrics of texts at every grid point.

    Parameters
    ----------
    files : SetFiles
        Results of the set.
    settings : ScoreSettings
        Metrics, difficulties and weightings of the set.
    bases : set of str
        Names of weightings in two groups.

    Returns
    -------
    dict of str to ndarray
        Mean r by weighting, of those with a finite r.
    """
    evalset = files.read("evalset.json")
    scores = ScoredSet(files, settings)
    sample = sample_of(evalset)
    means = {}
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


def choose_parameters(grids, campaigns, elsewhere):
    """Choose the parameters that are best on the sets of other campaigns.

    Parameters
    ----------
    grids : dict of str to dict of str to ndarray
        Mean r at every grid point, by set and weighting (`mean_surfaces`).
    campaigns : dict of str to str
        Campaigns by set.
    elsewhere : dict of str to str
        By weighting with parameters from other sets, the weighting in two groups.

    Returns
    -------
    dict
        By weighting and campaign: `sets`, `threshold` and `easy_weight`; or `missing`, the reason
        why there are none.
    """
    parameters = {weighting: {} for weighting in elsewhere}
    for weighting, base in elsewhere.items():
        for campaign in sorted(set(campaigns.values())):
            others = {
                name: means[base]
                for name, means in grids.items()
                if base in means and campaigns[name] != campaign
            }
            point = best_point(np.array(list(others.values()))) if others else None
            entry = {"sets": list(others), "missing": NO_OTHER}
            if point is not None:
                quantile, w = point
                entry["missing"] = ""
                entry["threshold"] = f"hypotheses_{QUANTILES[quantile]}"
                entry["easy_weight"] = float(W[w])
            parameters[weighting][campaign] = entry
    return parameters


@job
def main(snakemake):
    params = snakemake.params
    grids = {}
    for name, settings in params.sets.items():
        with suppress(Missing):  # a set without texts or human scores
            files = read_set(name, snakemake.input.files)
            grids[name] = mean_surfaces(files, settings, set(params.elsewhere.values()))
    parameters = choose_parameters(grids, params.campaigns, params.elsewhere)
    storage.write_json(snakemake.output[0], parameters)
