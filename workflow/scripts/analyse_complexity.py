"""Relate readability of source texts to scores: correlations, normalised scores, their spread."""

from contextlib import suppress

import pandas as pd

from job import job
from mt_difficulty import page, storage
from mt_difficulty.data.evalset import read_set
from mt_difficulty.difficulty import readability
from mt_difficulty.errors import Missing
from mt_difficulty.evidence import complexity
from mt_difficulty.metrics import METRICS
from mt_difficulty.tables import TABLES
from mt_difficulty.weighting.base import WeightedMetric


@job
def main(snakemake):
    output = snakemake.output
    metrics = snakemake.params.metrics
    references = snakemake.params.references
    described = []
    scores = []
    sources = set()
    # Sets with the reference texts come first.
    for name in sorted(metrics, key=lambda name: name not in references.values()):
        files = read_set(name, snakemake.input.files)
        with suppress(Missing):
            evalset = files.read("texts.json")
            evalset.require_texts()
            table = readability.describe(evalset)
            described.append(table.assign(set=name)[["set", *table]])
            plains = {
                metric: WeightedMetric.standard(METRICS[kind], arrays["statistics"])
                for metric, kind in metrics[name].items()
                if (arrays := files.optional(f"statistics/{metric}.npz"))
            }
            if not plains:
                continue
            frame = complexity.score_texts(name, evalset, table, plains)
            # Sets of the same source with different references count as one text of the campaign:
            # the one of the reference texts, or the first.
            source = (evalset.pair, *evalset.source)
            scores.append(frame[frame.level != "campaign"] if source in sources else frame)
            sources.add(source)
    if not scores:
        raise Missing("no evaluation set has texts")
    scores = pd.concat(scores, ignore_index=True)
    types = complexity.text_types(scores)
    correlations = complexity.correlate(types)
    normalised = complexity.normalised_scores(scores, types, references)
    spread = complexity.spread(normalised)
    tables = {
        "readability": pd.concat(described, ignore_index=True),
        "text_types": types,
        "correlations": correlations,
        "normalised": normalised,
        "spread": spread,
    }
    for kind, table in tables.items():
        file = "normalised_scores" if kind == "normalised" else kind
        storage.write_table(getattr(output, kind), table, TABLES[f"complexity/{file}.csv"])
    summary = complexity.summarise(types, correlations, spread)
    text = page.text(snakemake.input.template[0], summary)
    storage.write_text(output.summary, text.strip() + "\n")
