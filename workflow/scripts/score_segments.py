"""Segment statistics of one metric."""

import inspect

from job import run
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.errors import InputError
from mt_difficulty.metrics import METRICS


def make_metric(name, pair, settings):
    """The metric that a config entry names; stored metrics go by that name by default."""
    settings = dict(settings)
    kind = settings.pop("type")
    known = list(inspect.signature(METRICS[kind]).parameters)[1:]
    for setting in settings:
        if setting not in known:
            raise InputError(
                f"config, metrics, {name}: {kind} has no setting {setting}; "
                f"it has {', '.join(known) or 'none'}."
            )
    if "name" in known:
        settings.setdefault("name", name)
    return METRICS[kind](pair, **settings)


def main(snakemake):
    from tqdm import tqdm

    if snakemake.input.wordnet:
        import nltk

        nltk.data.path.insert(0, "data/nltk")
    name = snakemake.wildcards.metric
    found = evalset.load(snakemake.input.evalset)
    metric = make_metric(name, found.pair, snakemake.params.settings)
    statistics = metric.evaluate(
        found,
        snakemake.input.source,
        lambda systems: tqdm(systems, f"{name} {found.pair}", unit="system", disable=None),
    )
    storage.write_arrays(
        snakemake.output[0],
        statistics=statistics,
        systems=found.systems,
        signature=metric.signature,
    )


if "snakemake" in globals():
    run(main, snakemake)
