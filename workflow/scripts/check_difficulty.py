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


def describe(found, hard, shares, separations, top):
    """What the check found, for people."""
    lines = [
        f"{found.campaign}/{found.pair}, where difficulty is known by construction:",
        *(
            f"  {share:.0%} of the {len(hard)} hard segments are among the {len(hard)} of the "
            f"highest {name.replace('_', ' ')}"
            for name, share in shares.items()
        ),
        *(
            f"  probability that a hard token has a higher value than another, {name}: {value:.2f}"
            for name, value in separations.items()
        ),
    ]
    for metric, r in top.iterrows():
        others = r.drop("standard").dropna().items()
        texts = [f", {name}-{metric} {value:.2f}" for name, value in others]
        lines.append(f"  r of the four best systems: {metric} {r.standard:.2f}{''.join(texts)}")
    return "\n".join(lines)


def found_shares(scores, everything, hard):
    """By difficulty of segments or hypotheses, the share of the hard segments that it finds."""
    described = scores.difficulties.items()
    return {
        name: truth.found_share(scores.difficulty(name, everything).mean(axis=0), hard)
        for name, entry in described
        if entry["unit"] != "token" and not entry["missing"]
    }


def token_difficulties(found, scores, everything):
    """By difficulty of tokens, that of every unit of the references."""
    values = {
        "share of systems that miss it": truth.missed_share(
            found.reference, found.hypotheses, found.pair
        )
    }
    for part in scores.parts[:1]:
        for name, entry in scores.difficulties.items():
            if entry["unit"] == "token":
                difficulty = scores.token_difficulty(name, part, everything).mean(axis=0)
                values[name.replace("_", " ")] = truth.unit_difficulty(
                    found.reference, part.matches, difficulty, found.pair
                )
    return values


def main(snakemake):
    files = read_set(snakemake.params.name, snakemake.input.files)
    found, scores = files.read("evalset.json"), SetScores(files, snakemake.params.settings)
    known, everything = storage.read_json(snakemake.params.location), np.arange(len(found.systems))
    shares = found_shares(scores, everything, known["hard_segments"])
    tokens = {int(i): [place for place, _ in t] for i, t in known["hard_tokens"].items()}
    separations = {
        name: truth.separation(values, tokens)
        for name, values in token_difficulties(found, scores, everything).items()
    }
    frame = files.read("correlations.csv")
    top = frame[(frame.subset == "top") & (frame["size"] == 4)]
    top = top.pivot(index="metric", columns="weighting", values="pearson")
    text = describe(found, known["hard_segments"], shares, separations, top)
    if max(shares.values()) < SEGMENTS or min(separations.values()) < TOKENS:
        raise InputError(f"the difficult ones were not found. {text}")
    storage.write_json(
        snakemake.output[0],
        {"segments_found": shares, "token_separation": separations, "text": text},
    )


if "snakemake" in globals():
    run(main, snakemake)
