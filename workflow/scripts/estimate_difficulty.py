"""Estimate one difficulty of an evaluation set."""

import os

import numpy as np

from job import job
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.difficulty import estimate, make_estimator
from mt_difficulty.embedding import rescaled_matches
from mt_difficulty.errors import Missing
from mt_difficulty.metrics import METRICS
from mt_difficulty.metrics.stored import is_without_reference

# Words for the results that an estimator reads, where they differ from the key.
READ = {
    "statistics": "scores of its metric",
    "matches": "token matches",
    "consensus": "encoder of its metric",
}


def read_source(reads, snakemake):
    """Return the estimator's input besides the evaluation set, and the information that this input
    uses (`difficulty.base.INFORMATION`; "" if the estimator states it)."""
    location = snakemake.params.location
    files = snakemake.input.source
    if reads == "campaign" and not location:
        raise Missing("it is read from the archive, and the set is of own files")
    if reads in (None, "file", "campaign", "model"):
        return location if reads else None, ""
    if not files:
        raise Missing(f"the set has no {READ.get(reads, reads)} to estimate it from")
    arrays = storage.read_arrays(files[0])
    if reads == "consensus":
        return arrays["similarity"], ""
    if reads == "matches":
        return rescaled_matches(arrays)[0], "reference"
    if reads == "difficulty":
        return arrays["difficulty"], str(arrays["information"])
    if arrays["statistics"].shape[1] == 1:
        raise Missing("the metric has no segment scores, only those of systems")
    kind = METRICS[snakemake.params.metric.type]
    quality = kind.segment_quality(arrays["statistics"])
    if is_without_reference(str(arrays["signature"])):
        return quality, "outputs"
    return quality, "reference"


@job
def main(snakemake):
    texts = evalset.load(snakemake.input.evalset)
    os.environ["HF_HUB_OFFLINE"] = "1"  # before an estimator imports transformers
    estimator = make_estimator(snakemake.params.settings)
    estimator.threads = snakemake.threads
    source, information = read_source(estimator.reads, snakemake)
    values, difficulty = estimate(estimator, texts, source)
    absent = np.count_nonzero(np.isnan(difficulty))
    # Human scores need not be of all hypotheses.
    if absent and (not estimator.uses_gold or absent == difficulty.size):
        raise Missing(f"{absent} of {difficulty.size} hypotheses have no difficulty")
    arrays = dict(estimator.details)
    if estimator.depends_on_systems:
        arrays["values"] = values
    storage.write_arrays(
        snakemake.output[0],
        difficulty=difficulty,
        systems=texts.systems,
        signature=estimator.signature,
        information=information or estimator.information,
        **arrays,
    )
