"""Fit weightings to the difficulties of a set, score its systems under them, correlate the scores
with human scores, and compare human rankings on difficult segments with those on the others."""

import numpy as np
import pandas as pd

from job import job
from mt_difficulty import storage
from mt_difficulty.data.evalset import NO_GOLD, documents_of, read_set
from mt_difficulty.errors import Missing
from mt_difficulty.evidence.gains import effective_documents
from mt_difficulty.evidence.nulls import rank_by_difficulties
from mt_difficulty.evidence.subsets import correlation_tables, system_subsets
from mt_difficulty.scores import ScoredSet
from mt_difficulty.statistics import of_scores
from mt_difficulty.tables import TABLES
from mt_difficulty.weighting import fitted
from mt_difficulty.weighting.base import effective_segments

# Tables with a row for each metric and weighting, by the rule's name.
FILES = {
    "scores": "system_scores.csv",
    "missing": "missing.csv",
    "correlations": "correlations.csv",
    "spread": "correlation_spread.csv",
    "top_scores": "top_scores.csv",
}


@job
def main(snakemake):
    params, output = snakemake.params, snakemake.output
    files = read_set(params.name, snakemake.input.files)
    settings = params.settings
    evalset = files.optional("evalset.json")
    described = fitted.describe(
        files,
        evalset.systems if evalset else [],
        settings.difficulties,
        settings.weightings,
        params.tuned,
        sorted(set(settings.matches.values())),
    )
    storage.write_json(output.weightings, described, sort_keys=False)  # the config's order
    files.contents["weightings.json"] = storage.read_json(output.weightings)
    scores = ScoredSet(files, settings)
    signatures = scores.signatures
    missing = dict(scores.missing)
    rows = []
    for (metric, weighting), weighted in scores.of(np.arange(len(scores.systems))).items():
        values = weighted.scores()
        signature = signatures[metric, weighting]
        segments = effective_segments(weighted)
        documents = effective_documents(weighted, documents_of(evalset, scores.counted))
        for i, system in enumerate(scores.systems):
            effective = [segments[i], documents[i]]
            rows.append([system, metric, weighting, values[i], *effective, signature])
        reason = scores.without_score(weighting, values)
        if reason:
            missing[metric, weighting] = reason
    columns = TABLES["system_scores.csv"].names(without=["difficulty"])
    tables = {"scores": pd.DataFrame(rows, columns=columns)}
    try:
        rankings = rank_by_difficulties(
            files, params.controls["draws"], params.seed, params.significance["unit"]
        )
        storage.write_table(output.rankings, rankings, TABLES["difficulty_and_gold.csv"])
    except Missing as no_gold:
        storage.write_missing(output.rankings, str(no_gold))
    reasons = [(*key, reason) for key, reason in missing.items()]
    columns = TABLES["missing.csv"].names(without=["difficulty"])
    tables["missing"] = pd.DataFrame(reasons, columns=columns)
    correlations = ("correlations", "spread", "top_scores")
    if evalset and not evalset.gold:
        for name in correlations:
            storage.write_missing(getattr(output, name), NO_GOLD)
    else:
        subsets = []
        gold = np.empty(0)
        if evalset:
            random = params.random_subsets
            subsets = system_subsets(evalset, random["sizes"], random["draws"], params.seed)
            gold = np.array(evalset.gold)
        frames = correlation_tables(scores, gold, of_scores(params.statistics), subsets)
        tables.update(zip(correlations, frames, strict=True))
    for name, table in tables.items():
        table = fitted.with_difficulty(table, scores.weightings)
        storage.write_table(getattr(output, name), table, TABLES[FILES[name]])
