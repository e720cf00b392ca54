"""The contrasts of a study on one set: effects with joint bootstrap intervals, nulls, and pairs of
systems."""

import pandas as pd

from job import run
from mt_difficulty import storage
from mt_difficulty.data.set_files import read_set
from mt_difficulty.evidence import contrasts
from mt_difficulty.evidence.set_scores import SetScores


def weightings_of(settings, elsewhere, study, campaign):
    """The set's weightings, those with parameters from elsewhere too, and why there are not."""
    found, absent = dict(settings["weightings"]), {}
    for name, base in study.get("elsewhere", {}).items():
        chosen = elsewhere[name][campaign]
        if chosen["missing"]:
            absent[name] = chosen["missing"]
        else:
            own = {key: chosen[key] for key in ("threshold", "easy_weight")}
            found[name] = settings["weightings"][base] | own
    return found, absent


def main(snakemake):
    params = snakemake.params
    files = read_set(params.name, snakemake.input.files)
    found = files.read("evalset.json")
    scores = SetScores(files, params.settings)
    elsewhere = storage.read_json(snakemake.input.elsewhere[0])
    weightings, absent = weightings_of(params.settings, elsewhere, params.study, params.campaign)
    of_set = contrasts.SetContrasts(scores, found, weightings, params.study, absent, params.seed)
    rows, of_tiers = of_set.effects()
    effects = pd.DataFrame(rows + of_tiers, columns=contrasts.EFFECTS)
    sizes = {"systems": len(of_set.sample.systems), "segments": len(of_set.sample.segments)}
    storage.write_table(snakemake.output.effects, effects.assign(**sizes))
    draws = of_set.null_draws(params.study["nulls"])
    storage.write_table(snakemake.output.nulls, pd.DataFrame(draws, columns=contrasts.NULL_DRAWS))
    pairs = pd.DataFrame(of_set.pair_rows(), columns=contrasts.PAIRS)
    storage.write_table(snakemake.output.pairs, pairs)


if "snakemake" in globals():
    run(main, snakemake)
