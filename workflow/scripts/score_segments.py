"""Compute segment statistics of some metrics of a set, or write why a metric has none."""

from pathlib import Path

from job import job, progress
from mt_difficulty import storage
from mt_difficulty.data import download, evalset
from mt_difficulty.errors import Missing
from mt_difficulty.metrics import make_metric


def score(name, metric, texts, files, location, path):
    """Write the statistics of one metric.

    Parameters
    ----------
    name : str
        Name of the metric.
    metric : Metric
        The metric.
    texts : EvaluationSet
        Texts of the set.
    files : object
        The rule's input: `matches` and `wordnet`, if any.
    location : str or None
        File of stored scores.
    path : str
        File of the statistics.
    """
    source = location or files.get("matches", "")
    if metric.needs_wordnet:
        metric.check_inputs(texts, source)  # before NLTK, which takes a second to load
        storage.check_present(files.wordnet[0])
        download.find_wordnet(Path(files.wordnet[0]).parent)
    shown = progress(f"{name} {texts.pair}", "steps")
    arrays = {"statistics": metric.evaluate(texts, source, shown)}
    if metric.system_scores is not None:
        arrays["system_scores"] = metric.system_scores
    if metric.no_segments:
        arrays["no_segments"] = metric.no_segments
    storage.write_arrays(path, systems=texts.systems, signature=metric.signature, **arrays)


@job
def main(snakemake):
    params, files = snakemake.params, snakemake.input
    texts = evalset.load(files.evalset)
    for (name, settings), file in zip(params.metrics.items(), snakemake.output, strict=True):
        metric = make_metric(name, texts.pair, settings)
        try:
            score(name, metric, texts, files, params.locations.get(name), file)
        except Missing as missing:
            storage.write_missing(file, str(missing))
