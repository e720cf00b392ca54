"""Correlate system scores with human scores over all, top-K and random-n systems."""

import numpy as np

from job import run
from mt_difficulty import evalset, storage, subset_scores, token_weighting, weighting
from mt_difficulty.correlation import correlate_subsets, top_scores
from mt_difficulty.errors import Missing
from mt_difficulty.metrics import METRICS


def da_scorers(matches_file, settings, entropy_file, difficulty_file):
    """What scores subsets of systems by the subset's own token difficulty, by weighting."""
    matches, _ = token_weighting.rescaled_matches(storage.read_arrays(matches_file))
    difficulty = storage.read_json(difficulty_file)
    groups = [np.ones(matches.hypothesis_lengths.shape, dtype=bool)]
    combined = {}
    if difficulty["h"] is not None and difficulty["w"] is not None:
        difficult = storage.read_arrays(entropy_file)["entropy"] >= difficulty["h"]
        groups += [~difficult, difficult]
        combined["EE-DA"] = lambda index: weighting.balanced(scores(index)[1:], difficulty["w"])
    scores = subset_scores.SubsetScores(matches, settings, np.array(groups))
    return combined | {
        "DA": lambda index: scores(index)[0],
        "DA-LOO": lambda index: scores(index, leave_one_out=True)[0],
    }


def make_scorers(snakemake, systems):
    """What scores subsets of systems, by metric and weighting."""
    frame = storage.read_table(snakemake.input.scores)
    token_scorers = {
        metric: da_scorers(
            file,
            token_weighting.Settings(**snakemake.params.DA),
            snakemake.input.entropy,
            snakemake.input.difficulty,
        )
        for metric, file in zip(snakemake.params.neural, snakemake.input.matches, strict=True)
        if metric in set(frame.metric)
    }
    scorers = {}
    for (metric, weighted), rows in frame.groupby(["metric", "weighting"], sort=False):
        scores = rows.set_index("system").score.reindex(systems).to_numpy()
        scorers[metric, weighted] = token_scorers.get(metric, {}).get(weighted, scores.__getitem__)
    return scorers


def higher_is_better(scorers, metrics):
    """The same scorers, negative where a lower score is better."""
    return {
        (metric, weighted): score
        if METRICS[metrics[metric]["type"]].higher_is_better
        else lambda index, score=score: -score(index)
        for (metric, weighted), score in scorers.items()
    }


def main(snakemake):
    try:
        found = evalset.load(snakemake.input.evalset)
    except Missing:
        systems, gold = [], np.array([])  # no rows, as in the scores
    else:
        found.require_gold()
        systems, gold = found.systems, np.array(found.gold)
    scorers, subsets = make_scorers(snakemake, systems), snakemake.params.subsets
    mean, spread = correlate_subsets(
        higher_is_better(scorers, snakemake.params.metrics),
        gold,
        subsets["sizes"],
        subsets["draws"],
        np.random.default_rng(snakemake.params.seed),
    )
    storage.write_table(snakemake.output.mean, mean)
    storage.write_table(snakemake.output.spread, spread)
    storage.write_table(snakemake.output.top_scores, top_scores(scorers, systems, gold))


if "snakemake" in globals():
    run(main, snakemake)
