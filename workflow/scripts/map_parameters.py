"""Correlations of weightings in two groups over all thresholds and balances, and at their own;
tuned ones beside random difficulties that are tuned likewise."""

import numpy as np
import pandas as pd

from job import run
from mt_difficulty import storage
from mt_difficulty.data.set_files import read_set
from mt_difficulty.errors import Missing
from mt_difficulty.evidence import nulls, surface
from mt_difficulty.evidence.controls import tuned_columns
from mt_difficulty.evidence.labels import with_difficulty
from mt_difficulty.evidence.set_scores import SetScores
from mt_difficulty.weighting.groups import Groups


def grouped(scores):
    """Metrics with segment scores under weightings in two groups of segments: those with a surface,
    also where a set's own parameters are undefined."""
    for metric, plain in scores.plain.items():
        for name, entry in scores.weightings.items():
            if entry["over"] or not isinstance(scores.weighting(name), Groups):
                continue
            if entry["parameters"].get("segments") == plain.statistics.shape[1]:
                yield metric, name


def main(snakemake):
    params, files = snakemake.params, read_set(snakemake.params.name, snakemake.input.files)
    found = files.read("evalset.json")
    found.require_gold()
    gold, scores = np.array(found.gold), SetScores(files, params.settings)
    everything = np.arange(len(found.systems))
    keys, thresholds, grids, frames = list(grouped(scores)), [], [], []
    for metric, weighting in keys:
        entry = scores.weightings[weighting]
        plain = scores.plain[metric].select(segments=scores.counted)
        difficulty = scores.difficulty(entry["difficulty"], everything)[:, scores.counted]
        thresholds.append(surface.thresholds(difficulty))
        grids.append(surface.surface(plain, difficulty, gold))
        given = surface.points(entry, scores.estimator(entry["difficulty"]).has_balance)
        rows = surface.point_rows(plain, difficulty, gold, given, grids[-1])
        frame = pd.DataFrame(rows, columns=surface.POINT_COLUMNS)
        # The same draws for every metric.
        rng = np.random.default_rng(params.seed)
        places = nulls.permutations(difficulty.shape[1], params.draws, rng)
        tuned = {"optimum"} | ({"in force"} if entry["tuned"] else set())
        r = nulls.retuned(plain, difficulty, gold, places)[:, 0]
        frame = frame.join(tuned_columns(frame, tuned, r))
        frame.insert(0, "metric", metric)
        frame.insert(1, "weighting", weighting)
        frames.append(frame)
    if not keys:
        raise Missing("no metric has segment scores in two groups")
    storage.write_arrays(
        snakemake.output.surface,
        quantiles=surface.QUANTILES,
        w=surface.W,
        metrics=[metric for metric, _ in keys],
        weightings=[weighting for _, weighting in keys],
        thresholds=thresholds,
        correlations=grids,
        systems=len(gold),
    )
    found = with_difficulty(pd.concat(frames, ignore_index=True), scores.weightings)
    storage.write_table(snakemake.output.points, found)


if "snakemake" in globals():
    run(main, snakemake)
