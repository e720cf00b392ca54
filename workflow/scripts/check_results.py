"""Check at the end of a run that its tables hold together, and that no file changed meanwhile."""

from pathlib import Path

from job import run
from mt_difficulty import storage
from mt_difficulty.errors import InputError
from mt_difficulty.run import integrity, invariants


def main(snakemake):
    results = Path(snakemake.output[0]).parent
    metrics = snakemake.params.metrics
    broken = [
        problem for name in metrics for problem in invariants.broken(results / name, metrics[name])
    ]
    wrong = integrity.damaged(results, snakemake.input.results)
    broken += [f"{path}: {difference}" for path, difference in wrong.items()]
    if broken:
        raise InputError(f"the results do not hold together: {'; '.join(broken)}")
    storage.write_json(
        snakemake.output[0], {"sets": len(metrics), "files": len(snakemake.input.results)}
    )


if "snakemake" in globals():
    run(main, snakemake)
