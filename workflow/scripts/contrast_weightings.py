"""The contrasts of a study on one set: effects with joint bootstrap intervals, nulls, and pairs of
systems."""

from job import run
from mt_difficulty import storage
from mt_difficulty.data.set_files import read_set
from mt_difficulty.evidence import study
from mt_difficulty.evidence.set_scores import SetScores


def main(snakemake):
    params = snakemake.params
    files = read_set(params.name, snakemake.input.files)
    chosen = storage.read_json(snakemake.input.elsewhere[0])
    of_campaign = {name: each[params.campaign] for name, each in chosen.items()}
    known = study.study_weightings(params.settings["weightings"], of_campaign, params.study)
    scores = study.StudyScores(
        SetScores(files, params.settings),
        files.read("evalset.json"),
        *known,
        params.study,
        params.seed,
    )
    listed = study.contrasts(scores, params.study)
    for name, frame in study.contrast_tables(scores, listed, params.study).items():
        storage.write_table(getattr(snakemake.output, name), frame)
    storage.write_arrays(snakemake.output.draws, **study.tier_draws(scores, listed))


if "snakemake" in globals():
    run(main, snakemake)
