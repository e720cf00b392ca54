"""System scores of every metric under every weighting."""

import numpy as np
import pandas as pd

from job import run
from mt_difficulty import evalset, storage, weighting
from mt_difficulty.errors import Missing
from mt_difficulty.metrics import METRICS

WEIGHTINGS = ("standard", "EE")


def score(weighted, metric, statistics, difficulty_file, entropy_file):
    """System scores and what the weighting adds to the signature."""
    if weighted == "standard":
        return weighting.standard_scores(metric, statistics), ""
    if statistics.shape[1] == 1:
        raise Missing("only system scores are stored; EE needs segment scores")
    difficulty = storage.read_json(difficulty_file)
    h, w = difficulty["h"], difficulty["w"]
    if h is None or w is None:
        raise Missing(" ".join(difficulty["notices"]))
    entropy = storage.read_arrays(entropy_file)["entropy"]
    settings = f"|EE|h:{h:.4g}|w:{w:.4g}|{difficulty['signature']}"
    return weighting.ee_scores(metric, statistics, entropy, h, w), settings


def main(snakemake):
    found = evalset.load(snakemake.input.evalset)
    rows, missing = [], []
    for (name, settings), file in zip(
        snakemake.params.metrics.items(), snakemake.input.statistics, strict=True
    ):
        for weighted in WEIGHTINGS:
            try:
                arrays = storage.read_arrays(file)
                scores, added = score(
                    weighted,
                    METRICS[settings["type"]],
                    arrays["statistics"],
                    snakemake.input.difficulty,
                    snakemake.input.entropy,
                )
            except Missing as reason:
                missing.append((name, weighted, str(reason)))
                continue
            signature = f"{arrays['signature']}{added}"
            rows += [
                (system, name, weighted, value, signature)
                for system, value in zip(found.systems, scores, strict=True)
            ]
            if np.isnan(scores).any():
                systems = ", ".join(np.array(found.systems)[np.isnan(scores)])
                missing.append((name, weighted, f"no difficult or no easy hypothesis: {systems}"))
    columns = ["system", "metric", "weighting", "score", "signature"]
    storage.write_table(snakemake.output.scores, pd.DataFrame(rows, columns=columns))
    columns = ["metric", "weighting", "reason"]
    storage.write_table(snakemake.output.missing, pd.DataFrame(missing, columns=columns))


if "snakemake" in globals():
    run(main, snakemake)
