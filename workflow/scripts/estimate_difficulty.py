"""Estimate EE's threshold and balance, and say what is odd about them."""

from job import run
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.weighting.group_parameters import describe


def main(snakemake):
    found = evalset.load(snakemake.input.evalset)
    arrays = storage.read_arrays(snakemake.input.entropy)
    storage.write_json(
        snakemake.output[0],
        describe(
            arrays["entropy"],
            found.systems,
            threshold=snakemake.params.EE["threshold"],
            zero_segments=snakemake.params.EE["zero_segments"],
            **snakemake.params.given,
        )
        | {"signature": str(arrays["signature"])},
    )


if "snakemake" in globals():
    run(main, snakemake)
