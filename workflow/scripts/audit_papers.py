"""Write one ledger of the reproduced numbers of all papers."""

from pathlib import Path

import pandas as pd

from job import job
from mt_difficulty import storage
from mt_difficulty.papers.audit import audit, ledger_rows, mark_method
from mt_difficulty.tables import TABLES


@job
def main(snakemake):
    ledgers = []
    for file in map(Path, snakemake.input.cells):
        paper = file.parent.parent.name
        causes = snakemake.params.causes[paper]
        ledgers.append(audit(paper, storage.read_table(file), causes))
    for file in map(Path, snakemake.input.claims):
        ledgers.append(ledger_rows(file.parent.name, storage.read_table(file)))
    ledger = pd.concat([rows for rows in ledgers if len(rows)], ignore_index=True)
    for paper, method in snakemake.params.methods.items():
        ledger = mark_method(ledger, paper, method)
    storage.write_table(snakemake.output[0], ledger, TABLES["audit.csv"])
