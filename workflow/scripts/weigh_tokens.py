"""Token difficulty, and DA-weighted precision and recall of every hypothesis."""

import numpy as np

from job import run
from mt_difficulty import storage
from mt_difficulty.weighting import tokens as token_weighting


def main(snakemake):
    arrays = storage.read_arrays(snakemake.input.matches)
    matches, signature = token_weighting.rescaled_matches(arrays)
    settings = token_weighting.Tokens(**snakemake.params.DA)
    statistics = {}
    for name, others in (("statistics", False), ("leave_one_out", True)):
        difficulty = token_weighting.token_difficulty(matches.reference_similarity, others)
        statistics[name] = token_weighting.segment_scores(matches, difficulty, settings)
        if not others:
            statistics["difficulty"] = difficulty[0].astype(np.float32)
    storage.write_arrays(
        snakemake.output[0],
        **statistics,
        systems=arrays["systems"],
        signature=signature + settings.signature(),
    )


if "snakemake" in globals():
    run(main, snakemake)
