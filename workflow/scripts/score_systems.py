"""System scores of every metric under every weighting."""

from pathlib import Path

import numpy as np
import pandas as pd

from job import run
from mt_difficulty import storage
from mt_difficulty.errors import Missing
from mt_difficulty.metrics import METRICS
from mt_difficulty.weighting.base import WeightedMetric
from mt_difficulty.weighting.groups import Groups
from mt_difficulty.weighting.tokens import Tokens

# What is particular to an array of statistics.
SIGNATURES = {"leave_one_out": "|difficulty:others"}


class EE:
    """The EE weighting of a set: its entropy, h, w and signature, or why there is none."""

    def __init__(self, entropy_file, difficulty_file):
        self.missing = None
        try:
            difficulty = storage.read_json(difficulty_file)
            self.h, self.w = difficulty["h"], difficulty["w"]
            if self.h is None or self.w is None:
                raise Missing(" ".join(difficulty["notices"]))
            self.entropy = storage.read_arrays(entropy_file)["entropy"]
            self.signature = f"{Groups().signature(difficulty)}|{difficulty['signature']}"
        except Missing as reason:
            self.missing = reason

    def scores(self, metric, statistics):
        if self.missing:
            raise self.missing
        if statistics.shape[1] != self.entropy.shape[1]:
            raise Missing("only system scores are stored; EE needs segment scores")
        plain = WeightedMetric(metric.aggregate, statistics)
        return plain.in_groups(self.entropy >= self.h, self.w).scores()


def score(kind, metric, statistics, signature, ee):
    """System scores, plain or with EE, and their signature."""
    if kind == "standard":
        return WeightedMetric(metric.aggregate, statistics).scores(), signature
    return ee.scores(metric, statistics), signature + ee.signature


def score_statistics(name, metric, file, key, weightings, ee):
    """Rows of scores and of what is missing, from one array of statistics.

    `weightings` names what the statistics' standard and EE scores are: those of DA statistics
    are called DA and EE-DA.
    """
    try:
        arrays = storage.read_arrays(file)
    except Missing as reason:
        return [], [(name, weighted, str(reason)) for weighted in weightings.values()]
    rows, missing, systems = [], [], arrays["systems"]
    for kind, weighted in weightings.items():
        try:
            signature = f"{arrays['signature']}{SIGNATURES.get(key, '')}"
            scores, signature = score(kind, metric, arrays[key], signature, ee)
        except Missing as reason:
            missing.append((name, weighted, str(reason)))
            continue
        rows += [
            (system, name, weighted, value, signature)
            for system, value in zip(systems, scores, strict=True)
        ]
        if np.isnan(scores).any():
            empty = ", ".join(systems[np.isnan(scores)])
            why = "no difficult or no easy hypothesis" if kind == "EE" else "the score is undefined"
            missing.append((name, weighted, f"{why}: {empty}"))
    return rows, missing


def main(snakemake):
    ee = EE(snakemake.input.entropy, snakemake.input.difficulty)
    metrics, token_settings = snakemake.params.metrics, Tokens(**snakemake.params.DA)
    token_files = {Path(file).stem: file for file in snakemake.input.DA}
    rows, missing = [], []
    for (name, settings), file in zip(metrics.items(), snakemake.input.statistics, strict=True):
        plain = {"standard": "standard", "EE": "EE"}
        work = [(METRICS[settings["type"]], file, "statistics", plain)]
        if name in token_files:
            combined = {"standard": "DA", "EE": "EE-DA"}
            work.append((token_settings, token_files[name], "statistics", combined))
            others = {"standard": "DA-LOO"}
            work.append((token_settings, token_files[name], "leave_one_out", others))
        for item in work:
            found, absent = score_statistics(name, *item, ee)
            rows += found
            missing += absent
    columns = ["system", "metric", "weighting", "score", "signature"]
    storage.write_table(snakemake.output.scores, pd.DataFrame(rows, columns=columns))
    columns = ["metric", "weighting", "reason"]
    storage.write_table(snakemake.output.missing, pd.DataFrame(missing, columns=columns))


if "snakemake" in globals():
    run(main, snakemake)
