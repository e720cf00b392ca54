"""Write the ledger of all papers."""

from pathlib import Path

import pandas as pd

from job import run
from mt_difficulty import storage
from mt_difficulty.papers import claims
from mt_difficulty.papers.audit import audit


def main(snakemake):
    ledgers, causes = [], snakemake.params.causes
    for file in map(Path, snakemake.input.cells):
        paper = file.parent.parent.name
        ledgers.append(audit(paper, storage.read_table(file), causes[paper]))
    for file in map(Path, snakemake.input.claims):
        ledgers.append(claims.ledger_rows(file.parent.name, storage.read_table(file)))
    storage.write_table(snakemake.output[0], pd.concat([each for each in ledgers if len(each)]))


if "snakemake" in globals():
    run(main, snakemake)
