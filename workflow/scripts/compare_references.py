"""Difficulties and gains of weightings across the references of an evaluation set."""

import pandas as pd

from job import run
from mt_difficulty import storage
from mt_difficulty.data.set_files import read_set
from mt_difficulty.evidence import references
from mt_difficulty.evidence.references import Referred


def main(snakemake):
    params, output = snakemake.params, snakemake.output
    sets = [
        Referred(reference, read_set(name, snakemake.input.files), settings)
        for name, (reference, settings) in params.sets.items()
    ]
    references.check(sets)
    agreement = references.agreement_rows(sets, params.seed, snakemake.threads)
    gains, survival = references.tables(sets, params.seed)
    for name, columns, rows in (
        ("agreement", references.AGREEMENT, list(agreement)),
        ("gains", references.GAINS, gains),
        ("survival", references.SURVIVAL, survival),
    ):
        storage.write_table(getattr(output, name), pd.DataFrame(rows, columns=columns))


if "snakemake" in globals():
    run(main, snakemake)
