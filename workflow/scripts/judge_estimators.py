"""The difficulties of a set, judged by its human scores of segments."""

import numpy as np

from job import run
from mt_difficulty import storage
from mt_difficulty.data.set_files import read_set
from mt_difficulty.errors import Missing
from mt_difficulty.evidence.estimators import OF_TOKENS, Bench, Estimate, segment_rows
from mt_difficulty.evidence.selection import selection_rows


def read_estimates(files, names, estimated):
    """A set's difficulties, by name, and why it has not others."""
    found, absent = {}, {}
    for name in names:
        file = f"difficulty/{name}.npz"
        reason = files.reason(file) if name in estimated else OF_TOKENS
        if reason:
            absent[name] = reason
        else:
            arrays = files.read(file)
            found[name] = Estimate(arrays["difficulty"], str(arrays["information"]))
    return found, absent


def main(snakemake):
    params, output = snakemake.params, snakemake.output
    files = read_set(params.name, snakemake.input)
    found = files.read("evalset.json")
    known = read_estimates(files, params.difficulties, params.estimated)
    bench = Bench(found, *known, params.resamples, params.seed, snakemake.threads)
    rated = np.isfinite(np.array(found.segment_gold, dtype=float)).any(axis=0)
    storage.write_table(output.values, bench.rows())
    storage.write_table(output.by_system, bench.system_rows())
    storage.write_table(output.tests, bench.tests)
    storage.write_table(output.segments, segment_rows(bench, np.flatnonzero(rated) + 1))
    try:
        storage.write_table(output.selection, selection_rows(bench, params.seed))
    except Missing as missing:
        storage.write_missing(output.selection, str(missing))


if "snakemake" in globals():
    run(main, snakemake)
