"""Evaluate the difficulties of a set with its human scores of segments."""

from job import job
from mt_difficulty import storage
from mt_difficulty.data.evalset import read_set
from mt_difficulty.errors import Missing
from mt_difficulty.evidence import estimators
from mt_difficulty.tables import TABLES


@job
def main(snakemake):
    params, output = snakemake.params, snakemake.output
    files = read_set(params.name, snakemake.input)
    estimates = {}
    absent = {}
    for name in params.difficulties:
        file = f"difficulty/{name}.npz"
        is_of_tokens = name not in params.estimated
        reason = estimators.OF_TOKENS if is_of_tokens else files.reason(file)
        if reason:
            absent[name] = reason
        else:
            arrays = files.read(file)
            estimates[name] = estimators.Estimate(arrays["difficulty"], str(arrays["information"]))
    bench = estimators.Bench(
        files.read("evalset.json"),
        estimates,
        absent,
        params.resampling["resamples"],
        params.seed,
        snakemake.threads,
        params.resampling["unit"],
    )
    segments = estimators.segment_rows(bench)
    storage.write_table(output.values, bench.rows(), TABLES["<set>/estimators/values.csv"])
    by_system = bench.system_rows()
    storage.write_table(output.by_system, by_system, TABLES["<set>/estimators/by_system.csv"])
    storage.write_table(output.tests, bench.tests, TABLES["<set>/estimators/tests.csv"])
    storage.write_table(output.segments, segments, TABLES["<set>/estimators/segments.csv"])
    try:
        selection = estimators.selection_rows(bench, params.seed)
        storage.write_table(output.selection, selection, TABLES["<set>/estimators/selection.csv"])
    except Missing as missing:
        storage.write_missing(output.selection, str(missing))
