"""Where a weighting's correlations stand among those of random difficulties, inverted weights and
random metrics."""

import numpy as np
import pandas as pd

from job import run
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.errors import Missing
from mt_difficulty.evidence import controls
from mt_difficulty.evidence.set_scores import SetScores
from mt_difficulty.evidence.subsets import best_systems
from mt_difficulty.statistics import of_scores
from mt_difficulty.weighting import tokens as token_weighting


def controls_of(scores, systems, draws, seed):
    """Controls of some systems by metric and weighting."""
    rng = np.random.default_rng(seed)
    grouped = {k: one for k, one in scores.of(systems).items() if one.weights is not None}
    found = controls.ee_controls(grouped, draws, rng)
    for metrics, matches in scores.matches:
        part = token_weighting.select(matches, systems)
        of_tokens = controls.da_controls(part, scores.DA, draws, rng)
        found |= {(m, weighting): one for m in metrics for weighting, one in of_tokens.items()}
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
    found, missing = storage.read_table(files.correlations), storage.read_table(files.missing)
    keys = ["metric", "weighting", "subset", "size"]
    keys = list(found[keys].itertuples(index=False, name=None))
    values = dict(zip(keys, found[statistics].to_numpy(), strict=True))
    missing = {(row.metric, row.weighting): row.reason for row in missing.itertuples()}
    return values, dict(zip(keys, found.reason, strict=True)), missing


def rows(snakemake, gold):
    """The rows of the table."""
    params = snakemake.params
    statistics = of_scores(params.statistics)
    none = np.full(len(statistics), np.nan)
    values, undefined, reasons = read_values(snakemake.input, statistics)
    labels = dict.fromkeys([*(key[:2] for key in values), *reasons])
    scores = SetScores(snakemake.input, params)
    for subset, systems in subsets(gold, params.top):
        size = len(systems)
        of_subset = controls_of(scores, systems, params.draws, params.seed)
        rng = np.random.default_rng(params.seed)
        random = controls.random_metric(gold[systems], params.draws, rng, statistics)
        for metric, weighting in labels:
            if weighting == "standard":
                continue
            place = (metric, weighting, subset, size)
            own = values.get(place, none)
            plain = values.get((metric, "standard", subset, size), none)
            control = of_subset.get((metric, weighting), controls.no_control(size))
            reason = reasons.get((metric, weighting), undefined.get(place))
            for row in controls.describe(
                own, plain, control, gold[systems], random, statistics, reason
            ):
                yield [metric, weighting, subset, size, *row]


def main(snakemake):
    try:
        found = evalset.load(snakemake.input.evalset)
    except Missing:
        table = []  # no rows, as in the scores
    else:
        found.require_gold()
        table = rows(snakemake, np.array(found.gold))
    storage.write_table(snakemake.output[0], pd.DataFrame(table, columns=controls.COLUMNS))


if "snakemake" in globals():
    run(main, snakemake)
