"""The contrasts of a study on one set: effects with joint bootstrap intervals, nulls, and pairs of
systems."""

import pandas as pd

from job import run
from mt_difficulty import storage
from mt_difficulty.data.set_files import read_set
from mt_difficulty.evidence import contrasts
from mt_difficulty.evidence.counted import STANDARD
from mt_difficulty.evidence.set_scores import SetScores
from mt_difficulty.evidence.study_scores import StudyScores

NOT_OF_SET = "{} is not among the set's weightings"


def weightings_of(settings, elsewhere, study, campaign):
    """The set's weightings, those with parameters from elsewhere too, and why others of the study
    are absent."""
    found, absent = dict(settings["weightings"]), {}
    for name, base in study.get("elsewhere", {}).items():
        chosen = elsewhere[name][campaign]
        if base not in found:
            absent[name] = NOT_OF_SET.format(base)
        elif chosen["missing"]:
            absent[name] = chosen["missing"]
        else:
            own = {key: chosen[key] for key in ("threshold", "easy_weight")}
            found[name] = settings["weightings"][base] | own
    for contrast in study["contrasts"].values():
        for name in (contrast["weighting"], contrast.get("against", STANDARD)):
            if name not in (STANDARD, *found, *absent):
                absent[name] = NOT_OF_SET.format(name)
    return found, absent


def tables(scores, known, study):
    """Frames by output."""
    made = {
        "effects": (contrasts.EFFECTS, lambda one: contrasts.effect_rows(scores, one)),
        "nulls": (
            contrasts.NULL_DRAWS,
            lambda one: contrasts.null_rows(scores, one, study["nulls"]),
        ),
        "tuned": (contrasts.TUNED, lambda one: contrasts.tuned_rows(scores, one, study["nulls"])),
        "pairs": (contrasts.PAIRS, lambda one: contrasts.pair_rows(scores, one)),
    }
    for name, (columns, rows) in made.items():
        yield name, pd.DataFrame([row for one in known for row in rows(one)], columns=columns)
    rows = contrasts.submission_rows(scores, study.get("submissions", []))
    yield "submissions", pd.DataFrame(rows, columns=contrasts.SUBMISSIONS)


def main(snakemake):
    params = snakemake.params
    files = read_set(params.name, snakemake.input.files)
    found = files.read("evalset.json")
    elsewhere = storage.read_json(snakemake.input.elsewhere[0])
    known = weightings_of(params.settings, elsewhere, params.study, params.campaign)
    scores = StudyScores(
        SetScores(files, params.settings), found, *known, params.study, params.seed
    )
    listed = contrasts.contrasts(scores, params.study)
    for name, frame in tables(scores, listed, params.study):
        if name == "effects":
            sample = scores.sample
            frame = frame.assign(
                gold=found.gold_label, systems=len(sample.systems), segments=len(sample.segments)
            )
        storage.write_table(getattr(snakemake.output, name), frame)
    storage.write_arrays(snakemake.output.draws, **contrasts.tier_draws(scores, listed))


if "snakemake" in globals():
    run(main, snakemake)
