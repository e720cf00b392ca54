"""Weightings in groups with parameters that other sets chose, beside a set's own."""

from contextlib import suppress

from job import run
from mt_difficulty import storage
from mt_difficulty.errors import Missing
from mt_difficulty.evidence import held_out


def main(snakemake):
    surfaces, rows, tests = {}, {}, snakemake.params.tests
    for name, grid, points in zip(
        tests, snakemake.input.surfaces, snakemake.input.points, strict=True
    ):
        with suppress(Missing):  # a set without segment scores
            arrays = storage.read_arrays(grid)
            rows[name] = storage.read_table(points)
            # The same weighting of another difficulty has another grid.
            of = dict(zip(rows[name].weighting, rows[name].difficulty, strict=True))
            difficulties = [of[weighting] for weighting in arrays["weightings"]]
            keys = zip(arrays["metrics"], arrays["weightings"], difficulties, strict=True)
            grids = map(held_out.Surface, arrays["correlations"], arrays["thresholds"])
            surfaces[name] = dict(zip(keys, grids, strict=True))
    if not surfaces:
        raise Missing("no evaluation set has human scores and scores of segments")
    frame = held_out.hold_out(surfaces, rows, tests)
    storage.write_table(snakemake.output.csv, frame)
    storage.write_text(snakemake.output.md, held_out.describe(frame))


if "snakemake" in globals():
    run(main, snakemake)
