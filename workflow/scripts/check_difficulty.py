"""Check that what is difficult by construction was found to be difficult."""

import numpy as np

from job import run
from mt_difficulty import storage
from mt_difficulty.data.set_files import read_set
from mt_difficulty.errors import InputError
from mt_difficulty.evidence import truth
from mt_difficulty.evidence.set_scores import SetScores

SEGMENTS = 0.8  # share of the hard segments that some difficulty must find
TOKENS = 0.8  # how well hard tokens must stand apart from the others; 0.5 is chance


def main(snakemake):
    files = read_set(snakemake.params.name, snakemake.input.files)
    evalset, scores = files.read("evalset.json"), SetScores(files, snakemake.params.settings)
    known, everything = (
        storage.read_json(snakemake.params.location),
        np.arange(len(evalset.systems)),
    )
    hard = known["hard_segments"]
    tokens = {int(i): [place for place, _ in t] for i, t in known["hard_tokens"].items()}
    texts = evalset.reference, evalset.hypotheses, evalset.pair
    # By difficulty of tokens, that of every unit of the references.
    of_units = {"share of systems that miss it": truth.missed_share(*texts)}
    shares = {}
    for name, entry in scores.difficulties.items():
        if entry["unit"] == "token":
            for part in scores.parts[:1]:
                values = scores.token_difficulty(name, part, everything).mean(axis=0)
                of_units[name.replace("_", " ")] = truth.unit_difficulty(
                    evalset.reference, part.matches, values, evalset.pair
                )
        elif not entry["missing"]:
            means = scores.difficulty(name, everything).mean(axis=0)
            shares[name] = truth.found_share(means, hard)
    separations = {name: truth.separation(values, tokens) for name, values in of_units.items()}
    lines = [f"{evalset.campaign}/{evalset.pair}, where difficulty is known by construction:"]
    lines += [
        f"  {share:.0%} of the {len(hard)} hard segments are among the {len(hard)} of the highest "
        f"{name.replace('_', ' ')}"
        for name, share in shares.items()
    ]
    lines += [
        f"  probability that a hard token has a higher value than another, {name}: {value:.2f}"
        for name, value in separations.items()
    ]
    frame = files.read("correlations.csv")
    top = frame[(frame.subset == "top") & (frame["size"] == 4)]
    for metric, r in top.pivot(index="metric", columns="weighting", values="pearson").iterrows():
        others = r.drop("standard").dropna().items()
        weighted = "".join(f", {name}-{metric} {value:.2f}" for name, value in others)
        lines.append(f"  r of the four best systems: {metric} {r.standard:.2f}{weighted}")
    text = "\n".join(lines)
    if max(shares.values()) < SEGMENTS or min(separations.values()) < TOKENS:
        raise InputError(f"the difficult ones were not found. {text}")
    found = {"segments_found": shares, "token_separation": separations, "text": text}
    storage.write_json(snakemake.output[0], found)


if "snakemake" in globals():
    run(main, snakemake)
