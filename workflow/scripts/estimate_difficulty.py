"""Estimate EE's threshold and balance, and say what is odd about them."""

from job import run
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.weighting.groups import Groups

# The config's names of the rules.
RULES = {"Eq. 9": "mean_plus_2sd", "Eq. 5": "rank_0.05"}


def main(snakemake):
    found = evalset.load(snakemake.input.evalset)
    arrays = storage.read_arrays(snakemake.input.entropy)
    given, EE = snakemake.params.given, snakemake.params.EE
    weighting = Groups(
        given.get("h", RULES[EE["threshold"]]), given.get("w", "liu2022"), EE["zero_segments"]
    )
    parameters = weighting.fit(arrays["entropy"], found.systems, "chunk entropy")
    storage.write_json(snakemake.output[0], parameters | {"signature": str(arrays["signature"])})


if "snakemake" in globals():
    run(main, snakemake)
