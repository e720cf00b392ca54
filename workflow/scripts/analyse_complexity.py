"""Readability of source texts beside scores: correlations, normalised scores, their spread."""

from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import pandas as pd

from job import run
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.errors import Missing
from mt_difficulty.evidence import complexity
from mt_difficulty.metrics import METRICS


def read_set(name, folder, types):
    """One set's texts and their scores; raises `Missing` for a set without either."""
    found = evalset.load(folder / "texts.json")
    readability = storage.read_table(folder / "complexity.csv")
    statistics = {}
    for metric in types:
        with suppress(Missing):  # the set's missing.csv has the reason
            path = folder / "statistics" / f"{metric}.npz"
            statistics[metric] = storage.read_arrays(path)["statistics"]
    if not statistics:
        raise Missing(f"{name} has no scores")
    metrics = {metric: METRICS[kind] for metric, kind in types.items()}
    return found, complexity.score_texts(name, found, readability, metrics, statistics)


def main(snakemake):
    scores, sources = [], set()
    metrics, references = snakemake.params.metrics, snakemake.params.references
    folders = {
        name: Path(file).parent
        for name, file in zip(metrics, snakemake.input.evalsets, strict=True)
    }
    for name in sorted(metrics, key=lambda name: name not in references.values()):
        with suppress(Missing):
            found, frame = read_set(name, folders[name], metrics[name])
            # Two sets of one source, with other references, are one text: that of the reference
            # texts, or the first.
            source = (found.pair, sha256("\n".join(found.source).encode()).digest())
            if source in sources:
                frame = frame[frame.level != "campaign"]
            sources.add(source)
            scores.append(frame)
    if not scores:
        raise Missing("no evaluation set has texts")
    scores, output = pd.concat(scores, ignore_index=True), snakemake.output
    types = complexity.text_types(scores)
    correlations = complexity.correlate(types)
    normalised = complexity.normalised_scores(scores, types, references)
    spread = complexity.spread(normalised)
    storage.write_table(output.text_types, types)
    storage.write_table(output.correlations, correlations)
    storage.write_table(output.normalised, normalised)
    storage.write_table(output.spread, spread)
    storage.write_text(output.summary, complexity.summarise(types, correlations, spread))


if "snakemake" in globals():
    run(main, snakemake)
