"""Average the statistics of the metrics task over the sets of a run."""

import re
from contextlib import suppress

from job import job
from mt_difficulty import page, storage
from mt_difficulty.data import evalset
from mt_difficulty.errors import Missing
from mt_difficulty.evidence import metric_table
from mt_difficulty.tables import TABLES


@job
def main(snakemake):
    tables, output, files = {}, snakemake.output, snakemake.input
    sets = snakemake.params.sets.items()
    for (name, reference), file, of_set in zip(sets, files.agreement, files.evalsets, strict=True):
        with suppress(Missing):  # a set without human scores, or that is not in the archive
            agreement, known = storage.read_table(file), evalset.load(of_set)
            year = re.match(r"wmt(\d\d)(?!\d)", known.campaign)
            # Sets with different references share a stored metric: `chrF-ref` for `chrF-refB`.
            end, shared = (f"-{reference}", "-ref") if reference else ("", "")
            tables[name] = agreement.assign(
                metric=[x.removesuffix(end) + shared * x.endswith(end) for x in agreement.metric],
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
