"""Check that segments and tokens that are difficult by construction are found to be difficult."""

from job import job
from mt_difficulty import storage
from mt_difficulty.data.evalset import read_set
from mt_difficulty.errors import InputError
from mt_difficulty.evidence import truth
from mt_difficulty.scores import ScoredSet

SEGMENTS = 0.8  # share of the hard segments that some difficulty must find
TOKENS = 0.8  # how well hard tokens must stand apart from the others; 0.5 is chance


@job
def main(snakemake):
    files = read_set(snakemake.params.name, snakemake.input.files)
    evalset = files.read("evalset.json")
    scores = ScoredSet(files, snakemake.params.settings)
    known = storage.read_json(snakemake.params.location)
    shares, separations = truth.judge(scores, evalset, known)
    count = len(known["hard_segments"])
    text = f"{evalset.campaign}/{evalset.pair}, where difficulty is known by construction:"
    for name, share in shares.items():
        text += f"\n  {share:.0%} of the {count} hard segments are among the {count} of the "
        text += f"highest {name.replace('_', ' ')}"
    for name, value in separations.items():
        text += "\n  probability that a hard token has a higher value than another, "
        text += f"{name.replace('_', ' ')}: {value:.2f}"
    frame = files.read("correlations.csv")
    top = frame[(frame.subset == "top") & (frame["size"] == 4)]
    for metric, r in top.pivot(index="metric", columns="weighting", values="pearson").iterrows():
        weighted = r.drop("standard").dropna().items()
        of_weightings = "".join(f", {name}-{metric} {value:.2f}" for name, value in weighted)
        text += f"\n  r of the four best systems: {metric} {r.standard:.2f}{of_weightings}"
    if max(shares.values()) < SEGMENTS or min(separations.values()) < TOKENS:
        raise InputError(f"the difficult ones were not found. {text}")
    content = {"segments_found": shares, "token_separation": separations, "text": text}
    storage.write_json(snakemake.output[0], content)
