"""Check that what is difficult by construction was found to be difficult."""

import numpy as np

from job import run
from mt_difficulty import evalset, storage, truth
from mt_difficulty.errors import InputError

SEGMENTS = 0.8  # share of the hard segments that must be found
TOKENS = 0.8  # how well hard tokens must stand apart from the others; 0.5 is chance


def describe(found, share, hard, separation, tops):
    """What the check found, for people."""
    lines = [
        f"{found.campaign}/{found.pair}, where difficulty is known by construction:",
        f"  {share:.0%} of the {len(hard)} hard segments are among as many of highest entropy",
        f"  hard tokens are missed by more systems than others with probability {separation:.2f}",
    ]
    lines += [
        f"  r of the four best systems: {metric} {plain:.2f}, EE-{metric} {weighted:.2f}"
        for metric, plain, weighted in tops
    ]
    return "\n".join(lines)


def main(snakemake):
    found = evalset.load(snakemake.input.evalset)
    known = storage.read_json(snakemake.input.truth)
    entropy = storage.read_arrays(snakemake.input.entropy)["entropy"]
    share = truth.found_share(entropy.mean(axis=0), known["hard_segments"])
    missed = truth.missed_share(found.reference, found.hypotheses, found.pair)
    tokens = {int(i): [place for place, _ in t] for i, t in known["hard_tokens"].items()}
    separation = truth.separation(missed, tokens)
    frame = storage.read_table(snakemake.input.correlations)
    top = frame[(frame.subset == "top") & (frame["size"] == 4)]
    top = top.pivot(index="metric", columns="weighting", values="pearson")
    text = describe(
        found, share, known["hard_segments"], separation, top[["standard", "EE"]].itertuples()
    )
    if share < SEGMENTS or separation < TOKENS or np.isnan(separation):
        raise InputError(f"the difficult ones were not found. {text}")
    storage.write_json(
        snakemake.output[0], {"segments_found": share, "token_separation": separation, "text": text}
    )


if "snakemake" in globals():
    run(main, snakemake)
