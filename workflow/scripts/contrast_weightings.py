"""Compute a study's contrasts on one set: effects with joint bootstrap intervals, nulls, and pairs
of systems."""

from job import job
from mt_difficulty import storage
from mt_difficulty.data.evalset import read_set
from mt_difficulty.evidence import study
from mt_difficulty.scores import ScoredSet
from mt_difficulty.tables import TABLES


@job
def main(snakemake):
    params, output = snakemake.params, snakemake.output
    files = read_set(params.name, snakemake.input.files)
    chosen = storage.read_json(snakemake.input.elsewhere[0])
    campaign = snakemake.wildcards.campaign
    parameters = {weighting: by_campaign[campaign] for weighting, by_campaign in chosen.items()}
    scores = study.StudyScores(
        ScoredSet(files, params.settings),
        files.read("evalset.json"),
        *study.study_weightings(params.settings.weightings, parameters, params.study),
        params.study,
        params.seed,
        params.unit,
    )
    for name, frame in study.contrast_tables(scores).items():
        file = "null_draws" if name == "nulls" else name
        storage.write_table(getattr(output, name), frame, TABLES[f"<set>/study/{file}.csv"])
    storage.write_arrays(output.draws, **study.tier_draws(scores))
