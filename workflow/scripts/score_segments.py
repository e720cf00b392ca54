"""Segment statistics of one metric."""

import os

from job import run
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.metrics import make_metric


def main(snakemake):
    from tqdm import tqdm

    name = snakemake.wildcards.metric
    found = evalset.load(snakemake.input.evalset)
    if snakemake.input.wordnet:
        # NLTK looks there first when it is imported, which takes a second.
        os.environ["NLTK_DATA"] = os.pathsep.join(["data/nltk", os.environ.get("NLTK_DATA", "")])
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
