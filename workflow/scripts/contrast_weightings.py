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
    of_campaign = {name: found[snakemake.wildcards.campaign] for name, found in chosen.items()}
    known = study.study_weightings(params.settings.weightings, of_campaign, params.study)
    scored = ScoredSet(files, params.settings), files.read("evalset.json")
    scores = study.StudyScores(*scored, *known, params.study, params.seed)
    for name, frame in study.contrast_tables(scores).items():
        file = "null_draws" if name == "nulls" else name
        storage.write_table(getattr(output, name), frame, TABLES[f"<set>/study/{file}.csv"])
    storage.write_arrays(output.draws, **study.tier_draws(scores))
