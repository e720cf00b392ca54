"""Check claims of a paper's text and captions against its cells and results on its sets."""

import pandas as pd

from job import job
from mt_difficulty import storage
from mt_difficulty.papers import audit, read_inputs
from mt_difficulty.tables import TABLES


@job
def main(snakemake):
    params = snakemake.params
    tables = [storage.read_table(file) for file in snakemake.input.cells]
    cells = pd.concat([table for table in tables if len(table)], ignore_index=True)
    inputs = read_inputs(snakemake.input.files, snakemake.wildcards.paper, params.inputs)
    claims = audit.check_claims(params.claims, cells, inputs)
    storage.write_table(snakemake.output[0], claims, TABLES["claims.csv"])
