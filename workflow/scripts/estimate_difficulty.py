"""Estimate one difficulty of an evaluation set."""

import os

import numpy as np

from job import run
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.difficulty import estimate, make_estimator
from mt_difficulty.embedding.matches import rescaled_matches
from mt_difficulty.errors import Missing
from mt_difficulty.metrics import METRICS
from mt_difficulty.metrics.stored import is_without_reference


def read_source(reads, snakemake):
    """What an estimator reads beside the evaluation set, and what that was made from, "" where the
    estimator says so."""
    location, files = snakemake.params.location, snakemake.input.source
    if reads == "campaign" and not location:
        raise Missing("it is read from the archive, and the set is of own files")
    if reads in ("file", "campaign", "model"):
        return location, ""
    if reads is None:
        return None, ""
    if not files:
        what = {"statistics": "scores of its metric", "matches": "token matches"}
        what["consensus"] = "encoder of its metric"
        raise Missing(f"the set has no {what.get(reads, reads)} to estimate it from")
    arrays = storage.read_arrays(files[0])
    if reads == "consensus":
        return arrays["similarity"], ""
    if reads == "matches":
        return rescaled_matches(arrays)[0], "reference"
    if reads == "difficulty":
        return arrays["difficulty"], str(arrays["information"])
    information = "outputs" if is_without_reference(str(arrays["signature"])) else "reference"
    return segment_quality(snakemake.params.metric, arrays["statistics"]), information


def segment_quality(metric, statistics):
    """Segment scores of a metric, (systems, segments), higher is better."""
    if statistics.shape[1] == 1:
        raise Missing("the metric has no segment scores, only those of systems")
    kind = METRICS[metric["type"]]
    return kind.segment_scores(statistics) * (1 if kind.higher_is_better else -1)


def main(snakemake):
    found = evalset.load(snakemake.input.evalset)
    os.environ["HF_HUB_OFFLINE"] = "1"  # before an estimator imports transformers
    estimator = make_estimator(snakemake.params.settings)
    estimator.threads = snakemake.threads
    source, information = read_source(estimator.reads, snakemake)
    values, difficulty = estimate(estimator, found, source)
    absent = np.count_nonzero(np.isnan(difficulty))
    # Of human scores, which need not be of all hypotheses, those that are there can be judged.
    if absent and (not estimator.uses_gold or absent == difficulty.size):
        raise Missing(f"{absent} of {difficulty.size} hypotheses have no difficulty")
    kept = {"values": values} if estimator.depends_on_systems else {}
    storage.write_arrays(
        snakemake.output[0],
        difficulty=difficulty,
        systems=found.systems,
        signature=estimator.signature,
        information=information or estimator.information,
        **kept,
        **estimator.details,
    )


if "snakemake" in globals():
    run(main, snakemake)
