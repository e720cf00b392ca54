"""Where a weighting's correlations stand among those of random difficulties, inverted weights and
random metrics."""

import numpy as np
import pandas as pd

from job import run
from mt_difficulty import storage
from mt_difficulty.data.set_files import read_set
from mt_difficulty.embedding.matches import select
from mt_difficulty.evidence import controls
from mt_difficulty.evidence.counted import PLAIN, baseline
from mt_difficulty.evidence.labels import with_difficulty
from mt_difficulty.evidence.set_scores import SetScores
from mt_difficulty.evidence.subsets import best_systems
from mt_difficulty.statistics import of_scores


def controls_of(scores, settings, systems, draws, seed):
    """Controls of some systems by metric and weighting. Every weighting has the same draws,
    whatever others there are."""
    weighted, found = scores.of(systems), {}
    for name, entry in scores.weightings.items():
        keys, rng = [key for key in weighted if key[1] == name], np.random.default_rng(seed)
        of = settings["weightings"][name]["difficulty"]
        if not keys:
            continue
        if scores.weighting(name).unit == "token":
            for part in scores.parts:
                difficulty = scores.token_difficulty(of, part, systems)
                matches = select(part.matches, systems)
                one = controls.token_control(
                    matches,
                    scores.weighting(name),
                    entry["parameters"],
                    difficulty,
                    scores.counted,
                    draws,
                    rng,
                )
                found |= {(metric, name): one for metric in part.metrics}
        else:
            own = {key: weighted[key] for key in keys}
            difficulty = scores.difficulty(of, systems)[:, scores.counted]
            found |= controls.segment_controls(own, difficulty, draws, rng)
    return found


def subsets(gold, sizes):
    """All systems, and the K best ones, as indices."""
    yield "all", np.arange(len(gold))
    for size in sizes:
        if size < len(gold):
            yield "top", best_systems(gold, size)


def read_values(files, statistics):
    """Statistics by metric, weighting, subset and size, why they are undefined, and, by metric
    and weighting, why scores are missing."""
    found, missing = files.read("correlations.csv"), files.read("missing.csv")
    keys = ["metric", "weighting", "subset", "size"]
    keys = list(found[keys].itertuples(index=False, name=None))
    values = dict(zip(keys, found[statistics].to_numpy(), strict=True))
    missing = {(row.metric, row.weighting): row.reason for row in missing.itertuples()}
    return values, dict(zip(keys, found.reason, strict=True)), missing


def rows(files, scores, gold, params):
    """The rows of the table."""
    statistics = of_scores(params.statistics)
    none = np.full(len(statistics), np.nan)
    values, undefined, reasons = read_values(files, statistics)
    labels = dict.fromkeys([*(key[:2] for key in values), *reasons])
    for subset, systems in subsets(gold, params.top):
        size = len(systems)
        of_subset = controls_of(scores, params.settings, systems, params.draws, params.seed)
        rng = np.random.default_rng(params.seed)
        random = controls.random_metric(gold[systems], params.draws, rng, statistics)
        for metric, weighting in labels:
            if weighting in PLAIN:
                continue
            place = (metric, weighting, subset, size)
            own = values.get(place, none)
            plain = values.get((*baseline(metric, labels), subset, size), none)
            control = of_subset.get((metric, weighting), controls.no_control(size))
            reason = reasons.get((metric, weighting), undefined.get(place))
            for row in controls.describe(
                own, plain, control, gold[systems], random, statistics, reason
            ):
                yield [metric, weighting, subset, size, *row]


def main(snakemake):
    params, table = snakemake.params, []
    files = read_set(params.name, snakemake.input.files)
    scores = SetScores(files, params.settings)
    if found := files.optional("evalset.json"):  # else no rows, as in the scores
        found.require_gold()
        table = rows(files, scores, np.array(found.gold), params)
    frame = pd.DataFrame(table, columns=controls.COLUMNS)
    storage.write_table(snakemake.output[0], with_difficulty(frame, scores.weightings))


if "snakemake" in globals():
    run(main, snakemake)
