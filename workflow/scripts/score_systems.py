"""System scores of every metric under every weighting."""

import numpy as np
import pandas as pd

from job import run
from mt_difficulty import evalset, storage, weighting
from mt_difficulty.errors import Missing
from mt_difficulty.metrics import METRICS

WEIGHTINGS = ("standard", "EE")


def read_ee(entropy_file, difficulty_file):
    """Entropy, h, w and the signature of EE; `Missing` where EE is undefined."""
    difficulty = storage.read_json(difficulty_file)
    h, w = difficulty["h"], difficulty["w"]
    if h is None or w is None:
        raise Missing(" ".join(difficulty["notices"]))
    entropy = storage.read_arrays(entropy_file)["entropy"]
    return entropy, h, w, f"|EE|h:{h:.4g}|w:{w:.4g}|{difficulty['signature']}"


def score(weighted, metric, statistics, ee):
    """System scores and what the weighting adds to the signature."""
    if weighted == "standard":
        return weighting.standard_scores(metric, statistics), ""
    if isinstance(ee, Missing):
        raise ee
    entropy, h, w, signature = ee
    if statistics.shape[1] != entropy.shape[1]:
        raise Missing("only system scores are stored; EE needs segment scores")
    return weighting.ee_scores(metric, statistics, entropy, h, w), signature


def score_all(systems, metrics, files, ee):
    """Rows of system scores, and of what is missing."""
    rows, missing = [], []
    for (name, settings), file in zip(metrics.items(), files, strict=True):
        for weighted in WEIGHTINGS:
            try:
                arrays = storage.read_arrays(file)
                metric = METRICS[settings["type"]]
                scores, added = score(weighted, metric, arrays["statistics"], ee)
            except Missing as reason:
                missing.append((name, weighted, str(reason)))
                continue
            signature = f"{arrays['signature']}{added}"
            rows += [
                (system, name, weighted, value, signature)
                for system, value in zip(systems, scores, strict=True)
            ]
            if np.isnan(scores).any():
                empty = ", ".join(np.array(systems)[np.isnan(scores)])
                missing.append((name, weighted, f"no difficult or no easy hypothesis: {empty}"))
    return rows, missing


def main(snakemake):
    try:
        ee = read_ee(snakemake.input.entropy, snakemake.input.difficulty)
    except Missing as reason:
        ee = reason
    try:
        systems = evalset.load(snakemake.input.evalset).systems
    except Missing:
        systems = []  # its markers stand in the place of the statistics
    metrics, files = snakemake.params.metrics, snakemake.input.statistics
    rows, missing = score_all(systems, metrics, files, ee)
    columns = ["system", "metric", "weighting", "score", "signature"]
    storage.write_table(snakemake.output.scores, pd.DataFrame(rows, columns=columns))
    columns = ["metric", "weighting", "reason"]
    storage.write_table(snakemake.output.missing, pd.DataFrame(missing, columns=columns))


if "snakemake" in globals():
    run(main, snakemake)
