"""Write the ledger of all papers."""

from pathlib import Path

import pandas as pd

from job import run
from mt_difficulty import storage
from mt_difficulty.papers import claims
from mt_difficulty.papers.audit import audit


def main(snakemake):
    ledgers = [
        audit(
            paper,
            storage.read_table(file),
            snakemake.params.causes[paper],
        )
        for file in snakemake.input.cells
        for paper in [Path(file).parent.parent.name]
    ]
    ledgers += [
        claims.ledger_rows(Path(file).parent.name, storage.read_table(file))
        for file in snakemake.input.claims
    ]
    storage.write_table(snakemake.output[0], pd.concat([x for x in ledgers if len(x)]))


if "snakemake" in globals():
    run(main, snakemake)
