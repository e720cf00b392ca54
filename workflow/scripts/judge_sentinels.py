"""Use the difficulties of all sets as metrics, beside the metrics themselves."""

from contextlib import suppress

import pandas as pd

from job import job
from mt_difficulty import storage
from mt_difficulty.data.evalset import read_set
from mt_difficulty.errors import Missing
from mt_difficulty.evidence.estimators import Estimate
from mt_difficulty.evidence.sentinels import COLUMNS, METRIC, Score, score_of, sentinel_rows
from mt_difficulty.metrics import METRICS
from mt_difficulty.tables import TABLES


def read_scores(files, metrics, difficulties):
    """Return the scores of segments of a set by name, and reasons for those that are absent.

    Parameters
    ----------
    files : SetFiles
    metrics : mapping of str to str
        Types of metrics by name.
    difficulties : sequence of str
    """
    scores = {}
    absent = {}
    segments = len(files.read("evalset.json").reference)
    for name in difficulties:
        reason = files.reason(f"difficulty/{name}.npz")
        if reason:
            absent[name] = reason
            continue
        arrays = files.read(f"difficulty/{name}.npz")
        scores[name] = score_of(Estimate(arrays["difficulty"], str(arrays["information"])))
    for name, kind in metrics.items():
        reason = files.reason(f"statistics/{name}.npz")
        if not reason:
            statistics = files.read(f"statistics/{name}.npz")["statistics"]
            if statistics.shape[1] == segments:
                scores[name] = Score(METRICS[kind].segment_quality(statistics), METRIC)
                continue
            reason = "only system scores are stored"
        absent[name] = reason
    return scores, absent


@job
def main(snakemake):
    params = snakemake.params
    tables = [pd.DataFrame(columns=COLUMNS).assign(set="")]
    for name, metrics in params.metrics.items():
        files = read_set(name, snakemake.input)
        with suppress(Missing):  # without human scores of segments
            scores, absent = read_scores(files, metrics, params.difficulties[name])
            rows = sentinel_rows(
                files.read("evalset.json"),
                scores,
                absent,
                params.resampling["resamples"],
                params.seed,
                params.resampling["unit"],
            )
            tables.append(rows.assign(set=name))
    table = pd.concat([table for table in tables if len(table)] or tables)[["set", *COLUMNS]]
    storage.write_table(snakemake.output[0], table, TABLES["sentinels/agreement.csv"])
