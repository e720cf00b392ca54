"""System scores of every metric under every weighting."""

import numpy as np
import pandas as pd

from job import run
from mt_difficulty import storage
from mt_difficulty.data.set_files import read_set
from mt_difficulty.evidence.counted import effective_segments
from mt_difficulty.evidence.labels import with_difficulty
from mt_difficulty.evidence.set_scores import SetScores

COLUMNS = ["system", "metric", "weighting", "score", "effective_segments", "signature"]


def main(snakemake):
    scores = SetScores(
        read_set(snakemake.params.name, snakemake.input.files), snakemake.params.settings
    )
    rows, missing, signatures = [], dict(scores.missing), scores.signatures
    for key, one in scores.of(np.arange(len(scores.systems))).items():
        values = one.scores()
        rows += [
            (system, *key, value, effective, signatures[key])
            for system, value, effective in zip(
                scores.systems, values, effective_segments(one), strict=True
            )
        ]
        if reason := scores.without_score(key[1], values):
            missing[key] = reason
    reasons = [(*key, reason) for key, reason in missing.items()]
    for path, columns, table in (
        (snakemake.output.scores, COLUMNS, rows),
        (snakemake.output.missing, ["metric", "weighting", "reason"], reasons),
    ):
        frame = pd.DataFrame(table, columns=columns)
        storage.write_table(path, with_difficulty(frame, scores.weightings))


if "snakemake" in globals():
    run(main, snakemake)
