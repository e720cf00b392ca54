"""Segment statistics of one metric."""

from pathlib import Path

from job import run
from mt_difficulty import storage
from mt_difficulty.data import download, evalset
from mt_difficulty.metrics import make_metric


def main(snakemake):
    from tqdm import tqdm

    name = snakemake.wildcards.metric
    found = evalset.load(snakemake.input.evalset)
    for file in snakemake.input.wordnet:
        storage.check_present(file)
        download.find_wordnet(Path(file).parent)
    metric = make_metric(name, found.pair, snakemake.params.settings)
    statistics = metric.evaluate(
        found,
        snakemake.input.source or getattr(snakemake.params, "location", None),
        lambda systems: tqdm(systems, f"{name} {found.pair}", unit="system", disable=None),
    )
    stored = metric.system_scores
    storage.write_arrays(
        snakemake.output[0],
        statistics=statistics,
        systems=found.systems,
        signature=metric.signature,
        **({} if stored is None else {"system_scores": stored}),
    )


if "snakemake" in globals():
    run(main, snakemake)
