"""Correlate system scores with human scores over all, top-K and random-n systems."""

import numpy as np

from job import run
from mt_difficulty import storage
from mt_difficulty.data.set_files import read_set
from mt_difficulty.evidence.labels import with_difficulty
from mt_difficulty.evidence.set_scores import SetScores
from mt_difficulty.evidence.subsets import (
    correlate_subsets,
    system_subsets,
    top_scores,
    without_outliers,
)
from mt_difficulty.statistics import of_scores


def main(snakemake):
    params, output = snakemake.params, snakemake.output
    files = read_set(params.name, snakemake.input.files)
    scores, gold, groups, left_out = SetScores(files, params.settings), np.array([]), [], {}
    if found := files.optional("evalset.json"):  # else no rows, as in the scores
        found.require_gold()
        gold = np.array(found.gold)
        rng = np.random.default_rng(params.seed)
        groups = system_subsets(gold, params.subsets["sizes"], params.subsets["draws"], rng)
        for subset, chosen, names in without_outliers(found.systems, gold, found.outliers):
            groups.append((subset, chosen[None]))
            left_out[subset] = names
    scored = [(kind, index, scores.quality(index)) for kind, index in groups]
    mean, spread = correlate_subsets(scored, gold, of_scores(params.statistics))
    lower = {metric for metric, one in scores.plain.items() if not one.higher_is_better}
    top = top_scores(scored, scores.systems, lower)
    for path, table in ((output.mean, mean), (output.spread, spread), (output.top_scores, top)):
        if "subset" in table:
            table["left_out"] = [left_out.get(subset, "") for subset in table.subset]
        storage.write_table(path, with_difficulty(table, scores.weightings))


if "snakemake" in globals():
    run(main, snakemake)
