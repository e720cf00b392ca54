"""Where a weighting's correlations stand among those of its nulls."""

import numpy as np
import pandas as pd

from job import run
from mt_difficulty import storage
from mt_difficulty.data.set_files import read_set
from mt_difficulty.difficulty.length import Length
from mt_difficulty.embedding.matches import select
from mt_difficulty.errors import Missing
from mt_difficulty.evidence import controls, nulls
from mt_difficulty.evidence.counted import PLAIN, baseline
from mt_difficulty.evidence.labels import with_difficulty
from mt_difficulty.evidence.set_scores import SetScores
from mt_difficulty.evidence.subsets import best_systems
from mt_difficulty.evidence.token_nulls import TokenScores, token_nulls
from mt_difficulty.statistics import of_scores
from mt_difficulty.weighting.groups import Groups


def deciles_of(found):
    """Deciles of source length of all segments, or why there are none."""
    try:
        return nulls.length_deciles(Length().estimate(found)), ""
    except Missing as reason:
        return None, str(reason)


def nulls_of(scores, settings, systems, deciles, params):
    """Scores of some systems under the nulls, by metric and weighting. Every weighting has the same
    draws, whatever others there are."""
    weighted, found = scores.of(systems), {}
    for name, entry in scores.weightings.items():
        keys, rng = [key for key in weighted if key[1] == name], np.random.default_rng(params.seed)
        of, weighting = settings["weightings"][name]["difficulty"], scores.weighting(name)
        if keys and weighting.unit == "token":
            for part in scores.parts:
                one = TokenScores(
                    select(part.matches, systems),
                    weighting,
                    entry["parameters"],
                    scores.token_difficulty(of, part, systems),
                    scores.counted,
                )
                drawn = token_nulls(one, params.draws, rng, deciles)
                found |= {(metric, name): drawn for metric in part.metrics}
        elif keys:
            own = {key: weighted[key] for key in keys}
            difficulty = scores.difficulty(of, systems)[:, scores.counted]
            counted = None if deciles is None else deciles[scores.counted]
            found |= controls.segment_nulls(own, difficulty, params.draws, rng, counted)
    return found


def retuned(scores, settings, gold, params):
    """Scores of all systems with permuted difficulties and parameters that are searched again, by
    metric and weighting: of weightings in two groups that are tuned on the set."""
    everything, found = np.arange(len(gold)), {}
    for name, entry in scores.weightings.items():
        in_groups = isinstance(scores.weighting(name), Groups)
        if not (entry["tuned"] and in_groups) or entry["missing"]:
            continue
        of = settings["weightings"][name]["difficulty"]
        difficulty = scores.difficulty(of, everything)[:, scores.counted]
        rng = np.random.default_rng(params.seed)
        places = nulls.permutations(difficulty.shape[1], params.draws, rng)
        keys = [key for key in scores.keys if key[1] == name]
        for key, one in scores.of(everything, keys).items():
            found[key] = nulls.retuned_quality(one.unweighted(), difficulty, gold, places)
    return found


def subsets(gold, sizes):
    """All systems, and the K best ones, as indices."""
    yield "all", np.arange(len(gold))
    for size in sizes:
        if size < len(gold):
            yield "top", best_systems(gold, size)


def read_values(files, statistics):
    """Statistics by metric, weighting, subset and size, why they are undefined, and, by metric
    and weighting, why scores are missing."""
    found, missing = files.read("correlations.csv"), files.read("missing.csv")
    keys = ["metric", "weighting", "subset", "size"]
    keys = list(found[keys].itertuples(index=False, name=None))
    values = dict(zip(keys, found[statistics].to_numpy(), strict=True))
    missing = {(row.metric, row.weighting): row.reason for row in missing.itertuples()}
    return values, dict(zip(keys, found.reason, strict=True)), missing


def rows(found, files, scores, params):
    """The rows of the table."""
    gold, statistics = np.array(found.gold), of_scores(params.statistics)
    none = np.full(len(statistics), np.nan)
    values, undefined, reasons = read_values(files, statistics)
    labels = dict.fromkeys([*(key[:2] for key in values), *reasons])
    deciles, without_length = deciles_of(found)
    tuned_nulls = retuned(scores, params.settings, gold, params)
    for subset, systems in subsets(gold, params.top):
        size = len(systems)
        of_subset = nulls_of(scores, params.settings, systems, deciles, params)
        rng = np.random.default_rng(params.seed)
        random = {"random": rng.standard_normal((params.draws, size))}
        for metric, weighting in labels:
            if weighting in PLAIN:
                continue
            key, place = (metric, weighting), (metric, weighting, subset, size)
            drawn = of_subset.get(key, {})
            if drawn and without_length:
                drawn["permuted_length"] = without_length
            if key in tuned_nulls:
                drawn["retuned"] = tuned_nulls[key][:, systems]
            in_order = {null: drawn[null] for null in nulls.NULLS if null in drawn}
            for row in controls.describe(
                values.get(place, none),
                values.get((*baseline(metric, labels), subset, size), none),
                scores.weightings[weighting]["tuned"],
                in_order | random,
                gold[systems],
                statistics,
                reasons.get(key, undefined.get(place)),
            ):
                yield [metric, weighting, subset, size, *row]


def main(snakemake):
    params, table = snakemake.params, []
    files = read_set(params.name, snakemake.input.files)
    scores = SetScores(files, params.settings)
    if found := files.optional("evalset.json"):  # else no rows, as in the scores
        found.require_gold()
        table = rows(found, files, scores, params)
    frame = pd.DataFrame(table, columns=controls.COLUMNS)
    storage.write_table(snakemake.output[0], with_difficulty(frame, scores.weightings))


if "snakemake" in globals():
    run(main, snakemake)
