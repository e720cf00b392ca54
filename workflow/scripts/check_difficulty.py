"""Check that what is difficult by construction was found to be difficult."""

import numpy as np

from job import run
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.errors import InputError
from mt_difficulty.evidence import truth
from mt_difficulty.weighting import groups as group_weighting
from mt_difficulty.weighting import tokens as token_weighting

SEGMENTS = 0.8  # share of the hard segments that must be found
TOKENS = 0.8  # how well hard tokens must stand apart from the others; 0.5 is chance


def describe(found, share, hard, separations, top):
    """What the check found, for people."""
    lines = [
        f"{found.campaign}/{found.pair}, where difficulty is known by construction:",
        f"  {share:.0%} of the {len(hard)} hard segments are among as many of highest entropy",
        f"  hard tokens are missed by more systems than others with probability "
        f"{separations['missed']:.2f}",
    ]
    if "DA" in separations:
        lines.append(
            f"  DA finds hard tokens more difficult than others with probability "
            f"{separations['DA']:.2f}"
        )
    for metric, r in top.iterrows():
        others = [
            f", {weighting}-{metric} {r[weighting]:.2f}"
            for weighting in ("EE", "DA")
            if weighting in r and np.isfinite(r[weighting])
        ]
        lines.append(f"  r of the four best systems: {metric} {r.standard:.2f}{''.join(others)}")
    return "\n".join(lines)


def token_difficulty(found, files):
    """DA's difficulty of every unit of the references, if the set has matched tokens."""
    if not files:
        return {}
    matches, _ = token_weighting.rescaled_matches(storage.read_arrays(files[0]))
    difficulty = token_weighting.token_difficulty(matches.reference_similarity)[0]
    return {"DA": truth.unit_difficulty(found.reference, matches, difficulty, found.pair)}


def main(snakemake):
    found = evalset.load(snakemake.input.evalset)
    known = storage.read_json(snakemake.params.location)
    entropy = storage.read_arrays(snakemake.input.entropy)["entropy"]
    share = truth.found_share(group_weighting.mean_entropy(entropy), known["hard_segments"])
    tokens = {int(i): [place for place, _ in t] for i, t in known["hard_tokens"].items()}
    missed = truth.missed_share(found.reference, found.hypotheses, found.pair)
    difficulties = {"missed": missed, **token_difficulty(found, snakemake.input.matches)}
    separations = {name: truth.separation(values, tokens) for name, values in difficulties.items()}
    frame = storage.read_table(snakemake.input.correlations)
    top = frame[(frame.subset == "top") & (frame["size"] == 4)]
    top = top.pivot(index="metric", columns="weighting", values="pearson")
    text = describe(found, share, known["hard_segments"], separations, top)
    if not (share >= SEGMENTS and min(separations.values()) >= TOKENS):
        raise InputError(f"the difficult ones were not found. {text}")
    storage.write_json(
        snakemake.output[0],
        {"segments_found": share, "token_separation": separations, "text": text},
    )


if "snakemake" in globals():
    run(main, snakemake)
