"""Write one ledger of the reproduced numbers of all papers."""

from pathlib import Path

import pandas as pd

from job import job
from mt_difficulty import storage
from mt_difficulty.papers.audit import audit, ledger_rows


@job
def main(snakemake):
    ledgers, causes = [], snakemake.params.causes
    for file in map(Path, snakemake.input.cells):
        paper = file.parent.parent.name
        ledgers.append(audit(paper, storage.read_table(file), causes[paper]))
    for file in map(Path, snakemake.input.claims):
        ledgers.append(ledger_rows(file.parent.name, storage.read_table(file)))
    storage.write_table(snakemake.output[0], pd.concat([rows for rows in ledgers if len(rows)]))
