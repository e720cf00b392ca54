"""Score the systems of a set by a metric of type `command`.

The rule calls this as a program, not as Snakemake's script, which would run in the Python of the
metric's conda environment: there runs the metric's command alone."""

import argparse
import json
from types import SimpleNamespace

from job import job, progress
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.errors import InputError
from mt_difficulty.metrics.command import Command


def main(snakemake):
    texts = evalset.load(snakemake.input)
    metric = Command(texts.pair, **snakemake.settings)
    shown = progress(f"{snakemake.metric} {texts.pair}", "systems")
    try:
        statistics = metric.evaluate(texts, "", shown)
    except InputError as error:
        raise InputError(f"{snakemake.metric}, {error}") from None
    storage.write_arrays(
        snakemake.output[0],
        systems=texts.systems,
        signature=metric.signature,
        statistics=statistics,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("metric", help="name of the metric")
    parser.add_argument("settings", type=json.loads, help="arguments of the class, as JSON")
    parser.add_argument("input", help="texts.json of the set")
    parser.add_argument("output", nargs=1, help="file of the statistics")
    parser.add_argument("log", nargs=1, help="file of the log")
    snakemake = SimpleNamespace(rule="run_metric", **vars(parser.parse_args()))
    job(main)
