"""Average the statistics of the metrics task over the sets of a run."""

import re
from contextlib import suppress

from job import job
from mt_difficulty import page, storage
from mt_difficulty.data import evalset
from mt_difficulty.errors import Missing
from mt_difficulty.evidence import metric_table
from mt_difficulty.tables import TABLES


def shared_name(metric, reference):
    """Return the name by which sets with different references share a stored metric: `chrF-ref` for
    `chrF-refB`."""
    if reference and metric.endswith(f"-{reference}"):
        return f"{metric.removesuffix(f'-{reference}')}-ref"
    return metric


@job
def main(snakemake):
    output, files = snakemake.output, snakemake.input
    sets = snakemake.params.sets.items()
    tables = {}
    for (name, reference), agreement_file, evalset_file in zip(
        sets, files.agreement, files.evalsets, strict=True
    ):
        with suppress(Missing):  # a set without human scores, or that is not in the archive
            agreement = storage.read_table(agreement_file)
            known = evalset.load(evalset_file)
            year = re.match(r"wmt(\d\d)(?!\d)", known.campaign)
            tables[name] = agreement.assign(
                metric=[shared_name(metric, reference) for metric in agreement.metric],
                domain=agreement.domain.fillna(""),
                set=name,
                year=f"20{year[1]}" if year else known.campaign,
                pair=known.pair,
                gold=known.gold_label,
            )
    frame = metric_table.averages([*tables.values()])
    storage.write_table(output.csv, frame, TABLES["metrics_task.csv"])
    described = metric_table.describe_averages(frame, snakemake.params.tuned)
    text = page.text(files.template[0], described | {"sets": list(tables)})
    storage.write_text(output.md, text.strip() + "\n")
