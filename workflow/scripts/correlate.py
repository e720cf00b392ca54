"""Correlate system scores with human scores over all, top-K and random-n systems."""

import numpy as np

from job import run
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.errors import Missing
from mt_difficulty.evidence.set_scores import SetScores
from mt_difficulty.evidence.subsets import correlate_subsets, system_subsets, top_scores
from mt_difficulty.statistics import of_scores


def main(snakemake):
    params, output = snakemake.params, snakemake.output
    try:
        found = evalset.load(snakemake.input.evalset)
    except Missing:
        systems, gold = [], np.array([])  # no rows, as in the scores
    else:
        found.require_gold()
        systems, gold = found.systems, np.array(found.gold)
    scores, rng = SetScores(snakemake.input, params), np.random.default_rng(params.seed)
    groups = system_subsets(gold, params.subsets["sizes"], params.subsets["draws"], rng)
    scored = [(kind, index, scores.quality(index)) for kind, index in groups]
    mean, spread = correlate_subsets(scored, gold, of_scores(params.statistics))
    storage.write_table(output.mean, mean)
    storage.write_table(output.spread, spread)
    lower = {metric for (metric, _), one in scores.plain.items() if not one.higher_is_better}
    storage.write_table(output.top_scores, top_scores(scored, systems, lower))


if "snakemake" in globals():
    run(main, snakemake)
