"""Check the claims of a paper's text and captions on its cells and on results of its sets."""

import pandas as pd

from job import run
from mt_difficulty import storage
from mt_difficulty.data.set_files import read_set
from mt_difficulty.papers import claims
from mt_difficulty.papers.inputs import Inputs


def main(snakemake):
    files, params = list(map(str, snakemake.input.files)), snakemake.params
    tables = [storage.read_table(file) for file in snakemake.input.cells]
    cells = pd.concat([table for table in tables if len(table)], ignore_index=True)
    sets = {name: read_set(name, files) for name in params.sets}
    inputs = Inputs(sets, substitutes=params.substitutes)
    found = claims.check_claims(params.claims, cells, inputs)
    storage.write_table(snakemake.output.csv, found)
    storage.write_text(snakemake.output.md, claims.to_markdown(found))


if "snakemake" in globals():
    run(main, snakemake)
