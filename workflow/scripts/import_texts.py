"""Read and check the texts of one evaluation set."""

from pathlib import Path

from job import job
from mt_difficulty.data import evalset
from mt_difficulty.data.import_set import read_texts
from mt_difficulty.human_evaluation.set_scores import with_rated_systems


@job
def main(snakemake):
    folder = Path(snakemake.params.location)
    settings = with_rated_systems(folder, snakemake.params.settings)
    evalset.save(snakemake.output.texts, read_texts(folder, settings))
